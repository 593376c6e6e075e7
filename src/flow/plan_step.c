/* SPDX-License-Identifier: Apache-2.0 */
/* The next step of a plan: who runs it, and its outcome. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "flow/plan.h"

static bool is(const struct store_step *s, const char *state)
{
	return !strcmp(s->state, state);
}

/* From what it is to STATE, unless somebody else was faster. */
static int move(struct box_state *box_state, const struct store_plan *p, size_t i, struct store_step *to,
		const char *state, struct aisbx_error *e)
{
	bool moved = false;
	int r;

	snprintf(to->state, sizeof(to->state), "%s", state);
	r = store_step_move(box_state->store, p->id, i + 1, p->steps[i].state, to, &moved, e);
	if (r == 0 && !moved)
		r = aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				 "another process is running step %zu of plan '%s'", i + 1, p->id);
	if (r == 0)
		memcpy(p->steps[i].state, to->state, sizeof(to->state));
	return r;
}

static int refuse(const struct store_plan *p, size_t i, struct aisbx_error *e)
{
	if (is(&p->steps[i], "failed"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "step %zu of plan '%s' failed ('%.80s'); --again repeats it, --skip "
				    "continues without it",
				    i + 1, p->id, p->steps[i].what);
	return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
			    "step %zu of plan '%s' is in progress; if its process is gone, --again repeats "
			    "it, --skip continues without it",
			    i + 1, p->id);
}

/* The step to do now, claimed; a failed one that is in the way is dealt with as HOW says. */
static int claim(struct box_state *state, const struct store_plan *p, const struct plan_claim *how,
		 size_t *ret_i, struct aisbx_error *e)
{
	struct store_step to = { .exit_code = -1, .note = (char *)"", .begun_ms = box_now_ms() };
	size_t i = 0;
	int r = 0;

	while (i < p->n_steps && (is(&p->steps[i], "ok") || is(&p->steps[i], "skipped")))
		i++;
	if (i < p->n_steps && !is(&p->steps[i], "pending")) {
		if (!how->again && !how->skip)
			return refuse(p, i, e);
		if (how->skip) {
			struct store_step old = p->steps[i];

			r = move(state, p, i, &old, "skipped", e);
			i++;
		}
	} else if (i < p->n_steps && (how->again || how->skip)) {
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "no step of plan '%s' has failed; omit --again and --skip", p->id);
	}
	if (r < 0)
		return r;
	*ret_i = i;
	if (i == p->n_steps)
		return how->skip ? 0
				 : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENODATA,
						"plan '%s' is done: there are no more steps", p->id);
	return move(state, p, i, &to, "running", e);
}

int plan_claim(const char *key, const struct plan_claim *how, struct store_plan *ret, size_t *ret_i,
	       struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r;

	if (how->again && how->skip)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--again and --skip contradict each other; give one");
	r = box_state_open(&state, e);
	if (r == 0)
		r = store_plan_find(state.store, key, box_acting_for(), ret, e);
	return r < 0 ? r : claim(&state, ret, how, ret_i, e);
}

int plan_settle(const struct store_plan *p, size_t i, const struct plan_outcome *o, struct store_plan *ret,
		struct aisbx_error *e)
{
	struct store_step to = { .exit_code = o->exit_code,
				 .begun_ms = o->begun_ms,
				 .ended_ms = box_now_ms(),
				 .note = (char *)(o->note ? o->note : "") };
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	snprintf(to.run, sizeof(to.run), "%s", o->run ? o->run : "");
	if (r == 0)
		r = store_begin(state.store, e);
	if (r == 0)
		r = move(&state, p, i, &to, o->ok ? "ok" : "failed", e);
	if (r == 0)
		r = store_event_add(state.store, "plan.step", p->box[0] ? p->box : NULL, o->run, e,
				    "{\"plan\":\"%s\",\"step\":%zu,\"state\":\"%s\"}", p->id, i + 1,
				    to.state);
	if (r == 0)
		r = store_commit(state.store, e);
	else if (state.store)
		store_rollback(state.store);
	return r < 0 ? r : store_plan_find(state.store, p->id, box_acting_for(), ret, e);
}
