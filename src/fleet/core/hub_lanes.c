/* SPDX-License-Identifier: Apache-2.0 */
/* How a hub reads the lanes of jobs, a window of each, and feeds what waits to nodes that have room. */
#include "fleet/core/hub_part.h"

#include <stdlib.h>

#include "fleet/core/memory.h"

#define SCAN_TIMES 6 /* a lane is read from its beginning once in so many looks */

struct hub_lane *hub_lane_get(struct fleet_hub *hub, const char *class, const char *tenant)
{
	struct hub_lane *lane;
	char key[FLEET_KEY];

	fleet_key(class, tenant, key);
	lane = fleet_table_get(hub->lanes, key);
	if (lane)
		return lane;
	lane = fleet_new(sizeof(*lane));
	fleet_name_copy(lane->class, class);
	fleet_name_copy(lane->tenant, tenant);
	lane->more = true;
	fleet_table_put(hub->lanes, key, lane);
	return lane;
}

void hub_lane_read(struct fleet_hub *hub, struct fleet_now now, struct hub_lane *lane,
		   struct fleet_actions *out)
{
	struct fleet_ask *a;

	if (lane->ask || !(lane->more || lane->scanning) ||
	    fleet_queue_waiting(hub->queue, lane->class, lane->tenant) * 2 > hub->options.window)
		return;
	a = hub_ask(hub, now, FLEET_ASK_LANE, NULL, lane, out);
	a->place = lane->more ? lane->read : lane->scan;
	a->limit = hub->options.window;
	lane->reads_on = lane->more;
}

static void was_read_on(struct fleet_hub *hub, struct hub_lane *lane, const struct fleet_answer *a)
{
	if (a->n_jobs)
		lane->read = a->jobs[a->n_jobs - 1].place;
	/* A hint, and nothing there: the engine may have gone back, and new jobs have places that were read.
	 */
	if (lane->hinted && !a->n_jobs) {
		lane->scanning = true;
		lane->scan = 0;
	}
	lane->hinted = false;
	lane->more = a->n_jobs >= hub->options.window;
}

static void was_scanned(struct fleet_hub *hub, struct hub_lane *lane, const struct fleet_answer *a)
{
	if (a->n_jobs)
		lane->scan = a->jobs[a->n_jobs - 1].place;
	if (a->n_jobs < hub->options.window || lane->scan >= lane->read)
		lane->scanning = false;
}

static void have_lanes(struct fleet_hub *hub, struct fleet_now now, const struct fleet_answer *a,
		       struct fleet_actions *out)
{
	for (size_t i = 0; i < a->n_lanes; i++) {
		struct hub_lane *lane = hub_lane_get(hub, a->lanes[i].class, a->lanes[i].tenant);

		lane->named = now.ms;
		lane->stored = a->lanes[i].jobs;
		if (!lane->scanning && now.ms >= lane->scan_due) {
			lane->scanning = true;
			lane->scan = 0;
			lane->scan_due = now.ms + SCAN_TIMES * hub->options.read_ms;
		}
		lane->more = true;
		hub_lane_read(hub, now, lane, out);
	}
}

void hub_lane_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		     const struct fleet_answer *a, struct fleet_actions *out)
{
	struct hub_lane *lane = asked->lane;

	if (a->kind != FLEET_OK)
		return; /* the next tick asks again */
	if (asked->kind == FLEET_ASK_LANES) {
		have_lanes(hub, now, a, out);
		return;
	}
	for (size_t i = 0; i < a->n_jobs; i++)
		if (!strcmp(a->jobs[i].job.tenant, lane->tenant) &&
		    !strcmp(a->jobs[i].job.class, lane->class))
			hub_job_add(hub, now, &a->jobs[i], out);
	if (lane->reads_on)
		was_read_on(hub, lane, a);
	else
		was_scanned(hub, lane, a);
	hub_lane_read(hub, now, lane, out);
}

void hub_lanes_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	struct fleet_cursor at = { 0 };
	struct hub_lane *lane;
	const char *key;

	if (now.ms >= hub->lanes_due) {
		hub->lanes_due = now.ms + hub->options.read_ms;
		hub_ask(hub, now, FLEET_ASK_LANES, NULL, NULL, out);
	}
	while ((lane = fleet_table_next(hub->lanes, &at, &key))) {
		bool idle = !lane->ask && !lane->more && !lane->scanning &&
			    now.ms - lane->named > 10 * hub->options.read_ms &&
			    !fleet_queue_waiting(hub->queue, lane->class, lane->tenant);

		if (idle) {
			fleet_table_remove(hub->lanes, key);
			free(lane);
		} else {
			hub_lane_read(hub, now, lane, out);
		}
	}
}

/* Which node a class would be given to, as long as nothing changes. */
struct choices {
	struct fleet_hub *hub;
	struct {
		char class[FLEET_NAME];
		struct hub_node *node;
	} of[16];
	size_t n;
};

static struct hub_node *choose(struct choices *c, const char *class)
{
	struct hub_node *node;

	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->of[i].class, class))
			return c->of[i].node;
	node = hub_node_for(c->hub, class);
	if (c->n < sizeof(c->of) / sizeof(*c->of)) {
		fleet_name_copy(c->of[c->n].class, class);
		c->of[c->n++].node = node;
	}
	return node;
}

static bool fits(void *ctx, const char *class)
{
	return choose(ctx, class);
}

void hub_feed(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	hub->feed_due = 0;
	while (hub_may_claim(hub, now) && hub->claims < hub->options.at_once &&
	       !fleet_queue_is_empty(hub->queue)) {
		struct choices choices = { .hub = hub };
		uint64_t wait = UINT64_MAX;
		struct fleet_entry *entry = fleet_queue_take(hub->queue, now.ms, fits, &choices, &wait);
		struct hub_job *job = (struct hub_job *)entry;

		if (!entry) {
			hub->feed_due = wait == UINT64_MAX ? 0 : now.ms + wait;
			return;
		}
		hub_job_claim(hub, now, job,
			      hub_content_node(hub, &job->job, choose(&choices, job->job.class)), out);
		hub_lane_read(hub, now, hub_lane_get(hub, job->job.class, job->job.tenant), out);
	}
}
