/* SPDX-License-Identifier: Apache-2.0 */
/* What a hub tells people: nodes, lanes, jobs. */
#include "fleet/core/hub_part.h"

size_t fleet_hub_nodes(const struct fleet_hub *hub, struct fleet_now now, struct fleet_node_status *ret,
		       size_t room)
{
	struct fleet_cursor at = { 0 };
	const struct hub_node *node;
	size_t n = 0;

	while (n < room && (node = fleet_table_next(hub->nodes, &at, NULL)))
		ret[n++] = (struct fleet_node_status){
			.name = node->name,
			.labels = node->labels,
			.incarnation = node->incarnation,
			.silent_ms = now.ms - node->heard,
			.slots = node->slots,
			.room = node->room > 0 ? (unsigned)node->room : 0,
			.held = node->n_jobs,
			.draining = node->draining,
			.failing = node->failing,
		};
	return n;
}

size_t fleet_hub_lanes(const struct fleet_hub *hub, struct fleet_now now, struct fleet_lane_status *ret,
		       size_t room)
{
	struct fleet_cursor at = { 0 };
	const struct hub_lane *lane;
	size_t n = 0;

	while (n < room && (lane = fleet_table_next(hub->lanes, &at, NULL))) {
		struct fleet_cursor job_at = { 0 };
		const struct hub_job *job;

		ret[n] = (struct fleet_lane_status){ .class = lane->class,
						     .tenant = lane->tenant,
						     .more = lane->more };
		while ((job = fleet_table_next(hub->jobs, &job_at, NULL))) {
			if (strcmp(job->job.tenant, lane->tenant) || strcmp(job->job.class, lane->class))
				continue;
			if (job->state == JOB_HELD || job->state == JOB_FOUND)
				ret[n].held++;
			else if (job->state != JOB_ENDED)
				ret[n].waiting++;
			if (job->state == JOB_WAITS && now.ms - job->since > ret[n].oldest_ms)
				ret[n].oldest_ms = now.ms - job->since;
		}
		n++;
	}
	return n;
}

size_t fleet_hub_jobs(const struct fleet_hub *hub, struct fleet_now now, struct fleet_job_status *ret,
		      size_t room)
{
	struct fleet_cursor at = { 0 };
	const struct hub_job *job;
	size_t n = 0;

	while (n < room && (job = fleet_table_next(hub->jobs, &at, NULL))) {
		bool held = job->state == JOB_HELD || job->state == JOB_FOUND;

		if (job->state == JOB_ENDED)
			continue;
		ret[n++] = (struct fleet_job_status){
			.id = job->job.id,
			.tenant = job->job.tenant,
			.class = job->job.class,
			.node = held ? job->node : "",
			.phase = held ? FLEET_CLAIMED : FLEET_ABSENT,
			.attempt = job->attempt,
			.since_ms = now.ms - job->since,
		};
	}
	return n;
}
