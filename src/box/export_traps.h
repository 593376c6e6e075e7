/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps in files that leave a box in other ways than promotion: copied files and artifacts, under names that
 * the box chose.
 */
#ifndef BOX_EXPORT_TRAPS_H
#define BOX_EXPORT_TRAPS_H

#include "policy/trap.h"

/*
 * For a file that is to be at PATH below DIR, which is absolute. TEXT: its content, if trap_is_read(PATH);
 * NULL: it was not read. NULL: no trap. Anything inside a git directory is a trap.
 */
const struct trap *box_export_trap(const char *dir, const char *path, const char *text);
/* For a link there, with this TARGET; TREE: what it may not lead out of, DIR or above. */
const struct trap *box_export_trap_link(const char *dir, const char *tree, const char *path,
					const char *target);
/* The part of a file that is needed for the check; heap, NULL: too large, not text, or not needed. */
char *box_export_trap_text(int fd);

#endif
