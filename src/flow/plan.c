/* SPDX-License-Identifier: Apache-2.0 */
/* Making, finding and removing plans. */
#include "flow/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"

#define MAX_STEPS 100u
#define MAX_TEXT  4096u

const char *plan_state(const struct store_plan *p)
{
	const char *state = "done";

	for (size_t i = 0; i < p->n_steps; i++) {
		if (!strcmp(p->steps[i].state, "failed") || !strcmp(p->steps[i].state, "running"))
			return p->steps[i].state;
		if (!strcmp(p->steps[i].state, "pending"))
			state = "open";
	}
	return state;
}

static int check_text(const char *text, const char *what, struct aisbx_error *e)
{
	if (text[strspn(text, " \t\r\n")] && strlen(text) <= MAX_TEXT)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "%s must have 1 to %u bytes", what,
			    MAX_TEXT);
}

/* P borrows from REQ, but for its list of steps. */
static int read_plan(const struct plan_request *req, struct store_plan *p, struct aisbx_error *e)
{
	int r;

	p->goal = (char *)req->goal;
	p->project = (char *)req->project;
	p->created_ms = box_now_ms();
	p->n_steps = req->steps->n;
	if (p->n_steps > MAX_STEPS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "%zu steps; a plan may have at most %u", p->n_steps, MAX_STEPS);
	p->steps = calloc(p->n_steps + 1, sizeof(*p->steps));
	if (!p->steps)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the plan");
	r = check_text(p->goal, "a goal", e);
	for (size_t i = 0; r == 0 && i < p->n_steps; i++) {
		p->steps[i] = (struct store_step){
			.what = req->steps->items[i], .note = (char *)"", .state = "pending", .exit_code = -1
		};
		r = check_text(p->steps[i].what, "a step", e);
	}
	return r;
}

static int add(struct box_state *state, const char *key, struct store_plan *p, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = key ? box_find(state, key, &box, e) : 0;

	if (r < 0)
		return r;
	memcpy(p->box, box.id, sizeof(p->box));
	if (key && box.project)
		p->project = box.project;
	snprintf(p->owner, sizeof(p->owner), "%s", box_acting_for() ? box_acting_for() : "");
	box_new_id("plan-", p->id);
	r = store_begin(state->store, e);
	if (r == 0)
		r = store_plan_add(state->store, p, e);
	if (r == 0)
		r = store_event_add(state->store, "plan.created", key ? box.id : NULL, NULL, e,
				    "{\"plan\":\"%s\",\"steps\":%zu}", p->id, p->n_steps);
	if (r == 0)
		r = store_commit(state->store, e);
	else
		store_rollback(state->store);
	return r;
}

int plan_create(const struct plan_request *req, struct store_plan *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_plan p = { 0 };
	int r = read_plan(req, &p, e);

	if (r == 0)
		r = box_state_open(&state, e);
	if (r == 0)
		r = add(&state, req->box, &p, e);
	free(p.steps);
	return r < 0 ? r : store_plan_find(state.store, p.id, box_acting_for(), ret, e);
}

int plan_find(const char *key, struct store_plan *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	return r < 0 ? r : store_plan_find(state.store, key, box_acting_for(), ret, e);
}

int plan_list(const char *match, int64_t limit, struct store_plan **ret, size_t *ret_n, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	const struct store_plan_filter filter = { .owner = box_acting_for(), .match = match, .limit = limit };
	int r = box_state_open(&state, e);

	return r < 0 ? r : store_plan_list(state.store, &filter, ret, ret_n, e);
}

static int remove_one(struct box_state *state, const char *key, struct strlist *ids, struct aisbx_error *e)
{
	scoped(store_plan_finish) struct store_plan p = { 0 };
	int r = store_plan_find(state->store, key, box_acting_for(), &p, e);

	if (r == 0)
		r = store_plan_remove(state->store, p.id, e);
	if (r == 0)
		r = store_event_add(state->store, "plan.removed", NULL, NULL, e, "{\"plan\":\"%s\"}", p.id);
	if (r == 0)
		strlist_add(ids, p.id);
	return r == 0 && ids->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "remove plans") : r;
}

int plan_remove(const struct strlist *keys, struct strlist *ret_ids, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	if (r == 0)
		r = store_begin(state.store, e);
	for (size_t i = 0; r == 0 && i < keys->n; i++)
		r = remove_one(&state, keys->items[i], ret_ids, e);
	if (r == 0)
		r = store_commit(state.store, e);
	else if (state.store)
		store_rollback(state.store);
	return r;
}
