/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses whose turn it is. The table may come from a file that somebody damaged: nothing in it is believed
 * that could lead beyond it. */
#include "box/turn_table.h"

#include <stdio.h>
#include <string.h>

#define MAGIC 0x6e727574u /* another layout has another one */
/* One start, in the unit of what is spent. */
#define START 1000

void turn_table_check(struct turn_table *t)
{
	bool good = t->magic == MAGIC && t->used <= TURN_PLACES;

	for (size_t i = 0; good && i < t->used; i++) {
		good = t->places[i].state <= TURN_RUNS;
		t->places[i].run[sizeof(t->places[i].run) - 1] = '\0';
	}
	if (good)
		return;
	memset(t, 0, sizeof(*t));
	t->magic = MAGIC;
}

size_t turn_enter(struct turn_table *t, uint64_t caller, const char *run)
{
	size_t i = 0;

	while (i < t->used && t->places[i].state != TURN_FREE)
		i++;
	if (i == TURN_PLACES)
		return TURN_NONE;
	if (i == t->used)
		t->used++;
	t->places[i] = (struct turn_place){ .caller = caller, .ticket = ++t->tickets, .state = TURN_WAITS };
	snprintf(t->places[i].run, sizeof(t->places[i].run), "%s", run);
	return i;
}

void turn_leave(struct turn_table *t, size_t place)
{
	t->places[place] = (struct turn_place){ .state = TURN_FREE };
	while (t->used && t->places[t->used - 1].state == TURN_FREE)
		t->used--;
}

size_t turn_count(const struct turn_table *t, enum turn_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < t->used; i++)
		n += t->places[i].state == state;
	return n;
}

static size_t runs_of(const struct turn_table *t, uint64_t caller)
{
	size_t n = 0;

	for (size_t i = 0; i < t->used; i++)
		n += t->places[i].state == TURN_RUNS && t->places[i].caller == caller;
	return n;
}

static struct turn_caller *find_caller(struct turn_table *t, uint64_t caller)
{
	for (size_t i = 0; i < TURN_CALLERS; i++)
		if (t->callers[i].last && t->callers[i].caller == caller)
			return &t->callers[i];
	return NULL;
}

/* What is spent comes back with time. A clock that went back, as after a boot, forgives everything. */
static int64_t spent_at(const struct turn_caller *c, uint64_t a_minute, int64_t now_ms)
{
	const int64_t most = (int64_t)a_minute * START;
	int64_t spent;

	if (!c || c->spent < 0 || c->at_ms > now_ms || c->at_ms <= now_ms - 60000)
		return 0;
	spent = c->spent > most ? most : c->spent;
	spent -= (now_ms - c->at_ms) * (int64_t)a_minute / 60;
	return spent > 0 ? spent : 0;
}

/* 0: it may; else how long it may not. */
static int64_t held_back(const struct turn_caller *c, const struct queue_policy *p, int64_t now_ms)
{
	const int64_t missing =
		!p->a_minute ? 0 : spent_at(c, p->a_minute, now_ms) + START - (int64_t)p->a_minute * START;

	return missing <= 0 ? 0 : missing * 60 / (int64_t)p->a_minute + 1;
}

/* How good a turn would be for somebody: less comes first. */
struct claim {
	size_t runs;
	uint64_t last, ticket;
};

static bool comes_before(const struct claim *a, const struct claim *b)
{
	if (a->runs != b->runs)
		return a->runs < b->runs;
	return a->last != b->last ? a->last < b->last : a->ticket < b->ticket;
}

size_t turn_next(struct turn_table *t, const struct queue_policy *p, int64_t now_ms, bool is_short,
		 int64_t *ret_soon_ms)
{
	const size_t runs = turn_count(t, TURN_RUNS);
	size_t best = TURN_NONE;
	struct claim first = { 0 };

	if (runs && ((p->at_once && runs >= p->at_once) || is_short))
		return TURN_NONE;
	for (size_t i = 0; i < t->used; i++) {
		const struct turn_place *w = &t->places[i];
		const struct turn_caller *c = w->state == TURN_WAITS ? find_caller(t, w->caller) : NULL;
		const int64_t wait_ms = held_back(c, p, now_ms);
		const struct claim claim = { runs_of(t, w->caller), c ? c->last : 0, w->ticket };

		if (w->state != TURN_WAITS || (p->of_one && claim.runs >= p->of_one))
			continue;
		if (wait_ms && wait_ms < *ret_soon_ms)
			*ret_soon_ms = wait_ms;
		if (!wait_ms && (best == TURN_NONE || comes_before(&claim, &first))) {
			best = i;
			first = claim;
		}
	}
	return best;
}

void turn_begin(struct turn_table *t, const struct queue_policy *p, size_t place, int64_t now_ms)
{
	struct turn_place *w = &t->places[place];
	struct turn_caller *c = find_caller(t, w->caller);
	const int64_t spent = spent_at(c, p->a_minute, now_ms);

	if (!c) {
		c = &t->callers[0];
		for (size_t i = 1; i < TURN_CALLERS; i++)
			if (t->callers[i].last < c->last)
				c = &t->callers[i];
	}
	*c = (struct turn_caller){ w->caller, ++t->turns, now_ms, p->a_minute ? spent + START : 0 };
	w->state = TURN_RUNS;
}
