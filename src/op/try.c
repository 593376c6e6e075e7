/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `try`: several approaches at once, each in its own box; the tests say which is kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "op/args.h"
#include "op/running.h"
#include "op/try_inside.h"
#include "op/value.h"

static void finish(struct try *t)
{
	crew_finish(&t->crew);
	for (size_t i = 0; t->lanes && i < t->n; i++)
		json_decref(t->lanes[i].record);
	free(t->lanes);
	json_decref(t->branches);
	json_decref(t->boxes);
	try_judge_finish(&t->judge);
	if (t->allowance)
		munmap(t->allowance, sizeof(*t->allowance));
	if (t->state_dir)
		try_unlock(t->state_dir, t->id, &t->lock);
	free(t->state_dir);
	marks_scan_free(t->scan);
	marks_free(t->marks);
}

/* Before anything is written down or told: a command line may have them in it. */
static int know_secrets(struct try *t, const json_t *args, struct aisbx_error *e)
{
	scoped(box_request_finish) struct box_request req = { 0 };
	const char *key = try_text(args, "box");
	json_t *like = json_copy(json_object_get(t->judge.how, "run"));
	int r = like ? json_object_set_new(like, "command", json_pack("[s]", "true")) : -1;

	if (r == 0)
		json_object_set_new(like, *key ? "box" : "profile",
				    *key ? json_stringn(key, strcspn(key, "@"))
					 : json_incref(json_object_get(args, "profile")));
	r = r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the secrets")
		  : op_run_request(t->ctx, like, &req, e);
	json_decref(like);
	if (r == 0)
		r = marks_record(t->state_dir, req.secrets.items, req.secrets.n, e);
	if (r == 0)
		r = marks_load(t->state_dir, &t->marks, e);
	if (r == 0 && t->marks && !(t->scan = marks_scan_create(t->marks)))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "look for secrets");
	return r;
}

static int read_args(struct try *t, const json_t *args, struct aisbx_error *e)
{
	uint64_t parallel = 0, runs = 0;
	int r = try_words_read(args, &t->branches, e);

	t->n = json_array_size(t->branches);
	if (r == 0)
		r = try_judge_read(t->ctx, args, &t->judge, e);
	if (r < 0)
		return r;
	op_value_ms(json_object_get(args, "budget-time"), &t->budget_ms);
	op_value_ms(json_object_get(args, "budget-cpu"), &t->budget_cpu_ms);
	op_value_number(json_object_get(args, "budget-runs"), &runs);
	op_value_number(json_object_get(args, "parallel"), &parallel);
	t->parallel = parallel ? parallel : t->n;
	t->lanes = calloc(t->n, sizeof(*t->lanes));
	t->allowance =
		mmap(NULL, sizeof(*t->allowance), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->allowance == MAP_FAILED)
		t->allowance = NULL;
	if (!t->lanes || !t->allowance)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make room for %zu branches", t->n);
	t->allowance->most = runs;
	t->judge.allowance = t->allowance;
	return 0;
}

/* ---- after ---- */

static json_t *records_of(struct try *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->n; i++) {
		const json_t *b = json_array_get(t->branches, i);
		json_t *r = json_pack("{s:I, s:s, s:s, s:s, s:n, s:s, s:n, s:[], s:f, s:f, s:I, s:n, s:n, "
				      "s:n, s:n, s:s, s:s, s:s}",
				      "n", (json_int_t)i + 1, "name", try_text(b, "name"), "command",
				      try_text(b, "command"), "box", try_box(t, i), "snapshot", "state",
				      "stopped", "rank", "runs", "wall_ms", t->lanes[i].wall_ms, "cpu_ms",
				      0.0, "mem_peak", (json_int_t)0, "tests", "changes", "score",
				      "passed_of", "why", "", "stdout_tail", "", "stderr_tail", "");

		json_object_update_existing(r, t->lanes[i].record);
		json_object_set_new(r, "wall_ms", json_real(t->lanes[i].wall_ms)); /* the parent's clock */
		json_array_append_new(list, r);
	}
	return list;
}

/* The best of those that passed, unless somebody has won. What the store says counts. */
static int settle(struct try *t, const json_t *records, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	const json_t *best = json_array_get(records, 0);
	const int64_t n = json_integer_value(json_object_get(best, "n"));
	bool won;
	int r = box_shelf_open(&shelf, e);

	if (r == 0 && !t->crew.interrupted && !strcmp(try_text(t->judge.how, "mode"), "best") &&
	    !strcmp(try_text(best, "state"), "passed"))
		r = store_experiment_claim(shelf.store, t->id, n, &won, e);
	if (r == 0)
		r = store_experiment_find(shelf.store, t->id, NULL, &x, e);
	if (r == 0)
		t->winner = (int)x.winner - 1;
	return r;
}

static void mark_winner(struct try *t, json_t *records)
{
	json_t *record;
	size_t i;

	json_array_foreach(records, i,
			   record) if (json_integer_value(json_object_get(record, "n")) == t->winner + 1)
	{
		json_object_set_new(record, "state", json_string("winner"));
		json_object_set_new(record, "why", json_string(""));
	}
	if (t->winner >= 0) {
		try_set_state(&t->lanes[t->winner], "winner", "");
		try_emit(t, (size_t)t->winner);
	}
}

/* Boxes go, but for the winner's; of all with KEEP. */
static void clear_up(struct try *t, bool keep, json_t *records)
{
	json_t *names = json_array(), *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		if (keep || json_integer_value(json_object_get(record, "n")) == t->winner + 1)
			json_array_append(names, json_object_get(record, "box"));
		else
			json_object_set_new(record, "box", json_null());
	}
	try_boxes_drop(t->id, names);
	json_decref(names);
}

static int promote_winner(struct try *t, json_t *result, struct aisbx_error *e)
{
	scoped(drop_mem) char *point = try_point(json_array_get(json_object_get(result, "branches"), 0));

	crew_finish(&t->crew); /* from now on signals are for what is run there */
	return point ? try_promote(t->ctx, &t->judge, point, result, e)
		     : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote the winner");
}

static int conclude(struct try *t, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	json_t *records = records_of(t), *differs, *result;
	const char *mode = try_text(t->judge.how, "mode"), *state;
	bool any;
	int r;

	try_rank(&t->judge, records);
	any = json_is_integer(json_object_get(json_array_get(records, 0), "rank"));
	r = settle(t, records, e);
	if (r < 0) {
		json_decref(records);
		return r;
	}
	mark_winner(t, records);
	if (t->winner >= 0) /* the first to pass comes before better ones that were too late */
		try_rank(&t->judge, records);
	differs = try_differences(t->ctx, records);
	clear_up(t, json_is_true(json_object_get(args, "keep")), records);
	state = t->cut_short           ? t->cut_short
		: t->winner >= 0       ? "won"
		: !strcmp(mode, "all") ? "compared"
				       : "none";
	result = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:n, s:n, s:f}", "experiment", t->id, "mode",
			   mode, "state", state, "winner",
			   t->winner >= 0 ? json_incref(json_object_get(
						    json_array_get(t->branches, (size_t)t->winner), "name"))
					  : json_null(),
			   "box", t->winner >= 0 ? json_string(try_box(t, (size_t)t->winner)) : json_null(),
			   "branches", records, "differs", differs, "promotion", "pipeline", "wall_ms",
			   (double)(time_us() - t->begun_us) / 1000);
	if (!result)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	try_write_end(t->id, result);
	t->ctx->exit_status = t->crew.interrupted ? 128 + t->crew.interrupted
			      : t->winner >= 0 || (any && !t->cut_short && !strcmp(mode, "all")) ? 0
												 : 1;
	if (t->winner >= 0 && !t->crew.interrupted && json_is_true(json_object_get(args, "promote")))
		r = promote_winner(t, result, e);
	if (r < 0) {
		json_decref(result);
		return aisbx_hint(e, "the winner is in box '%s'", try_box(t, (size_t)t->winner));
	}
	*ret_result = result;
	return 0;
}

static int begin(struct try *t, const json_t *args, struct aisbx_error *e)
{
	int r = read_args(t, args, e);

	if (r == 0 && !(t->state_dir = box_state_dir(e)))
		r = e->code;
	if (r == 0)
		r = store_make_dirs(t->state_dir, e);
	if (r == 0)
		r = know_secrets(t, args, e);
	if (r == 0)
		box_new_id("x-", t->id);
	if (r == 0)
		r = try_lock(t->state_dir, t->id, &t->lock, e);
	if (r == 0) /* before its boxes: should this process be killed, gc finds what it left */
		r = try_write_down(&t->judge, t->id, try_text(args, "experiment"), "running", t->branches,
				   NULL, e);
	if (r == 0) /* from here on a signal does not end us with boxes half made */
		r = try_attend_init(t, e);
	if (r == 0)
		r = try_boxes_make(t->ctx, args, t->id, t->n, &t->boxes, e);
	for (size_t i = 0; r == 0 && i < t->n; i++)
		try_emit(t, i);
	return r;
}

static void give_up(struct try *t)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	bool ended;

	crew_finish(&t->crew);
	if (!t->id[0])
		return;
	try_boxes_drop(t->id, NULL);
	if (box_shelf_open(&shelf, &ignored) == 0)
		store_experiment_end(shelf.store, t->id, "error", "", box_now_ms(), &ended, &ignored);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(finish) struct try t = {
		.ctx = ctx, .begun_us = time_us(), .winner = -1, .lock = -1, .crew.signals = -1
	};
	json_t *all = NULL;
	int r = try_args_complete(ctx, args, &all, e);

	if (r == 0)
		r = begin(&t, all, e);
	if (r == 0)
		r = try_attend(&t, e);
	if (r == 0)
		r = conclude(&t, all, ret_result, e);
	else
		give_up(&t);
	json_decref(all);
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static const char *const net_names[] = { "none", "loopback", NULL };

static const struct op_param params[] = {
	TRY_BASE_PARAM,
	TRY_JUDGE_PARAMS,
	{ .name = "budget-time",
	  .type = OP_DURATION,
	  .value = "TIME",
	  .help = "stop what still runs after this long" },
	{ .name = "budget-cpu",
	  .type = OP_DURATION,
	  .value = "TIME",
	  .help = "the same when all branches together have used so much processor time" },
	{ .name = "budget-runs",
	  .type = OP_NUMBER,
	  .value = "N",
	  .help = "start no more runs than this, commands and tests of all branches" },
	{ .name = "parallel",
	  .type = OP_NUMBER,
	  .value = "N",
	  .help = "so many branches at once; default: all" },
	{ .name = "promote",
	  .type = OP_FLAG,
	  .help = "promote the winner, through the project's stages if it has some" },
	{ .name = "keep", .type = OP_FLAG, .help = "keep the boxes of the others, too" },
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
	{ .name = "rw",
	  .type = OP_LIST,
	  .value = "HOST[:GUEST]",
	  .help = "share a file or directory with all of them: changes are made to the real one" },
	{ .name = "ro",
	  .type = OP_LIST,
	  .value = "HOST[:GUEST]",
	  .help = "show a file or directory, read-only" },
	{ .name = "env",
	  .letter = 'e',
	  .type = OP_LIST,
	  .value = "NAME[=VALUE]",
	  .help = "set a variable, or pass the caller's on" },
	SECRET_PARAM,
	{ .name = "net",
	  .type = OP_CHOICE,
	  .choices = net_names,
	  .value = "MODE",
	  .help = "none, or loopback: the box's own" },
	OP_LIMIT_PARAMS{
		.name = "no-services", .type = OP_FLAG, .help = "start none of the project's services" },
	{ .name = "branches",
	  .type = OP_LIST,
	  .value = "COMMAND",
	  .model = true,
	  .help = "shell commands, one for each copy" },
	{ .name = "command",
	  .type = OP_COMMAND,
	  .positional = true,
	  .value = "COMMAND [-- COMMAND]...",
	  .help = "what to try: one word is a text for a shell, several are a command and its arguments; the "
		  "next begins behind '--'" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "experiment", "string", "its id" },
	{ "mode", "string", "first, best or all" },
	{ "state", "string",
	  "won; none passed; compared (mode all); budget used up, perhaps with a winner; interrupted",
	  .model = true },
	{ "winner", "string|null", "name of the branch", .model = true },
	{ "box", "string|null", "the winner's box, which stays", .model = true },
	{ "branches", "array", "those that passed first, by their rank", .model = true },
	TRY_BRANCH_FIELDS("branches[]."),
	{ "differs", "array", "how the best differs from each other that passed" },
	{ "differs[].branch", "string", "the best" },
	{ "differs[].against", "string", "the other" },
	{ "differs[].files", "array", "paths below the project that differ, at most 50" },
	{ "differs[].more", "integer", "how many more there are" },
	{ "promotion", "object|null", "with --promote: as of promote" },
	{ "pipeline", "object|null", "with --promote in a project with stages: as of pipeline run" },
	{ "wall_ms", "number", "all of it" },
	{ NULL, NULL, NULL },
};

const struct op op_try = {
	.name = "try",
	.method = "experiment.try",
	.tool = "sandbox_experiment",
	.brief = "Try several shell commands at once, each in its own copy of the project; keep the one "
		 "whose tests pass (of several the "
		 "fastest). Returns how each went and the winner's box.",
	.summary = "Try several approaches at once, each in its own box, and keep the best",
	.about = "Runs each COMMAND in a box of its own, all at once, all starting from the same state; then "
		 "the test, in a fork of\n"
		 "that box, so that what tests leave behind is not part of it. A branch has passed when its "
		 "command and its test exit\n"
		 "with 0. Of those that passed the one whose test took the least time wins, or by --mode "
		 "first the first one: then\n"
		 "the others are ended at once. The winner's box stays, the others are removed.\n\n"
		 "A test that fails only sometimes is seen by --repeat. Budgets stop what still runs; who "
		 "has passed by then can win.\n"
		 "Exit status: 0 when there is a winner (mode all: when one passed), 1 when there is none, "
		 "125 when aisbx failed.",
	.example = "aisbx try --test 'make test' -- 'git apply a.patch' -- 'git apply b.patch' -- 'git "
		   "revert --no-edit HEAD'\n"
		   "aisbx try --mode first --repeat 3 --budget-time 5m -- ./fix-one.sh -- ./fix-two.sh\n"
		   "aisbx try --name old --name new --test ./bench.sh --mode all -- true -- 'sed -i "
		   "s/-O1/-O3/ Makefile'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
