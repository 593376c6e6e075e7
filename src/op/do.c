/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `do`: what is meant, by the project's own command, as a run; with how many tests passed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/execute.h"
#include "op/args.h"
#include "op/intents.h"
#include "project/intent_tally.h"

/* The arguments `run` would take for the same: those of the box are called alike. */
static json_t *run_args(const json_t *args, const struct intent_way *w, const struct strlist *command,
			const char *dir)
{
	json_t *j = json_copy((json_t *)args), *env = json_array();

	json_object_del(j, "intent");
	json_object_del(j, "args");
	for (size_t i = 0; i < w->env.n; i++)
		json_array_append_new(env, json_string(w->env.items[i]));
	json_array_extend(env, json_object_get(args, "env"));
	json_object_set_new(j, "env", env);
	json_object_set_new(j, "command", op_words_json(command));
	json_object_set_new(j, "cwd",
			    w->cwd ? json_sprintf("%s%s%s", dir, *dir ? "/" : "", w->cwd)
				   : json_string(*dir ? dir : "."));
	if (w->timeout_ms && !json_object_get(j, "timeout"))
		json_object_set_new(j, "timeout", json_real((double)w->timeout_ms / 1000));
	return j;
}

static void tap(void *ctx, int which, const char *data, size_t len)
{
	intent_tally_add(ctx, which, data, len);
}

static json_t *tests_json(struct intent_tally *t)
{
	enum intent_runner runner;
	struct intent_counts c;

	if (!intent_tally_end(t, &c, &runner))
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:s}", "passed", (json_int_t)c.passed, "failed",
			 (json_int_t)c.failed, "skipped", (json_int_t)c.skipped, "runner",
			 intent_runner_name(runner));
}

static int run_way(struct op_context *ctx, const json_t *args, const struct intent_way *w,
		   const struct strlist *command, const char *dir, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_wish_finish) struct run_wish wish = { .replayable = true };
	struct intent_tally tally;
	json_t *as_run = run_args(args, w, command, dir);
	int r = run_wish_read(as_run, &wish, e);

	intent_tally_init(&tally, w->runner);
	wish.tap = tap;
	wish.tap_ctx = &tally;
	if (r == 0)
		r = run_execute(&ctx->by, &wish, &report, e);
	json_decref(as_run);
	if (r < 0)
		return r;
	ctx->exit_status = report.exit_status;
	*ret_result = json_incref(report.said);
	json_object_set_new(*ret_result, "intent", json_string(intent_names[w->intent]));
	json_object_set_new(*ret_result, "command", op_words_json(command));
	json_object_set_new(*ret_result, "found_in", json_string(w->found_in));
	json_object_set_new(*ret_result, "tests",
			    w->intent == INTENT_TEST || w->intent == INTENT_BENCH ? tests_json(&tally)
										  : json_null());
	return 0;
}

int op_intent_run_way(struct op_context *ctx, const json_t *args, const struct intent_way *w, const char *dir,
		      json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist command = { 0 };
	int r = intent_command(w, NULL, &command, e);

	return r < 0 ? r : run_way(ctx, args, w, &command, dir, ret_result, e);
}

static int no_way(enum intent intent, const struct intent_list *found, struct aisbx_error *e)
{
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
		     "the project has no way to '%s' that aisbx knows", intent_names[intent]);
	if (found->n)
		aisbx_hint(e, "'aisbx intents' lists what there is");
	return aisbx_hint(e,
			  "name one in its aisbx.yaml: 'intents: {%s: COMMAND}', or run it with 'aisbx run'",
			  intent_names[intent]);
}

int op_intent_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	enum intent intent = intent_by_name(json_string_value(json_object_get(args, "intent")));
	scoped(intent_list_finish) struct intent_list found = { 0 };
	scoped(strlist_finish) struct strlist more = { 0 }, command = { 0 };
	scoped(drop_mem) char *dir = NULL;
	const struct intent_way *w;
	const json_t *word;
	size_t i;
	int r = op_intents_find(ctx, args, &found, &dir, e);

	if (r < 0)
		return r;
	w = intent_best(&found, intent);
	if (!w)
		return no_way(intent, &found, e);
	json_array_foreach(json_object_get(args, "args"), i, word)
		strlist_add(&more, json_string_value(word));
	r = more.failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "make the command")
			: intent_command(w, &more, &command, e);
	return r < 0 ? r : run_way(ctx, args, w, &command, dir, ret_result, e);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	int r = op_intent_run(ctx, args, ret_result, e);

	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static const char *const net_names[] = { "none", "loopback", NULL };

static const struct op_param params[] = {
	{ "intent", 0, OP_CHOICE, OP_POSITIONAL | OP_REQUIRED, "INTENT",
	  "run, test, build, format, lint or bench", intent_names },
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX",
	  "in this box, which keeps the changes; default: one that goes with the run" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "what the box may do; default: as for run" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory cloned writable into the box; default: the current one" },
	{ "cwd", 'C', OP_STRING, OP_MODEL, "DIR",
	  "directory of the project whose own way is meant; default: the project" },
	{ "env", 'e', OP_LIST, 0, "NAME[=VALUE]", "set a variable, or pass the caller's on" },
	SECRET_PARAM,
	{ "net", 0, OP_CHOICE, 0, "MODE", "none, or loopback: the box's own", net_names },
	OP_LIMIT_PARAMS{ "no-services", 0, OP_FLAG, 0, NULL, "start none of the project's services" },
	RECORD_PARAM,
	{ "args", 0, OP_COMMAND, OP_POSITIONAL | OP_MODEL, "ARG", "further arguments for the command" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "intent", "string", "as given", .model = true },
	{ "command", "array", "the words that were run", .model = true },
	{ "found_in", "string", "the file of the project that says so", .model = true },
	{ "tests", "object|null",
	  "how tests went, by what their runner wrote; null when that is not plain, and for other intents",
	  .model = true },
	{ "tests.passed", "integer", "tests", .model = true },
	{ "tests.failed", "integer", "tests, with errors", .model = true },
	{ "tests.skipped", "integer", "tests, with those known to fail", .model = true },
	{ "tests.runner", "string",
	  "who says so: pytest, unittest, node, tap, jest, vitest, mocha, cargo, go, meson, ctest, surefire, "
	  "junit, deno" },
	{ "run", "string", "id of this run; what is not listed here is as in the result of run",
	  .model = true },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error", .model = true },
	{ "exit_code", "integer|null", "of the command; it alone says whether the tests passed",
	  .model = true },
	{ "exit_status", "integer", "what aisbx do exits with" },
	{ "stdout", "string", "what the command wrote", .model = true },
	{ "stderr", "string", "as stdout", .model = true },
	{ "limit", "object|null", "as in the result of run", .model = true },
	{ "violations", "array", "as in the result of run" },
	{ "error", "string|null", "why the command could not be started", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_do = {
	.name = "do",
	.group = GROUP_RUN,
	.view = VIEW_RUN,
	.first = true,
	.method = "intent.run",
	.tool = "sandbox_intent",
	.brief =
		"Run, test, build, format, lint or bench the project by its own command, in a sandbox. Finds "
		"the command from the project's "
		"files (see found_in), and counts tests.",
	.summary = "Run, test, build, format, lint or bench a project by its own command",
	.about = "Finds the command by which the project itself does what is meant (see 'aisbx intents') and "
		 "runs it in a box,\n"
		 "as 'aisbx run' would; further arguments are passed on to it. With --box the files are read "
		 "as "
		 "that box has\n"
		 "them. The result tells how many tests passed, where the runner's output is plain about it; "
		 "whether they\n"
		 "did is told by the exit status, which is the command's own.\n\n"
		 "A project's aisbx.yaml can name its own: 'intents: {test: make check}', see "
		 "docs/intents.md.",
	.example = "aisbx do test\n"
		   "aisbx do test --box try1 --json -- -k parser\n"
		   "aisbx do build --timeout 5m",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
