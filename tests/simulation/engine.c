/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: does what it is asked, or does not, or does it and says otherwise. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

void engine_log(struct sim_log *log, struct sim_write write)
{
	if (log->n == SIM_LOG) {
		memmove(log->items, log->items + 1, (SIM_LOG - 1) * sizeof(*log->items));
		log->n--;
	}
	log->items[log->n++] = write;
}

/* The state that a read sees: that of now, or an older one. */
uint64_t engine_read_time(struct sim *w)
{
	uint64_t age;

	if (!rng_chance(&w->rng, w->rates.stale))
		return w->now;
	age = rng_tail(&w->rng, 0, w->rates.stale_us);
	w->sums.stale_reads++;
	return age < w->now ? w->now - age : 0;
}

static void perform(struct sim *w, const struct fleet_ask *ask, struct fleet_answer *ret)
{
	switch (ask->kind) {
	case FLEET_ASK_SUBMIT:
		engine_submit(w, ask, ret);
		break;
	case FLEET_ASK_LANES:
		engine_lanes(w, ret);
		break;
	case FLEET_ASK_LANE:
		engine_lane(w, ask, ret);
		break;
	case FLEET_ASK_FORGET:
		engine_forget(w, ask, ret);
		break;
	case FLEET_ASK_RECORD:
		engine_record(w, ask, ret);
		break;
	case FLEET_ASK_PUT:
		engine_put(w, ask, ret);
		break;
	case FLEET_ASK_BURY:
		ret->kind = FLEET_OK;
		break;
	case FLEET_ASK_TERM:
		engine_term(w, ret);
		break;
	case FLEET_ASK_PUT_TERM:
		engine_put_term(w, ask, ret);
		break;
	}
}

void engine_ask(struct sim *w, struct sim_ask *question)
{
	struct fleet_answer answer = { .number = question->ask.number };
	bool away = w->engine.away_until > w->now;

	if (away && rng_chance(&w->rng, 7000))
		return;
	if (away || rng_chance(&w->rng, w->rates.failed)) {
		answer.kind = FLEET_FAILED;
	} else {
		perform(w, &question->ask, &answer);
		if (rng_chance(&w->rng, w->rates.failed_done)) {
			fleet_answer_finish(&answer);
			answer =
				(struct fleet_answer){ .kind = FLEET_FAILED, .number = question->ask.number };
		}
	}
	if (w->options.trace)
		sim_trace(w, question->ask.kind == FLEET_ASK_SUBMIT ? question->ask.job.id : question->ask.id,
			  "engine: %s asks %s %s, %s", w->programs[question->from].name,
			  fleet_ask_name(question->ask.kind), question->ask.id,
			  fleet_answer_name(answer.kind));
	network_answer(w, question->from, question->life, &answer);
}

void engine_roll_back(struct sim *w)
{
	size_t writes = rng_between(&w->rng, 1, 4);

	w->sums.rollbacks++;
	switch (rng_below(&w->rng, 4)) {
	case 0:
		engine_lanes_roll_back(w, writes);
		break;
	case 1:
		engine_term_roll_back(w, writes);
		break;
	default:
		engine_state_roll_back(w, writes);
		break;
	}
}

void engine_finish(struct sim *w)
{
	for (size_t i = 0; i < w->engine.n_lanes; i++)
		free(w->engine.lanes[i].items);
	free(w->engine.lanes);
	free(w->engine.term.items);
}
