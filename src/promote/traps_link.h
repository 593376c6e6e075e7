/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps by symbolic links: one that leads to where a tool looks, and an existing one of that name that leads
 * to what is changed.
 */
#ifndef PROMOTE_TRAPS_LINK_H
#define PROMOTE_TRAPS_LINK_H

#include "base/str.h"
#include "promote/traps.h"

/* For a link of the box at PATH: out of the tree, or through other links to the place of a trap. */
int box_trap_of_link(const struct box_traps_look *look, const char *path, const struct view_entry *seen,
		     const struct trap **ret);

/* Existing links of a tree whose name is a trap: their targets are traps, too. */
struct box_aliases {
	struct strlist places; /* their targets; absolute */
	char *last;            /* owned; the directory that was searched last, with all above it */
};

/* Whether PATH below DIR is such a place. Reads only the directories on the path to it. */
int box_aliases_find(struct box_aliases *a, const char *dir, const char *path, const struct trap **ret);
void box_aliases_finish(struct box_aliases *a);

#endif
