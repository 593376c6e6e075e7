/* SPDX-License-Identifier: Apache-2.0 */
/* Several approaches at once, each in its own box; the tests decide which is kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/names.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/show.h"
#include "flow/try_internal.h"

#define NAME_TRIES 20

static void finish(struct try *t)
{
	workers_finish(&t->workers);
	for (size_t i = 0; t->lanes && i < t->n; i++)
		try_record_finish(&t->lanes[i].record);
	free(t->lanes);
	try_approaches_finish(&t->approaches);
	try_judge_finish(&t->judge);
	if (t->allowance)
		munmap(t->allowance, sizeof(*t->allowance));
	if (t->state_dir)
		try_unlock(t->state_dir, t->id, &t->lock);
	free(t->state_dir);
	fingerprint_scan_free(t->scan);
	fingerprints_free(t->fingerprints);
}

/* Before anything is written down or told: a command line may have them in it. */
static int know_secrets(struct try *t, struct aisbx_error *e)
{
	scoped(box_spec_finish) struct run_spec req = { 0 };
	scoped(drop_mem) char *box = t->req->box ? strndup(t->req->box, strcspn(t->req->box, "@")) : NULL;
	char *words[] = { "true" };
	struct run_options like = t->judge.run;
	int r;

	like.command = (struct strlist){ .items = words, .n = 1 };
	like.box = box;
	if (!t->req->box)
		like.profile = t->req->profile;
	r = t->req->box && !box ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the secrets")
				: box_spec_fill(t->by, &like, &req, e);
	if (r == 0)
		r = fingerprints_record(t->state_dir, req.secrets.items, req.secrets.n, e);
	if (r == 0)
		r = fingerprints_load(t->state_dir, &t->fingerprints, e);
	if (r == 0 && t->fingerprints && !(t->scan = fingerprint_scan_create(t->fingerprints)))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "search for secrets");
	return r;
}

static int make_lanes(struct try *t, struct aisbx_error *e)
{
	t->n = t->approaches.n;
	t->parallel = t->judge.parallel ? t->judge.parallel : t->n;
	t->lanes = calloc(t->n, sizeof(*t->lanes));
	t->allowance =
		mmap(NULL, sizeof(*t->allowance), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->allowance == MAP_FAILED)
		t->allowance = NULL;
	for (size_t i = 0; t->lanes && i < t->n; i++) {
		struct try_record *r = &t->lanes[i].record;

		*r = (struct try_record){ .n = i + 1,
					  .name = strdup(t->approaches.items[i].name),
					  .command = strdup(t->approaches.items[i].command),
					  .has_tails = true };
		if (!r->name || !r->command)
			return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "allocate memory for %zu branches",
					  t->n);
	}
	if (!t->lanes || !t->allowance)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "allocate memory for %zu branches", t->n);
	t->allowance->most = t->judge.budget_runs;
	t->judge.allowance = t->allowance;
	return 0;
}

static int make_boxes(struct try *t, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 }, ids = { 0 };
	int r = try_boxes_make(t->by, t->req, t->id, t->n, &names, &ids, e);

	for (size_t i = 0; r == 0 && i < t->n; i++)
		t->lanes[i].record.box = take_mem(&names.items[i]);
	return r;
}

/* ---- after ---- */

/* The best of those that passed, unless somebody has won. What the store says counts. */
static int settle(struct try *t, const struct try_record *best, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_experiment_finish) struct store_experiment x = { 0 };
	bool won;
	int r = box_state_open(&state, e);

	if (r == 0 && !t->workers.interrupted && t->judge.mode == MODE_BEST && best->state == TRY_PASSED)
		r = store_experiment_claim(state.store, t->id, (int64_t)best->n, &won, e);
	if (r == 0)
		r = store_experiment_find(state.store, t->id, NULL, &x, e);
	if (r == 0)
		t->winner = (int)x.winner - 1;
	return r;
}

static void mark_winner(struct try *t, struct try_result *ret)
{
	for (size_t i = 0; i < ret->n; i++)
		if (t->winner >= 0 && ret->branches[i].n == (size_t)t->winner + 1) {
			try_record_become(&ret->branches[i], TRY_WINNER, "");
			try_tell(t, (size_t)t->winner, &ret->branches[i]);
		}
	if (t->winner >= 0) /* the first to pass comes before better ones that were too late */
		try_rank(t->judge.most, ret->branches, ret->n);
}

/* A box that stays gets a name that people can say; if that fails it has its old one. */
static void name_box(const struct try *t, struct try_record *r)
{
	uint64_t seed = strtoull(t->id + 2, NULL, 16);

	for (uint64_t i = 0; i < NAME_TRIES; i++) {
		struct aisbx_error ignored = AISBX_ERROR_INIT;
		char words[NAME_TWO_WORDS_SIZE], name[STORE_NAME_MAX + 1];
		const struct box_rename_request req = { .box = r->box, .name = name, .cwd = t->by->cwd };
		scoped(box_info_finish) struct box_info info = { 0 };
		char *mine;

		name_two_words(seed + i, words);
		snprintf(name, sizeof(name), "%s-%zu", words, r->n);
		mine = strdup(name);
		if (mine && box_rename(&req, &info, &ignored) == 0) {
			free(r->box);
			r->box = mine;
			return;
		}
		free(mine);
	}
}

/* Boxes go, but for the winner's; of all with KEEP. */
static void clear_up(struct try *t, struct try_result *ret)
{
	scoped(strlist_finish) struct strlist names = { 0 };

	for (size_t i = 0; i < ret->n; i++) {
		struct try_record *r = &ret->branches[i];

		if (t->req->keep || r->state == TRY_WINNER) {
			strlist_add(&names, r->box);
		} else {
			free(r->box);
			r->box = NULL;
		}
	}
	try_boxes_drop(t->id, &names);
	for (size_t i = 0; i < ret->n; i++)
		if (ret->branches[i].box)
			name_box(t, &ret->branches[i]);
}

static int promote_winner(struct try *t, struct try_result *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *point = try_record_point(&ret->branches[0]);
	int r;

	workers_finish(&t->workers); /* from now on signals are for what is run there */
	r = point ? try_promote(t->req->callbacks, &t->judge, point, &ret->promotion, e)
		  : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote the winner");
	return r < 0 ? aisbx_hint(e, "the winner is in box '%s'", ret->branches[0].box) : 0;
}

static int conclude(struct try *t, struct try_result *ret, struct aisbx_error *e)
{
	int r;

	ret->branches = calloc(t->n, sizeof(*ret->branches));
	if (!ret->branches)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	for (ret->n = 0; ret->n < t->n; ret->n++) {
		ret->branches[ret->n] = t->lanes[ret->n].record;
		t->lanes[ret->n].record = (struct try_record){ 0 };
	}
	try_rank(t->judge.most, ret->branches, ret->n);
	r = settle(t, &ret->branches[0], e);
	if (r < 0)
		return r;
	mark_winner(t, ret);
	try_differences(ret->branches, ret->n, &ret->differs, &ret->n_differs);
	clear_up(t, ret);
	memcpy(ret->experiment, t->id, sizeof(ret->experiment));
	ret->mode = t->judge.mode;
	ret->state = t->cut_short                ? t->cut_short
		     : t->winner >= 0            ? "won"
		     : t->judge.mode == MODE_ALL ? "compared"
						 : "none";
	ret->wall_ms = (double)(time_us() - t->begun_us) / 1000;
	ret->signal = t->workers.interrupted;
	try_write_end(t->id, ret->state, try_result_json(ret));
	if (t->winner >= 0 && !t->workers.interrupted && t->req->promote)
		r = promote_winner(t, ret, e);
	return r;
}

static int begin(struct try *t, struct aisbx_error *e)
{
	int r = try_judge_read(t->by, t->req, false, &t->judge, &t->approaches, e);

	if (r == 0)
		r = make_lanes(t, e);
	if (r == 0 && !(t->state_dir = box_state_dir(e)))
		r = e->code;
	if (r == 0)
		r = store_make_dirs(t->state_dir, e);
	if (r == 0)
		r = know_secrets(t, e);
	if (r == 0)
		box_new_id("x-", t->id);
	if (r == 0)
		r = try_lock(t->state_dir, t->id, &t->lock, e);
	if (r == 0) /* before its boxes: should this process be killed, gc finds what it left */
		r = try_write_down(&t->judge, t->id, "running", &t->approaches, NULL, e);
	if (r == 0) /* from here on a signal does not end us with boxes half made */
		r = try_attend_init(t, e);
	if (r == 0)
		r = make_boxes(t, e);
	for (size_t i = 0; r == 0 && i < t->n; i++)
		try_tell(t, i, &t->lanes[i].record);
	return r;
}

static void give_up(struct try *t)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_state_close) struct box_state state = { 0 };
	bool ended;

	workers_finish(&t->workers);
	if (!t->id[0])
		return;
	try_boxes_drop(t->id, NULL);
	if (box_state_open(&state, &ignored) == 0)
		store_experiment_end(state.store, t->id, "error", "", box_now_ms(), &ended, &ignored);
}

int flow_try(const struct caller *by, const struct try_request *req, struct try_result *ret,
	     struct aisbx_error *e)
{
	scoped(finish) struct try t = {
		.by = by, .req = req, .begun_us = time_us(), .winner = -1, .lock = -1, .workers.signals = -1
	};
	int r = begin(&t, e);

	if (r == 0)
		r = try_attend(&t, e);
	if (r == 0)
		r = conclude(&t, ret, e);
	else
		give_up(&t);
	return r;
}
