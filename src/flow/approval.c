/* SPDX-License-Identifier: Apache-2.0 */
/* A person's decision on a stage: asked for, checked, recorded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "flow/pipeline.h"

#define MAX_NOTE 4096u

/* Who says so, as far as the system tells. */
static void note_who(const struct caller *by, struct store_approval *a)
{
	static const char *const names[] = { "LOGNAME=", "USER=" };

	a->uid = getuid();
	a->time_ms = box_now_ms();
	snprintf(a->name, sizeof(a->name), "uid %u", (unsigned int)getuid());
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; by->env && by->env[i]; i++)
			if (!strncmp(by->env[i], names[k], strlen(names[k])) && by->env[i][strlen(names[k])])
				snprintf(a->name, sizeof(a->name), "%.*s", STORE_NAME_MAX,
					 by->env[i] + strlen(names[k]));
}

/* An approval is for one stage with one snapshot; 0: nobody said anything, 1: yes, -EACCES: no. */
static int heard(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	scoped(store_approval_finish) struct store_approval a = { 0 };
	int r = store_approval_find(p->state.store, p->row.id, i, p->row.snapshot, &a, e);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (note)
		snprintf(note->why, sizeof(note->why), "%s %s%s%s",
			 a.approved ? "approved by" : "rejected by", a.name, *a.note ? ": " : "", a.note);
	return a.approved ? 1 : -EACCES;
}

bool pipeline_is_approved(struct pipeline *p, size_t i)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return heard(p, i, NULL, &ignored) == 1;
}

int pipeline_ask(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	struct store_approval a = { .approved = true, .way = "yes", .note = (char *)"" };
	int r = heard(p, i, note, e);

	if (r == 0 && p->row.yes) {
		note_who(p->callbacks.by, &a);
		memcpy(a.snapshot, p->row.snapshot, sizeof(a.snapshot));
		r = store_approval_add(p->state.store, p->row.id, i, &a, e);
		return r < 0 ? r : EVENT_APPROVE;
	}
	if (r == 0)
		return PIPELINE_WAITS;
	return r == 1 ? EVENT_APPROVE : r == -EACCES ? EVENT_REJECT : r;
}

/* Of the stage that waits; N: none does. */
static size_t waiting_at(const struct store_pipeline *row)
{
	size_t i = 0;

	while (i < row->n_stages && strcmp(row->stages[i].state, stage_state_name(STAGE_WAITING)) != 0)
		i++;
	return i;
}

/* With the event that tells of it, on the disk. */
static int record(struct pipeline *p, size_t i, const struct store_approval *a, struct aisbx_error *e)
{
	struct store *s = p->state.store;
	int r = store_sync(s, e);

	if (r == 0)
		r = store_begin(s, e);
	if (r == 0)
		r = store_approval_add(s, p->row.id, i, a, e);
	if (r == 0)
		r = store_event_add(s, a->approved ? "stage.approved" : "stage.rejected", p->row.box, NULL, e,
				    "{\"pipeline\":\"%s\",\"stage\":%zu}", p->row.id, i);
	if (r == 0)
		r = store_commit(s, e);
	store_rollback(s);
	return r;
}

/* Of the stage that waits there is something that would run code later. */
static bool has_traps(const struct store_stage *s)
{
	json_t *detail = json_loads(s->detail, 0, NULL);
	bool any =
		!detail || json_array_size(json_object_get(json_object_get(detail, "target"), "traps")) > 0;

	json_decref(detail);
	return any;
}

int pipeline_approve(struct pipeline *p, const struct pipeline_word *word, struct aisbx_error *e)
{
	struct store_approval a = { .approved = !word->reject,
				    .note = (char *)(word->note ? word->note : "") };
	size_t i = waiting_at(&p->row);

	if (i == p->row.n_stages || p->row.back)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EALREADY,
			"pipeline '%s' is not waiting for approval; 'aisbx pipeline show %s' shows its state",
			p->row.id, p->row.id);
	if (strlen(a.note) > MAX_NOTE)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a note may have at most %u bytes", MAX_NOTE);
	if (word->snapshot && strcmp(word->snapshot, p->row.snapshot) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "pipeline '%s' is for snapshot '%s', not '%.60s'", p->row.id,
				    p->row.snapshot, word->snapshot);
	if (p->callbacks.by->person && a.approved &&
	    has_traps(&p->row.stages[i])) /* a client may answer by itself */
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
				    "stage '%.60s' would run code later, outside of any box: review it, and "
				    "run 'aisbx approve %s' in a terminal",
				    p->row.stages[i].name, p->row.id);
	memcpy(a.snapshot, p->row.snapshot, sizeof(a.snapshot));
	snprintf(a.way, sizeof(a.way), "%s", p->callbacks.by->person ? "asked" : "approve");
	note_who(p->callbacks.by, &a);
	return record(p, i, &a, e);
}
