/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be run to judge. Each command has a fork of the candidate to itself, so that none sees what
 * another did, and the candidate stays as it is. The box goes with its run, also when somebody wants all of
 * it to end.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/project.h"
#include "op/args.h"
#include "flow/gate_inside.h"
#include "op/intents.h"
#include "flow/judges.h"
#include "op/point.h"
#include "box/running.h"

#define SCRATCH_TTL "1d"   /* should aisbx be killed, gc finds it */
#define MAX_TAIL    65536u /* bytes of output that a score is looked for in */

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
static int find_snapshot(struct point *p, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	struct store_snapshot *snaps = NULL;
	size_t n_chain = 0, n_snaps = 0;
	int r = store_layer_chain(p->shelf.store, p->box.top, &chain, &n_chain, e);

	if (r == 0)
		r = store_snapshot_list(p->shelf.store, p->box.id, &snaps, &n_snaps, e);
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
	scoped(point_finish) struct point p = POINT_INIT;
	struct store_snapshot snap = { 0 };
	int r = point_open_box(g->box, true, &p, e);

	if (r == 0)
		r = box_snapshot(&p.shelf, &p.box, NULL, true, true, &snap, e);
	if (r == 0 && !snap.id[0])
		r = find_snapshot(&p, ret_id, e);
	if (r == 0 && !snap.id[0] && !ret_id[0])
		r = box_snapshot(&p.shelf, &p.box, NULL, true, false, &snap, e);
	if (r == 0 && snap.id[0])
		snprintf(ret_id, STORE_ID_MAX, "%s", snap.id);
	return r;
}

static int take_live(struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	json_t *args = json_pack("{s:s}", "box", g->box), *snap = NULL;
	int r;

	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	r = op_snap.run(&g->ctx, args, &snap, e);
	if (r == 0)
		snprintf(ret_id, STORE_ID_MAX, "%s", json_string_value(json_object_get(snap, "id")));
	json_decref(args);
	json_decref(snap);
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
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "judge box '%s'", g->verdict->box);
	free(g->point);
	g->point = point;
	return 0;
}

/* RET_ID: a box like what is judged, that nobody else knows. */
static int make_scratch(struct gate *g, char ret_id[static STORE_ID_MAX], struct aisbx_error *e)
{
	json_t *args, *made = NULL;
	int r = fix_point(g, e);

	if (r < 0)
		return r;
	if (g->point) {
		args = json_pack("{s:s, s:s, s:s}", "from", g->point, "ttl", SCRATCH_TTL, "drift", "off");
		r = op_fork.run(&g->ctx, args, &made, e);
	} else {
		args = json_pack("{s:s, s:s}", "project", g->dir, "ttl", SCRATCH_TTL);
		if (args && g->subject->profile)
			json_object_set_new(args, "profile", json_string(g->subject->profile));
		r = op_create.run(&g->ctx, args, &made, e);
	}
	json_decref(args);
	if (r == 0) {
		const json_t *box = g->point ? json_array_get(json_object_get(made, "boxes"), 0) : made;

		snprintf(ret_id, STORE_ID_MAX, "%s", json_string_value(json_object_get(box, "id")));
	}
	json_decref(made);
	return r;
}

static void remove_scratch(struct gate *g, const char *id)
{
	json_t *args = json_pack("{s:[s]}", "boxes", id), *said = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	op_rm.run(&g->ctx, args, &said, &ignored);
	json_decref(args);
	json_decref(said);
}

/* What is to be run in the box: by `run` or by the way of an intent. */
typedef int act_fn(struct gate *g, json_t *args, const void *what, json_t **ret, struct aisbx_error *e);

static int in_scratch(struct gate *g, act_fn *act, const void *what, json_t **ret, struct aisbx_error *e)
{
	char id[STORE_ID_MAX] = "";
	json_t *args, *run = NULL;
	sigset_t old;
	int r;

	hold_signals(&old);
	r = make_scratch(g, id, e);
	if (r == 0) {
		args = json_pack("{s:s}", "box", id);
		if (args && g->subject->profile)
			json_object_set_new(args, "profile", json_string(g->subject->profile));
		r = act(g, args, what, &run, e);
		json_decref(args);
	}
	if (id[0])
		remove_scratch(g, id);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (r == 0 && run && !strcmp(json_string_value(json_object_get(run, "status")), "interrupted"))
		r = aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, EINTR,
				 "a signal ended what was run to judge; nothing was judged");
	if (r == 0)
		*ret = json_incref(run);
	json_decref(run);
	return r;
}

static int find_ways(struct gate *g, const char *key, const char *where, struct intent_list *ret,
		     char **ret_dir, struct aisbx_error *e)
{
	json_t *args = json_pack("{s:s}", key, where);
	int r = op_intents_find_by(&g->ctx, args, g->p, ret, ret_dir, e);

	json_decref(args);
	return r;
}

/* What the box is judged by is the person's own. RET_TOLD: what of it the box had changed. */
static int lay_judges(struct gate *g, const struct judges *j, json_t *args, json_t **ret_told,
		      struct aisbx_error *e)
{
	return g->point ? op_judges_lay(&g->ctx, g->point, json_string_value(json_object_get(args, "box")), j,
					args, ret_told, e)
			: 0;
}

/* In the directory of the file that names it, if one does. OWN: it is a way of the person's own files. */
static int run_way(struct gate *g, json_t *args, const struct intent_way *w, bool own, json_t **ret,
		   struct aisbx_error *e)
{
	const char *project = g->box_project ? g->box_project : g->dir;
	scoped(drop_mem) char *cwd = box_project_cwd(project, w->dir, w->cwd);
	scoped(judges_finish) struct judges judges = { 0 };
	struct intent_way here = *w;
	json_t *told = NULL;
	int r = cwd ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find where to run it");

	if (own && w->intent != INTENT_RUN && w->intent != INTENT_FORMAT && !w->box_judges) {
		judges_add_way(&judges, w, project);
		judges_add_listed(&judges, g->p);
	}
	if (r == 0)
		r = lay_judges(g, &judges, args, &told, e);
	here.cwd = cwd;
	if (r == 0)
		r = op_intent_run_way(&g->ctx, args, &here, "", ret, e);
	if (r == 0 && told)
		json_object_set(*ret, "judges", told);
	json_decref(told);
	return r;
}

/*
 * By the person's own files first: what a box put beside them has no say in how it is judged, as long as they
 * have one. RET stays NULL when nobody has.
 */
static int act_intent(struct gate *g, json_t *args, const void *what, json_t **ret, struct aisbx_error *e)
{
	scoped(intent_list_finish) struct intent_list list = { 0 }, of_box = { 0 };
	scoped(drop_mem) char *dir = NULL, *box_dir = NULL;
	enum intent intent = *(const enum intent *)what;
	const struct intent_way *w;
	int r = find_ways(g, "project", g->box_project ? g->box_project : g->dir, &list, &dir, e);

	w = r == 0 ? intent_best(&list, intent) : NULL;
	if (r == 0 && !w && g->point) {
		r = find_ways(g, "box", json_string_value(json_object_get(args, "box")), &of_box, &box_dir,
			      e);
		w = r == 0 ? intent_best(&of_box, intent) : NULL;
	}
	return r == 0 && w ? run_way(g, args, w, w == intent_best(&list, intent), ret, e) : r;
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
static json_t *tail_json(struct tail *t)
{
	scoped(buf_finish) struct buf clean = { 0 };
	const char *text = buf_str(&t->text) ? t->text.data : "",
		   *line = t->cut ? memchr(text, '\n', t->text.len) : NULL;
	size_t skip = line ? (size_t)(line - text) + 1 : 0;

	buf_add_utf8(&clean, text + skip, t->text.data ? t->text.len - skip : 0);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static int act_command(struct gate *g, json_t *args, const void *what, json_t **ret, struct aisbx_error *e)
{
	const struct project_check *c = what;
	scoped(drop_mem) char *cwd = box_project_cwd(g->box_project ? g->box_project : g->dir, c->dir, NULL);
	scoped(judges_finish) struct judges judges = { 0 };
	struct tail tail = { 0 };
	json_t *told = NULL;
	int r = cwd ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find where to run it");

	if (!c->box_judges && cwd) {
		judges_add_command(&judges, &c->argv, cwd, false);
		judges_add_listed(&judges, g->p);
	}
	if (r == 0)
		r = lay_judges(g, &judges, args, &told, e);
	json_object_set_new(args, "command", op_words_json(&c->argv));
	if (r == 0)
		json_object_set_new(args, "cwd", op_text_json(cwd));
	if (c->timeout_ms)
		json_object_set_new(args, "timeout", json_real((double)c->timeout_ms / 1000));
	if (r == 0)
		r = op_run_by(&g->ctx.by, args, keep_tail, &tail, ret, e);
	if (r == 0)
		json_object_set_new(*ret, "stdout", tail_json(&tail));
	if (r == 0 && told)
		json_object_set(*ret, "judges", told);
	json_decref(told);
	buf_finish(&tail.text);
	return r;
}

int gate_run_intent(struct gate *g, enum intent intent, struct aisbx_error *e)
{
	struct gate_said *look = &g->intents[intent];
	int r;

	if (look->look.asked)
		return 0;
	look->look.asked = true;
	r = in_scratch(g, act_intent, &intent, &look->said, e);
	if (r == 0 && !look->said)
		aisbx_refuse(&look->look.e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			     "the project has no way to '%s' that aisbx knows; name one in its aisbx.yaml: "
			     "'intents: {%s: COMMAND}'",
			     intent_names[intent], intent_names[intent]);
	return r;
}

int gate_run_command(struct gate *g, const struct project_check *c, json_t **ret, struct aisbx_error *e)
{
	return in_scratch(g, act_command, c, ret, e);
}

bool gate_run_passed(const json_t *run)
{
	const char *status = json_string_value(json_object_get(run, "status"));

	return status && !strcmp(status, "ok");
}

static char *how_it_ended(const json_t *run)
{
	const json_t *tests = json_object_get(run, "tests"), *limit = json_object_get(run, "limit"),
		     *error = json_object_get(run, "error"), *sig = json_object_get(run, "signal");
	char *words = NULL;
	int n;

	if (json_is_string(error))
		n = asprintf(&words, "it could not be run: %s", json_string_value(error));
	else if (json_is_object(limit))
		n = asprintf(&words, "it came to its limit '%s' (%s)",
			     json_string_value(json_object_get(limit, "kind")),
			     json_string_value(json_object_get(limit, "raise_with")));
	else if (json_is_integer(sig))
		n = asprintf(&words, "signal %d ended it", (int)json_integer_value(sig));
	else if (json_is_object(tests))
		n = asprintf(&words, "it exited with %d; %lld passed, %lld failed, %lld skipped",
			     (int)json_integer_value(json_object_get(run, "exit_code")),
			     json_integer_value(json_object_get(tests, "passed")),
			     json_integer_value(json_object_get(tests, "failed")),
			     json_integer_value(json_object_get(tests, "skipped")));
	else
		n = asprintf(&words, "it exited with %d",
			     (int)json_integer_value(json_object_get(run, "exit_code")));
	return n < 0 ? NULL : words;
}

char *gate_run_words(const json_t *run)
{
	const json_t *judges = json_object_get(run, "judges");
	size_t n = json_array_size(judges);
	scoped(drop_mem) char *end = how_it_ended(run);
	char *words = NULL;

	if (!n || !end)
		return take_mem(&end);
	if (asprintf(&words, "%s; judged by your own '%s'%s, not by the box's", end,
		     json_string_value(json_array_get(judges, 0)), n > 1 ? " and others" : "") < 0)
		return NULL;
	return words;
}

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

bool gate_run_score(const json_t *run, double *ret)
{
	const json_t *out = json_object_get(run, "stdout");
	const char *text = json_string_value(out);
	size_t end = json_string_length(out);

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
