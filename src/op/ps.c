/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `ps`: live runs. */
#include "base/scope.h"
#include "box/live_run.h"
#include "op/op.h"

static json_t *run_json(const struct live_run *r)
{
	const json_t *a = r->about;
	json_t *box = json_object_get(a, "box");

	return json_pack("{s:s, s:s, s:O?, s:O?, s:O?, s:f, s:O?, s:O?, s:b, s:i, s:O?}", "run", r->id,
			 "state", live_run_state(r), "box", box, "command", json_object_get(a, "command"),
			 "started_ms", json_object_get(a, "started_ms"), "wall_ms",
			 (double)r->status.wall_us / 1000, "detached", json_object_get(a, "detached"),
			 "profile", json_object_get(a, "profile"), "joined", (int)r->status.joined, "pid",
			 (int)r->status.pid, "trace_id", json_object_get(a, "trace_id"));
}

static int run_ps(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct live_run *runs = NULL;
	json_t *list;
	size_t n = 0;
	int r = live_runs_look(NULL, &runs, &n, e);

	(void)ctx;
	(void)args;
	if (r < 0)
		return r;
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, run_json(&runs[i]));
	live_runs_finish(runs, n);
	*ret_result = json_pack("{s:o}", "runs", list);
	return 0;
}

static const struct op_param no_params[] = { { .name = NULL } };
static const struct op_field ps_result[] = {
	{ "runs", "array", "oldest first" },
	{ "runs[].run", "string", "id" },
	{ "runs[].state", "string",
	  "starting, running, paused, ending (commands that joined its box still run) or unresponsive" },
	{ "runs[].box", "string|null", "id of its box; null if the box is removed after the run" },
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
	.about = "Lists the runs of this user that are still running, detached or not, oldest\n"
		 "first. 'aisbx history' lists ended runs. A run whose supervisor was killed is recorded\n"
		 "there as interrupted.",
	.grant = GRANT_READ,
	.params = no_params,
	.result = ps_result,
	.run = run_ps,
};
