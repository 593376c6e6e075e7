/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The branches of one `try` while they run: each in a child, looked after until all have ended or are told
 * to.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "op/runs.h"
#include "op/try_inside.h"

/* How often live branches are looked at; of many each less often, so that looking costs the same. */
#define LOOK_MS      250u
#define LOOK_EACH_MS 16u

/* ---- in the child ---- */

struct voice {
	struct crew_link *up;
};

static void say(struct try_branch *b)
{
	struct voice *v = b->told_ctx;
	scoped(drop_mem) char *text = json_dumps(b->record, JSON_COMPACT);

	if (text)
		crew_say(v->up, text, strlen(text));
}

/* Whoever is told to end in between does so before or after, so that the parent hears of a claim. */
static void claim(const struct try *t, size_t i, struct try_branch *b)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	sigset_t term;
	bool won = false;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	if (box_shelf_open(&shelf, &e) < 0 ||
	    store_experiment_claim(shelf.store, t->id, (int64_t)i + 1, &won, &e) < 0) {
		try_branch_become(b, "failed", "it passed, but that could not be written down: %s", e.text);
		return;
	}
	json_object_set_new(b->record, "claimed", json_boolean(won));
	try_branch_become(b, "passed", "%s", won ? "" : "another was faster");
}

static void work(void *ctx, size_t i, struct crew_link *up)
{
	const struct try *t = ctx;
	struct voice v = { up };
	struct try_branch b;

	try_branch_init(&b, t->ctx, &t->judge, try_box(t, i), try_box(t, i));
	b.told = say;
	b.told_ctx = &v;
	say(&b);
	if (!try_branch_run(&b, json_object_get(json_array_get(t->branches, i), "argv")) ||
	    !try_branch_judge(&b))
		return;
	if (try_judge_is_first(&t->judge))
		claim(t, i, &b);
	else
		try_branch_become(&b, "passed", "%s", "");
}

/* ---- in the parent ---- */

static const char *state_of(const struct lane *l)
{
	return l->record ? try_text(l->record, "state") : "waiting";
}

static bool has_passed(const struct lane *l)
{
	return !strcmp(state_of(l), "passed") || !strcmp(state_of(l), "winner");
}

static bool is_busy(const struct lane *l)
{
	return !strcmp(state_of(l), "running") || !strcmp(state_of(l), "testing");
}

void try_emit(struct try *t, size_t i)
{
	const struct lane *l = &t->lanes[i];
	const json_t *branch = json_array_get(t->branches, i),
		     *changes = json_object_get(l->record, "changes");
	json_int_t mem = json_integer_value(json_object_get(l->record, "mem_peak")), n_changes = 0;
	const char *key;
	json_t *item, *count;

	if (!t->ctx->emit)
		return;
	json_object_foreach((json_t *)changes, key, count) n_changes += json_integer_value(count);
	item = json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:f, s:f, s:I, s:O?, s:o, s:O?, s:s}", "experiment",
			 t->id, "branch", try_text(branch, "name"), "command", try_text(branch, "command"),
			 "n", (json_int_t)i + 1, "of", (json_int_t)t->n, "state", state_of(l), "wall_ms",
			 l->begun_us && !l->ended && is_busy(l) ? (double)(time_us() - l->begun_us) / 1000
								: l->wall_ms,
			 "cpu_ms", json_number_value(json_object_get(l->record, "cpu_ms")) + l->live_cpu_ms,
			 "mem_peak", l->live_mem > mem ? l->live_mem : mem, "tests",
			 json_object_get(l->record, "tests"), "changes",
			 json_is_object(changes) ? json_integer(n_changes) : json_null(), "score",
			 json_object_get(l->record, "score"), "why", try_text(l->record, "why"));
	if (item && t->scan)
		op_scrub_json(item, marks_scrub, t->scan);
	if (item)
		t->ctx->emit(t->ctx, item);
	json_decref(item);
}

static void stop_all(struct try *t, const char *why, void (*stop)(struct crew *, size_t))
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->lanes[i].ended || t->lanes[i].stop || has_passed(&t->lanes[i]))
			continue;
		t->lanes[i].stop = why;
		if (crew_is_live(&t->crew, i))
			stop(&t->crew, i);
	}
}

static void on_said(void *ctx, size_t i, const char *data, size_t len)
{
	struct try *t = ctx;
	struct lane *l = &t->lanes[i];
	json_t *record = json_loadb(data, len, JSON_ALLOW_NUL, NULL);
	bool changed;

	if (!record)
		return;
	changed = strcmp(state_of(l), try_text(record, "state")) != 0;
	if (json_is_null(json_object_get(record, "run")))
		l->live_cpu_ms = 0;
	json_decref(l->record);
	l->record = record;
	l->wall_ms = (double)(time_us() - l->begun_us) / 1000;
	if (json_is_true(json_object_get(record, "budget")))
		t->cut_short = "budget";
	if (json_is_true(json_object_get(record, "claimed"))) {
		t->winner = (int)i;
		stop_all(t, "another was first", crew_end);
	}
	if (changed && !(l->stop && !has_passed(l)))
		try_emit(t, i);
}

void try_set_state(struct lane *l, const char *state, const char *why)
{
	if (!l->record)
		l->record = json_object();
	json_object_set_new(l->record, "state", json_string(state));
	json_object_set_new(l->record, "why", json_string(why));
}

static void on_ended(void *ctx, size_t i, int status)
{
	struct try *t = ctx;
	struct lane *l = &t->lanes[i];
	char why[96];

	l->ended = true;
	l->live_cpu_ms = 0;
	if (l->stop && !has_passed(l)) {
		try_set_state(l, "stopped", l->stop);
	} else if (is_busy(l) || !l->record) {
		snprintf(why, sizeof(why),
			 WIFSIGNALED(status) ? "its process was ended by signal %d"
					     : "its process exited with %d",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		try_set_state(l, "failed", why);
	} else {
		return; /* it has told its end */
	}
	l->wall_ms = l->begun_us ? (double)(time_us() - l->begun_us) / 1000 : 0;
	try_emit(t, i);
}

/* What the runs of live branches use now. */
static void look(struct try *t)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist ids = { 0 };
	struct live_run *runs = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->lanes[i].ended && *try_text(t->lanes[i].record, "run"))
			strlist_add(&ids, try_text(t->lanes[i].record, "run"));
	if (!ids.n || ids.failed || op_runs_look(&ids, &runs, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < n; k++)
			if (runs[k].answers && !strcmp(try_text(t->lanes[i].record, "run"), runs[k].id)) {
				t->lanes[i].live_cpu_ms = (double)runs[k].status.usage.cpu_us / 1000;
				t->lanes[i].live_mem = (json_int_t)runs[k].status.usage.mem_peak;
			}
	op_runs_finish(runs, n);
	for (size_t i = 0; i < t->n; i++)
		if (!t->lanes[i].ended && is_busy(&t->lanes[i]) && !t->lanes[i].stop)
			try_emit(t, i);
}

static uint64_t look_pause_ms(const struct try *t)
{
	return t->crew.live * LOOK_EACH_MS > LOOK_MS ? t->crew.live * LOOK_EACH_MS : LOOK_MS;
}

static void check_budget(struct try *t)
{
	double cpu = 0;

	for (size_t i = 0; i < t->n; i++)
		cpu += json_number_value(json_object_get(t->lanes[i].record, "cpu_ms")) +
		       t->lanes[i].live_cpu_ms;
	if (t->cut_short)
		return;
	if (t->budget_ms && time_us() - t->begun_us >= t->budget_ms * 1000) {
		t->cut_short = "budget";
		stop_all(t, "the budget of time was used up", crew_cancel);
	} else if (t->budget_cpu_ms && cpu >= (double)t->budget_cpu_ms) {
		t->cut_short = "budget";
		stop_all(t, "the budget of processor time was used up", crew_cancel);
	}
}

/* How long nothing has to be done. */
static uint64_t pause_ms(const struct try *t)
{
	const uint64_t now = time_ms(), spent = (time_us() - t->begun_us) / 1000;
	uint64_t next = 60000;

	if (t->ctx->emit || t->budget_cpu_ms)
		next = t->looked_ms + look_pause_ms(t) > now ? t->looked_ms + look_pause_ms(t) - now : 0;
	if (t->budget_ms && !t->cut_short && (spent >= t->budget_ms || t->budget_ms - spent < next))
		next = spent >= t->budget_ms ? 0 : t->budget_ms - spent;
	return next;
}

static int start_some(struct try *t, struct aisbx_error *e)
{
	int r = 0;

	while (r == 0 && t->next < t->n && t->crew.live < t->parallel && !t->cut_short && t->winner < 0) {
		size_t i = t->next++;

		t->lanes[i].begun_us = time_us();
		r = crew_start(&t->crew, i, work, t, e);
	}
	return r;
}

int try_attend(struct try *t, struct aisbx_error *e)
{
	int r = start_some(t, e);

	while (r == 0 && t->crew.live) {
		r = crew_wait(&t->crew, pause_ms(t), e);
		if (t->crew.interrupted && (!t->cut_short || strcmp(t->cut_short, "interrupted") != 0)) {
			t->cut_short = "interrupted";
			stop_all(t, "interrupted", crew_cancel);
		}
		if ((t->ctx->emit || t->budget_cpu_ms) && time_ms() - t->looked_ms >= look_pause_ms(t)) {
			t->looked_ms = time_ms();
			look(t);
		}
		check_budget(t);
		if (r == 0)
			r = start_some(t, e);
	}
	for (size_t i = t->next; i < t->n; i++) /* never started */
		try_set_state(&t->lanes[i], "stopped",
			      t->lanes[i].stop ? t->lanes[i].stop
			      : t->winner >= 0 ? "another was first"
					       : "the budget was used up");
	return r;
}

int try_attend_init(struct try *t, struct aisbx_error *e)
{
	static const struct crew_events events = { on_said, on_ended };

	return crew_init(&t->crew, t->n, &events, t, e);
}
