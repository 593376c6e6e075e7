/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `history`: past runs, and events of boxes. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/history.h"
#include "op/op.h"

static const char *const status_names[] = { "ok", "failed", "limit", "denied", "interrupted", "error", NULL };

static json_t *run_json(const struct store_run *r, bool full)
{
	json_t *j = json_pack("{s:s, s:s?, s:s, s:o, s:I, s:f, s:s}", "run", r->id, "box",
			      r->box[0] ? r->box : NULL, "status", r->status, "exit_code",
			      r->exit_code < 0 ? json_null() : json_integer(r->exit_code), "started_ms",
			      (json_int_t)r->started_ms, "wall_ms", r->wall_ms, "command", r->command);

	if (j && full) { /* a run of before results were kept has none */
		json_t *result = r->result ? json_loads(r->result, 0, NULL) : NULL;

		json_object_set_new(j, "result", result ? result : json_null());
	}
	return j;
}

static json_t *lines_json(const struct kept_lines *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "stream",
						      l->items[i].is_stderr ? "stderr" : "stdout", "text",
						      l->items[i].text));
	return list;
}

static json_t *event_json(const struct store_event *v)
{
	return json_pack("{s:I, s:I, s:s, s:s?, s:s?, s:o?}", "seq", (json_int_t)v->seq, "time_ms",
			 (json_int_t)v->time_ms, "kind", v->kind, "box", v->box[0] ? v->box : NULL, "run",
			 v->run[0] ? v->run : NULL, "what", json_loads(v->what, 0, NULL));
}

/* A filter that would be ignored is a mistake somebody should hear of. */
static int check_filters(const json_t *args, struct aisbx_error *e)
{
	static const char *const of_runs[] = { "status", "match", "grep", "full", NULL };
	const char *key;
	json_t *value;

	if (json_object_get(args, "run") && json_object_size(args) > 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "RUN selects one run; it cannot be combined with options");
	if (!op_flag(args, "events"))
		return 0;
	json_object_foreach((json_t *)args, key, value) for (size_t i = 0; of_runs[i]; i++) if (
		!strcmp(key,
			of_runs[i])) return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
							 "--%s selects runs and cannot be used with --events",
							 key);
	return 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct box_history_request req = { .box = op_text(args, "box"),
					   .run = op_text(args, "run"),
					   .status = op_text(args, "status"),
					   .match = op_text(args, "match"),
					   .grep = op_text(args, "grep"),
					   .results = op_flag(args, "full"),
					   .events = op_flag(args, "events") };
	scoped(box_history_finish) struct box_history found = { 0 };
	uint64_t limit = 20;
	json_t *list;
	int r = check_filters(args, e);

	(void)ctx;
	value_number(json_object_get(args, "limit"), &limit);
	req.has_since = value_ms(json_object_get(args, "since"), &req.since_ms);
	req.limit = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
	if (r == 0)
		r = box_history(&req, &found, e);
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < found.n_runs; i++) {
		json_t *item = run_json(&found.runs[i], req.run || req.results);

		if (found.lines) {
			json_object_set_new(item, "lines", lines_json(&found.lines[i]));
			json_object_set_new(item, "more_lines",
					    json_integer((json_int_t)found.lines[i].more));
		}
		json_array_append_new(list, item);
	}
	for (size_t i = 0; i < found.n_events; i++)
		json_array_append_new(list, event_json(&found.events[i]));
	*ret_result = json_pack("{s:o}", !req.run && req.events ? "events" : "runs", list);
	if (req.grep)
		json_object_set_new(*ret_result, "grep", json_string(req.grep));
	return 0;
}

static const struct op_param params[] = {
	{ "run", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "RUN",
	  "only this run, with its full result; a prefix of its id is enough" },
	{ "box", 0, OP_STRING, OP_MODEL, "BOX", "only runs in this box" },
	{ "status", 0, OP_CHOICE, OP_MODEL, "STATUS", "only runs with this status", status_names },
	{ "match", 0, OP_STRING, OP_MODEL, "TEXT", "only commands that contain this text" },
	{ "grep", 'g', OP_STRING, 0, "TEXT",
	  "only runs whose output contains this text, with the lines that do" },
	{ "since", 0, OP_DURATION, OP_MODEL, "TIME", "only the last TIME, e.g. 2h" },
	{ "limit", 'n', OP_NUMBER, OP_MODEL, "N", "at most N; default 20" },
	{ "full", 0, OP_FLAG, 0, NULL, "include results: usage, violations, walls" },
	{ "events", 0, OP_FLAG, OP_MODEL, NULL, "list events of boxes instead of runs" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "grep", "string", "only present if there is one: the text that the output of these runs has" },
	{ "runs", "array", "newest first; absent with --events" },
	{ "runs[].run", "string", "id" },
	{ "runs[].box", "string|null", "id of its box; null if the box was removed after the run" },
	{ "runs[].status", "string", "as in the result of run" },
	{ "runs[].exit_code", "integer|null", "of the command" },
	{ "runs[].started_ms", "integer", "milliseconds since 1970" },
	{ "runs[].wall_ms", "number", "how long it took" },
	{ "runs[].command", "string", "command with arguments" },
	{ "runs[].result", "object|null",
	  "with RUN or --full: the result of run, without output; null if it was not stored" },
	{ "runs[].lines", "array", "with --grep: lines of the output that contain the text, at most 20" },
	{ "runs[].lines[].stream", "string", "stdout or stderr" },
	{ "runs[].lines[].text", "string", "the line; of a long one the part around the text" },
	{ "runs[].more_lines", "integer", "with --grep: further lines that contain it" },
	{ "events", "array", "newest first; only present with --events" },
	{ "events[].seq", "integer", "increases with every event" },
	{ "events[].time_ms", "integer", "milliseconds since 1970" },
	{ "events[].kind", "string",
	  "box.created, box.forked, box.snapshotted, box.rolled-back, box.removed, box.expired" },
	{ "events[].box", "string|null", "id of the box" },
	{ "events[].run", "string|null", "id of the run" },
	{ "events[].what", "object|null", "details, depending on the kind: name, snapshot, from" },
	{ NULL, NULL, NULL },
};

const struct op op_history = {
	.name = "history",
	.group = GROUP_LOOK,
	.view = VIEW_HISTORY,
	.first = true,
	.method = "run.history",
	.summary = "Show past runs",
	.about = "Lists runs; the one that ended last is first. With RUN it shows one run in full: usage,\n"
		 "violations, walls, the limit that ended it; 'aisbx logs' shows its output. With --grep it\n"
		 "searches the kept output of runs for a text, exactly as it is written. With --events it\n"
		 "lists events of boxes.",
	.example = "aisbx history --status failed --since 1d\n"
		   "aisbx history --match pytest --full --json\n"
		   "aisbx history --grep 'undefined reference'\n"
		   "aisbx history r-1f2e\n"
		   "aisbx history --events --box try1",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
