/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on pipelines: the changes of a box go through the stages of its project, and back. */
#include "op/pipeline.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/owner.h"
#include "op/merge_json.h"

/* The pipeline that ARGS name, in RET's hands. */
static int open_named(struct op_context *ctx, const json_t *args, struct op_callbacks *callbacks,
		      struct pipeline *ret, struct aisbx_error *e)
{
	int r = op_callbacks_init(ctx, callbacks, e);

	return r < 0 ? r
		     : pipeline_open(&callbacks->callbacks,
				     json_string_value(json_object_get(args, "pipeline")), ret, e);
}

static int run_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_callbacks_finish) struct op_callbacks callbacks = { 0 };
	const struct pipeline_request req = { .box = json_string_value(json_object_get(args, "box")),
					      .to = json_string_value(json_object_get(args, "to")),
					      .conflict =
						      json_string_value(json_object_get(args, "conflict")),
					      .yes = json_is_true(json_object_get(args, "yes")) };
	int r = op_callbacks_init(ctx, &callbacks, e);

	if (r == 0)
		r = pipeline_begin(&callbacks.callbacks, &req, &p, e);
	return r < 0 ? r : op_pipeline_drive(ctx, &p, ret_result, e);
}

static int run_resume(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_callbacks_finish) struct op_callbacks callbacks = { 0 };
	int r = open_named(ctx, args, &callbacks, &p, e);

	return r < 0 ? r : op_pipeline_drive(ctx, &p, ret_result, e);
}

static int run_undo(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_callbacks_finish) struct op_callbacks callbacks = { 0 };
	int r = open_named(ctx, args, &callbacks, &p, e);

	if (r == 0)
		r = pipeline_turn(&p, op_resolution(args), e);
	return r < 0 ? r : op_pipeline_drive(ctx, &p, ret_result, e);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_pipeline_finish) struct store_pipeline row = { 0 };
	int r = box_state_open(&state, e);

	(void)ctx;
	if (r == 0)
		r = store_pipeline_find(state.store, json_string_value(json_object_get(args, "pipeline")),
					box_acting_for(), &row, e);
	if (r == 0)
		*ret_result = op_pipeline_json(state.store, &row);
	return r < 0 || *ret_result ? r : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_pipeline *list = NULL;
	uint64_t limit = 20;
	json_t *all;
	size_t n = 0;
	int r = box_state_open(&state, e);

	(void)ctx;
	value_number(json_object_get(args, "limit"), &limit);
	if (r == 0)
		r = store_pipeline_list(state.store, NULL, box_acting_for(),
					limit < INT64_MAX ? (int64_t)limit : INT64_MAX, &list, &n, e);
	if (r < 0)
		return r;
	all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, op_pipeline_json(state.store, &list[i]));
	store_pipeline_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "pipelines", all);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param run_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX[@SNAPSHOT]",
	  "whose changes to promote" },
	{ "to", 0, OP_STRING, OP_MODEL, "STAGE", "stop after this stage; default: the last one" },
	{ "conflict", 0, OP_CHOICE, OP_MODEL, "HOW",
	  "on files of a directory that changed on both sides: stop (default), keep them, or overwrite them",
	  op_resolutions },
	{ "yes", 'y', OP_FLAG, 0, NULL,
	  "approve every stage that asks; commands of stages run outside of any box" },
	{ .name = NULL },
};

static const struct op_field one_result[] = { PIPELINE_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_pipeline_run = {
	.name = "pipeline run",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE,
	.asks = true,
	.method = "pipeline.run",
	.summary = "Take a box's changes through the stages of its project",
	.about = "Takes a snapshot of the box and takes its changes through the stages that the project's\n"
		 "aisbx.yaml names, one after the other. Each stage has gates that must hold, if requested\n"
		 "a person's approval, the change of the stage's target (a directory, a branch, or a\n"
		 "command of the project), then gates that check the target. If those do not hold, the\n"
		 "stage is undone and the pipeline stops: earlier stages keep their changes, later ones\n"
		 "are not touched. Without stages in the file there are two: verified (the project's\n"
		 "tests, no traps) and dev (the project). Every step is recorded on disk before it is\n"
		 "made: after a crash 'aisbx pipeline resume' continues. Exit status: 0 done, 1 stopped, 3\n"
		 "waiting for 'aisbx approve'.",
	.example = "aisbx pipeline run try1\naisbx pipeline run try1@tested --to staging\naisbx approve "
		   "pipe-1f2e --note 'as agreed'\n"
		   "aisbx pipeline undo pipe-1f2e",
	.grant = GRANT_HOST,
	.params = run_params,
	.result = one_result,
	.run = run_run,
};

static const struct op_param show_params[] = { PIPELINE_PARAM, { .name = NULL } };

const struct op op_pipeline_resume = {
	.name = "pipeline resume",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE,
	.asks = true,
	.method = "pipeline.resume",
	.summary = "Continue a pipeline that was interrupted, or that waited",
	.about = "Finds out how far a pipeline came, completes or undoes the interrupted step, and\n"
		 "continues. A promotion has an id, so it is never made twice. For an interrupted command\n"
		 "it is not known how far it came: its rollback command runs, then the command again;\n"
		 "without a rollback command the pipeline stops there and says so.",
	.example = "aisbx pipeline resume pipe-1f2e",
	.grant = GRANT_HOST,
	.params = show_params,
	.result = one_result,
	.run = run_resume,
};

const struct op op_pipeline_show = {
	.name = "pipeline show",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE_SHOW,
	.method = "pipeline.show",
	.summary = "Show a pipeline and its progress",
	.about = "Shows the stages with their states, the results of gates, and who approved.",
	.example = "aisbx pipeline show pipe-1f2e",
	.grant = GRANT_READ,
	.params = show_params,
	.result = one_result,
	.run = run_show,
};

static const struct op_param undo_params[] = { PIPELINE_PARAM, CONFLICT_PARAM, { .name = NULL } };

const struct op op_pipeline_undo = {
	.name = "pipeline undo",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE,
	.method = "pipeline.undo",
	.summary = "Undo a pipeline, the last stage first",
	.about = "Undoes what every stage of the pipeline did to its target, in reverse order: promotions\n"
		 "as 'aisbx undo' does, commands by their rollback command. It stops at a stage that\n"
		 "cannot be undone; earlier stages keep their changes. After a crash 'aisbx pipeline\n"
		 "resume' continues.",
	.example = "aisbx pipeline undo pipe-1f2e\naisbx pipeline undo pipe-1f2e --conflict keep",
	.grant = GRANT_HOST,
	.params = undo_params,
	.result = one_result,
	.run = run_undo,
};

static const struct op_param ls_params[] = {
	{ "limit", 'n', OP_NUMBER, 0, "N", "at most N; default 20" },
	{ .name = NULL },
};

static const struct op_field ls_result[] = { { "pipelines", "array", "newest first" },
					     PIPELINE_FIELDS("pipelines[]."),
					     { NULL, NULL, NULL } };

const struct op op_pipeline_ls = {
	.name = "pipeline ls",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINES,
	.method = "pipeline.ls",
	.summary = "List pipelines",
	.about = "Lists pipelines, newest first.",
	.example = "aisbx pipeline ls",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};
