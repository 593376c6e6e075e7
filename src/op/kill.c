/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that act on live runs: `kill`, `pause`, `resume`, `wait`. */
#include "base/scope.h"
#include "base/value.h"
#include "box/control.h"
#include "op/args.h"

#define OUTPUT_FIELDS                                                                                   \
	{ "stdout", "string", "with --output: the end of what the command wrote, if it is kept",        \
	  .model = true },                                                                              \
		{ "stderr", "string", "as stdout", .model = true },                                     \
		{ "truncated", "object",                                                                \
		  "with --output: bytes before that, and those the output limit took", .model = true }, \
		{ "truncated.stdout", "integer", "bytes", .model = true },                              \
	{                                                                                               \
		"truncated.stderr", "integer", "bytes", .model = true                                   \
	}

static json_t *ids_json(const struct strlist *ids)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ids->n; i++)
		json_array_append_new(list, json_string(ids->items[i]));
	return json_pack("{s:o}", "runs", list);
}

static int kill_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, ids = { 0 };
	int r;

	(void)ctx;
	value_list(json_object_get(args, "runs"), &keys);
	r = run_kill(&keys, op_text(args, "signal"), &ids, e);
	if (r == 0)
		*ret_result = ids_json(&ids);
	return r;
}

static const struct op_param kill_params[] = {
	RUNS_PARAM(true, "ids of the runs; their beginnings are enough"),
	{ "signal", 's', OP_STRING, 0, "SIGNAL",
	  "pass this signal on to the command, which may do with it what it likes; default: end the run" },
	{ .name = NULL },
};
static const struct op_field ids_result[] = { { "runs", "array", "ids of the runs" }, { NULL, NULL, NULL } };

const struct op op_kill = {
	.name = "kill",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.kill",
	.tool = "sandbox_kill",
	.brief = "End runs with every process they started. What they changed in a box stays.",
	.destroys = true,
	.summary = "End runs, or pass a signal on",
	.about = "Ends the runs with everything they started, and returns when they are gone; their results "
		 "say \"interrupted\".\n"
		 "With --signal only passes the signal on to the process group of the command. A box that "
		 "stays is not changed.",
	.example = "aisbx kill r-1f2e\n"
		   "aisbx kill --signal HUP r-1f2e",
	.grant = GRANT_RUN,
	.params = kill_params,
	.result = ids_result,
	.run = kill_run,
};

static int hold(const json_t *args, bool on, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, ids = { 0 };
	int r;

	value_list(json_object_get(args, "runs"), &keys);
	r = run_pause(&keys, on, &ids, e);
	if (r == 0)
		*ret_result = ids_json(&ids);
	return r;
}

static int pause_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	return hold(args, true, ret_result, e);
}

static int resume_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	return hold(args, false, ret_result, e);
}

static const struct op_param runs_params[] = {
	RUNS_PARAM(true, "ids of the runs; their beginnings are enough"), { .name = NULL }
};

const struct op op_pause = {
	.name = "pause",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.pause",
	.summary = "Stop every process of a run's box for a while",
	.about = "Stops every process in the box of the run, until 'aisbx resume'. The deadline goes on: a "
		 "run that is paused\n"
		 "when its time is up ends. Of several commands in one box all are paused, by the run that "
		 "was there first.",
	.example = "aisbx pause r-1f2e\n"
		   "aisbx resume r-1f2e",
	.grant = GRANT_RUN,
	.params = runs_params,
	.result = ids_result,
	.run = pause_run,
};

const struct op op_resume = {
	.name = "resume",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.resume",
	.summary = "Let a paused run go on",
	.about = "Lets the processes that 'aisbx pause' has stopped go on.",
	.grant = GRANT_RUN,
	.params = runs_params,
	.result = ids_result,
	.run = resume_run,
};

static int wait_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct run_wait_request req = { .run = op_text(args, "run") };
	scoped(run_waited_finish) struct run_waited waited = { 0 };
	int r;

	req.has_timeout = value_ms(json_object_get(args, "timeout"), &req.timeout_ms);
	req.has_output = value_size(json_object_get(args, "output"), &req.output);
	r = run_wait(&req, &waited, e);
	if (r < 0)
		return r;
	*ret_result = json_incref(waited.said);
	ctx->exit_status = (int)json_integer_value(json_object_get(waited.said, "exit_status"));
	return 0;
}

static const struct op_param wait_params[] = {
	RUN_PARAM,
	{ "timeout", 0, OP_DURATION, OP_MODEL, "TIME", "give up after this long, with exit status 125" },
	{ "output", 0, OP_SIZE, 0, "SIZE",
	  "also the last SIZE bytes it has written to each stream, if its output is kept; also of one that "
	  "goes on after the timeout" },
	{ .name = NULL },
};
static const struct op_field wait_result[] = {
	{ "run", "string", "id", .model = true },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error; with --output also running",
	  .model = true },
	{ "exit_code", "integer|null", "of the command", .model = true },
	{ "exit_status", "integer", "what aisbx run would have exited with" },
	{ "signal", "integer|null", "that ended the command", .model = true },
	OUTPUT_FIELDS,
	{ "error", "string|null", "why there is no other end", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_wait = {
	.name = "wait",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.wait",
	.tool = "sandbox_wait",
	.brief = "Wait for a run that goes on (its status was \"running\", or it was started with detach) "
		 "and get its output and exit "
		 "code. Returns after 40 s at most: if it still runs, do something else or call again.",
	.summary = "Wait for the end of a run",
	.about = "Waits until the run has ended, and exits with its exit status: the command's own, 124 a "
		 "limit, 126 and 127 as a\n"
		 "shell, 128+N signal N. The result is that of the run, without output. Of one that has "
		 "ended before it is told\n"
		 "at once.",
	.example = "aisbx wait $(aisbx run --detach -- make test)",
	.grant = GRANT_READ,
	.params = wait_params,
	.result = wait_result,
	.run = wait_run,
};
