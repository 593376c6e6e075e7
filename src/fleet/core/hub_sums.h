/* SPDX-License-Identifier: Apache-2.0 */
/* A hub in figures: what it has counted since it began, and sums over all that it knows now. */
#ifndef FLEET_CORE_HUB_SUMS_H
#define FLEET_CORE_HUB_SUMS_H

#include "fleet/core/hub.h"

/* Upper bounds of how long a job waited before it began for the first time; the last column is for all above.
 */
#define FLEET_WAITS 13
extern const uint64_t fleet_waits_ms[FLEET_WAITS];

struct fleet_hub_counts {
	uint64_t begun;                   /* attempts that were claimed and offered */
	uint64_t repeated;                /* of these, not the first of their job */
	uint64_t not_started;             /* attempts that a node gave back, for it could not start them */
	uint64_t lost;                    /* attempts whose node was lost, or had lost them */
	uint64_t ends[FLEET_UNKNOWN + 1]; /* by phase */
	uint64_t waits[FLEET_WAITS + 1];  /* each job once, in its column */
	uint64_t waited_ms;
};

/* Jobs of one class or of one tenant. */
struct fleet_sum {
	char name[FLEET_NAME];
	uint64_t waiting; /* with those that the hub has not read */
	uint64_t held;
	uint64_t oldest_ms; /* that waits */
};

struct fleet_hub_sums {
	size_t nodes, draining, failing, lost; /* nodes are all; one that is lost is nothing else */
	uint64_t slots, room;
	struct fleet_sum *classes, *tenants; /* owned; in no order */
	size_t n_classes, n_tenants;
};

const struct fleet_hub_counts *fleet_hub_counts(const struct fleet_hub *hub);
void fleet_hub_sums(const struct fleet_hub *hub, struct fleet_now now, struct fleet_hub_sums *ret);
void fleet_hub_sums_finish(struct fleet_hub_sums *sums);

#endif
