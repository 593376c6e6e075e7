/* SPDX-License-Identifier: Apache-2.0 */
/* The namespaces of a box as data. */
#ifndef JAIL_NS_H
#define JAIL_NS_H

#include "jail/plan.h"

struct jail_namespace {
	enum wall wall;
	const char *link; /* its inode names the namespace */
	uint64_t clone_flag;
};

extern const struct jail_namespace jail_namespaces[];
extern const size_t jail_n_namespaces;

#endif
