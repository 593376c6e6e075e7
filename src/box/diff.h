/* SPDX-License-Identifier: Apache-2.0 */
/* What a box changed. */
#ifndef BOX_DIFF_H
#define BOX_DIFF_H

#include "box/box.h"
#include "layer/change.h"

/*
 * Without OTHER: from the host as it is to B at SNAPSHOT ("": as it is). With OTHER: from B to OTHER. Of the
 * project only. Both must be of the same project.
 */
int box_diff(struct box_shelf *s, const struct store_box *b, const char *snapshot, const struct store_box *other,
	     const char *other_snapshot, struct change_list *ret, struct aisbx_error *e);

#endif
