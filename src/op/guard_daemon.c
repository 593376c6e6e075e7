/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unattended work: one errand of the queue after the other, judged by the guard, within the authority, which
 * is read again before each. A report is written after each, so that it is there whatever happens next.
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
#include "op/guard.h"
#include "op/guard_queue.h"

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

/* How much the next may take; 0: no limit. */
struct left {
	uint64_t time_ms, cpu_ms;
};

static uint64_t rest_of(uint64_t budget, uint64_t used)
{
	return used < budget ? budget - used : 0;
}

/* Why nothing more may be begun; NULL: it may. */
static const char *why_stop(const struct guard_queue *q, const struct authority *a, struct left *ret_left)
{
	bool whole = false;
	json_t *records = guard_queue_records(q, &whole);
	struct spent s = add_up(records);

	json_decref(records);
	ret_left->time_ms = rest_of(a->time_ms, s.time_ms);
	ret_left->cpu_ms = rest_of(a->cpu_ms, s.cpu_ms);
	if (!whole)
		return "a record cannot be read, so nobody knows what is left of the budget";
	if (a->until && (uint64_t)time(NULL) >= a->until)
		return "the authority has ended";
	if (s.actions >= a->actions)
		return "the budget of actions is used up";
	if (a->time_ms && s.time_ms >= a->time_ms)
		return "the budget of time is used up";
	if (a->cpu_ms && s.cpu_ms >= a->cpu_ms)
		return "the budget of processor time is used up";
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
				 const struct errand *a)
{
	scoped(drop_mem) char *real = realpath(a->where, NULL);

	if (!real)
		return "its directory is not there";
	if (!is_in(a->where, &au->where))
		return "the authority does not name its directory";
	if (path_is_within(q->path, real))
		return "its directory holds the queue, so what it does could change the authority";
	return NULL;
}

static json_t *words_json(const struct strlist *l)
{
	json_t *j = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(j, json_string(l->items[i]));
	return j;
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

static int refuse(json_t *record, const char *why)
{
	json_object_set_new(record, "status", json_string("refused"));
	json_object_set_new(record, "why", json_string(why));
	return 0;
}

static uint64_t time_of(const struct errand *a, const struct left *left)
{
	return a->timeout_ms && (!left->time_ms || a->timeout_ms < left->time_ms) ? a->timeout_ms
										  : left->time_ms;
}

/* As arguments by these names; those without a limit are not there. */
static json_t *limits_of(const struct errand *a, const struct left *left, const char *time_name,
			 const char *cpu_name)
{
	uint64_t ms = time_of(a, left);
	json_t *limits = json_object();

	if (ms)
		json_object_set_new(limits, time_name, json_real((double)ms / 1000));
	if (left->cpu_ms)
		json_object_set_new(limits, cpu_name, json_real((double)left->cpu_ms / 1000));
	return limits;
}

/* The gates of the authority, beside those of the project. */
static int add_gates(const struct op_guard *g, const struct authority *au, struct project_checks *ret,
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
	return au->may[GUARD_BOX] ? NULL : "the authority lets nothing run in boxes";
}

/* Behind the glass where that may be enough, then in a box; each if the authority lets it. */
static int look_or_box(struct op_guard *g, const struct authority *au, const struct guard_verdict *v,
		       const json_t *command, struct op_guard_may *may, json_t *record, struct aisbx_error *e)
{
	scoped(project_checks_finish) struct project_checks gates = { 0 };
	bool needs_box = true;
	int r = 0;

	if (v->act == GUARD_LOOK && au->may[GUARD_LOOK])
		r = op_guard_try(g, command, record, &needs_box, e);
	if (r == 0)
		json_object_set_new(record, "act",
				    json_string(guard_act_name(needs_box ? GUARD_BOX : GUARD_RUN)));
	if (r < 0 || !needs_box)
		return r;
	if (!au->may[GUARD_BOX])
		return refuse(record, against_box(au, GUARD_BOX));
	may->gates = &gates;
	r = add_gates(g, au, &gates, e);
	return r < 0 ? r : op_guard_box(g, command, may, record, e);
}

static int do_command(struct op_guard *g, const struct authority *au, const struct errand *a,
		      const struct left *left, json_t *record, struct aisbx_error *e)
{
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	struct op_guard_may may = { .promote = is_in(a->where, &au->promote) };
	json_t *command = words_json(&a->command), *verdict,
	       *limits = limits_of(a, left, "timeout", "cpu-time");
	int r = op_guard_judge(g, command, &v, e);

	if (r == 0) {
		op_guard_note(&v, command);
		verdict = op_guard_json(&v, command);
		json_object_update(record, verdict);
		json_decref(verdict);
		may.limits = limits;
		if (v.act >= GUARD_ASK)
			refuse(record, against_box(au, v.act));
		else if (v.act == GUARD_RUN && v.as_it_is && au->may[GUARD_RUN])
			r = op_guard_run(g, command, true, record, e);
		else if (v.act == GUARD_RUN && au->may[GUARD_LOOK] && op_guard_has_glass())
			r = op_guard_run(g, command, false, record, e);
		else if (v.act == GUARD_RUN && !au->may[GUARD_LOOK])
			refuse(record, "the authority lets nothing run as it is");
		else
			r = look_or_box(g, au, &v, command, &may, record, e);
	}
	json_decref(limits);
	json_decref(command);
	return r;
}

/* Each branch, and the test, is a command like others: what the guard would not let run alone it does not let
 * run here. */
static int judge_branches(struct op_guard *g, const struct authority *au, const struct errand *a,
			  json_t *record, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->branches.n + (a->test ? 1 : 0); i++) {
		scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
		json_t *command = json_pack("[s]", i < a->branches.n ? a->branches.items[i] : a->test),
		       *verdict;
		const char *against;

		r = op_guard_judge(g, command, &v, e);
		against = r == 0 ? against_box(au, v.act) : NULL;
		if (r == 0)
			op_guard_note(&v, command);
		if (against && !json_object_get(record, "status")) {
			verdict = op_guard_json(&v, command);
			json_object_update(record, verdict);
			json_decref(verdict);
			refuse(record, against);
		}
		json_decref(command);
	}
	return r;
}

/* By the operation `try`; what becomes of the winner's box is as of every other. */
static int do_branches(struct op_guard *g, const struct authority *au, const struct errand *a,
		       const struct left *left, json_t *record, struct aisbx_error *e)
{
	scoped(project_checks_finish) struct project_checks gates = { 0 };
	const struct op_guard_may may = { .promote = is_in(a->where, &au->promote), .gates = &gates };
	json_t *args, *result = NULL;
	const char *box;
	int status, r = judge_branches(g, au, a, record, e);

	if (r < 0 || json_object_get(record, "status"))
		return r;
	r = add_gates(g, au, &gates, e);
	args = limits_of(a, left, "budget-time", "budget-cpu");
	json_object_set_new(args, "branches", words_json(&a->branches));
	json_object_set_new(args, "project", json_string(a->where));
	if (a->test)
		json_object_set_new(args, "test", json_string(a->test));
	if (r == 0)
		r = op_call(&op_try, g->ctx, args, &result, e);
	json_decref(args);
	if (r < 0)
		return r;
	json_object_set_new(record, "experiment", result);
	box = json_string_value(json_object_get(result, "box"));
	json_object_set_new(record, "promoted", json_false());
	if (!box)
		return 0;
	json_object_set_new(record, "box", json_string(box));
	status = g->ctx->exit_status;
	r = op_guard_settle(g, box, &may, record, e);
	g->ctx->exit_status = status;
	return r;
}

static uint64_t cpu_of_children(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

static double number_of(const json_t *j, const char *key)
{
	return json_number_value(json_object_get(j, key));
}

/* What the boxes used, by their own accounts: of processes that nobody waited for those of our children know
 * nothing. */
static uint64_t cpu_of_boxes(const json_t *record)
{
	const json_t *branch, *experiment = json_object_get(record, "experiment");
	double sum = number_of(json_object_get(json_object_get(record, "run"), "usage"), "cpu_ms") +
		     number_of(record, "gates_cpu_ms");
	size_t i;

	json_array_foreach(json_object_get(experiment, "branches"), i, branch) sum +=
		number_of(branch, "cpu_ms");
	return (uint64_t)sum;
}

/* One that is under way. What goes wrong with it is in its record. */
static void perform(struct op_context *ctx, const struct guard_queue *q, const struct authority *au,
		    const char *name, const struct left *left, json_t *record)
{
	scoped(errand_finish) struct errand a = { 0 };
	scoped(op_guard_close) struct op_guard g = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint64_t start = time_ms(), cpu = cpu_of_children();
	const char *against;
	int r = guard_queue_read(q, q->working, name, &a, &e);

	if (r < 0) {
		refuse(record, e.text);
		return;
	}
	json_object_set_new(record, "command", words_json(a.command.n ? &a.command : &a.branches));
	json_object_set_new(record, "where", json_string(a.where));
	against = against_place(q, au, &a);
	if (against) {
		refuse(record, against);
		return;
	}
	ctx->exit_status = 0;
	r = op_guard_open(ctx, a.where, &g, &e);
	g.timeout_ms = time_of(&a, left);
	if (r == 0)
		r = a.command.n ? do_command(&g, au, &a, left, record, &e)
				: do_branches(&g, au, &a, left, record, &e);
	cpu = cpu_of_children() - cpu;
	if (cpu < cpu_of_boxes(record))
		cpu = cpu_of_boxes(record);
	json_object_set_new(record, "wall_ms", json_integer((json_int_t)(time_ms() - start)));
	json_object_set_new(record, "cpu_ms", json_integer((json_int_t)cpu));
	cut_output(record);
	if (json_object_get(record, "run"))
		cut_output(json_object_get(record, "run"));
	if (r < 0) {
		json_object_set_new(record, "status", json_string("error"));
		json_object_set_new(record, "why", json_string(e.text));
	} else if (!json_object_get(record, "status")) {
		json_object_set_new(record, "exit_status", json_integer(ctx->exit_status));
		json_object_set_new(record, "status", json_string(ctx->exit_status ? "failed" : "ok"));
	}
}

static bool was_interrupted(const json_t *record)
{
	const char *status = json_string_value(json_object_get(json_object_get(record, "run"), "status"));
	const char *state =
		json_string_value(json_object_get(json_object_get(record, "experiment"), "state"));

	return (status && !strcmp(status, "interrupted")) || (state && !strcmp(state, "interrupted"));
}

/* 1: one was done; 0: there is none; RET_WHY: why none may be. */
static int do_next(struct op_context *ctx, const struct guard_queue *q, const char **ret_why,
		   struct aisbx_error *e)
{
	scoped(authority_finish) struct authority au = { 0 };
	scoped(drop_mem) char *next = guard_queue_next(q), *name = NULL;
	struct timespec now;
	struct left left = { 0 };
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
	perform(ctx, q, &au, name, &left, record);
	if (was_interrupted(record)) /* a run, or an experiment, takes the signal for itself, and whoever sent
					it meant us */
		is_over = 1;
	r = guard_queue_end(q, q->working, name, record, e);
	json_decref(record);
	if (r == 0)
		r = guard_report(q, &au, "at work", e);
	return r < 0 ? r : 1;
}

static int work(struct op_context *ctx, const struct guard_queue *q, bool once, json_int_t *done,
		const char **ret_why, struct aisbx_error *e)
{
	sigset_t ends, before;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	while (!is_over) {
		int r;

		/* One that comes before the errand's run looks for signals would be seen by nobody until that
		 * has ended. */
		sigprocmask(SIG_BLOCK, &ends, &before);
		r = is_over ? 0 : do_next(ctx, q, ret_why, e);
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (r < 0)
			return r;
		*done += r;
		if (*ret_why)
			return 0;
		if (r == 0 && once) {
			*ret_why = "the queue is empty";
			return 0;
		}
		if (r == 0 && !is_over)
			poll(NULL, 0, POLL_MS);
	}
	*ret_why = "it was told to end";
	return 0;
}

int op_guard_daemon(struct op_context *ctx, const char *dir, bool once, json_t **ret_result,
		    struct aisbx_error *e)
{
	scoped(guard_queue_close) struct guard_queue q = GUARD_QUEUE_INIT;
	scoped(authority_finish) struct authority au = { 0 };
	struct sigaction end = { .sa_handler = on_end };
	struct op_context quiet = *ctx; /* nobody sees what it prints */
	scoped(drop_mem) char *path = path_resolve(ctx->cwd, dir);
	const char *why = NULL;
	json_int_t done = 0;
	size_t interrupted = 0;
	int r = path ? guard_queue_open(path, &q, e)
		     : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "open '%s'", dir);

	if (r == 0)
		r = guard_queue_authority(&q, &au, e);
	if (r == 0)
		r = guard_queue_recover(&q, &interrupted, e);
	if (r < 0)
		return r;
	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.emit = NULL;
	quiet.begun = NULL;
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	r = work(&quiet, &q, once, &done, &why, e);
	if (r == 0)
		r = guard_report(&q, &au, why, e);
	if (r < 0)
		return r;
	ctx->exit_status = 0;
	*ret_result = json_pack("{s:I, s:s, s:I, s:s}", "done", done, "stopped", why, "interrupted",
				(json_int_t)interrupted, "report", q.path);
	return 0;
}
