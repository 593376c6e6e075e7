/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at a few files of a project as a box has them, without running anything in it: read by descriptors,
 * through directories only. What is there may be anything: it is not trusted, and a link is followed nowhere.
 */
#ifndef BOX_PEEK_H
#define BOX_PEEK_H

#include "base/buf.h"
#include "box/point.h"
#include "layer/view.h"

/* Does not move while it is open. */
struct box_peek {
	struct box_point point;
	struct view view;
	struct eye eye;
	const char *dir; /* borrowed; below the project; "": the project */
};

#define BOX_PEEK_INIT           \
	{                       \
		.eye = EYE_INIT \
	}

/* B NULL: the host, for a box that is yet to be made. */
int box_peek_open(struct box_shelf *s, const struct store_box *b, const char *project, const char *dir,
		  struct box_peek *ret, struct aisbx_error *e);
void box_peek_close(struct box_peek *p);
/* The names in its directory, sorted. */
int box_peek_names(struct box_peek *p, struct strlist *ret, struct aisbx_error *e);
bool box_peek_has(struct box_peek *p, const char *path);
/* A regular file of at most MAX bytes; false: there is no such one that can be read. */
bool box_peek_read(struct box_peek *p, const char *path, size_t max, struct buf *ret);

#endif
