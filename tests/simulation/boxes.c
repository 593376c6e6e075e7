/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes on nodes. They run on true time, also while their agent is paused or gone; what supervises them kills
 * them when the lease is over that the agent had last. Fenced ones change a store, which knows the highest
 * token it has seen for the job, and may hear of it after the box is gone. */
#include "sim.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void refuse(struct sim *w, struct sim_program *p, const struct fleet_action *a, const char *reason)
{
	struct sim_refused *refused = must_alloc(1, sizeof(*refused));

	refused->job = sim_job_find(w, a->job.id);
	refused->token = a->token;
	w->jobs[refused->job].refused++;
	snprintf(refused->reason, sizeof(refused->reason), "%s", reason);
	sim_trace(w, a->job.id, "%s: %s is not started: %s", p->name, a->job.id, reason);
	sim_plan(w, rng_tail(&w->rng, 500, SECOND / 2), EVENT_BOX_REFUSED, p->self, p->life, 0, refused);
}

void boxes_start(struct sim *w, struct sim_program *p, const struct fleet_action *a)
{
	unsigned job = sim_job_find(w, a->job.id);
	struct sim_run *run;

	if (job == UINT_MAX) {
		check_fail(w, a->job.id, "%s starts a job that nobody has submitted", p->name);
		return;
	}
	if (!PLANTED(NO_KILL) && program_now(w, p).ms >= p->lease_ms) {
		refuse(w, p, a, "the lease is over");
		return;
	}
	if (p->broken_until > w->now || rng_chance(&w->rng, w->rates.not_started)) {
		refuse(w, p, a, "no memory");
		return;
	}
	must_grow(&w->runs, w->n_runs, &w->runs_room, sizeof(*w->runs));
	run = &w->runs[w->n_runs++];
	*run = (struct sim_run){ .job = job,
				 .node = p->index,
				 .life = p->life,
				 .token = a->token,
				 .incarnation = p->incarnation,
				 .attempt = (unsigned)a->number,
				 .from = w->now,
				 .over = UINT64_MAX,
				 .running = true };
	w->running++;
	w->sums.runs++;
	w->sums.reruns += w->jobs[job].starts > 0;
	w->jobs[job].starts++;
	w->jobs[job].running++;
	p->boxes++;
	sim_trace(w, a->job.id, "%s: run %zu of %s begins, token %jx.%ju attempt %u", p->name, w->n_runs - 1,
		  a->job.id, (uintmax_t)a->token.epoch, (uintmax_t)a->token.revision, run->attempt);
	check_start(w, run);
	if (w->jobs[job].job.effect == FLEET_FENCED && rng_chance(&w->rng, 5000))
		sim_plan(w, rng_tail(&w->rng, 500, SECOND), EVENT_SEEN, 0, 0, w->n_runs - 1, NULL);
	sim_plan(w, w->jobs[job].work_us, EVENT_BOX_END, 0, 0, w->n_runs - 1, NULL);
	boxes_lease(w, p);
}

/* No process of it is left. */
static void stop(struct sim *w, size_t i, const char *why)
{
	struct sim_run *run = &w->runs[i];
	struct sim_program *p = sim_node(w, run->node);

	if (!run->running)
		return;
	run->running = false;
	run->ended = !why;
	run->killed = why;
	w->running--;
	w->jobs[run->job].running--;
	sim_trace(w, w->jobs[run->job].job.id, "%s: run %zu of %s %s", p->name, i, w->jobs[run->job].job.id,
		  why ? why : "has ended");
	if (p->life != run->life)
		return;
	p->boxes--;
	if (p->up)
		sim_plan(w, rng_tail(&w->rng, 200, SECOND / 20), EVENT_BOX_ENDED, p->self, p->life, i, NULL);
}

void boxes_kill(struct sim *w, struct sim_program *p, const struct fleet_action *a)
{
	for (size_t i = w->n_runs; i > 0; i--) {
		const struct sim_run *run = &w->runs[i - 1];

		if (run->node != p->index || run->life != p->life ||
		    fleet_token_compare(run->token, a->token) || strcmp(w->jobs[run->job].job.id, a->job.id))
			continue;
		sim_trace(w, a->job.id, "%s: kills run %zu of %s", p->name, i - 1, a->job.id);
		sim_plan(w, rng_tail(&w->rng, 500, SECOND), EVENT_BOX_KILL, 0, 0, i - 1, NULL);
		return;
	}
}

static void see(struct sim *w, size_t i)
{
	struct sim_job *j = &w->jobs[w->runs[i].job];

	if (fleet_token_compare(w->runs[i].token, j->store_seen) > 0)
		j->store_seen = w->runs[i].token;
}

/* The transaction: refused if the store has seen a higher token; a second time it finds it done. */
static void change_store(struct sim *w, size_t i)
{
	struct sim_run *run = &w->runs[i];
	struct sim_job *j = &w->jobs[run->job];

	if (fleet_token_compare(run->token, j->store_seen) < 0) {
		run->refused = true;
	} else {
		see(w, i);
		if (!j->store_has)
			j->store_run = i;
		j->store_has = true;
	}
	sim_trace(w, j->job.id, "store: run %zu of %s %s", i, j->job.id,
		  run->refused        ? "is refused"
		  : j->store_run == i ? "has its effect"
				      : "finds it done");
	stop(w, i, NULL);
}

void boxes_event(struct sim *w, const struct sim_event *event)
{
	const struct sim_run *run = &w->runs[event->number];

	if (event->kind == EVENT_SEEN)
		see(w, event->number);
	else if (event->kind == EVENT_STORE)
		change_store(w, event->number);
	else if (!run->running)
		return;
	else if (event->kind == EVENT_BOX_KILL)
		stop(w, event->number, "is killed");
	else if (event->kind == EVENT_BOX_OVER)
		stop(w, event->number, "is killed, for its lease is over");
	else if (w->jobs[run->job].job.effect == FLEET_FENCED && rng_chance(&w->rng, w->rates.late_effect))
		sim_plan(w, rng_tail(&w->rng, 1000, 30 * SECOND), EVENT_STORE, 0, 0, event->number, NULL);
	else if (w->jobs[run->job].job.effect == FLEET_FENCED)
		change_store(w, event->number);
	else
		stop(w, event->number, NULL);
}

void boxes_crash(struct sim *w, struct sim_program *p, bool at_once)
{
	uint64_t over = program_true_us(p, p->lease_ms);

	for (size_t i = w->n_runs; i > 0 && p->boxes > 0; i--) {
		struct sim_run *run = &w->runs[i - 1];

		if (!run->running || run->node != p->index || run->life != p->life)
			continue;
		if (at_once)
			stop(w, i - 1, "dies with its agent");
		else if (!PLANTED(NO_KILL))
			sim_plan(w, over > w->now ? over - w->now : 0, EVENT_BOX_OVER, 0, 0, i - 1, NULL);
	}
	p->boxes = 0;
	p->lease_planned = false;
	p->lease_ms = 0;
}

void boxes_lease(struct sim *w, struct sim_program *p)
{
	uint64_t over;

	p->lease_ms = fleet_node_lease(p->node);
	if (p->boxes == 0 || p->lease_planned)
		return;
	over = program_true_us(p, p->lease_ms);
	p->lease_planned = true;
	sim_plan(w, over > w->now ? over - w->now : 0, EVENT_LEASE, p->self, p->life, 0, NULL);
}

void boxes_lease_event(struct sim *w, struct sim_program *p)
{
	p->lease_planned = false;
	if (PLANTED(NO_KILL))
		return;
	for (size_t i = w->n_runs; i > 0 && program_now(w, p).ms >= p->lease_ms && p->boxes > 0; i--)
		if (w->runs[i - 1].running && w->runs[i - 1].node == p->index &&
		    w->runs[i - 1].life == p->life)
			stop(w, i - 1, "is killed, for its lease is over");
	boxes_lease(w, p);
}
