/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums of a hub: each job is met once, whatever the number of lanes. */
#include "fleet/core/hub_sums.h"

#include <stdlib.h>

#include "fleet/core/hub_part.h"
#include "fleet/core/memory.h"

const uint64_t fleet_waits_ms[FLEET_WAITS] = { 10,   50,    100,   250,   500,    1000,   2500,
					       5000, 10000, 30000, 60000, 300000, 1800000 };

const struct fleet_hub_counts *fleet_hub_counts(const struct fleet_hub *hub)
{
	return &hub->counts;
}

void hub_count_begun(struct fleet_hub *hub, struct fleet_now now, const struct hub_job *job)
{
	const uint64_t ms = now.wall_ms > job->stored_wall_ms ? now.wall_ms - job->stored_wall_ms : 0;
	size_t i = 0;

	hub->counts.begun++;
	if (job->attempt > 1) {
		hub->counts.repeated++;
		return;
	}
	while (i < FLEET_WAITS && ms > fleet_waits_ms[i])
		i++;
	hub->counts.waits[i]++;
	hub->counts.waited_ms += ms;
}

/* What is known of one lane, beside what the engine says of its length. */
struct lane_sum {
	uint64_t waiting, held, oldest_ms;
};

static struct fleet_sum *sum_of(struct fleet_table *t, const char *name)
{
	struct fleet_sum *sum = fleet_table_get(t, name);

	if (!sum) {
		sum = fleet_new(sizeof(*sum));
		fleet_name_copy(sum->name, name);
		fleet_table_put(t, name, sum);
	}
	return sum;
}

static void add(struct fleet_sum *sum, const struct lane_sum *lane)
{
	sum->waiting += lane->waiting;
	sum->held += lane->held;
	if (lane->oldest_ms > sum->oldest_ms)
		sum->oldest_ms = lane->oldest_ms;
}

/* By lane. */
static struct fleet_table *sum_jobs(const struct fleet_hub *hub, struct fleet_now now)
{
	struct fleet_table *lanes = fleet_table_create();
	struct fleet_cursor at = { 0 };
	const struct hub_job *job;

	while ((job = fleet_table_next(hub->jobs, &at, NULL))) {
		const uint64_t ms = now.wall_ms > job->stored_wall_ms ? now.wall_ms - job->stored_wall_ms : 0;
		struct lane_sum *lane;
		char key[FLEET_KEY];

		if (job->state == JOB_ENDED || job->state == JOB_BURIED || job->state == JOB_FINISHES ||
		    job->unread)
			continue;
		fleet_key(job->job.class, job->job.tenant, key);
		lane = fleet_table_get(lanes, key);
		if (!lane) {
			lane = fleet_new(sizeof(*lane));
			fleet_table_put(lanes, key, lane);
		}
		if (job->state == JOB_HELD || job->state == JOB_FOUND || job->state == JOB_CLAIMS) {
			lane->held++;
			continue;
		}
		lane->waiting++;
		if (ms > lane->oldest_ms)
			lane->oldest_ms = ms;
	}
	return lanes;
}

static struct fleet_sum *take_sums(struct fleet_table *t, size_t *ret_n)
{
	struct fleet_sum *list = fleet_new((fleet_table_count(t) + 1) * sizeof(*list)), *sum;
	struct fleet_cursor at = { 0 };

	*ret_n = 0;
	while ((sum = fleet_table_next(t, &at, NULL))) {
		list[(*ret_n)++] = *sum;
		free(sum);
	}
	fleet_table_destroy(t);
	return list;
}

static void sum_lanes(const struct fleet_hub *hub, struct fleet_now now, struct fleet_hub_sums *ret)
{
	struct fleet_table *known = sum_jobs(hub, now), *classes = fleet_table_create(),
			   *tenants = fleet_table_create();
	struct fleet_cursor at = { 0 };
	const struct hub_lane *lane;
	struct lane_sum *sum;

	while ((lane = fleet_table_next(hub->lanes, &at, NULL))) {
		struct lane_sum one = { 0 };
		char key[FLEET_KEY];

		sum = fleet_table_get(known, fleet_key(lane->class, lane->tenant, key));
		if (sum)
			one = *sum;
		/* The engine counts those that are held, too, and its number is some seconds old. */
		if (lane->more && lane->stored > one.held + one.waiting)
			one.waiting = lane->stored - one.held;
		add(sum_of(classes, lane->class), &one);
		add(sum_of(tenants, lane->tenant), &one);
	}
	for (at = (struct fleet_cursor){ 0 }; (sum = fleet_table_next(known, &at, NULL));)
		free(sum);
	fleet_table_destroy(known);
	ret->classes = take_sums(classes, &ret->n_classes);
	ret->tenants = take_sums(tenants, &ret->n_tenants);
}

void fleet_hub_sums(const struct fleet_hub *hub, struct fleet_now now, struct fleet_hub_sums *ret)
{
	struct fleet_cursor at = { 0 };
	const struct hub_node *node;

	*ret = (struct fleet_hub_sums){ 0 };
	while ((node = fleet_table_next(hub->nodes, &at, NULL))) {
		const bool lost = now.ms >= node->heard + hub->options.lost_ms;

		ret->nodes++;
		ret->lost += lost;
		ret->draining += !lost && node->draining;
		ret->failing += !lost && !node->draining && node->failing;
		ret->slots += node->slots;
		ret->room += node->room > 0 ? (uint64_t)node->room : 0;
	}
	sum_lanes(hub, now, ret);
}

void fleet_hub_sums_finish(struct fleet_hub_sums *sums)
{
	free(sums->classes);
	free(sums->tenants);
	*sums = (struct fleet_hub_sums){ 0 };
}
