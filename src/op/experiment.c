/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open-ended experiments: boxes for whoever works in them, judged when they are said to be ready.
 * `experiment open|ready|end`.
 */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "flow/try_experiment.h"
#include "op/args.h"
#include "op/pipeline.h"
#include "op/try.h"

static const char *text_of(const json_t *args, const char *key)
{
	const char *s = json_string_value(json_object_get(args, key));

	return s ? s : "";
}

static int run_open(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { 0 };
	scoped(op_try_request_finish) struct try_request req;
	scoped(experiment_finish) struct experiment x = { 0 };
	int r = op_try_request(args, &options, &req, e);

	if (r == 0)
		r = experiment_open(&ctx->by, &req, &x, e);
	if (r == 0)
		*ret_result = experiment_json(&x);
	return r;
}

static const struct op_param open_params[] = {
	TRY_BASE_PARAM,
	TRY_JUDGE_PARAMS,
	{ "count", 'n', OP_NUMBER, OP_MODEL, "N", "number of boxes; default 2" },
	{ "name", 0, OP_LIST, 0, "NAME", "names of the branches, in order; default: 1, 2, ..." },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "what the boxes may do; default: as for run" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is cloned as writable into the boxes; default: the current one, or on the "
	  "command line the project that it is in" },
	HERE_PARAM,
	{ .name = NULL },
};

static const struct op_field experiment_result[] = { EXPERIMENT_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_experiment_open = {
	.name = "experiment open",
	.group = GROUP_TRY,
	.view = VIEW_EXPERIMENT,
	.method = "experiment.open",
	.summary = "Make boxes for different approaches, to be judged when they are ready",
	.about = "Makes boxes that start from the same state. Work in them with 'aisbx run --box' and\n"
		 "other commands. 'aisbx experiment ready' then judges one of them by the experiment's\n"
		 "test, as 'aisbx try' does automatically.",
	.example = "aisbx experiment open --count 3 --mode first --test 'make test'",
	.grant = GRANT_RUN,
	.params = open_params,
	.result = experiment_result,
	.run = run_open,
};

static int run_ready(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(experiment_ready_finish) struct experiment_ready ready = { 0 };
	int r = experiment_ready(&ctx->by, text_of(args, "experiment"), text_of(args, "branch"), &ready, e);
	const struct try_record *b = &ready.record;
	const bool passed = b->state == TRY_PASSED;

	ctx->exit_status = r < 0 ? 125 : passed ? 0 : 1;
	if (r < 0)
		return r;
	*ret_result =
		json_pack("{s:s, s:s, s:b, s:b, s:s, s:o, s:o?}", "experiment", ready.experiment, "branch",
			  b->name, "passed", passed, "won", ready.won, "why", b->why ? b->why : "", "record",
			  try_record_json(b), "ended", ready.won ? experiment_json(&ready.ended) : NULL);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
}

static const struct op_param ready_params[] = {
	EXPERIMENT_PARAM,
	{ "branch", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BRANCH", "name of the branch" },
	{ .name = NULL },
};

static const struct op_field ready_result[] = {
	{ "experiment", "string", "its id" },
	{ "branch", "string", "its name" },
	{ "passed", "boolean", "its test passed every time" },
	{ "won", "boolean", "with mode first: it was the first to pass, and the experiment has ended" },
	{ "why", "string", "why it did not pass" },
	{ "record", "object", "as a branch in the result of try" },
	{ "ended", "object|null", "if it won: as in the result of experiment end" },
	{ NULL, NULL, NULL },
};

const struct op op_experiment_ready = {
	.name = "experiment ready",
	.group = GROUP_TRY,
	.view = VIEW_EXPERIMENT_READY,
	.method = "experiment.ready",
	.summary = "Judge a branch of an open experiment",
	.about = "Takes a snapshot of the branch's box and runs the experiment's test in forks of it. With\n"
		 "mode first, the first branch that passes wins at once: runs in the other boxes are\n"
		 "ended, and these boxes are removed. After a failure you can change the branch and have\n"
		 "it judged again. Exit status: 0 if it passed, 1 if not.",
	.example = "aisbx experiment ready x-1f2e 2",
	.grant = GRANT_RUN,
	.params = ready_params,
	.result = ready_result,
	.run = run_ready,
};

static int run_end(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(experiment_finish) struct experiment x = { 0 };
	scoped(op_callbacks_finish) struct op_callbacks callbacks = { 0 };
	const bool promote = json_is_true(json_object_get(args, "promote"));
	const struct experiment_end_request req = { .key = text_of(args, "experiment"),
						    .keep = json_is_true(json_object_get(args, "keep")),
						    .callbacks = promote ? &callbacks.callbacks : NULL };
	int r = op_callbacks_init(ctx, &callbacks, e);

	if (r == 0)
		r = experiment_end(&req, &x, e);
	if (r < 0)
		return r;
	*ret_result = experiment_json(&x);
	op_add_try_promotion(ctx, &x.promotion, *ret_result);
	return 0;
}

static const struct op_param end_params[] = {
	EXPERIMENT_PARAM,
	{ "promote", 0, OP_FLAG, 0, NULL,
	  "promote the winner, through the project's stages if there are any" },
	{ "keep", 0, OP_FLAG, 0, NULL, "keep the boxes of the other branches, too" },
	{ .name = NULL },
};

static const struct op_field end_result[] = {
	EXPERIMENT_FIELDS(""),
	{ "differs", "array", "as in the result of try" },
	{ "promotion", "object|null", "with --promote: as in the result of promote" },
	{ "pipeline", "object|null",
	  "with --promote in a project with stages: as in the result of pipeline run" },
	{ NULL, NULL, NULL }
};

const struct op op_experiment_end = {
	.name = "experiment end",
	.group = GROUP_TRY,
	.view = VIEW_EXPERIMENT_END,
	.method = "experiment.end",
	.destroys = true,
	.summary = "End an open experiment: the best branch that passed wins",
	.about = "The best of the branches that passed wins. Its box stays; the boxes of the others are\n"
		 "removed, and runs in them are ended. If no branch passed, none wins. Changes made in the\n"
		 "winner's box after it was judged stay there, but --promote promotes the snapshot that\n"
		 "was judged.",
	.example = "aisbx experiment end x-1f2e --promote",
	.grant = GRANT_RUN,
	.params = end_params,
	.result = end_result,
	.run = run_end,
};
