/* SPDX-License-Identifier: Apache-2.0 */
/* A hub: one of several is active. It reads lanes of jobs, chooses the next one fairly and a node for it,
 * claims it in the engine and offers it. All it knows it can read again: it saves nothing of its own. */
#ifndef FLEET_CORE_HUB_H
#define FLEET_CORE_HUB_H

#include "fleet/core/actions.h"

struct fleet_hub_options {
	char name[FLEET_NAME]; /* of this program's run: never the same twice */
	uint32_t random;       /* any number: part of its epochs, and its delays */
	uint64_t renew_ms;     /* the term is renewed so often */
	uint64_t hold_ms;      /* without a renewal that was answered it stops being active after so long */
	uint64_t take_ms;      /* a term that stayed the same for so long is taken; more than hold_ms */
	uint64_t lease_ms;     /* as nodes have it */
	uint64_t lost_ms;      /* a node that was silent for so long is lost; more than lease_ms */
	uint64_t ask_ms;
	uint64_t read_ms;    /* looks for new lanes and jobs so often, beside what it is told */
	uint64_t backoff_ms; /* before the second attempt; doubled for each further one */
	uint64_t backoff_most_ms;
	unsigned window; /* jobs of a lane that are read ahead */
	/* Claims under way at most: at a slow disk the renewal of the term waits behind them, for less than
	 * hold_ms.
	 */
	unsigned at_once;
};

#define FLEET_HUB_OPTIONS                                                                                \
	{                                                                                                \
		.renew_ms = 1000, .hold_ms = 5000, .take_ms = 8000, .lease_ms = 15000, .lost_ms = 20000, \
		.ask_ms = 5000, .read_ms = 5000, .backoff_ms = 1000, .backoff_most_ms = 300000,          \
		.window = 64, .at_once = 128                                                             \
	}

struct fleet_hub;

struct fleet_hub *fleet_hub_create(const struct fleet_hub_options *options, struct fleet_now now);
void fleet_hub_destroy(struct fleet_hub *hub);
/* What a tenant may have: see fleet/core/queue.h. */
struct fleet_share;
void fleet_hub_share(struct fleet_hub *hub, const char *tenant, const struct fleet_share *share);
void fleet_hub_message(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out);
void fleet_hub_answer(struct fleet_hub *hub, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out);
/* A hint that a lane has a new job. */
void fleet_hub_lane(struct fleet_hub *hub, struct fleet_now now, const char *class, const char *tenant,
		    struct fleet_actions *out);
void fleet_hub_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out);
uint64_t fleet_hub_next(const struct fleet_hub *hub);

/* For status. */
bool fleet_hub_is_active(const struct fleet_hub *hub);
uint64_t fleet_hub_epoch(const struct fleet_hub *hub);

struct fleet_node_status {
	const char *name, *labels; /* borrowed until the next step */
	uint64_t incarnation, silent_ms;
	unsigned slots, room;
	size_t held;
	bool draining, failing;
};

struct fleet_lane_status {
	const char *class, *tenant; /* borrowed until the next step */
	size_t waiting, held;       /* of those that were read */
	bool more;                  /* there are more than were read */
	uint64_t oldest_ms;         /* the head has waited here for so long */
};

struct fleet_job_status {
	const char *id, *tenant, *class, *node; /* borrowed until the next step; node "" while it waits */
	enum fleet_phase phase;
	unsigned attempt;
	uint64_t since_ms;
};

size_t fleet_hub_nodes(const struct fleet_hub *hub, struct fleet_now now, struct fleet_node_status *ret,
		       size_t room);
size_t fleet_hub_lanes(const struct fleet_hub *hub, struct fleet_now now, struct fleet_lane_status *ret,
		       size_t room);
size_t fleet_hub_jobs(const struct fleet_hub *hub, struct fleet_now now, struct fleet_job_status *ret,
		      size_t room);

#endif
