/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that act on live runs: `kill`, `pause`, `resume`, `wait`. */
#include "base/scope.h"
#include "base/value.h"
#include "box/control.h"
#include "op/args.h"

#define OUTPUT_FIELDS                                                                            \
	{ "stdout", "string", "with --output: the end of the command's output, if it is stored", \
	  .model = true },                                                                       \
		{ "stderr", "string", "as stdout", .model = true },                              \
		{ "truncated", "object",                                                         \
		  "with --output: bytes before that, and those dropped by the output limit",     \
		  .model = true },                                                               \
		{ "truncated.stdout", "integer", "bytes" },                                      \
	{                                                                                        \
		"truncated.stderr", "integer", "bytes"                                           \
	}

static json_t *ids_json(const struct strlist *ids)
{
	return json_pack("{s:o}", "runs", value_list_json(ids));
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
	RUNS_PARAM(true, "names, ids or their prefixes"),
	{ "signal", 's', OP_STRING, 0, "SIGNAL",
	  "send this signal to the command, which may handle or ignore it; default: end the run" },
	{ .name = NULL },
};
static const struct op_field ids_result[] = { { "runs", "array", "run ids" }, { NULL, NULL, NULL } };

const struct op op_kill = {
	.name = "kill",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.kill",
	.tool = "sandbox_kill",
	.brief = "End runs with every process they started.",
	.destroys = true,
	.summary = "End runs, or send them a signal",
	.about = "Ends the runs with all their processes, and returns when these are gone; the results of\n"
		 "the runs say \"interrupted\". With --signal it only sends the signal to the process\n"
		 "group of the command. The changes in a box stay.",
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

static const struct op_param runs_params[] = { RUNS_PARAM(true, "names, ids or their prefixes"),
					       { .name = NULL } };

const struct op op_pause = {
	.name = "pause",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.pause",
	.summary = "Pause all processes of a run's box",
	.about = "Stops every process in the box of the run until 'aisbx resume'. The deadline is not\n"
		 "paused: a paused run ends when its time is up. If several commands share a box, pausing\n"
		 "the run that was first pauses all of them.",
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
	.summary = "Resume a paused run",
	.about = "Resumes the processes that 'aisbx pause' stopped.",
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
	{ "timeout", 0, OP_DURATION, OP_MODEL, "TIME", "give up after this time, with exit status 125" },
	{ "output", 0, OP_SIZE, 0, "SIZE",
	  "also return the last SIZE bytes written to each stream, if the output is stored; also if the run "
	  "has not ended by the timeout" },
	{ .name = NULL },
};
static const struct op_field wait_result[] = {
	{ "run", "string", "id", .model = true },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error; with --output also running",
	  .model = true },
	{ "exit_code", "integer|null", "of the command", .model = true },
	{ "exit_status", "integer", "exit status of aisbx run" },
	{ "signal", "integer|null", "signal that ended the command", .model = true },
	OUTPUT_FIELDS,
	{ "error", "string|null", "why the result is missing", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_wait = {
	.name = "wait",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.method = "run.wait",
	.tool = "sandbox_wait",
	.brief = "Get the output and end of a run with status \"running\". Returns after 40 s at most; then "
		 "call again.",
	.summary = "Wait for the end of a run",
	.about = "Waits until the run has ended, and exits with its exit status: the command's own, 124\n"
		 "for a limit, 126 and 127 as in a shell, 128+N for signal N. The result is that of the\n"
		 "run, without output. If the run has ended already, it returns at once.",
	.example = "aisbx wait $(aisbx run --detach -- make test)",
	.grant = GRANT_READ,
	.params = wait_params,
	.result = wait_result,
	.run = wait_run,
};
