/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the engine: each is one request, whose answers come to INBOX.NUMBER. What was asked is
 * remembered until the answer is whole, or for a minute. */
#include <inttypes.h>
#include <string.h>

#include "base/scope.h"
#include "base/time.h"
#include "fleet/bus/parts.h"
#include "fleet/core/memory.h"
#include "fleet/wire/subject.h"
#include "fleet/wire/wire.h"

#define FORGET_MS  60000
#define BATCH_MOST 256
#define NOTHING    UINT64_MAX /* no revision is expected */

#define HEADER_ID       "Nats-Msg-Id"
#define HEADER_EXPECTED "Nats-Expected-Last-Subject-Sequence"

static void asked_drop(struct bus *bus, struct asked *asked)
{
	fleet_table_remove(bus->asked, asked->key);
	if (asked->older)
		asked->older->newer = asked->newer;
	else
		bus->oldest = asked->newer;
	if (asked->newer)
		asked->newer->older = asked->older;
	else
		bus->newest = asked->older;
	free(asked);
}

void asked_finish(struct bus *bus, struct asked *asked, enum fleet_answer_kind kind)
{
	struct bus_event *event = bus_event_add(bus, BUS_ANSWER);

	event->answer = asked->answer;
	event->answer.kind = kind;
	asked_drop(bus, asked);
}

void asked_fail_all(struct bus *bus)
{
	while (bus->oldest) {
		struct fleet_answer nothing = { .number = bus->oldest->answer.number };

		fleet_answer_finish(&bus->oldest->answer);
		bus->oldest->answer = nothing;
		asked_finish(bus, bus->oldest, FLEET_FAILED);
	}
}

void asked_destroy_all(struct bus *bus)
{
	while (bus->oldest) {
		fleet_answer_finish(&bus->oldest->answer);
		asked_drop(bus, bus->oldest);
	}
}

/* NULL: this number is under way already. */
static struct asked *remember(struct bus *bus, uint64_t number, enum asked_kind what)
{
	struct asked *asked;
	uint64_t now = time_ms();

	while (bus->oldest && now - bus->oldest->since_ms > FORGET_MS) {
		fleet_answer_finish(&bus->oldest->answer);
		asked_drop(bus, bus->oldest);
	}
	asked = fleet_new(sizeof(*asked));
	snprintf(asked->key, sizeof(asked->key), "%" PRIu64, number);
	if (fleet_table_get(bus->asked, asked->key)) {
		free(asked);
		return NULL;
	}
	fleet_table_put(bus->asked, asked->key, asked);
	asked->what = what;
	asked->since_ms = now;
	asked->answer.number = number;
	asked->older = bus->newest;
	*(bus->newest ? &bus->newest->newer : &bus->oldest) = asked;
	bus->newest = asked;
	return asked;
}

/* Not sent is as if it was lost: no answer comes. One at once would only be asked again at once. */
static void request(struct bus *bus, const struct asked *asked, const char *subject, const void *data,
		    size_t len)
{
	char reply[sizeof(bus->inbox) + sizeof(asked->key)];

	snprintf(reply, sizeof(reply), "%s%s", bus->inbox, asked->key);
	if (bus_post(bus, subject, reply, data, len) != NATS_OK)
		bus->counts.unsent++;
}

/* ID: NULL, or what makes a second one the same for the engine. */
static void request_write(struct bus *bus, struct asked *asked, const char *subject, const char *id,
			  uint64_t expected, const void *data, size_t len)
{
	char reply[sizeof(bus->inbox) + sizeof(asked->key)], text[24];
	natsMsg *msg = NULL;
	natsStatus s;

	if (len > WIRE_MAX) {
		asked_finish(bus, asked, FLEET_FAILED);
		bus->counts.unsent++;
		return;
	}
	snprintf(reply, sizeof(reply), "%s%s", bus->inbox, asked->key);
	snprintf(text, sizeof(text), "%" PRIu64, expected);
	s = natsMsg_Create(&msg, subject, reply, data, (int)len);
	if (s == NATS_OK && id)
		s = natsMsgHeader_Set(msg, HEADER_ID, id);
	if (s == NATS_OK && expected != NOTHING)
		s = natsMsgHeader_Set(msg, HEADER_EXPECTED, text);
	if (s == NATS_OK)
		s = natsConnection_PublishMsg(bus->nc, msg);
	natsMsg_Destroy(msg);
	if (s != NATS_OK)
		bus->counts.unsent++;
}

void ask_batch(struct bus *bus, struct asked *asked)
{
	char subject[128], text[512];
	int n;

	asked->last = 0;
	asked->batch = asked->limit < BATCH_MOST ? asked->limit : BATCH_MOST;
	snprintf(subject, sizeof(subject), "$JS.API.DIRECT.GET.%s", asked->stream);
	n = snprintf(text, sizeof(text), "{\"seq\":%" PRIu64 ",\"next_by_subj\":\"%s\",\"batch\":%u}",
		     asked->after + 1, asked->subject, asked->batch);
	request(bus, asked, subject, text, (size_t)n);
}

void ask_lanes(struct bus *bus, struct asked *asked)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "{\"subjects_filter\":\"aisbx.jobs.>\",\"offset\":%" PRIu64 "}",
			 asked->last);

	request(bus, asked, "$JS.API.STREAM.INFO." STREAM_JOBS, text, (size_t)n);
}

static int ask_submit(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	scoped(buf_finish) struct buf text = { 0 };
	char subject[SUBJECT_MAX], id[2 * FLEET_NAME];

	if (subject_of_lane(ask->job.class, ask->job.tenant, subject) < 0 ||
	    wire_job_encode(&ask->job, &text) < 0)
		return -1;
	snprintf(asked->class, sizeof(asked->class), "%s", ask->job.class);
	snprintf(asked->tenant, sizeof(asked->tenant), "%s", ask->job.tenant);
	/* Ids of jobs are unique within their tenant, those of messages within the stream. */
	snprintf(id, sizeof(id), "%s.%s", ask->job.tenant, ask->job.id);
	request_write(bus, asked, subject, id, NOTHING, text.data, text.len);
	return 0;
}

static int ask_lane(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	if (subject_of_lane(ask->class, ask->tenant, asked->subject) < 0 || ask->limit == 0)
		return -1;
	snprintf(asked->stream, sizeof(asked->stream), STREAM_JOBS);
	snprintf(asked->class, sizeof(asked->class), "%s", ask->class);
	snprintf(asked->tenant, sizeof(asked->tenant), "%s", ask->tenant);
	asked->after = ask->place;
	asked->limit = ask->limit;
	ask_batch(bus, asked);
	return 0;
}

static int ask_forget(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	char reply[sizeof(bus->inbox) + sizeof(asked->key)];

	if (ask->place == 0)
		return -1;
	snprintf(reply, sizeof(reply), "%s%s", bus->inbox, asked->key);
	ask_delete(bus, ask->place, reply);
	return 0;
}

void ask_delete(struct bus *bus, uint64_t place, const char *reply)
{
	char text[64];
	/* Without overwriting it on the disk, which would be another write and keeps no secret: blocks are
	 * copied. */
	int n = snprintf(text, sizeof(text), "{\"seq\":%" PRIu64 ",\"no_erase\":true}", place);

	if (bus_post(bus, "$JS.API.STREAM.MSG.DELETE." STREAM_JOBS, reply, text, (size_t)n) != NATS_OK)
		bus->counts.unsent++;
}

static int ask_record(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	char subject[SUBJECT_MAX], get[SUBJECT_MAX + 64];

	if (subject_of_record(ask->tenant, ask->id, subject) < 0)
		return -1;
	snprintf(asked->answer.id, sizeof(asked->answer.id), "%s", ask->id);
	snprintf(asked->answer.tenant, sizeof(asked->answer.tenant), "%s", ask->tenant);
	snprintf(get, sizeof(get), "$JS.API.DIRECT.GET." STREAM_STATE ".%s", subject);
	request(bus, asked, get, NULL, 0);
	return 0;
}

static int ask_put(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	scoped(buf_finish) struct buf text = { 0 };
	char subject[SUBJECT_MAX];

	if (subject_of_record(ask->tenant, ask->id, subject) < 0 ||
	    wire_record_encode(&ask->record, &text) < 0)
		return -1;
	request_write(bus, asked, subject, NULL, ask->expected, text.data, text.len);
	return 0;
}

static int ask_bury(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	scoped(buf_finish) struct buf text = { 0 };
	char subject[SUBJECT_MAX];
	const struct wire_letter letter = { .job = ask->job,
					    .record = ask->record,
					    .at_wall_ms = ask->wall_ms };

	if (subject_of_dead(ask->job.tenant, ask->job.id, subject) < 0 ||
	    wire_letter_encode(&letter, &text) < 0)
		return -1;
	request_write(bus, asked, subject, NULL, NOTHING, text.data, text.len);
	return 0;
}

static int ask_put_term(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	scoped(buf_finish) struct buf text = { 0 };

	if (wire_term_encode(&ask->term, &text) < 0)
		return -1;
	request_write(bus, asked, SUBJECT_TERM, NULL, ask->expected, text.data, text.len);
	return 0;
}

static int ask_by_kind(struct bus *bus, const struct fleet_ask *ask, struct asked *asked)
{
	switch (ask->kind) {
	case FLEET_ASK_SUBMIT:
		return ask_submit(bus, ask, asked);
	case FLEET_ASK_LANES:
		ask_lanes(bus, asked);
		return 0;
	case FLEET_ASK_LANE:
		return ask_lane(bus, ask, asked);
	case FLEET_ASK_FORGET:
		return ask_forget(bus, ask, asked);
	case FLEET_ASK_RECORD:
		return ask_record(bus, ask, asked);
	case FLEET_ASK_PUT:
		return ask_put(bus, ask, asked);
	case FLEET_ASK_BURY:
		return ask_bury(bus, ask, asked);
	case FLEET_ASK_TERM:
		request(bus, asked, "$JS.API.DIRECT.GET." STREAM_TERM "." SUBJECT_TERM, NULL, 0);
		return 0;
	case FLEET_ASK_PUT_TERM:
		return ask_put_term(bus, ask, asked);
	}
	return -1;
}

void bus_ask(struct bus *bus, const struct fleet_ask *ask)
{
	struct asked *asked = remember(bus, ask->number, ASKED_FLEET);

	if (!asked)
		return;
	asked->kind = ask->kind;
	/* What cannot be written at all will not be the next time, either. */
	if (ask_by_kind(bus, ask, asked) < 0)
		asked_finish(bus, asked, FLEET_FAILED);
}

void bus_put(struct bus *bus, uint64_t number, const char *subject, uint64_t expected, const void *data,
	     size_t len)
{
	struct asked *asked = remember(bus, number, ASKED_PUT);

	if (asked)
		request_write(bus, asked, subject, NULL, expected, data, len);
}

void bus_read(struct bus *bus, uint64_t number, const char *stream, const char *subject, uint64_t place,
	      unsigned limit)
{
	struct asked *asked = remember(bus, number, ASKED_READ);

	if (!asked)
		return;
	if (strlen(stream) >= sizeof(asked->stream) || strlen(subject) >= sizeof(asked->subject) ||
	    limit == 0) {
		asked_finish(bus, asked, FLEET_FAILED);
		return;
	}
	strcpy(asked->stream, stream);
	strcpy(asked->subject, subject);
	asked->after = place;
	asked->limit = limit;
	ask_batch(bus, asked);
}

void bus_purge(struct bus *bus, uint64_t number, const char *stream, const char *subject, uint64_t place)
{
	struct asked *asked = remember(bus, number, ASKED_PURGE);
	char api[128], text[512];
	int n;

	if (!asked)
		return;
	snprintf(api, sizeof(api), "$JS.API.STREAM.PURGE.%s", stream);
	n = snprintf(text, sizeof(text), "{\"filter\":\"%s\",\"seq\":%" PRIu64 "}", subject, place + 1);
	if (n < 0 || (size_t)n >= sizeof(text))
		asked_finish(bus, asked, FLEET_FAILED);
	else
		request(bus, asked, api, text, (size_t)n);
}
