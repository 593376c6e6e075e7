/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One branch of an experiment: its command in its box, then its tests and gates in forks of that box, which
 * are thrown away.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/diff.h"
#include "op/args.h"
#include "op/judges.h"
#include "op/point.h"
#include "op/running.h"
#include "op/try.h"
#include "policy/intent_tally.h"

/* What is kept of the output of the last run: enough to see why. */
#define TAIL 2000u

static void tell(struct try_branch *b)
{
	if (b->told)
		b->told(b);
}

void try_branch_become(struct try_branch *b, const char *state, const char *fmt, ...)
{
	scoped(buf_finish) struct buf clean = { 0 };
	char why[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	json_object_set_new(b->record, "state", json_string(state));
	buf_add_utf8(&clean, why, strlen(why)); /* it may be cut off within a character */
	json_object_set_new(b->record, "why", json_string(buf_str(&clean) ? clean.data : "?"));
	tell(b);
}

static void on_begun(struct op_context *ctx, const char *run, const char *trace_id)
{
	struct try_branch *b = ctx->face;

	(void)trace_id;
	json_object_set_new(b->record, "run", json_string(run));
	tell(b);
}

void try_branch_init(struct try_branch *b, const struct op_context *ctx, const struct try_judge *judge,
		     const char *box, const char *forks)
{
	*b = (struct try_branch){
		.ctx = *ctx, .judge = judge, .box = box, .forks = forks, .results = json_array()
	};
	b->ctx.stdin_fd = -1;
	b->ctx.out_fds[0] = b->ctx.out_fds[1] = -1;
	b->ctx.emit = NULL;
	b->ctx.begun = on_begun;
	b->ctx.face = b;
	b->record = json_pack("{s:s, s:[], s:n, s:n, s:f, s:f, s:I, s:n, s:n, s:n, s:n, s:s, s:s, s:s}",
			      "state", "running", "runs", "run", "snapshot", "wall_ms", 0.0, "cpu_ms", 0.0,
			      "mem_peak", (json_int_t)0, "tests", "changes", "score", "passed_of", "why", "",
			      "stdout_tail", "", "stderr_tail", "");
}

void try_branch_finish(struct try_branch *b)
{
	json_decref(b->record);
	json_decref(b->results);
	json_decref(b->tested);
}

/* The last bytes of TEXT, from the beginning of a character on. */
static json_t *tail_of(const json_t *text)
{
	const char *s = json_string_value(text) ? json_string_value(text) : "";
	size_t len = json_string_length(text), at = len > TAIL ? len - TAIL : 0;

	while (at && at < len && ((unsigned char)s[at] & 0xc0) == 0x80)
		at++;
	return json_stringn(s + at, len - at);
}

static double number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static void add_up(struct try_branch *b, const json_t *result)
{
	const json_t *usage = json_object_get(result, "usage");
	double cpu = number(b->record, "cpu_ms") + number(usage, "cpu_ms");
	json_int_t mem = (json_int_t)number(usage, "mem_peak"),
		   most = (json_int_t)number(b->record, "mem_peak");

	json_array_append(b->results, (json_t *)result);
	json_array_append(json_object_get(b->record, "runs"), json_object_get(result, "run"));
	json_object_set_new(b->record, "run", json_null());
	json_object_set_new(b->record, "cpu_ms", json_real(cpu));
	json_object_set_new(b->record, "mem_peak", json_integer(mem > most ? mem : most));
	json_object_set_new(b->record, "stdout_tail", tail_of(json_object_get(result, "stdout")));
	json_object_set_new(b->record, "stderr_tail", tail_of(json_object_get(result, "stderr")));
}

static void tap(void *ctx, int which, const char *data, size_t len)
{
	intent_tally_add(ctx, which, data, len);
}

static json_t *tests_json(struct intent_tally *t)
{
	enum intent_runner runner;
	struct intent_counts c;

	if (!intent_tally_end(t, &c, &runner))
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "passed", (json_int_t)c.passed, "failed", (json_int_t)c.failed,
			 "skipped", (json_int_t)c.skipped);
}

/* As `run` with the output looked at; TALLY NULL: nobody counts. */
static int run_one(struct try_branch *b, const json_t *args, struct intent_tally *tally, json_t **ret_result,
		   struct aisbx_error *e)
{
	scoped(box_request_finish) struct box_request req = { 0 };
	scoped(op_running_finish) struct op_running how = OP_RUNNING_INIT;
	struct try_allowance *a = b->judge->allowance;
	int r;

	if (a && a->most && atomic_fetch_add(&a->used, 1) >= a->most)
		return aisbx_refuse(e, AISBX_AREA_RUN, EDQUOT, "the budget of %llu runs was used up",
				    (unsigned long long)a->most);
	r = op_running_begin(&b->ctx, &how, &req, false, e);
	if (tally) {
		how.face.tap = tap;
		how.face.tap_ctx = tally;
	}
	if (r == 0)
		r = op_run_request(&b->ctx, args, &req, e);
	if (r == 0)
		r = op_run_here(&b->ctx, &req, &how, ret_result, e);
	if (r == 0)
		add_up(b, *ret_result);
	return r;
}

static bool is(const json_t *result, const char *status)
{
	const char *s = json_string_value(json_object_get(result, "status"));

	return s && !strcmp(s, status);
}

/* WHAT did not go well: the branch is failed, or stopped. */
static void tell_failed(struct try_branch *b, const char *what, const json_t *result,
			const struct aisbx_error *e)
{
	const json_t *code = json_object_get(result, "exit_code"), *sig = json_object_get(result, "signal");
	const char *kind = json_string_value(json_object_get(json_object_get(result, "limit"), "kind"));
	const char *error = json_string_value(json_object_get(result, "error")),
		   *judge = json_string_value(json_array_get(json_object_get(result, "judges"), 0));

	if (!result && e->code == -EDQUOT) {
		json_object_set_new(b->record, "budget", json_true());
		try_branch_become(b, "stopped", "%s", e->text);
	} else if (!result)
		try_branch_become(b, "failed", "%s: %s", what, e->text);
	else if (is(result, "interrupted"))
		try_branch_become(b, "stopped", "%s was interrupted", what);
	else if (kind)
		try_branch_become(b, "failed", "%s came to its limit: %s", what, kind);
	else if (error)
		try_branch_become(b, "failed", "%s: %s", what, error);
	else if (json_is_integer(sig))
		try_branch_become(b, "failed", "%s was ended by signal %lld", what,
				  (long long)json_integer_value(sig));
	else
		try_branch_become(b, "failed", "%s exited with %lld%s%s%s", what,
				  (long long)json_integer_value(code), judge ? "; it was your own '" : "",
				  judge ? judge : "", judge ? "' that judged, not the branch's" : "");
}

static json_t *run_args(const struct try_branch *b, const char *box, const json_t *command)
{
	json_t *args = json_copy(json_object_get(b->judge->how, "run"));

	json_object_set_new(args, "box", json_string(box));
	json_object_set(args, "command", (json_t *)command);
	return args;
}

bool try_branch_run(struct try_branch *b, const json_t *command)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *args = run_args(b, b->box, command), *result = NULL;
	bool ok = run_one(b, args, NULL, &result, &e) == 0 && is(result, "ok");

	if (!ok)
		tell_failed(b, "the command", result, &e);
	json_decref(args);
	json_decref(result);
	return ok;
}

/* ---- tests ---- */

static json_t *test_args(const struct try_branch *b, const char *box, const json_t *test)
{
	json_t *args = run_args(b, box, json_object_get(test, "command")), *env = json_array();

	json_array_extend(env, json_object_get(test, "env"));
	json_array_extend(env, json_object_get(args, "env"));
	json_object_set_new(args, "env", env);
	if (json_object_get(test, "cwd"))
		json_object_set(args, "cwd", json_object_get(test, "cwd"));
	if (json_object_get(test, "timeout") && !json_object_get(args, "timeout"))
		json_object_set(args, "timeout", json_object_get(test, "timeout"));
	return args;
}

/* What is judged is frozen first, so that it is what goes on, whoever writes into the box meanwhile. */
static int freeze(struct try_branch *b, struct aisbx_error *e)
{
	json_t *args = json_pack("{s:s}", "box", b->box), *made = NULL;
	int r = op_snap.run(&b->ctx, args, &made, e);

	json_decref(args);
	if (r == 0) {
		const char *id = json_string_value(json_object_get(made, "id"));

		snprintf(b->point, sizeof(b->point), "%s@%s", b->box, id);
		json_object_set_new(b->record, "snapshot", json_string(id));
	}
	json_decref(made);
	return r;
}

/* What tests leave behind is in none of what goes on. */
static int make_forks(struct try_branch *b, json_int_t n, json_t **ret_names, struct aisbx_error *e)
{
	char nonce[STORE_ID_MAX]; /* of an open experiment the same may be judged again, even at once */
	json_t *args, *made = NULL, *box;
	size_t i;
	int r;

	box_new_id("t", nonce);
	args = json_pack("{s:s, s:I, s:o, s:s}", "from", b->point, "count", n, "name",
			 json_sprintf("%s-%.9s", b->forks, nonce), "drift", "off");
	r = op_fork.run(&b->ctx, args, &made, e);
	json_decref(args);
	if (r < 0)
		return r;
	*ret_names = json_array();
	json_array_foreach(json_object_get(made, "boxes"), i, box)
		json_array_append(*ret_names, json_object_get(box, "name"));
	json_decref(made);
	return 0;
}

static void drop_forks(struct try_branch *b, json_t *names)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_t *args = json_pack("{s:O}", "boxes", names), *result = NULL;

	op_rm.run(&b->ctx, args, &result, &ignored); /* what stays goes with the experiment */
	json_decref(args);
	json_decref(result);
}

struct tested {
	size_t passed, n;
	double wall_ms; /* of all */
	json_t *failed; /* owned; the first one */
	struct aisbx_error e;
};

/* By the person's own tests, whatever the branch made of them. */
static int lay_judges(struct try_branch *b, const char *fork, const json_t *test, json_t *args,
		      json_t **ret_told, struct aisbx_error *e)
{
	const char *project = json_string_value(json_object_get(b->judge->how, "project")),
		   *cwd = json_string_value(json_object_get(test, "cwd"));
	scoped(judges_finish) struct judges judges = { 0 };
	scoped(strlist_finish) struct strlist words = { 0 };
	const json_t *word;
	size_t i;

	json_array_foreach(json_object_get(test, "command"), i, word)
		strlist_add(&words, json_string_value(word));
	if (words.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "judge by your own tests");
	if (!json_is_true(json_object_get(test, "box-judges"))) {
		judges_add_command(&judges, &words, cwd && *cwd == '/' ? cwd : project, true);
		judges_add_listed(&judges, &b->judge->project);
	}
	return op_judges_lay(&b->ctx, b->point, fork, &judges, args, ret_told, e);
}

/* False: there is no use in going on. */
static bool test_once(struct try_branch *b, const char *fork, const json_t *test, struct tested *t)
{
	json_t *args = test_args(b, fork, test), *result = NULL, *told = NULL;
	struct intent_tally tally;
	bool ok, stop;

	intent_tally_init(&tally, (enum intent_runner)json_integer_value(json_object_get(test, "runner")));
	ok = lay_judges(b, fork, test, args, &told, &t->e) == 0 &&
	     run_one(b, args, &tally, &result, &t->e) == 0 && is(result, "ok");
	if (result && told)
		json_object_set(result, "judges", told);
	json_decref(told);
	stop = !result || is(result, "interrupted");
	json_decref(args);
	if (result) {
		t->n++;
		t->passed += ok;
		t->wall_ms += number(json_object_get(result, "usage"), "wall_ms");
		if (!ok || t->n == 1 || !t->failed) /* the numbers of one that failed tell more */
			json_object_set_new(b->record, "tests", tests_json(&tally));
		json_object_set(result, "tests", json_object_get(b->record, "tests"));
		tell(b);
	}
	if (!ok && !t->failed && result)
		t->failed = json_incref(result);
	json_decref(b->tested);
	b->tested = result;
	return !stop;
}

/* True: all of them passed. */
static bool run_tests(struct try_branch *b, const json_t *test, size_t n)
{
	struct tested t = { .e = AISBX_ERROR_INIT };
	json_t *forks = NULL, *fork;
	size_t i;
	bool going = make_forks(b, (json_int_t)n, &forks, &t.e) == 0;

	json_array_foreach(forks, i, fork) going = going && test_once(b, json_string_value(fork), test, &t);
	if (forks)
		drop_forks(b, forks);
	json_decref(forks);
	json_object_set_new(b->record, "passed_of", json_sprintf("%zu/%zu", t.passed, n));
	if (going && t.n && t.passed == n) /* of those that failed it would compare nothing */
		json_object_set_new(b->record, "score", json_real(t.wall_ms / (double)t.n));
	if (!going)
		tell_failed(b, "the test", t.e.code ? NULL : t.failed, &t.e);
	else if (t.passed && t.passed < n)
		try_branch_become(b, "flaky", "the test passed only %zu of %zu times", t.passed, n);
	else if (t.failed)
		tell_failed(b, "the test", t.failed, &t.e);
	json_decref(t.failed);
	return going && t.passed == n;
}

/* ---- what it changed ---- */

static void count_changes(struct try_branch *b)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(point_finish) struct point p = POINT_INIT;
	scoped(change_list_finish) struct change_list changes = { 0 };
	struct box_ignored left;
	json_int_t created = 0, deleted = 0, modified = 0;

	if (point_open(b->point, false, &p, &ignored) < 0 ||
	    box_diff(&p.shelf, &p.box, p.snapshot, NULL, "", &changes, &left, &ignored) < 0)
		return; /* not known: null */
	for (size_t i = 0; i < changes.n; i++) {
		const enum change_kind kind = changes.items[i].kind;

		created += kind == CHANGE_CREATE;
		deleted += kind == CHANGE_DELETE;
		modified += kind != CHANGE_CREATE && kind != CHANGE_DELETE && kind != CHANGE_TOUCH;
	}
	json_object_set_new(b->record, "changes",
			    json_pack("{s:I, s:I, s:I}", "created", created, "modified", modified, "deleted",
				      deleted));
}

/* ---- gates and score ---- */

static json_t *failed_checks(const json_t *said)
{
	const json_t *check;
	json_t *first = NULL;
	size_t i;

	json_array_foreach(json_object_get(said, "checks"), i,
			   check) if (!first && !json_is_true(json_object_get(check, "passed"))) first =
		(json_t *)check;
	return first;
}

/* True: all of them hold, and the score is known if one is wanted. */
static bool run_gates(struct try_branch *b)
{
	const struct try_judge *j = b->judge;
	const json_t *test = json_object_get(j->how, "test");
	const struct gate_subject subject = { .box = b->point,
					      .dir = json_string_value(json_object_get(j->how, "project")),
					      .runs = b->results,
					      .tested = b->tested,
					      .tested_by_intent =
						      json_is_true(json_object_get(test, "intent")),
					      .score = j->score };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const json_t *check, *score;
	json_t *said = NULL;
	bool ok = op_gate_judge(&b->ctx, &j->project, &j->all, &subject, &said, &e) == 0;

	json_object_set_new(b->record, "run", json_null());
	json_object_set_new(b->record, "cpu_ms",
			    json_real(number(b->record, "cpu_ms") + number(said, "cpu_ms")));
	if (!ok)
		tell_failed(b, "its gates", NULL, &e);
	check = failed_checks(said);
	score = json_object_get(said, "score");
	if (ok && check)
		try_branch_become(b, "failed", "gate '%s': %s",
				  json_string_value(json_object_get(check, "check")),
				  json_string_value(json_object_get(check, "why")));
	else if (ok && j->score && !json_is_number(score))
		try_branch_become(b, "failed", "its score is not known: '%s'",
				  json_string_value(json_object_get(j->how, "score")));
	else if (ok && j->score)
		json_object_set(b->record, "score", (json_t *)score);
	ok = ok && !check && (!j->score || json_is_number(score));
	json_decref(said);
	return ok;
}

bool try_branch_judge(struct try_branch *b)
{
	const json_t *test = json_object_get(b->judge->how, "test");
	size_t repeat = (size_t)json_integer_value(json_object_get(b->judge->how, "repeat"));
	struct aisbx_error e = AISBX_ERROR_INIT;

	try_branch_become(b, "testing", "%s", "");
	if (freeze(b, &e) < 0) {
		tell_failed(b, "a snapshot of its box", NULL, &e);
		return false;
	}
	count_changes(b);
	tell(b);
	if (json_is_object(test) && !run_tests(b, test, repeat))
		return false;
	if (!json_is_object(test)) /* then its own time is what there is */
		json_object_set_new(b->record, "score",
				    json_real(number(json_object_get(json_array_get(b->results, 0), "usage"),
						     "wall_ms")));
	return (!b->judge->all.n && !b->judge->score) || run_gates(b);
}
