/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box, a snapshot of it or an image as the directories of their layers: one tree only. That is the
 * project's, or of a box that stands on an image and has no project its root.
 */
#ifndef BOX_POINT_H
#define BOX_POINT_H

#include "box/box.h"
#include "layer/base.h"
#include "layer/change.h"

struct box_point {
	struct strlist trees; /* "layers/ID/project", oldest first, those that exist */
	struct strlist ups;   /* the changes in them */
	/* owned; what they are based on: the project, the copy that the box is pinned to, or the ground of
	 * images */
	char *host;
	bool pinned;
	size_t n_image;   /* so many of them, from the oldest on, are the image's */
	struct view view; /* borrows from both */
};

/* SNAPSHOT "": the box as it is. */
int box_point_read(struct box_state *s, const struct store_box *b, const char *snapshot,
		   struct box_point *ret, struct aisbx_error *e);
/* The root of a box that stands on an image, also if it has a project. */
int box_point_read_root(struct box_state *s, const struct store_box *b, const char *snapshot,
			struct box_point *ret, struct aisbx_error *e);
int box_point_read_image(struct box_state *s, const struct store_image *image, struct box_point *ret,
			 struct aisbx_error *e);
/* What changes of P are changes of: the host, or the image. It borrows from P. */
struct view box_point_base(const struct box_point *p);
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
