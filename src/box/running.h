/* SPDX-License-Identifier: Apache-2.0 */
/* What `run` and `exec` share: a run that others can see, in this process or detached. */
#ifndef BOX_RUNNING_H
#define BOX_RUNNING_H

#include "box/caller.h"
#include "box/live_run.h"
#include "box/record.h"
#include "box/report.h"
#include "box/turn.h"
#include "run/log.h"
#include "secret/redact.h"

struct running {
	const struct caller *by; /* borrowed; called when it has started */
	const char *run_id;      /* borrowed */
	struct box_presence presence;
	uint64_t caller; /* whose turn it takes */
	char trace_id[33];
	struct run_record record; /* empty: it cannot be replayed */
};

#define RUNNING_INIT                    \
	{                               \
		.presence.listener = -1 \
	}

/*
 * Gives the run its id and registers it as live, and tells the caller. Without NEEDED it continues if it
 * cannot be registered.
 */
int running_begin(const struct caller *by, struct running *how, struct run_spec *spec, bool needed,
		  struct aisbx_error *e);
void running_finish(struct running *how);

/* In this process, to the end; into the history. */
int run_here(const struct caller *by, struct run_spec *spec, struct running *how, struct run_report *ret,
	     struct aisbx_error *e);
/* In a process of its own; returns when the walls are built, or with the error why they are not. */
int run_detached(struct run_spec *spec, bool keep_input, struct running *how, struct run_report *ret,
		 struct aisbx_error *e);

#endif
