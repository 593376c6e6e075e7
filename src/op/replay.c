/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `replay`: repeats a run from its starting state, and reports differences. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "flow/replay.h"
#include "op/args.h"
#include "op/path_json.h"

static json_t *bytes_json(bool is_there, const char *text, size_t len)
{
	scoped(buf_finish) struct buf clean = { 0 };

	if (!is_there)
		return json_null();
	buf_add_utf8(&clean, text, len);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static json_t *number_json(int64_t n)
{
	return n == TAKE_NULL ? json_null() : json_integer(n);
}

static json_t *example_json(const struct replay_example *x)
{
	switch (x->kind) {
	case EXAMPLE_NUMBER:
		return json_pack("{s:o, s:o}", "was", number_json(x->was_number), "is",
				 number_json(x->is_number));
	case EXAMPLE_STATUS:
		return json_pack("{s:o, s:o}", "was", bytes_json(x->has_was, x->was, x->was_len), "is",
				 bytes_json(x->has_is, x->is, x->is_len));
	case EXAMPLE_LINE:
		return json_pack("{s:I, s:o, s:o}", "line", (json_int_t)x->line, "was",
				 bytes_json(x->has_was, x->was, x->was_len), "is",
				 bytes_json(x->has_is, x->is, x->is_len));
	case EXAMPLE_NONE:
	default:
		return json_null();
	}
}

static json_t *view_json(const struct replay_view *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "what", v->items[i]->what, "kind",
						      v->items[i]->kind, "example",
						      example_json(&v->items[i]->example)));
	return list;
}

static size_t shown(size_t len)
{
	return len < REPLAY_SHOWN ? len : REPLAY_SHOWN;
}

static json_t *stream_json(const struct replay_stream *s)
{
	const struct replay_text *t = &s->text;
	json_t *lines = json_array();

	for (size_t i = 0; i < t->n_lines; i++) {
		const struct replay_line *l = &t->lines[i];

		json_array_append_new(lines, json_pack("{s:I, s:o, s:o}", "line", (json_int_t)l->number,
						       "was", bytes_json(l->was, l->was, shown(l->was_len)),
						       "is", bytes_json(l->is, l->is, shown(l->is_len))));
	}
	return json_pack("{s:b, s:s?, s:o}", "same", t->same, "kind", t->same ? NULL : t->kind, "lines",
			 lines);
}

static json_t *changes_json(const struct replay_detail *d)
{
	json_t *paths = json_array();

	for (size_t i = 0; i < d->n; i++) {
		json_t *path = json_pack("{s:s, s:s}", "how", change_kind_name(d->paths[i].how), "kind",
					 d->paths[i].kind);

		op_set_name(path, "path", d->paths[i].path);
		json_array_append_new(paths, path);
	}
	return json_pack("{s:b, s:I, s:o}", "same", d->count == 0, "count", (json_int_t)d->count, "paths",
			 paths);
}

static void add_detail(const struct replay_detail *d, json_t *result)
{
	static const char *const names[] = { "stdout", "stderr" };

	for (int i = 0; i < 2; i++)
		json_object_set_new(result, names[i],
				    d->streams[i].compared ? stream_json(&d->streams[i]) : json_null());
	json_object_set_new(result, "changes", d->compared ? changes_json(d) : json_null());
}

static json_t *gaps_json(const struct replay_gaps *g)
{
	json_t *list = json_array();

	for (size_t i = 0; i < g->n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "what", g->items[i].what, "why",
						      g->items[i].why));
	return list;
}

static json_t *result_json(const struct replay_result *r)
{
	json_t *ids = json_array(), *boxes = json_array(), *stale = json_array(), *j;
	const struct take *was = &r->was, *is = &r->takes[0];

	for (size_t i = 0; i < r->n; i++) {
		json_array_append_new(ids, json_string(r->takes[i].id));
		if (r->keep && r->takes[i].box[0])
			json_array_append_new(boxes, json_string(r->takes[i].box));
	}
	for (size_t i = 0; i < r->stale.n && i < REPLAY_MAX_STALE; i++)
		json_array_append_new(stale, bytes_json(true, r->stale.items[i], strlen(r->stale.items[i])));
	j = json_pack("{s:s, s:o, s:o, s:b, s:{s:o, s:o}, s:{s:s?, s:s?}, s:{s:O?, s:O?}, s:o, s:o, s:o}",
		      "run", was->id, "replay", ids, "boxes", boxes, "same", r->of_record.n == 0, "exit_code",
		      "was", number_json(was->exit_code), "is", number_json(is->exit_code), "status", "was",
		      was->status, "is", is->status, "usage", "was", was->usage, "is", is->usage,
		      "not_deterministic", view_json(&r->chance), "changed", view_json(&r->changed),
		      "not_compared", gaps_json(&r->gaps));
	add_detail(&r->detail, j);
	json_object_set_new(j, "project_changed", stale);
	return j;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(replay_result_finish) struct replay_result done = { 0 };
	struct replay_request req = { .run = json_string_value(json_object_get(args, "run")),
				      .times = 1,
				      .keep = json_is_true(json_object_get(args, "keep")) };
	int r;

	value_number(json_object_get(args, "times"), &req.times);
	r = replay_run(&ctx->by, &req, &done, e);
	ctx->exit_status = r < 0 ? 125 : done.of_record.n ? 1 : 0;
	if (r == 0 && !(*ret_result = result_json(&done)))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ "times", 'n', OP_NUMBER, OP_MODEL, "N",
	  "number of replays: several tell random differences from real ones; default 1" },
	{ "keep", 'k', OP_FLAG, 0, NULL, "keep the boxes of the replays" },
	{ .name = NULL },
};

#define DIFFERENCE_FIELDS(at)                                                                             \
	{ at "what", "string", "exit_code, signal, status, stdout, stderr or \"file PATH\"",              \
	  .model = true },                                                                                \
		{ at "kind", "string",                                                                    \
		  "time, number, address, temporary name, order, mixed (of these), attributes, bytes or " \
		  "content",                                                                              \
		  .model = true },                                                                        \
	{                                                                                                 \
		at "example", "object|null", "members was and is; for a text with its line"               \
	}

#define TEXT_FIELDS(at)                                                             \
	{ at, "object|null", "null: not compared" },                                \
		{ at ".same", "boolean", "identical to the last byte" },            \
		{ at ".kind", "string|null", "as below" },                          \
	{                                                                           \
		at ".lines", "array", "the first 20 different lines: line, was, is" \
	}

static const struct op_field result[] = {
	{ "run", "string", "id of the replayed run", .model = true },
	{ "replay", "array", "run ids of the replays" },
	{ "boxes", "array", "with keep: ids of their boxes" },
	{ "same", "boolean", "no differences in what was compared", .model = true },
	{ "exit_code", "object", "members was and is; is: of the first replay", .model = true },
	{ "status", "object", "as exit_code" },
	{ "usage", "object", "as exit_code: the usage of run" },
	TEXT_FIELDS("stdout"),
	TEXT_FIELDS("stderr"),
	{ "changes", "object|null",
	  "files of the project after the replay compared with those after the run; null: not compared" },
	{ "changes.same", "boolean", "no path differs" },
	{ "changes.count", "integer", "number of paths that differ" },
	{ "changes.paths", "array", "the first 100 of them" },
	PATH_FIELDS("changes.paths[].", "relative to the project"),
	{ "changes.paths[].how", "string", "as the kinds of diff" },
	{ "changes.paths[].kind", "string", "as below" },
	{ "not_deterministic", "array", "the differences; with several replays: between them",
	  .model = true },
	DIFFERENCE_FIELDS("not_deterministic[]."),
	{ "changed", "array",
	  "with several replays: differences from the run that all replays share, so they are not random",
	  .model = true },
	DIFFERENCE_FIELDS("changed[]."),
	{ "not_compared", "array", "what could not be compared, and why", .model = true },
	{ "not_compared[].what", "string",
	  "start, stdin, stdout, stderr, changes, project, terminal or \"variable NAME\"", .model = true },
	{ "not_compared[].why", "string", "an explanation for people", .model = true },
	{ "project_changed", "array", "files of the real project that changed since the run, the first 20" },
	{ NULL, NULL, NULL },
};

const struct op op_replay = {
	.name = "replay",
	.group = GROUP_LOOK,
	.view = VIEW_REPLAY,
	.method = "run.replay",
	.summary = "Repeat a run and show what differs",
	.about = "Repeats the command of RUN with the same options, in a fork of its box from before the\n"
		 "run, and compares exit status, output, fuel and changes to the project. It shows what "
		 "differs\n"
		 "and what kind of difference that is: a time, a number, an address, the name of a\n"
		 "temporary file, another order, or other content. Several replays (--times) are also\n"
		 "compared with each other: differences between them are random; a difference from the run\n"
		 "that they share is not.\n\n"
		 "A run is replayed completely if it was recorded ('aisbx run --record', 'aisbx\n"
		 "create --record'); other runs as far as possible, and not_compared lists the rest. Exits\n"
		 "with 0 if nothing differs, 1 if something does.",
	.example = "aisbx run --box try1 --record -- make test\naisbx replay r-1f2e\naisbx replay --times 3 "
		   "--json r-1f2e",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
