/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the engine, each to its question. */
#include <jansson.h>
#include <string.h>

#include "base/scope.h"
#include "fleet/bus/parts.h"
#include "fleet/core/memory.h"
#include "fleet/wire/subject.h"
#include "fleet/wire/wire.h"

/* err_code of JetStream; nats.h knows them by longer names */
#define WRONG_LAST_SEQUENCE JSStreamWrongLastSequenceErr
#define STORE_FAILED        JSStreamStoreFailedErr /* "maximum messages per subject exceeded", among others */
#define MESSAGE_NOT_FOUND   JSSequenceNotFoundErr
#define DELETE_FAILED       JSStreamMsgDeleteFailed

#define FULL_FIRST_MS 250
#define FULL_MOST_MS  30000
#define LANES_MOST    1000000

static void drop_json(json_t **json)
{
	json_decref(*json);
}

/* How long to wait when a lane is full: twice as long each time in a row. A submitter may not read the lane,
 * where others of its tenant may have jobs, so it cannot know better. */
static uint64_t wait_when_full(struct bus *bus, const char *class)
{
	unsigned *n = fleet_table_get(bus->fulls, class);
	uint64_t ms;

	if (!n) {
		n = fleet_new(sizeof(*n));
		fleet_table_put(bus->fulls, class, n);
	}
	ms = (uint64_t)FULL_FIRST_MS << (*n < 16 ? *n : 16);
	++*n;
	return ms < FULL_MOST_MS ? ms : FULL_MOST_MS;
}

static void take_written(struct bus *bus, struct asked *asked, const struct reply *reply)
{
	asked->answer.revision = reply->seq;
	if (reply->ok && reply->seq > 0) {
		if (asked->what == ASKED_FLEET && asked->kind == FLEET_ASK_SUBMIT) {
			free(fleet_table_remove(bus->fulls, asked->class));
			hint_send(bus, asked->class, asked->tenant, reply->seq);
		}
		asked_finish(bus, asked, FLEET_OK);
	} else if (reply->code == WRONG_LAST_SEQUENCE) {
		asked_finish(bus, asked, FLEET_CONFLICT);
	} else if (reply->code == STORE_FAILED && strstr(reply->text, "maximum ")) {
		asked->answer.wait_ms = wait_when_full(bus, asked->class);
		asked_finish(bus, asked, FLEET_FULL);
	} else {
		asked_finish(bus, asked, FLEET_FAILED);
	}
}

static void take_deleted(struct bus *bus, struct asked *asked, const struct reply *reply)
{
	/* Gone is gone: in between, before the first, and beyond the end, as when the engine went back to an
	 * older state. */
	bool gone = reply->code == MESSAGE_NOT_FOUND ||
		    (reply->code == DELETE_FAILED &&
		     (strstr(reply->text, "no message found") || strstr(reply->text, "EOF")));

	asked_finish(bus, asked, reply->ok || gone ? FLEET_OK : FLEET_FAILED);
}

static void take_last(struct bus *bus, struct asked *asked, natsMsg *msg)
{
	const char *data = natsMsg_GetData(msg);
	size_t len = (size_t)natsMsg_GetDataLength(msg);
	struct aisbx_error e = AISBX_ERROR_INIT;
	int status = reply_status(msg), r;

	asked->answer.revision = reply_number(msg, "Nats-Sequence");
	if (status || asked->answer.revision == 0) {
		asked->answer.revision = 0;
		asked_finish(bus, asked, status == 404 ? FLEET_NOT_THERE : FLEET_FAILED);
		return;
	}
	if (asked->kind == FLEET_ASK_TERM)
		r = wire_term_decode(data, len, &asked->answer.term, &e);
	else
		r = wire_record_decode(data, len, &asked->answer.record, &e);
	if (r < 0)
		bus->counts.malformed++;
	/* With its revision: so what cannot be read can be overwritten. */
	asked_finish(bus, asked, r < 0 ? FLEET_FAILED : FLEET_OK);
}

static void add_lane(struct bus *bus, struct asked *asked, const char *subject, json_int_t jobs)
{
	struct fleet_answer *a = &asked->answer;
	struct fleet_lane_name lane = { .jobs = jobs > 0 ? (uint64_t)jobs : 0 };

	if (!subject_parse_lane(subject, lane.class, lane.tenant)) {
		bus->counts.malformed++;
		return;
	}
	a->lanes = fleet_grow(a->lanes, &asked->lanes_room, a->n_lanes + 1, sizeof(*a->lanes));
	a->lanes[a->n_lanes++] = lane;
}

/* {"total": 2, "state": {"subjects": {"aisbx.jobs.any.a": 5, ...}}}, or without subjects if there are none */
static void take_lanes(struct bus *bus, struct asked *asked, natsMsg *msg)
{
	scoped(drop_json) json_t *root = json_loadb(natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg),
						    JSON_REJECT_DUPLICATES, NULL);
	json_t *subjects = json_object_get(json_object_get(root, "state"), "subjects");
	json_int_t total = json_integer_value(json_object_get(root, "total"));
	const char *subject;
	json_t *count;

	if (!json_is_object(json_object_get(root, "state"))) {
		asked_finish(bus, asked, FLEET_FAILED);
		return;
	}
	json_object_foreach(subjects, subject, count)
		add_lane(bus, asked, subject, json_integer_value(count));
	asked->last += json_object_size(subjects);
	if (json_object_size(subjects) > 0 && total > 0 && (uint64_t)total > asked->last &&
	    asked->last < LANES_MOST)
		ask_lanes(bus, asked);
	else
		asked_finish(bus, asked, FLEET_OK);
}

static void take_fleet(struct bus *bus, struct asked *asked, natsMsg *msg)
{
	struct reply reply = { 0 };

	switch (asked->kind) {
	case FLEET_ASK_LANE:
		batch_take(bus, asked, msg);
		return;
	case FLEET_ASK_LANES:
		take_lanes(bus, asked, msg);
		return;
	case FLEET_ASK_RECORD:
	case FLEET_ASK_TERM:
		take_last(bus, asked, msg);
		return;
	case FLEET_ASK_FORGET:
		reply_parse(msg, &reply);
		take_deleted(bus, asked, &reply);
		return;
	case FLEET_ASK_SUBMIT:
	case FLEET_ASK_PUT:
	case FLEET_ASK_BURY:
	case FLEET_ASK_PUT_TERM:
		reply_parse(msg, &reply);
		take_written(bus, asked, &reply);
		return;
	}
}

void answer_take(struct bus *bus, natsMsg *msg)
{
	const char *subject = natsMsg_GetSubject(msg);
	size_t prefix = strlen(bus->inbox);
	struct reply reply = { 0 };
	struct asked *asked;

	if (strlen(subject) <= prefix || strlen(subject) - prefix >= sizeof(asked->key))
		return;
	asked = fleet_table_get(bus->asked, subject + prefix);
	if (!asked) /* too late */
		return;
	switch (asked->what) {
	case ASKED_FLEET:
		take_fleet(bus, asked, msg);
		break;
	case ASKED_READ:
		batch_take(bus, asked, msg);
		break;
	case ASKED_PUT:
		reply_parse(msg, &reply);
		take_written(bus, asked, &reply);
		break;
	case ASKED_PURGE:
		reply_parse(msg, &reply);
		asked_finish(bus, asked, reply.ok ? FLEET_OK : FLEET_FAILED);
		break;
	}
}
