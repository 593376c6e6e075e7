/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a node share. */
#ifndef FLEET_CORE_NODE_PART_H
#define FLEET_CORE_NODE_PART_H

#include "fleet/core/names.h"
#include "fleet/core/node.h"
#include "fleet/core/table.h"

#define NODE_NEVER UINT64_MAX
#define NODE_BEATS 64 /* of so many it is known when they were sent */

enum held_state {
	HELD_WAITS,  /* for a slot */
	HELD_ASKS,   /* its submitter whether it may begin */
	HELD_RUNS,   /* was started */
	HELD_DIES,   /* is being killed */
	HELD_WRITES, /* has ended; its record is being written */
	HELD_GONE,   /* remembered, so that it is not taken a second time */
};

struct held {
	struct fleet_job job;
	struct fleet_token token;
	unsigned attempt;
	char seal[FLEET_SEAL];
	enum held_state state;
	bool granted;     /* by its submitter: this run and no other */
	bool cancelled;   /* is wanted no more */
	uint64_t asking;  /* number of the question to the submitter */
	uint64_t give_up; /* asking */
	uint64_t due;     /* of its state */

	/* while it is being written */
	struct fleet_record record;
	uint64_t expected; /* revision that it replaces */
	uint64_t ask;      /* number of the question to the engine; 0: none */
	bool reading;      /* that one asks for the record */
	uint64_t wait;     /* before the next try */
};

struct fleet_node {
	struct fleet_node_options options;
	struct held **held; /* owned, in the order in which they came */
	size_t n_held, held_room;
	struct fleet_table *asks; /* of struct held, by number of the question */
	uint64_t last_ask;
	uint64_t askings;
	uint64_t beats;            /* sent */
	uint64_t sent[NODE_BEATS]; /* when */
	uint64_t next_beat;
	uint64_t lease; /* ends */
	uint64_t epoch; /* highest seen */
	unsigned most;
	unsigned failed_starts; /* in a row */
	bool draining;
};

struct held *node_add(struct fleet_node *n, const struct fleet_job *job, enum held_state state);
void node_send(struct fleet_node *n, enum fleet_message_kind kind, const char *to, const struct held *h,
	       struct fleet_actions *out, struct fleet_message **ret);
void node_let_go(struct fleet_node *n, struct fleet_now now, struct held *h);
/* COUNTS: as an attempt. */
void node_give_back(struct fleet_node *n, struct fleet_now now, struct held *h, bool counts,
		    const char *reason, struct fleet_actions *out);
/* node_result.c */
void node_write_end(struct fleet_node *n, struct fleet_now now, struct held *h, enum fleet_phase phase,
		    struct fleet_text *result, struct fleet_actions *out);
void node_write_again(struct fleet_node *n, struct fleet_now now, struct held *h, struct fleet_actions *out);

#endif
