/* SPDX-License-Identifier: Apache-2.0 */
/* Open-ended experiments: opened, judged branch by branch, ended; and showing one. */
#include "flow/try_experiment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/owner.h"
#include "box/live_run.h"
#include "flow/try_internal.h"

/* How long the end of a run that has lost is waited for. */
#define GONE_MS 10000

void experiment_finish(struct experiment *x)
{
	store_experiment_finish(&x->row);
	try_records_finish(x->branches, x->n);
	try_differences_finish(x->differs, x->n_differs);
	try_promotion_finish(&x->promotion);
	*x = (struct experiment){ 0 };
}

static bool is_winner(const struct experiment *x, const struct try_record *b)
{
	return x->row.winner > 0 && b->n == (size_t)x->row.winner;
}

json_t *experiment_json(const struct experiment *x)
{
	const struct store_experiment *row = &x->row;
	const bool won = row->winner > 0 && (size_t)row->winner <= row->n_branches;
	const char *box = NULL;
	json_t *j;

	for (size_t i = 0; i < x->n; i++)
		if (is_winner(x, &x->branches[i]))
			box = x->branches[i].box;
	j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:s?, s:s?, s:o}", "experiment", row->id, "name",
		      row->name, "mode", row->mode, "state", x->state, "project", row->project, "created_ms",
		      (json_int_t)row->created_ms, "ended_ms",
		      row->ended_ms ? json_integer(row->ended_ms) : json_null(), "winner",
		      won ? row->branches[row->winner - 1].name : NULL, "box", box, "branches",
		      try_records_json(x->branches, x->n));
	if (x->concluded)
		json_object_set_new(j, "differs", try_differences_json(x->differs, x->n_differs));
	return j;
}

/* ---- looking ---- */

/* What is known of branch I: of one that was judged the record. */
static int read_branch(struct box_state *state, const struct store_branch *b, size_t i,
		       struct try_record *ret)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(store_box_finish) struct store_box box = { 0 };
	json_t *kept = json_loads(b->result, 0, NULL);

	if (!try_record_read(kept, ret))
		ret->state = TRY_WAITING;
	json_decref(kept);
	free(ret->name);
	free(ret->command);
	free(ret->box);
	ret->n = i + 1;
	ret->name = strdup(b->name);
	ret->command = strdup(b->command);
	ret->box = b->box[0] && box_find(state, b->box, &box, &ignored) == 0 ? strdup(box.name) : NULL;
	for (enum try_state s = 0; s < TRY_STATE_COUNT; s++)
		if (!strcmp(b->state, try_state_names[s]))
			ret->state = s;
	return ret->name && ret->command ? 0 : -ENOMEM;
}

/* As it ended; false: it has not, or with nothing that was kept. */
static bool read_ended(struct experiment *x)
{
	json_t *ended = x->row.result && *x->row.result ? json_loads(x->row.result, 0, NULL) : NULL, *record;
	const json_t *list = json_object_get(ended, "branches");
	size_t i;

	x->branches = list ? calloc(json_array_size(list) + 1, sizeof(*x->branches)) : NULL;
	if (x->branches)
		json_array_foreach(list, i, record) x->n += try_record_read(record, &x->branches[x->n]);
	json_decref(ended);
	return x->branches != NULL;
}

/* X has its row. */
static int read_branches(struct experiment *x, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = 0;

	x->state = x->row.state;
	if (read_ended(x))
		return 0;
	r = box_state_open(&state, e);
	if (r < 0)
		return r;
	x->branches = calloc(x->row.n_branches + 1, sizeof(*x->branches));
	for (; r == 0 && x->branches && x->n < x->row.n_branches; x->n++)
		r = read_branch(&state, &x->row.branches[x->n], x->n, &x->branches[x->n]);
	return r < 0 || !x->branches ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the experiment") : 0;
}

int experiment_show(const char *key, struct experiment *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	if (r == 0)
		r = store_experiment_find(state.store, key, box_acting_for(), &ret->row, e);
	return r < 0 ? r : read_branches(ret, e);
}

int experiment_ls(uint64_t limit, struct experiment **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(drop_mem) struct store_experiment *rows = NULL;
	struct experiment *list;
	size_t n = 0;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = store_experiment_list(state.store, box_acting_for(), NULL,
					  limit < INT64_MAX ? (int64_t)limit : INT64_MAX, &rows, &n, e);
	if (r < 0)
		return r;
	list = calloc(n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		if (!list) {
			store_experiment_finish(&rows[i]);
			continue;
		}
		list[i].row = rows[i];
		if (r == 0)
			r = read_branches(&list[i], e);
	}
	if (r < 0 || !list) {
		for (size_t i = 0; list && i < n; i++)
			experiment_finish(&list[i]);
		free(list);
		return r < 0 ? r : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list experiments");
	}
	*ret = list;
	*ret_n = n;
	return 0;
}

/* ---- open ---- */

int experiment_open(const struct caller *by, const struct try_request *req, struct experiment *ret,
		    struct aisbx_error *e)
{
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	scoped(try_approaches_finish) struct try_approaches branches = { 0 };
	scoped(strlist_finish) struct strlist names = { 0 }, ids = { 0 };
	char id[STORE_ID_MAX];
	int r = try_judge_read(by, req, true, &judge, &branches, e);

	if (r < 0)
		return r;
	box_new_id("x-", id);
	r = try_boxes_make(by, req, id, branches.n, &names, &ids, e);
	if (r == 0)
		r = try_write_down(&judge, id, "open", &branches, &ids, e);
	if (r < 0 && names.n)
		try_boxes_drop(id, NULL);
	return r < 0 ? r : experiment_show(id, ret, e);
}

/* ---- ready and end ---- */

static int check_open(const struct store_experiment *x, struct aisbx_error *e)
{
	if (!strcmp(x->state, "running"))
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				    "experiment '%s' was started by 'aisbx try', which runs and ends it",
				    x->id);
	if (!strcmp(x->state, "open") && !x->winner)
		return 0;
	if (x->winner > 0 && (size_t)x->winner <= x->n_branches)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EALREADY,
				    "experiment '%s' has ended: branch '%s' won", x->id,
				    x->branches[x->winner - 1].name);
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EALREADY, "experiment '%s' has ended",
			    x->id);
}

/* By name, or by number. */
static int find_branch(const struct store_experiment *x, const char *key, size_t *ret, struct aisbx_error *e)
{
	for (size_t i = 0; i < x->n_branches; i++)
		if (!strcmp(x->branches[i].name, key)) {
			*ret = i;
			return 0;
		}
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			    "experiment '%s' has no branch '%.60s'; 'aisbx experiment show %s' lists them",
			    x->id, key, x->id);
}

/* Whatever still runs in its boxes has lost. */
static void end_runs(const struct store_experiment *x)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist ids = { 0 };
	struct live_run *runs = NULL;
	size_t n = 0;

	live_runs_look(NULL, &runs, &n, &ignored);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < x->n_branches; k++) {
			const char *box = json_string_value(json_object_get(runs[i].about, "box"));

			if (box && !strcmp(box, x->branches[k].box))
				strlist_add(&ids, runs[i].id);
		}
	live_runs_finish(runs, n);
	for (size_t i = 0; i < ids.n; i++) {
		scoped(drop_fd) int fd = -1;

		if (live_run_connect(ids.items[i], &fd, &ignored) == 0)
			run_ask_end(fd, &ignored);
	}
	for (size_t i = 0; i < ids.n; i++)
		live_run_await(ids.items[i], GONE_MS, &ignored);
}

/* As it is in the store now, with its winner if it has one. The boxes of the others go, unless KEEP. */
static int conclude(const char *id, bool keep, struct experiment *ret, struct aisbx_error *e)
{
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	scoped(strlist_finish) struct strlist kept = { 0 };
	int r = experiment_show(id, ret, e);

	if (r == 0)
		r = try_judge_load(ret->row.how, &judge, e);
	if (r < 0)
		return r;
	end_runs(&ret->row);
	for (size_t i = 0; i < ret->n; i++)
		if (is_winner(ret, &ret->branches[i]))
			ret->branches[i].state = TRY_WINNER;
	try_rank(judge.most, ret->branches, ret->n);
	ret->concluded = true;
	try_differences(ret->branches, ret->n, &ret->differs, &ret->n_differs);
	for (size_t i = 0; i < ret->n; i++) {
		struct try_record *b = &ret->branches[i];

		if (b->box && (keep || b->state == TRY_WINNER)) {
			strlist_add(&kept, b->box);
		} else {
			free(b->box);
			b->box = NULL;
		}
	}
	ret->state = ret->row.winner ? "won" : judge.mode == MODE_ALL ? "compared" : "none";
	try_write_end(ret->row.id, ret->state, experiment_json(ret));
	try_boxes_drop(ret->row.id, &kept);
	return 0;
}

static int claim(const char *id, size_t n, bool *ret_won, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	return r < 0 ? r : store_experiment_claim(state.store, id, (int64_t)n, ret_won, e);
}

static int note_branch(const char *id, size_t n, const struct try_record *record, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	json_t *kept = try_record_json(record);
	scoped(drop_mem) char *text = NULL;
	int r = box_state_open(&state, e);

	json_object_del(kept, "stdout_tail");
	json_object_del(kept, "stderr_tail");
	text = json_dumps(kept, JSON_COMPACT);
	json_decref(kept);
	return r < 0 ? r
		     : store_branch_set(state.store, id, (int64_t)n, try_state_names[record->state],
					text ? text : "", e);
}

/* Judges branch I and writes down what came out. */
static int judge_branch(const struct caller *by, const struct store_experiment *x, size_t i,
			struct try_record *ret, bool *ret_won, struct aisbx_error *e)
{
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	scoped(try_branch_finish) struct try_branch b = { 0 };
	const uint64_t begun_us = time_us();
	char forks[STORE_NAME_MAX + 1];
	int r = try_judge_load(x->how, &judge, e);

	if (r < 0)
		return r;
	snprintf(forks, sizeof(forks), "%s-%zu", x->id, i + 1);
	try_branch_init(&b, by, &judge, x->branches[i].box,
			forks); /* by its id: it may have another name by now */
	b.record.name = strdup(x->branches[i].name);
	if (!b.record.name)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "judge the branch");
	if (try_branch_judge(&b))
		try_branch_become(&b, TRY_PASSED, "%s", "");
	b.record.wall_ms = (double)(time_us() - begun_us) / 1000;
	r = note_branch(x->id, i + 1, &b.record, e);
	if (r == 0 && b.record.state == TRY_PASSED && judge.mode == MODE_FIRST) {
		r = claim(x->id, i + 1, ret_won, e);
		if (!*ret_won)
			try_record_become(&b.record, TRY_PASSED, "another was first");
	}
	if (r == 0) {
		*ret = b.record;
		b.record = (struct try_record){ 0 };
	}
	return r;
}

void experiment_ready_finish(struct experiment_ready *r)
{
	try_record_finish(&r->record);
	experiment_finish(&r->ended);
}

int experiment_ready(const struct caller *by, const char *key, const char *branch,
		     struct experiment_ready *ret, struct aisbx_error *e)
{
	scoped(experiment_finish) struct experiment x = { 0 };
	size_t i = 0;
	int r = experiment_show(key, &x, e);

	if (r == 0)
		r = check_open(&x.row, e);
	if (r == 0)
		r = find_branch(&x.row, branch, &i, e);
	if (r == 0)
		r = judge_branch(by, &x.row, i, &ret->record, &ret->won, e);
	memcpy(ret->experiment, x.row.id, sizeof(ret->experiment));
	return r == 0 && ret->won ? conclude(x.row.id, false, &ret->ended, e) : r;
}

int experiment_end(const struct experiment_end_request *req, struct experiment *ret, struct aisbx_error *e)
{
	scoped(experiment_finish) struct experiment x = { 0 };
	scoped(try_judge_finish) struct try_judge judge = { 0 };
	scoped(drop_mem) char *point = NULL;
	bool won;
	int r = experiment_show(req->key, &x, e);

	if (r == 0)
		r = check_open(&x.row, e);
	if (r == 0) /* before anything is gone: that its file can be read */
		r = try_judge_load(x.row.how, &judge, e);
	if (r == 0 && judge.mode != MODE_ALL) {
		try_rank(judge.most, x.branches, x.n);
		if (x.n && x.branches[0].rank)
			r = claim(x.row.id, x.branches[0].n, &won, e);
	}
	if (r == 0)
		r = conclude(x.row.id, req->keep, ret, e);
	if (r < 0 || !req->callbacks || !ret->row.winner)
		return r;
	point = try_record_point(&ret->branches[0]);
	r = point ? try_promote(req->callbacks, &judge, point, &ret->promotion, e)
		  : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote the winner");
	return r < 0 ? aisbx_hint(e, "the winner is in box '%s'", ret->branches[0].box) : 0;
}
