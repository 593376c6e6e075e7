/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `do`: runs the project's own command for an intent; reports how many tests passed. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "flow/task.h"
#include "op/args.h"
#include "op/intents.h"

static json_t *tests_json(const struct intent_result *r)
{
	return !r->counted ? json_null()
			   : json_pack("{s:I, s:I, s:I, s:s}", "passed", (json_int_t)r->tests.passed,
				       "failed", (json_int_t)r->tests.failed, "skipped",
				       (json_int_t)r->tests.skipped, "runner", intent_runner_name(r->runner));
}

json_t *op_intent_json(const struct intent_result *r)
{
	json_t *j = json_incref(r->report.said);

	json_object_set_new(j, "intent", json_string(intent_names[r->intent]));
	json_object_set_new(j, "command", op_words_json(&r->command));
	json_object_set_new(j, "found_in", json_string(r->found_in));
	json_object_set_new(j, "tests", tests_json(r));
	return j;
}

static json_t *task_json(const struct task_result *t)
{
	json_t *j = op_intent_json(&t->done);

	if (*t->box)
		json_object_set_new(j, "box", json_string(t->box));
	if (t->judged)
		json_object_set_new(j, "gate", gate_verdict_json(&t->answer.verdict));
	return j;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(task_result_finish) struct task_result task = { 0 };
	scoped(run_options_finish) struct run_options options = { 0 };
	scoped(strlist_finish) struct strlist more = { 0 }, tests = { 0 }, gates = { 0 };
	const struct task_request req = {
		.intent = intent_by_name(json_string_value(json_object_get(args, "intent"))),
		.run = &options,
		.more = &more,
		.tests = &tests,
		.gates = &gates,
	};
	int r = run_options_read(args, &options, e);

	options.here = true;
	value_list(json_object_get(args, "args"), &more);
	value_list(json_object_get(args, "tests"), &tests);
	value_list(json_object_get(args, "gates"), &gates);
	if (r == 0 && (more.failed || tests.failed || gates.failed))
		r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "make the command");
	if (r == 0)
		r = task_run(&ctx->by, &req, &task, e);
	ctx->exit_status = r < 0                                        ? 125
			   : task.judged && !task.answer.verdict.passed ? 1
									: task.done.report.exit_status;
	if (r == 0)
		*ret_result = task_json(&task);
	return r;
}

static const struct op_param params[] = {
	{ "intent", 0, OP_CHOICE, OP_POSITIONAL | OP_REQUIRED, "INTENT",
	  "run, test, build, format, lint or bench", intent_names },
	{ "box", 'b', OP_STRING, OP_MODEL | OP_CURRENT, "BOX",
	  "run in this box, which keeps the changes; default: a new box that is removed after the run" },
	{ "profile", 'p', OP_STRING, OP_MODEL, "PROFILE", "what the box may do; default: as for run" },
	{ "tests", 0, OP_LIST, OP_MODEL, "COMMAND",
	  "shell command that must exit with 0 afterwards; without --box a box is made, and stays" },
	{ "gates", 0, OP_LIST, OP_MODEL, "GATE|INTENT|EXPRESSION", "what must hold afterwards" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is cloned as writable into the box; default: the current one, or on the "
	  "command line the project that it is in" },
	HERE_PARAM,
	FRESH_PARAM,
	{ "cwd", 'C', OP_STRING, OP_MODEL, "DIR",
	  "directory of the project whose command is used; default: the project" },
	{ "env", 'e', OP_LIST, 0, "NAME[=VALUE]", "set a variable, or pass on the caller's value" },
	SECRET_PARAM,
	NET_PARAM,
	OP_LIMIT_PARAMS{ "no-services", 0, OP_FLAG, 0, NULL, "do not start the project's services" },
	RECORD_PARAM,
	{ "stricter", 0, OP_FLAG, OP_HIDDEN, NULL, "a profile must not allow more than the one that holds" },
	{ "args", 0, OP_COMMAND, OP_POSITIONAL | OP_MODEL, "ARG", "further arguments for the command" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "intent", "string", "as given", .model = true },
	{ "command", "array", "the command that was run", .model = true },
	{ "found_in", "string", "the file of the project that defines it", .model = true },
	{ "tests", "object|null", "counts from the runner's output; null if unclear, and for other intents",
	  .model = true },
	{ "tests.passed", "integer", "tests" },
	{ "tests.failed", "integer", "failed tests, including errors" },
	{ "tests.skipped", "integer", "skipped tests, including expected failures" },
	{ "tests.runner", "string",
	  "runner that reported them: pytest, unittest, node, tap, jest, vitest, mocha, cargo, go, meson, "
	  "ctest, surefire, junit, deno" },
	{ "run", "string", "run id; other fields are as in the result of run", .model = true },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error", .model = true },
	{ "exit_code", "integer|null", "of the command; only this says whether the tests passed",
	  .model = true },
	{ "exit_status", "integer", "exit status of aisbx do" },
	{ "stdout", "string", "output of the command", .model = true },
	{ "stderr", "string", "as stdout", .model = true },
	{ "limit", "object|null", "as in the result of run", .model = true },
	{ "violations", "array", "as in the result of run" },
	{ "error", "string|null", "why the command could not be started", .model = true },
	{ "box", "string", "the box that tests or gates made for it, if any", .model = true },
	{ "gate", "object", "of tests and gates, if the command succeeded: as of 'gate check'",
	  .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_do = {
	.name = "do",
	.group = GROUP_RUN,
	.view = VIEW_RUN,
	.first = true,
	.method = "intent.run",
	.tool = "sandbox_intent",
	.brief = "Run, test, build, format, lint or bench the project by its own command, in a box; then "
		 "check tests and gates.",
	.summary = "Run, test, build, format, lint or bench a project with its own command",
	.about = "Finds the project's own command for the intent (see 'aisbx intents') and runs it in a\n"
		 "box, as 'aisbx run' would; further arguments are passed on to the command. With --box\n"
		 "the files are read as they are in that box. The result says how many tests passed, if\n"
		 "the runner's output is clear about it. Whether the tests passed is decided by the exit\n"
		 "status, which is that of the command.\n\n"
		 "A project's aisbx.yaml can set the command: 'intents: {test: make check}', see\n"
		 "docs/intents.md.",
	.example = "aisbx do test\n"
		   "aisbx do test --box try1 --json -- -k parser\n"
		   "aisbx do build --timeout 5m\n"
		   "aisbx do build --tests 'make check' --gates 'changes < 20'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
