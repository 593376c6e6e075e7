/* SPDX-License-Identifier: Apache-2.0 */
/* Part of bus-probe: every question to the engine, and many lanes. */
#include "fleet/bus_probe.h"

static void ask_jobs(struct bus *bus)
{
	struct fleet_ask forget = { .kind = FLEET_ASK_FORGET, .class = FLEET_ANY, .tenant = "acme" };
	struct fleet_answer answer;
	uint64_t first, again, second, third;

	answer = probe_read_lane(bus, "acme", 0, 10);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_jobs, 0);
	fleet_answer_finish(&answer);
	assert_int_equal(probe_submit(bus, "j1", "acme", &first), FLEET_OK);
	assert_true(first > 0);
	assert_int_equal(probe_submit(bus, "j1", "acme", &again), FLEET_OK);
	assert_int_equal(again, first);
	/* The same id of another tenant is another job. */
	assert_int_equal(probe_submit(bus, "j1", "other", &again), FLEET_OK);
	assert_int_not_equal(again, first);
	assert_int_equal(probe_submit(bus, "j2", "acme", &second), FLEET_OK);
	assert_int_equal(probe_submit(bus, "j3", "acme", &third), FLEET_OK);
	assert_int_equal(probe_submit(bus, "j4", "acme", NULL), FLEET_FULL);
	answer = probe_read_lane(bus, "acme", 0, 2);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_jobs, 2);
	assert_int_equal(probe_job_at(&answer, 0)->place, first);
	assert_string_equal(probe_job_at(&answer, 1)->job.id, "j2");
	assert_int_equal(fleet_text_len(probe_job_at(&answer, 1)->job.body), 12);
	fleet_answer_finish(&answer);
	answer = probe_read_lane(bus, "acme", second, 64);
	assert_int_equal(answer.n_jobs, 1);
	assert_int_equal(probe_job_at(&answer, 0)->place, third);
	fleet_answer_finish(&answer);
	forget.place = second;
	assert_int_equal(probe_ask_kind(bus, &forget, NULL), FLEET_OK);
	assert_int_equal(probe_ask_kind(bus, &forget, NULL), FLEET_OK);
	forget.place = first;
	assert_int_equal(probe_ask_kind(bus, &forget, NULL), FLEET_OK);
	assert_int_equal(probe_ask_kind(bus, &forget, NULL), FLEET_OK);
	forget.place = 1000000;
	assert_int_equal(probe_ask_kind(bus, &forget, NULL), FLEET_OK);
	forget.place = 0;
	assert_int_equal(probe_ask_kind(bus, &forget, NULL), FLEET_FAILED);
	assert_int_equal(probe_submit(bus, "j4", "acme", NULL), FLEET_OK);
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

	assert_int_equal(probe_ask_kind(bus, &read, NULL), FLEET_NOT_THERE);
	put.expected = 5;
	assert_int_equal(probe_ask_kind(bus, &put, &there), FLEET_CONFLICT);
	assert_int_equal(there, 0);
	put.expected = 0;
	assert_int_equal(probe_ask_kind(bus, &put, &claim), FLEET_OK);
	assert_int_equal(probe_ask_kind(bus, &put, &there), FLEET_CONFLICT);
	assert_int_equal(there, claim);
	put.expected = claim;
	put.record.phase = FLEET_ENDED;
	put.record.token = (struct fleet_token){ 7, claim };
	put.record.result = fleet_text_new("done", 4);
	assert_int_equal(probe_ask_kind(bus, &put, &ended), FLEET_OK);
	assert_true(ended > claim);
	answer = probe_ask(bus, &read);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.revision, ended);
	assert_int_equal(answer.record.phase, FLEET_ENDED);
	assert_int_equal(answer.record.token.revision, claim);
	assert_string_equal(fleet_text_data(answer.record.result), "done");
	fleet_answer_finish(&answer);
	fleet_ask_finish(&put);
	/* No name: nothing is sent. */
	snprintf(read.id, sizeof(read.id), "a.b");
	assert_int_equal(probe_ask_kind(bus, &read, NULL), FLEET_FAILED);
}

static void ask_terms(struct bus *bus)
{
	struct fleet_ask read = { .kind = FLEET_ASK_TERM };
	struct fleet_ask put = { .kind = FLEET_ASK_PUT_TERM, .term = { .hub = "h1", .epoch = 9, .beat = 1 } };
	struct fleet_answer answer;
	uint64_t revision;

	assert_int_equal(probe_ask_kind(bus, &read, NULL), FLEET_NOT_THERE);
	assert_int_equal(probe_ask_kind(bus, &put, &revision), FLEET_OK);
	put.term.beat = 2;
	assert_int_equal(probe_ask_kind(bus, &put, NULL), FLEET_CONFLICT);
	put.expected = revision;
	assert_int_equal(probe_ask_kind(bus, &put, &revision), FLEET_OK);
	answer = probe_ask(bus, &read);
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

		bus_put(bus, ++probe_numbers, "aisbx.history.n1", last, text, (size_t)n);
		event = probe_wait_for(bus, BUS_ANSWER);
		assert_int_equal(event.answer.kind, FLEET_OK);
		last = event.answer.revision;
		bus_event_finish(&event);
	}
	bus_put(bus, ++probe_numbers, "aisbx.history.n1", last - 1, "x", 1);
	event = probe_wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.kind, FLEET_CONFLICT);
	assert_int_equal(event.answer.revision, last);
	bus_event_finish(&event);
	bus_purge(bus, ++probe_numbers, "AISBX_HISTORY", "aisbx.history.n1", last - 3);
	event = probe_wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.kind, FLEET_OK);
	bus_event_finish(&event);
	bus_read(bus, ++probe_numbers, "AISBX_HISTORY", "aisbx.history.*", 0, 100);
	for (int i = 7; i < 10; i++) {
		event = probe_wait_for(bus, BUS_DATA);
		snprintf(text, sizeof(text), "row %d", i);
		assert_string_equal(event.data, text);
		assert_string_equal(event.subject, "aisbx.history.n1");
		assert_int_equal(event.number, probe_numbers);
		bus_event_finish(&event);
	}
	event = probe_wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.kind, FLEET_OK);
	assert_int_equal(event.answer.revision, last);
	bus_event_finish(&event);
}

void probe_asks(void **state)
{
	struct bus *bus = probe_open_bus(BUS_HUB, "h1");
	struct fleet_ask bury = { .kind = FLEET_ASK_BURY,
				  .job = probe_job("j9", "acme", FLEET_ANY),
				  .record = { .phase = FLEET_DEAD, .attempt = 3 } };
	struct fleet_ask lanes = { .kind = FLEET_ASK_LANES };
	struct fleet_answer answer;
	struct bus_event event;

	(void)state;
	probe_set_up(bus, 3);
	answer = probe_ask(bus, &lanes);
	assert_int_equal(answer.kind, FLEET_OK);
	assert_int_equal(answer.n_lanes, 0);
	fleet_answer_finish(&answer);
	ask_jobs(bus);
	ask_records(bus);
	ask_terms(bus);
	ask_rows(bus);
	assert_int_equal(probe_ask_kind(bus, &bury, NULL), FLEET_OK);
	fleet_ask_finish(&bury);
	bus_read(bus, ++probe_numbers, "AISBX_DEAD", "aisbx.dead.acme.*", 0, 10);
	event = probe_wait_for(bus, BUS_DATA);
	assert_non_null(strstr(event.data, "\"j9\""));
	bus_event_finish(&event);
	event = probe_wait_for(bus, BUS_ANSWER);
	bus_event_finish(&event);
	answer = probe_ask(bus, &lanes);
	assert_int_equal(answer.n_lanes, 2);
	fleet_answer_finish(&answer);
	bus_close(bus);
}

/* A stream that is not there: FAILED, soon. */
void probe_bare(void **state)
{
	struct bus *bus = probe_open_bus(BUS_ADMIN, "a1");
	struct fleet_ask lanes = { .kind = FLEET_ASK_LANES }, term = { .kind = FLEET_ASK_TERM };

	(void)state;
	assert_int_equal(probe_submit(bus, "j1", "acme", NULL), FLEET_FAILED);
	assert_int_equal(probe_ask_kind(bus, &lanes, NULL), FLEET_FAILED);
	assert_int_equal(probe_ask_kind(bus, &term, NULL), FLEET_FAILED);
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
			struct fleet_ask a = { .kind = FLEET_ASK_SUBMIT, .number = ++probe_numbers };
			char id[32], tenant[32];

			snprintf(id, sizeof(id), "job%u", sent);
			snprintf(tenant, sizeof(tenant), "t%u", sent % LANES);
			a.job = probe_job(id, tenant, FLEET_ANY);
			bus_ask(bus, &a);
			fleet_ask_finish(&a);
		}
		event = probe_wait_for(bus, BUS_ANSWER);
		assert_int_equal(event.answer.kind, FLEET_OK);
		bus_event_finish(&event);
		done++;
	}
}

void probe_lanes(void **state)
{
	struct bus *hub = probe_open_bus(BUS_HUB, "h1"), *bus = probe_open_bus(BUS_SUBMITTER, "s1");
	struct fleet_ask lanes = { .kind = FLEET_ASK_LANES };
	struct fleet_answer all;
	struct bus_event event;
	size_t found = 0;

	(void)state;
	probe_set_up(hub, 100000);
	submit_all(bus);
	for (int i = 0; i < LANES * EACH; i++) {
		event = probe_wait_for(hub, BUS_LANE);
		assert_string_equal(event.class, FLEET_ANY);
		bus_event_finish(&event);
	}
	all = probe_ask(hub, &lanes);
	assert_int_equal(all.kind, FLEET_OK);
	assert_int_equal(all.n_lanes, LANES);
	for (size_t i = 0; i < all.n_lanes; i++) {
		struct fleet_answer lane = probe_read_lane(hub, all.lanes[i].tenant, 0, 64);

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
