/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of the host a box shows, hides and replaces, as operations of a plan. */
#ifndef DRIVER_CLONE_H
#define DRIVER_CLONE_H

#include "driver/driver.h"
#include "jail/build.h"

/*
 * SHIFT: the caller is real root, trees are mounted with shifted ids. RET_WATCHED gets the path of
 * each watched operation, in the order of the plan.
 */
int clone_plan(const struct run_spec *spec, bool shift, struct jail_plan_builder *b,
	       struct strlist *ret_watched, struct aisbx_error *e);

/* The files that hold the secrets of SPEC; also for a command that joins. */
void clone_add_secrets(const struct run_spec *spec, struct jail_plan_builder *b);

#endif
