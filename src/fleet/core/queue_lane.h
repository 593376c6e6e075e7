/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the queue: one tenant's entries for one class, and their order. Only queue*.c includes this. */
#ifndef FLEET_CORE_QUEUE_LANE_H
#define FLEET_CORE_QUEUE_LANE_H

#include "fleet/core/heap.h"
#include "fleet/core/queue.h"

#define PRIORITIES 10

struct queue_tenant;
struct queue_class;

struct fleet_lane {
	struct queue_tenant *tenant;
	struct queue_class *class;
	struct fleet_entry *first[PRIORITIES], *last[PRIORITIES];
	size_t waiting;
	uint64_t pass;               /* lowest is next within the class */
	struct fleet_heap_item turn; /* in the class's heap while its tenant may begin something */
};

/* Puts an entry at its place. In the order of places, or against it, this takes no time. */
void queue_lane_add(struct fleet_lane *lane, struct fleet_entry *entry);
void queue_lane_remove(struct fleet_lane *lane, struct fleet_entry *entry);
/* The first entry, or NULL. */
struct fleet_entry *queue_lane_first(const struct fleet_lane *lane);

#endif
