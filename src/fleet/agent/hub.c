/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet hub`: one of several is active, the others stand by. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/error.h"
#include "base/str.h"
#include "fleet/agent/agent.h"
#include "fleet/agent/figures.h"
#include "fleet/agent/hub_status.h"
#include "fleet/agent/letters.h"
#include "fleet/agent/loop.h"
#include "fleet/agent/scrape.h"
#include "fleet/agent/seal.h"
#include "fleet/core/hub.h"
#include "fleet/core/queue.h"

#define LANE_CAP   100000
#define KEEP_MS    (7ull * 24 * 3600 * 1000)
#define UNKNOWN_MS 10000
/* Answers to questions of people are on these. */
#define ASKED "aisbx.ask."

struct agent_hub {
	struct fleet_hub_options options;
	struct fleet_hub *hub; /* owned, as all here */
	struct bus *bus;
	struct loop *loop;
	struct letters *letters;
	struct scrape *scrape;
	struct seals *seals; /* NULL: without keys */
	uint64_t unknown_ms; /* when it is said again that a node has no key */
	bool was_active;
};

void agent_say(const char *fmt, ...)
{
	char when[32], text[1024];
	time_t now = time(NULL);
	struct tm parts;
	va_list ap;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s %s\n", when, text);
}

static void tell_state(struct agent_hub *h)
{
	const bool active = fleet_hub_is_active(h->hub);

	if (active != h->was_active)
		agent_say("hub %s: %s", h->options.name, active ? "is active" : "is not active any more");
	h->was_active = active;
}

static void on_message(void *ctx, struct fleet_now now, const struct fleet_message *m,
		       struct fleet_actions *out)
{
	struct agent_hub *h = ctx;
	char why[300];

	if (m->kind == FLEET_MSG_BEAT) {
		const bool known = seals_know_node(h->seals, m->from, now.ms, why, sizeof(why));

		if (why[0])
			agent_say("hub %s: %s", h->options.name, why);
		if (!known) {
			if (now.ms >= h->unknown_ms)
				agent_say("hub %s: node %s has no key in --node-keys: it gets no jobs",
					  h->options.name, m->from);
			h->unknown_ms = now.ms >= h->unknown_ms ? now.ms + UNKNOWN_MS : h->unknown_ms;
			return;
		}
	}
	fleet_hub_message(h->hub, now, m, out);
}

static void on_answer(void *ctx, struct fleet_now now, const struct fleet_answer *a,
		      struct fleet_actions *out)
{
	struct agent_hub *h = ctx;
	struct fleet_answer forged;
	const char *why;

	if (letters_answer(h->letters, a))
		return;
	if (seals_find_forged(h->seals, a, &forged, &why)) {
		agent_say("hub %s: the record of job %s of %s is forged, and counts as none: %s",
			  h->options.name, a->id, a->tenant, why);
		a = &forged;
	}
	fleet_hub_answer(h->hub, now, a, out);
	tell_state(h);
}

static void on_lane(void *ctx, struct fleet_now now, const char *class, const char *tenant,
		    struct fleet_actions *out)
{
	fleet_hub_lane(((struct agent_hub *)ctx)->hub, now, class, tenant, out);
}

static void on_tick(void *ctx, struct fleet_now now, struct fleet_actions *out)
{
	struct agent_hub *h = ctx;

	fleet_hub_tick(h->hub, now, out);
	tell_state(h);
}

static uint64_t on_next(void *ctx)
{
	return fleet_hub_next(((struct agent_hub *)ctx)->hub);
}

static void on_sign(void *ctx, struct fleet_action *a)
{
	seals_of_hub(((struct agent_hub *)ctx)->seals, a);
}

static void on_perform(void *ctx, const struct fleet_action *a)
{
	const struct agent_hub *h = ctx;

	if (a->kind == FLEET_SAY)
		agent_say("hub %s: %s", h->options.name, a->text);
}

static void on_signal(void *ctx, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo != SIGCHLD)
		loop_stop(((struct agent_hub *)ctx)->loop);
}

/* "drain": {"node": NAME, "draining": true}. */
static json_t *drain(struct agent_hub *h, const struct bus_event *event)
{
	json_t *asked = json_loadb(event->data, event->len, 0, NULL);
	const char *node = json_string_value(json_object_get(asked, "node"));
	const char *what = json_is_false(json_object_get(asked, "draining")) ? "off" : "on";
	char subject[256];
	json_t *said;

	if (node && fleet_is_name(node)) {
		snprintf(subject, sizeof(subject), "aisbx.node.%s.drain", node);
		bus_publish(h->bus, subject, NULL, what, strlen(what));
		said = json_pack("{s:s, s:s}", "node", node, "draining", what);
	} else
		said = json_pack("{s:s}", "error", "'node' must be the name of a node");
	json_decref(asked);
	return said;
}

/* Only the active one answers. */
static void on_event(void *ctx, const struct bus_event *event)
{
	struct agent_hub *h = ctx;
	const char *what;
	json_t *said;
	char *text;

	if (event->kind == BUS_DOWN || event->kind == BUS_UP)
		agent_say("hub %s: the connection to NATS is %s", h->options.name,
			  event->kind == BUS_UP ? "back" : "lost");
	if (event->kind != BUS_DATA || (!event->reply[0] && !event->number))
		return;
	what = strncmp(event->subject, ASKED, strlen(ASKED)) != 0 ? NULL : event->subject + strlen(ASKED);
	if ((what && !fleet_hub_is_active(h->hub)) || letters_event(h->letters, event, what, loop_now().ms) ||
	    !what)
		return;
	said = !strcmp(what, "drain") ? drain(h, event) : hub_status(h->hub, h->options.name, what);
	text = said ? json_dumps(said, JSON_COMPACT) : NULL;
	if (text)
		bus_publish(h->bus, event->reply, NULL, text, strlen(text));
	free(text);
	json_decref(said);
}

static void write_figures(void *ctx, struct buf *out)
{
	const struct agent_hub *h = ctx;
	struct bus_counts counts;

	bus_count(h->bus, &counts);
	figures_hub(h->hub, loop_now(), out);
	figures_bus(&counts, out);
}

static int open_metrics(struct agent_hub *h, const char *where, struct aisbx_error *e)
{
	int r = where ? scrape_open(h->loop, where, write_figures, h, &h->scrape, e) : 0;

	if (r == 0 && where)
		agent_say("hub %s: metrics at port %u", h->options.name, scrape_port(h->scrape));
	return r;
}

static int read_share(const char *path, const char *tenant, const json_t *said, struct fleet_share *ret,
		      struct aisbx_error *e)
{
	struct {
		const char *name;
		unsigned *at;
		json_int_t least, most;
	} numbers[] = { { "weight", &ret->weight, 1, 1000 },
			{ "at_once", &ret->at_once, 0, 1000000 },
			{ "a_minute", &ret->a_minute, 0, 1000000 } };
	const char *name;
	const json_t *value;

	json_object_foreach((json_t *)said, name, value)
	{
		size_t i = 0;

		while (i < 3 && strcmp(numbers[i].name, name) != 0)
			i++;
		if (i == 3 || !json_is_integer(value) || json_integer_value(value) < numbers[i].least ||
		    json_integer_value(value) > numbers[i].most)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"%s: '%s' of tenant '%s' is none of weight (1 to 1000), at_once and a_minute",
				path, name, tenant);
		*numbers[i].at = (unsigned)json_integer_value(value);
	}
	return 0;
}

static int read_shares(struct agent_hub *h, const char *path, struct aisbx_error *e)
{
	json_error_t wrong;
	json_t *file = path ? json_load_file(path, JSON_REJECT_DUPLICATES, &wrong) : NULL;
	const char *tenant;
	const json_t *said;
	int r = 0;

	if (path && !json_is_object(file))
		r = aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"%s is no JSON of shares (line %d: %s); write {\"TENANT\": {\"weight\": 10}}", path,
			file ? 0 : wrong.line, file ? "no object" : wrong.text);
	json_object_foreach(file, tenant, said)
	{
		struct fleet_share share = FLEET_SHARE;

		if (r == 0 && (!fleet_is_name(tenant) || !json_is_object(said)))
			r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					 "%s: '%.80s' is no tenant", path, tenant);
		if (r == 0)
			r = read_share(path, tenant, said, &share, e);
		if (r == 0)
			fleet_hub_share(h->hub, tenant, &share);
	}
	json_decref(file);
	return r;
}

static int read_streams(const struct fleet_options *o, struct bus_streams *ret, struct aisbx_error *e)
{
	uint64_t replicas = 1;
	int r = fleet_options_number("replicas", o->replicas, 1, 3, 1, &replicas, e);

	if (r == 0 && replicas == 2)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "--replicas is 1 or 3");
	if (r == 0)
		r = fleet_options_number("lane-cap", o->lane_cap, 1, 100000000, LANE_CAP, &ret->lane_cap, e);
	ret->replicas = (unsigned)replicas;
	ret->record_age_ms = KEEP_MS;
	if (r == 0 && o->keep && (!str_to_ms(o->keep, &ret->record_age_ms) || ret->record_age_ms < 60000))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "--keep must be a time of at least a minute, such as 7d");
	return r;
}

static int start(struct agent_hub *h, const struct fleet_options *o, struct aisbx_error *e)
{
	const struct loop_machine machine = { .ctx = h,
					      .message = on_message,
					      .answer = on_answer,
					      .lane = on_lane,
					      .event = on_event,
					      .tick = on_tick,
					      .next = on_next,
					      .sign = on_sign,
					      .perform = on_perform,
					      .signal = on_signal };
	struct bus_streams streams = { 0 };
	char prefix[FLEET_NAME];
	int r = read_streams(o, &streams, e);

	if (r == 0 && o->name && (!fleet_is_name(o->name) || strlen(o->name) > 29))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%.80s' cannot be a hub's name: at most 29 letters, digits, '-' and '_'",
				 o->name);
	if (r < 0)
		return r;
	snprintf(prefix, sizeof(prefix), "%s-", o->name ? o->name : "hub");
	fleet_options_fresh_name(prefix, h->options.name);
	h->hub = fleet_hub_create(&h->options, loop_now());
	r = read_shares(h, o->shares, e);
	if (r == 0)
		r = seals_open(o, BUS_HUB, &h->seals, e);
	if (r == 0)
		r = fleet_options_connect(o, BUS_HUB, h->options.name, 0, &h->bus, e);
	if (r == 0)
		r = bus_setup(h->bus, &streams, e);
	if (r == 0)
		h->letters = letters_create(h->bus);
	if (r == 0)
		r = bus_subscribe(h->bus, ASKED ">", e);
	if (r == 0)
		r = loop_create(h->bus, NULL, &machine, &h->loop, e);
	return r == 0 ? open_metrics(h, o->metrics, e) : r;
}

int agent_hub(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	struct agent_hub h = { .options = FLEET_HUB_OPTIONS };
	int r;

	(void)rest;
	loop_block_signals();
	while (getrandom(&h.options.random, sizeof(h.options.random), 0) != (ssize_t)sizeof(h.options.random))
		;
	r = start(&h, o, e);
	if (r == 0) {
		agent_say("hub %s: stands by%s", h.options.name,
			  h.seals ? "" : "; it has no key, so results are not verified");
		r = loop_run(h.loop, e);
		agent_say("hub %s: ends", h.options.name);
	}
	scrape_close(h.scrape);
	loop_destroy(h.loop);
	if (h.hub)
		fleet_hub_destroy(h.hub);
	letters_destroy(h.letters);
	bus_close(h.bus);
	seals_close(h.seals);
	return r;
}
