/* SPDX-License-Identifier: Apache-2.0 */
/* Removing boxes, and tidying up after them. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/context.h"
#include "box/kept_output.h"
#include "box/lifecycle.h"
#include "box/live_run.h"
#include "box/owner.h"
#include "box/room.h"
#include "box/run_names.h"
#include "box/sessions.h"
#include "box/share.h"
#include "box/show.h"

/* Whoever started them: they are in the box that goes. */
static int add_runs(const char *box_id, struct strlist *ret_runs, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 };
	struct live_run *runs = NULL;
	size_t n = 0;
	int r = box_runs_present(&ids, e);

	if (r == 0)
		r = live_runs_look(&ids, &runs, &n, e);
	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *box = json_string_value(json_object_get(runs[i].about, "box"));

		if (box && !strcmp(box, box_id))
			strlist_add(ret_runs, runs[i].id);
	}
	live_runs_finish(runs, n);
	return r == 0 && ret_runs->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the runs") : r;
}

/* That it can go: it is free, or what is in it is to be ended, or nothing but interpreters is in it, which
 * nobody waits for; those are added to RET_RUNS. Runs in a box that another owner shares are not ours to end.
 */
static int check_doomed(struct box_state *state, const char *key, bool end, struct strlist *ret_runs,
			struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error late = AISBX_ERROR_INIT;
	scoped(drop_fd) int lock = -1;
	size_t before = ret_runs->n;
	int r = box_find_free(state, key, &lock, &box, e);

	if (r != -EBUSY)
		return r;
	if (end && box_owns(box.owner))
		add_runs(box.id, ret_runs, &late);
	else if (box_contexts_idle(box.id, ret_runs, &late) == 0 && ret_runs->n == before)
		aisbx_hint(e, "kill ends what runs in it");
	if (late.code || ret_runs->n == before)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

/* All are found, and free, before the first goes: a typo removes nothing. A lock at a time: there may be
 * thousands. */
static int clear_the_way(const struct strlist *keys, bool end, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(strlist_finish) struct strlist runs = { 0 };
	int r = box_state_open(&state, e);

	for (size_t i = 0; r == 0 && i < keys->n; i++)
		r = check_doomed(&state, keys->items[i], end, &runs, e);
	return r == 0 ? box_contexts_stop(&runs, e) : r;
}

int box_rm(const struct strlist *keys, bool end, struct strlist *ret_removed, struct aisbx_error *e)
{
	int r = keys->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "remove boxes")
			     : clear_the_way(keys, end, e);

	return r < 0 ? r : box_remove(keys, ret_removed, e);
}

static int share_equal(struct box_state *s, struct box_gc_report *ret, struct aisbx_error *e)
{
	struct share_report report;
	int r = box_share(s, &report, e);

	ret->shared = r < 0 ? 0 : report.bytes + report.cloned;
	return r;
}

int box_tidy(bool share, struct box_tidied *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	size_t left = 0;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = box_sessions_settle(&left, e);
	if (r == 0)
		r = box_gc(&state, &ret->boxes, e);
	if (r == 0 && share)
		r = share_equal(&state, &ret->boxes, e);
	if (r < 0)
		return box_hint_room(state.dir, r, e);
	live_run_settle_all();
	run_names_collect();
	r = box_runs_collect(&ret->logs, e);
	return r == 0 ? kept_output_collect(&ret->logs, e) : r;
}
