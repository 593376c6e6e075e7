/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories that promotions made in a project and an undo removed again. A box that worked in one of them
 * meanwhile treats it as part of the project; but it never was, and nobody deleted it.
 */
#ifndef PROMOTE_UNDONE_H
#define PROMOTE_UNDONE_H

#include "box/point.h"

struct box_undone {
	struct box_bases *promotions; /* borrowed */
	const char *project;          /* borrowed */
	struct box_undone_dir *list;  /* owned */
	size_t n;
	bool is_read;
};

void box_undone_finish(struct box_undone *u);
/*
 * Whether ST is such a directory at PATH. CTX is a struct box_undone. Known only as long as the promoted
 * boxes exist.
 */
bool box_undone_has(void *ctx, const char *path, const struct stat *st);

#endif
