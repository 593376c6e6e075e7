/* SPDX-License-Identifier: Apache-2.0 */
/* Traps by symbolic links: one that leads to where a tool looks, and one of that name that leads to what is
 * changed. */
#ifndef PROMOTE_TRAPS_LINK_H
#define PROMOTE_TRAPS_LINK_H

#include "base/str.h"
#include "promote/traps.h"

/* Of a link of the box at PATH: out of the tree, or by whatever other links to a place that is a trap. */
int box_trap_of_link(const struct box_traps_look *look, const char *path, const struct sight *seen,
		     const struct trap **ret);

/* Links that a tree has already, whose name is a trap: what they lead to is one, too. */
struct box_aliases {
	struct strlist places; /* where they lead; absolute */
	char *last;            /* owned; the directory that was looked through last, with all above it */
};

/* Whether PATH below DIR is such a place. Looks only into the directories on the way to it. */
int box_aliases_find(struct box_aliases *a, const char *dir, const char *path, const struct trap **ret);
void box_aliases_finish(struct box_aliases *a);

#endif
