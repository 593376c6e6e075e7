/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `approve`: a person's decision on the stage at which a pipeline waits. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/pipeline.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *key = json_string_value(json_object_get(args, "pipeline"));
	const struct pipeline_word word = { .reject = json_is_true(json_object_get(args, "reject")),
					    .note = json_string_value(json_object_get(args, "note")),
					    .snapshot =
						    json_string_value(json_object_get(args, "snapshot")) };
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(op_callbacks_finish) struct op_callbacks callbacks = { 0 };
	int r;

	if (ctx->by.owner && !ctx->by.person)
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
			"only a person can approve: ask them to run 'aisbx approve %.40s' in a terminal",
			key);
	r = op_callbacks_init(ctx, &callbacks, e);
	if (r == 0)
		r = pipeline_open(&callbacks.callbacks, key, &p, e);
	if (r == 0)
		r = pipeline_approve(&p, &word, e);
	if (r < 0)
		return r;
	if (!json_is_true(json_object_get(args, "no-resume")))
		return op_pipeline_drive(ctx, &p, ret_result, e);
	close_fd(&p.lock);
	*ret_result = op_pipeline_json(p.state.store, &p.row);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	PIPELINE_PARAM,
	{ "reject", 0, OP_FLAG, 0, NULL, "reject: the stage fails and the pipeline stops" },
	{ "note", 0, OP_STRING, 0, "TEXT", "note to store with the decision" },
	{ "snapshot", 0, OP_STRING, 0, "ID",
	  "only if the pipeline is for this snapshot: the one that was reviewed" },
	{ "no-resume", 0, OP_FLAG, 0, NULL,
	  "only record the decision; 'aisbx pipeline resume' continues the pipeline" },
	{ .name = NULL },
};

static const struct op_field result[] = { PIPELINE_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_approve = {
	.name = "approve",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE,
	.asks = true,
	.no_tool = "a person approves, not whoever made the changes",
	.method = "pipeline.approve",
	.summary = "Approve the stage at which a pipeline waits",
	.about = "Approves, or with --reject rejects, the stage at which the pipeline waits, and continues\n"
		 "the pipeline. Who decided, when, and for which snapshot of the box is recorded; the\n"
		 "decision is valid for that stage and that snapshot only. A model behind a protocol\n"
		 "cannot approve: its client asks the person, or the person runs this command. If there\n"
		 "are traps, only this command counts, because a client may answer by itself.",
	.example = "aisbx approve pipe-1f2e --note 'as agreed with QA'\naisbx approve pipe-1f2e --reject "
		   "--note 'not on a Friday'",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
