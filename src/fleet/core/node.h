/* SPDX-License-Identifier: Apache-2.0 */
/* A node: says that it is there, runs what it is offered while its lease lasts, kills it before the lease
 * ends, and writes results, which count only if nobody else was given the job. */
#ifndef FLEET_CORE_NODE_H
#define FLEET_CORE_NODE_H

#include "fleet/core/actions.h"

struct fleet_node_options {
	char name[FLEET_NAME];
	char labels[256];
	uint64_t incarnation; /* another with each start */
	unsigned slots;       /* jobs that run at once */
	unsigned ahead;       /* jobs it takes beside those, to begin when one ends */
	uint64_t beat_ms;
	uint64_t lease_ms; /* an answered beat is good for so long, counted from when it was sent */
	uint64_t kill_ms;  /* before the lease ends: all is killed by then */
	uint64_t ask_ms;
	uint64_t grant_ms;         /* a submitter that has not answered by then is asked again */
	uint64_t grant_give_up_ms; /* and by then the job is returned */
	unsigned failing_after;    /* starts that failed in a row: "failing" */
};

#define FLEET_NODE_OPTIONS                                                                       \
	{                                                                                        \
		.slots = 1, .beat_ms = 2000, .lease_ms = 15000, .kill_ms = 3000, .ask_ms = 5000, \
		.grant_ms = 2000, .grant_give_up_ms = 20000, .failing_after = 5                  \
	}

struct fleet_node;

struct fleet_node *fleet_node_create(const struct fleet_node_options *options);
void fleet_node_destroy(struct fleet_node *node);
/* Before anything else: a result that an earlier incarnation saved and the engine may not have. */
void fleet_node_restore(struct fleet_node *node, struct fleet_now now, const struct fleet_job *job,
			const struct fleet_record *record, struct fleet_actions *out);
/* Jobs that may be taken beside those that are held: what memory and pressure allow; at most slots + ahead.
 */
void fleet_node_limit(struct fleet_node *node, unsigned most);
void fleet_node_drain(struct fleet_node *node, struct fleet_now now, bool draining,
		      struct fleet_actions *out);
void fleet_node_message(struct fleet_node *node, struct fleet_now now, const struct fleet_message *m,
			struct fleet_actions *out);
void fleet_node_answer(struct fleet_node *node, struct fleet_now now, const struct fleet_answer *a,
		       struct fleet_actions *out);
/* A job that was started has ended, or was killed (RESULT is NULL): no process of it is left. */
void fleet_node_ended(struct fleet_node *node, struct fleet_now now, const char *job,
		      struct fleet_token token, struct fleet_text *result, struct fleet_actions *out);
/* It could not be started, nothing of it ran. */
void fleet_node_not_started(struct fleet_node *node, struct fleet_now now, const char *job,
			    struct fleet_token token, const char *reason, struct fleet_actions *out);
void fleet_node_tick(struct fleet_node *node, struct fleet_now now, struct fleet_actions *out);
uint64_t fleet_node_next(const struct fleet_node *node);
/* For status: jobs that run, that are held, and until when the lease lasts. */
size_t fleet_node_running(const struct fleet_node *node);
size_t fleet_node_held(const struct fleet_node *node);
uint64_t fleet_node_lease(const struct fleet_node *node);

struct fleet_node_sums {
	unsigned slots, failed_starts;
	size_t waits, runs,
		writes; /* jobs: for a slot or their submitter; in boxes; whose results are being written */
	bool draining, failing;
	uint64_t lease_ms; /* how long a lease lasts */
};
void fleet_node_sums(const struct fleet_node *node, struct fleet_node_sums *ret);

#endif
