/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a few files of a project as a box has them, without running anything in it: by descriptors, through
 * directories only. The files are not trusted, and links are not followed.
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

/* B NULL: the host, for a box that has not been made yet. */
int box_peek_open(struct box_shelf *s, const struct store_box *b, const char *project, const char *dir,
		  struct box_peek *ret, struct aisbx_error *e);
void box_peek_close(struct box_peek *p);
/* The names in its directory, sorted. */
int box_peek_names(struct box_peek *p, struct strlist *ret, struct aisbx_error *e);
bool box_peek_has(struct box_peek *p, const char *path);
/* A regular file of at most MAX bytes; false: there is none that can be read. */
bool box_peek_read(struct box_peek *p, const char *path, size_t max, struct buf *ret);

#endif
