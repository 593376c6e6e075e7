/* SPDX-License-Identifier: Apache-2.0 */
/* What `run` and `exec` share: a run that others see while it goes on, here or detached. */
#ifndef OP_RUNNING_H
#define OP_RUNNING_H

#include "op/record.h"
#include "op/runs.h"
#include "run/log.h"
#include "run/redact.h"

struct op_running {
	struct op_context *ctx; /* borrowed; who hears when it has begun */
	const char *run_id;     /* borrowed */
	struct box_presence presence;
	char trace_id[33];
	struct run_face face;
	struct op_record record; /* empty: nobody will replay it */
};

#define OP_RUNNING_INIT                                      \
	{                                                    \
		.presence.listener = -1, .face.listener = -1 \
	}

/*
 * Gives the run its id and its place among those that live, and tells the caller. Without NEEDED it goes on
 * where there is no place to be had.
 */
int op_running_begin(struct op_context *ctx, struct op_running *how, struct box_request *req, bool needed,
		     struct aisbx_error *e);
void op_running_finish(struct op_running *how);

#define SECRET_PARAM                                                                                         \
	{                                                                                                    \
		.name = "secret", .type = OP_LIST, .value = "NAME=SOURCE",                                   \
		.help = "give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with " \
			",as=env behind it the variable NAME. "                                              \
			"It is taken out of all output"                                                      \
	}

/* In this process, to the end; into the history. */
int op_run_here(struct op_context *ctx, struct box_request *req, struct op_running *how, json_t **ret_result,
		struct aisbx_error *e);
/* In a process of its own; returns when the walls are up, or with the error for which they are not. */
int op_run_detached(struct box_request *req, bool keep_input, struct op_running *how, json_t **ret_result,
		    struct aisbx_error *e);

#endif
