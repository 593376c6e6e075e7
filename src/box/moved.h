/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the project of a box is still the same directory, and where it was moved to. */
#ifndef BOX_MOVED_H
#define BOX_MOVED_H

#include "box/box.h"

#define BOX_MOVED_STATES(X)                                                                          \
	X(THERE, "there")       /* or not known, for a box made by an older aisbx */                 \
	X(MOVED, "moved")       /* and found */                                                      \
	X(REPLACED, "replaced") /* another directory has its name, and it was not found elsewhere */ \
	X(MISSING, "missing")

enum box_moved {
#define X(id, name) BOX_##id,
	BOX_MOVED_STATES(X)
#undef X
};

const char *box_moved_name(enum box_moved w);
/* The same directory, under whatever name. */
bool box_moved_same(const struct store_place *a, const struct store_place *b);
/* The project of B is the directory PROJECT, which PLACE identifies (ino 0: not known). */
bool box_moved_is_of(const struct store_box *b, const char *project, const struct store_place *place);
/*
 * Keeps the boxes of PROJECT (NULL: all) in the list BOXES, and finishes the others; returns how many are
 * left.
 */
size_t box_moved_keep(const char *project, struct store_box *boxes, size_t n);
/* Identifies the directory PATH. */
int box_moved_read(const char *path, struct store_place *ret, struct aisbx_error *e);
/*
 * Where the project of B is. If it is not where it was, it is searched: HERE (may be NULL) and above it,
 * beside its old place, beside what is above that. *RET_NOW, on the heap: where it was found; NULL: nowhere,
 * or it did not move.
 */
enum box_moved box_moved(const struct store_box *b, const char *here, char **ret_now);
/* Refuses, with a message what to do, unless it is there. */
int box_moved_require(const struct store_box *b, const char *here, struct aisbx_error *e);

#endif
