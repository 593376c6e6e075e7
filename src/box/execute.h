/* SPDX-License-Identifier: Apache-2.0 */
/* Running what is wished. */
#ifndef BOX_EXECUTE_H
#define BOX_EXECUTE_H

#include "box/report.h"
#include "box/wish.h"

/* To the end, into the history; a detached one until its walls are up. RET is finished by the caller, also
 * after an error. */
int run_execute(const struct caller *by, const struct run_wish *w, struct run_report *ret,
		struct aisbx_error *e);
/* One more command in a live box, behind the walls that stand there: KEY is the box's or that of a run. Of W
 * only what concerns the command counts; the rest is taken from the box. */
int run_exec(const struct caller *by, const char *key, struct run_wish *w, struct run_report *ret,
	     struct aisbx_error *e);

#endif
