/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `plan step`: runs the next step of a plan, and records its outcome. */
#include "base/scope.h"
#include "base/value.h"
#include "op/intents.h"
#include "op/plan.h"

static json_t *done_json(const struct jail_plan_step_result *r)
{
	return r->is_intent ? op_intent_json(&r->intent) : json_incref(r->run.said);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(plan_step_result_finish) struct jail_plan_step_result done = { 0 };
	struct jail_plan_step_request req = { .plan = json_string_value(json_object_get(args, "plan")),
					      .box = json_string_value(json_object_get(args, "box")),
					      .again = json_is_true(json_object_get(args, "again")),
					      .skip = json_is_true(json_object_get(args, "skip")) };
	int r;

	req.has_timeout = value_ms(json_object_get(args, "timeout"), &req.timeout_ms);
	r = plan_step(&ctx->by, &req, &done, e);
	if (r < 0)
		return r;
	*ret_result = op_plan_json(&done.plan);
	json_object_set_new(*ret_result, "did", done.did ? json_integer((json_int_t)done.did) : json_null());
	json_object_set_new(*ret_result, "result", done.did ? done_json(&done) : json_null());
	ctx->exit_status = done.did ? plan_step_report(&done)->exit_status : 0;
	return 0;
}

static const struct op_param params[] = {
	PLAN_PARAM,
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX", "run it in this box; default: the plan's" },
	{ "timeout", 0, OP_DURATION, 0, "TIME", "end the step after this time; 0: never" },
	{ "again", 0, OP_FLAG, OP_MODEL, NULL, "repeat the step that failed" },
	{ "skip", 0, OP_FLAG, OP_MODEL, NULL, "continue without the step that failed" },
	{ .name = NULL },
};

static const struct op_field fields[] = {
	PLAN_FIELDS(""),
	{ "did", "integer|null", "the step that was run; null: the last one was skipped", .model = true },
	{ "result", "object|null", "as in the result of run or, for an intent, of do", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_plan_step = {
	.name = "plan step",
	.group = GROUP_AGENTS,
	.view = VIEW_PLAN_STEP,
	.method = "plan.step",
	.tool = "sandbox_step",
	.brief = "Run the next step of a plan. If the last one failed, again repeats it and skip leaves it.",
	.summary = "Run the next step of a plan",
	.about = "Runs the next step of a plan in a box and records the outcome. It does not continue\n"
		 "after a step that failed or is still running, unless --again repeats it or --skip skips\n"
		 "it. Exit status: that of the step's command.",
	.example = "aisbx plan step plan-1f2e\n"
		   "aisbx plan step plan-1f2e --again",
	.grant = GRANT_RUN,
	.params = params,
	.result = fields,
	.run = run,
};
