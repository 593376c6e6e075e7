/* SPDX-License-Identifier: Apache-2.0 */
/* What a box changed, file by file and line by line. */
#ifndef BOX_DIFF_H
#define BOX_DIFF_H

#include "box/box.h"
#include "box/ignored.h"
#include "layer/change.h"

/*
 * Without OTHER: from the host as it is to B at SNAPSHOT ("": as it is). With OTHER: from B to OTHER. Only
 * the project; both must have the same. Of a box without one that stands on an image: its root, from the
 * image. Files that git ignores are left out, unless IGNORED is NULL; so are git directories, but RET names
 * those that changed more than git changes them by itself.
 */
int box_diff(struct box_state *s, const struct store_box *b, const char *snapshot,
	     const struct store_box *other, const char *other_snapshot, struct change_list *ret,
	     struct box_ignored *ignored, struct aisbx_error *e);

struct box_point;
/* From A to B. A NULL: from what B's changes are changes of, its project on the host or its image. */
int box_diff_points(const struct box_point *a, const struct box_point *b, struct change_list *ret,
		    struct box_ignored *ignored, struct aisbx_error *e);

/* For a name in a git directory: git writes it even if nobody commits or moves a branch. */
bool box_diff_is_idle(const char *name);

enum box_answer { BOX_NO, BOX_YES, BOX_UNKNOWN };

/* Whether a file of the change has a NUL in its first 8000 bytes, as in git. Unknown: it cannot be read. */
enum box_answer box_diff_is_binary(const struct change_list *l, const struct change *c);

/* The lines of one change. */
struct box_lines {
	bool asked; /* files and links with changed content or mode: what git would count */
	bool counted;
	uint64_t added, removed;
};

/*
 * Counts lines, one of RET for each change, and appends a unified patch to PATCH unless that is NULL.
 * Directories are not in it, as in git.
 */
int box_diff_lines(const struct change_list *l, struct buf *patch, struct box_lines *ret,
		   struct aisbx_error *e);

/* Paths of the real project that changed since B was made. */
int box_stale(const struct store_box *b, struct strlist *ret, struct aisbx_error *e);

#endif
