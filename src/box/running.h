/* SPDX-License-Identifier: Apache-2.0 */
/* What `run` and `exec` share: a run that others see while it goes on, here or detached. */
#ifndef BOX_RUNNING_H
#define BOX_RUNNING_H

#include "box/caller.h"
#include "box/live_run.h"
#include "box/record.h"
#include "box/report.h"
#include "run/log.h"
#include "secret/redact.h"

struct running {
	const struct caller *by; /* borrowed; who hears when it has begun */
	const char *run_id;      /* borrowed */
	struct box_presence presence;
	char trace_id[33];
	struct run_record record; /* empty: nobody will replay it */
};

#define RUNNING_INIT                    \
	{                               \
		.presence.listener = -1 \
	}

/*
 * Gives the run its id and its place among those that live, and tells the caller. Without NEEDED it goes on
 * where there is no place to be had.
 */
int running_begin(const struct caller *by, struct running *how, struct run_spec *spec, bool needed,
		  struct aisbx_error *e);
void running_finish(struct running *how);

/* In this process, to the end; into the history. */
int run_here(const struct caller *by, struct run_spec *spec, struct running *how, struct run_report *ret,
	     struct aisbx_error *e);
/* In a process of its own; returns when the walls are up, or with the error for which they are not. */
int run_detached(struct run_spec *spec, bool keep_input, struct running *how, struct run_report *ret,
		 struct aisbx_error *e);

#endif
