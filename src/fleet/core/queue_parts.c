/* SPDX-License-Identifier: Apache-2.0 */
/* The tenants, classes and lanes of the queue: made when they are first named, dropped when nobody uses them.
 */
#include "fleet/core/queue_parts.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"

/* Lanes without entries are kept, for their pass, up to so many beside those with some. */
#define KEPT 256

struct fleet_queue *fleet_queue_create(void)
{
	struct fleet_queue *q = fleet_new(sizeof(*q));

	q->tenants = fleet_table_create();
	q->classes = fleet_table_create();
	return q;
}

static void free_tenant(struct queue_tenant *tenant)
{
	struct fleet_cursor at = { 0 };
	struct fleet_lane *lane;

	while ((lane = fleet_table_next(tenant->lanes, &at, NULL)))
		free(lane);
	fleet_table_destroy(tenant->lanes);
	free(tenant);
}

static void free_class(struct queue_class *class)
{
	fleet_heap_finish(&class->turns);
	free(class);
}

void fleet_queue_destroy(struct fleet_queue *q)
{
	struct fleet_cursor tenants = { 0 }, classes = { 0 };
	struct queue_tenant *tenant;
	struct queue_class *class;

	if (!q)
		return;
	while ((tenant = fleet_table_next(q->tenants, &tenants, NULL)))
		free_tenant(tenant);
	while ((class = fleet_table_next(q->classes, &classes, NULL)))
		free_class(class);
	fleet_table_destroy(q->tenants);
	fleet_table_destroy(q->classes);
	fleet_heap_finish(&q->slow);
	free(q);
}

struct queue_tenant *queue_get_tenant(struct fleet_queue *q, const char *name)
{
	struct queue_tenant *tenant = fleet_table_get(q->tenants, name);

	if (tenant)
		return tenant;
	tenant = fleet_new(sizeof(*tenant));
	fleet_table_put(q->tenants, name, tenant); /* which refuses names that are too long */
	memcpy(tenant->name, name, strlen(name));
	tenant->number = ++q->numbers;
	tenant->share = (struct fleet_share)FLEET_SHARE;
	tenant->lanes = fleet_table_create();
	tenant->slow.owner = tenant;
	return tenant;
}

static struct queue_class *get_class(struct fleet_queue *q, const char *name)
{
	struct queue_class *class = fleet_table_get(q->classes, name);

	if (class)
		return class;
	class = fleet_new(sizeof(*class));
	fleet_table_put(q->classes, name, class);
	memcpy(class->name, name, strlen(name));
	class->number = ++q->numbers;
	return class;
}

struct fleet_lane *queue_get_lane(struct fleet_queue *q, const char *class_name, const char *tenant_name)
{
	struct queue_tenant *tenant = queue_get_tenant(q, tenant_name);
	struct fleet_lane *lane = fleet_table_get(tenant->lanes, class_name);

	if (lane)
		return lane;
	lane = fleet_new(sizeof(*lane));
	lane->tenant = tenant;
	lane->class = get_class(q, class_name);
	lane->class->lanes++;
	lane->turn.owner = lane;
	fleet_table_put(tenant->lanes, class_name, lane);
	q->lanes++;
	return lane;
}

void queue_drop_unused(struct fleet_queue *q)
{
	struct fleet_cursor tenants = { 0 };
	struct queue_tenant *tenant;

	if (q->lanes <= 2 * q->busy_lanes + KEPT)
		return;
	while ((tenant = fleet_table_next(q->tenants, &tenants, NULL))) {
		struct fleet_cursor lanes = { 0 };
		struct fleet_lane *lane;

		while ((lane = fleet_table_next(tenant->lanes, &lanes, NULL))) {
			if (lane->waiting > 0)
				continue;
			fleet_table_remove(tenant->lanes, lane->class->name);
			if (--lane->class->lanes == 0) {
				fleet_table_remove(q->classes, lane->class->name);
				free_class(lane->class);
			}
			free(lane);
			q->lanes--;
		}
		if (fleet_table_count(tenant->lanes) == 0 && tenant->held == 0 && !tenant->is_set) {
			fleet_heap_remove(&q->slow, &tenant->slow);
			fleet_table_remove(q->tenants, tenant->name);
			free_tenant(tenant);
		}
	}
}
