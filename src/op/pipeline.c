/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on pipelines: a frozen change of a box goes through the stages of its project, and back. */
#include "op/pipeline.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/owner.h"
#include "op/outcome.h"

/* The pipeline that ARGS name, in RET's hands. */
static int open_named(struct op_context *ctx, const json_t *args, struct op_hands *hands,
		      struct pipeline *ret, struct aisbx_error *e)
{
	int r = op_hands_init(ctx, hands, e);

	return r < 0 ? r
		     : pipeline_open(&hands->hands, json_string_value(json_object_get(args, "pipeline")), ret,
				     e);
}

static int run_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_hands_finish) struct op_hands hands = { 0 };
	const struct pipeline_request req = { .box = json_string_value(json_object_get(args, "box")),
					      .to = json_string_value(json_object_get(args, "to")),
					      .conflict =
						      json_string_value(json_object_get(args, "conflict")),
					      .yes = json_is_true(json_object_get(args, "yes")) };
	int r = op_hands_init(ctx, &hands, e);

	if (r == 0)
		r = pipeline_begin(&hands.hands, &req, &p, e);
	return r < 0 ? r : op_pipeline_drive(ctx, &p, ret_result, e);
}

static int run_resume(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_hands_finish) struct op_hands hands = { 0 };
	int r = open_named(ctx, args, &hands, &p, e);

	return r < 0 ? r : op_pipeline_drive(ctx, &p, ret_result, e);
}

static int run_undo(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_hands_finish) struct op_hands hands = { 0 };
	int r = open_named(ctx, args, &hands, &p, e);

	if (r == 0)
		r = pipeline_turn(&p, op_resolution(args), e);
	return r < 0 ? r : op_pipeline_drive(ctx, &p, ret_result, e);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_pipeline_finish) struct store_pipeline row = { 0 };
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	if (r == 0)
		r = store_pipeline_find(shelf.store, json_string_value(json_object_get(args, "pipeline")),
					box_acting_for(), &row, e);
	if (r == 0)
		*ret_result = op_pipeline_json(shelf.store, &row);
	return r < 0 || *ret_result ? r : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_pipeline *list = NULL;
	uint64_t limit = 20;
	json_t *all;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	value_number(json_object_get(args, "limit"), &limit);
	if (r == 0)
		r = store_pipeline_list(shelf.store, NULL, box_acting_for(),
					limit < INT64_MAX ? (int64_t)limit : INT64_MAX, &list, &n, e);
	if (r < 0)
		return r;
	all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, op_pipeline_json(shelf.store, &list[i]));
	store_pipeline_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "pipelines", all);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param run_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX[@SNAPSHOT]", "whose changes" },
	{ "to", 0, OP_STRING, OP_MODEL, "STAGE", "stop behind this stage; default: all of them" },
	{ "conflict", 0, OP_CHOICE, OP_MODEL, "HOW",
	  "what becomes of files of a directory that were changed on both sides: stop there (default), keep "
	  "them, or overwrite them",
	  op_resolutions },
	{ "yes", 'y', OP_FLAG, 0, NULL,
	  "you approve of every stage that asks; commands of stages run outside of any box" },
	{ .name = NULL },
};

static const struct op_field one_result[] = { PIPELINE_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_pipeline_run = {
	.name = "pipeline run",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE,
	.asks = true,
	.method = "pipeline.run",
	.summary = "Bring a box's changes through the stages of its project",
	.about = "Freezes the box and brings what it changed through the stages that the project's "
		 "aisbx.yaml names, one after the\n"
		 "other: gates that must hold, a person's approval where it is asked for, the change of the "
		 "stage's target (a\n"
		 "directory, a branch, a command of the project's own), then gates that are asked about the "
		 "target. When those do\n"
		 "not hold, that stage is taken back and everything stops: earlier stages keep what they "
		 "have, later ones are never\n"
		 "touched. Without stages in the file there are two: verified (the project's tests, no "
		 "traps) and dev (the project).\n"
		 "Every step is on the disk before it is made: after a crash 'aisbx pipeline resume' goes "
		 "on.\n"
		 "Exit status: 0 done, 1 stopped, 3 waiting for 'aisbx approve'.",
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
	.summary = "Go on with a pipeline that was cut off, or that waited",
	.about = "Finds out how far a pipeline came, finishes or takes back what was under way, and goes on. "
		 "A promotion is known by\n"
		 "its id, so it is never made twice. Of a command that was cut off nobody knows how far it "
		 "came: its rollback command\n"
		 "runs, then the command once more; without a rollback command the pipeline stops there and "
		 "says so.",
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
	.summary = "Show a pipeline and how far it came",
	.about = "Shows the stages with their states, what gates said, and who approved.",
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
	.summary = "Take a pipeline back, the last stage first",
	.about = "Takes back what every stage of the pipeline put into its target, in reverse order: "
		 "promotions as 'aisbx undo' does,\n"
		 "commands by their rollback command. It stops at a stage that cannot be taken back, and "
		 "earlier ones keep what they\n"
		 "have; after a crash 'aisbx pipeline resume' goes on with it.",
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
