/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a box's project that were made or changed since some time, while the box may be live. */
#ifndef BOX_MADE_H
#define BOX_MADE_H

#include <time.h>

#include "box/outputs.h"

/* The clock of file times; it may be a few milliseconds behind others. */
struct timespec box_made_clock(void);
/*
 * Those of the box KEY, by the time of their last change, in the layer that takes its changes; directories
 * that hold what tools keep for themselves, such as .git and node_modules, are left out. A box without a
 * project has none.
 */
int box_made_since(const char *key, const struct timespec *since, const struct redactor *hide,
		   struct outputs *ret, struct aisbx_error *e);

#endif
