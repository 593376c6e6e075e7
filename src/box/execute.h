/* SPDX-License-Identifier: Apache-2.0 */
/* Executes runs: to their end, detached, or in a live box. */
#ifndef BOX_EXECUTE_H
#define BOX_EXECUTE_H

#include "box/report.h"
#include "box/run_options.h"

/*
 * To the end, and into the history; a detached one until its walls are built. RET is freed by the caller,
 * also after an error.
 */
int run_execute(const struct caller *by, const struct run_options *w, struct run_report *ret,
		struct aisbx_error *e);
/*
 * Another command in a live box, behind its walls: KEY is the box or a run. Only what concerns the command is
 * used of W; the rest is taken from the box.
 */
int run_exec(const struct caller *by, const char *key, struct run_options *w, struct run_report *ret,
	     struct aisbx_error *e);

#endif
