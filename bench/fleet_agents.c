/* SPDX-License-Identifier: Apache-2.0 */
/* Many nodes in one process, by the real protocol and with a connection each, but without boxes: a job only
 * waits. And a submitter of any tenants' jobs, which carry the time. bench/fleet.py starts it.
 * usage: fleet-agents nodes URL PREFIX COUNT SLOTS RUN_MS      until SIGTERM; then prints what was seen, as
 * JSON fleet-agents submit URL TENANT N PER_SECOND PREFIX   TENANT may end with %u: a number from 0 to 999
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"
#include "fleet/bus/bus.h"
#include "fleet/core/node.h"

#define TICK_MS   5
#define UNDER_WAY 512
#define TENANTS   1000
#define SMALL     "small" /* whose waits are told one by one */

struct running {
	struct running *next;
	char job[FLEET_NAME];
	struct fleet_token token;
	uint64_t until_ms;
};

struct agent {
	struct fleet_node *node; /* owned, as all here */
	struct bus *bus;
	struct running *first, **last; /* in the order in which they end */
};

static struct {
	unsigned run_ms;
	uint64_t started, beats, heard;
	uint64_t *waits; /* of SMALL, in us */
	size_t n_waits, room;
} seen;
static volatile sig_atomic_t over;

static void die(const char *what)
{
	fprintf(stderr, "fleet-agents: %s\n", what);
	exit(1);
}

static void on_term(int signal)
{
	(void)signal;
	over = 1;
}

static struct fleet_now now(void)
{
	return (struct fleet_now){ .ms = time_ms(), .wall_ms = (uint64_t)time(NULL) * 1000 };
}

static struct bus *open_bus(const char *url, enum bus_role role, const char *name)
{
	struct bus_options options = {
		.url = url, .role = role, .name = name, .tenant = "bench", .connect_ms = 60000
	};
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct bus *bus = NULL;

	if (bus_open(&options, &bus, &e) < 0)
		die(e.text);
	return bus;
}

static void note_wait(const struct fleet_job *job)
{
	if (strcmp(job->tenant, SMALL) != 0)
		return;
	if (seen.n_waits == seen.room) {
		seen.room = seen.room ? 2 * seen.room : 1024;
		seen.waits = realloc(seen.waits, seen.room * sizeof(*seen.waits));
		if (!seen.waits)
			die("no memory");
	}
	seen.waits[seen.n_waits++] = time_us() - strtoull(fleet_text_data(job->body), NULL, 10);
}

static void start(struct agent *a, const struct fleet_action *action)
{
	struct running *r = calloc(1, sizeof(*r));

	if (!r)
		die("no memory");
	note_wait(&action->job);
	seen.started++;
	memcpy(r->job, action->job.id, sizeof(r->job));
	r->token = action->token;
	r->until_ms = time_ms() + seen.run_ms;
	*a->last = r;
	a->last = &r->next;
}

static void perform(struct agent *a, struct fleet_actions *out)
{
	for (size_t i = 0; i < out->n; i++) {
		const struct fleet_action *action = &out->items[i];

		if (action->kind == FLEET_SEND)
			bus_send(a->bus, &action->message);
		else if (action->kind == FLEET_ASK)
			bus_ask(a->bus, &action->ask);
		else if (action->kind == FLEET_START)
			start(a, action);
		seen.beats += action->kind == FLEET_SEND && action->message.kind == FLEET_MSG_BEAT;
	}
	fleet_actions_finish(out);
}

static void end_jobs(struct agent *a, struct fleet_actions *out)
{
	while (a->first && a->first->until_ms <= time_ms()) {
		struct running *r = a->first;
		struct fleet_text *text = fleet_text_new("{}", 2);

		a->first = r->next;
		if (!a->first)
			a->last = &a->first;
		fleet_node_ended(a->node, now(), r->job, r->token, text, out);
		fleet_text_drop(text);
		free(r);
	}
}

static void step(struct agent *a)
{
	struct fleet_actions out = { 0 };
	struct bus_event event;

	while (bus_next(a->bus, &event)) {
		seen.heard += event.kind == BUS_MESSAGE;
		if (event.kind == BUS_MESSAGE)
			fleet_node_message(a->node, now(), &event.message, &out);
		else if (event.kind == BUS_ANSWER)
			fleet_node_answer(a->node, now(), &event.answer, &out);
		else if (event.kind == BUS_CLOSED)
			die(event.text);
		bus_event_finish(&event);
	}
	end_jobs(a, &out);
	if (fleet_node_next(a->node) <= time_ms())
		fleet_node_tick(a->node, now(), &out);
	perform(a, &out);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t wait_at(unsigned percent)
{
	return seen.n_waits ? seen.waits[seen.n_waits * percent / 100] : 0;
}

static void tell(void)
{
	if (seen.n_waits)
		qsort(seen.waits, seen.n_waits, sizeof(*seen.waits), compare);
	printf("{\"started\":%" PRIu64 ",\"beats\":%" PRIu64 ",\"heard\":%" PRIu64
	       ",\"waits\":%zu,\"p50_us\":%" PRIu64 ",\"p99_us\":%" PRIu64 "}\n",
	       seen.started, seen.beats, seen.heard, seen.n_waits, wait_at(50), wait_at(99));
	fflush(stdout);
}

static void begin(struct agent *a, const char *url, const char *prefix, unsigned number, unsigned slots,
		  int poller)
{
	struct fleet_node_options options = FLEET_NODE_OPTIONS;
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = a };

	snprintf(options.name, sizeof(options.name), "%.40s%u", prefix, number);
	options.slots = slots;
	options.incarnation = now().wall_ms;
	a->last = &a->first;
	a->bus = open_bus(url, BUS_NODE, options.name);
	a->node = fleet_node_create(&options);
	if (epoll_ctl(poller, EPOLL_CTL_ADD, bus_fd(a->bus), &event) < 0)
		die("epoll_ctl");
}

static void be_nodes(const char *url, const char *prefix, unsigned count, unsigned slots)
{
	struct agent *agents = calloc(count, sizeof(*agents));
	struct epoll_event events[256];
	int poller = epoll_create1(EPOLL_CLOEXEC);
	uint64_t due = 0;

	if (!agents || poller < 0)
		die("no memory");
	for (unsigned i = 0; i < count; i++) {
		begin(&agents[i], url, prefix, i, slots, poller);
		step(&agents[i]); /* the first beat: so they are spread over the time that it takes */
	}
	printf("ready\n");
	fflush(stdout);
	while (!over) {
		int n = epoll_wait(poller, events, 256, TICK_MS);

		for (int i = 0; i < n; i++)
			step(events[i].data.ptr);
		if (time_ms() < due)
			continue;
		due = time_ms() + TICK_MS;
		for (unsigned i = 0; i < count; i++)
			if ((agents[i].first && agents[i].first->until_ms <= time_ms()) ||
			    fleet_node_next(agents[i].node) <= time_ms())
				step(&agents[i]);
	}
	tell();
	_exit(0); /* thousands of connections need not be closed one by one */
}

static void submit_one(struct bus *bus, const char *tenant, const char *prefix, unsigned i)
{
	struct fleet_ask a = { .kind = FLEET_ASK_SUBMIT, .number = i + 1 };
	char text[64];

	a.job = (struct fleet_job){ .priority = 5, .attempts = 3, .class = FLEET_ANY, .submitter = "bench" };
	snprintf(a.job.id, sizeof(a.job.id), "%.40s%u", prefix, i);
	if (strstr(tenant, "%u"))
		snprintf(a.job.tenant, sizeof(a.job.tenant), "%.*s%u", (int)(strstr(tenant, "%u") - tenant),
			 tenant, i % TENANTS);
	else
		snprintf(a.job.tenant, sizeof(a.job.tenant), "%.40s", tenant);
	snprintf(text, sizeof(text), "%" PRIu64, time_us());
	a.job.body = fleet_text_new(text, strlen(text));
	bus_ask(bus, &a);
	fleet_ask_finish(&a);
}

static void be_submitter(const char *url, const char *tenant, unsigned n, double per_second,
			 const char *prefix)
{
	struct bus *bus = open_bus(url, BUS_SUBMITTER, "bench");
	struct pollfd p = { .fd = bus_fd(bus), .events = POLLIN };
	const uint64_t began = time_us();
	unsigned sent = 0, done = 0;

	while (done < n && !over) {
		struct bus_event event;

		while (sent < n && sent - done < UNDER_WAY &&
		       (double)(time_us() - began) >= sent / per_second * 1e6)
			submit_one(bus, tenant, prefix, sent++);
		poll(&p, 1, 1);
		while (bus_next(bus, &event)) {
			if (event.kind == BUS_ANSWER && event.answer.kind != FLEET_OK)
				die(fleet_answer_name(event.answer.kind));
			done += event.kind == BUS_ANSWER;
			bus_event_finish(&event);
		}
	}
	printf("{\"submitted\":%u,\"per_s\":%.0f}\n", done, done * 1e6 / (double)(time_us() - began + 1));
	bus_close(bus);
}

int main(int argc, char **argv)
{
	struct rlimit files;

	if (argc != 7)
		die("usage: fleet-agents nodes URL PREFIX COUNT SLOTS RUN_MS | fleet-agents submit URL "
		    "TENANT N "
		    "PER_SECOND PREFIX");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_term);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (!strcmp(argv[1], "nodes")) {
		seen.run_ms = (unsigned)atoi(argv[6]);
		be_nodes(argv[2], argv[3], (unsigned)atoi(argv[4]), (unsigned)atoi(argv[5]));
	} else {
		be_submitter(argv[2], argv[3], (unsigned)atoi(argv[4]), atof(argv[5]), argv[6]);
	}
	return 0;
}
