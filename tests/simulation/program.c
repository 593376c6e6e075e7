/* SPDX-License-Identifier: Apache-2.0 */
/* What drives a state machine: gives it what comes, performs what it wants in its order, waits for its disk,
 * wakes it up. Between any two actions it may be paused, or end. */
#include "sim.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fleet_now program_now(const struct sim *w, const struct sim_program *p)
{
	uint64_t passed = w->now / 1000 * p->clock.rate / 1000000;

	return (struct fleet_now){ .ms = passed + (uint64_t)p->clock.offset_ms,
				   .wall_ms = w->now / 1000 + (uint64_t)p->clock.wall_offset_ms };
}

/* The first moment at which its clock shows MS. */
uint64_t program_true_us(const struct sim_program *p, uint64_t ms)
{
	uint64_t passed = ms > (uint64_t)p->clock.offset_ms ? ms - (uint64_t)p->clock.offset_ms : 0;
	uint64_t at;

	if (passed > UINT64_MAX / 1000000 / 1000)
		return UINT64_MAX;
	at = passed * 1000000 / p->clock.rate;
	while (at * p->clock.rate / 1000000 < passed)
		at++;
	return at * 1000;
}

static void tell(struct sim *w, struct sim_program *p, const struct fleet_action *a)
{
	unsigned job = sim_job_find(w, a->job.id);

	sim_trace(w, a->job.id, "%s: tells that %s is %s%s%s", p->name, a->job.id,
		  fleet_phase_name(a->record.phase), a->record.result ? ", " : "",
		  a->record.result ? fleet_text_data(a->record.result) : "");
	check_told(w, a);
	if (job != UINT_MAX && rng_chance(&w->rng, a->record.phase == FLEET_UNKNOWN ? 2000 : 7000))
		sim_plan(w, rng_tail(&w->rng, 1000, 20 * SECOND), EVENT_DROP, p->self, p->life, job, NULL);
}

/* False: what follows waits until this is durable. */
static bool perform(struct sim *w, struct sim_program *p, struct fleet_action *a)
{
	switch (a->kind) {
	case FLEET_SEND:
		check_message(w, p, &a->message);
		network_send(w, p, &a->message);
		break;
	case FLEET_ASK:
		check_submit(w, p, &a->ask);
		network_ask(w, p, &a->ask);
		break;
	case FLEET_TELL:
		tell(w, p, a);
		break;
	case FLEET_START:
		boxes_start(w, p, a);
		break;
	case FLEET_KILL:
		boxes_kill(w, p, a);
		break;
	case FLEET_DROP_ENDED:
		save_drop_ended(p, a->job.id, a->token);
		break;
	case FLEET_SAY:
		sim_trace(w, a->job.id, "%s: says: %s", p->name, a->text);
		break;
	case FLEET_SAVE_JOB:
	case FLEET_SAVE_GRANT:
	case FLEET_SAVE_END:
	case FLEET_SAVE_ENDED:
		p->saving = true;
		sim_plan(w,
			 p->slow_disk_until > w->now ? rng_between(&w->rng, 1000, SECOND)
						     : rng_tail(&w->rng, 100, 4000),
			 EVENT_SAVED, p->self, p->life, 0, NULL);
		return false;
	case FLEET_ACCEPTED:
	case FLEET_FULL_QUEUE:
		break;
	}
	return true;
}

/* Whether it is stopped here, between two actions. */
static bool is_interrupted(struct sim *w, struct sim_program *p)
{
	if (rng_chance(&w->rng, w->rates.hiccup))
		program_pause(w, p, rng_tail(&w->rng, SECOND / 10, 40 * SECOND));
	if (rng_chance(&w->rng, w->rates.fall)) {
		program_crash(w, p);
		return true;
	}
	return p->paused_until > w->now;
}

/* Performs what waits, as far as it goes. */
static void work(struct sim *w, struct sim_program *p)
{
	unsigned life = p->life;

	while (!p->saving && p->todo_done < p->todo.n && p->paused_until <= w->now) {
		if (is_interrupted(w, p))
			return;
		if (perform(w, p, &p->todo.items[p->todo_done]))
			p->todo_done++;
		if (p->life != life)
			return;
	}
	if (p->todo_done == p->todo.n) {
		fleet_actions_clear(&p->todo);
		p->todo_done = 0;
	}
}

/* Takes the actions of a step over. */
static void take(struct sim *w, struct sim_program *p)
{
	if (p->todo.n == 0) {
		struct fleet_actions empty = p->todo;

		p->todo = p->step;
		p->step = empty;
	} else {
		for (size_t i = 0; i < p->step.n; i++) {
			struct fleet_action *from = &p->step.items[i],
					    *to = fleet_actions_add(&p->todo, from->kind);

			*to = *from;
			memset(from, 0, sizeof(*from));
		}
		fleet_actions_clear(&p->step);
	}
	work(w, p);
}

static void plan_wake(struct sim *w, struct sim_program *p)
{
	uint64_t next = p->kind == SIM_SUBMITTER ? fleet_submitter_next(p->submitter)
			: p->kind == SIM_HUB     ? fleet_hub_next(p->hub)
						 : fleet_node_next(p->node);
	uint64_t at = next == UINT64_MAX ? UINT64_MAX : program_true_us(p, next);

	if (at < w->now)
		at = w->now;
	if (at >= p->wake_at)
		return;
	p->wake_at = at;
	sim_plan(w, at - w->now, EVENT_WAKE, p->self, p->life, 0, NULL);
}

void program_end_step(struct sim *w, struct sim_program *p, bool ticked)
{
	if (p->kind == SIM_NODE)
		boxes_lease(w, p);
	check_step(w, p, ticked);
	plan_wake(w, p);
	take(w, p);
}

void program_tick(struct sim *w, struct sim_program *p, struct fleet_now now)
{
	p->wake_at = UINT64_MAX;
	p->ticks = p->ticked_us == w->now ? p->ticks + 1 : 0;
	p->ticked_us = w->now;
	if (p->ticks > 1000)
		check_fail(w, NULL, "%s wants to be woken up again and again at the same moment", p->name);
	if (p->kind == SIM_SUBMITTER)
		fleet_submitter_tick(p->submitter, now, &p->step);
	else if (p->kind == SIM_HUB)
		fleet_hub_tick(p->hub, now, &p->step);
	else
		fleet_node_tick(p->node, now, &p->step);
}

static void hear(struct sim *w, struct sim_program *p, struct fleet_now now, const struct sim_event *event)
{
	const struct fleet_message *m = event->data;

	if (m->to[0] && strcmp(m->to, p->name))
		return; /* for an earlier life of this hub */
	if (network_cut(w, (unsigned)event->number, p->self) == UINT64_MAX)
		return;
	if (p->kind == SIM_SUBMITTER)
		fleet_submitter_message(p->submitter, now, m, &p->step);
	else if (p->kind == SIM_HUB)
		fleet_hub_message(p->hub, now, m, &p->step);
	else
		fleet_node_message(p->node, now, m, &p->step);
}

static void hear_answer(struct sim_program *p, struct fleet_now now, const struct fleet_answer *answer)
{
	if (p->kind == SIM_SUBMITTER)
		fleet_submitter_answer(p->submitter, now, answer, &p->step);
	else if (p->kind == SIM_HUB)
		fleet_hub_answer(p->hub, now, answer, &p->step);
	else
		fleet_node_answer(p->node, now, answer, &p->step);
}

static void hear_box(struct sim *w, struct sim_program *p, struct fleet_now now,
		     const struct sim_event *event)
{
	const struct sim_run *run = &w->runs[event->number];
	struct fleet_text *result = NULL;
	char text[64];

	if (run->ended) {
		snprintf(text, sizeof(text), "run %zu%s", (size_t)event->number,
			 run->refused ? " refused" : "");
		result = fleet_text_new(text, strlen(text));
	}
	fleet_node_ended(p->node, now, w->jobs[run->job].job.id, run->token, result, &p->step);
	fleet_text_drop(result);
}

static void act_for_person(struct sim *w, struct sim_program *p, struct fleet_now now,
			   const struct sim_event *event)
{
	struct sim_job *j = &w->jobs[event->number];

	if (event->kind == EVENT_SUBMIT) {
		if (j->job.deadline_wall_ms) /* until now, so long from then on */
			j->job.deadline_wall_ms += now.wall_ms;
		j->begun = true;
		sim_trace(w, j->job.id, "%s: %s of lane %s %s is submitted, %s", p->name, j->job.id,
			  j->job.class, j->job.tenant, fleet_effect_name(j->job.effect));
		fleet_submitter_submit(p->submitter, now, &j->job, &p->step);
	} else if (event->kind == EVENT_CANCEL && j->begun && !j->dropped) {
		j->cancelled = true;
		sim_trace(w, j->job.id, "%s: %s is cancelled", p->name, j->job.id);
		fleet_submitter_cancel(p->submitter, now, j->job.id, &p->step);
	} else if (event->kind == EVENT_DROP && !j->dropped) {
		j->dropped = true;
		sim_trace(w, j->job.id, "%s: %s is dropped", p->name, j->job.id);
		fleet_submitter_drop(p->submitter, j->job.id);
	}
}

void program_event(struct sim *w, struct sim_program *p, struct sim_event *event)
{
	struct fleet_now now = program_now(w, p);
	const struct sim_refused *refused = event->data;

	if (p->paused_until > w->now) {
		must_grow(&p->late, p->n_late, &p->late_room, sizeof(*p->late));
		p->late[p->n_late++] = *event;
		event->data = NULL;
		return;
	}
	if (event->kind == EVENT_MESSAGE)
		hear(w, p, now, event);
	else if (event->kind == EVENT_ANSWER)
		hear_answer(p, now, event->data);
	else if (event->kind == EVENT_HINT)
		fleet_hub_lane(p->hub, now, w->engine.lanes[event->number].class,
			       w->engine.lanes[event->number].tenant, &p->step);
	else if (event->kind == EVENT_WAKE)
		program_tick(w, p, now);
	else if (event->kind == EVENT_BOX_ENDED)
		hear_box(w, p, now, event);
	else if (event->kind == EVENT_BOX_REFUSED)
		fleet_node_not_started(p->node, now, w->jobs[refused->job].job.id, refused->token,
				       refused->reason, &p->step);
	else if (event->kind == EVENT_DRAIN)
		fleet_node_drain(p->node, now, event->number, &p->step);
	else
		act_for_person(w, p, now, event);
	program_end_step(w, p, event->kind == EVENT_WAKE);
}

void program_saved(struct sim *w, struct sim_program *p)
{
	p->saving = false;
	save_do(w, p, &p->todo.items[p->todo_done++]);
	work(w, p);
}

void program_pause(struct sim *w, struct sim_program *p, uint64_t us)
{
	if (p->paused_until > w->now)
		return;
	w->sums.pauses++;
	p->paused_until = w->now + us;
	sim_trace(w, NULL, "%s is paused for %ju ms", p->name, (uintmax_t)(us / 1000));
	sim_plan(w, us, EVENT_RESUME, p->self, p->life, 0, NULL);
}

void program_give_back(struct sim *w, struct sim_event *event)
{
	if (event->kind == EVENT_SUBMIT || event->kind == EVENT_CANCEL)
		sim_plan(w, SECOND, event->kind, event->program, 0, event->number, NULL);
	sim_event_finish(event);
}

void program_resume(struct sim *w, struct sim_program *p)
{
	struct sim_event *late = p->late;
	size_t n = p->n_late;
	unsigned life = p->life;

	if (p->paused_until > w->now)
		return;
	sim_trace(w, NULL, "%s goes on", p->name);
	p->late = NULL;
	p->n_late = p->late_room = 0;
	work(w, p);
	for (size_t i = 0; i < n; i++) {
		if (p->up && p->life == life) {
			program_event(w, p, &late[i]);
			sim_event_finish(&late[i]);
		} else {
			program_give_back(w, &late[i]);
		}
	}
	free(late);
}
