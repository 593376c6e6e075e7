/* SPDX-License-Identifier: Apache-2.0 */
/* A submitter: keeps a job in its own table until the result has come, sends it again when the engine lost
 * it, and grants at most one node to begin a job that is to be done once. */
#ifndef FLEET_CORE_SUBMITTER_H
#define FLEET_CORE_SUBMITTER_H

#include "fleet/core/actions.h"

struct fleet_submitter_options {
	char name[FLEET_NAME];
	uint64_t ask_ms;   /* an answer of the engine that has not come by then will not come */
	uint64_t look_ms;  /* reads a job's record after so long, beside what it is told; then more and more
			      seldom */
	uint64_t again_ms; /* a job whose record did not change for so long is submitted again; then after
			      twice as long */
};

#define FLEET_SUBMITTER_OPTIONS                                      \
	{                                                            \
		.ask_ms = 5000, .look_ms = 10000, .again_ms = 300000 \
	}

/* A job as the table has it, when a program begins again. */
struct fleet_saved_job {
	struct fleet_job job;       /* borrowed */
	struct fleet_record record; /* phase ABSENT: not ended; borrowed */
	bool granted;
	char node[FLEET_NAME];
	uint64_t incarnation, number;
};

struct fleet_submitter;

struct fleet_submitter *fleet_submitter_create(const struct fleet_submitter_options *options);
void fleet_submitter_destroy(struct fleet_submitter *s);
/* Before anything else: what the table holds. Ended jobs are told again, once. */
void fleet_submitter_restore(struct fleet_submitter *s, struct fleet_now now,
			     const struct fleet_saved_job *saved, struct fleet_actions *out);
/* False: there is such a job already. */
bool fleet_submitter_submit(struct fleet_submitter *s, struct fleet_now now, const struct fleet_job *job,
			    struct fleet_actions *out);
void fleet_submitter_cancel(struct fleet_submitter *s, struct fleet_now now, const char *id,
			    struct fleet_actions *out);
/* Who waited has the result: nothing is kept of the job any more. The caller deletes it from the table. */
void fleet_submitter_drop(struct fleet_submitter *s, const char *id);
void fleet_submitter_message(struct fleet_submitter *s, struct fleet_now now, const struct fleet_message *m,
			     struct fleet_actions *out);
void fleet_submitter_answer(struct fleet_submitter *s, struct fleet_now now, const struct fleet_answer *a,
			    struct fleet_actions *out);
/* What is due. */
void fleet_submitter_tick(struct fleet_submitter *s, struct fleet_now now, struct fleet_actions *out);
/* When to tick next, by now.ms; UINT64_MAX: not before something comes. */
uint64_t fleet_submitter_next(const struct fleet_submitter *s);

#endif
