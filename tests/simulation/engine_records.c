/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's records and its term: written only by comparing revisions, read perhaps as they were, and what
 * was written last may be lost although it was acknowledged. */
#include "sim.h"

#include <limits.h>
#include <string.h>

const struct sim_version *engine_current(const struct sim_versions *versions, uint64_t at)
{
	for (size_t i = versions->n; i > 0; i--) {
		const struct sim_version *v = &versions->items[i - 1];

		if (v->from <= at && (!v->removed || v->removed > at))
			return v;
	}
	return NULL;
}

static struct sim_version *add(struct sim *w, struct sim_versions *versions, uint64_t revision)
{
	struct sim_version *v;

	must_grow(&versions->items, versions->n, &versions->room, sizeof(*versions->items));
	v = &versions->items[versions->n++];
	memset(v, 0, sizeof(*v));
	v->revision = revision;
	v->from = w->now;
	return v;
}

/* The last one that was not lost yet is lost. */
static void lose_last(struct sim *w, struct sim_versions *versions)
{
	for (size_t i = versions->n; i > 0; i--)
		if (!versions->items[i - 1].removed) {
			versions->items[i - 1].removed = w->now;
			return;
		}
}

void engine_record(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	unsigned job = sim_job_find(w, ask->id);
	const struct sim_version *v =
		job == UINT_MAX ? NULL : engine_current(&w->jobs[job].versions, engine_read_time(w));

	ret->kind = v ? FLEET_OK : FLEET_NOT_THERE;
	if (!v)
		return;
	ret->revision = v->revision;
	fleet_record_copy(&v->record, &ret->record);
}

void engine_put(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	unsigned job = sim_job_find(w, ask->id);
	struct sim_job *j = job == UINT_MAX ? NULL : &w->jobs[job];
	const struct sim_version *old = j ? engine_current(&j->versions, w->now) : NULL;
	struct sim_version *v;

	if (!j) {
		check_fail(w, ask->id, "a record is written of a job that nobody has submitted");
		ret->kind = FLEET_FAILED;
		return;
	}
	if ((old ? old->revision : 0) != ask->expected && ask->expected != FLEET_WHATEVER) {
		ret->kind = FLEET_CONFLICT;
		return;
	}
	check_put(w, j, old, &ask->record);
	engine_log(&w->engine.state_log, (struct sim_write){ .job = job, .before = w->engine.revision });
	v = add(w, &j->versions, ++w->engine.revision);
	fleet_record_copy(&ask->record, &v->record);
	if (v->record.phase == FLEET_CLAIMED)
		j->claims++;
	ret->kind = FLEET_OK;
	ret->revision = v->revision;
	sim_trace(w, ask->id, "engine: record of %s is %s %s by %s attempt %u, revision %ju", ask->id,
		  fleet_phase_name(v->record.phase), v->record.phase == FLEET_CLAIMED ? "to" : "",
		  v->record.node, v->record.attempt, (uintmax_t)v->revision);
}

void engine_term(struct sim *w, struct fleet_answer *ret)
{
	const struct sim_version *v = engine_current(&w->engine.term, engine_read_time(w));

	ret->kind = v ? FLEET_OK : FLEET_NOT_THERE;
	if (!v)
		return;
	ret->revision = v->revision;
	ret->term = v->term;
}

void engine_put_term(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	struct sim_versions *term = &w->engine.term;
	const struct sim_version *old = engine_current(term, w->now);
	struct sim_version *v;

	if ((old ? old->revision : 0) != ask->expected) {
		ret->kind = FLEET_CONFLICT;
		return;
	}
	if (!old || strcmp(old->term.hub, ask->term.hub)) {
		w->sums.hub_changes++;
		sim_trace(w, NULL, "engine: the hub is %s, epoch %jx", ask->term.hub,
			  (uintmax_t)ask->term.epoch);
	}
	if (term->n >= 64) { /* those before nobody reads any more */
		memmove(term->items, term->items + 32, (term->n - 32) * sizeof(*term->items));
		term->n -= 32;
	}
	engine_log(&w->engine.term_log, (struct sim_write){ .before = w->engine.term_revision });
	v = add(w, term, ++w->engine.term_revision);
	v->term = ask->term;
	ret->kind = FLEET_OK;
	ret->revision = v->revision;
}

void engine_state_roll_back(struct sim *w, size_t writes)
{
	struct sim_log *log = &w->engine.state_log;

	for (; writes > 0 && log->n > 0; writes--) {
		const struct sim_write *write = &log->items[--log->n];
		struct sim_job *j = &w->jobs[write->job];

		sim_trace(w, NULL, "engine: loses the last record of %s, revision %ju", j->job.id,
			  (uintmax_t)w->engine.revision);
		lose_last(w, &j->versions);
		w->engine.revision = write->before;
		j->record_lost = true;
		w->sums.lost_writes++;
	}
}

void engine_term_roll_back(struct sim *w, size_t writes)
{
	struct sim_log *log = &w->engine.term_log;

	for (; writes > 0 && log->n > 0; writes--) {
		sim_trace(w, NULL, "engine: loses the last term, revision %ju",
			  (uintmax_t)w->engine.term_revision);
		lose_last(w, &w->engine.term);
		if (w->engine.term_revision > w->engine.term_lost)
			w->engine.term_lost = w->engine.term_revision;
		w->engine.term_revision = log->items[--log->n].before;
		w->engine.term_lost_at = w->now;
		w->sums.lost_writes++;
	}
}
