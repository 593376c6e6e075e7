/* SPDX-License-Identifier: Apache-2.0 */
/* Traps in what leaves a box by another way than promotion: copied files and artifacts, under names that the
 * box chose. */
#ifndef BOX_LEAVING_H
#define BOX_LEAVING_H

#include "policy/trap.h"

/*
 * Of what is to lie at PATH below DIR, which is absolute. TEXT: what it says, where trap_is_read(PATH); NULL:
 * it was not read. NULL: no trap. Anything inside a git directory is one.
 */
const struct trap *box_leaving_trap(const char *dir, const char *path, const char *text);
/* Of a link there, with this TARGET; TREE: what it may not lead out of, DIR or above. */
const struct trap *box_leaving_link(const char *dir, const char *tree, const char *path, const char *target);
/* What of a file is read to judge it; heap, NULL: too large, no text, or not read. */
char *box_leaving_text(int fd);

#endif
