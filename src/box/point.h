/* SPDX-License-Identifier: Apache-2.0 */
/* A box, or a snapshot of it, as the directories of its layers: the project's tree only. */
#ifndef BOX_POINT_H
#define BOX_POINT_H

#include "box/box.h"
#include "layer/base.h"
#include "layer/change.h"

struct box_point {
	struct strlist trees; /* "layers/ID/project", oldest first, those that exist */
	struct strlist ups;   /* the changes in them */
	char *host; /* owned; what they are based on: the project, or the copy that the box is pinned to */
	bool pinned;
	struct view view; /* borrows from both */
};

/* SNAPSHOT "": the box as it is. */
int box_point_read(struct box_state *s, const struct store_box *b, const char *snapshot,
		   struct box_point *ret, struct aisbx_error *e);
void box_point_finish(struct box_point *p);

/* Which promotions happened and were not undone: their records are bases. Asks the store only if needed. */
struct box_bases {
	struct box_state *state;      /* borrowed */
	struct store_promotion *list; /* owned */
	size_t n;
	bool is_read;
	struct aisbx_error error;  /* error while reading: then the counts are invalid */
	struct base_filter filter; /* borrows from this */
};

void box_bases_open(struct box_bases *b, struct box_state *s);
void box_bases_finish(struct box_bases *b);
bool box_bases_count(void *ctx, const struct base *b);
/* Whether promotion ID was undone. */
bool box_bases_undone(struct box_bases *b, const char *id);
/* As base_map_read, of the trees of P. */
int box_bases_map(struct box_bases *b, const struct box_point *p, const struct base_filter *filter,
		  struct base_map *ret, struct aisbx_error *e);

/*
 * Records the base versions of the files that ended runs changed; see layer/base.h. The box must be locked.
 */
int box_settle(struct box_state *s, const struct store_box *b, struct aisbx_error *e);

#endif
