/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `plan step`: the next step of a plan as a run, and what became of it into the plan. Never
 * over a failed one unasked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "op/intents.h"
#include "op/plan.h"

static bool is(const struct store_step *s, const char *state)
{
	return !strcmp(s->state, state);
}

/* From what it is to STATE, unless somebody else was faster. */
static int move(struct box_shelf *shelf, const struct store_plan *p, size_t i, struct store_step *to,
		const char *state, struct aisbx_error *e)
{
	bool moved = false;
	int r;

	snprintf(to->state, sizeof(to->state), "%s", state);
	r = store_step_move(shelf->store, p->id, i + 1, p->steps[i].state, to, &moved, e);
	if (r == 0 && !moved)
		r = aisbx_refuse(e, AISBX_AREA_BOX, EBUSY,
				 "somebody else does step %zu of plan '%s' just now", i + 1, p->id);
	if (r == 0)
		memcpy(p->steps[i].state, to->state, sizeof(to->state));
	return r;
}

static int refuse(const struct store_plan *p, size_t i, struct aisbx_error *e)
{
	if (is(&p->steps[i], "failed"))
		return aisbx_refuse(
			e, AISBX_AREA_BOX, EINVAL,
			"step %zu of plan '%s' failed ('%.80s'); --again does it once more, --skip goes on "
			"without it",
			i + 1, p->id, p->steps[i].what);
	return aisbx_refuse(
		e, AISBX_AREA_BOX, EBUSY,
		"step %zu of plan '%s' is under way; if whoever did it is gone, --again does it once "
		"more, --skip goes on without it",
		i + 1, p->id);
}

/* The step to do now, claimed; a failed one that is in the way is dealt with as ARGS say. */
static int claim(struct box_shelf *shelf, const struct store_plan *p, const json_t *args, size_t *ret_i,
		 struct aisbx_error *e)
{
	bool again = json_is_true(json_object_get(args, "again")),
	     skip = json_is_true(json_object_get(args, "skip"));
	struct store_step to = { .exit_code = -1, .note = (char *)"", .begun_ms = box_now_ms() };
	size_t i = 0;
	int r = 0;

	while (i < p->n_steps && (is(&p->steps[i], "ok") || is(&p->steps[i], "skipped")))
		i++;
	if (i < p->n_steps && !is(&p->steps[i], "pending")) {
		if (!again && !skip)
			return refuse(p, i, e);
		if (skip) {
			struct store_step old = p->steps[i];

			r = move(shelf, p, i, &old, "skipped", e);
			i++;
		}
	} else if (i < p->n_steps && (again || skip)) {
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "no step of plan '%s' has failed; leave --again and --skip out", p->id);
	}
	if (r < 0)
		return r;
	*ret_i = i;
	if (i == p->n_steps)
		return skip ? 0
			    : aisbx_refuse(e, AISBX_AREA_USAGE, ENODATA, "plan '%s' is done: no step is left",
					   p->id);
	return move(shelf, p, i, &to, "running", e);
}

static int carry_out(struct op_context *ctx, const struct store_plan *p, size_t i, const json_t *args,
		     json_t **ret_result, struct aisbx_error *e)
{
	const char *box = json_string_value(json_object_get(args, "box")), *what = p->steps[i].what;
	json_t *with = json_object();
	int r;

	if (!box && p->box[0])
		box = p->box;
	json_object_set_new(with, box ? "box" : "project", json_string(box ? box : p->project));
	if (json_object_get(args, "timeout"))
		json_object_set(with, "timeout", json_object_get(args, "timeout"));
	if (intent_by_name(what) != INTENT_COUNT) {
		json_object_set_new(with, "intent", json_string(what));
		r = op_intent_run(ctx, with, ret_result, e);
	} else {
		json_object_set_new(with, "command", json_pack("[s, s, s]", "sh", "-c", what));
		r = op_run.run(ctx, with, ret_result, e);
	}
	json_decref(with);
	return r;
}

/* What became of step I; RUN NULL: there was none, and WHY says why. */
static int write_down(const struct store_plan *p, size_t i, int64_t begun_ms, const json_t *run,
		      const struct aisbx_error *why, struct store_plan *ret, struct aisbx_error *e)
{
	const char *id = json_string_value(json_object_get(run, "run")),
		   *status = json_string_value(json_object_get(run, "status"));
	const json_t *code = json_object_get(run, "exit_code");
	struct store_step to = { .exit_code = json_is_integer(code) ? json_integer_value(code) : -1,
				 .begun_ms = begun_ms,
				 .ended_ms = box_now_ms(),
				 .note = (char *)(run ? "" : why->text) };
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	int r = box_shelf_open(&shelf, e);

	snprintf(to.run, sizeof(to.run), "%s", id ? id : "");
	if (r == 0)
		r = store_begin(shelf.store, e);
	if (r == 0)
		r = move(&shelf, p, i, &to, status && !strcmp(status, "ok") ? "ok" : "failed", e);
	if (r == 0)
		r = store_event_add(shelf.store, "plan.step", p->box[0] ? p->box : NULL, id, e,
				    "{\"plan\":\"%s\",\"step\":%zu,\"state\":\"%s\"}", p->id, i + 1,
				    to.state);
	if (r == 0)
		r = store_commit(shelf.store, e);
	else if (shelf.store)
		store_rollback(shelf.store);
	return r < 0 ? r : op_plan_find(&shelf, p->id, ret, e);
}

static int begin(const json_t *args, struct store_plan *p, size_t *ret_i, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	int r = box_shelf_open(&shelf, e);

	if (r == 0)
		r = op_plan_find(&shelf, json_string_value(json_object_get(args, "plan")), p, e);
	return r < 0 ? r : claim(&shelf, p, args, ret_i, e);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_plan_finish) struct store_plan p = { 0 }, after = { 0 };
	struct aisbx_error lost = AISBX_ERROR_INIT;
	json_t *result = NULL;
	int64_t begun_ms = box_now_ms();
	size_t i = 0;
	int r, kept;

	if (json_is_true(json_object_get(args, "again")) && json_is_true(json_object_get(args, "skip")))
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "--again and --skip contradict each other");
	r = begin(args, &p, &i, e);
	if (r < 0)
		return r;
	if (i == p.n_steps) { /* the last was skipped: nothing is left to do */
		*ret_result = op_plan_json(&p);
		json_object_set_new(*ret_result, "did", json_null());
		json_object_set_new(*ret_result, "result", json_null());
		return 0;
	}
	r = carry_out(ctx, &p, i, args, &result, e);
	kept = write_down(&p, i, begun_ms, result, e, &after, r < 0 ? &lost : e);
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
	{ .name = "box",
	  .letter = 'b',
	  .type = OP_STRING,
	  .value = "BOX",
	  .model = true,
	  .help = "in this box; default: the plan's" },
	{ .name = "timeout",
	  .type = OP_DURATION,
	  .value = "TIME",
	  .help = "end the step after this long; 0: never" },
	{ .name = "again", .type = OP_FLAG, .model = true, .help = "do the step that failed once more" },
	{ .name = "skip", .type = OP_FLAG, .model = true, .help = "go on without the step that failed" },
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
