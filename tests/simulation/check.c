/* SPDX-License-Identifier: Apache-2.0 */
/* What must never be, looked at after every step, and what must have come to be when all faults are over. */
#include "sim.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALL_SKEW_MS   600000
#define TERMS_A_MINUTE 60

void check_fail(struct sim *w, const char *job, const char *fmt, ...)
{
	char text[384];
	va_list args;

	if (w->violation[0])
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	snprintf(w->violation, sizeof(w->violation), "%s%s%s", job ? job : "", job && job[0] ? ": " : "",
		 text);
	sim_trace(w, NULL, "VIOLATION: %s", w->violation);
}

static size_t hash(struct fleet_token token)
{
	uint64_t h = (token.epoch ^ (token.revision * 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;

	return (size_t)(h ^ (h >> 31));
}

static struct sim_claim *find_claim(struct sim *w, struct fleet_token token)
{
	size_t i = hash(token);

	for (;; i++) {
		struct sim_claim *claim = &w->claims[i % w->claims_room];

		if (!claim->node[0] || !fleet_token_compare(claim->token, token))
			return claim;
	}
}

static void grow_claims(struct sim *w)
{
	struct sim_claim *old = w->claims;
	size_t room = w->claims_room;

	if (w->n_claims * 2 < room)
		return;
	w->claims_room = room ? room * 2 : 256;
	w->claims = must_alloc(w->claims_room, sizeof(*w->claims));
	for (size_t i = 0; i < room; i++)
		if (old[i].node[0])
			*find_claim(w, old[i].token) = old[i];
	free(old);
}

/* A token is of one job on one run of one node, for ever. */
static void check_token(struct sim *w, struct fleet_token token, unsigned job, const char *node,
			uint64_t incarnation)
{
	struct sim_claim *claim;

	grow_claims(w);
	claim = find_claim(w, token);
	if (!claim->node[0]) {
		w->n_claims++;
		claim->token = token;
		claim->job = job;
		claim->incarnation = incarnation;
		memcpy(claim->node, node, strnlen(node, FLEET_NAME - 1));
	} else if (claim->job != job || strcmp(claim->node, node) || claim->incarnation != incarnation) {
		check_fail(w, w->jobs[job].job.id,
			   "its claim for %s has the token %jx.%ju, which is that of the claim of %s for %s",
			   node, (uintmax_t)token.epoch, (uintmax_t)token.revision,
			   w->jobs[claim->job].job.id, claim->node);
	}
}

void check_message(struct sim *w, const struct sim_program *p, const struct fleet_message *m)
{
	unsigned job = sim_job_find(w, m->kind == FLEET_MSG_OFFER ? m->offered.id : m->job);

	if (p->kind == SIM_NODE && m->kind == FLEET_MSG_BEAT &&
	    m->beat.n_held > p->slots + p->ahead + p->n_disk)
		check_fail(w, NULL, "%s holds %zu jobs, with %u slots and %u ahead", p->name, m->beat.n_held,
			   p->slots, p->ahead);
	if (m->kind != FLEET_MSG_OFFER)
		return;
	if (job == UINT_MAX)
		check_fail(w, m->offered.id, "%s offers a job that nobody has submitted", p->name);
	else
		check_token(w, m->token, job, m->to, m->incarnation);
}

void check_submit(struct sim *w, const struct sim_program *p, const struct fleet_ask *ask)
{
	unsigned job = ask->kind == FLEET_ASK_SUBMIT ? sim_job_find(w, ask->job.id) : UINT_MAX;

	if (job != UINT_MAX && !w->jobs[job].saved && !w->jobs[job].dropped)
		check_fail(w, ask->job.id,
			   "%s submits it, and its table does not have it: a crash would forget it", p->name);
}

static bool is_same(const struct fleet_record *a, const struct fleet_record *b)
{
	size_t len = fleet_text_len(a->result);

	return a->phase == b->phase && !fleet_token_compare(a->token, b->token) &&
	       len == fleet_text_len(b->result) &&
	       (!len || !memcmp(fleet_text_data(a->result), fleet_text_data(b->result), len));
}

/* A result is for ever, and written over the claim that it is of; that of a job that may run once over
 * anything else. */
void check_put(struct sim *w, const struct sim_job *j, const struct sim_version *old,
	       const struct fleet_record *record)
{
	bool once = j->job.effect == FLEET_ONCE && record->node[0];
	struct fleet_token claim;

	if (!old || j->record_lost || (old->record.phase >= FLEET_ENDED && is_same(&old->record, record)))
		return;
	claim = (struct fleet_token){ .epoch = old->record.token.epoch, .revision = old->revision };
	if (old->record.phase == FLEET_ENDED || (old->record.phase != FLEET_CLAIMED && !once))
		check_fail(w, j->job.id, "its record is %s, and now %s by %s",
			   fleet_phase_name(old->record.phase), fleet_phase_name(record->phase),
			   record->node);
	else if (record->phase == FLEET_ENDED && !once && fleet_token_compare(record->token, claim))
		check_fail(w, j->job.id, "the result of %s is written over the claim of %s", record->node,
			   old->record.node);
}

/* While a job has no end it is in its lane: otherwise a new hub would never hear of it. */
void check_forget(struct sim *w, const struct sim_job *j)
{
	const struct sim_version *v = engine_current(&j->versions, w->now);

	if (!(v && v->record.phase >= FLEET_ENDED) && !j->record_lost && !w->engine.lanes_lost)
		check_fail(w, j->job.id, "is taken out of its lane, and its record is %s",
			   v ? fleet_phase_name(v->record.phase) : "absent");
}

void check_start(struct sim *w, const struct sim_run *run)
{
	const struct sim_job *j = &w->jobs[run->job];
	const struct sim_program *p = sim_node(w, run->node);

	check_token(w, run->token, run->job, p->name, run->incarnation);
	if (j->job.effect == FLEET_ONCE && j->starts > 1)
		check_fail(w, j->job.id, "is to be done once at most, and begins for the %uth time, on %s",
			   j->starts, p->name);
	if (j->job.effect == FLEET_ONCE && j->told && j->told_record.phase == FLEET_DEAD)
		check_fail(w, j->job.id, "begins on %s, after it was told that it never will", p->name);
	if (j->running > 1 && !j->record_lost)
		check_fail(
			w, j->job.id,
			"runs %u times at once, now also on %s, and the engine has lost none of its records",
			j->running, p->name);
	if (!fleet_class_fits(j->job.class, p->name, p->labels))
		check_fail(w, j->job.id, "of class %s begins on %s, which has the labels %s", j->job.class,
			   p->name, p->labels);
	if (p->boxes > p->slots)
		check_fail(w, j->job.id, "%s runs %u boxes in %u slots", p->name, p->boxes, p->slots);
}

/* A result is that of a run that was there. */
static void check_ended(struct sim *w, const struct sim_job *j, const struct fleet_record *record)
{
	const char *text = record->result ? fleet_text_data(record->result) : "";
	size_t i = strncmp(text, "run ", 4) ? SIZE_MAX : strtoul(text + 4, NULL, 10);
	const struct sim_run *run = i < w->n_runs ? &w->runs[i] : NULL;

	if (!run || &w->jobs[run->job] != j || !run->ended)
		check_fail(w, j->job.id, "the result '%s' is told, which is not that of a run that ended",
			   text);
	else if (fleet_token_compare(run->token, record->token) ||
		 strcmp(record->node, sim_node(w, run->node)->name) ||
		 run->incarnation != record->incarnation)
		check_fail(w, j->job.id,
			   "the result '%s' is told of %s by the token %jx.%ju, but that was another run",
			   text, record->node, (uintmax_t)record->token.epoch,
			   (uintmax_t)record->token.revision);
	else if (run->refused && !j->record_lost)
		check_fail(w, j->job.id,
			   "the result of run %zu counts, and its effect was refused for a newer one", i);
	else if (j->job.effect == FLEET_FENCED && !run->refused && !j->store_has)
		check_fail(w, j->job.id, "has a result, and no effect");
}

static void count_told(struct sim *w, enum fleet_phase phase, int by)
{
	uint64_t *sum = phase == FLEET_ENDED       ? &w->sums.ended
			: phase == FLEET_DEAD      ? &w->sums.dead
			: phase == FLEET_CANCELLED ? &w->sums.cancelled
						   : &w->sums.unknown;

	*sum += (uint64_t)by;
}

void check_told(struct sim *w, const struct fleet_action *a)
{
	unsigned job = sim_job_find(w, a->job.id);
	struct sim_job *j = job == UINT_MAX ? NULL : &w->jobs[job];
	enum fleet_phase phase = a->record.phase;
	uint64_t wall_ms = w->now / 1000 + 1000000000 + WALL_SKEW_MS;

	if (!j || j->orphan || phase < FLEET_ENDED) {
		check_fail(w, a->job.id, "is told to be %s, of a job that is not in the table",
			   fleet_phase_name(phase));
		return;
	}
	if (phase != j->end.phase && !j->dropped)
		check_fail(w, j->job.id, "is told to be %s, and its table says %s", fleet_phase_name(phase),
			   fleet_phase_name(j->end.phase));
	if (j->told && !is_same(&j->told_record, &a->record) &&
	    !(j->told_record.phase == FLEET_UNKNOWN && phase == FLEET_ENDED))
		check_fail(w, j->job.id, "was told to be %s, %s, and now %s, %s",
			   fleet_phase_name(j->told_record.phase),
			   fleet_text_len(j->told_record.result) ? fleet_text_data(j->told_record.result)
								 : "-",
			   fleet_phase_name(phase),
			   fleet_text_len(a->record.result) ? fleet_text_data(a->record.result) : "-");
	if (phase == FLEET_ENDED)
		check_ended(w, j, &a->record);
	else if (phase == FLEET_UNKNOWN && j->job.effect != FLEET_ONCE)
		check_fail(w, j->job.id, "is unknown, and its effect is %s",
			   fleet_effect_name(j->job.effect));
	else if (phase == FLEET_CANCELLED && !j->cancelled)
		check_fail(w, j->job.id, "is told to be cancelled, and nobody did");
	else if (phase == FLEET_DEAD && j->job.effect == FLEET_ONCE && j->starts > 0)
		check_fail(w, j->job.id, "is dead, and it was begun");
	else if (phase == FLEET_DEAD && j->claims < j->job.attempts &&
		 !(j->job.effect == FLEET_ONCE && j->refused) &&
		 !(j->job.deadline_wall_ms && j->job.deadline_wall_ms < wall_ms))
		check_fail(w, j->job.id, "is dead after %u of %u attempts, and its deadline is not over",
			   j->claims, j->job.attempts);
	if (j->told)
		count_told(w, j->told_record.phase, -1);
	else
		w->sums.told++;
	count_told(w, phase, 1);
	j->told = true;
	fleet_record_finish(&j->told_record);
	fleet_record_copy(&a->record, &j->told_record);
}

/* An epoch is of one run of one hub; and who was replaced is not active, unless the engine lost terms. */
static void check_hub(struct sim *w, struct sim_program *p, bool ticked)
{
	const struct sim_version *term;
	uint64_t epoch = fleet_hub_epoch(p->hub);
	size_t i = w->n_epochs;

	if (!fleet_hub_is_active(p->hub)) {
		p->was_active = false;
		return;
	}
	while (i > 0 && w->epochs[i - 1].epoch != epoch)
		i--;
	if (i > 0 && (w->epochs[i - 1].program != p->self || w->epochs[i - 1].life != p->life)) {
		check_fail(w, NULL, "%s is active with the epoch %jx, which is that of another hub", p->name,
			   (uintmax_t)epoch);
	} else if (i == 0) {
		must_grow(&w->epochs, w->n_epochs, &w->epochs_room, sizeof(*w->epochs));
		w->epochs[w->n_epochs++] =
			(struct sim_epoch){ .epoch = epoch, .program = p->self, .life = p->life };
	}
	if (!p->was_active)
		sim_trace(w, NULL, "%s is active, epoch %jx", p->name, (uintmax_t)epoch);
	p->was_active = true;
	term = engine_current(&w->engine.term, w->now);
	if (ticked && term && strcmp(term->term.hub, p->name) &&
	    (!w->engine.term_lost_at || (w->engine.term_lost_at + 60 * SECOND < w->now &&
					 term->revision > w->engine.term_lost + TERMS_A_MINUTE)))
		check_fail(w, NULL, "%s is active, although %s took its term, and the engine has lost none",
			   p->name, term->term.hub);
}

void check_step(struct sim *w, struct sim_program *p, bool ticked)
{
	if (p->kind == SIM_HUB)
		check_hub(w, p, ticked);
	if (p->kind != SIM_NODE)
		return;
	if (fleet_node_running(p->node) > p->slots)
		check_fail(w, NULL, "%s runs %zu jobs in %u slots", p->name, fleet_node_running(p->node),
			   p->slots);
	if (fleet_node_held(p->node) > p->slots + p->ahead + p->n_disk)
		check_fail(w, NULL, "%s holds %zu jobs, with %u slots and %u ahead", p->name,
			   fleet_node_held(p->node), p->slots, p->ahead);
}

bool check_done(struct sim *w, char *what, size_t size)
{
	if (w->running > 0) {
		snprintf(what, size, "%u boxes still run", w->running);
		return false;
	}
	for (unsigned i = 0; i < w->n_jobs; i++) {
		const struct sim_job *j = &w->jobs[i];

		if (!j->begun || (j->wanted && !j->told)) {
			const struct sim_version *v = engine_current(&j->versions, w->now);

			snprintf(what, size, "%s of %s is not told of; its record is %s", j->job.id,
				 j->job.submitter, v ? fleet_phase_name(v->record.phase) : "absent");
			return false;
		}
	}
	for (size_t i = 0; i < w->engine.n_lanes; i++)
		if (w->engine.lanes[i].waiting > 0) {
			const struct sim_lane *lane = &w->engine.lanes[i];
			size_t k = lane->first;

			while (lane->items[k].removed)
				k++;
			snprintf(what, size, "lane %s %s has %zu jobs, the first is %s", lane->class,
				 lane->tenant, lane->waiting, w->jobs[lane->items[k].job].job.id);
			return false;
		}
	return true;
}
