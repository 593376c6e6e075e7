/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unattended work: one item of the queue after the other, judged by the guard, within the authority, which is
 * read again before each. A report is written after each, so that it exists whatever happens next.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "guard/act.h"
#include "guard/queue.h"

#define POLL_MS  1000
#define MAX_KEPT 16384u /* bytes of output that a record keeps */

static volatile sig_atomic_t is_over;

static void on_end(int signal_number)
{
	(void)signal_number;
	is_over = 1;
}

struct spent {
	uint64_t actions, time_ms, cpu_ms;
};

static struct spent add_up(const json_t *records)
{
	struct spent s = { 0 };
	const json_t *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		s.actions +=
			strcmp(json_string_value(json_object_get(record, "status")) ?: "", "refused") != 0;
		s.time_ms += (uint64_t)json_integer_value(json_object_get(record, "wall_ms"));
		s.cpu_ms += (uint64_t)json_integer_value(json_object_get(record, "cpu_ms"));
	}
	return s;
}

static uint64_t rest_of(uint64_t budget, uint64_t used)
{
	return used < budget ? budget - used : 0;
}

/* Why nothing more may be begun; NULL: it may. */
static const char *why_stop(const struct guard_queue *q, const struct authority *a,
			    struct guard_limits *ret_left)
{
	bool whole = false;
	json_t *records = guard_queue_records(q, &whole);
	struct spent s = add_up(records);

	json_decref(records);
	ret_left->time_ms = rest_of(a->time_ms, s.time_ms);
	ret_left->cpu_ms = rest_of(a->cpu_ms, s.cpu_ms);
	if (!whole)
		return "a record cannot be read, so the rest of the budget is not known";
	if (a->until && (uint64_t)time(NULL) >= a->until)
		return "the authority has expired";
	if (s.actions >= a->actions)
		return "the budget of actions is used up";
	if (a->time_ms && s.time_ms >= a->time_ms)
		return "the time budget is used up";
	if (a->cpu_ms && s.cpu_ms >= a->cpu_ms)
		return "the processor time budget is used up";
	return NULL;
}

/* PATH as it really is lies in or below one of LIST. */
static bool is_in(const char *path, const struct strlist *list)
{
	scoped(drop_mem) char *real = realpath(path, NULL);

	for (size_t i = 0; real && i < list->n; i++) {
		scoped(drop_mem) char *dir = realpath(list->items[i], NULL);

		if (dir && path_is_within(real, dir))
			return true;
	}
	return false;
}

/* What the authority says to the directory of A; NULL: nothing against it. */
static const char *against_place(const struct guard_queue *q, const struct authority *au,
				 const struct queued_task *a)
{
	scoped(drop_mem) char *real = realpath(a->where, NULL);

	if (!real)
		return "its directory does not exist";
	if (!is_in(a->where, &au->where))
		return "the authority does not include its directory";
	if (path_is_within(q->path, real))
		return "its directory contains the queue, so it could change the authority";
	return NULL;
}

/* Only so much of an output is kept. */
static void cut_output(json_t *j)
{
	static const char *const names[] = { "stdout", "stderr" };

	for (size_t i = 0; i < 2; i++) {
		const json_t *text = json_object_get(j, names[i]);
		scoped(buf_finish) struct buf clean = { 0 };

		if (json_string_length(text) <= MAX_KEPT)
			continue;
		buf_add_utf8(&clean, json_string_value(text), MAX_KEPT);
		json_object_set_new(j, names[i], json_stringn(buf_str(&clean) ? clean.data : "", clean.len));
	}
}

static void refuse(json_t *record, const char *why)
{
	json_object_set_new(record, "status", json_string("refused"));
	json_object_set_new(record, "why", json_string(why));
}

/* What is left, and no more time than it asks for. */
static struct guard_limits limits_of(const struct queued_task *a, const struct guard_limits *left)
{
	struct guard_limits l = *left;

	if (a->timeout_ms && (!l.time_ms || a->timeout_ms < l.time_ms))
		l.time_ms = a->timeout_ms;
	return l;
}

/* The gates of the authority, beside those of the project. */
static int add_gates(const struct guard_session *g, const struct authority *au, struct project_checks *ret,
		     struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < au->gates.n; i++)
		r = project_check_add(&g->project, au->gates.items[i], ret, e);
	return r;
}

/* Why what the guard says ACT to does not run in a box; NULL: it does. */
static const char *against_box(const struct authority *au, enum project_guard_act act)
{
	if (act >= GUARD_ASK)
		return act == GUARD_ASK ? "only a person may run this" : "the guard refuses it";
	return au->may[GUARD_BOX] ? NULL : "the authority does not allow boxes";
}

/* Behind the glass where that may be enough, then in a box; each if the authority lets it. */
static int look_or_box(struct guard_session *g, const struct authority *au, const struct guard_verdict *v,
		       const struct strlist *command, struct guard_may *may, struct guard_outcome *ret,
		       const char **ret_against, struct aisbx_error *e)
{
	scoped(project_checks_finish) struct project_checks gates = { 0 };
	bool needs_box = true;
	int r = 0;

	if (v->act == GUARD_LOOK && au->may[GUARD_LOOK])
		r = guard_act_try(g, command, ret, &needs_box, e);
	if (r == 0)
		ret->act = needs_box ? GUARD_BOX : GUARD_RUN;
	if (r < 0 || !needs_box)
		return r;
	*ret_against = against_box(au, GUARD_BOX);
	if (*ret_against)
		return 0;
	r = add_gates(g, au, &gates, e);
	may->gates = &gates;
	if (r == 0)
		r = guard_act_box(g, command, may, ret, e);
	may->gates = NULL; /* it is the caller's, these are not */
	return r;
}

static void add_verdict(json_t *record, const struct guard_verdict *v, const struct strlist *command)
{
	json_t *verdict = guard_verdict_json(v, command);

	json_object_update(record, verdict);
	json_decref(verdict);
}

static int do_command(struct guard_session *g, const struct authority *au, const struct queued_task *a,
		      const struct guard_limits *limits, json_t *record, struct guard_outcome *ret,
		      const char **ret_against, struct aisbx_error *e)
{
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	struct guard_may may = { .promote = is_in(a->where, &au->promote), .limits = *limits };
	int r = guard_judge(g, &a->command, &v, e);

	if (r < 0)
		return r;
	guard_note(&v, &a->command);
	add_verdict(record, &v, &a->command);
	ret->act = v.act;
	if (v.act >= GUARD_ASK)
		*ret_against = against_box(au, v.act);
	else if (v.act == GUARD_RUN && v.as_it_is && au->may[GUARD_RUN])
		r = guard_act_run(g, &a->command, true, ret, e);
	else if (v.act == GUARD_RUN && au->may[GUARD_LOOK] && guard_has_glass())
		r = guard_act_run(g, &a->command, false, ret, e);
	else if (v.act == GUARD_RUN && !au->may[GUARD_LOOK])
		*ret_against = "the authority does not allow commands on the machine";
	else
		r = look_or_box(g, au, &v, &a->command, &may, ret, ret_against, e);
	guard_outcome_json(ret, record);
	return r;
}

/* Each branch, and the test, is a command like others: what the guard would not let run alone it does not let
 * run here. */
static int judge_branches(struct guard_session *g, const struct authority *au, const struct queued_task *a,
			  json_t *record, const char **ret_against, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->branches.n + (a->test ? 1 : 0); i++) {
		scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
		char *text[] = { i < a->branches.n ? a->branches.items[i] : a->test, NULL };
		const struct strlist command = { .items = text, .n = 1 };
		const char *against;

		r = guard_judge(g, &command, &v, e);
		if (r < 0)
			return r;
		guard_note(&v, &command);
		against = against_box(au, v.act);
		if (against && !*ret_against) {
			add_verdict(record, &v, &command);
			*ret_against = against;
		}
	}
	return r;
}

static int try_branches(const struct guard_session *g, const struct queued_task *a,
			const struct guard_limits *limits, struct guard_trial *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct strlist *commands = calloc(a->branches.n + 1, sizeof(*commands));
	const struct run_options plain = { 0 };
	struct try_request req = TRY_REQUEST_INIT;
	int r;

	if (!commands)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "try");
	for (size_t i = 0; i < a->branches.n; i++)
		commands[i] = (struct strlist){ .items = &a->branches.items[i], .n = 1 };
	req.commands = commands;
	req.n_commands = a->branches.n;
	req.project = a->where;
	req.test = a->test;
	req.run = &plain;
	req.budget_ms = limits->time_ms ? limits->time_ms : TRY_UNSAID;
	req.budget_cpu_ms = limits->cpu_ms ? limits->cpu_ms : TRY_UNSAID;
	r = flow_try(g->by, &req, &ret->result, e);
	ret->ran = r == 0;
	return r;
}

/* An experiment; what becomes of the winner's box is as of every other. */
static int do_branches(struct guard_session *g, const struct authority *au, const struct queued_task *a,
		       const struct guard_limits *limits, json_t *record, struct guard_outcome *ret,
		       const char **ret_against, struct aisbx_error *e)
{
	scoped(project_checks_finish) struct project_checks gates = { 0 };
	const struct guard_may may = { .promote = is_in(a->where, &au->promote), .gates = &gates };
	const struct try_record *winner;
	int r = judge_branches(g, au, a, record, ret_against, e);

	if (r < 0 || *ret_against)
		return r;
	r = add_gates(g, au, &gates, e);
	if (r == 0)
		r = try_branches(g, a, limits, &ret->trial, e);
	if (r < 0)
		return r;
	ret->exit_status = try_result_status(&ret->trial.result);
	winner = try_result_winner(&ret->trial.result);
	if (winner && winner->box && !(ret->box = strdup(winner->box)))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "try");
	if (ret->box)
		r = guard_act_settle(g, &may, ret, e);
	guard_trial_json(ret, record);
	return r;
}

static uint64_t cpu_of_children(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

/* What the boxes used, by their own accounts: of processes that nobody waited for those of our children know
 * nothing. */
static uint64_t cpu_of_boxes(const struct guard_outcome *o)
{
	double tried = 0;

	for (size_t i = 0; i < o->trial.result.n; i++)
		tried += o->trial.result.branches[i].cpu_ms;
	return (uint64_t)(o->run.report.cpu_ms + o->gates_cpu_ms + tried);
}

/* RET_AGAINST: why it was not done. */
static int do_task(const struct guard_daemon_request *shift, const struct authority *au,
		   const struct queued_task *a, const struct guard_limits *left, json_t *record,
		   struct guard_outcome *ret, const char **ret_against, struct aisbx_error *e)
{
	const struct guard_limits limits = limits_of(a, left);
	scoped(guard_session_close) struct guard_session g = { 0 };
	int r = guard_session_open(shift->by, a->where, &g, e);

	g.exact = true;
	g.timeout_ms = limits.time_ms;
	g.callbacks = shift->callbacks;
	g.callbacks_ctx = shift->callbacks_ctx;
	return r < 0 ? r
		     : (a->command.n ? do_command : do_branches)(&g, au, a, &limits, record, ret, ret_against,
								 e);
}

static bool was_interrupted(const struct guard_outcome *o)
{
	return (o->run.ran && !strcmp(o->run.report.status, "interrupted")) ||
	       (o->trial.ran && !strcmp(o->trial.result.state, "interrupted"));
}

/* One that is under way. What goes wrong with it is in its record. */
static void perform(const struct guard_daemon_request *shift, const struct guard_queue *q,
		    const struct authority *au, const char *name, const struct guard_limits *left,
		    json_t *record)
{
	scoped(queued_task_finish) struct queued_task a = { 0 };
	scoped(guard_outcome_finish) struct guard_outcome o = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint64_t start = time_ms(), cpu = cpu_of_children();
	const char *against = NULL;
	int r = guard_queue_read(q, q->working, name, &a, &e);

	if (r < 0) {
		refuse(record, e.text);
		return;
	}
	json_object_set_new(record, "command", guard_words_json(a.command.n ? &a.command : &a.branches));
	json_object_set_new(record, "where", json_string(a.where));
	against = against_place(q, au, &a);
	if (against) {
		refuse(record, against);
		return;
	}
	r = do_task(shift, au, &a, left, record, &o, &against, &e);
	if (against)
		refuse(record, against);
	cpu = cpu_of_children() - cpu;
	if (cpu < cpu_of_boxes(&o))
		cpu = cpu_of_boxes(&o);
	json_object_set_new(record, "wall_ms", json_integer((json_int_t)(time_ms() - start)));
	json_object_set_new(record, "cpu_ms", json_integer((json_int_t)cpu));
	cut_output(record);
	if (o.run.ran)
		cut_output(o.run.report.said); /* which the record shares */
	if (r < 0) {
		json_object_set_new(record, "status", json_string("error"));
		json_object_set_new(record, "why", json_string(e.text));
	} else if (!against) {
		json_object_set_new(record, "exit_status", json_integer(o.exit_status));
		json_object_set_new(record, "status", json_string(o.exit_status ? "failed" : "ok"));
	}
	if (was_interrupted(&o)) /* a run, or an experiment, takes the signal for itself,
							 and whoever sent it meant us */
		is_over = 1;
}

/* 1: one was done; 0: there is none; RET_WHY: why none may be. */
static int do_next(const struct guard_daemon_request *shift, const struct guard_queue *q,
		   const char **ret_why, struct aisbx_error *e)
{
	scoped(authority_finish) struct authority au = { 0 };
	scoped(drop_mem) char *next = guard_queue_next(q), *name = NULL;
	struct timespec now;
	struct guard_limits left = { 0 };
	json_t *record;
	int r;

	if (!next)
		return 0;
	r = guard_queue_authority(q, &au, e);
	if (r < 0)
		return r;
	*ret_why = why_stop(q, &au, &left);
	if (*ret_why)
		return guard_report(q, &au, *ret_why, e);
	r = guard_queue_begin(q, next, &name, e);
	if (r < 0)
		return r;
	clock_gettime(CLOCK_REALTIME, &now);
	record = json_pack("{s:s, s:I}", "name", name, "began_ms",
			   (json_int_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
	perform(shift, q, &au, name, &left, record);
	r = guard_queue_end(q, q->working, name, record, e);
	json_decref(record);
	if (r == 0)
		r = guard_report(q, &au, "working", e);
	return r < 0 ? r : 1;
}

static int work(const struct guard_daemon_request *shift, const struct guard_queue *q, uint64_t *done,
		const char **ret_why, struct aisbx_error *e)
{
	sigset_t ends, before;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	while (!is_over) {
		int r;

		/* One that comes before the task's run looks for signals would be seen by nobody until that
		 * has ended. */
		sigprocmask(SIG_BLOCK, &ends, &before);
		r = is_over ? 0 : do_next(shift, q, ret_why, e);
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (r < 0)
			return r;
		*done += (uint64_t)r;
		if (*ret_why)
			return 0;
		if (r == 0 && shift->once) {
			*ret_why = "the queue is empty";
			return 0;
		}
		if (r == 0 && !is_over)
			poll(NULL, 0, POLL_MS);
	}
	*ret_why = "it was told to stop";
	return 0;
}

int guard_daemon(const struct guard_daemon_request *shift, struct guard_daemon_report *ret,
		 struct aisbx_error *e)
{
	scoped(guard_queue_close) struct guard_queue q = GUARD_QUEUE_INIT;
	scoped(authority_finish) struct authority au = { 0 };
	struct sigaction end = { .sa_handler = on_end };
	scoped(drop_mem) char *path = path_resolve(shift->by->cwd, shift->dir);
	int r = path ? guard_queue_open(path, &q, e)
		     : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "open '%s'", shift->dir);

	*ret = (struct guard_daemon_report){ 0 };
	if (r == 0)
		r = guard_queue_authority(&q, &au, e);
	if (r == 0)
		r = guard_queue_recover(&q, &ret->interrupted, e);
	if (r < 0)
		return r;
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	r = work(shift, &q, &ret->done, &ret->stopped, e);
	if (r == 0)
		r = guard_report(&q, &au, ret->stopped, e);
	if (r == 0)
		ret->path = take_mem(&q.path);
	return r;
}
