/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a few files of a project as a box has them, without running anything in it: by descriptors, through
 * directories only. The files are not trusted, and links are not followed.
 */
#ifndef BOX_FILE_VIEW_H
#define BOX_FILE_VIEW_H

#include "base/buf.h"
#include "box/point.h"
#include "layer/view.h"

/* Does not move while it is open. */
struct box_file_view {
	struct box_point point;
	struct view view;
	struct open_view open_view;
	const char *dir; /* borrowed; below the project; "": the project */
};

#define BOX_FILE_VIEW_INIT                  \
	{                                   \
		.open_view = OPEN_VIEW_INIT \
	}

/* B NULL: the host, for a box that has not been made yet. */
int box_file_view_open(struct box_state *s, const struct store_box *b, const char *project, const char *dir,
		       struct box_file_view *ret, struct aisbx_error *e);
void box_file_view_close(struct box_file_view *p);
/* The names in its directory, sorted. */
int box_file_view_names(struct box_file_view *p, struct strlist *ret, struct aisbx_error *e);
bool box_file_view_has(struct box_file_view *p, const char *path);
/* A regular file of at most MAX bytes; false: there is none that can be read. */
bool box_file_view_read(struct box_file_view *p, const char *path, size_t max, struct buf *ret);

#endif
