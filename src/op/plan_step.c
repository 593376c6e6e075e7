/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `plan step`: the next step of a plan as a run, and what became of it into the plan. */
#include "base/scope.h"
#include "base/value.h"
#include "op/intents.h"
#include "op/plan.h"

static json_t *done_json(const struct plan_step_result *r)
{
	return r->is_intent ? op_intent_json(&r->intent) : json_incref(r->run.said);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(plan_step_result_finish) struct plan_step_result done = { 0 };
	struct plan_step_request req = { .plan = json_string_value(json_object_get(args, "plan")),
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
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX", "in this box; default: the plan's" },
	{ "timeout", 0, OP_DURATION, 0, "TIME", "end the step after this long; 0: never" },
	{ "again", 0, OP_FLAG, OP_MODEL, NULL, "do the step that failed once more" },
	{ "skip", 0, OP_FLAG, OP_MODEL, NULL, "go on without the step that failed" },
	{ .name = NULL },
};

static const struct op_field fields[] = {
	PLAN_FIELDS(""),
	{ "did", "integer|null", "the step that was done now; null: the last one was skipped" },
	{ "result", "object|null", "as of run, or of do for an intent" },
	{ NULL, NULL, NULL },
};

const struct op op_plan_step = {
	.name = "plan step",
	.group = GROUP_AGENTS,
	.view = VIEW_PLAN_STEP,
	.method = "plan.step",
	.summary = "Do the next step of a plan",
	.about = "Runs the next step of a plan in a box and writes down what became of it. It does not go on "
		 "over a step that failed,\n"
		 "or that is under way, unless told: --again does it once more, --skip leaves it. Exit "
		 "status: "
		 "that of the step's command.",
	.example = "aisbx plan step plan-1f2e\n"
		   "aisbx plan step plan-1f2e --again",
	.grant = GRANT_RUN,
	.params = params,
	.result = fields,
	.run = run,
};
