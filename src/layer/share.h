/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equal files of layers that never change again take their space once. Two names become one file (a hard
 * link) if nothing but their layer tells them apart: path, content, mode, owner, time, attributes. So a box,
 * which sees one of them at most, sees what it saw before. Equal contents of files that differ in more share
 * blocks where the file system can. A crash at any moment leaves every tree as it was or with such a link.
 */
#ifndef LAYER_SHARE_H
#define LAYER_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct share_report {
	uint64_t files;  /* that became links */
	uint64_t bytes;  /* that they took */
	uint64_t cloned; /* bytes that share blocks now, by what the kernel says */
};

/* DIR: of the layers. IDS: frozen ones, and of no running box. What cannot be shared is left as it is. */
int layer_share(const char *dir, const char *const *ids, size_t n, struct share_report *ret,
		struct aisbx_error *e);

#endif
