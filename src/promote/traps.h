/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes of a merge plan are traps: the table of policy/trap.h, applied to real trees. */
#ifndef PROMOTE_TRAPS_H
#define PROMOTE_TRAPS_H

#include "layer/merge.h"
#include "policy/trap.h"

struct box_trap {
	const char *path; /* borrowed from the plan; below the target */
	const struct trap *trap;
};

struct box_traps_look {
	struct open_view *box, *target;
	const char *dir;     /* the target */
	const char *project; /* of the box; if DIR is another place, DIR's own path matters, too */
	bool system;         /* DIR is "/": policy/system_trap.h counts */
};

/* Adds to *RET and *RET_N, which are the caller's to finish, also on failure. */
int box_traps_find(const struct merge_plan *plan, const struct box_traps_look *look, struct box_trap **ret,
		   size_t *ret_n, struct aisbx_error *e);
/* One more of them; PATH is borrowed from the plan. Negative errno. */
int box_traps_add(struct box_trap **list, size_t *n, const char *path, const struct trap *trap);
void box_traps_finish(struct box_trap *list);

#endif
