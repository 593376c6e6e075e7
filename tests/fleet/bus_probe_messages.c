/* SPDX-License-Identifier: Apache-2.0 */
/* Part of bus-probe: messages between buses, a server that comes back, and what a stranger may send. */
#include "fleet/bus_probe.h"

#include <inttypes.h>
#include <poll.h>

#include "base/scope.h"
#include "base/time.h"
#include "fleet/wire/wire.h"

static void expect_message(struct bus *from, struct bus *to, const struct fleet_message *m)
{
	struct bus_event event;

	bus_send(from, m);
	event = probe_wait_for(to, BUS_MESSAGE);
	assert_int_equal(event.message.kind, m->kind);
	assert_string_equal(event.message.from, m->from);
	assert_string_equal(event.message.job, m->job);
	bus_event_finish(&event);
}

void probe_messages(void **state)
{
	struct bus *hub = probe_open_bus(BUS_HUB, "h1"), *node = probe_open_bus(BUS_NODE, "n1");
	struct bus *submitter = probe_open_bus(BUS_SUBMITTER, "s1");
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
				       .offered = probe_job("j1", "acme", FLEET_ANY) };
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
	event = probe_wait_for(submitter, BUS_DATA);
	assert_string_equal(event.subject, "aisbx.out.acme.j1");
	assert_string_equal(event.reply, "reply.here");
	assert_memory_equal(event.data, "hello", 6);
	bus_event_finish(&event);
	bus_unsubscribe(submitter, "aisbx.out.acme.*");
	bus_close(submitter);
	bus_close(node);
	bus_close(hub);
}

/* Asks again each second until somebody can answer: servers that have lost one, or have just begun, cannot
 * yet. */
static enum fleet_answer_kind ask_until(struct bus *bus, struct fleet_ask *a, uint64_t *ret_revision)
{
	uint64_t until = time_ms() + HANGS_MS;
	enum fleet_answer_kind kind = FLEET_FAILED;

	while (kind == FLEET_FAILED && time_ms() < until) {
		uint64_t again = time_ms() + 1000;

		a->number = ++probe_numbers;
		bus_ask(bus, a);
		while (time_ms() < again && kind == FLEET_FAILED) {
			struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };
			struct bus_event event;

			poll(&p, 1, 50);
			while (bus_next(bus, &event)) {
				if (event.kind == BUS_ANSWER && event.answer.kind != FLEET_FAILED) {
					kind = event.answer.kind;
					*ret_revision = event.answer.revision;
				}
				bus_event_finish(&event);
			}
		}
	}
	return kind;
}

/* pytest kills the server when "ready" is there, and starts it again after "down". */
void probe_restart(void **state)
{
	struct bus *bus = probe_open_bus(BUS_HUB, "h1");
	struct fleet_ask term = { .kind = FLEET_ASK_TERM };
	struct fleet_ask put = { .kind = FLEET_ASK_PUT_TERM, .term = { .hub = "h1", .epoch = 9, .beat = 1 } };
	enum fleet_answer_kind kind;
	struct bus_event event;
	uint64_t revision, there = 0;

	(void)state;
	probe_set_up(bus, 100);
	assert_int_equal(probe_ask_kind(bus, &put, &revision), FLEET_OK);
	puts("ready");
	fflush(stdout);
	event = probe_wait_for(bus, BUS_DOWN);
	bus_event_finish(&event);
	puts("down");
	fflush(stdout);
	event = probe_wait_for(bus, BUS_UP);
	bus_event_finish(&event);
	assert_int_equal(ask_until(bus, &term, &there), FLEET_OK);
	assert_int_equal(there, revision);
	put.expected = revision;
	kind = ask_until(bus, &put, &there);
	/* An answer that failed, or never came, may have been to a deed that was done. */
	assert_true(kind == FLEET_OK || (kind == FLEET_CONFLICT && there > revision));
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
		answer = probe_read_lane(hub, "acme", 0, 2);
		assert_int_equal(answer.n_jobs, 1);
		fleet_answer_finish(&answer);
		bus_count(hub, &after);
		met = after.malformed - before.malformed;
	} while (met > 2 && time_ms() < until);
	assert_int_equal(met, 2);
}

void probe_hostile(void **state)
{
	struct bus *hub = probe_open_bus(BUS_HUB, "h1"), *node = probe_open_bus(BUS_NODE, "n1");
	struct bus *submitter = probe_open_bus(BUS_SUBMITTER, "s1"), *enemy = probe_open_bus(BUS_ADMIN, "e1");
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
	probe_set_up(hub, 100);
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
	assert_int_equal(probe_submit(enemy, "good", "acme", &place), FLEET_OK);
	answer = probe_read_lane(hub, "acme", 0, 2);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_jobs, 1);
	assert_int_equal(probe_job_at(&answer, 0)->place, place);
	fleet_answer_finish(&answer);
	expect_cleared(hub);

	flood(enemy, "aisbx.state.acme.j1");
	flood(enemy, "aisbx.term");
	assert_int_equal(bus_flush(enemy, 10000, &(struct aisbx_error){ 0 }), 0);
	assert_int_equal(probe_ask_kind(hub, &record, &revision), FLEET_FAILED);
	assert_true(revision > 0);
	assert_int_equal(probe_ask_kind(hub, &term, &revision), FLEET_FAILED);
	assert_true(revision > 0);
	bus_close(enemy);
	bus_close(submitter);
	bus_close(node);
	bus_close(hub);
}
