/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the output of a run in memory: its beginning, and of what follows the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/kept_output.h"

/* What comes within this time, up to this size, is one record. */
#define SAME_US    10000u
#define RECORD_MAX 16384u

void kept_output_finish(struct kept_output *k)
{
	buf_finish(&k->head.bytes);
	buf_finish(&k->tail.bytes);
}

/* Of each of the two. */
static size_t half(const struct kept_output *k)
{
	uint64_t all = k->room / 4 < KEPT_OUTPUT_RUN ? k->room / 4 : KEPT_OUTPUT_RUN;

	return all / 2 > 2 * RECORD_MAX ? (size_t)(all / 2) : 2 * RECORD_MAX;
}

static void put_piece(struct kept_records *r, enum runlog_stream stream, uint64_t time_us, const char *data,
		      size_t len)
{
	struct runlog_head last = { 0 };

	if (r->bytes.len > r->from)
		memcpy(&last, r->bytes.data + r->last, sizeof(last));
	if (last.stream == stream && time_us - last.time_us < SAME_US && last.len + len <= RECORD_MAX) {
		last.len += (uint32_t)len;
		memcpy(r->bytes.data + r->last, &last, sizeof(last));
	} else {
		last = (struct runlog_head){ .time_us = time_us, .stream = stream, .len = (uint32_t)len };
		r->last = r->bytes.len;
		buf_add(&r->bytes, &last, sizeof(last));
	}
	buf_add(&r->bytes, data, len);
}

static void put(struct kept_records *r, enum runlog_stream stream, uint64_t time_us, const char *data,
		size_t len)
{
	while (len && !r->bytes.failed) {
		size_t n = len < RECORD_MAX ? len : RECORD_MAX;

		put_piece(r, stream, time_us, data, n);
		data += n;
		len -= n;
	}
}

/* Drops records at the front; moves the rest only when as much is dropped, so that much output costs no more
 * than its length. */
static void trim(struct kept_output *k)
{
	struct kept_records *t = &k->tail;
	size_t max = half(k);

	while (!t->bytes.failed && t->bytes.len - t->from > max) {
		struct runlog_head first;

		memcpy(&first, t->bytes.data + t->from, sizeof(first));
		k->cut += first.len;
		t->from += sizeof(first) + first.len;
	}
	if (t->from <= max || t->bytes.failed)
		return;
	memmove(t->bytes.data, t->bytes.data + t->from, t->bytes.len - t->from);
	t->bytes.len -= t->from;
	t->last -= t->from;
	t->from = 0;
}

void kept_output_add(struct kept_output *k, enum runlog_stream stream, uint64_t time_us, const char *data,
		     size_t len)
{
	size_t max = half(k), used = k->head.bytes.len, n;

	n = k->tail.bytes.len || used >= max ? 0 : max - used;
	n = n < len ? n : len;
	put(&k->head, stream, time_us, data, n);
	if (n == len)
		return;
	put(&k->tail, stream, time_us, data + n, len - n);
	trim(k);
}

static void listen_to(void *ctx, int which, const char *data, size_t len)
{
	struct kept_output *k = ctx;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	kept_output_add(k, which ? RUNLOG_STDERR : RUNLOG_STDOUT,
			(uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u, data, len);
	if (k->next)
		k->next(k->next_ctx, which, data, len);
}

void kept_output_listen(struct kept_output *k, struct run_io *io)
{
	k->next = io->output_listener;
	k->next_ctx = io->output_listener_ctx;
	io->output_listener = listen_to;
	io->output_listener_ctx = k;
}

/* What neither the head nor the tail will hold is not read. */
static void skip(struct kept_output *k, struct runlog_reader *r, uint64_t size)
{
	if (k->head.bytes.len < half(k) || (uint64_t)r->at + r->left + 2 * half(k) > size)
		return;
	k->cut += r->left;
	r->at += r->left;
	r->left = 0;
}

int kept_output_add_log(struct kept_output *k, int dir, const char *name, struct aisbx_error *e)
{
	struct runlog_reader reader = { .fd = -1 };
	struct runlog_piece p;
	int r = runlog_open(dir, name, &reader, e);
	off_t size = r == 0 ? lseek(reader.fd, 0, SEEK_END) : 0;

	while (r == 0 && (r = runlog_next(&reader, &p, e)) > 0) {
		kept_output_add(k, p.stream, p.time_us, p.data, p.len);
		skip(k, &reader, size > 0 ? (uint64_t)size : 0);
		r = 0;
	}
	runlog_finish(&reader);
	return r;
}
