/* SPDX-License-Identifier: Apache-2.0 */
/* The bus against a real server, whose address is $NATS_URL: pytest starts both (test_bus.py).
 * usage: bus-probe asks|lanes|messages|streams|restart|hostile */
#include "support/test.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#include "base/scope.h"
#include "base/time.h"
#include "fleet/bus/bus.h"
#include "fleet/wire/subject.h"
#include "fleet/wire/wire.h"

#define HANGS_MS 60000

static uint64_t numbers;

static struct bus *open_bus(enum bus_role role, const char *name)
{
	struct bus_options options = { .url = getenv("NATS_URL"),
				       .role = role,
				       .name = name,
				       .tenant = "acme",
				       .creds = getenv("NATS_CREDS"),
				       .ca = getenv("NATS_CA"),
				       .connect_ms = 30000 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct bus *bus = NULL;

	if (getenv("NATS_CONNECT_MS"))
		options.connect_ms = strtoull(getenv("NATS_CONNECT_MS"), NULL, 10);
	if (bus_open(&options, &bus, &e) < 0)
		fail_msg("%s", e.text);
	return bus;
}

static void set_up(struct bus *bus, uint64_t cap)
{
	struct bus_streams streams = { .replicas = getenv("NATS_REPLICAS") ? 3 : 1,
				       .lane_cap = cap,
				       .record_age_ms = 3600000 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (bus_setup(bus, &streams, &e) < 0)
		fail_msg("%s", e.text);
}

/* The next event of this kind; others are ended. */
static struct bus_event wait_for(struct bus *bus, enum bus_event_kind kind)
{
	uint64_t until = time_ms() + HANGS_MS;
	struct bus_event event;

	while (time_ms() < until) {
		struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };

		while (bus_next(bus, &event)) {
			if (event.kind == kind)
				return event;
			bus_event_finish(&event);
		}
		poll(&p, 1, 1000);
	}
	fail_msg("no event of kind %d came", (int)kind);
	return (struct bus_event){ 0 };
}

/* Asks, and gives the answer to this question, which needs its finish. */
static struct fleet_answer ask(struct bus *bus, struct fleet_ask *a)
{
	struct bus_event event;

	a->number = ++numbers;
	bus_ask(bus, a);
	event = wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.number, a->number);
	return event.answer;
}

/* Of one of which nothing but kind and revision counts. */
static enum fleet_answer_kind ask_kind(struct bus *bus, struct fleet_ask *a, uint64_t *ret_revision)
{
	struct fleet_answer answer = ask(bus, a);
	enum fleet_answer_kind kind = answer.kind;

	if (ret_revision)
		*ret_revision = answer.revision;
	fleet_answer_finish(&answer);
	return kind;
}

static struct fleet_job job(const char *id, const char *tenant, const char *class)
{
	struct fleet_job j = { .effect = FLEET_REPEATABLE, .priority = 5, .attempts = 3 };

	snprintf(j.id, sizeof(j.id), "%s", id);
	snprintf(j.tenant, sizeof(j.tenant), "%s", tenant);
	snprintf(j.class, sizeof(j.class), "%s", class);
	snprintf(j.submitter, sizeof(j.submitter), "sub");
	j.body = fleet_text_new("{\"op\":\"run\"}", 12);
	return j;
}

static enum fleet_answer_kind submit(struct bus *bus, const char *id, const char *tenant, uint64_t *ret_place)
{
	struct fleet_ask a = { .kind = FLEET_ASK_SUBMIT, .job = job(id, tenant, FLEET_ANY) };
	struct fleet_answer answer = ask(bus, &a);
	enum fleet_answer_kind kind = answer.kind;

	if (kind == FLEET_FULL)
		assert_true(answer.wait_ms > 0);
	if (ret_place)
		*ret_place = answer.revision;
	fleet_ask_finish(&a);
	fleet_answer_finish(&answer);
	return kind;
}

static struct fleet_answer read_lane(struct bus *bus, const char *tenant, uint64_t place, unsigned limit)
{
	struct fleet_ask a = { .kind = FLEET_ASK_LANE, .class = FLEET_ANY, .place = place, .limit = limit };

	snprintf(a.tenant, sizeof(a.tenant), "%s", tenant);
	return ask(bus, &a);
}

static void ask_jobs(struct bus *bus)
{
	struct fleet_ask forget = { .kind = FLEET_ASK_FORGET, .class = FLEET_ANY, .tenant = "acme" };
	struct fleet_answer answer;
	uint64_t first, again, second, third;

	answer = read_lane(bus, "acme", 0, 10);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_jobs, 0);
	fleet_answer_finish(&answer);
	assert_int_equal(submit(bus, "j1", "acme", &first), FLEET_OK);
	assert_true(first > 0);
	assert_int_equal(submit(bus, "j1", "acme", &again), FLEET_OK);
	assert_int_equal(again, first);
	/* The same id of another tenant is another job. */
	assert_int_equal(submit(bus, "j1", "other", &again), FLEET_OK);
	assert_int_not_equal(again, first);
	assert_int_equal(submit(bus, "j2", "acme", &second), FLEET_OK);
	assert_int_equal(submit(bus, "j3", "acme", &third), FLEET_OK);
	assert_int_equal(submit(bus, "j4", "acme", NULL), FLEET_FULL);
	answer = read_lane(bus, "acme", 0, 2);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_jobs, 2);
	assert_int_equal(answer.jobs[0].place, first);
	assert_string_equal(answer.jobs[1].job.id, "j2");
	assert_int_equal(fleet_text_len(answer.jobs[1].job.body), 12);
	fleet_answer_finish(&answer);
	answer = read_lane(bus, "acme", second, 64);
	assert_int_equal(answer.n_jobs, 1);
	assert_int_equal(answer.jobs[0].place, third);
	fleet_answer_finish(&answer);
	forget.place = second;
	assert_int_equal(ask_kind(bus, &forget, NULL), FLEET_OK);
	assert_int_equal(ask_kind(bus, &forget, NULL), FLEET_OK);
	forget.place = first;
	assert_int_equal(ask_kind(bus, &forget, NULL), FLEET_OK);
	assert_int_equal(ask_kind(bus, &forget, NULL), FLEET_OK);
	forget.place = 1000000;
	assert_int_equal(ask_kind(bus, &forget, NULL), FLEET_OK);
	forget.place = 0;
	assert_int_equal(ask_kind(bus, &forget, NULL), FLEET_FAILED);
	assert_int_equal(submit(bus, "j4", "acme", NULL), FLEET_OK);
}

static void ask_records(struct bus *bus)
{
	struct fleet_ask read = { .kind = FLEET_ASK_RECORD, .id = "j1", .tenant = "acme" };
	struct fleet_ask put = { .kind = FLEET_ASK_PUT,
				 .id = "j1",
				 .tenant = "acme",
				 .record = { .phase = FLEET_CLAIMED,
					     .token = { 7, 0 },
					     .node = "n1",
					     .incarnation = 3,
					     .attempt = 1 } };
	struct fleet_answer answer;
	uint64_t claim, ended, there;

	assert_int_equal(ask_kind(bus, &read, NULL), FLEET_NOT_THERE);
	put.expected = 5;
	assert_int_equal(ask_kind(bus, &put, &there), FLEET_CONFLICT);
	assert_int_equal(there, 0);
	put.expected = 0;
	assert_int_equal(ask_kind(bus, &put, &claim), FLEET_OK);
	assert_int_equal(ask_kind(bus, &put, &there), FLEET_CONFLICT);
	assert_int_equal(there, claim);
	put.expected = claim;
	put.record.phase = FLEET_ENDED;
	put.record.token = (struct fleet_token){ 7, claim };
	put.record.result = fleet_text_new("done", 4);
	assert_int_equal(ask_kind(bus, &put, &ended), FLEET_OK);
	assert_true(ended > claim);
	answer = ask(bus, &read);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.revision, ended);
	assert_int_equal(answer.record.phase, FLEET_ENDED);
	assert_int_equal(answer.record.token.revision, claim);
	assert_string_equal(fleet_text_data(answer.record.result), "done");
	fleet_answer_finish(&answer);
	fleet_ask_finish(&put);
	/* No name: nothing is sent. */
	snprintf(read.id, sizeof(read.id), "a.b");
	assert_int_equal(ask_kind(bus, &read, NULL), FLEET_FAILED);
}

static void ask_terms(struct bus *bus)
{
	struct fleet_ask read = { .kind = FLEET_ASK_TERM };
	struct fleet_ask put = { .kind = FLEET_ASK_PUT_TERM, .term = { .hub = "h1", .epoch = 9, .beat = 1 } };
	struct fleet_answer answer;
	uint64_t revision;

	assert_int_equal(ask_kind(bus, &read, NULL), FLEET_NOT_THERE);
	assert_int_equal(ask_kind(bus, &put, &revision), FLEET_OK);
	put.term.beat = 2;
	assert_int_equal(ask_kind(bus, &put, NULL), FLEET_CONFLICT);
	put.expected = revision;
	assert_int_equal(ask_kind(bus, &put, &revision), FLEET_OK);
	answer = ask(bus, &read);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.revision, revision);
	assert_int_equal(answer.term.beat, 2);
	assert_string_equal(answer.term.hub, "h1");
	fleet_answer_finish(&answer);
}

/* Streams of others: written in order, read back, purged. */
static void ask_rows(struct bus *bus)
{
	struct bus_event event;
	uint64_t last = 0;
	char text[32];

	for (int i = 0; i < 10; i++) {
		int n = snprintf(text, sizeof(text), "row %d", i);

		bus_put(bus, ++numbers, "aisbx.history.n1", last, text, (size_t)n);
		event = wait_for(bus, BUS_ANSWER);
		assert_int_equal(event.answer.kind, FLEET_OK);
		last = event.answer.revision;
		bus_event_finish(&event);
	}
	bus_put(bus, ++numbers, "aisbx.history.n1", last - 1, "x", 1);
	event = wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.kind, FLEET_CONFLICT);
	assert_int_equal(event.answer.revision, last);
	bus_event_finish(&event);
	bus_purge(bus, ++numbers, "AISBX_HISTORY", "aisbx.history.n1", last - 3);
	event = wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.kind, FLEET_OK);
	bus_event_finish(&event);
	bus_read(bus, ++numbers, "AISBX_HISTORY", "aisbx.history.*", 0, 100);
	for (int i = 7; i < 10; i++) {
		event = wait_for(bus, BUS_DATA);
		snprintf(text, sizeof(text), "row %d", i);
		assert_string_equal(event.data, text);
		assert_string_equal(event.subject, "aisbx.history.n1");
		assert_int_equal(event.number, numbers);
		bus_event_finish(&event);
	}
	event = wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.kind, FLEET_OK);
	assert_int_equal(event.answer.revision, last);
	bus_event_finish(&event);
}

static void probe_asks(void **state)
{
	struct bus *bus = open_bus(BUS_HUB, "h1");
	struct fleet_ask bury = { .kind = FLEET_ASK_BURY,
				  .job = job("j9", "acme", FLEET_ANY),
				  .record = { .phase = FLEET_DEAD, .attempt = 3 } };
	struct fleet_ask lanes = { .kind = FLEET_ASK_LANES };
	struct fleet_answer answer;
	struct bus_event event;

	(void)state;
	set_up(bus, 3);
	answer = ask(bus, &lanes);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_lanes, 0);
	fleet_answer_finish(&answer);
	ask_jobs(bus);
	ask_records(bus);
	ask_terms(bus);
	ask_rows(bus);
	assert_int_equal(ask_kind(bus, &bury, NULL), FLEET_OK);
	fleet_ask_finish(&bury);
	bus_read(bus, ++numbers, "AISBX_DEAD", "aisbx.dead.acme.*", 0, 10);
	event = wait_for(bus, BUS_DATA);
	assert_non_null(strstr(event.data, "\"j9\""));
	bus_event_finish(&event);
	event = wait_for(bus, BUS_ANSWER);
	bus_event_finish(&event);
	answer = ask(bus, &lanes);
	assert_int_equal(answer.n_lanes, 2);
	fleet_answer_finish(&answer);
	bus_close(bus);
}

/* A stream that is not there: FAILED, soon. */
static void probe_bare(void **state)
{
	struct bus *bus = open_bus(BUS_ADMIN, "a1");
	struct fleet_ask lanes = { .kind = FLEET_ASK_LANES }, term = { .kind = FLEET_ASK_TERM };

	(void)state;
	assert_int_equal(submit(bus, "j1", "acme", NULL), FLEET_FAILED);
	assert_int_equal(ask_kind(bus, &lanes, NULL), FLEET_FAILED);
	assert_int_equal(ask_kind(bus, &term, NULL), FLEET_FAILED);
	bus_close(bus);
}

#define LANES 1000
#define EACH  5

/* Submits all without waiting in between; 256 are under way. */
static void submit_all(struct bus *bus)
{
	unsigned sent = 0, done = 0;

	while (done < LANES * EACH) {
		struct bus_event event;

		for (; sent < LANES * EACH && sent - done < 256; sent++) {
			struct fleet_ask a = { .kind = FLEET_ASK_SUBMIT, .number = ++numbers };
			char id[32], tenant[32];

			snprintf(id, sizeof(id), "job%u", sent);
			snprintf(tenant, sizeof(tenant), "t%u", sent % LANES);
			a.job = job(id, tenant, FLEET_ANY);
			bus_ask(bus, &a);
			fleet_ask_finish(&a);
		}
		event = wait_for(bus, BUS_ANSWER);
		assert_int_equal(event.answer.kind, FLEET_OK);
		bus_event_finish(&event);
		done++;
	}
}

static void probe_lanes(void **state)
{
	struct bus *hub = open_bus(BUS_HUB, "h1"), *bus = open_bus(BUS_SUBMITTER, "s1");
	struct fleet_ask lanes = { .kind = FLEET_ASK_LANES };
	struct fleet_answer all;
	struct bus_event event;
	size_t found = 0;

	(void)state;
	set_up(hub, 100000);
	submit_all(bus);
	for (int i = 0; i < LANES * EACH; i++) {
		event = wait_for(hub, BUS_LANE);
		assert_string_equal(event.class, FLEET_ANY);
		bus_event_finish(&event);
	}
	all = ask(hub, &lanes);
	assert_int_equal(all.kind, FLEET_OK);
	assert_int_equal(all.n_lanes, LANES);
	for (size_t i = 0; i < all.n_lanes; i++) {
		struct fleet_answer lane = read_lane(hub, all.lanes[i].tenant, 0, 64);

		assert_int_equal(lane.kind, FLEET_OK);
		for (size_t k = 0; k < lane.n_jobs; k++) {
			unsigned at;

			assert_int_equal(sscanf(lane.jobs[k].job.id, "job%u", &at), 1);
			assert_int_equal(at / LANES, k);
		}
		found += lane.n_jobs;
		fleet_answer_finish(&lane);
	}
	assert_int_equal(found, LANES * EACH);
	fleet_answer_finish(&all);
	bus_close(bus);
	bus_close(hub);
}

static void expect_message(struct bus *from, struct bus *to, const struct fleet_message *m)
{
	struct bus_event event;

	bus_send(from, m);
	event = wait_for(to, BUS_MESSAGE);
	assert_int_equal(event.message.kind, m->kind);
	assert_string_equal(event.message.from, m->from);
	assert_string_equal(event.message.job, m->job);
	bus_event_finish(&event);
}

static void probe_messages(void **state)
{
	struct bus *hub = open_bus(BUS_HUB, "h1"), *node = open_bus(BUS_NODE, "n1");
	struct bus *submitter = open_bus(BUS_SUBMITTER, "s1");
	struct fleet_message beat = { .kind = FLEET_MSG_BEAT,
				      .from = "n1",
				      .incarnation = 4,
				      .beat = { .number = 1, .slots = 8, .room = 8 } };
	struct fleet_message offer = { .kind = FLEET_MSG_OFFER,
				       .from = "h1",
				       .to = "n1",
				       .incarnation = 4,
				       .number = 1,
				       .token = { 1, 2 },
				       .job = "j1",
				       .tenant = "acme",
				       .attempt = 1,
				       .offered = job("j1", "acme", FLEET_ANY) };
	struct fleet_message may = { .kind = FLEET_MSG_MAY_I,
				     .from = "n1",
				     .to = "s1",
				     .incarnation = 4,
				     .number = 7,
				     .token = { 1, 2 },
				     .job = "j1",
				     .tenant = "acme",
				     .attempt = 1 };
	struct fleet_message grant = may, cancel = {
		.kind = FLEET_MSG_CANCEL, .from = "s1", .job = "j1", .tenant = "acme"
	};
	struct bus_counts counts;
	struct bus_event event;
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	grant.kind = FLEET_MSG_GRANT;
	snprintf(grant.from, sizeof(grant.from), "s1");
	snprintf(grant.to, sizeof(grant.to), "n1");
	grant.yes = true;
	expect_message(node, hub, &beat);
	expect_message(hub, node, &offer);
	expect_message(node, submitter, &may);
	expect_message(submitter, node, &grant);
	expect_message(submitter, hub, &cancel);
	fleet_message_finish(&offer);
	bus_count(hub, &counts);
	assert_int_equal(counts.malformed + counts.pretended + counts.lost + counts.unsent, 0);

	assert_int_equal(bus_subscribe(submitter, "aisbx.out.acme.*", &e), 0);
	assert_int_equal(bus_flush(submitter, 5000, &e), 0);
	bus_publish(node, "aisbx.out.acme.j1", "reply.here", "hello", 5);
	event = wait_for(submitter, BUS_DATA);
	assert_string_equal(event.subject, "aisbx.out.acme.j1");
	assert_string_equal(event.reply, "reply.here");
	assert_memory_equal(event.data, "hello", 6);
	bus_event_finish(&event);
	bus_unsubscribe(submitter, "aisbx.out.acme.*");
	bus_close(submitter);
	bus_close(node);
	bus_close(hub);
}

/* pytest kills the server when "ready" is there, and starts it again after "down". */
static void probe_restart(void **state)
{
	struct bus *bus = open_bus(BUS_HUB, "h1");
	struct fleet_ask term = { .kind = FLEET_ASK_TERM };
	struct fleet_ask put = { .kind = FLEET_ASK_PUT_TERM, .term = { .hub = "h1", .epoch = 9, .beat = 1 } };
	enum fleet_answer_kind kind = FLEET_FAILED;
	struct bus_event event;
	uint64_t revision, until;

	(void)state;
	set_up(bus, 100);
	assert_int_equal(ask_kind(bus, &put, &revision), FLEET_OK);
	puts("ready");
	fflush(stdout);
	event = wait_for(bus, BUS_DOWN);
	bus_event_finish(&event);
	puts("down");
	fflush(stdout);
	event = wait_for(bus, BUS_UP);
	bus_event_finish(&event);
	/* A server that has just begun may say that it cannot yet. */
	for (until = time_ms() + HANGS_MS; kind == FLEET_FAILED && time_ms() < until;) {
		uint64_t there;

		kind = ask_kind(bus, &term, &there);
		if (kind == FLEET_OK)
			assert_int_equal(there, revision);
	}
	assert_int_equal(kind, FLEET_OK);
	put.expected = revision;
	assert_int_equal(ask_kind(bus, &put, NULL), FLEET_OK);
	bus_close(bus);
}

static void flood(struct bus *bus, const char *subject)
{
	static const char *const bytes[] = { "",
					     "{",
					     "null",
					     "[]",
					     "{}",
					     "{\"v\":1}",
					     "\xff\xfe\x00",
					     "{\"v\":99}",
					     "{\"v\":1,\"kind\":\"beat\",\"from\":\"other\"}",
					     "18446744073709551616" };
	size_t big = 900000;
	char *nested = malloc(big);

	assert_non_null(nested);
	memset(nested, '[', big);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		bus_publish(bus, subject, NULL, bytes[i], strlen(bytes[i]));
	bus_publish(bus, subject, NULL, "\0\0\0", 3);
	bus_publish(bus, subject, NULL, nested, big);
	free(nested);
}

/* Who was flooded counts 12 and hears the next good one. */
static void expect_counted(struct bus *flooder, struct bus *bus, const char *subject, uint64_t n)
{
	uint64_t until = time_ms() + HANGS_MS;
	struct bus_counts before, counts;
	struct bus_event event;

	bus_count(bus, &before);
	flood(flooder, subject);
	do {
		struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };

		poll(&p, 1, 1000);
		while (bus_next(bus, &event)) {
			if (event.kind == BUS_MESSAGE || event.kind == BUS_LANE)
				fail_msg("%s: a message of kind %d from '%s' came through", subject,
					 (int)event.message.kind, event.message.from);
			bus_event_finish(&event);
		}
		bus_count(bus, &counts);
	} while (counts.malformed + counts.pretended < before.malformed + before.pretended + n &&
		 time_ms() < until);
	if (counts.malformed + counts.pretended != before.malformed + before.pretended + n)
		fail_msg("%s: %" PRIu64 " of %" PRIu64 " were counted", subject,
			 counts.malformed + counts.pretended - before.malformed - before.pretended, n);
}

/* Of a lane of rubbish, in the end only what is of a newer version is left beside the one job. */
static void expect_cleared(struct bus *hub)
{
	uint64_t until = time_ms() + HANGS_MS, met;
	struct bus_counts before, after;

	do {
		struct fleet_answer answer;

		bus_count(hub, &before);
		answer = read_lane(hub, "acme", 0, 2);
		assert_int_equal(answer.n_jobs, 1);
		fleet_answer_finish(&answer);
		bus_count(hub, &after);
		met = after.malformed - before.malformed;
	} while (met > 2 && time_ms() < until);
	assert_int_equal(met, 2);
}

static void probe_hostile(void **state)
{
	struct bus *hub = open_bus(BUS_HUB, "h1"), *node = open_bus(BUS_NODE, "n1");
	struct bus *submitter = open_bus(BUS_SUBMITTER, "s1"), *enemy = open_bus(BUS_ADMIN, "e1");
	struct fleet_message beat = { .kind = FLEET_MSG_BEAT,
				      .from = "n1",
				      .incarnation = 4,
				      .beat = { .number = 1, .slots = 8, .room = 8 } };
	struct fleet_ask record = { .kind = FLEET_ASK_RECORD, .id = "j1", .tenant = "acme" };
	struct fleet_ask term = { .kind = FLEET_ASK_TERM };
	scoped(buf_finish) struct buf text = { 0 };
	struct fleet_answer answer;
	struct bus_counts counts;
	uint64_t place, revision;

	(void)state;
	set_up(hub, 100);
	expect_counted(enemy, hub, "aisbx.hub.beat.n1", 12);
	expect_counted(enemy, hub, "aisbx.hub.a.b.c.d", 12);
	expect_counted(enemy, hub, "aisbx.cancel.acme", 12);
	expect_counted(enemy, hub, "aisbx.lane.any.acme", 12);
	expect_counted(enemy, node, "aisbx.node.n1.offer", 12);
	expect_counted(enemy, node, "aisbx.grant.n1.acme", 12);
	expect_counted(enemy, submitter, "aisbx.tenant.acme.s1.ended", 12);
	/* A good beat, on another's subject. */
	assert_int_equal(wire_message_encode(&beat, &text), 0);
	bus_count(hub, &counts);
	bus_publish(enemy, "aisbx.hub.beat.n2", NULL, text.data, text.len);
	assert_int_equal(bus_flush(enemy, 10000, &(struct aisbx_error){ 0 }), 0);
	expect_message(node, hub, &beat);
	place = counts.pretended;
	bus_count(hub, &counts);
	assert_int_equal(counts.pretended, place + 1);

	/* What is stored: a lane of rubbish before a job is read to the job, and the rubbish is gone the next
	 * time. */
	flood(enemy, "aisbx.jobs.any.acme");
	flood(enemy, "aisbx.jobs.any.acme");
	assert_int_equal(bus_flush(enemy, 10000, &(struct aisbx_error){ 0 }), 0);
	assert_int_equal(submit(enemy, "good", "acme", &place), FLEET_OK);
	answer = read_lane(hub, "acme", 0, 2);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_jobs, 1);
	assert_int_equal(answer.jobs[0].place, place);
	fleet_answer_finish(&answer);
	expect_cleared(hub);

	flood(enemy, "aisbx.state.acme.j1");
	flood(enemy, "aisbx.term");
	assert_int_equal(bus_flush(enemy, 10000, &(struct aisbx_error){ 0 }), 0);
	assert_int_equal(ask_kind(hub, &record, &revision), FLEET_FAILED);
	assert_true(revision > 0);
	assert_int_equal(ask_kind(hub, &term, &revision), FLEET_FAILED);
	assert_true(revision > 0);
	bus_close(enemy);
	bus_close(submitter);
	bus_close(node);
	bus_close(hub);
}

/* Somebody else's stream of the same name. */
static void probe_streams(void **state)
{
	struct bus *bus = open_bus(BUS_HUB, "h1");
	struct bus_streams streams = { .replicas = 1, .lane_cap = 10, .record_age_ms = 3600000 };
	static const char other[] =
		"{\"name\":\"AISBX_TERM\",\"subjects\":[\"orders\"],\"storage\":\"memory\"}";
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *answer = NULL;
	size_t len;

	(void)state;
	assert_int_equal(bus_request(bus, "$JS.API.STREAM.CREATE.AISBX_TERM", other, strlen(other), 30000,
				     &answer, &len, &e),
			 0);
	free(answer);
	assert_int_equal(bus_setup(bus, &streams, &e), -EEXIST);
	assert_non_null(strstr(e.text, "nats stream rm AISBX_TERM"));
	assert_int_equal(bus_request(bus, "$JS.API.STREAM.DELETE.AISBX_TERM", NULL, 0, 30000, &answer, &len,
				     &e),
			 0);
	free(answer);
	set_up(bus, 10);
	set_up(bus, 10);
	set_up(bus, 20);
	assert_int_equal(bus_request(bus, "$JS.API.STREAM.INFO.AISBX_JOBS", NULL, 0, 30000, &answer, &len,
				     &e),
			 0);
	assert_non_null(strstr(answer, "\"max_msgs_per_subject\":20"));
	assert_non_null(strstr(answer, "\"discard_new_per_subject\":true"));
	free(answer);
	streams.replicas = 2;
	assert_int_equal(bus_setup(bus, &streams, &e), -EINVAL);
	bus_close(bus);
}

/* Opens, says why if it cannot. */
static void probe_open(void **state)
{
	(void)state;
	bus_close(open_bus(BUS_NODE, "n1"));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest all[] = {
		{ "asks", probe_asks, NULL, NULL, NULL },
		{ "bare", probe_bare, NULL, NULL, NULL },
		{ "hostile", probe_hostile, NULL, NULL, NULL },
		{ "lanes", probe_lanes, NULL, NULL, NULL },
		{ "messages", probe_messages, NULL, NULL, NULL },
		{ "open", probe_open, NULL, NULL, NULL },
		{ "restart", probe_restart, NULL, NULL, NULL },
		{ "streams", probe_streams, NULL, NULL, NULL },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(argv[1], all[i].name) == 0) {
			const struct CMUnitTest one[] = { all[i] };

			return cmocka_run_group_tests(one, NULL, NULL);
		}
	}
	fputs("usage: bus-probe asks|bare|hostile|lanes|messages|open|restart|streams\n", stderr);
	return 2;
}
