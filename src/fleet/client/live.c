/* SPDX-License-Identifier: Apache-2.0 */
/* Receives pieces of output, asks for those that were lost, and tells what it has; the node keeps them until
 * then. */
#include "fleet/client/live.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "fleet/client/input.h"
#include "fleet/client/secrets.h"
#include "fleet/core/memory.h"
#include "fleet/wire/key.h"
#include "fleet/wire/subject.h"

/* Bytes that wait to be written here before the node is left to wait. */
#define ROOM ((size_t)1 << 20)
/* Told at least so often, so that the node knows that there is a reader. */
#define ALIVE_MS 4000
#define ACK_MS   50
#define AGAIN_MS 300
/* After the job's end: what has not come by then will not. */
#define LATE_MS 8000
/* Written at once: a pipe with room for this does not block. */
#define CHUNK 4096

struct piece {
	struct piece *next;
	int fd;
	size_t len, at;
	char data[];
};

struct live {
	struct live_options o;
	char out[SUBJECT_MAX], in[SUBJECT_MAX];
	char node[FLEET_NAME];
	unsigned attempt;   /* 0: nothing came yet */
	uint64_t n;         /* pieces that came, in order */
	uint64_t told;      /* that the node was told of */
	uint64_t highest;   /* piece that was seen */
	char key[KEY_TEXT]; /* to which this attempt wants its secrets; "": it has not asked */
	uint64_t ack_ms, again_ms, end_ms;
	uint64_t pieces;  /* in all; UINT64_MAX: not known yet */
	bool held, lacks; /* lacks: some of it never came */
	struct piece *first, *last;
	size_t bytes; /* that wait to be written */
	bool any;
	struct input *input; /* NULL: nothing is read */
};

static void say(const char *text)
{
	fprintf(stderr, "aisbx: %s\n", text);
}

static void send_text(void *ctx, const char *text, size_t len)
{
	struct live *s = ctx;
	scoped(buf_finish) struct buf sealed = { 0 };

	if (s->node[0] && verify_seal(s->o.verify, text, len, &sealed))
		bus_publish(s->o.bus, s->in, NULL, sealed.data, sealed.len);
}

static void input_failed(void *ctx, const char *why)
{
	struct live *s = ctx;

	s->o.failed(s->o.ctx, why);
}

int live_create(const struct live_options *options, struct live **ret, struct aisbx_error *e)
{
	struct live *s = fleet_new(sizeof(*s));
	int r;

	s->o = *options;
	s->pieces = UINT64_MAX;
	s->ack_ms = s->again_ms = UINT64_MAX;
	snprintf(s->out, sizeof(s->out), "aisbx.out.%s.%s", options->tenant, options->job);
	r = bus_subscribe(options->bus, s->out, e);
	if (r < 0) {
		free(s);
		return r;
	}
	if (options->reads)
		s->input = input_create(options->output ? NULL : options->loop, s, send_text, input_failed);
	*ret = s;
	return 0;
}

static void drop_first(struct live *s)
{
	struct piece *p = s->first;

	s->first = p->next;
	if (!s->first)
		s->last = NULL;
	s->bytes -= p->len;
	free(p);
}

void live_destroy(struct live *s)
{
	if (!s)
		return;
	bus_unsubscribe(s->o.bus, s->out);
	if (s->o.prints) {
		loop_unwatch(s->o.loop, STDOUT_FILENO);
		loop_unwatch(s->o.loop, STDERR_FILENO);
	}
	while (s->first)
		drop_first(s);
	input_destroy(s->input);
	free(s);
}

static void watch_first(struct live *s);

static void on_room(void *ctx, int fd, short revents)
{
	struct live *s = ctx;
	struct piece *p = s->first;
	ssize_t n;

	if (!p || p->fd != fd)
		return;
	n = write(fd, p->data + p->at, p->len - p->at < CHUNK ? p->len - p->at : CHUNK);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0 || (revents & POLLNVAL)) {
		loop_unwatch(s->o.loop, fd);
		while (s->first)
			drop_first(s);
		s->o.prints = false;
		s->o.failed(s->o.ctx, errno == EPIPE ? NULL : strerror(errno));
		return;
	}
	p->at += (size_t)n;
	if (p->at == p->len) {
		drop_first(s);
		watch_first(s);
	}
}

static void watch_first(struct live *s)
{
	loop_unwatch(s->o.loop, STDOUT_FILENO);
	loop_unwatch(s->o.loop, STDERR_FILENO);
	if (s->first && loop_watch(s->o.loop, s->first->fd, POLLOUT, on_room, s) < 0)
		fleet_out_of_memory();
}

void live_write(struct live *s, int fd, const char *data, size_t len)
{
	struct piece *p;

	if (len && s->o.output)
		s->o.output(s->o.ctx, fd, data, len);
	if (!len || !s->o.prints)
		return;
	p = fleet_new(sizeof(*p) + len);
	p->fd = fd;
	p->len = len;
	memcpy(p->data, data, len);
	if (s->last)
		s->last->next = p;
	else
		s->first = p;
	s->last = p;
	s->bytes += len;
	if (s->first == p)
		watch_first(s);
}

static void take_output(struct live *s, const char *stream, const json_t *data, const char *encoding)
{
	const int fd = !strcmp(stream, "stderr") ? STDERR_FILENO : STDOUT_FILENO;
	scoped(buf_finish) struct buf bytes = { 0 };

	s->any = true;
	if (encoding && !strcmp(encoding, "base64") &&
	    base64_read(&bytes, json_string_value(data), json_string_length(data)))
		live_write(s, fd, bytes.data, bytes.len);
	else
		live_write(s, fd, json_string_value(data), json_string_length(data));
}

static void tell(struct live *s, const char *what, uint64_t n)
{
	char text[64];

	snprintf(text, sizeof(text), "{\"%s\":%llu}", what, (unsigned long long)n);
	send_text(s, text, strlen(text));
}

/* Another attempt begins: on another node, or there again. */
static void begin_attempt(struct live *s, const char *node, unsigned attempt)
{
	if (s->attempt && s->any && s->o.prints)
		say("the node was lost; the command runs again, and what it printed comes again");
	snprintf(s->node, sizeof(s->node), "%s", node);
	snprintf(s->in, sizeof(s->in), "aisbx.in.%s.%s.%s", s->node, s->o.tenant, s->o.job);
	s->attempt = attempt;
	s->n = s->told = s->highest = 0;
	s->lacks = false;
	s->key[0] = '\0';
	s->again_ms = UINT64_MAX;
	s->ack_ms = loop_now().ms;
	if (s->input)
		input_begin(s->input);
	s->o.begun(s->o.ctx, s->node, attempt);
}

static void tell_run(struct live *s, const json_t *begun)
{
	const char *run = json_string_value(json_object_get(begun, "run")),
		   *trace = json_string_value(json_object_get(begun, "trace_id"));

	if (run)
		s->o.run(s->o.ctx, run, trace ? trace : "");
}

static void take_piece(struct live *s, const json_t *said)
{
	const char *stream = json_string_value(json_object_get(said, "stream"));
	const json_t *data = json_object_get(said, "data"), *item = json_object_get(said, "item"),
		     *begun = json_object_get(said, "begun");

	s->n++;
	if (stream && json_is_string(data))
		take_output(s, stream, data, json_string_value(json_object_get(said, "encoding")));
	else if (item && s->o.item)
		s->o.item(s->o.ctx, item);
	else if (json_is_object(begun) && s->o.run)
		tell_run(s, begun);
	if (s->ack_ms > loop_now().ms + ACK_MS)
		s->ack_ms = loop_now().ms + ACK_MS;
}

static void take_gap(struct live *s, uint64_t to)
{
	char text[120];

	if (to <= s->n)
		return;
	snprintf(text, sizeof(text), "%llu pieces of the output are lost: nobody read them in time",
		 (unsigned long long)(to - s->n));
	if (s->o.prints)
		say(text);
	s->lacks = true;
	s->n = to;
}

/* One key for each attempt, and only until its command begins: whoever asks again later, or for another key,
 * gets nothing. */
static void give_secrets(struct live *s, const char *key)
{
	scoped(buf_finish) struct buf text = { 0 };

	if (!key || strlen(key) >= sizeof(s->key) || s->n || (s->key[0] && strcmp(s->key, key) != 0) ||
	    !verify_trusts_hubs(s->o.verify) || !client_secrets_answer(s->o.secrets, key, &text))
		return;
	memcpy(s->key, key, strlen(key) + 1);
	send_text(s, text.data, text.len);
}

/* CLAIMED: the node of the claim that it was sealed for, "" if it was not; ATTEMPT: its attempt. */
static void take(struct live *s, const json_t *said, const char *claimed, unsigned of_claim)
{
	const json_t *n = json_object_get(said, "n"), *gap = json_object_get(said, "gap"),
		     *got = json_object_get(said, "got");
	const json_int_t attempt = json_integer_value(json_object_get(said, "attempt"));
	const char *node = json_string_value(json_object_get(said, "node"));

	if (claimed[0] && (attempt != (json_int_t)of_claim || (node && strcmp(node, claimed) != 0)))
		return; /* it speaks for another */
	if (node && fleet_is_name(node) && attempt > (json_int_t)s->attempt && attempt < 1000000)
		begin_attempt(s, node, (unsigned)attempt);
	if (attempt != (json_int_t)s->attempt)
		return;
	if (got && s->input)
		input_taken(s->input, (uint64_t)json_integer_value(got));
	if (claimed[0] && json_object_get(said, "secrets"))
		give_secrets(s, json_string_value(json_object_get(said, "secrets")));
	if (gap)
		take_gap(s, (uint64_t)json_integer_value(json_object_get(said, "to")));
	if (!json_is_integer(n))
		return;
	if ((uint64_t)json_integer_value(n) > s->highest)
		s->highest = (uint64_t)json_integer_value(n);
	if ((uint64_t)json_integer_value(n) == s->n + 1)
		take_piece(s, said);
	if (s->n < s->highest && s->again_ms == UINT64_MAX)
		s->again_ms = loop_now().ms;
	else if (s->n >= s->highest)
		s->again_ms = UINT64_MAX;
}

void live_data(struct live *s, const char *data, size_t len)
{
	scoped(buf_finish) struct buf opened = { 0 };
	char node[FLEET_NAME];
	unsigned attempt;
	json_t *said;

	if (!verify_open(s->o.verify, data, len, &opened, node, &attempt))
		return;
	said = json_loadb(opened.data ? opened.data : "", opened.len, 0, NULL);
	if (json_is_object(said))
		take(s, said, node, attempt);
	json_decref(said);
}

void live_end(struct live *s, unsigned attempt, uint64_t pieces)
{
	if (s->input)
		input_stop(s->input);
	if (!s->attempt || attempt != s->attempt || !pieces) {
		s->pieces = 0; /* nothing of this attempt came: its result has the beginning of its output */
		s->lacks = true;
		return;
	}
	s->pieces = pieces;
	s->end_ms = loop_now().ms + LATE_MS;
	if (s->n < pieces)
		s->again_ms = loop_now().ms;
}

bool live_is_done(const struct live *s)
{
	return s->pieces != UINT64_MAX && s->n >= s->pieces && !s->first;
}

bool live_is_whole(const struct live *s)
{
	return live_is_done(s) && !s->lacks;
}

const char *live_node(const struct live *s)
{
	return s->node;
}

void live_cancel(struct live *s)
{
	static const char text[] = "{\"cancel\":true}";

	send_text(s, text, strlen(text));
}

void live_hold(struct live *s, bool hold)
{
	s->held = hold;
	if (!hold && s->attempt)
		s->ack_ms = loop_now().ms;
}

int live_feed(struct live *s, const char *data, size_t len, bool eof)
{
	return s->input ? input_feed(s->input, data, len, eof) : 0;
}

bool live_has_output(const struct live *s)
{
	return s->any;
}

void live_tick(struct live *s, uint64_t now_ms)
{
	if (s->attempt && now_ms >= s->ack_ms) {
		const bool room = s->bytes < ROOM && !s->held;

		if (room)
			s->told = s->n;
		tell(s, "ack", s->told);
		s->ack_ms = now_ms + (room ? ALIVE_MS : ACK_MS);
	}
	if (now_ms >= s->again_ms) {
		tell(s, "from", s->n + 1);
		s->again_ms = now_ms + AGAIN_MS;
	}
	if (s->pieces != UINT64_MAX && s->n < s->pieces && now_ms >= s->end_ms) {
		take_gap(s, s->pieces);
		s->again_ms = UINT64_MAX;
	}
	if (s->input)
		input_tick(s->input, now_ms);
}

uint64_t live_next(const struct live *s)
{
	uint64_t next = s->attempt ? s->ack_ms : UINT64_MAX,
		 other = s->input ? input_next(s->input) : UINT64_MAX;

	next = s->again_ms < next ? s->again_ms : next;
	return other < next ? other : next;
}
