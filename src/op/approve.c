/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `approve`: a person's word on the stage at which a pipeline waits. */
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
	scoped(op_hands_finish) struct op_hands hands = { 0 };
	int r;

	if (ctx->by.owner && !ctx->by.person)
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
			"only a person can approve: ask them to run 'aisbx approve %.40s' in a terminal",
			key);
	r = op_hands_init(ctx, &hands, e);
	if (r == 0)
		r = pipeline_open(&hands.hands, key, &p, e);
	if (r == 0)
		r = pipeline_approve(&p, &word, e);
	if (r < 0)
		return r;
	if (!json_is_true(json_object_get(args, "no-resume")))
		return op_pipeline_drive(ctx, &p, ret_result, e);
	close_fd(&p.lock);
	*ret_result = op_pipeline_json(p.shelf.store, &p.row);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	PIPELINE_PARAM,
	{ "reject", 0, OP_FLAG, 0, NULL, "say no: the stage fails, and nothing further happens" },
	{ "note", 0, OP_STRING, 0, "TEXT", "kept with your word" },
	{ "snapshot", 0, OP_STRING, 0, "ID",
	  "only if it is about this snapshot: the one that was looked at" },
	{ "no-resume", 0, OP_FLAG, 0, NULL, "only say so; 'aisbx pipeline resume' goes on" },
	{ .name = NULL },
};

static const struct op_field result[] = { PIPELINE_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_approve = {
	.name = "approve",
	.group = GROUP_BRING_BACK,
	.view = VIEW_PIPELINE,
	.asks = true,
	.no_tool = "a person approves, not who made the changes",
	.method = "pipeline.approve",
	.summary = "Approve of the stage at which a pipeline waits",
	.about = "Says yes, or with --reject no, to the stage at which the pipeline waits, and goes on with "
		 "it. Who said so, when, and\n"
		 "to which frozen state of the box is written down; it counts for that stage and that state "
		 "only. A model behind a\n"
		 "protocol cannot approve: the person is asked by its client, or runs this command. Where "
		 "there are traps only this\n"
		 "command counts, since a client may answer by itself.",
	.example = "aisbx approve pipe-1f2e --note 'as agreed with QA'\naisbx approve pipe-1f2e --reject "
		   "--note 'not on a Friday'",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
