/* SPDX-License-Identifier: Apache-2.0 */
/* A world by its seed: who is there, which jobs come, and the loop that lets happen what is next. */
#include "sim.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALL_MS     ((int64_t)1000000000)
#define PATIENCE_US (1800 * SECOND) /* after all is healed */

struct sim_program *sim_submitter(struct sim *w, unsigned i)
{
	return &w->programs[i];
}

struct sim_program *sim_hub(struct sim *w, unsigned i)
{
	return &w->programs[w->n_submitters + i];
}

struct sim_program *sim_node(struct sim *w, unsigned i)
{
	return &w->programs[w->n_submitters + HUBS + i];
}

unsigned sim_job_find(const struct sim *w, const char *id)
{
	unsigned long i = id[0] == 'j' ? strtoul(id + 1, NULL, 10) : UINT_MAX;

	return i < w->n_jobs && w->jobs[i].begun ? (unsigned)i : UINT_MAX;
}

void sim_plan(struct sim *w, uint64_t in_us, enum sim_event_kind kind, unsigned program, unsigned life,
	      uint64_t number, void *data)
{
	heap_add(&w->heap, (struct sim_event){ .at = w->now + in_us,
					       .kind = kind,
					       .program = program,
					       .life = life,
					       .number = number,
					       .data = data });
}

void sim_event_finish(struct sim_event *event)
{
	if (!event->data)
		return;
	if (event->kind == EVENT_MESSAGE)
		fleet_message_finish(event->data);
	else if (event->kind == EVENT_ANSWER)
		fleet_answer_finish(event->data);
	else if (event->kind == EVENT_ASK)
		fleet_ask_finish(&((struct sim_ask *)event->data)->ask);
	free(event->data);
	event->data = NULL;
}

void sim_trace(struct sim *w, const char *job, const char *fmt, ...)
{
	va_list args;

	if (!w->options.trace || (w->options.job && job && strcmp(job, w->options.job)))
		return;
	printf("%4ju.%06ju ", (uintmax_t)(w->now / SECOND), (uintmax_t)(w->now % SECOND));
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void add_programs(struct sim *w)
{
	static const char *const labels[] = { "gpu=1,zone=a", "zone=b", "zone=a,disk=ssd" };
	unsigned slots = w->options.slots;

	w->n_programs = w->n_submitters + HUBS + w->n_nodes;
	w->programs = must_alloc(w->n_programs, sizeof(*w->programs));
	for (size_t i = 0; i < PARTITIONS; i++)
		w->partitions[i].inside = must_alloc(w->n_programs + 1, sizeof(bool));
	for (unsigned i = 0; i < w->n_programs; i++) {
		struct sim_program *p = &w->programs[i];
		uint64_t skew = rng_chance(&w->rng, 5000) ? 10000 : 100;

		p->self = i;
		p->life = 1;
		p->kind = i < w->n_submitters          ? SIM_SUBMITTER
			  : i < w->n_submitters + HUBS ? SIM_HUB
						       : SIM_NODE;
		p->index =
			p->kind == SIM_SUBMITTER ? i : i - w->n_submitters - (p->kind == SIM_NODE ? HUBS : 0);
		p->clock.rate = 1000000 - skew + rng_below(&w->rng, 2 * skew + 1);
		p->clock.offset_ms = (int64_t)rng_below(&w->rng, 100000000);
		p->clock.wall_offset_ms = WALL_MS + (int64_t)rng_below(&w->rng, 240000) - 120000;
		snprintf(p->name, sizeof(p->name), "%c%u", "shn"[p->kind], p -> index);
		p->tenant = p->index % TENANTS;
		p->incarnation = rng_below(&w->rng, 1000000);
		p->slots = slots ? slots : (unsigned)rng_between(&w->rng, 1, 3);
		p->ahead = (unsigned)rng_below(&w->rng, 3);
		snprintf(p->labels, sizeof(p->labels), "%s", labels[p->index % 3]);
	}
}

/* What a person asks for. DEADLINE_WALL_MS is made of it when it is submitted. */
static void add_job(struct sim *w, unsigned i, uint64_t least_us, uint64_t longest_us)
{
	static const char *const classes[] = { "zone=a",       "zone=b",  "gpu=1",
					       "gpu=1,zone=a", "node=n1", "disk=ssd" };
	struct sim_job *j = &w->jobs[i];

	j->submitter = (unsigned)rng_below(&w->rng, w->n_submitters);
	j->work_us = rng_mixed(&w->rng, least_us, longest_us);
	snprintf(j->job.id, sizeof(j->job.id), "j%u", i);
	snprintf(j->job.tenant, sizeof(j->job.tenant), "t%u", w->programs[j->submitter].tenant);
	snprintf(j->job.submitter, sizeof(j->job.submitter), "s%u", j->submitter);
	snprintf(j->job.class, sizeof(j->job.class), "%s",
		 rng_chance(&w->rng, w->n_jobs > 1000 ? 300 : 3000) ? classes[rng_below(&w->rng, 6)]
								    : FLEET_ANY);
	j->job.effect = (enum fleet_effect)rng_below(&w->rng, 3);
	j->job.priority = rng_chance(&w->rng, 2000) ? (unsigned)rng_below(&w->rng, 10) : 5;
	j->job.attempts = j->job.effect == FLEET_ONCE && rng_chance(&w->rng, 5000)
				  ? 1
				  : (unsigned)rng_between(&w->rng, 2, 6);
	j->job.deadline_wall_ms = rng_chance(&w->rng, 1500) ? rng_tail(&w->rng, 1000, 120000) : 0;
	if (i % 3)
		snprintf(j->job.content, sizeof(j->job.content), "c%u", i % 5);
	j->job.body = fleet_text_new("{}", 2);
}

static void add_jobs(struct sim *w)
{
	uint64_t longest = w->n_jobs > 1000 ? 20 * SECOND : rng_mixed(&w->rng, SECOND, 60 * SECOND);
	uint64_t least = 2000;

	/* What is late hurts long jobs, if somebody else has room for them. */
	if (w->n_jobs <= 1000 && w->rates.lags && rng_chance(&w->rng, 5000)) {
		longest = 60 * SECOND;
		least = longest / 2;
		for (unsigned i = 0; i < w->n_nodes && !w->options.slots; i++)
			sim_node(w, i)->slots = 5;
	}
	w->jobs = must_alloc(w->n_jobs, sizeof(*w->jobs));
	for (unsigned i = 0; i < w->n_jobs; i++) {
		uint64_t at = rng_below(&w->rng, w->faults_end);

		add_job(w, i, least, longest);
		sim_plan(w, at, EVENT_SUBMIT, w->jobs[i].submitter, 0, i, NULL);
		if (rng_chance(&w->rng, 800))
			sim_plan(w, at + rng_tail(&w->rng, 1000, 60 * SECOND), EVENT_CANCEL,
				 w->jobs[i].submitter, 0, i, NULL);
	}
	w->sums.jobs = w->n_jobs;
}

struct sim *sim_create(const struct sim_options *options)
{
	struct sim *w = must_alloc(1, sizeof(*w));

	w->options = *options;
	w->rng.state = options->seed * 0x9e3779b97f4a7c15 + 1;
	w->n_nodes = options->nodes ? options->nodes : (unsigned)rng_between(&w->rng, 3, 6);
	w->n_jobs = options->jobs ? options->jobs : (unsigned)rng_between(&w->rng, 20, 60);
	w->n_submitters = options->submitters ? options->submitters : (unsigned)rng_between(&w->rng, 1, 4);
	w->faults_end = rng_between(&w->rng, 30, 150) * SECOND;
	w->end = UINT64_MAX;
	add_programs(w);
	faults_choose(w);
	add_jobs(w);
	faults_plan(w);
	for (unsigned i = 0; i < w->n_programs; i++)
		sim_plan(w, rng_below(&w->rng, SECOND), EVENT_RESTART, i, 1, 0, NULL);
	return w;
}

static void happen_to_program(struct sim *w, struct sim_event *event)
{
	struct sim_program *p = &w->programs[event->program];

	if (event->life && event->life != p->life)
		return;
	if (event->kind == EVENT_RESTART) {
		if (!p->up)
			program_start(w, p);
	} else if (!p->up) {
		if (event->kind == EVENT_SUBMIT || event->kind == EVENT_CANCEL) /* who wants it comes again */
			sim_plan(w, SECOND, event->kind, event->program, 0, event->number, NULL);
	} else if (event->kind == EVENT_SAVED) {
		program_saved(w, p);
	} else if (event->kind == EVENT_RESUME) {
		program_resume(w, p);
	} else if (event->kind == EVENT_LEASE) {
		boxes_lease_event(w, p);
	} else {
		program_event(w, p, event);
	}
}

/* Once a second, after all is healed. */
static void look(struct sim *w)
{
	char what[256];

	if (check_done(w, what, sizeof(what)))
		w->done = true;
	else if (w->now > w->end)
		check_fail(w, NULL, "%ju s after all was healed %s", (uintmax_t)(PATIENCE_US / SECOND), what);
	else
		sim_plan(w, SECOND, EVENT_LOOK, 0, 0, 0, NULL);
}

static void happen(struct sim *w, struct sim_event *event)
{
	switch (event->kind) {
	case EVENT_ASK:
		engine_ask(w, event->data);
		break;
	case EVENT_BOX_END:
	case EVENT_BOX_KILL:
	case EVENT_BOX_OVER:
	case EVENT_STORE:
	case EVENT_SEEN:
		boxes_event(w, event);
		break;
	case EVENT_FAULT:
		faults_event(w, event);
		break;
	case EVENT_HEAL:
		faults_heal(w);
		w->end = w->now + PATIENCE_US;
		sim_plan(w, SECOND, EVENT_LOOK, 0, 0, 0, NULL);
		break;
	case EVENT_LOOK:
		look(w);
		break;
	case EVENT_MESSAGE:
	case EVENT_ANSWER:
	case EVENT_HINT:
	case EVENT_WAKE:
	case EVENT_BOX_ENDED:
	case EVENT_BOX_REFUSED:
	case EVENT_SUBMIT:
	case EVENT_CANCEL:
	case EVENT_DROP:
	case EVENT_DRAIN:
	case EVENT_SAVED:
	case EVENT_RESUME:
	case EVENT_LEASE:
	case EVENT_RESTART:
		happen_to_program(w, event);
		break;
	}
}

bool sim_run(struct sim *w)
{
	struct sim_event event;

	while (!w->done && !w->violation[0] && heap_take(&w->heap, &event)) {
		w->now = event.at;
		w->sums.events++;
		happen(w, &event);
		sim_event_finish(&event);
	}
	w->sums.seconds = w->now / SECOND;
	return !w->violation[0];
}

void sim_destroy(struct sim *w)
{
	struct sim_event event;

	for (unsigned i = 0; i < w->n_jobs; i++) {
		struct sim_job *j = &w->jobs[i];

		fleet_job_finish(&j->job);
		fleet_record_finish(&j->end);
		fleet_record_finish(&j->told_record);
		for (size_t k = 0; k < j->versions.n; k++)
			fleet_record_finish(&j->versions.items[k].record);
		free(j->versions.items);
	}
	w->n_jobs = 0;
	for (unsigned i = 0; i < w->n_programs; i++)
		program_destroy(w, &w->programs[i]);
	while (heap_take(&w->heap, &event))
		sim_event_finish(&event);
	for (size_t i = 0; i < PARTITIONS; i++)
		free(w->partitions[i].inside);
	engine_finish(w);
	free(w->heap.items);
	free(w->programs);
	free(w->jobs);
	free(w->runs);
	free(w->claims);
	free(w->epochs);
	free(w);
}
