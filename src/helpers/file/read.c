/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a part of a file, by bytes or by lines. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "helpers/file/file.h"

/* A stretch of a file. */
struct window {
	uint64_t from, to;
};

/*
 * Where lines FIRST and on begin and end; no more than `most` bytes of them, cut behind a whole line if there
 * is one.
 */
static int find_lines(int fd, const struct file_request *q, struct file_answer *a, struct window *ret)
{
	uint64_t room = q->most, line = 0, at = 0,
		 last = q->limit > UINT64_MAX - q->offset ? UINT64_MAX : q->offset + q->limit;
	char chunk[65536];
	ssize_t n;

	a->line = q->offset;
	*ret = (struct window){ q->offset ? UINT64_MAX : 0, 0 };
	while ((n = pread(fd, chunk, sizeof(chunk), (off_t)at)) > 0) {
		for (const char *p = chunk; (p = memchr(p, '\n', (size_t)(chunk + n - p))); p++) {
			uint64_t end = at + (uint64_t)(p - chunk) + 1;

			line++;
			if (line == q->offset)
				ret->from = end;
			if (line <= q->offset)
				continue;
			if (end - ret->from > room) {
				ret->to = ret->to > ret->from ? ret->to : ret->from + room;
				return 0;
			}
			ret->to = end;
			if (line == last)
				return 0;
		}
		at += (uint64_t)n;
		if (ret->from != UINT64_MAX && at - ret->from > room) {
			ret->to = ret->to > ret->from ? ret->to : ret->from + room;
			return 0;
		}
	}
	if (n < 0)
		return err();
	if (ret->from == UINT64_MAX) /* there are fewer */
		ret->from = at;
	ret->to = at;
	return 0;
}

static int read_window(int fd, const struct file_request *q, const struct window *w, struct file_answer *a,
		       struct buf *ret)
{
	uint64_t before = q->margin < w->from ? q->margin : w->from, behind = q->margin ? q->margin : 1;
	uint64_t at = w->from - before, end = w->to + behind;
	char chunk[65536];
	ssize_t n = 1;

	while (at < end && n > 0) {
		n = pread(fd, chunk, end - at < sizeof(chunk) ? (size_t)(end - at) : sizeof(chunk),
			  (off_t)at);
		if (n < 0)
			return err();
		buf_add(ret, chunk, (size_t)n);
		at += (uint64_t)n;
	}
	a->offset = w->from;
	a->next = at < w->to ? at : w->to;
	a->behind = at > w->to ? at - w->to : 0;
	a->before = at < w->from ? at - (w->from - before) : before;
	if (a->next < a->offset)
		a->next = a->offset; /* it begins behind the end */
	return 0;
}

int act_read(const struct ask *q, struct file_answer *a, struct buf *ret)
{
	struct window w = { q->head.offset, q->head.offset + q->head.limit };
	struct stat st;
	scoped(drop_fd) int fd = open_file(AT_FDCWD, q->part[FILE_PATH], a, &st);
	int r = fd;

	if (r >= 0 && a->size <= FILE_MAX_WHOLE)
		r = sum_file(fd, a);
	if (r >= 0 && q->head.flags & FILE_LINES)
		r = find_lines(fd, &q->head, a, &w);
	return r < 0 ? r : read_window(fd, &q->head, &w, a, ret);
}

/*
 * What it has when it is opened: one that grows is not followed. Files of the kernel have no size, or another
 * than what can be read.
 */
int act_read_beside(const struct ask *q, struct file_answer *a, int out)
{
	static char chunk[256 << 10];
	uint64_t lines = 0, end;
	char last = '\n';
	struct sha256 sum;
	struct stat st;
	scoped(drop_fd) int fd = open_file(AT_FDCWD, q->part[FILE_PATH], a, &st);
	ssize_t n = 1;
	int r = fd < 0 ? fd : lseek(out, sizeof(*a), SEEK_SET) < 0 ? err() : 0;

	end = a->size ? a->size : UINT64_MAX;
	sha256_init(&sum);
	while (r == 0 && a->data_len < end) {
		n = read(fd, chunk, end - a->data_len < sizeof(chunk) ? end - a->data_len : sizeof(chunk));
		if (n <= 0)
			break;
		a->data_len += (uint64_t)n;
		sha256_add(&sum, chunk, (size_t)n);
		for (const char *p = chunk; (p = memchr(p, '\n', (size_t)(chunk + n - p))); p++)
			lines++;
		last = chunk[n - 1];
		r = a->data_len > q->head.limit ? why(a, FILE_WHY_LARGE, EFBIG)
						: io_write_all(out, chunk, (size_t)n);
	}
	if (r < 0 || n < 0 || fstat(fd, &st) < 0)
		return r < 0 ? r : err();
	if (a->data_len < a->size && (uint64_t)st.st_size < a->size)
		return why(a, FILE_WHY_SHRANK, ESTALE);
	sha256_end(&sum, a->sum);
	a->has_sum = 1;
	a->lines = lines + (last != '\n');
	return 0;
}

int act_stat(const struct ask *q, struct file_answer *a, struct buf *ret)
{
	struct stat st;
	char target[4096];
	ssize_t n;

	if (fstatat(AT_FDCWD, q->part[FILE_PATH], &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err();
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size <= FILE_MAX_WHOLE) {
		struct file_answer same = *a;
		struct stat now;
		scoped(drop_fd) int fd = open_file(AT_FDCWD, q->part[FILE_PATH], &same, &now);

		if (fd >= 0 && sum_file(fd, &same) == 0) { /* one that cannot be read is there all the same */
			*a = same;
			st = now;
		}
	}
	tell_stat(a, &st);
	n = S_ISLNK(st.st_mode) ? readlinkat(AT_FDCWD, q->part[FILE_PATH], target, sizeof(target)) : 0;
	if (n > 0)
		buf_add(ret, target, (size_t)n);
	return 0;
}
