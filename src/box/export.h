/* SPDX-License-Identifier: Apache-2.0 */
/* The project as a box sees it, copied to a directory of the host for a program of the person. */
#ifndef BOX_EXPORT_H
#define BOX_EXPORT_H

#include "box/box.h"

/*
 * Files, links and directories of the box's project except repositories; the files are readable and, if they
 * were, executable. DIR must exist and be empty. SNAPSHOT "": the current state; then B must be locked.
 */
int box_export(struct box_state *s, const struct store_box *b, const char *snapshot, const char *dir,
	       struct aisbx_error *e);
/* Removes PARENT/NAME with everything below; it is no error if it does not exist. */
int box_export_remove(const char *parent, const char *name, struct aisbx_error *e);

#endif
