/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines in and out of non-blocking descriptors. Callbacks may close the connection that they are called from.
 */
#include "server/core/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

/* One at a time, so that nobody who sends much keeps the others waiting. */
#define CHUNK 65536
/* Kept for the next line; what a longer one took is given back. */
#define SPARE 65536

static void give_line(const char *text, size_t len, line_fn fn, void *ctx)
{
	if (len && text[len - 1] == '\r')
		len--;
	if (len)
		fn(ctx, text, len);
}

int cutter_feed(struct cutter *c, const char *data, size_t len, line_fn fn, void *ctx)
{
	while (len) {
		const char *end = memchr(data, '\n', len);
		const size_t n = end ? (size_t)(end - data) : len;

		if (c->part.len + n > LINES_LONGEST)
			return -E2BIG;
		if (!end || c->part.len)
			buf_add(&c->part, data, n);
		if (c->part.failed)
			return -ENOMEM;
		if (!end)
			break;
		if (c->part.len)
			cutter_end(c, fn, ctx);
		else
			give_line(data, n, fn, ctx);
		data += n + 1;
		len -= n + 1;
	}
	return 0;
}

void cutter_end(struct cutter *c, line_fn fn, void *ctx)
{
	give_line(c->part.data, c->part.len, fn, ctx);
	if (c->part.cap > SPARE)
		cutter_finish(c);
	c->part.len = 0;
}

void cutter_finish(struct cutter *c)
{
	buf_finish(&c->part);
	c->part = (struct buf){ 0 };
}

struct lines {
	struct loop *loop;
	struct lines_events events;
	void *ctx;
	int in, out; /* owned */
	struct watch *in_watch, *out_watch;
	struct timer *later; /* what must not happen inside a call of ours */
	struct cutter cutter;
	struct buf waiting; /* to go out */
	size_t waiting_at;
	bool polled; /* the kernel tells when IN has something; of files it does not, they always have */
	bool ended;  /* nothing comes any more */
	bool full;
	bool ending; /* nothing is sent any more */
	bool broken; /* nobody reads any more */
	int lost;    /* errno: it could not be written, and not because who reads has left */
	bool closed;
	int inside; /* callbacks that have not returned */
};

static void destroy(struct lines *c)
{
	watch_end(&c->in_watch);
	watch_end(&c->out_watch);
	timer_end(&c->later);
	close_fd(&c->in);
	close_fd(&c->out);
	cutter_finish(&c->cutter);
	buf_finish(&c->waiting);
	free(c);
}

static void enter(struct lines *c)
{
	c->inside++;
}

static void leave(struct lines *c)
{
	if (--c->inside == 0 && c->closed)
		destroy(c);
}

void lines_close(struct lines *c)
{
	c->closed = true;
	enter(c);
	leave(c);
}

static size_t waiting(const struct lines *c)
{
	return c->waiting.len - c->waiting_at;
}

bool lines_is_full(const struct lines *c)
{
	return c->full;
}

/* Who does not take what is sent is not read from either: it could ask for ever more. */
static void set_reading(struct lines *c)
{
	const bool reads = !c->ended && !c->full && !c->closed;

	if (c->in_watch)
		watch_set(c->in_watch, reads ? EPOLLIN : 0);
	else if (!c->polled && reads)
		timer_set(c->later, 1);
}

static void set_full(struct lines *c, bool full)
{
	if (c->full == full)
		return;
	c->full = full;
	set_reading(c);
	if (c->events.full && !c->closed)
		c->events.full(c->ctx, full);
}

/* As much of what waits as goes out now. */
static void write_waiting(struct lines *c)
{
	while (!c->broken && waiting(c)) {
		ssize_t n = write(c->out, c->waiting.data + c->waiting_at, waiting(c));

		if (n > 0)
			c->waiting_at += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			break;
		else if (n == 0 || errno != EINTR) {
			c->broken = true;
			c->lost = n == 0 || errno == EPIPE || errno == ECONNRESET ? 0 : errno;
		}
	}
}

static void flush(struct lines *c)
{
	write_waiting(c);
	if (c->broken || !waiting(c)) {
		c->waiting.len = c->waiting_at = 0;
		if (c->waiting.cap > SPARE)
			buf_finish(&c->waiting);
	}
	if (c->out_watch)
		watch_set(c->out_watch, waiting(c) ? EPOLLOUT : 0);
	if (c->broken || (c->ending && !waiting(c)))
		timer_set(c->later, 1);
}

static void flush_and_tell(struct lines *c)
{
	enter(c);
	flush(c);
	if (waiting(c) > LINES_FULL)
		set_full(c, true);
	else if (waiting(c) <= LINES_FULL / 2)
		set_full(c, false);
	leave(c);
}

static void on_out(void *ctx, uint32_t events)
{
	(void)events;
	flush_and_tell(ctx);
}

void lines_send(struct lines *c, const char *text, size_t len)
{
	if (c->broken || c->ending || c->closed)
		return;
	if (c->waiting_at > LINES_FULL) { /* what is out already need not be kept */
		memmove(c->waiting.data, c->waiting.data + c->waiting_at, waiting(c));
		c->waiting.len = waiting(c);
		c->waiting_at = 0;
	}
	buf_add(&c->waiting, text, len);
	buf_add(&c->waiting, "\n", 1);
	c->broken |= c->waiting.failed; /* an answer that is missing cannot be made good */
	flush_and_tell(c);
}

int lines_lost(const struct lines *c)
{
	return c->lost;
}

void lines_end(struct lines *c)
{
	c->ending = true;
	flush(c);
}

static void take_line(void *ctx, const char *text, size_t len)
{
	struct lines *c = ctx;

	if (!c->closed)
		c->events.line(c->ctx, text, len);
}

static void end_input(struct lines *c, int why)
{
	c->ended = true;
	set_reading(c);
	cutter_finish(&c->cutter);
	if (!c->closed)
		c->events.end(c->ctx, why);
}

static void read_some(struct lines *c)
{
	char room[CHUNK];
	ssize_t n = read(c->in, room, sizeof(room));
	int r;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		end_input(c, -errno);
	} else if (n == 0) {
		cutter_end(&c->cutter, take_line, c);
		end_input(c, 0);
	} else {
		r = cutter_feed(&c->cutter, room, (size_t)n, take_line, c);
		if (r < 0)
			end_input(c, r);
	}
}

static void on_in(void *ctx, uint32_t events)
{
	struct lines *c = ctx;

	(void)events;
	enter(c);
	read_some(c);
	leave(c);
}

static void on_later(void *ctx)
{
	struct lines *c = ctx;

	enter(c);
	if (c->broken && !c->closed) {
		c->ended = true;
		set_reading(c);
		c->events.gone(c->ctx);
	} else if (c->ending && !waiting(c) && !c->closed) {
		c->events.flushed(c->ctx);
	} else if (!c->polled && !c->ended && !c->full) {
		read_some(c);
		set_reading(c);
	}
	leave(c);
}

/* Files cannot be watched (EPERM): they neither make wait nor fill up. */
static int watch(struct lines *c, int fd, watch_fn fn, uint32_t events, struct watch **ret_watch,
		 struct aisbx_error *e)
{
	int r = watch_add(c->loop, fd, events, fn, c, ret_watch, e);

	return r == -EPERM ? 0 : r;
}

int lines_open(struct loop *l, int in, int out, const struct lines_events *events, void *ctx,
	       struct lines **ret_lines, struct aisbx_error *e)
{
	struct lines *c = calloc(1, sizeof(*c));
	int r = 0;

	if (!c) {
		close(in);
		if (out != in)
			close(out);
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "start a connection");
	}
	*c = (struct lines){ .loop = l, .events = *events, .ctx = ctx, .in = in, .out = out };
	if (in == out && (c->out = fcntl(in, F_DUPFD_CLOEXEC, 0)) < 0) /* each way is watched by itself */
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "start a connection");
	if (r == 0)
		r = timer_add(l, on_later, c, &c->later, e);
	if (r == 0)
		r = watch(c, c->in, on_in, EPOLLIN, &c->in_watch, e);
	if (r == 0)
		r = watch(c, c->out, on_out, 0, &c->out_watch, e);
	if (r < 0) {
		destroy(c);
		return r;
	}
	c->polled = c->in_watch;
	set_reading(c);
	*ret_lines = c;
	return 0;
}

static int dup_it(int fd, struct aisbx_error *e)
{
	int again = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (again < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "use standard %s",
				  fd == STDIN_FILENO ? "input" : "output");
	return again;
}

/*
 * Not to block is a property of the open file, which others may have, too: a shell its terminal. So it is
 * opened again, where that can be done; a socket cannot, and is ours alone.
 */
static int open_again(int fd, int flags, struct aisbx_error *e)
{
	struct stat st;
	char path[32];
	int again;

	if (fstat(fd, &st) == 0 &&
	    S_ISREG(st.st_mode)) /* never makes wait, and knows where reading goes on */
		return dup_it(fd, e);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (again >= 0)
		return again;
	again = dup_it(fd, e);
	if (again >= 0)
		fcntl(again, F_SETFL, fcntl(again, F_GETFL) | O_NONBLOCK);
	return again;
}

int lines_take_stdio(int *ret_in, int *ret_out, struct aisbx_error *e)
{
	scoped(drop_fd) int in = open_again(STDIN_FILENO, O_RDONLY, e), out = -1, nothing = -1;

	if (in < 0)
		return in;
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) ==
	    O_RDONLY) /* opened again it would be writable, see base/std_fds.h */
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADF,
				    "standard output is closed, so answers cannot be written");
	out = open_again(STDOUT_FILENO, O_WRONLY, e);
	if (out < 0)
		return out;
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "set standard input and output aside");
	*ret_in = take_fd(&in);
	*ret_out = take_fd(&out);
	return 0;
}
