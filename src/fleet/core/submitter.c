/* SPDX-License-Identifier: Apache-2.0 */
/* What a submitter decides about each of its jobs. */
#include "fleet/core/submitter.h"

#include <stdlib.h>
#include <string.h>

#include "fleet/core/memory.h"
#include "fleet/core/names.h"
#include "fleet/core/planted.h"
#include "fleet/core/table.h"

#define NEVER         UINT64_MAX
#define SOON_MS       250  /* after a hint, or a failure */
#define LOOK_MOST     16   /* times look_ms */
#define AGAIN_MOST    64   /* times again_ms */
#define FULL_AGAIN_MS 1000 /* if the engine does not say */

/* What is asked of the engine for a job. */
enum asking { ASKING_NOTHING, ASKING_SUBMIT, ASKING_RECORD };

struct kept {
	struct fleet_job job;
	struct fleet_record end; /* ABSENT until it has ended */
	bool accepted;           /* once: it is in the queue, or was */
	bool wants_submit;       /* next: submit, rather than look */
	bool cancelled;
	bool granted;
	char node[FLEET_NAME]; /* to whom */
	uint64_t incarnation, number;

	enum asking asking;
	uint64_t ask;   /* its number */
	uint64_t due;   /* the answer is given up, or the next look */
	uint64_t look;  /* how long until the next look */
	uint64_t seen;  /* revision of its record, at the last look */
	uint64_t moved; /* when that changed, or it was submitted */
	uint64_t again; /* how long until it is submitted again */
};

struct fleet_submitter {
	struct fleet_submitter_options options;
	struct fleet_table *jobs; /* of struct kept, by id */
	struct fleet_table *asks; /* the same, by the number of the question */
	uint64_t last_ask;
	uint64_t next; /* nothing is due before */
};

struct fleet_submitter *fleet_submitter_create(const struct fleet_submitter_options *options)
{
	struct fleet_submitter *s = fleet_new(sizeof(*s));

	s->options = *options;
	s->jobs = fleet_table_create();
	s->asks = fleet_table_create();
	s->next = NEVER;
	return s;
}

static void set_due(struct fleet_submitter *s, struct kept *k, uint64_t ms)
{
	k->due = ms;
	if (ms < s->next)
		s->next = ms;
}

static void free_kept(struct kept *k)
{
	fleet_job_finish(&k->job);
	fleet_record_finish(&k->end);
	free(k);
}

void fleet_submitter_destroy(struct fleet_submitter *s)
{
	struct fleet_cursor at = { 0 };
	struct kept *k;

	if (!s)
		return;
	while ((k = fleet_table_next(s->jobs, &at, NULL)))
		free_kept(k);
	fleet_table_destroy(s->jobs);
	fleet_table_destroy(s->asks);
	free(s);
}

static void stop_asking(struct fleet_submitter *s, struct kept *k)
{
	char name[FLEET_NAME];

	if (k->asking)
		fleet_table_remove(s->asks, fleet_number_name(k->ask, name));
	k->asking = ASKING_NOTHING;
}

void fleet_submitter_drop(struct fleet_submitter *s, const char *id)
{
	struct kept *k = fleet_table_remove(s->jobs, id);

	if (!k)
		return;
	stop_asking(s, k);
	free_kept(k);
}

static void ask(struct fleet_submitter *s, struct fleet_now now, struct kept *k, enum asking what,
		struct fleet_actions *out)
{
	struct fleet_ask *a = &fleet_actions_add(out, FLEET_ASK)->ask;
	char name[FLEET_NAME];

	k->asking = what;
	k->ask = ++s->last_ask;
	set_due(s, k, now.ms + s->options.ask_ms);
	fleet_table_put(s->asks, fleet_number_name(k->ask, name), k);
	a->kind = what == ASKING_SUBMIT ? FLEET_ASK_SUBMIT : FLEET_ASK_RECORD;
	a->number = k->ask;
	fleet_name_copy(a->id, k->job.id);
	fleet_name_copy(a->tenant, k->job.tenant);
	fleet_name_copy(a->class, k->job.class);
	if (what == ASKING_SUBMIT)
		fleet_job_copy(&k->job, &a->job);
}

static bool is_over(const struct kept *k)
{
	return k->end.phase != FLEET_ABSENT && k->end.phase != FLEET_UNKNOWN;
}

static struct kept *add(struct fleet_submitter *s, struct fleet_now now, const struct fleet_job *job)
{
	struct kept *k = fleet_new(sizeof(*k));

	fleet_job_copy(job, &k->job);
	k->look = s->options.look_ms;
	k->again = s->options.again_ms;
	k->moved = now.ms;
	k->wants_submit = true;
	fleet_table_put(s->jobs, job->id, k);
	return k;
}

static void tell(struct kept *k, struct fleet_actions *out)
{
	struct fleet_action *a = fleet_actions_add(out, FLEET_TELL);

	fleet_job_copy(&k->job, &a->job);
	fleet_record_copy(&k->end, &a->record);
}

void fleet_submitter_restore(struct fleet_submitter *s, struct fleet_now now,
			     const struct fleet_saved_job *saved, struct fleet_actions *out)
{
	struct kept *k = add(s, now, &saved->job);

	fleet_record_copy(&saved->record, &k->end);
	if (saved->granted && !PLANTED(GRANT_NOT_SAVED)) {
		k->granted = true;
		fleet_name_copy(k->node, saved->node);
		k->incarnation = saved->incarnation;
		k->number = saved->number;
	}
	if (k->end.phase != FLEET_ABSENT)
		tell(k, out);
	/* Whether it was accepted is not kept: its record tells, and to submit twice does no harm. */
	k->wants_submit = k->end.phase == FLEET_ABSENT;
	set_due(s, k, is_over(k) ? NEVER : now.ms);
}

bool fleet_submitter_submit(struct fleet_submitter *s, struct fleet_now now, const struct fleet_job *job,
			    struct fleet_actions *out)
{
	struct kept *k;

	if (fleet_table_get(s->jobs, job->id))
		return false;
	k = add(s, now, job);
	if (PLANTED(SENDS_BEFORE_SAVE))
		ask(s, now, k, ASKING_SUBMIT, out);
	fleet_job_copy(job, &fleet_actions_add(out, FLEET_SAVE_JOB)->job);
	if (!k->asking)
		ask(s, now, k, ASKING_SUBMIT, out);
	return true;
}

static void send_cancel(struct fleet_submitter *s, const struct kept *k, struct fleet_actions *out)
{
	struct fleet_message *m = &fleet_actions_add(out, FLEET_SEND)->message;

	m->kind = FLEET_MSG_CANCEL;
	fleet_name_copy(m->from, s->options.name);
	fleet_name_copy(m->job, k->job.id);
	fleet_name_copy(m->tenant, k->job.tenant);
}

static void look_soon(struct fleet_submitter *s, struct fleet_now now, struct kept *k,
		      struct fleet_actions *out)
{
	k->look = SOON_MS;
	if (!k->asking)
		ask(s, now, k, ASKING_RECORD, out);
}

void fleet_submitter_cancel(struct fleet_submitter *s, struct fleet_now now, const char *id,
			    struct fleet_actions *out)
{
	struct kept *k = fleet_table_get(s->jobs, id);

	if (!k || k->end.phase != FLEET_ABSENT)
		return;
	k->cancelled = true;
	send_cancel(s, k, out);
	k->look = SOON_MS;
	if (!k->asking)
		set_due(s, k, now.ms + SOON_MS);
}

/* Says that nothing came of it, and its writer is not the one that was granted: the engine had lost the
 * claim, and the job may have run. */
static bool is_mistaken(const struct kept *k, const struct fleet_record *record)
{
	return k->granted && (record->phase == FLEET_DEAD || record->phase == FLEET_CANCELLED) &&
	       (strcmp(k->node, record->node) || k->incarnation != record->incarnation);
}

/* The job has a record that is final. */
static void end(struct fleet_submitter *s, struct kept *k, const struct fleet_record *record,
		struct fleet_actions *out)
{
	struct fleet_action *a;

	if (is_over(k) || (k->end.phase == FLEET_UNKNOWN && record->phase != FLEET_ENDED))
		return;
	stop_asking(s, k);
	fleet_record_finish(&k->end);
	fleet_record_copy(record, &k->end);
	if (is_mistaken(k, record))
		k->end.phase = FLEET_UNKNOWN;
	a = fleet_actions_add(out, FLEET_SAVE_END);
	fleet_job_copy(&k->job, &a->job);
	fleet_record_copy(&k->end, &a->record);
	tell(k, out);
	if (is_over(k))
		set_due(s, k, NEVER);
}

static void submitted(struct fleet_submitter *s, struct fleet_now now, struct kept *k,
		      const struct fleet_answer *a, struct fleet_actions *out)
{
	struct fleet_action *said;

	if (a->kind == FLEET_OK) {
		k->wants_submit = false;
		k->moved = now.ms;
		k->look = s->options.look_ms;
		set_due(s, k, now.ms + k->look);
		if (!k->accepted)
			fleet_job_copy(&k->job, &fleet_actions_add(out, FLEET_ACCEPTED)->job);
		k->accepted = true;
		return;
	}
	set_due(s, k, now.ms + (a->wait_ms ? a->wait_ms : FULL_AGAIN_MS));
	if (a->kind == FLEET_FULL) {
		said = fleet_actions_add(out, FLEET_FULL_QUEUE);
		fleet_job_copy(&k->job, &said->job);
		said->wait_ms = k->due - now.ms;
	}
}

static void looked(struct fleet_submitter *s, struct fleet_now now, struct kept *k,
		   const struct fleet_answer *a, struct fleet_actions *out)
{
	uint64_t most = s->options.look_ms * LOOK_MOST, revision = a->kind == FLEET_OK ? a->revision : 0;

	set_due(s, k, now.ms + k->look);
	k->look = k->look * 2 < most ? k->look * 2 : most;
	if (a->kind != FLEET_OK && a->kind != FLEET_NOT_THERE)
		return;
	if (a->kind == FLEET_OK && a->record.phase != FLEET_CLAIMED && a->record.phase != FLEET_ABSENT) {
		set_due(s, k, now.ms + most);
		end(s, k, &a->record, out);
		return;
	}
	if (k->cancelled && k->end.phase == FLEET_ABSENT)
		send_cancel(s, k, out);
	if (revision != k->seen) {
		k->seen = revision;
		k->moved = now.ms;
		k->again = s->options.again_ms;
	} else if (now.ms - k->moved >= k->again && k->end.phase == FLEET_ABSENT && !PLANTED(NEVER_AGAIN)) {
		k->again = k->again * 2 < s->options.again_ms * AGAIN_MOST ? k->again * 2 : k->again;
		k->wants_submit = true;
		set_due(s, k, now.ms);
	}
}

void fleet_submitter_answer(struct fleet_submitter *s, struct fleet_now now, const struct fleet_answer *a,
			    struct fleet_actions *out)
{
	char name[FLEET_NAME];
	struct kept *k = fleet_table_get(s->asks, fleet_number_name(a->number, name));
	enum asking what;

	if (!k)
		return;
	what = k->asking;
	stop_asking(s, k);
	if (what == ASKING_SUBMIT)
		submitted(s, now, k, a, out);
	else
		looked(s, now, k, a, out);
}

static void answer_node(struct fleet_submitter *s, const struct fleet_message *m, bool yes,
			const char *reason, struct fleet_actions *out)
{
	struct fleet_message *answer = &fleet_actions_add(out, FLEET_SEND)->message;

	answer->kind = FLEET_MSG_GRANT;
	fleet_name_copy(answer->from, s->options.name);
	fleet_name_copy(answer->to, m->from);
	fleet_name_copy(answer->job, m->job);
	fleet_name_copy(answer->tenant, m->tenant);
	answer->incarnation = m->incarnation;
	answer->number = m->number;
	answer->token = m->token;
	answer->yes = yes;
	fleet_reason_copy(answer->reason, reason);
}

/* At most one asking of one run of one node is ever told yes. */
static void may_begin(struct fleet_submitter *s, const struct fleet_message *m, struct fleet_actions *out)
{
	struct kept *k = fleet_table_get(s->jobs, m->job);
	struct fleet_action *save;

	if (!k || strcmp(k->job.tenant, m->tenant) || k->end.phase != FLEET_ABSENT) {
		answer_node(s, m, false, k && k->granted ? FLEET_TAKEN : FLEET_UNWANTED, out);
		return;
	}
	if (k->granted && !PLANTED(GRANTS_TWICE)) {
		bool same = !strcmp(k->node, m->from) && k->incarnation == m->incarnation &&
			    k->number == m->number;

		answer_node(s, m, same, same ? "" : FLEET_TAKEN, out);
		return;
	}
	if (k->cancelled) {
		answer_node(s, m, false, FLEET_UNWANTED, out);
		return;
	}
	k->granted = true;
	fleet_name_copy(k->node, m->from);
	k->incarnation = m->incarnation;
	k->number = m->number;
	save = fleet_actions_add(out, FLEET_SAVE_GRANT);
	fleet_job_copy(&k->job, &save->job);
	fleet_name_copy(save->node, m->from);
	save->incarnation = m->incarnation;
	save->number = m->number;
	answer_node(s, m, true, "", out);
}

void fleet_submitter_message(struct fleet_submitter *s, struct fleet_now now, const struct fleet_message *m,
			     struct fleet_actions *out)
{
	struct kept *k;

	if (m->kind == FLEET_MSG_MAY_I) {
		may_begin(s, m, out);
	} else if (m->kind == FLEET_MSG_ENDED) {
		k = fleet_table_get(s->jobs, m->job);
		if (k && !is_over(k))
			look_soon(s, now, k, out);
	}
}

void fleet_submitter_tick(struct fleet_submitter *s, struct fleet_now now, struct fleet_actions *out)
{
	struct fleet_cursor at = { 0 };
	struct kept *k;

	if (now.ms < s->next)
		return;
	s->next = NEVER;
	while ((k = fleet_table_next(s->jobs, &at, NULL))) {
		if (k->due > now.ms) {
			set_due(s, k, k->due);
		} else if (k->asking) { /* the answer will not come */
			stop_asking(s, k);
			set_due(s, k, now.ms + SOON_MS);
		} else {
			ask(s, now, k, k->wants_submit ? ASKING_SUBMIT : ASKING_RECORD, out);
		}
	}
}

uint64_t fleet_submitter_next(const struct fleet_submitter *s)
{
	return s->next;
}
