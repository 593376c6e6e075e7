/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers on disk. A layer is a directory; below it one directory per cloned tree, with `up`, the changes, and
 * in the top layer `work`, overlayfs' scratch directory. Making and freezing is O(1).
 */
#ifndef LAYER_LAYER_H
#define LAYER_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

/*
 * Name of the directory of the tree cloned at GUEST: "root", "project" or one made from the path. "~", the
 * home of a box, is "home"; what is cloned below it has a name by its path there, wherever the home is.
 */
void layer_tree_name(const char *guest, const char *project, char *ret_name, size_t cap);

/* DIR/ID, empty. */
int layer_make(const char *dir, const char *id, struct aisbx_error *e);

/*
 * The paths of a clone for the jail, relative to DIR: `up` and `work` of the first of IDS, made if they do
 * not exist with the attributes of what they cover, then `up` of those of the others that have this tree.
 * HOST NULL: they cover nothing, and the tree is private to the owner of the box.
 * ID_SHIFT is added to owners of HOST.
 */
int layer_paths(const char *dir, const char *const *ids, size_t n_ids, const char *tree, const char *host,
		uint32_t id_shift, struct buf *ret_paths, struct aisbx_error *e);

/* Renames DIR/ID away, then removes it. No error if it does not exist. */
int layer_remove(const char *dir, const char *id, struct aisbx_error *e);

/* AT/NAME and everything below it, whatever its permissions. Negative errno. */
int layer_remove_at(int at, const char *name);

/* Names at the top of TREE that do not count as changes; NULL after the last name. */
struct layer_given {
	const char *tree;
	const char *const *names;
};
/* Whether a layer has no change at all, but for what is GIVEN (ends with tree NULL; NULL: nothing). */
int layer_is_empty(const char *dir, const char *id, const struct layer_given *given, bool *ret_empty,
		   struct aisbx_error *e);

/* Whether the top directory of TREE still has the mode of what it covers; also when it was never made. */
bool layer_mode_is_kept(const char *dir, const char *const *ids, size_t n_ids, const char *tree,
			const char *host);

/* Renames away the directories in DIR that have no row according to KEEP. */
int layer_bury(const char *dir, bool (*keep)(void *ctx, const char *id), void *ctx, struct aisbx_error *e);
/* Removes everything that was renamed away; returns how many. */
int layer_sweep(const char *dir, size_t *ret_n, struct aisbx_error *e);

#endif
