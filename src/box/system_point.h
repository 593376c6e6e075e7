/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box, or a snapshot of it, as the directories of its layers: everything outside of the project. Only
 * root's boxes whose system is writable have any.
 */
#ifndef BOX_SYSTEM_POINT_H
#define BOX_SYSTEM_POINT_H

#include "box/box.h"
#include "box/point.h"
#include "layer/base.h"
#include "layer/change.h"

struct box_system_point {
	/* One entry for each tree of each layer; those of a tree follow each other, oldest first. */
	struct strlist hosts;    /* what the tree covers: "/usr" */
	struct strlist prefixes; /* the same without its first '/' */
	struct strlist trees;    /* "layers/ID/mHASH" */
	struct strlist ups;      /* the changes in it */
	struct view view;        /* all of it, below "/"; borrows from these */
};

/* SNAPSHOT "": the box as it is. Without any change of the system there are no trees. */
int box_system_point_read(struct box_state *s, const struct store_box *b, const char *snapshot,
			  struct box_system_point *ret, struct aisbx_error *e);
void box_system_point_finish(struct box_system_point *p);

/* Where the entries of the tree that begins at AT end. */
size_t box_system_tree_end(const struct box_system_point *p, size_t at);
/* That tree alone, as it is below its own host; borrows from P. */
struct view box_system_tree_view(const struct box_system_point *p, size_t at, size_t end);

/* Base versions of all trees; see box_settle. The run is not ended by it. */
int box_system_settle(struct box_state *s, const struct store_box *b, struct box_bases *bases,
		      struct aisbx_error *e);

#endif
