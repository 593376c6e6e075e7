/* SPDX-License-Identifier: Apache-2.0 */
/* Which faults a seed has, when they come, and the end of all of them. Each seed has some kinds of faults,
 * and lacks others: what always comes together hides what only happens alone. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

enum fault {
	FAULT_CRASH,
	FAULT_PAUSE,
	FAULT_PARTITION,
	FAULT_ROLL_BACK,
	FAULT_OUTAGE,
	FAULT_SLOW_DISK,
	FAULT_DRAIN,
	FAULT_BROKEN,
	FAULT_CLOCK_STEP,
	FAULT_LAG,
	FAULT_MUTE, /* and this number more: which node */
};

static unsigned some(struct sim *w, unsigned most)
{
	return rng_chance(&w->rng, 5000) ? (unsigned)rng_mixed(&w->rng, 1, most) : 0;
}

void faults_choose(struct sim *w)
{
	unsigned many = 2 + w->n_nodes / 2;

	w->rates = (struct sim_rates){
		.drop = some(w, 3000),
		.twice = some(w, 3000),
		.slow = some(w, 3000),
		.slow_us = rng_mixed(&w->rng, SECOND / 100, 25 * SECOND),
		.ask_lost = some(w, 1500),
		.answer_lost = some(w, 1500),
		.ask_slow = some(w, 2000),
		.ask_again = some(w, 300),
		.failed = some(w, 1000),
		.failed_done = some(w, 1000),
		.stale = some(w, 5000),
		.stale_us = rng_mixed(&w->rng, SECOND / 100, 10 * SECOND),
		.hint_lost = some(w, 10000),
		.hiccup = some(w, w->n_jobs > 1000 ? 2 : 60),
		.fall = some(w, w->n_jobs > 1000 ? 2 : 30),
		.not_started = some(w, 2000),
		.late_effect = some(w, 8000),
		.lost_disk = some(w, 3000),
		.reboot = some(w, 8000),
		.crashes = some(w, 4 * many),
		.pauses = some(w, 4 * many),
		.partitions = some(w, 2 * many),
		.rollbacks = some(w, 3 * many),
		.outages = some(w, 4),
		.lags = some(w, 2 * many),
		.slow_disks = some(w, many),
		.drains = some(w, 3),
		.broken = some(w, 3),
		.steps = some(w, 3),
	};
	w->engine.cap =
		rng_chance(&w->rng, 2000) ? rng_between(&w->rng, 2, 20) * (w->n_jobs > 1000 ? 50 : 1) : 0;
}

static void plan_kind(struct sim *w, unsigned n, enum fault fault)
{
	for (unsigned i = 0; i < n; i++)
		sim_plan(w, rng_below(&w->rng, w->faults_end), EVENT_FAULT, 0, 0, fault, NULL);
}

void faults_plan(struct sim *w)
{
	plan_kind(w, w->rates.crashes, FAULT_CRASH);
	plan_kind(w, w->rates.pauses, FAULT_PAUSE);
	plan_kind(w, w->rates.partitions, FAULT_PARTITION);
	plan_kind(w, w->rates.rollbacks, FAULT_ROLL_BACK);
	plan_kind(w, w->rates.outages, FAULT_OUTAGE);
	plan_kind(w, w->rates.slow_disks, FAULT_SLOW_DISK);
	plan_kind(w, w->rates.drains, FAULT_DRAIN);
	plan_kind(w, w->rates.broken, FAULT_BROKEN);
	plan_kind(w, w->rates.steps, FAULT_CLOCK_STEP);
	for (unsigned i = 0; i < w->rates.lags; i++) /* early: it takes a while until they do harm */
		sim_plan(w, rng_below(&w->rng, w->faults_end / 2), EVENT_FAULT, 0, 0, FAULT_LAG, NULL);
	sim_plan(w, w->faults_end, EVENT_HEAL, 0, 0, 0, NULL);
}

/* One that is free, with nothing inside, or NULL. */
static struct sim_partition *begin_partition(struct sim *w, uint64_t us)
{
	struct sim_partition *p = &w->partitions[rng_below(&w->rng, PARTITIONS)];
	bool *inside = p->inside;

	if (p->until > w->now)
		return NULL;
	w->sums.partitions++;
	memset(inside, 0, (w->n_programs + 1) * sizeof(*inside));
	*p = (struct sim_partition){ .from = w->now, .until = w->now + us, .inside = inside };
	return p;
}

/* The node whose box will run longest. */
static struct sim_program *choose_longest(struct sim *w)
{
	const struct sim_run *longest = NULL;

	for (size_t i = 0; i < w->n_runs; i++) {
		const struct sim_run *run = &w->runs[i];

		if (run->running && (!longest || run->from + w->jobs[run->job].work_us >
							 longest->from + w->jobs[longest->job].work_us))
			longest = run;
	}
	return sim_node(w, longest ? longest->node : 0);
}

/* A node hears everything later and later, and after a while nobody hears it any more. */
static void lag(struct sim *w)
{
	struct sim_program *node = choose_longest(w);
	struct sim_partition *p = begin_partition(w, rng_between(&w->rng, 20 * SECOND, 60 * SECOND));

	if (!p)
		return;
	p->inside[node->self] = true;
	p->into = true;
	p->lag_percent = rng_between(&w->rng, 40, 160);
	sim_trace(w, NULL, "network: what comes to %s is later and later", node->name);
	sim_plan(w, rng_between(&w->rng, 5 * SECOND, 16 * SECOND), EVENT_FAULT, 0, 0,
		 FAULT_MUTE + node->index, NULL);
}

static void mute(struct sim *w, struct sim_program *node)
{
	struct sim_partition *p = begin_partition(w, rng_between(&w->rng, 20 * SECOND, 60 * SECOND));

	if (!p)
		return;
	p->inside[node->self] = p->out_of = true;
	sim_trace(w, NULL, "network: nobody hears %s", node->name);
}

static void cut(struct sim *w)
{
	struct sim_partition *p = begin_partition(w, rng_mixed(&w->rng, SECOND, 60 * SECOND));
	unsigned direction = (unsigned)rng_below(&w->rng, 4);
	unsigned of_10000 = (unsigned)rng_between(&w->rng, 500, 5000);

	if (!p)
		return;
	p->into = direction != 0;
	p->out_of = direction != 1;
	p->held_into = rng_chance(&w->rng, 3000);
	p->held_out_of = rng_chance(&w->rng, 3000);
	for (unsigned i = 0; i <= w->n_programs; i++)
		p->inside[i] = rng_chance(&w->rng, of_10000);
	if (rng_chance(&w->rng, 3000)) { /* one alone */
		memset(p->inside, 0, (w->n_programs + 1) * sizeof(*p->inside));
		p->inside[rng_below(&w->rng, w->n_programs + 1)] = true;
	}
	for (unsigned i = 0; i < w->n_programs; i++)
		if (p->inside[i])
			sim_trace(w, NULL, "network: %s is cut off%s for %ju ms", w->programs[i].name,
				  direction > 1 ? ""
				  : direction   ? ", it hears nothing"
						: ", nobody hears it",
				  (uintmax_t)((p->until - w->now) / 1000));
	if (p->inside[w->n_programs])
		sim_trace(w, NULL, "network: the engine is cut off with these");
}

/* One with boxes, if there is one: there a fault does something. */
static struct sim_program *choose_node(struct sim *w)
{
	unsigned first = (unsigned)rng_below(&w->rng, w->n_nodes);

	for (unsigned i = 0; i < w->n_nodes; i++)
		if (sim_node(w, (first + i) % w->n_nodes)->boxes > 0)
			return sim_node(w, (first + i) % w->n_nodes);
	return sim_node(w, first);
}

static struct sim_program *choose_program(struct sim *w)
{
	if (rng_chance(&w->rng, 3000))
		return choose_node(w);
	/* Hubs as often as nodes, however many nodes there are. */
	return rng_chance(&w->rng, 3500) ? sim_hub(w, (unsigned)rng_below(&w->rng, HUBS))
					 : &w->programs[rng_below(&w->rng, w->n_programs)];
}

static void happen(struct sim *w, enum fault fault)
{
	struct sim_program *p = choose_program(w), *node = choose_node(w);

	switch (fault) {
	case FAULT_CRASH:
		program_crash(w, p);
		break;
	case FAULT_PAUSE:
		if (p->up)
			program_pause(w, p, rng_mixed(&w->rng, SECOND / 10, 60 * SECOND));
		break;
	case FAULT_PARTITION:
		cut(w);
		break;
	case FAULT_ROLL_BACK:
		engine_roll_back(w);
		break;
	case FAULT_OUTAGE:
		w->sums.outages++;
		w->engine.away_until = w->now + rng_mixed(&w->rng, SECOND, 40 * SECOND);
		sim_trace(w, NULL, "engine: is away");
		break;
	case FAULT_SLOW_DISK:
		p->slow_disk_until = w->now + rng_mixed(&w->rng, SECOND, 60 * SECOND);
		break;
	case FAULT_DRAIN:
		node->draining = !node->draining;
		if (node->up)
			sim_plan(w, 0, EVENT_DRAIN, node->self, node->life, node->draining, NULL);
		break;
	case FAULT_BROKEN:
		node->broken_until = w->now + rng_mixed(&w->rng, SECOND, 60 * SECOND);
		break;
	case FAULT_CLOCK_STEP:
		p->clock.wall_offset_ms += (int64_t)rng_below(&w->rng, 240000) - 120000;
		break;
	case FAULT_LAG:
		lag(w);
		break;
	case FAULT_MUTE:
		break;
	}
}

void faults_event(struct sim *w, const struct sim_event *event)
{
	if (w->healed)
		return;
	if (event->number >= FAULT_MUTE)
		mute(w, sim_node(w, (unsigned)(event->number - FAULT_MUTE)));
	else
		happen(w, (enum fault)event->number);
}

/* Everything that is needed works again, and nothing else fails. Of the nodes a core that can run every class
 * is there; others that are gone may stay away. */
void faults_heal(struct sim *w)
{
	w->rates = (struct sim_rates){ .slow_us = SECOND / 10 };
	w->engine.away_until = 0;
	w->engine.cap = 0;
	w->healed = true;
	sim_trace(w, NULL, "all is healed");
	for (size_t i = 0; i < PARTITIONS; i++)
		w->partitions[i].until = 0;
	for (unsigned i = 0; i < w->n_programs; i++) {
		struct sim_program *p = &w->programs[i];
		bool needed = p->kind != SIM_NODE || p->index < 3 || rng_chance(&w->rng, 5000);

		p->slow_disk_until = p->broken_until = 0;
		if (p->up && p->draining && needed)
			sim_plan(w, 0, EVENT_DRAIN, p->self, p->life, false, NULL);
		p->draining = false;
		if (p->up && p->paused_until > w->now) {
			p->paused_until = w->now;
			program_resume(w, p);
		} else if (!p->up && needed) {
			p->life++; /* its planned start does not count any more */
			program_start(w, p);
		} else if (!p->up) {
			p->life++;
		}
	}
}
