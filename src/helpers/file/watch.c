/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Polls, and reports the state when it has changed. It polls instead of using inotify, which is not allowed
 * by every preset, has limits that a person's other programs share, and cannot report what happened before it
 * started.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "helpers/file/file.h"

/* Between two looks; and where a look takes long, so many times as long. */
#define PAUSE_MS 100
#define SHARE    10

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Who reads is gone when nobody does. */
static bool is_read(int out, long long pause)
{
	struct pollfd p = { .fd = out };

	return poll(&p, 1, (int)pause) <= 0 || !(p.revents & (POLLERR | POLLNVAL));
}

static bool differ(const struct buf *a, const struct buf *b)
{
	return a->len != b->len || (a->len && memcmp(a->data, b->data, a->len) != 0);
}

int act_watch(const struct ask *q, struct file_answer *a, int out)
{
	struct buf last = { 0 };
	long long took = 0;
	bool first = true;
	int r = 0;

	while (r == 0 && (first || is_read(out, took * SHARE > PAUSE_MS ? took * SHARE : PAUSE_MS))) {
		struct file_answer said = { .magic = FILE_MAGIC };
		struct buf now = { 0 };
		long long began = now_ms();
		int found = act_list(q, &said, &now); /* a directory that is gone is one with nothing in it */

		took = now_ms() - began;
		if (now.failed || found == -ENOMEM || found == -EMFILE)
			r = now.failed ? -ENOMEM : found;
		if (said.more)
			r = why(a, FILE_WHY_LARGE, E2BIG);
		if (r == 0 && (first || differ(&now, &last))) {
			said.data_len = now.len;
			r = io_write_all(out, &said, sizeof(said));
			if (r == 0)
				r = io_write_all(out, now.data, now.len);
		}
		first = false;
		buf_finish(&last);
		last = now;
	}
	buf_finish(&last);
	return r;
}
