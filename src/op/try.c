/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `try`: several approaches at once, each in its own box; the tests decide which is kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "secret/fingerprints.h"
#include "base/value.h"
#include "secret/scrub.h"
#include "op/args.h"
#include "op/pipeline.h"
#include "op/promotion.h"
#include "op/try.h"

const char *const try_prefer_names[] = { "least", "most", NULL };

/*
 * What every run of the experiment is called with: the arguments that `run` has, too, but for what the
 * experiment itself says.
 */
static int read_run(const json_t *args, struct run_options *ret, struct aisbx_error *e)
{
	int r = run_options_read(args, ret, e);

	if (!ret->box) /* then its box is made with it */
		ret->profile = NULL;
	ret->box = ret->project = ret->driver = NULL;
	ret->tty = ret->detach = ret->interactive = false;
	strlist_finish(&ret->command);
	ret->command = (struct strlist){ 0 };
	return r;
}

/* Words up to the next "--", and texts of a list. */
static bool read_commands(const json_t *args, struct try_request *ret)
{
	const json_t *command = json_object_get(args, "command"), *list = json_object_get(args, "branches"),
		     *word;
	size_t i;

	ret->commands = calloc(json_array_size(command) + json_array_size(list) + 1, sizeof(*ret->commands));
	if (!ret->commands)
		return false;
	ret->n_commands = json_array_size(command) > 0;
	json_array_foreach(command, i, word) if (!strcmp(json_string_value(word), "--")) ret->n_commands++;
	else strlist_add(&ret->commands[ret->n_commands - 1], json_string_value(word));
	json_array_foreach(list, i, word)
		strlist_add(&ret->commands[ret->n_commands++], json_string_value(word));
	for (i = 0; i < ret->n_commands; i++)
		if (ret->commands[i].failed)
			return false;
	return true;
}

int op_try_request(const json_t *args, struct run_options *run, struct try_request *ret,
		   struct aisbx_error *e)
{
	const char *mode = json_string_value(json_object_get(args, "mode")),
		   *prefer = json_string_value(json_object_get(args, "prefer"));

	*ret = (struct try_request)TRY_REQUEST_INIT;
	ret->box = json_string_value(json_object_get(args, "box"));
	ret->project = json_string_value(json_object_get(args, "project"));
	ret->profile = json_string_value(json_object_get(args, "profile"));
	ret->experiment = json_string_value(json_object_get(args, "experiment"));
	ret->test = json_string_value(json_object_get(args, "test"));
	ret->score = json_string_value(json_object_get(args, "score"));
	for (enum project_mode m = 0; mode && m < MODE_COUNT; m++)
		if (!strcmp(mode, project_mode_names[m]))
			ret->mode = m;
	ret->says_prefer = prefer != NULL;
	ret->most = prefer && !strcmp(prefer, "most");
	value_number(json_object_get(args, "repeat"), &ret->repeat);
	value_number(json_object_get(args, "count"), &ret->count);
	value_number(json_object_get(args, "parallel"), &ret->parallel);
	value_ms(json_object_get(args, "budget-time"), &ret->budget_ms);
	value_ms(json_object_get(args, "budget-cpu"), &ret->budget_cpu_ms);
	value_number(json_object_get(args, "budget-runs"), &ret->budget_runs);
	ret->keep = json_is_true(json_object_get(args, "keep"));
	ret->promote = json_is_true(json_object_get(args, "promote"));
	value_list(json_object_get(args, "gate"), &ret->gates);
	value_list(json_object_get(args, "name"), &ret->names);
	ret->run = run;
	return read_commands(args, ret) && !ret->gates.failed && !ret->names.failed
		       ? read_run(args, run, e)
		       : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the approaches");
}

void op_try_request_finish(struct try_request *req)
{
	for (size_t i = 0; req->commands && i < req->n_commands; i++)
		strlist_finish(&req->commands[i]);
	free(req->commands);
	strlist_finish(&req->gates);
	strlist_finish(&req->names);
}

static void emit(void *to, const struct try_progress *p)
{
	struct op_context *ctx = to;
	const struct try_record *b = p->branch;
	json_t *record = try_record_json(b);
	json_t *item =
		json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:f, s:f, s:I, s:O, s:o, s:O, s:s}", "experiment",
			  p->experiment, "branch", b->name, "command", b->command, "n", (json_int_t)b->n,
			  "of", (json_int_t)p->of, "state", try_state_names[b->state], "wall_ms", p->wall_ms,
			  "cpu_ms", p->cpu_ms, "mem_peak", (json_int_t)p->mem_peak, "tests",
			  json_object_get(record, "tests"), "changes",
			  b->compared ? json_integer((json_int_t)b->created + (json_int_t)b->modified +
						     (json_int_t)b->deleted)
				      : json_null(),
			  "score", json_object_get(record, "score"), "why", b->why ? b->why : "");

	if (item && p->secrets)
		scrub_json(item, fingerprints_scrub, p->secrets);
	if (item)
		ctx->emit(ctx, item);
	json_decref(item);
	json_decref(record);
}

void op_add_try_promotion(struct op_context *ctx, const struct try_promotion *p, json_t *result)
{
	static const struct promote_request plain = { 0 };

	if (p->promoted) {
		json_object_set_new(result, "promotion", op_promotion_json(&p->report, &plain));
		ctx->exit_status = p->report.stopped ? 1 : 0;
	}
	if (p->staged) {
		json_object_set_new(result, "pipeline",
				    op_pipeline_json(p->pipeline.state.store, &p->pipeline.row));
		ctx->exit_status = op_pipeline_status(&p->pipeline.row);
	}
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { 0 };
	scoped(op_try_request_finish) struct try_request req;
	scoped(try_result_finish) struct try_result result = { 0 };
	scoped(op_callbacks_finish) struct op_callbacks callbacks = { 0 };
	int r = op_try_request(args, &options, &req, e);

	req.told = ctx->emit ? emit : NULL;
	req.told_ctx = ctx;
	req.callbacks = &callbacks.callbacks;
	if (r == 0)
		r = op_callbacks_init(ctx, &callbacks, e);
	if (r == 0)
		r = flow_try(&ctx->by, &req, &result, e);
	if (r == 0 && !(*ret_result = try_result_json(&result)))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	ctx->exit_status = r < 0 ? 125 : try_result_status(&result);
	if (r == 0)
		op_add_try_promotion(ctx, &result.promotion, *ret_result);
	return r;
}

static const struct op_param params[] = {
	TRY_BASE_PARAM,
	TRY_JUDGE_PARAMS,
	{ "budget-time", 0, OP_DURATION, 0, "TIME", "stop all branches after this time" },
	{ "budget-cpu", 0, OP_DURATION, 0, "TIME",
	  "stop all branches when together they have used this much processor time" },
	{ "budget-runs", 0, OP_NUMBER, 0, "N",
	  "start at most this many runs: commands and tests of all branches" },
	{ "parallel", 0, OP_NUMBER, 0, "N", "run at most N branches at once; default: all" },
	{ "promote", 0, OP_FLAG, 0, NULL,
	  "promote the winner, through the project's stages if there are any" },
	{ "keep", 0, OP_FLAG, 0, NULL, "keep the boxes of the other branches, too" },
	{ "name", 0, OP_LIST, 0, "NAME", "names of the branches, in order; default: 1, 2, ..." },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "what the boxes may do; default: as for run" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is cloned as writable into the boxes; default: the current one, or on the "
	  "command line the project that it is in" },
	HERE_PARAM,
	{ "rw", 0, OP_LIST, 0, "HOST[:GUEST]",
	  "share a file or directory with all of them: changes affect the real one" },
	{ "ro", 0, OP_LIST, 0, "HOST[:GUEST]", "make a file or directory visible, read-only" },
	{ "env", 'e', OP_LIST, 0, "NAME[=VALUE]", "set a variable, or pass on the caller's value" },
	SECRET_PARAM,
	NET_PARAM,
	OP_LIMIT_PARAMS{ "no-services", 0, OP_FLAG, 0, NULL, "do not start the project's services" },
	{ "branches", 0, OP_LIST, OP_MODEL, "COMMAND", "shell commands, one for each branch" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL, "COMMAND [-- COMMAND]...",
	  "approaches: one word is a shell command, several are a command and its arguments; '--' separates "
	  "them" },
	{ .name = NULL },
};

static const struct op_field result_fields[] = {
	{ "experiment", "string", "its id" },
	{ "mode", "string", "first, best or all" },
	{ "state", "string",
	  "won; none passed; compared (mode all); budget used up, perhaps with a winner; interrupted",
	  .model = true },
	{ "winner", "string|null", "name of the branch", .model = true },
	{ "box", "string|null", "the winner's box, which stays", .model = true },
	{ "branches", "array", "those that passed first, by rank", .model = true },
	TRY_BRANCH_FIELDS("branches[]."),
	{ "differs", "array", "how the best differs from each other branch that passed" },
	{ "differs[].branch", "string", "the best branch" },
	{ "differs[].against", "string", "the other" },
	{ "differs[].files", "array", "paths that differ, relative to the project, at most 50" },
	{ "differs[].more", "integer", "number of further paths" },
	{ "promotion", "object|null", "with --promote: as in the result of promote" },
	{ "pipeline", "object|null",
	  "with --promote in a project with stages: as in the result of pipeline run" },
	{ "wall_ms", "number", "of all branches" },
	{ NULL, NULL, NULL },
};

const struct op op_try = {
	.name = "try",
	.group = GROUP_TRY,
	.view = VIEW_TRY,
	.first = true,
	.method = "experiment.try",
	.tool = "sandbox_experiment",
	.brief = "Try shell commands at once, each in its own copy; keep the one that passes the test (the "
		 "fastest of several). Returns each result and the winner's box.",
	.summary = "Try several approaches at once, each in its own box, and keep the best",
	.about = "Runs each COMMAND in a box of its own, all at once and from the same state; then the\n"
		 "test, in a fork of that box, so that files left by tests are not part of the result. A\n"
		 "branch passes if its command and its test exit with 0. Of the branches that pass, the\n"
		 "one with the fastest test wins, or with --mode first the first one: then the others are\n"
		 "ended at once. The winner's box stays, the others are removed.\n\n"
		 "The option --repeat detects flaky tests. Budgets stop branches that still run; a branch\n"
		 "that has passed by then can win. Exit status: 0 if there is a winner (mode all: if one\n"
		 "passed), 1 if there is none, 125 if aisbx failed.",
	.example = "aisbx try --test 'make test' -- 'git apply a.patch' -- 'git apply b.patch' -- 'git "
		   "revert --no-edit HEAD'\n"
		   "aisbx try --mode first --repeat 3 --budget-time 5m -- ./fix-one.sh -- ./fix-two.sh\n"
		   "aisbx try --name old --name new --test ./bench.sh --mode all -- true -- 'sed -i "
		   "s/-O1/-O3/ Makefile'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result_fields,
	.run = run,
};
