/* SPDX-License-Identifier: Apache-2.0 */
/* The bus against a real server, whose address is $NATS_URL: pytest starts both (test_bus.py).
 * usage: bus-probe asks|bare|hostile|lanes|messages|open|restart|streams */
#include "fleet/bus_probe.h"

#include <poll.h>

#include "base/time.h"

uint64_t probe_numbers;

struct bus *probe_open_bus(enum bus_role role, const char *name)
{
	struct bus_options options = { .url = getenv("NATS_URL"),
				       .role = role,
				       .name = name,
				       .tenant = "acme",
				       .creds = getenv("NATS_CREDS"),
				       .ca = getenv("NATS_CA"),
				       .connect_ms = 30000 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *wait = getenv("NATS_CONNECT_MS");
	struct bus *bus = NULL;

	if (wait)
		options.connect_ms = strtoull(wait, NULL, 10);
	if (bus_open(&options, &bus, &e) < 0)
		fail_msg("%s", e.text);
	return bus;
}

void probe_set_up(struct bus *bus, uint64_t cap)
{
	struct bus_streams streams = { .replicas = getenv("NATS_REPLICAS") ? 3 : 1,
				       .lane_cap = cap,
				       .record_age_ms = 3600000 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (bus_setup(bus, &streams, &e) < 0)
		fail_msg("%s", e.text);
}

struct bus_event probe_wait_for(struct bus *bus, enum bus_event_kind kind)
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

struct fleet_answer probe_ask(struct bus *bus, struct fleet_ask *a)
{
	struct bus_event event;

	a->number = ++probe_numbers;
	bus_ask(bus, a);
	event = probe_wait_for(bus, BUS_ANSWER);
	assert_int_equal(event.answer.number, a->number);
	return event.answer;
}

enum fleet_answer_kind probe_ask_kind(struct bus *bus, struct fleet_ask *a, uint64_t *ret_revision)
{
	struct fleet_answer answer = probe_ask(bus, a);
	enum fleet_answer_kind kind = answer.kind;

	if (ret_revision)
		*ret_revision = answer.revision;
	fleet_answer_finish(&answer);
	return kind;
}

struct fleet_job probe_job(const char *id, const char *tenant, const char *class)
{
	struct fleet_job j = { .effect = FLEET_REPEATABLE, .priority = 5, .attempts = 3 };

	snprintf(j.id, sizeof(j.id), "%s", id);
	snprintf(j.tenant, sizeof(j.tenant), "%s", tenant);
	snprintf(j.class, sizeof(j.class), "%s", class);
	snprintf(j.submitter, sizeof(j.submitter), "sub");
	j.body = fleet_text_new("{\"op\":\"run\"}", 12);
	return j;
}

enum fleet_answer_kind probe_submit(struct bus *bus, const char *id, const char *tenant, uint64_t *ret_place)
{
	struct fleet_ask a = { .kind = FLEET_ASK_SUBMIT, .job = probe_job(id, tenant, FLEET_ANY) };
	struct fleet_answer answer = probe_ask(bus, &a);
	enum fleet_answer_kind kind = answer.kind;

	if (kind == FLEET_FULL)
		assert_true(answer.wait_ms > 0);
	if (ret_place)
		*ret_place = answer.revision;
	fleet_ask_finish(&a);
	fleet_answer_finish(&answer);
	return kind;
}

struct fleet_answer probe_read_lane(struct bus *bus, const char *tenant, uint64_t place, unsigned limit)
{
	struct fleet_ask a = { .kind = FLEET_ASK_LANE, .class = FLEET_ANY, .place = place, .limit = limit };

	snprintf(a.tenant, sizeof(a.tenant), "%s", tenant);
	return probe_ask(bus, &a);
}

const struct fleet_placed_job *probe_job_at(const struct fleet_answer *answer, size_t i)
{
	if (i >= answer->n_jobs || !answer->jobs) {
		fail_msg("there are %zu jobs", answer->n_jobs);
		abort();
	}
	return &answer->jobs[i];
}

/* Somebody else's stream of the same name. */
static void probe_streams(void **state)
{
	struct bus *bus = probe_open_bus(BUS_HUB, "h1");
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
	probe_set_up(bus, 10);
	probe_set_up(bus, 10);
	probe_set_up(bus, 20);
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
	bus_close(probe_open_bus(BUS_NODE, "n1"));
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
