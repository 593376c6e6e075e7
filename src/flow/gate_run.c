/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands that checks need. Each has its own fork of the candidate, so that none sees the effects of
 * another, and the candidate does not change. The fork is removed after its run, also if the evaluation is
 * interrupted.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/project.h"
#include "box/lifecycle.h"
#include "flow/gate_internal.h"
#include "flow/intent_run.h"
#include "flow/judges.h"

#define SCRATCH_MS (24u * 3600 * 1000) /* should aisbx be killed, gc finds it */
#define MAX_TAIL   65536u              /* bytes of output that a score is looked for in */

/* Signals wait while there is a box to remove; the supervisor of a run reads them all the same. */
static void hold_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, old);
}

/* The snapshot that the box still is; "": there is none. */
static int find_snapshot(struct lookup *p, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	struct store_snapshot *snaps = NULL;
	size_t n_chain = 0, n_snaps = 0;
	int r = store_layer_chain(p->state.store, p->box.top, &chain, &n_chain, e);

	if (r == 0)
		r = store_snapshot_list(p->state.store, p->box.id, &snaps, &n_snaps, e);
	for (size_t i = 0; r == 0 && n_chain > 1 && i < n_snaps; i++)
		if (!strcmp(snaps[i].layer, chain[1].id))
			snprintf(ret_id, STORE_ID_MAX, "%s", snaps[i].id);
	free(chain);
	free(snaps);
	return r;
}

/* One more is taken only if the box changed since its last: a gate that is asked again leaves
 * nothing behind. */
static int take_snapshot(const struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	struct store_snapshot snap = { 0 };
	int r = lookup_open_box(g->box, true, &p, e);

	if (r == 0)
		r = box_snapshot(&p.state, &p.box, NULL, true, true, &snap, e);
	if (r == 0 && !snap.id[0])
		r = find_snapshot(&p, ret_id, e);
	if (r == 0 && !snap.id[0] && !ret_id[0])
		r = box_snapshot(&p.state, &p.box, NULL, true, false, &snap, e);
	if (r == 0 && snap.id[0])
		snprintf(ret_id, STORE_ID_MAX, "%s", snap.id);
	return r;
}

static int take_live(const struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	const struct box_snap_request req = { .box = g->box };
	scoped(box_snapped_finish) struct box_snapped snap = { 0 };
	int r;

	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	r = box_snap(&req, &snap, e);
	if (r == 0)
		snprintf(ret_id, STORE_ID_MAX, "%s", snap.snapshot.id);
	return r;
}

/* What is judged stays the same from the first run to the last look. */
static int fix_point(struct gate *g, struct aisbx_error *e)
{
	char id[STORE_ID_MAX] = "", *point = NULL;
	int r;

	if (!g->point || strchr(g->point, '@'))
		return 0;
	r = take_snapshot(g, id, e);
	if (r == -EBUSY) /* commands run in it */
		r = take_live(g, id, e);
	if (r < 0)
		return r;
	g->verdict->snapshot = strdup(id);
	if (!g->verdict->snapshot || asprintf(&point, "%s@%s", g->box, id) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check box '%s'", g->verdict->box);
	free(g->point);
	g->point = point;
	return 0;
}

static int fork_point(const struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	const struct box_fork_request req = {
		.from = g->point, .scratch = true, .judged = true, .ttl_ms = SCRATCH_MS, .drift.off = true
	};
	scoped(box_forks_finish) struct box_forks made = { 0 };
	int r = box_fork(&req, &made, e);

	if (r == 0)
		snprintf(ret_id, STORE_ID_MAX, "%s", made.boxes[0].id);
	return r;
}

static int box_of_dir(const struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	const char *from;
	const struct box_create_request req = {
		.project = g->dir,
		.profile = run_profile_ref(&g->by, g->subject->profile, NULL, &from),
		.ttl_ms = SCRATCH_MS,
		.scratch = true,
	};
	scoped(box_created_finish) struct box_created made = { 0 };
	int r = box_create(g->by.cwd, &req, &made, e);

	if (r == 0)
		snprintf(ret_id, STORE_ID_MAX, "%s", made.box.id);
	return r;
}

/* RET_ID: a box like what is judged, that nobody else knows. */
static int make_scratch(struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	int r = fix_point(g, e);

	if (r < 0)
		return r;
	return g->point ? fork_point(g, ret_id, e) : box_of_dir(g, ret_id, e);
}

static void remove_scratch(const char *id)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, removed = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	strlist_add(&keys, id);
	box_remove(&keys, &removed, &ignored);
}

/* Runs WHAT in the box of the wish W; *RET_RAN: there was something to run. */
typedef int act_fn(struct gate *g, struct run_options *w, const void *what, struct gate_run *ret,
		   bool *ret_ran, struct aisbx_error *e);

static int in_scratch(struct gate *g, act_fn *act, const void *what, struct gate_run *ret, bool *ret_ran,
		      struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options w = { .profile = g->subject->profile };
	char id[STORE_ID_MAX] = "";
	sigset_t old;
	int r;

	*ret_ran = false;
	hold_signals(&old);
	r = make_scratch(g, id, e);
	w.box = id;
	if (r == 0)
		r = act(g, &w, what, ret, ret_ran, e);
	if (id[0])
		remove_scratch(id);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (r == 0 && *ret_ran && !strcmp(ret->report.status, "interrupted"))
		r = aisbx_refuse(
			e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, EINTR,
			"a signal ended the command that was run for a check; the gates were not evaluated");
	return r;
}

/* What the box is judged by is the person's own; RET hears what of it the box had changed. */
static int lay_judges(struct gate *g, const struct judges *j, struct run_options *w, struct gate_run *ret,
		      struct aisbx_error *e)
{
	return g->point ? judges_lay(&g->by, g->point, w->box, j, &w->ro, &ret->judges, e) : 0;
}

/* In the directory of the file that names it, if one does. OWN: it is a way of the person's own files. */
static int run_way(struct gate *g, struct run_options *w, const struct intent_way *way, bool own,
		   struct gate_run *ret, struct aisbx_error *e)
{
	const char *project = g->box_project ? g->box_project : g->dir;
	scoped(drop_mem) char *cwd = box_project_cwd(project, way->dir, way->cwd);
	scoped(intent_result_finish) struct intent_result done = { 0 };
	scoped(judges_finish) struct judges judges = { 0 };
	struct intent_way here = *way;
	int r = cwd ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find the directory to run it in");

	if (own && way->intent != INTENT_RUN && way->intent != INTENT_FORMAT && !way->box_judges) {
		judges_add_way(&judges, way, project);
		judges_add_listed(&judges, g->p);
	}
	if (r == 0)
		r = lay_judges(g, &judges, w, ret, e);
	here.cwd = cwd;
	if (r == 0)
		r = intent_run_way(&g->by, w, &here, "", NULL, &done, e);
	if (r < 0)
		return r;
	ret->report = done.report;
	ret->counted = done.counted;
	ret->tests = done.tests;
	done.report = (struct run_report){ 0 };
	return 0;
}

/*
 * By the person's own files first: what a box put beside them has no say in how it is judged, as long as they
 * have one. Nothing runs when nobody has.
 */
static int act_intent(struct gate *g, struct run_options *w, const void *what, struct gate_run *ret,
		      bool *ret_ran, struct aisbx_error *e)
{
	const struct box_intents_request on_host = { .project = g->box_project ? g->box_project : g->dir,
						     .says = g->p },
					 in_box = { .box = w->box, .says = g->p };
	scoped(intent_list_finish) struct intent_list list = { 0 }, of_box = { 0 };
	enum intent intent = *(const enum intent *)what;
	const struct intent_way *way, *own;
	int r = box_intents_find(g->by.cwd, &on_host, &list, NULL, e);

	way = own = r == 0 ? intent_best(&list, intent) : NULL;
	if (r == 0 && !way && g->point) {
		r = box_intents_find(g->by.cwd, &in_box, &of_box, NULL, e);
		way = r == 0 ? intent_best(&of_box, intent) : NULL;
	}
	*ret_ran = r == 0 && way;
	return *ret_ran ? run_way(g, w, way, way == own, ret, e) : r;
}

/* The last of what a command writes to its standard output. */
struct tail {
	struct buf text;
	bool cut;
};

static void keep_tail(void *ctx, int which, const char *data, size_t len)
{
	struct tail *t = ctx;

	if (which != 0)
		return;
	buf_add(&t->text, data, len);
	if (!t->text.failed && t->text.len > 2 * MAX_TAIL) {
		memmove(t->text.data, t->text.data + t->text.len - MAX_TAIL, MAX_TAIL);
		t->text.len = MAX_TAIL;
		t->cut = true;
	}
}

/* As UTF-8, from the first whole line on. */
static bool tail_score(struct tail *t, double *ret)
{
	scoped(buf_finish) struct buf clean = { 0 };
	const char *text = buf_str(&t->text) ? t->text.data : "",
		   *line = t->cut ? memchr(text, '\n', t->text.len) : NULL;
	size_t skip = line ? (size_t)(line - text) + 1 : 0;

	buf_add_utf8(&clean, text + skip, t->text.data ? t->text.len - skip : 0);
	return buf_str(&clean) && gate_score_read(clean.data, clean.len, ret);
}

static int act_command(struct gate *g, struct run_options *w, const void *what, struct gate_run *ret,
		       bool *ret_ran, struct aisbx_error *e)
{
	const struct project_check *c = what;
	scoped(drop_mem) char *cwd = box_project_cwd(g->box_project ? g->box_project : g->dir, c->dir, NULL);
	scoped(judges_finish) struct judges judges = { 0 };
	struct tail tail = { 0 };
	int r = cwd ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find the directory to run it in");

	if (!c->box_judges && cwd) {
		judges_add_command(&judges, &c->argv, cwd, false);
		judges_add_listed(&judges, g->p);
	}
	if (r == 0)
		r = lay_judges(g, &judges, w, ret, e);
	for (size_t i = 0; i < c->argv.n; i++)
		strlist_add(&w->command, c->argv.items[i]);
	if (r == 0 && w->command.failed)
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare the run");
	w->cwd = cwd;
	w->output_listener = keep_tail;
	w->output_listener_ctx = &tail;
	if (c->timeout_ms)
		run_options_limit(w, LIMIT_WALL_TIME, c->timeout_ms);
	if (r == 0)
		r = run_execute(&g->by, w, &ret->report, e);
	w->output_listener = NULL;
	w->output_listener_ctx = NULL;
	*ret_ran = r == 0;
	if (r == 0)
		ret->scored = tail_score(&tail, &ret->score);
	buf_finish(&tail.text);
	return r;
}

int gate_run_intent(struct gate *g, enum intent intent, struct aisbx_error *e)
{
	struct gate_said *look = &g->intents[intent];
	bool ran;
	int r;

	if (look->look.asked)
		return 0;
	look->look.asked = true;
	r = in_scratch(g, act_intent, &intent, &look->made, &ran, e);
	if (r < 0)
		return r;
	if (ran)
		look->run = &look->made;
	else
		aisbx_refuse(&look->look.e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			     "aisbx knows no command to '%s' this project; set one in its aisbx.yaml: "
			     "'intents: {%s: COMMAND}'",
			     intent_names[intent], intent_names[intent]);
	return 0;
}

int gate_run_command(struct gate *g, const struct project_check *c, struct gate_run *ret,
		     struct aisbx_error *e)
{
	bool ran;

	return in_scratch(g, act_command, c, ret, &ran, e);
}

bool gate_run_passed(const struct gate_run *run)
{
	return run->report.status && !strcmp(run->report.status, "ok");
}

static char *how_it_ended(const struct gate_run *run)
{
	const struct run_report *r = &run->report;
	char *words = NULL;
	int n;

	if (r->error)
		n = asprintf(&words, "it could not be run: %s", r->error);
	else if (r->limit != LIMIT_COUNT)
		n = asprintf(&words, "it reached its limit '%s' (--%s)", limit_name(r->limit),
			     limit_option(r->limit));
	else if (r->signal)
		n = asprintf(&words, "signal %d ended it", r->signal);
	else if (run->counted)
		n = asprintf(&words, "it exited with %d; %llu passed, %llu failed, %llu skipped",
			     r->exit_code, (unsigned long long)run->tests.passed,
			     (unsigned long long)run->tests.failed, (unsigned long long)run->tests.skipped);
	else
		n = asprintf(&words, "it exited with %d", r->exit_code);
	return n < 0 ? NULL : words;
}

char *gate_run_words(const struct gate_run *run)
{
	const struct strlist *judges = &run->judges;
	scoped(drop_mem) char *end = how_it_ended(run);
	char *words = NULL;

	if (!judges->n || !end)
		return take_mem(&end);
	if (asprintf(&words, "%s; judged by your own '%s'%s, not the box's version", end, judges->items[0],
		     judges->n > 1 ? " and others" : "") < 0)
		return NULL;
	return words;
}

/* The line is a program's, read as JSON because that is what it may say. */
static bool line_score(const char *line, size_t len, double *ret)
{
	json_t *j = len && len < MAX_TAIL ? json_loadb(line, len, JSON_DECODE_ANY, NULL) : NULL;
	const json_t *number = json_is_object(j) ? json_object_get(j, "score") : j;
	bool found = json_is_number(number);

	if (found)
		*ret = json_number_value(number);
	json_decref(j);
	return found;
}

bool gate_score_read(const char *text, size_t len, double *ret)
{
	size_t end = len;

	while (text) {
		size_t begin = end;

		while (begin && text[begin - 1] != '\n')
			begin--;
		if (line_score(text + begin, end - begin, ret))
			return true;
		if (!begin)
			break;
		end = begin - 1;
	}
	return false;
}
