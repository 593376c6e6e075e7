/* SPDX-License-Identifier: Apache-2.0 */
/* A bus: opened, listened to, closed. What letters say becomes events here, in the thread of the caller. */
#include "fleet/bus/bus.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/bus/parts.h"
#include "fleet/core/memory.h"
#include "fleet/wire/subject.h"
#include "fleet/wire/wire.h"

#define CLOSE_MS 1000

static int listen_to(struct bus *bus, const char *subject, enum letter_kind kind, struct aisbx_error *e)
{
	struct listened *l = fleet_new(sizeof(*l));
	natsStatus s = mailbox_subscribe(bus->box, bus->nc, subject, kind, &l->sub);

	if (s != NATS_OK) {
		free(l);
		return bus_fail(e, s, "subscribe to '%s'", subject);
	}
	snprintf(l->subject, sizeof(l->subject), "%s", subject);
	l->next = bus->listened;
	bus->listened = l;
	return 0;
}

static int listen_by_role(struct bus *bus, struct aisbx_error *e)
{
	char subject[256];
	int r;

	snprintf(subject, sizeof(subject), "%s*", bus->inbox);
	r = listen_to(bus, subject, LETTER_ANSWER, e);
	if (r < 0)
		return r;
	switch (bus->role) {
	case BUS_HUB:
		r = listen_to(bus, "aisbx.hub.>", LETTER_MESSAGE, e);
		if (r == 0)
			r = listen_to(bus, "aisbx.cancel.*", LETTER_MESSAGE, e);
		if (r == 0)
			r = listen_to(bus, "aisbx.lane.*.*", LETTER_LANE, e);
		return r;
	case BUS_NODE:
		snprintf(subject, sizeof(subject), "aisbx.node.%s.*", bus->name);
		r = listen_to(bus, subject, LETTER_MESSAGE, e);
		snprintf(subject, sizeof(subject), "aisbx.grant.%s.*", bus->name);
		return r < 0 ? r : listen_to(bus, subject, LETTER_MESSAGE, e);
	case BUS_SUBMITTER:
		snprintf(subject, sizeof(subject), "aisbx.tenant.%s.%s.*", bus->tenant, bus->name);
		return listen_to(bus, subject, LETTER_MESSAGE, e);
	case BUS_ADMIN:
		return 0;
	}
	return -EINVAL;
}

static void drop_bus(struct bus **bus)
{
	bus_close(*bus);
}

int bus_open(const struct bus_options *options, struct bus **ret, struct aisbx_error *e)
{
	scoped(drop_bus) struct bus *bus = NULL;
	int r;

	if (!options->url)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "no address of a NATS server is given");
	if (!fleet_is_name(options->name) ||
	    (options->role == BUS_SUBMITTER && (!options->tenant || !fleet_is_name(options->tenant))))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%s' or its tenant '%s' is no name: letters, digits, '-' and '_', at most %d",
			options->name, options->tenant ? options->tenant : "", FLEET_NAME - 1);
	bus = fleet_new(sizeof(*bus));
	bus->role = options->role;
	snprintf(bus->name, sizeof(bus->name), "%s", options->name);
	snprintf(bus->tenant, sizeof(bus->tenant), "%s", options->tenant ? options->tenant : "");
	bus->asked = fleet_table_create();
	bus->hints = fleet_table_create();
	bus->fulls = fleet_table_create();
	bus->ready_end = &bus->ready;
	bus->box = mailbox_create();
	if (!bus->box)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "eventfd");
	r = bus_connect(bus, options, e);
	if (r == 0)
		r = listen_by_role(bus, e);
	/* Who speaks to us now is heard. */
	if (r == 0)
		r = bus_flush(bus, options->connect_ms ? options->connect_ms : 5000, e);
	if (r < 0)
		return r;
	*ret = take_mem(&bus);
	return 0;
}

static void drop_ready(struct bus *bus)
{
	while (bus->ready) {
		struct ready *ready = bus->ready;

		bus->ready = ready->next;
		bus_event_finish(&ready->event);
		free(ready);
	}
}

void bus_close(struct bus *bus)
{
	if (!bus)
		return;
	if (bus->nc && !mailbox_is_down(bus->box))
		natsConnection_FlushTimeout(bus->nc, CLOSE_MS);
	while (bus->listened) {
		struct listened *l = bus->listened;

		bus->listened = l->next;
		natsSubscription_Destroy(l->sub);
		free(l);
	}
	natsConnection_Destroy(bus->nc);
	if (bus->box)
		mailbox_leave(bus->box);
	asked_destroy_all(bus);
	hint_destroy_all(bus);
	drop_ready(bus);
	fleet_table_destroy(bus->asked);
	free(bus);
}

int bus_fd(const struct bus *bus)
{
	return mailbox_fd(bus->box);
}

struct bus_event *bus_event_add(struct bus *bus, enum bus_event_kind kind)
{
	struct ready *ready = fleet_new(sizeof(*ready));

	ready->event.kind = kind;
	*bus->ready_end = ready;
	bus->ready_end = &ready->next;
	mailbox_wake(bus->box);
	return &ready->event;
}

static void take_message(struct bus *bus, natsMsg *msg)
{
	struct fleet_message m;
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (wire_message_decode(natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg), &m, &e) < 0) {
		bus->counts.malformed++;
		return;
	}
	if (!subject_fits_message(natsMsg_GetSubject(msg), &m)) {
		bus->counts.pretended++;
		fleet_message_finish(&m);
		return;
	}
	bus_event_add(bus, BUS_MESSAGE)->message = m;
}

static void take_plain(struct bus *bus, natsMsg *msg)
{
	const char *reply = natsMsg_GetReply(msg), *subject = natsMsg_GetSubject(msg);
	size_t len = (size_t)natsMsg_GetDataLength(msg);
	struct bus_event *event;

	if (strlen(subject) >= sizeof(event->subject) || (reply && strlen(reply) >= sizeof(event->reply))) {
		bus->counts.malformed++;
		return;
	}
	event = bus_event_add(bus, BUS_DATA);
	snprintf(event->subject, sizeof(event->subject), "%s", subject);
	snprintf(event->reply, sizeof(event->reply), "%s", reply ? reply : "");
	event->data = fleet_new(len + 1);
	event->len = len;
	if (len)
		memcpy(event->data, natsMsg_GetData(msg), len);
}

static void take_letter(struct bus *bus, const struct letter *letter)
{
	struct bus_event *event;

	switch (letter->kind) {
	case LETTER_ANSWER:
		answer_take(bus, letter->msg);
		break;
	case LETTER_MESSAGE:
		take_message(bus, letter->msg);
		break;
	case LETTER_LANE:
		hint_take(bus, letter->msg);
		break;
	case LETTER_PLAIN:
		take_plain(bus, letter->msg);
		break;
	case LETTER_DOWN:
		bus_event_add(bus, BUS_DOWN);
		asked_fail_all(bus);
		break;
	case LETTER_UP:
		bus_event_add(bus, BUS_UP);
		break;
	case LETTER_CLOSED:
		event = bus_event_add(bus, BUS_CLOSED);
		snprintf(event->text, sizeof(event->text), "%s", letter->text ? letter->text : "closed");
		asked_fail_all(bus);
		break;
	case LETTER_N:
		break;
	}
}

bool bus_next(struct bus *bus, struct bus_event *ret)
{
	struct letter letter;
	struct ready *ready;

	while (!bus->ready) {
		if (!mailbox_take(bus->box, &letter))
			return false;
		take_letter(bus, &letter);
		mailbox_letter_finish(&letter);
	}
	ready = bus->ready;
	bus->ready = ready->next;
	if (!bus->ready)
		bus->ready_end = &bus->ready;
	*ret = ready->event;
	free(ready);
	return true;
}

void bus_event_finish(struct bus_event *event)
{
	fleet_message_finish(&event->message);
	fleet_answer_finish(&event->answer);
	free(event->data);
}

void bus_count(struct bus *bus, struct bus_counts *ret)
{
	*ret = bus->counts;
	ret->lost = mailbox_lost(bus->box);
}

natsStatus bus_post(struct bus *bus, const char *subject, const char *reply, const void *data, size_t len)
{
	return reply && *reply ? natsConnection_PublishRequest(bus->nc, subject, reply, data, (int)len)
			       : natsConnection_Publish(bus->nc, subject, data, (int)len);
}

void bus_send(struct bus *bus, const struct fleet_message *m)
{
	scoped(buf_finish) struct buf text = { 0 };
	char subject[SUBJECT_MAX];

	/* Late it would be of no use: what counts is sent again. */
	if (mailbox_is_down(bus->box) || subject_of_message(m, subject) < 0 ||
	    wire_message_encode(m, &text) < 0 ||
	    natsConnection_Publish(bus->nc, subject, text.data, (int)text.len) != NATS_OK)
		bus->counts.unsent++;
}

int bus_subscribe(struct bus *bus, const char *subject, struct aisbx_error *e)
{
	return listen_to(bus, subject, LETTER_PLAIN, e);
}

void bus_unsubscribe(struct bus *bus, const char *subject)
{
	for (struct listened **at = &bus->listened; *at; at = &(*at)->next) {
		struct listened *l = *at;

		if (strcmp(l->subject, subject) != 0)
			continue;
		*at = l->next;
		natsSubscription_Destroy(l->sub);
		free(l);
		return;
	}
}

void bus_publish(struct bus *bus, const char *subject, const char *reply, const void *data, size_t len)
{
	if (len > WIRE_MAX || mailbox_is_down(bus->box) ||
	    bus_post(bus, subject, reply, data, len) != NATS_OK)
		bus->counts.unsent++;
}

int bus_request(struct bus *bus, const char *subject, const void *data, size_t len, uint64_t wait_ms,
		char **ret, size_t *ret_len, struct aisbx_error *e)
{
	natsMsg *msg = NULL;
	natsStatus s;

	if (len > WIRE_MAX)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, EMSGSIZE,
				    "a question of %zu bytes is too long", len);
	s = natsConnection_Request(&msg, bus->nc, subject, data, (int)len, (int64_t)wait_ms);
	if (s != NATS_OK)
		return bus_fail(e, s, "ask '%s'", subject);
	*ret_len = (size_t)natsMsg_GetDataLength(msg);
	*ret = fleet_new(*ret_len + 1);
	if (*ret_len)
		memcpy(*ret, natsMsg_GetData(msg), *ret_len);
	natsMsg_Destroy(msg);
	return 0;
}

int bus_flush(struct bus *bus, uint64_t wait_ms, struct aisbx_error *e)
{
	natsStatus s = natsConnection_FlushTimeout(bus->nc, (int64_t)(wait_ms ? wait_ms : 1));

	return s == NATS_OK ? 0 : bus_fail(e, s, "reach the NATS server");
}
