/* SPDX-License-Identifier: Apache-2.0 */
/* Runs jobs: the operation that a job names, in the boxes of its tenant, with its output and input on the
 * bus. */
#ifndef FLEET_AGENT_RUNNER_H
#define FLEET_AGENT_RUNNER_H

#include "fleet/agent/loop.h"

struct runner;
struct sealed_run;

struct runner_options {
	struct loop *loop; /* borrowed, as all here */
	struct bus *bus;
	const char *dir;
	const char *node;
	const char *allow; /* NULL, or further operations */
	const char *store; /* where projects come from; NULL: none do */
	const char *keys;  /* directory with TENANT.key for that */
	void *ctx;
	/* RESULT NULL: it was killed. It is the caller's no longer than the call. */
	void (*ended)(void *ctx, const char *job, struct fleet_token token, struct fleet_text *result);
	void (*not_started)(void *ctx, const char *job, struct fleet_token token, const char *reason);
};

struct runner *runner_create(const struct runner_options *options);
/* Kills what is left and waits until it is gone. NULL is allowed. */
void runner_destroy(struct runner *r);
/* SEALED: how it talks with its submitter; NULL: openly. It is the runner's then. */
void runner_start(struct runner *r, const struct fleet_job *job, struct fleet_token token, unsigned attempt,
		  struct sealed_run *sealed);
void runner_kill(struct runner *r, const char *job, struct fleet_token token);
/* Until when all may live, by CLOCK_BOOTTIME. */
void runner_lease(struct runner *r, uint64_t until_ms);
/* DATA came on aisbx.in.NODE.TENANT.JOB. */
void runner_input(struct runner *r, const char *subject, const char *data, size_t len);
void runner_child_ended(struct runner *r);
void runner_tick(struct runner *r, uint64_t now_ms);
uint64_t runner_next(const struct runner *r);

#endif
