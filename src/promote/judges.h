/* SPDX-License-Identifier: Apache-2.0 */
/* The judges of a project: all by which its own aisbx.yaml, as it is on the host, has a change judged. */
#ifndef PROMOTE_JUDGES_H
#define PROMOTE_JUDGES_H

#include "promote/traps.h"
#include "project/judge.h"

/* PROJECT: without links in it. A file that cannot be read names none: whoever judges by it says so. */
int box_judges_load(const char *project, struct judges *ret, struct aisbx_error *e);
/* Whether it is a trap to change PATH (absolute): it would be judged by next time. IS_THERE: the person has
 * one. NULL: no. */
const struct trap *gate_judges_changed(const struct judges *j, const char *path, bool is_there);
/* Adds to *TRAPS and *N_TRAPS, which are the caller's also on failure, the steps of PLAN that change a judge
 * of PROJECT (NULL: there is none). */
int box_judges_find(const struct merge_plan *plan, const char *project, struct box_trap **traps,
		    size_t *n_traps, struct aisbx_error *e);

#endif
