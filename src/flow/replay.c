/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a run as often as asked, and tells chance from change. */
#include "flow/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/live_run.h"
#include "box/owner.h"

struct replay {
	const struct caller *by; /* borrowed */
	struct box_state state;
	struct replay_result *ret;       /* borrowed; on its way */
	char from[2 * STORE_ID_MAX + 2]; /* "": no box */
};

static void replay_finish(struct replay *p)
{
	box_state_close(&p->state);
}

void replay_result_finish(struct replay_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (!r->keep)
			take_drop_box(&r->takes[i]);
		take_finish(&r->takes[i]);
	}
	take_finish(&r->was);
	replay_list_finish(&r->of_record);
	replay_list_finish(&r->among);
	free(r->chance.items);
	free(r->changed.items);
	replay_gaps_finish(&r->gaps);
	replay_detail_finish(&r->detail);
	strlist_finish(&r->stale);
}

/* Somebody who acts for an owner replays what that owner ran, and nothing a person allowed themselves. */
static int check_owner(const struct replay *p, const char *key, struct aisbx_error *e)
{
	const char *owner = p->ret->was.owner;

	if (!box_acting_for() || (owner && !strcmp(owner, box_acting_for())))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_STORE, ENOENT,
			    "there is no run '%s'; 'aisbx history' lists all runs", key);
}

static int find(struct replay *p, const char *key, struct aisbx_error *e)
{
	char id[STORE_ID_MAX];
	scoped(drop_fd) int live = -1;
	int r = live_run_find(key, id, e);

	if (r == 0 && live_run_connect(id, &live, e) == 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
				    "run '%s' has not ended; 'aisbx wait %s' waits for it", id, id);
	if (r == 0 && !e->code)
		r = box_state_open(&p->state, e);
	if (r == 0)
		r = take_read(&p->state, id, &p->ret->was, e);
	if (r == 0)
		r = check_owner(p, key, e);
	if (r == 0 && !p->ret->was.replayable)
		r = aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENODATA,
			"run '%s' cannot be replayed: it was started by 'exec' or 'run-code', was killed, or "
			"was made by an older aisbx; only runs of 'run' and 'do' can be replayed",
			p->ret->was.id);
	return r;
}

static void note_start(struct replay *p, const char *why)
{
	replay_gaps_add(&p->ret->gaps, "start", why);
}

/* Where the replays start: the nearest to where the run did that is still there. */
static void choose_stage(struct replay *p)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_snapshot snap;

	if (!p->ret->was.box[0])
		return note_start(p, "the run had no box: it is replayed on the host as it is now");
	if (box_find(&p->state, p->ret->was.box, &box, &ignored) < 0) {
		p->ret->was.after[0] = '\0';
		return note_start(p, "the box of the run and its snapshots were removed: it is replayed on "
				     "the host as it is now");
	}
	if (p->ret->was.before[0] &&
	    store_snapshot_find(p->state.store, box.id, p->ret->was.before, &snap, &ignored) == 0) {
		snprintf(p->from, sizeof(p->from), "%s@%s", box.id, p->ret->was.before);
		return;
	}
	snprintf(p->from, sizeof(p->from), "%s", box.id);
	p->ret->was.after[0] = '\0';
	if (p->ret->was.joined)
		return note_start(p,
				  "other commands ran in the box meanwhile, so there is no snapshot of the "
				  "state before the run: it is replayed on the current state of the box");
	note_start(p, "the run was not recorded, so there is no snapshot of the state before it: it is "
		      "replayed on the current state of the box");
}

/* What a replay cannot give the command again. */
static void note_lost(struct replay *p)
{
	const struct take *was = &p->ret->was;
	struct replay_gaps *gaps = &p->ret->gaps;

	if (was->input)
		replay_gaps_add(gaps, "stdin",
				"the input of the run is not stored: replays have an empty input");
	if (was->options.tty)
		replay_gaps_add(gaps, "terminal", "replays have no terminal");
	for (size_t i = 0; i < was->env_not_kept.n; i++) {
		scoped(drop_mem) char *what = NULL;

		if (asprintf(&what, "variable %s", was->env_not_kept.items[i]) < 0)
			what = NULL;
		replay_gaps_add(gaps, what ? what : "variable",
				"its value is not stored, because the run was not recorded: it is not set");
	}
}

/* The host under a box is as it is now: what of the project changed since may be why a replay differs. */
static int note_stale(struct replay *p, struct aisbx_error *e)
{
	const struct take *was = &p->ret->was;
	const struct store_box as_box = { .project = (char *)was->project,
					  .watermark_s = was->started_ms / 1000,
					  .watermark_ns = was->started_ms % 1000 * 1000000 };
	char why[160];
	int r = box_stale(&as_box, &p->ret->stale, e);

	if (r < 0 || !p->ret->stale.n)
		return r;
	snprintf(why, sizeof(why),
		 "%zu files of the real project changed since the run; differences may come from that",
		 p->ret->stale.n);
	replay_gaps_add(&p->ret->gaps, "project", why);
	return 0;
}

/* Two replays in the same second agree in it. */
static bool is_time(const struct replay_difference *d)
{
	return !strcmp(d->kind, "time");
}

static bool view_has(const struct replay_view *v, const char *what)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->items[i]->what, what))
			return true;
	return false;
}

/* What differs from the record is chance if it differs between replays as well, or is a time; else something
 * has changed. */
static int sort_out(struct replay_result *r, struct aisbx_error *e)
{
	const struct replay_list *first = r->n > 1 ? &r->among : &r->of_record;
	const size_t most = r->among.n + r->of_record.n + 1;

	r->chance.items = calloc(most, sizeof(*r->chance.items));
	r->changed.items = calloc(most, sizeof(*r->changed.items));
	if (!r->chance.items || !r->changed.items)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	for (size_t i = 0; i < first->n; i++)
		r->chance.items[r->chance.n++] = &first->items[i];
	for (size_t i = 0; i < r->of_record.n; i++) {
		const struct replay_difference *d = &r->of_record.items[i];
		struct replay_view *to = is_time(d) ? &r->chance : &r->changed;

		if (!view_has(&r->chance, d->what))
			to->items[to->n++] = d;
	}
	return 0;
}

/* Take I against the record, and against the first. */
static int compare(struct replay *p, size_t i, struct aisbx_error *e)
{
	struct replay_result *res = p->ret;
	scoped(replay_list_finish) struct replay_list list = { 0 }, other = { 0 };
	struct replay_detail detail = { 0 };
	int r = takes_differ(&p->state, &res->was, &res->takes[i], &list, i ? NULL : &res->gaps, &detail, e);

	if (r == 0 && (i == 0 || (!res->of_record.n && list.n))) {
		replay_detail_finish(&res->detail);
		res->detail = detail;
	} else {
		replay_detail_finish(&detail);
	}
	replay_list_join(&res->of_record, &list);
	if (r == 0 && i > 0)
		r = takes_differ(&p->state, &res->takes[0], &res->takes[i], &other, NULL, NULL, e);
	replay_list_join(&res->among, &other);
	return r == 0 && (res->of_record.failed || res->among.failed)
		       ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "compare the runs")
		       : r;
}

static int play(struct replay *p, size_t times, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < times; i++) {
		p->ret->n = i + 1;
		r = take_again(p->by, p->from[0] ? p->from : NULL, &p->ret->was, &p->ret->takes[i], e);
		if (r == 0)
			r = compare(p, i, e);
	}
	return r;
}

int replay_run(const struct caller *by, const struct replay_request *req, struct replay_result *ret,
	       struct aisbx_error *e)
{
	scoped(replay_finish) struct replay p = { .by = by, .ret = ret };
	int r;

	if (req->times < 1 || req->times > REPLAY_MAX_TIMES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "--times must be 1 to %d",
				    REPLAY_MAX_TIMES);
	ret->keep = req->keep;
	r = find(&p, req->run, e);
	if (r < 0)
		return r;
	choose_stage(&p);
	note_lost(&p);
	r = play(&p, req->times, e);
	if (r == 0)
		r = sort_out(ret, e);
	if (r == 0)
		r = note_stale(&p, e);
	return r == 0 && ret->gaps.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result") : r;
}
