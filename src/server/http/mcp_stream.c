/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream begins if there is something to send before the answer, or if that takes long. It outlives its
 * exchange: after a disconnect it stores events until the client comes back, or a time limit is reached.
 */
#include "server/http/mcp_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/time.h"
#include "base/value.h"

/* Of events that a client may have missed; the newest is kept however large it is. */
#define KEPT_BYTES (256u << 10)
/* A client that was cut off may come back for so long. */
#define PATIENCE_MS 30000
#define KEPT_MS     300000
/* An answer that takes longer comes as a stream, so that the client hears of us before it gives up. */
#define LONG_MS 10000
/* A client that does not keep up hears only what matters. */
#define FULL_BYTES (1u << 20)
#define RETRY_MS   500

static void forget_events(struct mcp_stream *s)
{
	while (s->kept) {
		struct mcp_event *e = s->kept;

		s->kept = e->next;
		free(e);
	}
	s->kept_end = &s->kept;
	s->kept_bytes = 0;
}

static void unlink_stream(struct mcp_stream *s)
{
	struct mcp_client *c = s->client;

	if (!c)
		return;
	if (c->standing == s)
		c->standing = NULL;
	if (s->next)
		s->next->prev = s->prev;
	if (s->prev)
		s->prev->next = s->next;
	else
		c->streams = s->next;
	s->client = NULL;
}

static void destroy(struct mcp_stream *s)
{
	unlink_stream(s);
	forget_events(s);
	free(s);
}

/* The exchange is over: the answer is complete, or the client has gone. */
static void on_end(void *ctx)
{
	struct mcp_stream *s = ctx;

	s->x = NULL;
	s->since_ms = time_ms();
	if (s->client && s->standing)
		mcp_session_set_channel(s->client->session, NULL);
	if (s->client && s->stateless && !s->done)
		mcp_gone(s->client->session, &s->channel);
	if (!s->client || s->done || s->stateless || s->standing)
		destroy(s);
}

/* No more will come for X, whatever becomes of the stream. */
static void let_go(struct mcp_stream *s)
{
	struct exchange *x = s->x;

	if (!x)
		return;
	exchange_on_end(x, NULL, NULL);
	s->x = NULL;
	s->since_ms = time_ms();
	if (!s->begun && !s->replied)
		exchange_begin(x, "text/event-stream");
	exchange_end(x);
}

static void keep(struct mcp_stream *s, struct mcp_event *e)
{
	*s->kept_end = e;
	s->kept_end = &e->next;
	s->kept_bytes += e->len;
	while (s->kept_bytes > KEPT_BYTES && s->kept->next) {
		struct mcp_event *old = s->kept;

		s->kept = old->next;
		s->kept_bytes -= old->len;
		free(old);
	}
}

/* DATA NULL: none, for the client only to learn where it is. */
static void add_event(struct mcp_stream *s, const char *data)
{
	const char *text = data ? data : "";
	size_t room = strlen(text) + 96;
	struct mcp_event *e = malloc(sizeof(*e) + room);
	int n = 0;

	if (!e)
		return;
	e->next = NULL;
	e->number = s->n_events++;
	if (!data)
		n = snprintf(e->text, room, "retry: %d\n", RETRY_MS);
	if (!s->stateless)
		n += snprintf(e->text + n, room - (size_t)n, "id: %u-%u\n", s->id, e->number);
	n += snprintf(e->text + n, room - (size_t)n, "%sdata: %s\n\n", data ? "event: message\n" : "", text);
	e->len = (size_t)n;
	if (s->x)
		exchange_send(s->x, e->text, e->len);
	if (s->stateless || s->standing)
		free(e);
	else
		keep(s, e);
}

static void begin(struct mcp_stream *s)
{
	if (s->begun)
		return;
	s->begun = true;
	if (s->x)
		exchange_begin(s->x, "text/event-stream");
	/* A first event without content is for clients that know it: those who can come back. */
	if (!s->stateless && mcp_session_can_resume(s->client->session))
		add_event(s, NULL);
}

/* Clients of the older era take what is not 200 for the end of their session. */
static unsigned int status_of(const struct mcp_stream *s, const json_t *message, json_int_t retry_ms)
{
	json_int_t code = json_integer_value(json_object_get(json_object_get(message, "error"), "code"));

	if (!s->stateless)
		return code == MCP_PARSE_ERROR ? 400 : 200;
	if (retry_ms)
		return 503;
	return code == MCP_NO_METHOD ? 404 : code == 0 || code == MCP_INTERNAL ? 200 : 400;
}

static void on_send(struct mcp_channel *ch, const json_t *message)
{
	struct mcp_stream *s = (struct mcp_stream *)ch;
	bool answer = !json_object_get(message, "method");
	const json_t *data = json_object_get(json_object_get(message, "error"), "data");
	const json_int_t retry_ms = json_integer_value(json_object_get(data, "retry_after_ms"));
	scoped(drop_mem) char *text = NULL;

	if (!answer && !s->can_stream)
		return;
	text = json_dumps(message, JSON_COMPACT | VALUE_REALS);
	if (!text)
		return;
	if (!answer || s->begun || !s->x) {
		begin(s);
		add_event(s, text);
		return;
	}
	if (s->client->id[0] && mcp_session_is_open(s->client->session))
		exchange_add_header(s->x, "Mcp-Session-Id", s->client->id);
	if (retry_ms)
		exchange_add_retry(s->x, (uint32_t)retry_ms);
	s->replied = true;
	exchange_reply(s->x, status_of(s, message, retry_ms), "application/json", text, strlen(text));
}

static void on_done(struct mcp_channel *ch)
{
	struct mcp_stream *s = (struct mcp_stream *)ch;

	s->done = true;
	if (s->x && s->begun) {
		exchange_end(s->x);
	} else if (s->x && !s->replied) {
		let_go(s); /* it was cancelled, and there is no answer */
		destroy(s);
	}
}

static bool is_full(struct mcp_channel *ch)
{
	const struct mcp_stream *s = (struct mcp_stream *)ch;

	return s->x && exchange_waiting(s->x) > FULL_BYTES;
}

static void part(struct mcp_channel *ch)
{
	struct mcp_stream *s = (struct mcp_stream *)ch;

	if (s->stateless || !s->can_stream)
		return;
	begin(s);
	let_go(s);
}

static const char *header(struct mcp_channel *ch, const char *name)
{
	const struct mcp_stream *s = (struct mcp_stream *)ch;

	return s->x ? exchange_header(s->x, name) : NULL;
}

struct mcp_stream *mcp_stream_new(struct mcp_client *c, struct exchange *x, bool stateless, bool can_stream)
{
	struct mcp_stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->channel = (struct mcp_channel){
		.send = on_send, .done = on_done, .full = is_full, .part = part, .header = header
	};
	s->client = c;
	s->x = x;
	s->id = ++c->last_stream;
	s->stateless = stateless;
	s->can_stream = can_stream;
	s->since_ms = time_ms();
	s->kept_end = &s->kept;
	s->next = c->streams;
	if (s->next)
		s->next->prev = s;
	c->streams = s;
	exchange_on_end(x, on_end, s);
	return s;
}

struct mcp_stream *mcp_stream_stand(struct mcp_client *c, struct exchange *x)
{
	struct mcp_stream *s = mcp_stream_new(c, x, false, true), *old = c->standing;

	if (!s)
		return NULL;
	if (old) {
		let_go(old);
		destroy(old);
	}
	s->standing = true;
	c->standing = s;
	begin(s);
	mcp_session_set_channel(c->session, &s->channel);
	return s;
}

bool mcp_stream_resume(struct mcp_client *c, struct exchange *x, const char *last)
{
	struct mcp_stream *s = c->streams;
	unsigned int id, number;

	if (sscanf(last, "%u-%u", &id, &number) != 2)
		return false;
	while (s && s->id != id)
		s = s->next;
	if (!s || s->standing || s->stateless)
		return false;
	let_go(s); /* who comes back does not know that the old connection is still there */
	s->x = x;
	exchange_on_end(x, on_end, s);
	exchange_begin(x, "text/event-stream");
	for (const struct mcp_event *e = s->kept; e; e = e->next)
		if (e->number > number)
			exchange_send(x, e->text, e->len);
	if (s->done)
		exchange_end(x);
	return true;
}

static void tend(struct mcp_stream *s, uint64_t now_ms)
{
	if (s->x) {
		if (s->begun && !s->done)
			exchange_send(s->x, ":\n\n", 3);
		else if (!s->begun && !s->replied && s->can_stream && now_ms - s->since_ms > LONG_MS)
			begin(s);
	} else if (s->done ? now_ms - s->since_ms > KEPT_MS : now_ms - s->since_ms > PATIENCE_MS) {
		if (!s->done)
			mcp_gone(s->client->session, &s->channel);
		destroy(s);
	}
}

void mcp_streams_tend(struct mcp_client *c, uint64_t now_ms)
{
	for (struct mcp_stream *s = c->streams, *next; s; s = next) {
		next = s->next;
		tend(s, now_ms);
	}
}

void mcp_streams_end(struct mcp_client *c)
{
	while (c->streams) {
		struct mcp_stream *s = c->streams;

		if (s->x && s->done) {
			unlink_stream(s); /* the end of the exchange is its own */
			continue;
		}
		let_go(s);
		destroy(s);
	}
}
