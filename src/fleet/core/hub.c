/* SPDX-License-Identifier: Apache-2.0 */
/* A hub from outside: what comes in is handed to its parts, and what is due. */
#include "fleet/core/hub_part.h"

#include <stdarg.h>
#include <stdlib.h>

#include "fleet/core/memory.h"

struct fleet_hub *fleet_hub_create(const struct fleet_hub_options *options, struct fleet_now now)
{
	struct fleet_hub *hub = fleet_new(sizeof(*hub));

	hub->options = *options;
	hub->random = options->random;
	hub->queue = fleet_queue_create();
	hub->jobs = fleet_table_create();
	hub->nodes = fleet_table_create();
	hub->contents = fleet_table_create();
	hub->lanes = fleet_table_create();
	hub->asks = fleet_table_create();
	hub->term_seen = now.ms;
	hub->term_due = now.ms;
	hub->next_tick = now.ms;
	return hub;
}

void hub_forget_all(struct fleet_hub *hub)
{
	struct fleet_cursor at = { 0 };
	struct hub_asked *asked;
	struct hub_lane *lane;
	struct hub_job *job;
	const char *name;

	while ((asked = fleet_table_next(hub->asks, &at, &name))) {
		fleet_table_remove(hub->asks, name);
		free(asked);
	}
	for (at = (struct fleet_cursor){ 0 }; (job = fleet_table_next(hub->jobs, &at, NULL));)
		hub_job_free(hub, job);
	for (at = (struct fleet_cursor){ 0 }; (lane = fleet_table_next(hub->lanes, &at, &name));) {
		fleet_table_remove(hub->lanes, name);
		free(lane);
	}
	hub->claims = 0;
	hub->term_ask = 0;
	hub->lanes_due = 0;
	hub->top = 0;
}

void fleet_hub_destroy(struct fleet_hub *hub)
{
	struct fleet_cursor at = { 0 };
	struct hub_node *node;

	if (!hub)
		return;
	hub_forget_all(hub);
	while ((node = fleet_table_next(hub->nodes, &at, NULL)))
		free(node);
	fleet_queue_destroy(hub->queue);
	fleet_table_destroy(hub->jobs);
	fleet_table_destroy(hub->nodes);
	hub_content_finish(hub);
	fleet_table_destroy(hub->lanes);
	fleet_table_destroy(hub->asks);
	free(hub);
}

void fleet_hub_share(struct fleet_hub *hub, const char *tenant, const struct fleet_share *share)
{
	fleet_queue_share(hub->queue, tenant, share);
}

uint64_t hub_random(struct fleet_hub *hub)
{
	uint64_t z = hub->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void hub_say(struct fleet_actions *out, const char *fmt, ...)
{
	struct fleet_action *a = fleet_actions_add(out, FLEET_SAY);
	va_list args;

	va_start(args, fmt);
	vsnprintf(a->text, sizeof(a->text), fmt, args);
	va_end(args);
}

struct fleet_ask *hub_ask(struct fleet_hub *hub, struct fleet_now now, enum fleet_ask_kind kind,
			  struct hub_job *job, struct hub_lane *lane, struct fleet_actions *out)
{
	struct fleet_ask *a = &fleet_actions_add(out, FLEET_ASK)->ask;
	struct hub_asked *asked = fleet_new(sizeof(*asked));
	char name[FLEET_NAME];

	a->kind = kind;
	a->number = ++hub->last_ask;
	*asked = (struct hub_asked){
		.kind = kind,
		.job = job,
		.lane = lane,
		.sent = now.ms,
		.until = now.ms + hub->options.ask_ms,
		.epoch = hub->epoch,
		.top = hub->top,
		.number = a->number,
	};
	fleet_table_put(hub->asks, fleet_number_name(a->number, name), asked);
	if (job) {
		job->ask = a->number;
		fleet_name_copy(a->id, job->job.id);
		fleet_name_copy(a->tenant, job->job.tenant);
		fleet_name_copy(a->class, job->job.class);
	}
	if (lane) {
		lane->ask = a->number;
		fleet_name_copy(a->tenant, lane->tenant);
		fleet_name_copy(a->class, lane->class);
	}
	return a;
}

static void answered(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		     const struct fleet_answer *a, struct fleet_actions *out)
{
	if (asked->job && asked->job->ask == asked->number)
		asked->job->ask = 0;
	if (asked->lane && asked->lane->ask == asked->number)
		asked->lane->ask = 0;
	switch (asked->kind) {
	case FLEET_ASK_TERM:
	case FLEET_ASK_PUT_TERM:
		hub_term_answer(hub, now, asked, a, out);
		break;
	case FLEET_ASK_LANES:
	case FLEET_ASK_LANE:
		hub_lane_answer(hub, now, asked, a, out);
		break;
	case FLEET_ASK_SUBMIT:
	case FLEET_ASK_FORGET:
	case FLEET_ASK_RECORD:
	case FLEET_ASK_PUT:
	case FLEET_ASK_BURY:
		if (asked->job)
			hub_job_answer(hub, now, asked, a, out);
	}
}

void fleet_hub_answer(struct fleet_hub *hub, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	char name[FLEET_NAME];
	struct hub_asked *asked = fleet_table_remove(hub->asks, fleet_number_name(a->number, name));

	if (!asked)
		return;
	answered(hub, now, asked, a, out);
	free(asked);
	hub_feed(hub, now, out);
}

/* Answers that will not come any more. */
static void give_up(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	struct fleet_cursor at = { 0 };
	struct hub_asked *asked;
	const char *name;

	while ((asked = fleet_table_next(hub->asks, &at, &name))) {
		struct fleet_answer a = { .kind = FLEET_FAILED, .number = asked->number };

		if (asked->until > now.ms)
			break; /* in the order in which they were asked */
		fleet_table_remove(hub->asks, name);
		answered(hub, now, asked, &a, out);
		free(asked);
	}
}

void fleet_hub_message(struct fleet_hub *hub, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	if (m->kind == FLEET_MSG_BEAT)
		hub_node_beat(hub, now, m, out);
	if (!hub_is_active(hub, now))
		return;
	if (m->kind == FLEET_MSG_RETURNED)
		hub_job_returned(hub, now, m, out);
	else if (m->kind == FLEET_MSG_ENDED)
		hub_job_ended(hub, now, m, out);
	else if (m->kind == FLEET_MSG_CANCEL)
		hub_job_cancel(hub, now, m, out);
	hub_feed(hub, now, out);
}

void fleet_hub_lane(struct fleet_hub *hub, struct fleet_now now, const char *class, const char *tenant,
		    struct fleet_actions *out)
{
	struct hub_lane *lane;

	if (!hub_is_active(hub, now))
		return;
	lane = hub_lane_get(hub, class, tenant);
	lane->more = lane->hinted = true;
	hub_lane_read(hub, now, lane, out);
}

void fleet_hub_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	if (now.ms >= hub->next_tick) {
		hub->next_tick = now.ms + HUB_TICK_MS;
		give_up(hub, now, out);
		hub_term_tick(hub, now, out);
		if (!hub_is_active(hub, now))
			return;
		hub_nodes_tick(hub, now, out);
		hub_jobs_tick(hub, now, out);
		hub_lanes_tick(hub, now, out);
	}
	hub_feed(hub, now, out);
}

uint64_t fleet_hub_next(const struct fleet_hub *hub)
{
	return hub->feed_due && hub->feed_due < hub->next_tick ? hub->feed_due : hub->next_tick;
}

bool fleet_hub_is_active(const struct fleet_hub *hub)
{
	return hub->state == TERM_ACTIVE;
}

uint64_t fleet_hub_epoch(const struct fleet_hub *hub)
{
	return hub->epoch;
}
