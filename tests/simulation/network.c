/* SPDX-License-Identifier: Apache-2.0 */
/* The network: what is said may be lost, late, out of order, or come twice; some may not hear others at all,
 * and perhaps in one direction only. The engine is one place of it, after the last program. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

uint64_t network_cut(const struct sim *w, unsigned from, unsigned to)
{
	uint64_t until = 0, at;

	for (size_t i = 0; i < PARTITIONS; i++) {
		const struct sim_partition *p = &w->partitions[i];

		if (p->until <= w->now || p->inside[from] == p->inside[to] ||
		    !(p->inside[from] ? p->out_of : p->into))
			continue;
		if (!p->lag_percent && !(p->inside[from] ? p->held_out_of : p->held_into))
			return UINT64_MAX;
		at = p->lag_percent ? w->now + (w->now - p->from) * p->lag_percent / 100 : p->until;
		until = at > until ? at : until;
	}
	return until;
}

static uint64_t choose_delay(struct sim *w, unsigned slow, uint64_t cut)
{
	return (cut ? cut - w->now : 0) + (rng_chance(&w->rng, slow)
						   ? rng_tail(&w->rng, 1000, w->rates.slow_us)
						   : rng_between(&w->rng, 100, 1500));
}

static void carry(struct sim *w, struct sim_program *from, struct sim_program *to,
		  const struct fleet_message *m)
{
	unsigned copies = rng_chance(&w->rng, w->rates.twice) ? 2 : 1;
	uint64_t cut = network_cut(w, from->self, to->self);

	if (cut == UINT64_MAX)
		return;
	for (; copies > 0; copies--) {
		struct fleet_message *copy;

		if (rng_chance(&w->rng, w->rates.drop))
			continue;
		copy = must_alloc(1, sizeof(*copy));
		fleet_message_copy(m, copy);
		sim_plan(w, choose_delay(w, w->rates.slow, cut), EVENT_MESSAGE, to->self, 0, from->self,
			 copy);
	}
}

void network_send(struct sim *w, struct sim_program *from, struct fleet_message *m)
{
	unsigned i = (unsigned)strtoul(m->to + (m->to[0] != 0), NULL, 10);
	struct sim_program *to = NULL;

	if (w->options.trace)
		sim_trace(w, m->job, "%s to %s: %s %s %s", from->name, m->to[0] ? m->to : "hubs",
			  fleet_message_name(m->kind), m->job,
			  m->kind == FLEET_MSG_GRANT ? m->yes ? "yes" : "no" : "");
	if (m->to[0] == 0) {
		for (i = 0; i < HUBS; i++)
			carry(w, from, sim_hub(w, i), m);
		return;
	}
	if (m->to[0] == 's' && i < w->n_submitters)
		to = sim_submitter(w, i);
	else if (m->to[0] == 'h' && i < HUBS)
		to = sim_hub(w, i);
	else if (m->to[0] == 'n' && i < w->n_nodes)
		to = sim_node(w, i);
	if (!to)
		check_fail(w, m->job, "%s sends %s to '%s', which does not exist", from->name,
			   fleet_message_name(m->kind), m->to);
	else if (!strcmp(to->name, m->to)) /* a hub has another name with each start */
		carry(w, from, to, m);
}

void network_ask(struct sim *w, struct sim_program *from, struct fleet_ask *ask)
{
	unsigned copies = rng_chance(&w->rng, w->rates.ask_again) ? 2 : 1;
	uint64_t cut = network_cut(w, from->self, w->n_programs);

	if (cut == UINT64_MAX || rng_chance(&w->rng, w->rates.ask_lost))
		return;
	for (; copies > 0; copies--) {
		struct sim_ask *question = must_alloc(1, sizeof(*question));
		uint64_t delay = choose_delay(w, w->rates.ask_slow, cut);

		question->from = from->self;
		question->life = from->life;
		fleet_ask_copy(ask, &question->ask);
		sim_plan(w, copies == 2 ? rng_tail(&w->rng, delay, 150 * SECOND) : delay, EVENT_ASK, 0, 0, 0,
			 question);
	}
}

void network_answer(struct sim *w, unsigned to, unsigned life, struct fleet_answer *answer)
{
	uint64_t cut = network_cut(w, w->n_programs, to);
	struct fleet_answer *carried;

	if (cut == UINT64_MAX || rng_chance(&w->rng, w->rates.answer_lost)) {
		fleet_answer_finish(answer);
		return;
	}
	carried = must_alloc(1, sizeof(*carried));
	*carried = *answer;
	sim_plan(w, choose_delay(w, w->rates.ask_slow, cut), EVENT_ANSWER, to, life, 0, carried);
}

void network_hint(struct sim *w, unsigned lane)
{
	for (unsigned i = 0; i < HUBS; i++) {
		struct sim_program *hub = sim_hub(w, i);

		if (hub->up && !network_cut(w, w->n_programs, hub->self) &&
		    !rng_chance(&w->rng, w->rates.hint_lost))
			sim_plan(w, choose_delay(w, w->rates.slow, 0), EVENT_HINT, hub->self, hub->life, lane,
				 NULL);
	}
}
