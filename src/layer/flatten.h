/* SPDX-License-Identifier: Apache-2.0 */
/* Several layers made into one that shows the same. The layers it is made from are only read. */
#ifndef LAYER_FLATTEN_H
#define LAYER_FLATTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

/*
 * DIR/NEW_ID, made if it is not there, becomes what the N layers IDS (oldest first) show together; whatever
 * lies below them is hidden by it as it was by them. LINK: files are given a second name instead of being
 * copied, which is for layers that never change again. Costs by what the layers hold. On failure nothing of
 * it is left.
 */
int layer_flatten(const char *dir, const char *const *ids, size_t n, const char *new_id, bool link,
		  struct aisbx_error *e);

/* A copy of one layer that shares no file with it: for one that goes on changing. Nobody may change it
 * meanwhile. */
int layer_copy_tree(const char *dir, const char *id, const char *new_id, struct aisbx_error *e);

#endif
