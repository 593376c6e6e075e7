/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `plan step`: the next step of a plan as a run, and what became of it into the plan. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/execute.h"
#include "op/intents.h"
#include "op/plan.h"

static int run_intent(struct op_context *ctx, const struct store_plan *p, const char *box, const char *intent,
		      const json_t *timeout, json_t **ret_result, struct aisbx_error *e)
{
	json_t *with =
		json_pack("{s:s, s:s}", "intent", intent, box ? "box" : "project", box ? box : p->project);
	int r;

	if (timeout)
		json_object_set(with, "timeout", (json_t *)timeout);
	r = op_intent_run(ctx, with, ret_result, e);
	json_decref(with);
	return r;
}

static int run_command(struct op_context *ctx, const struct store_plan *p, const char *box,
		       const char *command, const json_t *timeout, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_wish_finish) struct run_wish wish = {
		.box = box, .project = box ? NULL : p->project, .replayable = true, .warn_group = true
	};
	uint64_t ms;
	int r;

	strlist_add(&wish.command, "sh");
	strlist_add(&wish.command, "-c");
	strlist_add(&wish.command, command);
	if (value_ms(timeout, &ms))
		run_wish_limit(&wish, LIMIT_WALL_TIME, ms);
	r = wish.command.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the run")
				: run_execute(&ctx->by, &wish, &report, e);
	ctx->exit_status = r < 0 ? 125 : report.exit_status;
	*ret_result = json_incref(report.said);
	return r;
}

static int carry_out(struct op_context *ctx, const struct store_plan *p, size_t i, const json_t *args,
		     json_t **ret_result, struct aisbx_error *e)
{
	const char *given = json_string_value(json_object_get(args, "box")), *what = p->steps[i].what,
		   *box = given       ? given
			  : p->box[0] ? p->box
				      : NULL;
	const json_t *timeout = json_object_get(args, "timeout");

	return intent_by_name(what) != INTENT_COUNT ? run_intent(ctx, p, box, what, timeout, ret_result, e)
						    : run_command(ctx, p, box, what, timeout, ret_result, e);
}

static struct plan_outcome outcome_of(const json_t *run, const struct aisbx_error *why, int64_t begun_ms)
{
	const char *status = json_string_value(json_object_get(run, "status"));
	const json_t *code = json_object_get(run, "exit_code");

	return (struct plan_outcome){ .run = json_string_value(json_object_get(run, "run")),
				      .note = run ? NULL : why->text,
				      .ok = status && !strcmp(status, "ok"),
				      .exit_code = json_is_integer(code) ? json_integer_value(code) : -1,
				      .begun_ms = begun_ms };
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct plan_claim how = { .again = json_is_true(json_object_get(args, "again")),
					.skip = json_is_true(json_object_get(args, "skip")) };
	scoped(store_plan_finish) struct store_plan p = { 0 }, after = { 0 };
	struct aisbx_error lost = AISBX_ERROR_INIT;
	struct plan_outcome outcome;
	json_t *result = NULL;
	int64_t begun_ms = box_now_ms();
	size_t i = 0;
	int r = plan_claim(json_string_value(json_object_get(args, "plan")), &how, &p, &i, e), kept;

	if (r < 0)
		return r;
	if (i == p.n_steps) { /* the last was skipped: nothing is left to do */
		*ret_result = op_plan_json(&p);
		json_object_set_new(*ret_result, "did", json_null());
		json_object_set_new(*ret_result, "result", json_null());
		return 0;
	}
	r = carry_out(ctx, &p, i, args, &result, e);
	outcome = outcome_of(result, e, begun_ms);
	kept = plan_settle(&p, i, &outcome, &after, r < 0 ? &lost : e);
	if (r == 0 && kept == 0) {
		*ret_result = op_plan_json(&after);
		json_object_set_new(*ret_result, "did", json_integer((json_int_t)i + 1));
		json_object_set(*ret_result, "result", result);
	}
	json_decref(result);
	return r < 0 ? r : kept;
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
