/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine costs, asked through the bus as hubs, nodes and submitters do: one JSON object per line.
 * bench/fleet_engine.py starts it with servers.
 * usage: fleet-engine URL REPLICAS ROUNDS            latencies and rates
 *        fleet-engine URL REPLICAS fill LANES EACH   puts jobs there */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "fleet/bus/bus.h"

#define UNDER_WAY 256
#define WINDOW    64
#define BODY      300 /* of a job: a command and its arguments */

static uint64_t numbers;
static struct bus *hub, *submitter;

static void die(const char *what)
{
	fprintf(stderr, "fleet-engine: %s\n", what);
	exit(1);
}

static struct bus *open_bus(const char *url, enum bus_role role, const char *name)
{
	struct bus_options options = { .url = url, .role = role, .name = name, .tenant = "t0", .connect_ms = 30000 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct bus *bus = NULL;

	if (bus_open(&options, &bus, &e) < 0)
		die(e.text);
	return bus;
}

static struct bus_event wait_for(struct bus *bus, enum bus_event_kind kind)
{
	struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };
	struct bus_event event;

	for (;;) {
		while (bus_next(bus, &event)) {
			if (event.kind == kind)
				return event;
			bus_event_finish(&event);
		}
		if (poll(&p, 1, 30000) == 0)
			die("nothing came for half a minute");
	}
}

static void put_job(struct fleet_ask *a, const char *prefix, unsigned i, unsigned lanes)
{
	static char body[BODY];

	memset(body, 'x', sizeof(body));
	*a = (struct fleet_ask){ .kind = FLEET_ASK_SUBMIT, .number = ++numbers };
	a->job = (struct fleet_job){ .priority = 5, .attempts = 3, .class = FLEET_ANY, .submitter = "s" };
	snprintf(a->job.id, sizeof(a->job.id), "%s%u", prefix, i);
	snprintf(a->job.tenant, sizeof(a->job.tenant), "t%u", i % lanes);
	a->job.body = fleet_text_new(body, sizeof(body));
}

static void put_claim(struct fleet_ask *a, const char *prefix, unsigned i, unsigned lanes)
{
	(void)lanes;
	*a = (struct fleet_ask){ .kind = FLEET_ASK_PUT, .number = ++numbers, .tenant = "t0" };
	snprintf(a->id, sizeof(a->id), "%s%u", prefix, i);
	a->record = (struct fleet_record){ .phase = FLEET_CLAIMED, .token = { 1, 0 }, .node = "n1", .attempt = 1 };
}

static void put_lane(struct fleet_ask *a, const char *prefix, unsigned i, unsigned lanes)
{
	(void)prefix;
	(void)i;
	(void)lanes;
	*a = (struct fleet_ask){ .kind = FLEET_ASK_LANE, .number = ++numbers, .class = FLEET_ANY, .tenant = "t0",
				 .limit = WINDOW };
}

static void put_record(struct fleet_ask *a, const char *prefix, unsigned i, unsigned lanes)
{
	(void)lanes;
	*a = (struct fleet_ask){ .kind = FLEET_ASK_RECORD, .number = ++numbers, .tenant = "t0" };
	snprintf(a->id, sizeof(a->id), "%s%u", prefix, i);
}

static void put_forget(struct fleet_ask *a, const char *prefix, unsigned i, unsigned lanes)
{
	(void)prefix;
	(void)lanes;
	*a = (struct fleet_ask){ .kind = FLEET_ASK_FORGET, .number = ++numbers, .class = FLEET_ANY, .tenant = "t0",
				 .place = i + 1 };
}

typedef void put_fn(struct fleet_ask *a, const char *prefix, unsigned i, unsigned lanes);

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *what, uint64_t *us, unsigned n)
{
	qsort(us, n, sizeof(*us), compare);
	printf("{\"what\":\"%s\",\"n\":%u,\"p50_us\":%" PRIu64 ",\"p99_us\":%" PRIu64 "}\n", what, n, us[n / 2],
	       us[(uint64_t)n * 99 / 100]);
	fflush(stdout);
}

/* One after the other. */
static void measure(const char *what, struct bus *bus, put_fn *put, const char *prefix, unsigned rounds)
{
	uint64_t *us = calloc(rounds, sizeof(*us));

	if (!us)
		die("no memory");
	for (unsigned i = 0; i < rounds; i++) {
		struct bus_event event;
		struct fleet_ask a;
		uint64_t began;

		put(&a, prefix, i, 1);
		began = time_us();
		bus_ask(bus, &a);
		event = wait_for(bus, BUS_ANSWER);
		us[i] = time_us() - began;
		if (event.answer.kind != FLEET_OK)
			die(what);
		bus_event_finish(&event);
		fleet_ask_finish(&a);
	}
	print_times(what, us, rounds);
	free(us);
}

/* So many at once; returns how many a second. */
static double rush(struct bus *bus, put_fn *put, const char *prefix, unsigned rounds, unsigned lanes)
{
	unsigned sent = 0, done = 0;
	uint64_t began = time_us();

	while (done < rounds) {
		struct bus_event event;

		for (; sent < rounds && sent - done < UNDER_WAY; sent++) {
			struct fleet_ask a;

			put(&a, prefix, sent, lanes);
			bus_ask(bus, &a);
			fleet_ask_finish(&a);
		}
		event = wait_for(bus, BUS_ANSWER);
		if (event.answer.kind != FLEET_OK) {
			fprintf(stderr, "fleet-engine: an answer is %s\n", fleet_answer_name(event.answer.kind));
			exit(1);
		}
		bus_event_finish(&event);
		done++;
	}
	return rounds * 1e6 / (double)(time_us() - began + 1);
}

static void print_rate(const char *what, double rate)
{
	printf("{\"what\":\"%s\",\"per_s\":%.0f}\n", what, rate);
	fflush(stdout);
}

/* A question to another program and its answer, without a stream. */
static void measure_request(unsigned rounds)
{
	uint64_t *us = calloc(rounds, sizeof(*us));
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (!us || bus_subscribe(hub, "aisbx.ask.echo", &e) < 0 || bus_subscribe(submitter, "echo.back", &e) < 0 ||
	    bus_flush(hub, 5000, &e) < 0 || bus_flush(submitter, 5000, &e) < 0)
		die(e.text);
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t began = time_us();
		struct bus_event event;

		bus_publish(submitter, "aisbx.ask.echo", "echo.back", "x", 1);
		event = wait_for(hub, BUS_DATA);
		bus_publish(hub, event.reply, NULL, "y", 1);
		bus_event_finish(&event);
		event = wait_for(submitter, BUS_DATA);
		bus_event_finish(&event);
		us[i] = time_us() - began;
	}
	print_times("request and reply", us, rounds);
	free(us);
}

/* From a submission to the job in the hub's hands: acknowledgement, hint, reading. */
static void measure_hint(unsigned rounds)
{
	uint64_t *us = calloc(rounds, sizeof(*us));
	struct bus_counts counts;
	uint64_t place = 0;

	if (!us)
		die("no memory");
	for (unsigned i = 0; i < rounds; i++) {
		struct fleet_ask a, lane = { .kind = FLEET_ASK_LANE, .class = FLEET_ANY, .tenant = "hinted", .limit = WINDOW };
		struct bus_event event;
		uint64_t began;

		put_job(&a, "hinted", i, 1);
		snprintf(a.job.tenant, sizeof(a.job.tenant), "hinted");
		began = time_us();
		bus_ask(submitter, &a);
		event = wait_for(submitter, BUS_ANSWER);
		bus_event_finish(&event);
		do
			event = wait_for(hub, BUS_LANE);
		while (strcmp(event.tenant, "hinted") != 0);
		lane.number = ++numbers;
		lane.place = place;
		bus_ask(hub, &lane);
		event = wait_for(hub, BUS_ANSWER);
		if (event.answer.kind != FLEET_OK || event.answer.n_jobs != 1)
			die("a hint came and the job could not be read");
		us[i] = time_us() - began;
		place = event.answer.jobs[0].place;
		bus_event_finish(&event);
		fleet_ask_finish(&a);
	}
	print_times("submission until a hub has the job", us, rounds);
	bus_count(hub, &counts);
	printf("{\"what\":\"of these, reads that were stale and repeated\",\"count\":%" PRIu64 "}\n", counts.stale);
	free(us);
}

static void measure_all(unsigned rounds)
{
	measure_request(rounds);
	measure("publish and acknowledgement (submit)", submitter, put_job, "a", rounds);
	measure("claim by compare-and-set", hub, put_claim, "a", rounds);
	measure("read a record (direct get)", hub, put_record, "a", rounds);
	measure("read 64 jobs of a lane (direct get, batch)", hub, put_lane, "", rounds);
	measure_hint(rounds);
	print_rate("submissions, 256 at once", rush(submitter, put_job, "b", rounds * 5, 100));
	print_rate("claims, 256 at once", rush(hub, put_claim, "b", rounds * 5, 1));
	print_rate("lanes of 64 jobs read, 256 at once", rush(hub, put_lane, "", rounds, 1));
	print_rate("places forgotten, 256 at once", rush(hub, put_forget, "", rounds * 5, 1));
}

int main(int argc, char **argv)
{
	struct bus_streams streams = { .lane_cap = 1000000, .record_age_ms = 3600000 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (argc != 4 && argc != 6)
		die("usage: fleet-engine URL REPLICAS ROUNDS | fleet-engine URL REPLICAS fill LANES EACH");
	streams.replicas = (unsigned)atoi(argv[2]);
	hub = open_bus(argv[1], BUS_HUB, "h");
	submitter = open_bus(argv[1], BUS_SUBMITTER, "s");
	if (bus_setup(hub, &streams, &e) < 0)
		die(e.text);
	if (argc == 6)
		print_rate("submissions while filling",
			   rush(submitter, put_job, "fill", (unsigned)(atoi(argv[4]) * atoi(argv[5])), (unsigned)atoi(argv[4])));
	else
		measure_all((unsigned)atoi(argv[3]));
	bus_close(submitter);
	bus_close(hub);
	return 0;
}
