/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on plans but for carrying one out: a goal and steps to it, in the store, so that they
 * outlive who made them. */
#include "op/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "op/value.h"
#include "policy/intent.h"

#define MAX_STEPS 100u
#define MAX_TEXT  4096u

int op_plan_find(struct box_shelf *shelf, const char *key, struct store_plan *ret, struct aisbx_error *e)
{
	return store_plan_find(shelf->store, key, box_acting_for(), ret, e);
}

static const char *state_of(const struct store_plan *p)
{
	const char *state = "done";

	for (size_t i = 0; i < p->n_steps; i++) {
		if (!strcmp(p->steps[i].state, "failed") || !strcmp(p->steps[i].state, "running"))
			return p->steps[i].state;
		if (!strcmp(p->steps[i].state, "pending"))
			state = "open";
	}
	return state;
}

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
			 state_of(p), "box", p->box[0] ? p->box : NULL, "project", p->project, "created_ms",
			 (json_int_t)p->created_ms, "steps", steps);
}

static int check_text(const char *text, const char *what, struct aisbx_error *e)
{
	if (text[strspn(text, " \t\r\n")] && strlen(text) <= MAX_TEXT)
		return 0;
	return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "%s must have from 1 to %u bytes", what, MAX_TEXT);
}

/* P borrows from ARGS, but for its list of steps. */
static int read_plan(const struct op_context *ctx, const json_t *args, struct store_plan *p,
		     struct aisbx_error *e)
{
	const json_t *steps = json_object_get(args, "step"), *step;
	size_t i;
	int r;

	p->goal = (char *)json_string_value(json_object_get(args, "goal"));
	p->project = (char *)ctx->cwd;
	p->created_ms = box_now_ms();
	p->n_steps = json_array_size(steps);
	if (p->n_steps > MAX_STEPS)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "%zu steps; a plan has at most %u",
				    p->n_steps, MAX_STEPS);
	p->steps = calloc(p->n_steps + 1, sizeof(*p->steps));
	if (!p->steps)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the plan");
	r = check_text(p->goal, "a goal", e);
	json_array_foreach(steps, i, step)
	{
		p->steps[i] = (struct store_step){ .what = (char *)json_string_value(step),
						   .note = (char *)"",
						   .state = "pending",
						   .exit_code = -1 };
		r = r < 0 ? r : check_text(p->steps[i].what, "a step", e);
	}
	return r;
}

static int add(struct box_shelf *shelf, const json_t *args, struct store_plan *p, struct aisbx_error *e)
{
	const char *key = json_string_value(json_object_get(args, "box"));
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = key ? box_find(shelf, key, &box, e) : 0;

	if (r < 0)
		return r;
	memcpy(p->box, box.id, sizeof(p->box));
	if (key && box.project)
		p->project = box.project;
	snprintf(p->owner, sizeof(p->owner), "%s", box_acting_for() ? box_acting_for() : "");
	box_new_id("plan-", p->id);
	r = store_begin(shelf->store, e);
	if (r == 0)
		r = store_plan_add(shelf->store, p, e);
	if (r == 0)
		r = store_event_add(shelf->store, "plan.created", key ? box.id : NULL, NULL, e,
				    "{\"plan\":\"%s\"}", p->id);
	if (r == 0)
		r = store_commit(shelf->store, e);
	else
		store_rollback(shelf->store);
	return r;
}

static int run_create(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_plan_finish) struct store_plan made = { 0 };
	struct store_plan p = { 0 };
	int r = read_plan(ctx, args, &p, e);

	if (r == 0)
		r = box_shelf_open(&shelf, e);
	if (r == 0)
		r = add(&shelf, args, &p, e);
	free(p.steps);
	if (r == 0)
		r = op_plan_find(&shelf, p.id, &made, e);
	if (r == 0)
		*ret_result = op_plan_json(&made);
	return r < 0 || *ret_result ? r : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the result");
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_plan_finish) struct store_plan p = { 0 };
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	if (r == 0)
		r = op_plan_find(&shelf, json_string_value(json_object_get(args, "plan")), &p, e);
	if (r == 0)
		*ret_result = op_plan_json(&p);
	return r < 0 || *ret_result ? r : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the result");
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_plan_filter filter = { .owner = box_acting_for(),
					    .match = json_string_value(json_object_get(args, "match")) };
	struct store_plan *list = NULL;
	uint64_t limit = 20;
	json_t *plans;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	op_value_number(json_object_get(args, "limit"), &limit);
	filter.limit = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
	if (r == 0)
		r = store_plan_list(shelf.store, &filter, &list, &n, e);
	if (r < 0)
		return r;
	plans = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(plans, op_plan_json(&list[i]));
	store_plan_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "plans", plans);
	return 0;
}

static int remove_one(struct box_shelf *shelf, const char *key, json_t *ids, struct aisbx_error *e)
{
	scoped(store_plan_finish) struct store_plan p = { 0 };
	int r = op_plan_find(shelf, key, &p, e);

	if (r == 0)
		r = store_plan_remove(shelf->store, p.id, e);
	if (r == 0)
		r = store_event_add(shelf->store, "plan.removed", NULL, NULL, e, "{\"plan\":\"%s\"}", p.id);
	if (r == 0)
		json_array_append_new(ids, json_string(p.id));
	return r;
}

/* All or none. */
static int run_rm(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	json_t *ids = json_array();
	const json_t *key;
	size_t i;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	if (r == 0)
		r = store_begin(shelf.store, e);
	json_array_foreach(json_object_get(args, "plans"), i, key) r =
		r < 0 ? r : remove_one(&shelf, json_string_value(key), ids, e);
	if (r == 0)
		r = store_commit(shelf.store, e);
	else if (shelf.store)
		store_rollback(shelf.store);
	if (r == 0)
		*ret_result = json_pack("{s:O}", "removed", ids);
	json_decref(ids);
	return r;
}

static const struct op_param create_params[] = {
	{ .name = "goal",
	  .type = OP_STRING,
	  .positional = true,
	  .required = true,
	  .value = "GOAL",
	  .help = "what it is for, in words" },
	{ .name = "step",
	  .type = OP_LIST,
	  .required = true,
	  .value = "STEP",
	  .model = true,
	  .help = "run, test, build, format, lint or bench, or a command for a shell; in their order" },
	{ .name = "box",
	  .letter = 'b',
	  .type = OP_STRING,
	  .value = "BOX",
	  .model = true,
	  .help = "steps run in this box, which keeps what they change; default: each in one of its own" },
	{ .name = NULL },
};

static const struct op_field create_result[] = { PLAN_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_plan_create = {
	.name = "plan create",
	.method = "plan.create",
	.summary = "Write down a goal and the steps to it",
	.about =
		"Keeps a plan in the store: it survives whoever made it, and every step's outcome is written "
		"down. A step is one of the\n"
		"intents (see 'aisbx intents') or a command for a shell. Nothing runs until 'aisbx plan "
		"step'.",
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
	.method = "plan.show",
	.summary = "Show a plan and how far it came",
	.about = "Shows the goal and its steps, each with its state and its run ('aisbx history RUN' tells "
		 "the rest).",
	.example = "aisbx plan show plan-1f2e",
	.grant = GRANT_READ,
	.params = show_params,
	.result = create_result,
	.run = run_show,
};

static const struct op_param ls_params[] = {
	{ .name = "match",
	  .type = OP_STRING,
	  .value = "TEXT",
	  .help = "only those whose goal or steps contain this" },
	{ .name = "limit", .letter = 'n', .type = OP_NUMBER, .value = "N", .help = "at most N; default 20" },
	{ .name = NULL },
};

static const struct op_field ls_result[] = { { "plans", "array", "newest first" },
					     PLAN_FIELDS("plans[]."),
					     { NULL, NULL, NULL } };

const struct op op_plan_ls = {
	.name = "plan ls",
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
	{ .name = "plans",
	  .type = OP_LIST,
	  .positional = true,
	  .required = true,
	  .value = "PLAN",
	  .help = "ids; beginnings are enough" },
	{ .name = NULL },
};

static const struct op_field rm_result[] = { { "removed", "array", "ids" }, { NULL, NULL, NULL } };

const struct op op_plan_rm = {
	.name = "plan rm",
	.method = "plan.rm",
	.summary = "Remove plans",
	.about =
		"Removes plans with their steps, all that are named or none. Their runs stay in the history.",
	.example = "aisbx plan rm plan-1f2e",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = rm_params,
	.result = rm_result,
	.run = run_rm,
};
