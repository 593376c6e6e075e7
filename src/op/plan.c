/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on plans, except running a step. */
#include "op/plan.h"

#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "project/intent.h"

static json_t *time_json(int64_t ms)
{
	return ms ? json_integer(ms) : json_null();
}

json_t *op_plan_json(const struct store_plan *p)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < p->n_steps; i++) {
		const struct store_step *s = &p->steps[i];

		json_array_append_new(
			steps, json_pack("{s:I, s:s, s:s, s:s, s:s?, s:o, s:s?, s:o, s:o}", "step",
					 (json_int_t)i + 1, "what", s->what, "kind",
					 intent_by_name(s->what) == INTENT_COUNT ? "command" : "intent",
					 "state", s->state, "run", s->run[0] ? s->run : NULL, "exit_code",
					 s->exit_code < 0 ? json_null() : json_integer(s->exit_code), "note",
					 s->note[0] ? s->note : NULL, "begun_ms", time_json(s->begun_ms),
					 "ended_ms", time_json(s->ended_ms)));
	}
	return json_pack("{s:s, s:s, s:s, s:s?, s:s, s:I, s:o}", "plan", p->id, "goal", p->goal, "state",
			 plan_state(p), "box", p->box[0] ? p->box : NULL, "project", p->project, "created_ms",
			 (json_int_t)p->created_ms, "steps", steps);
}

/* RET borrows nothing. */
static int read_texts(const json_t *list, struct strlist *ret, struct aisbx_error *e)
{
	const json_t *text;
	size_t i;

	json_array_foreach(list, i, text) strlist_add(ret, json_string_value(text));
	return ret->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the plan") : 0;
}

static int give(const struct store_plan *p, json_t **ret_result, struct aisbx_error *e)
{
	*ret_result = op_plan_json(p);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the result");
}

static int run_create(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_plan_finish) struct store_plan made = { 0 };
	scoped(strlist_finish) struct strlist steps = { 0 };
	const struct plan_request req = { .goal = json_string_value(json_object_get(args, "goal")),
					  .steps = &steps,
					  .box = json_string_value(json_object_get(args, "box")),
					  .project = caller_project(&ctx->by) };
	int r = read_texts(json_object_get(args, "step"), &steps, e);

	if (r == 0)
		r = plan_create(&req, &made, e);
	return r < 0 ? r : give(&made, ret_result, e);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_plan_finish) struct store_plan p = { 0 };
	int r = plan_find(json_string_value(json_object_get(args, "plan")), &p, e);

	(void)ctx;
	return r < 0 ? r : give(&p, ret_result, e);
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct store_plan *list = NULL;
	uint64_t limit = 20;
	json_t *plans;
	size_t n = 0;
	int r;

	(void)ctx;
	value_number(json_object_get(args, "limit"), &limit);
	r = plan_list(json_string_value(json_object_get(args, "match")),
		      limit < INT64_MAX ? (int64_t)limit : INT64_MAX, &list, &n, e);
	if (r < 0)
		return r;
	plans = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(plans, op_plan_json(&list[i]));
	store_plan_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "plans", plans);
	return 0;
}

static int run_rm(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, ids = { 0 };
	int r = read_texts(json_object_get(args, "plans"), &keys, e);

	(void)ctx;
	if (r == 0)
		r = plan_remove(&keys, &ids, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:o}", "removed", value_list_json(&ids));
	return 0;
}

static const struct op_param create_params[] = {
	{ "goal", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "GOAL", "the goal, in words" },
	{ "step", 0, OP_LIST, OP_REQUIRED | OP_MODEL, "STEP",
	  "run, test, build, format, lint or bench, or a shell command; in order" },
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX",
	  "run the steps in this box, which keeps their changes; default: each in a box of its own" },
	{ .name = NULL },
};

static const struct op_field create_result[] = { PLAN_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_plan_create = {
	.name = "plan create",
	.group = GROUP_AGENTS,
	.view = VIEW_PLAN,
	.method = "plan.create",
	.tool = "sandbox_plan",
	.brief = "Store a goal and its steps; sandbox_step runs them one by one.",
	.summary = "Store a goal and the steps to it",
	.about = "Stores a plan: it outlives the session that made it, and the outcome of every step is\n"
		 "recorded. A step is an intent (see 'aisbx intents') or a shell command. Nothing runs\n"
		 "until 'aisbx plan step'.",
	.example = "aisbx plan create 'Upgrade the parser' --box try1 --step './upgrade.sh' --step build "
		   "--step test",
	.grant = GRANT_RUN,
	.params = create_params,
	.result = create_result,
	.run = run_create,
};

static const struct op_param show_params[] = { PLAN_PARAM, { .name = NULL } };

const struct op op_plan_show = {
	.name = "plan show",
	.group = GROUP_AGENTS,
	.view = VIEW_PLAN,
	.method = "plan.show",
	.summary = "Show a plan and its progress",
	.about = "Shows the goal and its steps, each with its state and its run ('aisbx history RUN' shows "
		 "more).",
	.example = "aisbx plan show plan-1f2e",
	.grant = GRANT_READ,
	.params = show_params,
	.result = create_result,
	.run = run_show,
};

static const struct op_param ls_params[] = {
	{ "match", 0, OP_STRING, 0, "TEXT", "only plans whose goal or steps contain this text" },
	{ "limit", 'n', OP_NUMBER, 0, "N", "at most N; default 20" },
	{ .name = NULL },
};

static const struct op_field ls_result[] = { { "plans", "array", "newest first" },
					     PLAN_FIELDS("plans[]."),
					     { NULL, NULL, NULL } };

const struct op op_plan_ls = {
	.name = "plan ls",
	.group = GROUP_AGENTS,
	.view = VIEW_PLANS,
	.method = "plan.ls",
	.summary = "List plans",
	.about = "Lists plans, newest first.",
	.example = "aisbx plan ls --match parser",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};

static const struct op_param rm_params[] = {
	{ "plans", 0, OP_LIST, OP_POSITIONAL | OP_REQUIRED, "PLAN", "plan ids; a prefix of each is enough" },
	{ .name = NULL },
};

static const struct op_field rm_result[] = { { "removed", "array", "ids" }, { NULL, NULL, NULL } };

const struct op op_plan_rm = {
	.name = "plan rm",
	.group = GROUP_AGENTS,
	.view = VIEW_NOTHING,
	.method = "plan.rm",
	.summary = "Remove plans",
	.about = "Removes plans with their steps; either all that are named or none. Their runs stay in the "
		 "history.",
	.example = "aisbx plan rm plan-1f2e",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = rm_params,
	.result = rm_result,
	.run = run_rm,
};
