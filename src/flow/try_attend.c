/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The branches of one `try` while they run: each in a child, supervised until all have ended or are told to.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/live_run.h"
#include "flow/try_internal.h"

/* How often live branches are looked at; of many each less often, so that looking costs the same. */
#define LOOK_MS      250u
#define LOOK_EACH_MS 16u

/* ---- in the child ---- */

static void say(struct try_branch *b)
{
	json_t *record = try_record_json(&b->record);
	scoped(drop_mem) char *text = NULL;

	json_object_set_new(record, "run", *b->record.run ? json_string(b->record.run) : json_null());
	json_object_set_new(record, "budget", json_boolean(b->record.budget));
	json_object_set_new(record, "claimed", json_boolean(b->record.claimed));
	text = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	if (text)
		worker_say(b->told_ctx, text, strlen(text));
}

/* Whoever is told to end in between does so before or after, so that the parent hears of a claim. */
static void claim(const struct try *t, size_t i, struct try_branch *b)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state state = { 0 };
	sigset_t term;
	bool won = false;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	if (box_state_open(&state, &e) < 0 ||
	    store_experiment_claim(state.store, t->id, (int64_t)i + 1, &won, &e) < 0) {
		try_branch_become(b, TRY_FAILED, "it passed, but that could not be recorded: %s", e.text);
		return;
	}
	b->record.claimed = won;
	try_branch_become(b, TRY_PASSED, "%s", won ? "" : "another was faster");
}

static void work(void *ctx, size_t i, struct worker_link *up)
{
	const struct try *t = ctx;
	const char *box = t->lanes[i].record.box;
	struct try_branch b;

	try_branch_init(&b, t->by, &t->judge, box, box);
	b.told = say;
	b.told_ctx = up;
	say(&b);
	if (!try_branch_run(&b, &t->approaches.items[i].argv) || !try_branch_judge(&b))
		return;
	if (t->judge.mode == MODE_FIRST)
		claim(t, i, &b);
	else
		try_branch_become(&b, TRY_PASSED, "%s", "");
}

/* ---- in the parent ---- */

static bool is_busy(const struct lane *l)
{
	return l->record.state == TRY_RUNNING || l->record.state == TRY_TESTING;
}

void try_tell(struct try *t, size_t i, const struct try_record *record)
{
	const struct lane *l = &t->lanes[i];
	const bool busy = l->begun_us && !l->ended && is_busy(l);
	const struct try_progress now = {
		.experiment = t->id,
		.branch = record,
		.of = t->n,
		.wall_ms = busy ? (double)(time_us() - l->begun_us) / 1000 : record->wall_ms,
		.cpu_ms = record->cpu_ms + l->live_cpu_ms,
		.mem_peak = l->live_mem > record->mem_peak ? l->live_mem : record->mem_peak,
		.secrets = t->scan,
	};

	if (t->req->told)
		t->req->told(t->req->told_ctx, &now);
}

static void tell(struct try *t, size_t i)
{
	try_tell(t, i, &t->lanes[i].record);
}

static void stop_all(struct try *t, const char *why, void (*stop)(struct workers *, size_t))
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->lanes[i].ended || t->lanes[i].stop || try_record_passed(&t->lanes[i].record))
			continue;
		t->lanes[i].stop = why;
		if (workers_is_live(&t->workers, i))
			stop(&t->workers, i);
	}
}

static void on_said(void *ctx, size_t i, const char *data, size_t len)
{
	struct try *t = ctx;
	struct lane *l = &t->lanes[i];
	struct try_record now, *old = &l->record;
	json_t *said = json_loadb(data, len, JSON_ALLOW_NUL, NULL);
	const bool is_one = try_record_read(said, &now);
	bool changed;

	json_decref(said);
	if (!is_one) {
		try_record_finish(&now);
		return;
	}
	changed = old->state != now.state;
	now.n = old->n;
	now.name = take_mem(&old->name);
	now.command = take_mem(&old->command);
	now.box = take_mem(&old->box);
	now.wall_ms = (double)(time_us() - l->begun_us) / 1000;
	try_record_finish(old);
	*old = now;
	if (!*now.run)
		l->live_cpu_ms = 0;
	if (now.budget)
		t->cut_short = "budget";
	if (now.claimed) {
		t->winner = (int)i;
		stop_all(t, "another was first", workers_end);
	}
	if (changed && !(l->stop && !try_record_passed(&l->record)))
		tell(t, i);
}

static void on_ended(void *ctx, size_t i, int status)
{
	struct try *t = ctx;
	struct lane *l = &t->lanes[i];
	char why[96];

	l->ended = true;
	l->live_cpu_ms = 0;
	if (l->stop && !try_record_passed(&l->record)) {
		try_record_become(&l->record, TRY_STOPPED, l->stop);
	} else if (is_busy(l) || l->record.state == TRY_WAITING) {
		snprintf(why, sizeof(why),
			 WIFSIGNALED(status) ? "its process was ended by signal %d"
					     : "its process exited with %d",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		try_record_become(&l->record, TRY_FAILED, why);
	} else {
		return; /* it has told its end */
	}
	l->record.wall_ms = l->begun_us ? (double)(time_us() - l->begun_us) / 1000 : 0;
	tell(t, i);
}

/* What the runs of live branches use now. */
static void look(struct try *t)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist ids = { 0 };
	struct live_run *runs = NULL;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->lanes[i].ended && *t->lanes[i].record.run)
			strlist_add(&ids, t->lanes[i].record.run);
	if (!ids.n || ids.failed || live_runs_look(&ids, &runs, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < n; k++)
			if (runs[k].answers && !strcmp(t->lanes[i].record.run, runs[k].id)) {
				t->lanes[i].live_cpu_ms = (double)runs[k].status.usage.cpu_us / 1000;
				t->lanes[i].live_mem = runs[k].status.usage.mem_peak;
			}
	live_runs_finish(runs, n);
	for (size_t i = 0; i < t->n; i++)
		if (!t->lanes[i].ended && is_busy(&t->lanes[i]) && !t->lanes[i].stop)
			tell(t, i);
}

static uint64_t look_pause_ms(const struct try *t)
{
	return t->workers.live * LOOK_EACH_MS > LOOK_MS ? t->workers.live * LOOK_EACH_MS : LOOK_MS;
}

static void check_budget(struct try *t)
{
	double cpu = 0;

	for (size_t i = 0; i < t->n; i++)
		cpu += t->lanes[i].record.cpu_ms + t->lanes[i].live_cpu_ms;
	if (t->cut_short)
		return;
	if (t->judge.budget_ms && time_us() - t->begun_us >= t->judge.budget_ms * 1000) {
		t->cut_short = "budget";
		stop_all(t, "the time budget was used up", workers_cancel);
	} else if (t->judge.budget_cpu_ms && cpu >= (double)t->judge.budget_cpu_ms) {
		t->cut_short = "budget";
		stop_all(t, "the processor time budget was used up", workers_cancel);
	}
}

/* How long nothing has to be done. */
static uint64_t pause_ms(const struct try *t)
{
	const uint64_t now = time_ms(), spent = (time_us() - t->begun_us) / 1000;
	uint64_t next = 60000;

	if (t->req->told || t->judge.budget_cpu_ms)
		next = t->looked_ms + look_pause_ms(t) > now ? t->looked_ms + look_pause_ms(t) - now : 0;
	if (t->judge.budget_ms && !t->cut_short &&
	    (spent >= t->judge.budget_ms || t->judge.budget_ms - spent < next))
		next = spent >= t->judge.budget_ms ? 0 : t->judge.budget_ms - spent;
	return next;
}

static int start_some(struct try *t, struct aisbx_error *e)
{
	int r = 0;

	while (r == 0 && t->next < t->n && t->workers.live < t->parallel && !t->cut_short && t->winner < 0) {
		size_t i = t->next++;

		t->lanes[i].begun_us = time_us();
		r = workers_start(&t->workers, i, work, t, e);
	}
	return r;
}

int try_attend(struct try *t, struct aisbx_error *e)
{
	int r = start_some(t, e);

	while (r == 0 && t->workers.live) {
		r = workers_wait(&t->workers, pause_ms(t), e);
		if (t->workers.interrupted && (!t->cut_short || strcmp(t->cut_short, "interrupted") != 0)) {
			t->cut_short = "interrupted";
			stop_all(t, "interrupted", workers_cancel);
		}
		if ((t->req->told || t->judge.budget_cpu_ms) &&
		    time_ms() - t->looked_ms >= look_pause_ms(t)) {
			t->looked_ms = time_ms();
			look(t);
		}
		check_budget(t);
		if (r == 0)
			r = start_some(t, e);
	}
	for (size_t i = t->next; i < t->n; i++) /* never started */
		try_record_become(&t->lanes[i].record, TRY_STOPPED,
				  t->lanes[i].stop ? t->lanes[i].stop
				  : t->winner >= 0 ? "another was first"
						   : "the budget was used up");
	return r;
}

int try_attend_init(struct try *t, struct aisbx_error *e)
{
	static const struct worker_events events = { on_said, on_ended };

	return workers_init(&t->workers, t->n, &events, t, e);
}
