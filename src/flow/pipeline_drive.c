/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a pipeline: finds its current stage, acts, records the outcome, and repeats. Every state is on disk
 * before the action that it announces.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "flow/pipeline.h"

static enum stage_state state_at(const struct store_pipeline *row, size_t i)
{
	return stage_state_by_name(row->stages[i].state);
}

static size_t find_at(const struct store_pipeline *row)
{
	scoped(drop_mem) enum stage_state *states = calloc(row->n_stages + 1, sizeof(*states));

	for (size_t i = 0; states && i < row->n_stages; i++)
		states[i] = state_at(row, i);
	return states ? pipeline_at(states, row->n_stages, row->back) : row->n_stages;
}

/* What the stage knew before, with DETAIL over it; heap or NULL. */
static char *add_detail(const struct store_stage *s, json_t *detail)
{
	json_t *all = json_loads(s->detail, 0, NULL);
	char *text;

	if (!all)
		all = json_object();
	json_object_update(all, detail);
	text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

/* What was said of the state before does not fit the next, unless that is its consequence. */
static bool keeps_why(enum stage_state to)
{
	return to == STAGE_UNDOING || to == STAGE_UNDONE || to == STAGE_FAILED || to == STAGE_STUCK;
}

static int write_down(struct pipeline *p, size_t i, const struct store_stage *to, struct aisbx_error *e)
{
	struct store *s = p->state.store;
	bool moved = false;
	char kind[32];
	int r = store_sync(s, e);

	snprintf(kind, sizeof(kind), "stage.%s", to->state);
	if (r == 0)
		r = store_begin(s, e);
	if (r == 0)
		r = store_stage_move(s, p->row.id, i, p->row.stages[i].state, to, &moved, e);
	if (r == 0 && !moved)
		r = aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_STORE, EBUSY,
				 "another process changed stage '%s' of pipeline '%s'", p->row.stages[i].name,
				 p->row.id);
	if (r == 0)
		r = store_event_add(s, kind, p->row.box, NULL, e, "{\"pipeline\":\"%s\",\"stage\":%zu}",
				    p->row.id, i);
	if (r == 0)
		r = store_commit(s, e);
	store_rollback(s);
	return r;
}

static void set_times(struct store_stage *s, enum stage_state to)
{
	if (to == STAGE_JUDGING)
		s->begun_ms = box_now_ms();
	s->ended_ms = to == STAGE_PASSED || to == STAGE_FAILED || to == STAGE_UNDONE || to == STAGE_STUCK
			      ? box_now_ms()
			      : 0;
}

/* What JSON can hold, for it may have been cut in the middle of a letter; heap or NULL. */
static char *clean(const char *why)
{
	scoped(buf_finish) struct buf text = { 0 };

	buf_add_utf8(&text, why, strlen(why));
	return buf_str(&text) ? take_mem(&text.data) : NULL;
}

int pipeline_move(struct pipeline *p, size_t i, enum stage_event ev, const char *why, json_t *detail,
		  struct aisbx_error *e)
{
	struct store_stage *s = &p->row.stages[i], to = *s;
	enum stage_state next = stage_next(state_at(&p->row, i), ev);
	int r;

	if (next == STAGE_STATE_COUNT) {
		json_decref(detail);
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "stage '%s' is %s, and does not accept '%s'", s->name, s->state,
				    stage_event_name(ev));
	}
	snprintf(to.state, sizeof(to.state), "%s", stage_state_name(next));
	if (next == STAGE_APPLYING) /* chosen before it is made: so it can be looked for afterwards */
		box_new_id("p-", to.promotion);
	set_times(&to, next);
	to.detail = add_detail(s, detail);
	to.why = clean(why && *why ? why : keeps_why(next) ? s->why : "");
	json_decref(detail);
	r = to.detail && to.why ? write_down(p, i, &to, e)
				: aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "record a stage");
	if (r < 0) {
		free(to.detail);
		free(to.why);
		return r;
	}
	free(s->detail);
	free(s->why);
	*s = to;
	p->fresh = true;
	if (p->callbacks.tell)
		p->callbacks.tell(p->callbacks.ctx, &p->row, i);
	return 0;
}

static int act(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	enum stage_state s = state_at(&p->row, i);

	if (p->row.back && s != STAGE_UNDOING)
		return EVENT_BACK;
	if (s == STAGE_PENDING)
		return EVENT_BEGIN;
	if (s < STAGE_STATE_COUNT && pipeline_acts[s])
		return pipeline_acts[s](p, i, note, e);
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
			    "stage '%s' is in an unknown state: '%s'", p->row.stages[i].name,
			    p->row.stages[i].state);
}

int pipeline_drive(struct pipeline *p, struct aisbx_error *e)
{
	size_t at;
	int r;

	while ((at = find_at(&p->row)) < p->row.n_stages) {
		struct stage_note note = { 0 };

		r = act(p, at, &note, e);
		if (r == PIPELINE_WAITS || r < 0) {
			json_decref(note.detail);
			if (r == PIPELINE_WAITS)
				break;
			aisbx_context(e, "stage '%s'", p->row.stages[at].name);
			return aisbx_hint(
				e,
				"'aisbx pipeline resume %s' tries again, 'aisbx pipeline undo %s' undoes it",
				p->row.id, p->row.id);
		}
		r = pipeline_move(p, at, (enum stage_event)r, note.why, note.detail, e);
		if (r < 0)
			return r;
	}
	close_fd(&p->lock); /* it is not live any more, and says so */
	return 0;
}
