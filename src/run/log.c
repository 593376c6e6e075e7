/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the log of a detached run's output. */
#include "run/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

#define BLOCK 131072
/* How many records the end of a log is looked for in. */
#define TAIL_RECORDS 1024
/* Who writes records this large writes much: between two programs then lies a wider pipe, and they wait less
 * for each other. */
#define LARGE     65536
#define WIDE_PIPE (1 << 20)

int runlog_create(int dir_fd, const char *name, struct runlog *ret, struct aisbx_error *e)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "make the log '%s'", name);
	*ret = (struct runlog){ .fd = fd };
	return 0;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* The disk may be full now and have room again later: a record is there as a whole or not at all. */
static void take_back(struct runlog *l, int error)
{
	l->error = error;
	if (ftruncate(l->fd, (off_t)l->size) < 0)
		l->error = errno;
}

/* Who reads sees a record when it is complete: its bytes are there before its head. */
static int publish(struct runlog *l, enum runlog_stream stream, size_t len)
{
	const struct runlog_head head = { .time_us = now_us(), .stream = stream, .len = (uint32_t)len };
	ssize_t n = pwrite(l->fd, &head, sizeof(head), (off_t)l->size);

	if (n != (ssize_t)sizeof(head))
		return n < 0 ? errno : ENOSPC;
	l->size += sizeof(head) + len;
	return 0;
}

bool runlog_add(struct runlog *l, enum runlog_stream stream, const void *data, size_t len)
{
	ssize_t n = len ? pwrite(l->fd, data, len, (off_t)(l->size + sizeof(struct runlog_head))) : 0;
	int error = n == (ssize_t)len ? publish(l, stream, len) : n < 0 ? errno : ENOSPC;

	if (error)
		take_back(l, error);
	return !error;
}

int runlog_move(struct runlog *l, enum runlog_stream stream, int from, size_t len, size_t *ret_moved)
{
	off_t at = (off_t)(l->size + sizeof(struct runlog_head));
	int error = 0;

	for (*ret_moved = 0; !error && *ret_moved < len;) {
		ssize_t n =
			splice(from, NULL, l->fd, &at, len - *ret_moved, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		error = n < 0 ? errno : n == 0 ? ENOSPC : 0;
		*ret_moved += n > 0 ? (size_t)n : 0;
	}
	if (error == EINVAL && !*ret_moved)
		return -EINVAL;
	if (!error)
		error = publish(l, stream, len);
	if (error)
		take_back(l, error);
	return -error;
}

void runlog_close(struct runlog *l)
{
	if (l->fd >= 0)
		runlog_add(l, RUNLOG_END, NULL, 0);
	close_fd(&l->fd);
}

int runlog_open(int dir_fd, const char *name, struct runlog_reader *ret, struct aisbx_error *e)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open the log '%s'", name);
	return runlog_open_fd(fd, ret, e);
}

int runlog_open_fd(int fd, struct runlog_reader *ret, struct aisbx_error *e)
{
	struct runlog_reader r = { .fd = fd, .block = malloc(BLOCK) };

	if (!r.block) {
		runlog_finish(&r);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the log");
	}
	*ret = r;
	return 0;
}

void runlog_finish(struct runlog_reader *r)
{
	close_fd(&r->fd);
	free(r->block);
	r->block = NULL;
}

/* 1: the head of the next record; 0: there is none yet. */
static int read_head(struct runlog_reader *r, struct aisbx_error *e)
{
	ssize_t n;

	do
		n = pread(r->fd, &r->head, sizeof(r->head), r->at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "read the log");
	if (n != (ssize_t)sizeof(r->head) || !r->head.time_us)
		return 0;
	if (r->head.stream > RUNLOG_STDERR)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				    "this is not the log of a run, or it is damaged");
	r->at += (int64_t)sizeof(r->head);
	r->left = r->head.len;
	r->ended = r->head.stream == RUNLOG_END;
	return 1;
}

/* Some bytes of the record into the block; 0: there are none. */
static ssize_t read_some(struct runlog_reader *r)
{
	ssize_t n;

	do
		n = pread(r->fd, r->block, r->left < BLOCK ? r->left : BLOCK, r->at);
	while (n < 0 && errno == EINTR);
	return n;
}

static void advance(struct runlog_reader *r, size_t n)
{
	r->at += (int64_t)n;
	r->left -= (uint32_t)n;
}

int runlog_next(struct runlog_reader *r, struct runlog_piece *ret, struct aisbx_error *e)
{
	ssize_t n;

	while (!r->left && !r->ended) {
		int more = read_head(r, e);

		if (more <= 0)
			return more;
	}
	if (r->ended)
		return 0;
	n = read_some(r);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "read the log");
	if (n == 0)
		return 0;
	*ret = (struct runlog_piece){ .time_us = r->head.time_us,
				      .stream = (enum runlog_stream)r->head.stream,
				      .data = r->block,
				      .len = (size_t)n };
	advance(r, (size_t)n);
	return 1;
}

int runlog_to_tail(struct runlog_reader *r, size_t bytes, struct aisbx_error *e)
{
	struct {
		int64_t at;
		uint32_t len;
	} last[TAIL_RECORDS];
	size_t n = 0, sum = 0, kept = 0;
	int more;

	while (!r->ended && (more = read_head(r, e)) != 0) {
		if (more < 0)
			return more;
		if (r->ended)
			break;
		last[n % TAIL_RECORDS].at = r->at;
		last[n++ % TAIL_RECORDS].len = r->left;
		advance(r, r->left);
	}
	while (kept < n && kept < TAIL_RECORDS && sum < bytes)
		sum += last[(n - ++kept) % TAIL_RECORDS].len;
	if (!kept)
		return 0;
	r->ended = false;
	r->at = last[(n - kept) % TAIL_RECORDS].at - (int64_t)sizeof(r->head);
	more = read_head(r, e);
	if (more > 0 && sum > bytes) /* of the first only its end */
		advance(r, sum - bytes < r->left ? sum - bytes : r->left);
	return more < 0 ? more : 0;
}

/* Some bytes of the record; 0: there are none. */
static ssize_t pass_some(struct runlog_reader *r, int stream, int out)
{
	off_t at = (off_t)r->at;
	ssize_t n, done = 0;

	if (!r->no_splice[stream]) {
		if (r->left >= LARGE &&
		    !r->widened[stream]) /* as wide as what comes; who may not have it goes on without */
			r->widened[stream] = fcntl(out, F_SETPIPE_SZ, WIDE_PIPE) != 0;
		n = splice(r->fd, &at, out, NULL, r->left, SPLICE_F_MOVE);
		r->no_splice[stream] = n < 0 && errno == EINVAL;
		if (!r->no_splice[stream])
			return n;
	}
	n = read_some(r);
	while (n > 0 && done < n) {
		ssize_t part = write(out, r->block + done, (size_t)(n - done));

		if (part < 0 && errno != EINTR)
			return -1;
		done += part > 0 ? part : 0;
	}
	return n;
}

int runlog_pass(struct runlog_reader *r, const int out_fds[2], struct aisbx_error *e)
{
	while (!r->ended) {
		int stream, more;
		ssize_t n;

		if (!r->left) {
			more = read_head(r, e);
			if (more <= 0)
				return more;
			continue;
		}
		stream = r->head.stream == RUNLOG_STDERR;
		n = pass_some(r, stream, out_fds[stream]);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "write the log");
		if (n > 0)
			advance(r, (size_t)n);
	}
	return 0;
}
