/* SPDX-License-Identifier: Apache-2.0 */
/* Reads standard input when the node has taken what was read before; or keeps what it is fed until then. */
#include "fleet/client/input.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/scope.h"
#include "fleet/core/memory.h"

#define PIECE ((size_t)64 << 10)
/* What is remembered for another attempt. */
#define REMEMBERED ((size_t)4 << 20)
#define AGAIN_MS   500
/* Of what is fed, and waits. */
#define WAITING ((size_t)4 << 20)

struct input {
	struct loop *loop; /* borrowed; NULL: it is fed */
	void *ctx;
	void (*send)(void *ctx, const char *text, size_t len);
	void (*failed)(void *ctx, const char *why);
	char **pieces; /* owned; texts, from FIRST on; those before are forgotten */
	size_t room;
	uint64_t n, first, taken; /* pieces that were read; forgotten; that the node has */
	size_t bytes, waits;      /* of the pieces that are kept; of those that the node has not */
	bool begun, at_end, stopped;
	uint64_t again_ms;
};

struct input *input_create(struct loop *loop, void *ctx,
			   void (*send)(void *ctx, const char *text, size_t len),
			   void (*failed)(void *ctx, const char *why))
{
	struct input *in = fleet_new(sizeof(*in));

	*in = (struct input){
		.loop = loop, .ctx = ctx, .send = send, .failed = failed, .again_ms = UINT64_MAX
	};
	return in;
}

void input_stop(struct input *in)
{
	in->stopped = true;
	in->again_ms = UINT64_MAX;
	if (in->loop)
		loop_unwatch(in->loop, STDIN_FILENO);
}

void input_destroy(struct input *in)
{
	if (!in)
		return;
	input_stop(in);
	for (uint64_t i = in->first; i < in->n; i++)
		free(in->pieces[i]);
	free(in->pieces);
	free(in);
}

static void forget(struct input *in)
{
	while (in->bytes > REMEMBERED && in->first < in->taken) {
		in->bytes -= strlen(in->pieces[in->first]);
		free(in->pieces[in->first++]);
	}
}

static void send_next(struct input *in)
{
	const char *text = in->pieces[in->taken];

	in->send(in->ctx, text, strlen(text));
	in->again_ms = loop_now().ms + AGAIN_MS;
}

static void add(struct input *in, const char *data, size_t len)
{
	scoped(buf_finish) struct buf coded = { 0 };
	json_t *piece = json_pack("{s:I}", "stdin", (json_int_t)in->n + 1);
	char *text;

	if (!len)
		json_object_set_new(piece, "eof", json_true());
	else {
		base64_add(&coded, data, len);
		json_object_set_new(piece, "data", json_stringn(coded.data, coded.len));
		json_object_set_new(piece, "encoding", json_string("base64"));
	}
	text = json_dumps(piece, JSON_COMPACT);
	json_decref(piece);
	if (!text)
		fleet_out_of_memory();
	in->pieces = fleet_grow(in->pieces, &in->room, in->n + 1, sizeof(*in->pieces));
	in->pieces[in->n++] = text;
	in->bytes += strlen(text);
	in->waits += strlen(text);
	forget(in);
}

static void on_input(void *ctx, int fd, short revents)
{
	struct input *in = ctx;
	char data[PIECE];
	ssize_t n = read(fd, data, sizeof(data));

	(void)revents;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	loop_unwatch(in->loop, fd);
	add(in, data, n > 0 ? (size_t)n : 0);
	in->at_end = n <= 0;
	send_next(in);
}

/* The next piece: one that was read before, or a new one. */
static void go_on(struct input *in)
{
	in->again_ms = UINT64_MAX;
	if (in->stopped)
		return;
	if (in->taken < in->n)
		send_next(in);
	else if (in->loop && !in->at_end && loop_watch(in->loop, STDIN_FILENO, POLLIN, on_input, in) < 0)
		fleet_out_of_memory();
}

int input_feed(struct input *in, const char *data, size_t len, bool eof)
{
	const bool idle = in->begun && in->taken == in->n;

	if (in->stopped || in->at_end)
		return 0; /* nobody reads it */
	if (len && in->waits && in->waits + len > WAITING)
		return -ENOBUFS;
	for (size_t at = 0, n; at < len; at += n) {
		n = len - at < PIECE ? len - at : PIECE;
		add(in, data + at, n);
	}
	in->at_end = eof;
	if (eof)
		add(in, NULL, 0);
	if (idle && in->taken < in->n)
		send_next(in);
	return 0;
}

void input_begin(struct input *in)
{
	if (in->stopped)
		return;
	if (in->begun && in->first) {
		input_stop(in);
		in->failed(in->ctx,
			   "it would have to run again, and too much of its input was sent to send it again");
		return;
	}
	in->begun = true;
	in->taken = 0;
	in->waits = in->bytes;
	go_on(in);
}

void input_taken(struct input *in, uint64_t n)
{
	if (in->stopped || n <= in->taken || n > in->n)
		return;
	for (; in->taken < n; in->taken++)
		in->waits -= strlen(in->pieces[in->taken]);
	forget(in);
	go_on(in);
}

void input_tick(struct input *in, uint64_t now_ms)
{
	if (!in->stopped && now_ms >= in->again_ms && in->taken < in->n)
		send_next(in);
}

uint64_t input_next(const struct input *in)
{
	return in->again_ms;
}
