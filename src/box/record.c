/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a run. It contains names and sources of secrets, never values; values of variables only if a
 * person asked for it.
 */
#include "box/record.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/recorded.h"

static void fold(struct record_sum *s, uint64_t word)
{
	s->rest = ((s->rest << 29 | s->rest >> 35) ^ word) * 0x9e3779b97f4a7c15u;
}

/* The same whatever the pieces it comes in. */
static void add_rest(struct record_sum *s, const char *data, size_t len)
{
	uint64_t word;

	for (; len && s->bytes % 8; len--) {
		s->word |= (uint64_t)(unsigned char)*data++ << 8 * (s->bytes++ % 8);
		if (s->bytes % 8 == 0) {
			fold(s, s->word);
			s->word = 0;
		}
	}
	for (; len >= 8; data += 8, len -= 8, s->bytes += 8) {
		memcpy(&word, data, 8);
		fold(s, le64toh(word));
	}
	for (; len; len--)
		s->word |= (uint64_t)(unsigned char)*data++ << 8 * (s->bytes++ % 8);
}

static void listen_to(void *ctx, int which, const char *data, size_t len)
{
	struct run_record *r = ctx;
	struct record_sum *s = &r->sums[which];
	size_t room = s->bytes < RECORD_OUTPUT ? RECORD_OUTPUT - s->bytes : 0, n = len < room ? len : room;

	if (n) {
		sha256_add(&s->kept, data, n);
		s->bytes += n;
		if (r->log)
			runlog_add(r->log, which ? RUNLOG_STDERR : RUNLOG_STDOUT, data, n);
	}
	add_rest(s, data + n, len - n);
	if (r->next)
		r->next(r->next_ctx, which, data, len);
}

/* Variables without their values; RET_LOST: names of those that had one. */
static json_t *names_of(const struct strlist *env, json_t **ret_lost)
{
	json_t *list = json_array();

	*ret_lost = json_array();
	for (size_t i = 0; i < env->n; i++) {
		size_t n = strcspn(env->items[i], "=");

		json_array_append_new(env->items[i][n] ? *ret_lost : list, json_stringn(env->items[i], n));
	}
	return list;
}

/* A pipe or a file may have brought something; a terminal, or nothing, has not. */
static bool has_input(const struct caller *by)
{
	struct stat st;

	return by->stdin_fd >= 0 && fstat(by->stdin_fd, &st) == 0 && !S_ISCHR(st.st_mode) &&
	       !(S_ISREG(st.st_mode) && !st.st_size);
}

static json_t *describe(const struct caller *by, const struct run_options *w, const struct run_spec *req,
			bool on)
{
	json_t *kept = run_options_json(w), *lost = NULL, *what;

	if (w->here) /* where the caller was is not known later */
		json_object_set_new(kept, "cwd", json_string(req->command.cwd));
	if (!on && w->env.n)
		json_object_set_new(kept, "env", names_of(&w->env, &lost));
	what = json_pack("{s:o, s:s, s:s, s:s?, s:b, s:b}", "args", kept, "cwd", by->cwd, "profile",
			 req->origin->ref, "project", req->walls.project, "input", has_input(by), "recorded",
			 on);
	if (what && lost && json_array_size(lost))
		json_object_set(what, "env_not_kept", lost);
	if (what && by->owner)
		json_object_set_new(what, "owner", json_string(by->owner));
	json_decref(lost);
	return what; /* NULL where a path is no UTF-8: such a run cannot be replayed */
}

int run_record_begin(struct run_record *r, const struct caller *by, const struct run_options *w,
		     struct run_spec *req, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = req->box.id[0] ? box_state_dir(e) : NULL;

	r->on = w->record || (dir && box_recorded(dir, req->box.id));
	r->what = describe(by, w, req, r->on);
	if (r->on && !r->what)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "a path of the run is not UTF-8, so it cannot be recorded");
	if (!r->on)
		return 0;
	req->box.record = &r->points;
	for (int i = 0; i < 2; i++)
		sha256_init(&r->sums[i].kept);
	r->next = req->io.output_listener;
	r->next_ctx = req->io.output_listener_ctx;
	req->io.output_listener = listen_to;
	req->io.output_listener_ctx = r;
	return 0;
}

/* "sha256" is of all there was unless there is a "rest". */
static json_t *sum_json(struct record_sum *s)
{
	uint8_t sum[SHA256_BYTES];
	char text[2 * SHA256_BYTES + 1];
	json_t *j;

	sha256_end(&s->kept, sum);
	io_hex(sum, sizeof(sum), text);
	j = json_pack("{s:s, s:I}", "sha256", text, "bytes", (json_int_t)s->bytes);
	if (s->bytes > RECORD_OUTPUT) {
		fold(s, s->word);
		json_object_set_new(j, "rest", json_sprintf("%016llx", (unsigned long long)s->rest));
	}
	return j;
}

static void set_point(json_t *record, const char *key, const char *id)
{
	json_object_set_new(record, key, id[0] ? json_string(id) : json_null());
}

json_t *run_record_end(struct run_record *r, const struct run_spec *req)
{
	json_t *record = r->what;

	r->what = NULL;
	if (!record || !r->on)
		return record;
	if (req->box.id[0]) {
		set_point(record, "before", r->points.before);
		set_point(record, "after", r->points.after);
		json_object_set_new(record, "joined", json_boolean(r->points.joined));
	}
	json_object_set_new(record, "stdout", sum_json(&r->sums[0]));
	json_object_set_new(record, "stderr", sum_json(&r->sums[1]));
	return record;
}

void run_record_finish(struct run_record *r)
{
	json_decref(r->what);
	r->what = NULL;
}
