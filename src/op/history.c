/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `history`: what has run. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/point.h"
#include "op/value.h"

static const char *const status_names[] = { "ok", "failed", "limit", "denied", "interrupted", "error", NULL };

static int64_t limit_of(const json_t *args)
{
	uint64_t n = 20;

	op_value_number(json_object_get(args, "limit"), &n);
	return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

static int64_t since(const json_t *args)
{
	uint64_t ms = 0;

	return op_value_ms(json_object_get(args, "since"), &ms) ? box_now_ms() - (int64_t)ms : 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *key = json_string_value(json_object_get(args, "box"));
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	struct store_run_filter filter = { .status = json_string_value(json_object_get(args, "status")),
					   .match = json_string_value(json_object_get(args, "match")),
					   .since_ms = since(args),
					   .limit = limit_of(args) };
	struct store_run *runs = NULL;
	json_t *list;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	filter.box = key;
	if (r == 0 && key && strncmp(key, "b-", 2) != 0) { /* an id also names a box that is gone */
		r = store_box_find(shelf.store, key, &box, e);
		filter.box = box.id;
	}
	if (r == 0)
		r = store_run_list(shelf.store, &filter, &runs, &n, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s?, s:s, s:o, s:I, s:f, s:s}", "run", runs[i].id, "box",
						      runs[i].box[0] ? runs[i].box : NULL, "status", runs[i].status,
						      "exit_code",
						      runs[i].exit_code < 0 ? json_null() : json_integer(runs[i].exit_code),
						      "started_ms", (json_int_t)runs[i].started_ms, "wall_ms",
						      runs[i].wall_ms, "command", runs[i].command));
	store_run_list_finish(runs, n);
	*ret_result = json_pack("{s:o}", "runs", list);
	return 0;
}

static const struct op_param params[] = {
	{ .name = "box", .type = OP_STRING, .value = "BOX", .help = "only runs in this box" },
	{ .name = "status", .type = OP_CHOICE, .choices = status_names, .value = "STATUS", .help = "only runs that ended so" },
	{ .name = "match", .type = OP_STRING, .value = "TEXT", .help = "only commands that contain this" },
	{ .name = "since", .type = OP_DURATION, .value = "TIME", .help = "only runs of the last TIME, e.g. 2h" },
	{ .name = "limit", .letter = 'n', .type = OP_NUMBER, .value = "N", .help = "at most N; default 20" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "runs", "array", "newest first" },
	{ "runs[].run", "string", "id" },
	{ "runs[].box", "string|null", "id of its box, null if that went with the run" },
	{ "runs[].status", "string", "as in the result of run" },
	{ "runs[].exit_code", "integer|null", "of the command" },
	{ "runs[].started_ms", "integer", "milliseconds since 1970" },
	{ "runs[].wall_ms", "number", "how long it took" },
	{ "runs[].command", "string", "with its arguments" },
	{ NULL, NULL, NULL },
};

const struct op op_history = {
	.name = "history",
	.summary = "Show what has run",
	.about = "Lists runs, newest first.",
	.example = "aisbx history --status failed --since 1d",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
