/* SPDX-License-Identifier: Apache-2.0 */
/* The judges of a project: all files that decide checks according to its own aisbx.yaml on the host. */
#ifndef PROMOTE_JUDGES_H
#define PROMOTE_JUDGES_H

#include "promote/traps.h"
#include "project/judge.h"

/* The parts of aisbx.yaml that say which files decide. An experiment with a mistake cannot be run, so it
 * decides nothing. */
#define JUDGES_NEED (PROJECT_GATES | PROJECT_STAGES | PROJECT_GUARD | PROJECT_JUDGES | PROJECT_INTENTS)

/*
 * PROJECT: without links in it. A file that cannot be read names none: evaluation reports that. One with a
 * mistake in a part that is needed is an error: which files decide is not known.
 */
int box_judges_load(const char *project, struct judges *ret, struct aisbx_error *e);
/*
 * Whether changing PATH (absolute) is a trap: it would decide the next check. IS_THERE: the person has one.
 * NULL: no.
 */
const struct trap *gate_judges_changed(const struct judges *j, const char *path, bool is_there);
/*
 * Adds the steps of PLAN that change a judge of PROJECT (NULL: there is none) to *TRAPS and *N_TRAPS, which
 * are the caller's also on failure.
 */
int box_judges_find(const struct merge_plan *plan, const char *project, struct box_trap **traps,
		    size_t *n_traps, struct aisbx_error *e);

#endif
