/* SPDX-License-Identifier: Apache-2.0 */
/* A hub's nodes, lanes and jobs as JSON. Lists that would be too long for one message are cut, and say so. */
#include "fleet/agent/hub_status.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/agent/loop.h"
#include "fleet/core/memory.h"

/* Rows of one answer, at some 200 bytes each. */
#define MOST 4000

static json_t *nodes_json(const struct fleet_hub *hub, size_t *ret_n)
{
	struct fleet_node_status *rows = fleet_new(MOST * sizeof(*rows));
	const size_t n = fleet_hub_nodes(hub, loop_now(), rows, MOST);
	json_t *list = json_array();

	for (size_t i = 0; i < n && i < MOST; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:i, s:i, s:i, s:b, s:b, s:I, s:I}", "name",
						rows[i].name, "labels", rows[i].labels, "slots",
						(int)rows[i].slots, "room", (int)rows[i].room, "jobs",
						(int)rows[i].held, "draining", rows[i].draining, "failing",
						rows[i].failing, "silent_ms", (json_int_t)rows[i].silent_ms,
						"incarnation", (json_int_t)rows[i].incarnation));
	free(rows);
	*ret_n = n;
	return list;
}

static json_t *lanes_json(const struct fleet_hub *hub, size_t *ret_n)
{
	struct fleet_lane_status *rows = fleet_new(MOST * sizeof(*rows));
	const size_t n = fleet_hub_lanes(hub, loop_now(), rows, MOST);
	json_t *list = json_array();

	for (size_t i = 0; i < n && i < MOST; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:b, s:I}", "class",
						      rows[i].class, "tenant", rows[i].tenant, "waiting",
						      (json_int_t)rows[i].waiting, "held",
						      (json_int_t)rows[i].held, "more", rows[i].more,
						      "oldest_ms", (json_int_t)rows[i].oldest_ms));
	free(rows);
	*ret_n = n;
	return list;
}

static json_t *jobs_json(const struct fleet_hub *hub, size_t *ret_n)
{
	struct fleet_job_status *rows = fleet_new(MOST * sizeof(*rows));
	const size_t n = fleet_hub_jobs(hub, loop_now(), rows, MOST);
	json_t *list = json_array();

	for (size_t i = 0; i < n && i < MOST; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:I}", "id", rows[i].id,
						"tenant", rows[i].tenant, "class", rows[i].class, "node",
						rows[i].node, "phase",
						rows[i].node[0] ? fleet_phase_name(rows[i].phase) : "waiting",
						"attempt", (int)rows[i].attempt, "since_ms",
						(json_int_t)rows[i].since_ms));
	free(rows);
	*ret_n = n;
	return list;
}

static json_t *sums_json(const struct fleet_hub *hub, const char *name)
{
	size_t n_nodes, n_lanes, slots = 0, held = 0, waiting = 0, i;
	json_t *nodes = nodes_json(hub, &n_nodes), *lanes = lanes_json(hub, &n_lanes), *row;

	json_array_foreach(nodes, i, row)
	{
		slots += (size_t)json_integer_value(json_object_get(row, "slots"));
		held += (size_t)json_integer_value(json_object_get(row, "jobs"));
	}
	json_array_foreach(lanes, i, row)
	{
		waiting += (size_t)json_integer_value(json_object_get(row, "waiting"));
	}
	json_decref(nodes);
	json_decref(lanes);
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "hub", name, "epoch",
			 (json_int_t)fleet_hub_epoch(hub), "nodes", (json_int_t)n_nodes, "slots",
			 (json_int_t)slots, "jobs", (json_int_t)held, "waiting", (json_int_t)waiting, "lanes",
			 (json_int_t)n_lanes);
}

json_t *hub_status(const struct fleet_hub *hub, const char *name, const char *what)
{
	json_t *(*list)(const struct fleet_hub *hub, size_t *ret_n);
	json_t *rows;
	size_t n;

	if (!strcmp(what, "status"))
		return sums_json(hub, name);
	list = !strcmp(what, "nodes")   ? nodes_json
	       : !strcmp(what, "queue") ? lanes_json
	       : !strcmp(what, "jobs")  ? jobs_json
					: NULL;
	if (!list)
		return NULL;
	rows = list(hub, &n);
	return json_pack("{s:s, s:o, s:I}", "hub", name, what, rows, "all", (json_int_t)n);
}
