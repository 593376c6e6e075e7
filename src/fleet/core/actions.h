/* SPDX-License-Identifier: Apache-2.0 */
/* What a state machine wants done. Whoever drives it performs them in order, and nothing after a SAVE before
 * that is durable: what was said must be remembered. */
#ifndef FLEET_CORE_ACTIONS_H
#define FLEET_CORE_ACTIONS_H

#include "fleet/core/engine.h"
#include "fleet/core/message.h"

enum fleet_action_kind {
	FLEET_SEND, /* MESSAGE */
	FLEET_ASK,  /* ASK of the engine */
	/* of submitters: their own table of jobs */
	FLEET_SAVE_JOB,   /* JOB, new */
	FLEET_SAVE_GRANT, /* JOB.id was granted to NODE, INCARNATION, NUMBER */
	FLEET_SAVE_END,   /* JOB.id ended with RECORD; replaces an earlier UNKNOWN */
	FLEET_TELL,       /* JOB.id ended with RECORD: tell who waits for it */
	FLEET_ACCEPTED,   /* JOB.id is in the queue */
	FLEET_FULL_QUEUE, /* JOB.id waits for room; again in WAIT_MS */
	/* of nodes */
	FLEET_START,      /* JOB, TOKEN, attempt NUMBER; the seal of its claim is RECORD's */
	FLEET_KILL,       /* JOB.id, TOKEN, at once, with all it started */
	FLEET_SAVE_ENDED, /* JOB, TOKEN ended with RECORD; kept until the engine has it */
	FLEET_DROP_ENDED, /* JOB.id, TOKEN: the engine has it, or nobody wants it any more */
	/* of all */
	FLEET_SAY, /* TEXT, for people and logs */
};

struct fleet_action {
	enum fleet_action_kind kind;
	struct fleet_message message; /* owned, as all here */
	struct fleet_ask ask;
	struct fleet_job job;
	struct fleet_record record;
	struct fleet_token token;
	char node[FLEET_NAME];
	uint64_t incarnation;
	uint64_t number;
	uint64_t wait_ms;
	char text[256];
};

/* Actions in order; {0} is an empty list. */
struct fleet_actions {
	struct fleet_action *items; /* owned */
	size_t n;
	size_t room;
};

void fleet_actions_finish(struct fleet_actions *actions);
/* Frees what the items own and keeps the list, for the next step. */
void fleet_actions_clear(struct fleet_actions *actions);
/* The new last one, all zero but for its kind; valid until the next is added. */
struct fleet_action *fleet_actions_add(struct fleet_actions *actions, enum fleet_action_kind kind);

#endif
