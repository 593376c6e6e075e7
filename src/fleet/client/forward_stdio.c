/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard input and output. Neither is made non-blocking: others may have them, too. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/scope.h"
#include "fleet/client/forward.h"
#include "fleet/core/memory.h"
#include "server/core/lines.h"

/* Written at once: a pipe with room for this does not block. */
#define CHUNK 4096

struct stdio {
	struct loop *loop; /* borrowed */
	struct stdio_events events;
	void *ctx;
	struct buf in, out; /* owned */
	size_t at;          /* of OUT: was written */
	bool full, ended, gone;
};

static void on_input(void *ctx, int fd, short revents);
static void on_room(void *ctx, int fd, short revents);

static void set_reading(struct stdio *s)
{
	if (s->full || s->ended)
		loop_unwatch(s->loop, STDIN_FILENO);
	else if (loop_watch(s->loop, STDIN_FILENO, POLLIN, on_input, s) < 0)
		fleet_out_of_memory();
}

static void end(struct stdio *s, int why)
{
	s->ended = true;
	set_reading(s);
	s->events.end(s->ctx, why);
}

static void take_lines(struct stdio *s, bool last)
{
	size_t at = 0;

	while (at < s->in.len && !s->ended) {
		const char *from = s->in.data + at, *newline = memchr(from, '\n', s->in.len - at);
		size_t len = newline ? (size_t)(newline - from) : s->in.len - at;

		if (!newline && !last)
			break;
		at += len + (newline ? 1 : 0);
		if (len && from[len - 1] == '\r')
			len--;
		if (len > LINES_LONGEST)
			break;
		if (len)
			s->events.line(s->ctx, from, len);
	}
	if (at)
		memmove(s->in.data, s->in.data + at, s->in.len - at);
	s->in.len -= at;
}

static void on_input(void *ctx, int fd, short revents)
{
	struct stdio *s = ctx;
	char chunk[65536];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	(void)revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		buf_add(&s->in, chunk, (size_t)n);
	if (s->in.failed)
		fleet_out_of_memory();
	if (n > 0 && !memchr(chunk, '\n', (size_t)n) && s->in.len <= LINES_LONGEST)
		return;
	take_lines(s, n == 0);
	if (s->in.len > LINES_LONGEST)
		end(s, -E2BIG);
	else if (n <= 0)
		end(s, n < 0 ? -errno : 0);
}

static size_t waiting(const struct stdio *s)
{
	return s->out.len - s->at;
}

static void set_full(struct stdio *s, bool full)
{
	if (s->full == full)
		return;
	s->full = full;
	set_reading(s);
	s->events.full(s->ctx, full);
}

static void lose(struct stdio *s)
{
	s->gone = true;
	s->out.len = s->at = 0;
	loop_unwatch(s->loop, STDOUT_FILENO);
	s->events.gone(s->ctx);
}

static void on_room(void *ctx, int fd, short revents)
{
	struct stdio *s = ctx;
	struct pollfd p = { .fd = fd, .events = POLLOUT, .revents = revents };

	do {
		const size_t n = waiting(s) < CHUNK ? waiting(s) : CHUNK;
		const ssize_t done = n ? write(fd, s->out.data + s->at, n) : 0;

		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (done < 0) {
			lose(s);
			return;
		}
		s->at += (size_t)done;
		p.revents = 0;
	} while (waiting(s) && poll(&p, 1, 0) > 0 && (p.revents & POLLOUT));
	if (!waiting(s)) {
		s->out.len = s->at = 0;
		loop_unwatch(s->loop, fd);
	}
	if (waiting(s) <= LINES_FULL / 2)
		set_full(s, false);
}

void stdio_send(struct stdio *s, const char *text, size_t len)
{
	if (s->gone)
		return;
	if (s->at > LINES_FULL) { /* what is out already need not be kept */
		memmove(s->out.data, s->out.data + s->at, waiting(s));
		s->out.len = waiting(s);
		s->at = 0;
	}
	buf_add(&s->out, text, len);
	buf_add(&s->out, "\n", 1);
	if (s->out.failed || loop_watch(s->loop, STDOUT_FILENO, POLLOUT, on_room, s) < 0)
		fleet_out_of_memory();
	if (waiting(s) > LINES_FULL)
		set_full(s, true);
}

bool stdio_is_flushed(const struct stdio *s)
{
	return s->gone || !waiting(s);
}

struct stdio *stdio_open(struct loop *loop, const struct stdio_events *events, void *ctx)
{
	struct stdio *s = fleet_new(sizeof(*s));

	s->loop = loop;
	s->events = *events;
	s->ctx = ctx;
	set_reading(s);
	return s;
}

void stdio_close(struct stdio *s)
{
	if (!s)
		return;
	loop_unwatch(s->loop, STDIN_FILENO);
	loop_unwatch(s->loop, STDOUT_FILENO);
	buf_finish(&s->in);
	buf_finish(&s->out);
	free(s);
}
