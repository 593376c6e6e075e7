/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers on disk. A layer is a directory; below it one directory per cloned tree, holding `up`, the
 * changes, and while it is the top one `work`, overlayfs' scratch. Making and freezing is O(1).
 */
#ifndef LAYER_LAYER_H
#define LAYER_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Name of the directory of the tree cloned at GUEST: "root", "project" or one made from the path. */
void layer_tree_name(const char *guest, const char *project, char *ret_name, size_t cap);

/* DIR/ID, empty. */
int layer_make(const char *dir, const char *id, struct aisbx_error *e);

/*
 * The paths of a clone for the jail, below DIR: `up` and `work` of the first of IDS, made if they are not
 * there with the attributes of what they cover, then `up` of those of the others that have this tree.
 * ID_SHIFT is added to owners of HOST.
 */
int layer_paths(const char *dir, const char *const *ids, size_t n_ids, const char *tree, const char *host,
		uint32_t id_shift, struct buf *ret_paths, struct aisbx_error *e);

/* Takes DIR/ID out of sight by one rename, then removes it. Nothing there is fine. */
int layer_remove(const char *dir, const char *id, struct aisbx_error *e);

/* AT/NAME and all below it, whoever took which permissions from it. Negative errno. */
int layer_remove_at(int at, const char *name);

/*
 * Whether any tree of DIR/ID has a change. Entries of TREE named in GIVEN (NULL-terminated) are aisbx's
 * own gift to the box and do not count.
 */
int layer_is_empty(const char *dir, const char *id, const char *tree, const char *const *given,
		   bool *ret_empty, struct aisbx_error *e);

/* Whether the top directory of TREE still has the mode of what it covers; also when it was never made. */
bool layer_mode_is_kept(const char *dir, const char *const *ids, size_t n_ids, const char *tree,
			const char *host);

/* Takes directories in DIR out of sight that KEEP says no row speaks of: a rename each. */
int layer_bury(const char *dir, bool (*keep)(void *ctx, const char *id), void *ctx, struct aisbx_error *e);
/* Removes all that is out of sight; returns how many. */
int layer_sweep(const char *dir, size_t *ret_n, struct aisbx_error *e);

#endif
