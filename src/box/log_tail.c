/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run's log, in the form of a run's result. */
#include "box/log_tail.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/runs.h"
#include "run/log.h"

struct ends {
	struct buf text[2];
	uint64_t dropped[2];
	size_t max;
};

static void ends_finish(struct ends *s)
{
	buf_finish(&s->text[0]);
	buf_finish(&s->text[1]);
}

/* Moved only when twice as much is there, so that a long log costs no more than its length. */
static void trim(struct ends *s, int i, size_t room)
{
	struct buf *b = &s->text[i];
	size_t extra = b->len > s->max ? b->len - s->max : 0;

	if (b->len <= room || b->failed)
		return;
	memmove(b->data, b->data + extra, b->len - extra);
	b->len -= extra;
	s->dropped[i] += extra;
}

static int read_ends(int dir, struct ends *s, struct aisbx_error *e)
{
	struct runlog_reader reader = { .fd = -1 };
	struct runlog_piece p;
	int r = runlog_open(dir, BOX_RUN_LOG, &reader, e);

	while (r == 0 && (r = runlog_next(&reader, &p, e)) > 0) {
		int i = p.stream == RUNLOG_STDERR;

		buf_add(&s->text[i], p.data, p.len);
		trim(s, i, 2 * s->max);
		r = 0;
	}
	runlog_finish(&reader);
	return r;
}

/* A letter of which only the end is there is none. */
static json_t *text_of(struct buf *b, bool cut)
{
	scoped(buf_finish) struct buf clean = { 0 };
	size_t from = 0;

	while (cut && from < 3 && from < b->len && ((unsigned char)b->data[from] & 0xC0) == 0x80)
		from++;
	if (buf_str(b))
		buf_add_utf8(&clean, b->data + from, b->len - from);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

int run_add_log_tail(const char *run, size_t max, json_t *result, struct aisbx_error *e)
{
	static const char *const names[] = { "stdout", "stderr" };
	scoped(ends_finish) struct ends s = { .max = max };
	json_t *cut = json_object_get(result, "truncated");
	scoped(drop_fd) int dir = -1;
	int r = box_run_open(run, &dir, e);

	if (r == -ENOENT && !e->code)
		return 0;
	if (r == 0)
		r = read_ends(dir, &s, e);
	if (r < 0)
		return r;
	if (!cut) {
		cut = json_object();
		json_object_set_new(result, "truncated", cut);
	}
	for (int i = 0; i < 2; i++) {
		trim(&s, i, max);
		json_object_set_new(result, names[i], text_of(&s.text[i], s.dropped[i] != 0));
		s.dropped[i] += (uint64_t)json_integer_value(json_object_get(cut, names[i]));
		json_object_set_new(cut, names[i], json_integer((json_int_t)s.dropped[i]));
	}
	return 0;
}
