/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common base of two boxes, path by path, and the base of a box made of both. A box is its starting state
 * plus its changes; some of these were promoted. With O as the newest version that is in both boxes, the
 * combination consists of the changes from O to either, and by the same rule its base consists of the
 * differences from O to either's base. docs/internals/changes.md explains why.
 */
#ifndef LAYER_ANCESTRY_H
#define LAYER_ANCESTRY_H

#include "layer/merge.h"
#include "layer/version.h"

struct ancestry {
	struct open_view *open_views[2];  /* borrowed: of the first box and the second */
	struct open_view *common;         /* borrowed: of the layers both stand on; NULL: none */
	const struct base_filter *filter; /* borrowed: which promotions count now */
	struct base_map pasts[2];         /* owned: all records of either */
	struct strlist paths;             /* owned: all paths with something to decide, sorted */
	struct base_map origins; /* owned: what both are based on, except for what the common layers say */
	struct version_scratch scratch_dir;
};

/* DIRS: of the first box and the second, see base_map_read. The rest of A is filled in already, with a
 * directory for texts. */
int ancestry_read(struct ancestry *a, const struct strlist *const dirs[2], struct aisbx_error *e);
/*
 * Into TREE_DIR of the layer in which PLAN made the combination: the base of each of its paths, whatever is
 * undone later.
 */
int ancestry_write(struct ancestry *a, const struct merge_plan *plan, enum merge_resolution resolution,
		   const char *tree_dir, struct aisbx_error *e);
void ancestry_finish(struct ancestry *a);

#endif
