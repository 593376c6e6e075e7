/* SPDX-License-Identifier: Apache-2.0 */
/* The ids of a box that has the subordinate ids of its user. */
#ifndef HELPERS_IMAGE_SUBORDINATES_H
#define HELPERS_IMAGE_SUBORDINATES_H

#include "aisbx/error.h"
#include "sys/subids.h"

/* This process sees ids as such a box does from now on, and is its root. Before it confines itself. */
int enter_subordinates(const struct sys_subids *ids, struct aisbx_error *e);

#endif
