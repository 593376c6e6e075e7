/* SPDX-License-Identifier: Apache-2.0 */
/* What submitters, hubs and nodes say to each other. Any message may be lost, late, or come twice. */
#ifndef FLEET_CORE_MESSAGE_H
#define FLEET_CORE_MESSAGE_H

#include "fleet/core/types.h"

enum fleet_message_kind {
	FLEET_MSG_BEAT,     /* node to hubs: I am here, with these jobs and so much room */
	FLEET_MSG_BEAT_OK,  /* hub to node: I heard beat NUMBER; so you may go on until its lease ends */
	FLEET_MSG_OFFER,    /* hub to node: run this; it answers beat NUMBER and is good as long as that one's
			       lease */
	FLEET_MSG_RETURNED, /* node to hub: I did not begin it, and will not; REASON says why */
	FLEET_MSG_ENDED,  /* node to hub and submitter: its record has a result. A hint: the record counts */
	FLEET_MSG_CANCEL, /* submitter to hub, hub to node: end it */
	FLEET_MSG_MAY_I,  /* node to submitter: may I begin this job, which is to be done once at most? */
	FLEET_MSG_GRANT,  /* submitter to node: yes or no */
	FLEET_MSG_N,
};

/* A job on a node, as told by its beats. */
struct fleet_holding {
	char job[FLEET_NAME];
	char tenant[FLEET_NAME];
	struct fleet_token token;
};

struct fleet_beat {
	uint64_t number;  /* rises by 1 */
	uint64_t sent_ms; /* by the node's own clock */
	uint64_t epoch;   /* highest that the node has seen */
	unsigned slots;
	unsigned room; /* jobs it takes at once, beside those it holds */
	bool draining; /* takes nothing more */
	bool failing;  /* its last starts all failed: it is given one job at a time */
	char labels[256];
	size_t n_held;
	struct fleet_holding *held; /* owned; in no order */
};

/* Reasons of a GRANT that says no. */
#define FLEET_TAKEN    "taken"    /* another may have begun it */
#define FLEET_UNWANTED "unwanted" /* the submitter does not want it any more, or does not know it */

struct fleet_message {
	enum fleet_message_kind kind;
	char from[FLEET_NAME];
	char to[FLEET_NAME];  /* "" for all hubs */
	uint64_t incarnation; /* of the node that speaks or is spoken to */
	uint64_t number;      /* of the beat that is answered; of the question, for MAY_I and GRANT */
	struct fleet_token token;
	char job[FLEET_NAME]; /* where it is about a job; with OFFER the whole follows in OFFERED */
	char tenant[FLEET_NAME];
	unsigned attempt;
	bool yes; /* of GRANT; RETURNED: it could not be started, as opposed to not wanted */
	struct fleet_beat beat;
	struct fleet_job offered;        /* owned */
	char seal[FLEET_SEAL];           /* of OFFER and MAY_I: as in the record of the claim */
	char signature[FLEET_SIGNATURE]; /* of OFFER: the hub's, of MAY_I: the node's; made by whoever drives
					    them */
	char reason[128];
};

void fleet_message_copy(const struct fleet_message *m, struct fleet_message *ret);
void fleet_message_finish(struct fleet_message *m);
const char *fleet_message_name(enum fleet_message_kind kind);

#endif
