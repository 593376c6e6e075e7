/* SPDX-License-Identifier: Apache-2.0 */
/* Merges several layers into one that shows the same. The original layers are only read. */
#ifndef LAYER_FLATTEN_H
#define LAYER_FLATTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

/*
 * DIR/NEW_ID, made if it does not exist, becomes what the N layers IDS (oldest first) show together; it hides
 * what they hide. LINK: hard links instead of copies, for layers that never change again. The time depends on
 * the size of the layers. On failure nothing of it is left.
 */
int layer_flatten(const char *dir, const char *const *ids, size_t n, const char *new_id, bool link,
		  struct aisbx_error *e);

/* The same by hard links, without TREE: nothing of it is in the new layer. */
int layer_flatten_without(const char *dir, const char *const *ids, size_t n, const char *new_id,
			  const char *tree, struct aisbx_error *e);

/*
 * A copy of one layer that shares no file with it: for one that changes later. Nobody may change it
 * meanwhile.
 */
int layer_copy_tree(const char *dir, const char *id, const char *new_id, struct aisbx_error *e);

#endif
