/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open-ended experiments: boxes for whoever works in them, judged when they are said to be ready.
 * `experiment open|ready|show|ls|end`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/owner.h"
#include "op/try.h"
#include "op/value.h"

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static int find(const json_t *args, struct store_experiment *ret, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	int r = box_shelf_open(&shelf, e);

	return r < 0 ? r
		     : store_experiment_find(shelf.store, text_of(args, "experiment"), box_acting_for(), ret,
					     e);
}

/* The name of the box with this id now; NULL: it is gone. */
static json_t *box_name(struct box_shelf *shelf, const char *id)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(store_box_finish) struct store_box b = { 0 };

	return id[0] && box_find(shelf, id, &b, &ignored) == 0 ? json_string(b.name) : json_null();
}

/* What is known of its branches: of those that were judged the record. */
static json_t *branches_of(const struct store_experiment *x)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	json_t *list = json_array();

	if (box_shelf_open(&shelf, &ignored) < 0)
		return list;
	for (size_t i = 0; i < x->n_branches; i++) {
		const struct store_branch *b = &x->branches[i];
		json_t *record = json_loads(b->result, 0, NULL);

		if (!record)
			record = json_pack("{s:n, s:[], s:f, s:f, s:I, s:n, s:n, s:n, s:n, s:s, s:n}", "rank",
					   "runs", "wall_ms", 0.0, "cpu_ms", 0.0, "mem_peak", (json_int_t)0,
					   "tests", "changes", "score", "passed_of", "why", "", "snapshot");
		json_object_set_new(record, "n", json_integer((json_int_t)i + 1));
		json_object_set_new(record, "name", json_string(b->name));
		json_object_set_new(record, "command", json_string(b->command));
		json_object_set_new(record, "state", json_string(b->state));
		json_object_set_new(record, "box", box_name(&shelf, b->box));
		json_array_append_new(list, record);
	}
	return list;
}

/* As it ended, or as it is. */
static json_t *experiment_json(const struct store_experiment *x)
{
	json_t *ended = *x->result ? json_loads(x->result, 0, NULL) : NULL, *branches;
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:n}", "experiment", x->id, "name",
			      x->name, "mode", x->mode, "state", x->state, "project", x->project,
			      "created_ms", (json_int_t)x->created_ms, "ended_ms",
			      x->ended_ms ? json_integer(x->ended_ms) : json_null(), "winner",
			      x->winner > 0 && (size_t)x->winner <= x->n_branches
				      ? json_string(x->branches[x->winner - 1].name)
				      : json_null(),
			      "box");

	branches = ended && json_object_get(ended, "branches")
			   ? json_incref(json_object_get(ended, "branches"))
			   : branches_of(x);
	if (x->winner > 0) {
		size_t i;
		json_t *b;

		json_array_foreach(branches, i,
				   b) if (json_integer_value(json_object_get(b, "n")) == x->winner)
			json_object_set(j, "box", json_object_get(b, "box"));
	}
	json_object_set_new(j, "branches", branches);
	json_decref(ended);
	return j;
}

#define EXPERIMENT_PARAM                                                                       \
	{                                                                                      \
		.name = "experiment", .type = OP_STRING, .positional = true, .required = true, \
		.value = "EXPERIMENT", .help = "its id; the beginning is enough"               \
	}
#define EXPERIMENT_FIELDS(at)                                                                         \
	{ at "experiment", "string", "its id" },                                                      \
		{ at "name", "string", "in the project's file; empty: none" },                        \
		{ at "mode", "string", "first, best or all" },                                        \
		{ at "state", "string",                                                               \
		  "running, open, or as it ended: won, none, compared, budget, interrupted, error" }, \
		{ at "project", "string", "directory it was made in" },                               \
		{ at "created_ms", "integer", "milliseconds since 1970" },                            \
		{ at "ended_ms", "integer|null", "milliseconds since 1970" },                         \
		{ at "winner", "string|null", "name of the branch" },                                 \
		{ at "box", "string|null", "the winner's" },                                          \
		{ at "branches", "array", "in their order, or ranked when it has ended" },            \
		TRY_BRANCH_FIELDS(at "branches[].")

/* ---- open ---- */

static int name_branches(const json_t *args, json_t **ret, struct aisbx_error *e)
{
	const json_t *names = json_object_get(args, "name");
	uint64_t count = json_array_size(names) ? json_array_size(names) : 2;
	json_t *list;

	op_value_number(json_object_get(args, "count"), &count);
	if (count < 1 || count > TRY_MAX_BRANCHES)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "an experiment has from 1 to %u branches",
				    TRY_MAX_BRANCHES);
	if (json_array_size(names) > count)
		return aisbx_refuse(
			e, AISBX_AREA_USAGE, EINVAL,
			"%zu names for %llu branches; leave --count out, or say --name once for each",
			json_array_size(names), (unsigned long long)count);
	list = json_array();
	for (size_t i = 0; i < count; i++) {
		json_t *name = json_array_get(names, i);

		json_array_append_new(list, json_pack("{s:o, s:s}", "name",
						      name ? json_incref(name) : json_sprintf("%zu", i + 1),
						      "command", ""));
	}
	*ret = list;
	return try_check_names(list, e);
}

static int open_new(struct op_context *ctx, const json_t *args, const char *id, struct aisbx_error *e)
{
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	const char *name = text_of(args, "experiment");
	json_t *branches = NULL, *boxes = NULL;
	int r = name_branches(args, &branches, e);

	if (r == 0)
		r = try_judge_read(ctx, args, &judge, e);
	if (r == 0)
		r = try_boxes_make(ctx, args, id, json_array_size(branches), &boxes, e);
	if (r == 0)
		r = try_write_down(&judge, id, name, "open", branches, boxes, e);
	if (r < 0 && boxes)
		try_boxes_drop(id, NULL);
	json_decref(branches);
	json_decref(boxes);
	return r;
}

static int run_open(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	json_t *all = NULL, *key;
	char id[STORE_ID_MAX];
	int r = try_args_complete(ctx, args, &all, e);

	box_new_id("x-", id);
	if (r == 0)
		r = open_new(ctx, all, id, e);
	json_decref(all);
	if (r < 0)
		return r;
	key = json_pack("{s:s}", "experiment", id);
	r = find(key, &x, e);
	json_decref(key);
	if (r == 0)
		*ret_result = experiment_json(&x);
	return r;
}

static const struct op_param open_params[] = {
	TRY_BASE_PARAM,
	TRY_JUDGE_PARAMS,
	{ .name = "count",
	  .letter = 'n',
	  .type = OP_NUMBER,
	  .value = "N",
	  .help = "so many boxes; default 2",
	  .model = true },
	{ .name = "name",
	  .type = OP_LIST,
	  .value = "NAME",
	  .help = "names of the branches, in their order; default: 1, 2, ..." },
	{ .name = "profile",
	  .letter = 'p',
	  .type = OP_STRING,
	  .value = "PROFILE",
	  .help = "what the boxes may do; default: as for run" },
	{ .name = "project",
	  .type = OP_STRING,
	  .value = "DIR",
	  .help = "directory cloned writable into the boxes; default: the current one" },
	{ .name = NULL },
};

static const struct op_field experiment_result[] = { EXPERIMENT_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_experiment_open = {
	.name = "experiment open",
	.method = "experiment.open",
	.summary = "Make boxes to try different things in, to be judged when they are ready",
	.about = "Makes boxes that start from the same state, for whoever works in them with 'aisbx run "
		 "--box' and its kin.\n"
		 "'aisbx experiment ready' has one of them judged by the experiment's test, as 'aisbx try' "
		 "does by itself.",
	.example = "aisbx experiment open --count 3 --mode first --test 'make test'",
	.grant = GRANT_RUN,
	.params = open_params,
	.result = experiment_result,
	.run = run_open,
};

/* ---- ready and end ---- */

static int check_open(const struct store_experiment *x, struct aisbx_error *e)
{
	if (!strcmp(x->state, "running"))
		return aisbx_refuse(e, AISBX_AREA_BOX, EBUSY,
				    "experiment '%s' runs by itself, and ends by itself", x->id);
	if (!strcmp(x->state, "open") && !x->winner)
		return 0;
	if (x->winner > 0 && (size_t)x->winner <= x->n_branches)
		return aisbx_refuse(e, AISBX_AREA_BOX, EALREADY,
				    "experiment '%s' has ended: branch '%s' has won", x->id,
				    x->branches[x->winner - 1].name);
	return aisbx_refuse(e, AISBX_AREA_BOX, EALREADY, "experiment '%s' has ended", x->id);
}

/* By name, or by number. */
static int find_branch(const struct store_experiment *x, const char *key, size_t *ret, struct aisbx_error *e)
{
	for (size_t i = 0; i < x->n_branches; i++)
		if (!strcmp(x->branches[i].name, key)) {
			*ret = i;
			return 0;
		}
	return aisbx_refuse(e, AISBX_AREA_USAGE, ENOENT,
			    "experiment '%s' has no branch '%.60s'; 'aisbx experiment show %s' lists them",
			    x->id, key, x->id);
}

/* Whatever still runs in its boxes has lost. */
static void end_runs(struct op_context *ctx, const struct store_experiment *x)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_t *none = json_object(), *live = NULL, *run, *ids = json_array(), *killed = NULL, *args;
	size_t i;

	op_ps.run(ctx, none, &live, &ignored);
	json_array_foreach(json_object_get(live, "runs"), i,
			   run) for (size_t k = 0; k < x->n_branches;
				     k++) if (x->branches[k].box[0] &&
					      !strcmp(text_of(run, "box"), x->branches[k].box))
		json_array_append(ids, json_object_get(run, "run"));
	args = json_pack("{s:o}", "runs", ids);
	if (json_array_size(ids))
		op_kill.run(ctx, args, &killed, &ignored);
	json_decref(args);
	json_decref(none);
	json_decref(live);
	json_decref(killed);
}

/* X as it is in the store now, with its winner if it has one. The boxes of the others go, unless KEEP. */
static int conclude(struct op_context *ctx, const char *id, bool keep, json_t **ret, struct aisbx_error *e)
{
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	json_t *key = json_pack("{s:s}", "experiment", id), *records, *kept = json_array(), *b,
	       *result = NULL;
	int r = find(key, &x, e);
	size_t i;

	if (r == 0)
		r = try_judge_load(x.how, &judge, e);
	if (r == 0) {
		records = branches_of(&x);
		end_runs(ctx, &x);
		json_array_foreach(records, i, b) if (json_integer_value(json_object_get(b, "n")) == x.winner)
			json_object_set_new(b, "state", json_string("winner"));
		try_rank(&judge, records);
		result = experiment_json(&x);
		json_object_set_new(result, "differs", try_differences(ctx, records));
		json_array_foreach(records, i, b)
		{
			if (keep || json_integer_value(json_object_get(b, "n")) == x.winner)
				json_array_append(kept, json_object_get(b, "box"));
			else
				json_object_set_new(b, "box", json_null());
		}
		json_object_set_new(result, "branches", records);
		json_object_set_new(result, "state",
				    json_string(x.winner                 ? "won"
						: !strcmp(x.mode, "all") ? "compared"
									 : "none"));
		try_write_end(x.id, result);
		try_boxes_drop(x.id, kept);
		*ret = result;
	}
	json_decref(kept);
	json_decref(key);
	return r;
}

static int claim(const char *id, size_t i, bool *ret_won, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	int r = box_shelf_open(&shelf, e);

	return r < 0 ? r : store_experiment_claim(shelf.store, id, (int64_t)i + 1, ret_won, e);
}

static int note_branch(const char *id, size_t i, const json_t *record, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	json_t *copy = json_copy((json_t *)record);
	scoped(drop_mem) char *text = NULL;
	int r = box_shelf_open(&shelf, e);

	json_object_del(copy, "stdout_tail");
	json_object_del(copy, "stderr_tail");
	json_object_del(copy, "run");
	text = json_dumps(copy, JSON_COMPACT);
	json_decref(copy);
	return r < 0 ? r
		     : store_branch_set(shelf.store, id, (int64_t)i + 1, text_of(record, "state"),
					text ? text : "", e);
}

/* Judges branch I and writes down what came out. */
static int judge_branch(struct op_context *ctx, const struct store_experiment *x, size_t i,
			json_t **ret_record, bool *ret_won, struct aisbx_error *e)
{
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	scoped(try_branch_finish) struct try_branch b = { 0 };
	const uint64_t begun_us = time_us();
	char forks[STORE_NAME_MAX + 1];
	int r = try_judge_load(x->how, &judge, e);

	if (r < 0)
		return r;
	snprintf(forks, sizeof(forks), "%s-%zu", x->id, i + 1);
	try_branch_init(&b, ctx, &judge, x->branches[i].box,
			forks); /* by its id: it may have another name by now */
	if (try_branch_judge(&b))
		try_branch_become(&b, "passed", "%s", "");
	json_object_set_new(b.record, "wall_ms", json_real((double)(time_us() - begun_us) / 1000));
	json_object_set_new(b.record, "name", json_string(x->branches[i].name));
	r = note_branch(x->id, i, b.record, e);
	if (r == 0 && !strcmp(text_of(b.record, "state"), "passed") && try_judge_is_first(&judge)) {
		r = claim(x->id, i, ret_won, e);
		if (!*ret_won)
			json_object_set_new(b.record, "why", json_string("another was first"));
	}
	if (r == 0)
		*ret_record = json_incref(b.record);
	return r;
}

static int run_ready(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	json_t *record = NULL, *ended = NULL;
	bool won = false, passed;
	size_t i = 0;
	int r = find(args, &x, e);

	if (r == 0)
		r = check_open(&x, e);
	if (r == 0)
		r = find_branch(&x, text_of(args, "branch"), &i, e);
	if (r == 0)
		r = judge_branch(ctx, &x, i, &record, &won, e);
	if (r == 0 && won)
		r = conclude(ctx, x.id, false, &ended, e);
	if (r < 0) {
		json_decref(record);
		ctx->exit_status = 125;
		return r;
	}
	passed = !strcmp(text_of(record, "state"), "passed");
	json_object_del(record, "run");
	*ret_result = json_pack("{s:s, s:s, s:b, s:b, s:s, s:o, s:o?}", "experiment", x.id, "branch",
				x.branches[i].name, "passed", passed, "won", won, "why",
				text_of(record, "why"), "record", record, "ended", ended);
	ctx->exit_status = passed ? 0 : 1;
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
}

static const struct op_param ready_params[] = {
	EXPERIMENT_PARAM,
	{ .name = "branch",
	  .type = OP_STRING,
	  .positional = true,
	  .required = true,
	  .value = "BRANCH",
	  .help = "name of the branch" },
	{ .name = NULL },
};

static const struct op_field ready_result[] = {
	{ "experiment", "string", "its id" },
	{ "branch", "string", "its name" },
	{ "passed", "boolean", "its test passed, every time" },
	{ "won", "boolean", "with mode first: it was the first, and the experiment has ended" },
	{ "why", "string", "why not" },
	{ "record", "object", "as a branch in the result of try" },
	{ "ended", "object|null", "when it has won: as of experiment end" },
	{ NULL, NULL, NULL },
};

const struct op op_experiment_ready = {
	.name = "experiment ready",
	.method = "experiment.ready",
	.summary = "Have a branch of an open experiment judged",
	.about = "Takes a snapshot of the branch's box and runs the experiment's test in forks of that. With "
		 "mode first the first\n"
		 "branch that passes wins at once: what still runs in the others is ended, and their boxes "
		 "are removed. A branch\n"
		 "that failed may be worked on and judged again. Exit status: 0 when it passed, 1 when it "
		 "did not.",
	.example = "aisbx experiment ready x-1f2e 2",
	.grant = GRANT_RUN,
	.params = ready_params,
	.result = ready_result,
	.run = run_ready,
};

/* The best of those that passed. */
static int claim_best(const struct store_experiment *x, struct aisbx_error *e)
{
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	json_t *records = branches_of(x);
	const json_t *best;
	bool won;
	int r = try_judge_load(x->how, &judge, e);

	if (r == 0) {
		try_rank(&judge, records);
		best = json_array_get(records, 0);
		if (json_is_integer(json_object_get(best, "rank")))
			r = claim(x->id, (size_t)json_integer_value(json_object_get(best, "n")) - 1, &won, e);
	}
	json_decref(records);
	return r;
}

static int run_end(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	scoped(drop_mem) char *point = NULL;
	int r = find(args, &x, e);

	if (r == 0)
		r = check_open(&x, e);
	if (r == 0 &&
	    json_is_true(json_object_get(args,
					 "promote"))) /* before anything is gone: that its file can be read */
		r = try_judge_load(x.how, &judge, e);
	if (r == 0 && strcmp(x.mode, "all") != 0)
		r = claim_best(&x, e);
	if (r == 0)
		r = conclude(ctx, x.id, json_is_true(json_object_get(args, "keep")), ret_result, e);
	if (r < 0 || !json_is_true(json_object_get(args, "promote")) ||
	    strcmp(text_of(*ret_result, "state"), "won") != 0)
		return r;
	point = try_point(json_array_get(json_object_get(*ret_result, "branches"), 0));
	r = point ? try_promote(ctx, &judge, point, *ret_result, e)
		  : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote the winner");
	if (r < 0) {
		aisbx_hint(e, "the winner is in box '%s'", text_of(*ret_result, "box"));
		json_decref(*ret_result);
		*ret_result = NULL;
	}
	return r;
}

static const struct op_param end_params[] = {
	EXPERIMENT_PARAM,
	{ .name = "promote",
	  .type = OP_FLAG,
	  .help = "promote the winner, through the project's stages if it has some" },
	{ .name = "keep", .type = OP_FLAG, .help = "keep the boxes of the others, too" },
	{ .name = NULL },
};

static const struct op_field end_result[] = {
	EXPERIMENT_FIELDS(""),
	{ "differs", "array", "as of try" },
	{ "promotion", "object|null", "with --promote: as of promote" },
	{ "pipeline", "object|null", "with --promote in a project with stages: as of pipeline run" },
	{ NULL, NULL, NULL }
};

const struct op op_experiment_end = {
	.name = "experiment end",
	.method = "experiment.end",
	.destroys = true,
	.summary = "End an open experiment: the best branch that passed wins",
	.about = "Of the branches that were judged and passed the best wins; its box stays, those of the "
		 "others are removed, with what\n"
		 "still runs in them. Without one that passed nobody wins. What was changed in the winner's "
		 "box after it was judged is\n"
		 "still there, but --promote takes the snapshot that was judged.",
	.example = "aisbx experiment end x-1f2e --promote",
	.grant = GRANT_RUN,
	.params = end_params,
	.result = end_result,
	.run = run_end,
};

/* ---- looking ---- */

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	int r = find(args, &x, e);

	(void)ctx;
	if (r == 0)
		*ret_result = experiment_json(&x);
	return r;
}

static const struct op_param show_params[] = { EXPERIMENT_PARAM, { .name = NULL } };

const struct op op_experiment_show = {
	.name = "experiment show",
	.method = "experiment.show",
	.summary = "Show an experiment and its branches",
	.about = "Shows an experiment as it is, or as it ended.",
	.grant = GRANT_READ,
	.params = show_params,
	.result = experiment_result,
	.run = run_show,
};

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_experiment *list = NULL;
	uint64_t limit = 20;
	json_t *all;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	op_value_number(json_object_get(args, "limit"), &limit);
	if (r == 0)
		r = store_experiment_list(shelf.store, box_acting_for(), NULL,
					  limit < INT64_MAX ? (int64_t)limit : INT64_MAX, &list, &n, e);
	if (r < 0)
		return r;
	all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, experiment_json(&list[i]));
	store_experiment_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "experiments", all);
	return 0;
}

static const struct op_param ls_params[] = {
	{ .name = "limit",
	  .letter = 'n',
	  .type = OP_NUMBER,
	  .value = "N",
	  .help = "so many at most; default 20" },
	{ .name = NULL },
};
static const struct op_field ls_result[] = { { "experiments", "array", "newest first" },
					     EXPERIMENT_FIELDS("experiments[]."),
					     { NULL, NULL, NULL } };

const struct op op_experiment_ls = {
	.name = "experiment ls",
	.method = "experiment.ls",
	.summary = "List experiments",
	.about = "Lists experiments, newest first.",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};
