/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `ps`: live runs. */
#include "base/scope.h"
#include "box/live_run.h"
#include "op/args.h"

static json_t *run_json(const struct live_run *r)
{
	const json_t *a = r->about;
	json_t *box = json_object_get(a, "box");

	return json_pack("{s:s, s:O?, s:s, s:O?, s:s?, s:O?, s:O?, s:f, s:O?, s:O?, s:b, s:i, s:O?}", "run",
			 r->id, "name", json_object_get(a, "name"), "state", live_run_state(r), "box", box,
			 "box_name", r->box_name[0] ? r->box_name : NULL, "command",
			 json_object_get(a, "command"), "started_ms", json_object_get(a, "started_ms"),
			 "wall_ms", (double)r->status.wall_us / 1000, "detached",
			 json_object_get(a, "detached"), "profile", json_object_get(a, "profile"), "joined",
			 (int)r->status.joined, "pid", (int)r->status.pid, "trace_id",
			 json_object_get(a, "trace_id"));
}

static int run_ps(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct live_run *runs = NULL;
	json_t *list;
	size_t n = 0, others = 0;
	int r = live_runs_of(ctx->by.project, &runs, &n, &others, e);

	(void)args;
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, run_json(&runs[i]));
	live_runs_finish(runs, n);
	*ret_result = json_pack("{s:o}", "runs", list);
	if (ctx->by.project)
		json_object_set_new(*ret_result, "others", json_integer((json_int_t)others));
	return 0;
}

static const struct op_param params[] = { ALL_PARAM("runs"), OF_PROJECT_PARAM, HERE_PARAM, { .name = NULL } };
static const struct op_field ps_result[] = {
	{ "runs", "array", "oldest first" },
	OTHERS_FIELD("runs"),
	{ "runs[].run", "string", "id" },
	{ "runs[].name", "string|null", "its name, if it has one" },
	{ "runs[].state", "string",
	  "waiting (for its turn), starting, running, paused, ending (commands that joined its box still "
	  "run) or unresponsive" },
	{ "runs[].box", "string|null", "id of its box; null if the box is removed after the run" },
	{ "runs[].box_name", "string|null", "name of its box" },
	{ "runs[].command", "string|null", "command with arguments" },
	{ "runs[].started_ms", "integer|null", "milliseconds since 1970" },
	{ "runs[].wall_ms", "number", "time since its start" },
	{ "runs[].detached", "boolean|null", "it was started with --detach" },
	{ "runs[].profile", "string|null", "its profile" },
	{ "runs[].joined", "boolean", "it joined the live box of another run" },
	{ "runs[].pid", "integer", "process id of its supervisor" },
	{ "runs[].trace_id", "string|null", "as in its result" },
	{ NULL, NULL, NULL },
};

const struct op op_ps = {
	.name = "ps",
	.group = GROUP_RUN,
	.view = VIEW_PS,
	.method = "run.ls",
	.summary = "List live runs",
	.about = "Lists the runs in the project you are in that are still running, detached or not, oldest\n"
		 "first; with --all, all of this user. 'aisbx history' lists ended runs. A run whose "
		 "supervisor was killed is recorded\n"
		 "there as interrupted.",
	.grant = GRANT_READ,
	.params = params,
	.result = ps_result,
	.run = run_ps,
};
