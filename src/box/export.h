/* SPDX-License-Identifier: Apache-2.0 */
/* The project as a box has it, copied to a directory of the host for a person's program to read. */
#ifndef BOX_EXPORT_H
#define BOX_EXPORT_H

#include "box/box.h"

/*
 * Files, links and directories of the box's project but for repositories; its files can be read and, where
 * they could be, executed. DIR must be there and empty. SNAPSHOT "": as it is; then B must be locked.
 */
int box_export(struct box_shelf *s, const struct store_box *b, const char *snapshot, const char *dir,
	       struct aisbx_error *e);
/* PARENT/NAME with all below it; what is not there is gone already. */
int box_export_remove(const char *parent, const char *name, struct aisbx_error *e);

#endif
