/* SPDX-License-Identifier: Apache-2.0 */
/* Reading many messages of a stream by one question: they come one by one, each naming the one before, then
 * an end. One that is missing makes the rest useless: places are never read again. */
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "fleet/bus/parts.h"
#include "fleet/core/memory.h"
#include "fleet/wire/wire.h"

#define TRIES_MOST 8

/* Of a version that this program does not know. */
static bool is_newer(natsMsg *msg)
{
	json_t *root = json_loadb(natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg),
				  JSON_REJECT_DUPLICATES, NULL);
	bool newer = json_integer_value(json_object_get(root, "v")) > WIRE_VERSION;

	json_decref(root);
	return newer;
}

/* "2026-01-31T23:59:59.123456789Z"; 0: it is none. */
static uint64_t stored_at(natsMsg *msg)
{
	char text[40];
	struct tm parts = { 0 };
	uint64_t ms = 0;
	const char *rest;
	time_t s;

	reply_header(msg, "Nats-Time-Stamp", text, sizeof(text));
	rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
	if (!rest || (*rest != '.' && *rest != 'Z'))
		return 0;
	if (*rest == '.')
		for (uint64_t scale = 100; scale && *++rest >= '0' && *rest <= '9'; scale /= 10)
			ms += scale * (uint64_t)(*rest - '0');
	s = timegm(&parts);
	return s > 0 ? (uint64_t)s * 1000 + ms : 0;
}

static void add_job(struct bus *bus, struct asked *asked, natsMsg *msg, uint64_t place)
{
	struct fleet_answer *a = &asked->answer;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_job job;
	int r = wire_job_decode(natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg), &job, &e);

	if (r == 0 && strcmp(job.class, asked->class) == 0 && strcmp(job.tenant, asked->tenant) == 0) {
		a->jobs = fleet_grow(a->jobs, &asked->jobs_room, a->n_jobs + 1, sizeof(*a->jobs));
		a->jobs[a->n_jobs++] = (struct fleet_placed_job){ .place = place,
								  .stored_wall_ms = stored_at(msg),
								  .job = job };
		asked->limit--;
		return;
	}
	if (r == 0) {
		bus->counts.pretended++;
		fleet_job_finish(&job);
	} else {
		bus->counts.malformed++;
	}
	/* It would stay for ever at the head of the lane, and count as one of those that it may hold. That of
	 * a newer version stays: there is a hub that knows it. */
	if (bus->role == BUS_HUB && !is_newer(msg))
		ask_delete(bus, place, NULL);
}

static void add_data(struct bus *bus, struct asked *asked, natsMsg *msg, uint64_t place)
{
	struct bus_event *event = bus_event_add(bus, BUS_DATA);

	event->number = asked->answer.number;
	event->place = place;
	event->len = (size_t)natsMsg_GetDataLength(msg);
	event->data = fleet_new(event->len + 1);
	if (event->len)
		memcpy(event->data, natsMsg_GetData(msg), event->len);
	reply_header(msg, "Nats-Subject", event->subject, sizeof(event->subject));
	asked->answer.revision = place;
	asked->limit--;
}

static void take_one(struct bus *bus, struct asked *asked, natsMsg *msg)
{
	uint64_t place = reply_number(msg, "Nats-Sequence");

	if (place <= asked->after || reply_number(msg, "Nats-Last-Sequence") != asked->last)
		asked->broken = true;
	if (asked->broken)
		return;
	asked->last = asked->after = place;
	if (asked->what == ASKED_READ)
		add_data(bus, asked, msg, place);
	else
		add_job(bus, asked, msg, place);
}

static void fail(struct bus *bus, struct asked *asked)
{
	struct fleet_answer nothing = { .number = asked->answer.number, .revision = asked->answer.revision };

	fleet_answer_finish(&asked->answer);
	asked->answer = nothing;
	asked_finish(bus, asked, FLEET_FAILED);
}

/* PENDING: what the lane holds behind the batch, as far as the server that answered knows. */
static void take_end(struct bus *bus, struct asked *asked, uint64_t pending)
{
	if (pending > 0 && asked->limit > 0 && asked->last > 0) {
		ask_batch(bus, asked);
		return;
	}
	if (asked->what == ASKED_FLEET && asked->limit > 0 &&
	    hint_is_ahead(bus, asked->class, asked->tenant, asked->after)) {
		if (asked->tries++ < TRIES_MOST) {
			bus->counts.stale++;
			ask_batch(bus, asked);
			return;
		}
		/* Then that job is out of the lane again. */
		hint_forget(bus, asked->tenant);
	}
	asked_finish(bus, asked, FLEET_OK);
}

void batch_take(struct bus *bus, struct asked *asked, natsMsg *msg)
{
	int status = reply_status(msg);

	switch (status) {
	case 0:
		take_one(bus, asked, msg);
		break;
	case 204:
		if (asked->broken || reply_number(msg, "Nats-Last-Sequence") != asked->last)
			fail(bus, asked);
		else
			take_end(bus, asked, reply_number(msg, "Nats-Num-Pending"));
		break;
	case 404:
		take_end(bus, asked, 0);
		break;
	default:
		fail(bus, asked);
	}
}
