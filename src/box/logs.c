/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has written: a detached one while it runs and afterwards, any other afterwards. */
#include "box/logs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/kept_output.h"
#include "box/live_run.h"
#include "run/log.h"

/* Where the kernel has no watch left for us we look this often. */
#define LOOK_MS 100
/* The longest letter of UTF-8, less one: what may be left over at the end of a record. */
#define CARRY_MAX 3

/* One of the two streams, while it is told. */
struct told {
	bool in_line;          /* the last byte was no newline */
	char carry[CARRY_MAX]; /* the beginning of a letter */
	size_t carry_len;
};

struct logs {
	const struct caller *by;
	const struct run_logs_request *req;
	char id[STORE_ID_MAX];
	struct runlog_reader reader;
	struct told streams[2];
	uint64_t cut; /* bytes that were not kept */
};

static int put(struct logs *l, int stream, const char *data, size_t len, struct aisbx_error *e)
{
	int r = io_write_all(l->by->out_fds[stream], data, len);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "write the log") : 0;
}

static size_t print_time(uint64_t time_us, char *buf, size_t cap)
{
	time_t s = (time_t)(time_us / 1000000);
	struct tm tm;
	size_t n = strftime(buf, cap, "%Y-%m-%dT%H:%M:%S", gmtime_r(&s, &tm));

	return n + (size_t)snprintf(buf + n, cap - n, ".%06uZ ", (unsigned int)(time_us % 1000000));
}

/* Each line with the time when its first byte came. */
static int put_lines(struct logs *l, const struct runlog_piece *p, int stream, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf out = { 0 };
	struct told *t = &l->streams[stream];
	char when[48];
	size_t n = print_time(p->time_us, when, sizeof(when));

	for (size_t at = 0; at < p->len;) {
		const char *newline = memchr(p->data + at, '\n', p->len - at);
		size_t line = newline ? (size_t)(newline - p->data) + 1 - at : p->len - at;

		if (!t->in_line)
			buf_add(&out, when, n);
		buf_add(&out, p->data + at, line);
		t->in_line = !newline;
		at += line;
	}
	return buf_str(&out) ? put(l, stream, out.data, out.len, e)
			     : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the log");
}

/* How many bytes at the end of DATA begin a letter that goes on behind it. */
static size_t unfinished(const char *data, size_t len)
{
	for (size_t n = 1; n <= CARRY_MAX && n <= len; n++) {
		unsigned char c = (unsigned char)data[len - n];
		size_t want = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

		if (c < 0x80 || c >= 0xC0)
			return want > n ? n : 0;
	}
	return 0;
}

/* A letter may lie in two records: its first bytes wait for the rest. LAST: there is no rest. */
static int give_record(struct logs *l, const struct runlog_piece *p, int stream, bool last,
		       struct aisbx_error *e)
{
	static const char *const names[] = { "stdout", "stderr" };
	scoped(buf_finish) struct buf bytes = { 0 };
	scoped(buf_finish) struct buf clean = { 0 };
	struct told *t = &l->streams[stream];
	size_t rest;

	buf_add(&bytes, t->carry, t->carry_len);
	buf_add(&bytes, p->data, p->len);
	if (!buf_str(&bytes))
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the log");
	rest = last ? 0 : unfinished(bytes.data, bytes.len);
	memcpy(t->carry, bytes.data + bytes.len - rest, rest);
	t->carry_len = rest;
	buf_add_utf8(&clean, bytes.data, bytes.len - rest);
	if (!clean.len)
		return 0;
	l->req->tell(l->req->ctx, &(struct run_logged){ p->time_us, names[stream], clean.data, clean.len });
	return 0;
}

/* All there is now. */
static int drain(struct logs *l, struct aisbx_error *e)
{
	struct runlog_piece p;
	int r;

	if (l->by->out_fds[0] >= 0 && !l->req->timestamps)
		return runlog_pass(&l->reader, l->by->out_fds, e);
	while ((r = runlog_next(&l->reader, &p, e)) > 0) {
		int stream = p.stream == RUNLOG_STDERR;

		if (l->by->out_fds[0] < 0)
			r = give_record(l, &p, stream, false, e);
		else
			r = put_lines(l, &p, stream, e);
		if (r < 0)
			return r;
	}
	return r;
}

static int give_rest(struct logs *l, struct aisbx_error *e)
{
	int r = 0;

	for (int i = 0; r == 0 && i < 2; i++) {
		const struct runlog_piece nothing = { .time_us = l->reader.head.time_us, .data = "" };

		if (l->streams[i].carry_len)
			r = give_record(l, &nothing, i, true, e);
	}
	return r;
}

/* Waits for more, or the end of who writes it. */
static void wait_for_more(int watch, int pidfd)
{
	struct pollfd p[2] = { { .fd = watch, .events = POLLIN }, { .fd = pidfd, .events = POLLIN } };
	char events[4096];

	poll(p, 2, watch < 0 ? LOOK_MS : -1);
	if (p[0].revents && read(watch, events, sizeof(events)) < 0)
		return; /* somebody else woke us; there is nothing to lose */
}

/* Until the log says that it is complete, or nobody is left to write it. */
static int follow(struct logs *l, int watch, struct aisbx_error *e)
{
	scoped(drop_fd) int pidfd = -1;
	struct run_status status;
	int r = 0;

	while (r == 0 && !l->reader.ended) {
		scoped(drop_fd) int fd = -1;

		if (pidfd < 0) {
			r = live_run_connect(l->id, &fd, e);
			if (r < 0)
				return e->code ? r : drain(l, e); /* it has ended: nothing more comes */
			r = run_ask_watch(fd, &pidfd, &status, e);
			if (r < 0 && r != -ESTALE && r != -ETIMEDOUT)
				return r;
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
		}
		r = drain(l, e);
		if (r == 0 && !l->reader.ended)
			wait_for_more(watch, pidfd);
		if (pidfd >= 0) {
			struct pollfd gone = { .fd = pidfd, .events = POLLIN };

			if (poll(&gone, 1, 0) >
			    0) /* it, or who it was before it detached itself: ask again */
				close_fd(&pidfd);
		}
	}
	return r;
}

/* Of the run itself, or of one of its services. */
static int name_log(const char *service, char *name, size_t cap, struct aisbx_error *e)
{
	if (service && (strlen(service) > 48 || strchr(service, '/')))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.60s' is not a valid name of a service", service);
	if (service)
		snprintf(name, cap, RUN_SERVICE_LOG, service);
	else
		snprintf(name, cap, "%s", BOX_RUN_LOG);
	return 0;
}

/* Of a run that has no log: its output, if it has ended. */
static int open_kept(struct logs *l, struct aisbx_error *e)
{
	scoped(drop_fd) int live = -1;
	int fd = -1, r = kept_output_open(l->id, &fd, &l->cut, e);

	if (r == 0)
		return runlog_open_fd(fd, &l->reader, e);
	if (r != -ENOENT || e->code)
		return r;
	if (live_run_connect(l->id, &live, e) == 0)
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
			"run '%s' was not detached: its output goes to who started it, and is here "
			"when it has ended",
			l->id);
	return e->code ? e->code
		       : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
				      "no output of run '%s' is kept: it wrote nothing, or newer output took "
				      "its place, or its profile has 'keep-output: 0'",
				      l->id);
}

static int open_log(const char *key, const char *service, struct logs *l, int *ret_watch, bool wants_more,
		    struct aisbx_error *e)
{
	scoped(drop_fd) int dir = -1;
	char path[128], name[80];
	int r = live_run_find(key, l->id, e);

	if (r == 0)
		r = box_run_open(l->id, &dir, e);
	if (r == -ENOENT && !e->code && !service)
		return open_kept(l, e);
	if (r == -ENOENT && !e->code)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
				    "run '%s' has no log of its services: it was not detached, or gc has "
				    "removed the log",
				    l->id);
	if (r == 0)
		r = name_log(service, name, sizeof(name), e);
	if (r < 0)
		return r;
	r = runlog_open(dir, name, &l->reader, e);
	if (r == -ENOENT && service)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
				    "no service '%s' was started in run '%s'", service, l->id);
	if (r < 0 || !wants_more)
		return r;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name);
	*ret_watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (*ret_watch >= 0 && inotify_add_watch(*ret_watch, path, IN_MODIFY) < 0)
		close_fd(ret_watch);
	return 0;
}

int run_logs(const struct caller *by, const struct run_logs_request *req, struct run_logs *ret,
	     struct aisbx_error *e)
{
	struct logs l = { .by = by, .req = req, .reader.fd = -1 };
	scoped(drop_fd) int watch = -1;
	int r = open_log(req->run, req->service, &l, &watch, req->follow, e);

	if (r == 0)
		r = req->follow ? follow(&l, watch, e) : drain(&l, e);
	if (r == 0)
		r = give_rest(&l, e);
	memcpy(ret->id, l.id, sizeof(ret->id));
	ret->complete = l.reader.ended;
	ret->cut = l.cut;
	runlog_finish(&l.reader);
	return r;
}
