/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One branch of an experiment: its command in its box, then its tests and gates in forks of that box, which
 * are removed.
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
#include "box/execute.h"
#include "box/lifecycle.h"
#include "box/lookup.h"
#include "flow/judges.h"
#include "flow/try_internal.h"

/* What is kept of the output of the last run: enough to see why. */
#define TAIL 2000u

static void tell(struct try_branch *b)
{
	if (b->told)
		b->told(b);
}

void try_branch_become(struct try_branch *b, enum try_state state, const char *fmt, ...)
{
	char why[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	try_record_become(&b->record, state, why);
	tell(b);
}

static void on_begun(void *ctx, const char *run, const char *trace_id)
{
	struct try_branch *b = ctx;

	(void)trace_id;
	snprintf(b->record.run, sizeof(b->record.run), "%s", run);
	tell(b);
}

void try_branch_init(struct try_branch *b, const struct caller *by, const struct try_judge *judge,
		     const char *box, const char *forks)
{
	*b = (struct try_branch){ .by = *by, .judge = judge, .box = box, .forks = forks };
	b->by.stdin_fd = -1;
	b->by.out_fds[0] = b->by.out_fds[1] = -1;
	b->by.begun = on_begun;
	b->by.begun_ctx = b;
	b->record.state = TRY_RUNNING;
	b->record.has_tails = true;
}

void try_branch_finish(struct try_branch *b)
{
	try_record_finish(&b->record);
	run_facts_list_finish(&b->runs);
	gate_run_finish(&b->tested);
}

/* The last bytes of TEXT, from the beginning of a character on. */
static void keep_tail(struct buf *to, const char *text, size_t len)
{
	size_t at = len > TAIL ? len - TAIL : 0;

	while (at && at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
		at++;
	buf_finish(to);
	*to = (struct buf){ 0 };
	if (at < len)
		buf_add(to, text + at, len - at);
}

static void add_up(struct try_branch *b, const struct run_report *done)
{
	scoped(run_facts_finish) struct run_facts facts = run_facts_of(done);
	struct try_record *r = &b->record;

	run_facts_list_add(&b->runs, &facts);
	strlist_add(&r->runs, done->run);
	r->run[0] = '\0';
	r->cpu_ms += done->cpu_ms;
	r->mem_peak = done->mem_peak > r->mem_peak ? done->mem_peak : r->mem_peak;
	for (int i = 0; i < 2; i++)
		keep_tail(&r->tails[i], done->output[i], done->output_len[i]);
	if (!b->first_ms)
		b->first_ms = done->wall_ms;
}

static int run_one(struct try_branch *b, const struct run_options *w, struct run_report *ret,
		   struct aisbx_error *e)
{
	struct try_allowance *a = b->judge->allowance;
	int r;

	if (a && a->most && atomic_fetch_add(&a->used, 1) >= a->most)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EDQUOT,
				    "the budget of %llu runs was used up", (unsigned long long)a->most);
	r = run_execute(&b->by, w, ret, e);
	if (r == 0)
		add_up(b, ret);
	return r;
}

static bool is(const struct run_report *done, const char *status)
{
	return done->status && !strcmp(done->status, status);
}

/* WHAT could not be done: the branch is failed, or stopped. */
static void tell_error(struct try_branch *b, const char *what, const struct aisbx_error *e)
{
	b->record.budget = b->record.budget || e->code == -EDQUOT;
	if (e->code == -EDQUOT)
		try_branch_become(b, TRY_STOPPED, "%s", e->text);
	else
		try_branch_become(b, TRY_FAILED, "%s: %s", what, e->text);
}

/* WHAT did not go well. JUDGE: NULL, or what of the person's own decided that. */
static void tell_failed(struct try_branch *b, const char *what, const struct run_report *done,
			const char *judge)
{
	if (is(done, "interrupted"))
		try_branch_become(b, TRY_STOPPED, "%s was interrupted", what);
	else if (done->limit != LIMIT_COUNT)
		try_branch_become(b, TRY_FAILED, "%s reached its limit: %s", what, limit_name(done->limit));
	else if (done->error)
		try_branch_become(b, TRY_FAILED, "%s: %s", what, done->error);
	else if (done->signal)
		try_branch_become(b, TRY_FAILED, "%s was ended by signal %d", what, done->signal);
	else
		try_branch_become(b, TRY_FAILED, "%s exited with %d%s%s%s", what, done->exit_code,
				  judge ? "; judged by your own '" : "", judge ? judge : "",
				  judge ? "', not the branch's version" : "");
}

bool try_branch_run(struct try_branch *b, const struct strlist *command)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(run_report_finish) struct run_report done = { 0 };
	struct run_options w = b->judge->run;
	int r;

	w.box = b->box;
	w.command = *command;
	w.here = !b->judge->experiment; /* then a person typed it */
	r = run_one(b, &w, &done, &e);
	if (r < 0)
		tell_error(b, "the command", &e);
	else if (!is(&done, "ok"))
		tell_failed(b, "the command", &done, NULL);
	return r == 0 && is(&done, "ok");
}

/* ---- tests ---- */

/* RET has lists of its own only where those of every run do not do. */
static int options_test(const struct try_branch *b, const char *box, struct run_options *ret,
			struct strlist *env, struct aisbx_error *e)
{
	const struct try_test *test = &b->judge->test;

	*ret = b->judge->run;
	ret->box = box;
	ret->command = test->command;
	for (size_t i = 0; i < test->env.n; i++)
		strlist_add(env, test->env.items[i]);
	for (size_t i = 0; i < b->judge->run.env.n; i++)
		strlist_add(env, b->judge->run.env.items[i]);
	ret->env = *env;
	if (test->cwd)
		ret->cwd = test->cwd;
	if (test->timeout_ms && !(ret->limited & (1u << LIMIT_WALL_TIME)))
		run_options_limit(ret, LIMIT_WALL_TIME, test->timeout_ms);
	return env->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "test the branch") : 0;
}

/* What is judged is frozen first, so that it is what goes on, whoever writes into the box meanwhile. */
static int freeze(struct try_branch *b, struct aisbx_error *e)
{
	const struct box_snap_request req = { .box = b->box };
	scoped(box_snapped_finish) struct box_snapped made = { 0 };
	int r = box_snap(&req, &made, e);

	if (r == 0) {
		snprintf(b->point, sizeof(b->point), "%s@%s", b->box, made.snapshot.id);
		memcpy(b->record.snapshot, made.snapshot.id, sizeof(b->record.snapshot));
	}
	return r;
}

/* What tests leave behind is in none of what goes on. */
static int make_forks(struct try_branch *b, size_t n, struct strlist *ret_names, struct aisbx_error *e)
{
	char nonce[STORE_ID_MAX], name[STORE_NAME_MAX + 1];
	const struct box_fork_request req = { .from = b->point, .name = name, .count = n, .drift.off = true };
	scoped(box_forks_finish) struct box_forks made = { 0 };
	int r;

	box_new_id("t", nonce); /* of an open experiment the same may be judged again, even at once */
	snprintf(name, sizeof(name), "%s-%.9s", b->forks, nonce);
	r = box_fork(&req, &made, e);
	for (size_t i = 0; r == 0 && i < made.n; i++)
		strlist_add(ret_names, made.boxes[i].name);
	return r == 0 && ret_names->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "test the branch") : r;
}

static void drop_forks(const struct strlist *names)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist removed = { 0 };

	box_remove(names, &removed, &ignored); /* what stays goes with the experiment */
}

struct tested {
	size_t passed, n;
	double wall_ms;           /* of all */
	bool failed;              /* one of them did */
	struct run_report report; /* owned; the first that did */
	char *judge;              /* owned; what of the person's own decided that; NULL: nothing */
	struct aisbx_error e;
};

static void tested_finish(struct tested *t)
{
	run_report_finish(&t->report);
	free(t->judge);
}

static void output_listener(void *ctx, int which, const char *data, size_t len)
{
	intent_tally_add(ctx, which, data, len);
}

/* By the person's own tests, whatever the branch made of them. RO: what W shows, and has then. */
static int lay_judges(struct try_branch *b, const char *fork, struct run_options *w, struct strlist *ro,
		      struct strlist *ret_told, struct aisbx_error *e)
{
	const struct try_test *test = &b->judge->test;
	scoped(judges_finish) struct judges judges = { 0 };
	int r;

	if (!test->box_judges) {
		judges_add_command(&judges, &test->command,
				   test->cwd && *test->cwd == '/' ? test->cwd : b->judge->dir, true);
		judges_add_listed(&judges, &b->judge->project);
	}
	for (size_t i = 0; i < w->ro.n; i++)
		strlist_add(ro, w->ro.items[i]);
	r = judges_lay(&b->by, b->point, fork, &judges, ro, ret_told, e);
	w->ro = *ro;
	return r == 0 && ro->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "use your own tests") : r;
}

/* For gates, which ask it. Takes DONE and TOLD. */
static void keep_tested(struct try_branch *b, struct run_report *done, struct strlist *told)
{
	struct gate_run *t = &b->tested;

	gate_run_finish(t);
	*t = (struct gate_run){
		.report = *done, .counted = b->record.counted, .tests = b->record.tests, .judges = *told
	};
	t->scored = gate_score_read(done->output[0], done->output_len[0], &t->score);
	b->has_tested = true;
	*done = (struct run_report){ 0 };
	*told = (struct strlist){ 0 };
}

/* False: there is no use in going on. */
static bool test_once(struct try_branch *b, const char *fork, struct tested *t)
{
	scoped(strlist_finish) struct strlist env = { 0 }, ro = { 0 }, told = { 0 };
	scoped(run_report_finish) struct run_report done = { 0 };
	enum intent_runner runner;
	struct intent_tally tally;
	struct run_options w;
	bool ok, going;
	int r = options_test(b, fork, &w, &env, &t->e);

	intent_tally_init(&tally, b->judge->test.runner);
	w.output_listener = output_listener;
	w.output_listener_ctx = &tally;
	if (r == 0)
		r = lay_judges(b, fork, &w, &ro, &told, &t->e);
	if (r == 0)
		r = run_one(b, &w, &done, &t->e);
	if (r < 0)
		return false;
	ok = is(&done, "ok");
	going = !is(&done, "interrupted");
	t->n++;
	t->passed += ok;
	t->wall_ms += done.wall_ms;
	if (!ok || t->n == 1 || !t->failed) /* the numbers of one that failed tell more */
		b->record.counted = intent_tally_end(&tally, &b->record.tests, &runner);
	tell(b);
	if (ok) {
		keep_tested(b, &done, &told);
	} else if (!t->failed) {
		t->failed = true;
		t->judge = told.n ? strdup(told.items[0]) : NULL;
		t->report = done;
		done = (struct run_report){ 0 };
	}
	return going;
}

static void set_score(struct try_record *r, double score)
{
	r->scored = true;
	r->score = score;
}

/* True: all of them passed. */
static bool run_tests(struct try_branch *b, size_t n)
{
	scoped(tested_finish) struct tested t = { .e = AISBX_ERROR_INIT };
	scoped(strlist_finish) struct strlist forks = { 0 };
	bool going = make_forks(b, n, &forks, &t.e) == 0;

	for (size_t i = 0; going && i < forks.n; i++)
		going = test_once(b, forks.items[i], &t);
	drop_forks(&forks);
	snprintf(b->record.passed_of, sizeof(b->record.passed_of), "%zu/%zu", t.passed, n);
	if (going && t.n && t.passed == n) /* of those that failed it would compare nothing */
		set_score(&b->record, t.wall_ms / (double)t.n);
	if (!going && t.e.code)
		tell_error(b, "the test", &t.e);
	else if (!going)
		tell_failed(b, "the test", &t.report, t.judge);
	else if (t.passed && t.passed < n)
		try_branch_become(b, TRY_FLAKY, "the test passed only %zu of %zu times", t.passed, n);
	else if (t.failed)
		tell_failed(b, "the test", &t.report, t.judge);
	return going && t.passed == n;
}

/* ---- what it changed ---- */

static void count_changes(struct try_branch *b)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	scoped(change_list_finish) struct change_list changes = { 0 };
	struct box_ignored left;
	struct try_record *r = &b->record;

	if (lookup_open(b->point, false, &p, &ignored) < 0 ||
	    box_diff(&p.state, &p.box, p.snapshot, NULL, "", &changes, &left, &ignored) < 0)
		return; /* not known: null */
	r->compared = true;
	for (size_t i = 0; i < changes.n; i++) {
		const enum change_kind kind = changes.items[i].kind;

		r->created += kind == CHANGE_CREATE;
		r->deleted += kind == CHANGE_DELETE;
		r->modified += kind != CHANGE_CREATE && kind != CHANGE_DELETE && kind != CHANGE_TOUCH;
	}
}

/* ---- gates and score ---- */

static const struct gate_ruling *first_failed(const struct gate_verdict *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (!v->rulings[i].passed)
			return &v->rulings[i];
	return NULL;
}

/* True: all of them hold, and the score is known if one is wanted. */
static bool run_gates(struct try_branch *b)
{
	const struct try_judge *j = b->judge;
	const struct gate_subject subject = { .box = b->point,
					      .dir = j->dir,
					      .runs = &b->runs,
					      .tested = b->has_tested ? &b->tested : NULL,
					      .tested_by_intent = j->test.by_intent,
					      .score = j->score };
	scoped(gate_verdict_finish) struct gate_verdict verdict = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct gate_ruling *failed;
	bool ok = gate_judge(&b->by, &j->project, &j->all, &subject, &verdict, &e) == 0;

	b->record.run[0] = '\0';
	b->record.cpu_ms += verdict.cpu_ms;
	failed = first_failed(&verdict);
	if (!ok)
		tell_error(b, "its gates", &e);
	else if (failed)
		try_branch_become(b, TRY_FAILED, "gate '%s': %s", failed->check->text, failed->why);
	else if (j->score && !verdict.score.known)
		try_branch_become(b, TRY_FAILED, "its score is not known: '%s'", j->score_text);
	else if (j->score)
		set_score(&b->record, verdict.score.number);
	return ok && !failed && (!j->score || verdict.score.known);
}

bool try_branch_judge(struct try_branch *b)
{
	const bool has_test = b->judge->test.command.n > 0;
	struct aisbx_error e = AISBX_ERROR_INIT;

	try_branch_become(b, TRY_TESTING, "%s", "");
	if (freeze(b, &e) < 0) {
		tell_error(b, "a snapshot of its box", &e);
		return false;
	}
	count_changes(b);
	tell(b);
	if (has_test && !run_tests(b, b->judge->repeat))
		return false;
	if (!has_test) /* then its own time is what there is */
		set_score(&b->record, b->first_ms);
	return (!b->judge->all.n && !b->judge->score) || run_gates(b);
}

/* ---- boxes ---- */

/* What is not said is from the project as it is; that is made once, and all branches begin with the same. */
static int make_base(const struct caller *by, const struct try_request *req, const char *name,
		     struct aisbx_error *e)
{
	const char *from;
	const struct box_create_request how = { .name = name,
						.project = req->project ? req->project : caller_project(by),
						.profile = run_profile_ref(by, req->profile, NULL, &from) };
	scoped(box_created_finish) struct box_created made = { 0 };

	return box_create(by->cwd, &how, &made, e);
}

int try_boxes_make(const struct caller *by, const struct try_request *req, const char *id, size_t n,
		   struct strlist *ret_names, struct strlist *ret_ids, struct aisbx_error *e)
{
	char base[STORE_NAME_MAX + 1], name[STORE_NAME_MAX + 1];
	const struct box_fork_request how = {
		.from = req->box ? req->box : base, .name = name, .count = n, .drift.off = true
	};
	scoped(box_forks_finish) struct box_forks made = { 0 };
	int r;

	snprintf(base, sizeof(base), "%s-base", id);
	snprintf(name, sizeof(name), n == 1 ? "%s-1" : "%s", id);
	r = req->box ? 0 : make_base(by, req, base, e);
	if (r == 0)
		r = box_fork(&how, &made, e);
	for (size_t i = 0; r == 0 && i < made.n; i++) {
		strlist_add(ret_names, made.boxes[i].name);
		strlist_add(ret_ids, made.boxes[i].id);
	}
	if (r == 0 && (ret_names->failed || ret_ids->failed))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make the boxes");
	return r;
}

int try_promote(const struct pipeline_callbacks *callbacks, const struct try_judge *j, const char *point,
		struct try_promotion *ret, struct aisbx_error *e)
{
	const struct promote_request into_project = { .box = point, .drift.ms = BOX_DRIFT_MS };
	const struct pipeline_request through_stages = { .box = point };
	int r;

	if (j->project.n_stages) {
		ret->staged = true;
		ret->pipeline = (struct pipeline)PIPELINE_INIT;
		r = pipeline_begin(callbacks, &through_stages, &ret->pipeline, e);
		return r < 0 ? r : pipeline_drive(&ret->pipeline, e);
	}
	ret->promoted = true;
	return promote_apply(callbacks->by, &into_project, &ret->report, e);
}
