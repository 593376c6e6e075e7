/* SPDX-License-Identifier: Apache-2.0 */
/* What must outlive a program: a submitter's jobs, and a node's results that the engine does not have yet.
 * SQLite; what was saved is durable when saved_commit has returned. */
#ifndef FLEET_AGENT_SAVED_H
#define FLEET_AGENT_SAVED_H

#include "aisbx/error.h"
#include "fleet/core/actions.h"
#include "fleet/core/submitter.h"

struct saved;

/* DIR is made if it is missing; the file in it is this user's alone. */
int saved_open(const char *dir, const char *file, struct saved **ret, struct aisbx_error *e);
void saved_close(struct saved *s); /* NULL is allowed */

/* All that is saved between them is durable together, or not at all. */
int saved_begin(struct saved *s, struct aisbx_error *e);
int saved_commit(struct saved *s, struct aisbx_error *e);
/* Of FLEET_SAVE_JOB, SAVE_GRANT, SAVE_END, SAVE_ENDED and DROP_ENDED: does it. */
int saved_perform(struct saved *s, uint64_t wall_ms, const struct fleet_action *action,
		  struct aisbx_error *e);
/* Whether an action is one of these. */
bool saved_is_for(const struct fleet_action *action);

/* A job of the table; RET's parts are owned here. */
struct saved_job {
	struct fleet_saved_job saved;
	uint64_t since_wall_ms, ended_wall_ms; /* 0: it has not ended */
};

void saved_job_finish(struct saved_job *job);
/* -ENOENT, and E unchanged: there is none. ID may be the beginning of an id, if only one begins so: else
 * -ENOTUNIQ. */
int saved_job_find(struct saved *s, const char *id, struct saved_job *ret, struct aisbx_error *e);
/* All, the newest first. */
int saved_jobs(struct saved *s, void (*each)(void *ctx, const struct saved_job *job), void *ctx,
	       struct aisbx_error *e);
/* Removes one, of which nobody wants to know any more. */
int saved_drop(struct saved *s, const char *id, struct aisbx_error *e);
/* A secret of this table, of 32 bytes, made when it is asked for first: of it the keys of jobs are made. */
int saved_secret(struct saved *s, uint8_t ret[32], struct aisbx_error *e);
/* Removes those that ended before this time. */
int saved_forget(struct saved *s, uint64_t before_wall_ms, struct aisbx_error *e);
/* A node's results. */
int saved_ended(struct saved *s,
		void (*each)(void *ctx, const struct fleet_job *job, const struct fleet_record *record),
		void *ctx, struct aisbx_error *e);

#endif
