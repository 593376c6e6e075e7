/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two takes: how they ended, what they wrote to their streams, and what they left of the project. */
#include "flow/replay_differ.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/diff.h"
#include "op/path.h"
#include "flow/replay_compare.h"

/* Of a line or of a file: that much is shown, or looked at. */
#define SHOWN     200
#define MAX_FILE  (1 << 20)
#define MAX_PATHS 100

static const char *const streams[] = { "stdout", "stderr" };

void note_not_compared(json_t *list, const char *what, const char *why)
{
	if (list)
		json_array_append_new(list, json_pack("{s:s, s:s}", "what", what, "why", why));
}

static json_t *text_json(const char *text, size_t len)
{
	scoped(buf_finish) struct buf clean = { 0 };

	if (!text)
		return json_null();
	buf_add_utf8(&clean, text, len < SHOWN ? len : SHOWN);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static json_t *line_json(const struct replay_line *l)
{
	return json_pack("{s:I, s:o, s:o}", "line", (json_int_t)l->number, "was",
			 text_json(l->was, l->was_len), "is", text_json(l->is, l->is_len));
}

static void add(json_t *list, const char *what, const char *kind, json_t *example)
{
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:o}", "what", what, "kind", kind, "example", example));
}

/* Of a text: the first line that differs. */
static json_t *example_of(const struct replay_text *t)
{
	return t->n_lines ? line_json(&t->lines[0]) : json_null();
}

static void compare_member(const struct take *was, const struct take *is, const char *key, json_t *list)
{
	json_t *a = json_object_get(was->result, key), *b = json_object_get(is->result, key);

	if (!json_equal(a, b))
		add(list, key, "content", json_pack("{s:O?, s:O?}", "was", a, "is", b));
}

/* Of all it wrote; NULL: it was not recorded. */
static const json_t *sum_of(const struct take *t, int which)
{
	return json_object_get(t->record, streams[which]);
}

static json_t *stream_json(const struct replay_text *t)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < t->n_lines; i++)
		json_array_append_new(lines, line_json(&t->lines[i]));
	return json_pack("{s:b, s:s?, s:o}", "same", t->same, "kind", t->same ? NULL : t->kind, "lines",
			 lines);
}

static void compare_stream(const struct take *was, const struct take *is, int which, json_t *list,
			   json_t *not_compared, json_t *detail)
{
	const struct buf *a = &was->output[which], *b = &is->output[which];
	const json_t *sum = sum_of(was, which), *other = sum_of(is, which);
	bool sums = sum && other, alike = sums && json_equal(sum, other),
	     texts = was->has_output && is->has_output;
	struct replay_text t = { .same = true, .kind = "" };

	if (!sums && !texts) {
		note_not_compared(not_compared, streams[which],
				  "what the run wrote was not kept; 'aisbx run --record' keeps it");
		if (detail)
			json_object_set_new(detail, streams[which], json_null());
		return;
	}
	if (!alike && texts)
		replay_compare_text(a->data ? a->data : "", a->len, b->data ? b->data : "", b->len, &t);
	if (sums && !alike && t.same) { /* behind what is kept, or nothing is kept any more */
		t.same = false;
		t.kind = "content";
	}
	if (!t.same)
		add(list, streams[which], t.kind, example_of(&t));
	if (detail)
		json_object_set_new(detail, streams[which], stream_json(&t));
}

/* The beginning of a file; false: it cannot be had. */
static bool read_file(const char *path, struct buf *ret)
{
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	char chunk[65536];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE)
		return false;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(ret, chunk, (size_t)n);
	return n == 0 && buf_str(ret);
}

/* How the two versions of one path differ; RET_EXAMPLE: a new reference. */
static const char *kind_of(const struct change_list *l, const struct change *c, json_t **ret_example)
{
	scoped(drop_mem) char *old = change_old_file(l, c);
	scoped(drop_mem) char *now = change_new_file(l, c);
	scoped(buf_finish) struct buf a = { 0 };
	scoped(buf_finish) struct buf b = { 0 };
	struct replay_text t;

	*ret_example = json_null();
	if (c->kind == CHANGE_MODE || c->kind == CHANGE_XATTR)
		return "attributes";
	if (c->kind == CHANGE_CREATE || c->kind == CHANGE_DELETE)
		return replay_is_temporary(c->path) ? "temporary name" : "content";
	if (c->kind != CHANGE_MODIFY || !S_ISREG(c->old_mode) || !S_ISREG(c->new_mode) || !old || !now ||
	    !read_file(old, &a) || !read_file(now, &b))
		return "content";
	replay_compare_text(a.data, a.len, b.data, b.len, &t);
	json_decref(*ret_example);
	*ret_example = example_of(&t);
	return t.same ? "content" : t.kind;
}

static void add_change(const struct change_list *l, const struct change *c, json_t *list, json_t *paths)
{
	scoped(buf_finish) struct buf what = { 0 };
	json_t *example, *path;
	const char *kind = kind_of(l, c, &example);

	buf_addf(&what, "file ");
	buf_add_utf8(&what, c->path, strlen(c->path));
	add(list, buf_str(&what) ? what.data : "file", kind, example);
	if (!paths)
		return;
	path = json_pack("{s:s, s:s}", "how", change_kind_name(c->kind), "kind", kind);
	op_set_name(path, "path", c->path);
	json_array_append_new(paths, path);
}

static int compare_changes(struct box_shelf *shelf, const struct take *was, const struct take *is,
			   json_t *list, json_t *not_compared, json_t *detail, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box a = { 0 };
	scoped(store_box_finish) struct store_box b = { 0 };
	scoped(change_list_finish) struct change_list changes = { 0 };
	json_t *paths = NULL;
	size_t n = 0;
	int r;

	if (detail)
		json_object_set_new(detail, "changes", json_null());
	if (!was->after[0] || !is->after[0]) {
		note_not_compared(
			not_compared, "changes",
			was->box[0] ? "no snapshot holds what the run left; 'aisbx run --record' takes one"
				    : "the box of the run went with it; run in one that stays, with --box "
				      "and --record");
		return 0;
	}
	r = store_box_find(shelf->store, was->box, &a, e);
	if (r == 0)
		r = store_box_find(shelf->store, is->box, &b, e);
	if (r == 0)
		r = box_diff(shelf, &a, was->after, &b, is->after, &changes, NULL, e);
	if (r < 0)
		return r;
	paths = json_array();
	for (size_t i = 0; i < changes.n; i++)
		if (changes.items[i].kind != CHANGE_TOUCH && n++ < MAX_PATHS)
			add_change(&changes, &changes.items[i], list, paths);
	if (detail)
		json_object_set_new(detail, "changes",
				    json_pack("{s:b, s:I, s:O}", "same", n == 0, "count", (json_int_t)n,
					      "paths", paths));
	json_decref(paths);
	return 0;
}

int takes_differ(struct box_shelf *shelf, const struct take *was, const struct take *is, json_t *list,
		 json_t *not_compared, json_t *detail, struct aisbx_error *e)
{
	static const char *const members[] = { "exit_code", "signal", "status" };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		compare_member(was, is, members[i], list);
	for (int i = 0; i < 2; i++)
		compare_stream(was, is, i, list, not_compared, detail);
	return compare_changes(shelf, was, is, list, not_compared, detail, e);
}
