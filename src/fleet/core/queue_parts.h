/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the queue: its tenants and classes. Only queue*.c includes this. */
#ifndef FLEET_CORE_QUEUE_PARTS_H
#define FLEET_CORE_QUEUE_PARTS_H

#include "fleet/core/heap.h"
#include "fleet/core/queue_lane.h"
#include "fleet/core/table.h"

struct queue_class {
	char name[FLEET_NAME];
	uint64_t number;         /* in the order of their making */
	struct fleet_heap turns; /* of lanes */
	size_t lanes, waiting;   /* lanes, and entries */
	uint64_t reached;        /* the highest pass that had a turn */
	uint64_t ahead;          /* is added to passes when classes are compared */
	bool fits;               /* for the take that is going on */
};

struct queue_tenant {
	char name[FLEET_NAME];
	uint64_t number;
	struct fleet_share share;
	bool is_set; /* its share: it is kept */
	struct fleet_table *lanes;
	size_t waiting, held;
	uint64_t tokens, tokens_ms;  /* of its rate, and when that was so */
	struct fleet_heap_item slow; /* in the queue's heap by the time at which it has a token again */
};

struct fleet_queue {
	struct fleet_table *tenants, *classes;
	uint64_t numbers;
	struct fleet_heap slow; /* of tenants whose rate is used up */
	size_t lanes, busy_lanes, waiting;
};

/* These make it if it is not there. */
struct queue_tenant *queue_get_tenant(struct fleet_queue *q, const char *name);
struct fleet_lane *queue_get_lane(struct fleet_queue *q, const char *class_name, const char *tenant_name);
/* Lanes without entries, if they are too many: strangers choose the names of classes. */
void queue_drop_unused(struct fleet_queue *q);

#endif
