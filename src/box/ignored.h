/* SPDX-License-Identifier: Apache-2.0 */
/* Files that git ignores stay in the box: removes them from what a box changed. */
#ifndef BOX_IGNORED_H
#define BOX_IGNORED_H

#include <stddef.h>
#include <stdint.h>

#include "layer/change.h"
#include "layer/merge.h"
#include "layer/view.h"

/* How much was left out. */
struct box_ignored {
	size_t files; /* and links */
	uint64_t bytes;
};

/* EYE: the box whose rules are used. */
int box_ignored_in_list(struct open_view *open_view, struct change_list *list, struct box_ignored *ret,
			struct aisbx_error *e);
/*
 * NAMED: NULL, or paths that were given by name: these are included with everything in them, ignored or not.
 */
int box_ignored_in_plan(struct open_view *open_view, struct merge_plan *plan, const struct strlist *named,
			struct box_ignored *ret, struct aisbx_error *e);

#endif
