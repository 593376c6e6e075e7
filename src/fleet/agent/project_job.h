/* SPDX-License-Identifier: Apache-2.0 */
/* A job that brings its project: the project comes, a box is made on it, the command runs, and what it
 * changed is sent. The box goes then. */
#ifndef FLEET_AGENT_PROJECT_JOB_H
#define FLEET_AGENT_PROJECT_JOB_H

#include <jansson.h>

#include "fleet/agent/trees.h"

struct project_job;

struct project_job_options {
	struct trees *trees; /* borrowed, as all here */
	struct loop *loop;
	const char *dir;    /* of the node */
	const char *tenant; /* borrowed longer than the call */
	const char *box;    /* the name of the box that is made for it */
	void *ctx;
	/* Calls METHOD of the tenant's server; project_job_said gets the answer. PARAMS: a reference to keep.
	 */
	void (*call)(void *ctx, const char *method, json_t *params, bool is_command);
	/* Likewise, and nobody waits for the answer. */
	void (*order)(void *ctx, const char *method, json_t *params);
	/* All that follow end it: the job is destroyed in the call. CHANGES: NULL, or of the result. */
	void (*ended)(void *ctx, const json_t *answer, json_t *changes);
	void (*refused)(void *ctx, const struct aisbx_error *e);
	void (*not_started)(void *ctx, const char *why);
};

/* What "project" of a job's body says, checked as hostile. NULL in RET: nothing. */
struct project_wish {
	char tree[CONTENT_TREE];
	const char *at; /* borrowed; where in it the command begins; "": at its top */
};

int project_wish_read(const char *operation, const json_t *said, const json_t *arguments,
		      struct project_wish *ret, struct aisbx_error *e);

/* ARGUMENTS: of the operation. -: the project cannot come, and nothing was called. */
int project_job_start(const struct project_job_options *options, const struct project_wish *wish,
		      const char *method, const json_t *arguments, struct project_job **ret,
		      struct aisbx_error *e);
void project_job_destroy(struct project_job *p); /* NULL is allowed */
/* As trees_options.ready has it: if it is this job's. */
void project_job_ready(struct project_job *p, const char *tree, const char *why, bool is_bad);
void project_job_said(struct project_job *p, const json_t *answer);
/* Its command runs: it can be cancelled, and reads input. */
bool project_job_runs(const struct project_job *p);

#endif
