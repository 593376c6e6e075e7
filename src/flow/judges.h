/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the person's own scripts, tests and settings for checks, whatever a box changed. */
#ifndef FLOW_JUDGES_H
#define FLOW_JUDGES_H

#include "box/caller.h"
#include "project/judge.h"

/*
 * Lays the person's own over FORK, a fork of POINT that is thrown away: RO, what the run that judges is
 * shown, gets mounts that cannot be written, and what only the box has of what says how to judge is taken out
 * of the fork. RET_TOLD: what the box had changed, as paths below its project, in UTF-8.
 */
int judges_lay(const struct caller *by, const char *point, const char *fork, const struct judges *j,
	       struct strlist *ro, struct strlist *ret_told, struct aisbx_error *e);

#endif
