/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is. Every lane has its own pass, which only lanes of the same class are compared by; what a
 * tenant begins counts in all its lanes, so one with many classes gets no more. A lane that had nothing to
 * do, or was not allowed to, joins where the others of its class are. */
#include "fleet/core/queue.h"

#include "fleet/core/queue_parts.h"

/* What a job costs a tenant of weight 1. */
#define COST ((uint64_t)1 << 30)
/* A lane is never ahead of the first of its class, and a class never behind another that wants the same node,
 * by more than this: nobody starves for what was long ago, or elsewhere. More than one COST, so that weights
 * count. */
#define SPREAD     (4 * COST)
#define MOST       1000  /* weight */
#define FULL_TOKEN 60000 /* a job; each ms brings a_minute of these */

static bool may_begin(const struct queue_tenant *tenant)
{
	return (tenant->share.at_once == 0 || tenant->held < tenant->share.at_once) &&
	       tenant->slow.position == 0;
}

/* Where the lanes of a class are: what one is compared with that joins them. */
static uint64_t class_pass(const struct queue_class *class)
{
	const struct fleet_heap_item *first = fleet_heap_first(&class->turns);

	return first ? first->key : class->reached;
}

/* Lets a lane take turns, or no more, as it and its tenant are now. */
static void update_lane(struct fleet_lane *lane)
{
	bool takes_turns = lane->waiting > 0 && may_begin(lane->tenant);
	uint64_t pass;

	if (takes_turns == (lane->turn.position > 0))
		return;
	if (!takes_turns) {
		fleet_heap_remove(&lane->class->turns, &lane->turn);
		return;
	}
	pass = class_pass(lane->class);
	if (lane->pass < pass)
		lane->pass = pass;
	if (lane->pass > pass + SPREAD)
		lane->pass = pass + SPREAD;
	fleet_heap_add(&lane->class->turns, &lane->turn, lane->pass, lane->tenant->number);
}

static void update_tenant(struct queue_tenant *tenant)
{
	struct fleet_cursor at = { 0 };
	struct fleet_lane *lane;

	while ((lane = fleet_table_next(tenant->lanes, &at, NULL)))
		update_lane(lane);
}

static uint64_t token_room(const struct queue_tenant *tenant)
{
	return (uint64_t)tenant->share.a_minute * FULL_TOKEN;
}

void fleet_queue_share(struct fleet_queue *q, const char *name, const struct fleet_share *share)
{
	struct queue_tenant *tenant = queue_get_tenant(q, name);
	bool had_rate = tenant->share.a_minute > 0;

	tenant->is_set = true;
	tenant->share = *share;
	if (tenant->share.weight < 1)
		tenant->share.weight = 1;
	if (tenant->share.weight > MOST)
		tenant->share.weight = MOST;
	if (!had_rate || tenant->tokens > token_room(tenant))
		tenant->tokens = token_room(tenant);
	/* The next take finds out, for it knows the time. */
	if (tenant->slow.position > 0)
		fleet_heap_move(&q->slow, &tenant->slow, 0);
	update_tenant(tenant);
}

void fleet_queue_add(struct fleet_queue *q, const char *class, const char *tenant, struct fleet_entry *entry)
{
	struct fleet_lane *lane;

	if (entry->lane)
		return;
	lane = queue_get_lane(q, class, tenant);
	queue_lane_add(lane, entry);
	lane->tenant->waiting++;
	lane->class->waiting++;
	q->waiting++;
	if (lane->waiting == 1)
		q->busy_lanes++;
	update_lane(lane);
}

void fleet_queue_remove(struct fleet_queue *q, struct fleet_entry *entry)
{
	struct fleet_lane *lane = entry->lane;

	if (!lane)
		return;
	queue_lane_remove(lane, entry);
	lane->tenant->waiting--;
	lane->class->waiting--;
	q->waiting--;
	if (lane->waiting == 0)
		q->busy_lanes--;
	update_lane(lane);
	queue_drop_unused(q);
}

static void fill_tokens(struct queue_tenant *tenant, uint64_t now_ms)
{
	uint64_t room = token_room(tenant);

	if (now_ms > tenant->tokens_ms) {
		uint64_t passed = now_ms - tenant->tokens_ms;

		/* After a minute it is full, whatever it was. */
		tenant->tokens += (passed > 60000 ? 60000 : passed) * tenant->share.a_minute;
		tenant->tokens_ms = now_ms;
	}
	if (tenant->tokens > room)
		tenant->tokens = room;
}

/* Those whose rate lets them begin something again. */
static void wake_slow(struct fleet_queue *q, uint64_t now_ms)
{
	struct fleet_heap_item *item;

	while ((item = fleet_heap_first(&q->slow)) && item->key <= now_ms) {
		struct queue_tenant *tenant = item->owner;

		fleet_heap_remove(&q->slow, item);
		if (tenant->share.a_minute > 0) {
			fill_tokens(tenant, now_ms);
			if (tenant->tokens < FULL_TOKEN) {
				uint64_t lacks = FULL_TOKEN - tenant->tokens, rate = tenant->share.a_minute;

				fleet_heap_add(&q->slow, item, now_ms + (lacks + rate - 1) / rate,
					       tenant->number);
				continue;
			}
		}
		update_tenant(tenant);
	}
}

/* The lane whose turn it is, or NULL. */
static struct fleet_lane *choose_lane(struct fleet_queue *q, bool (*fits)(void *ctx, const char *class),
				      void *ctx)
{
	struct fleet_cursor at = { 0 }, again = { 0 };
	struct fleet_heap_item *best = NULL;
	struct queue_class *class;
	uint64_t highest = 0, best_pass = 0;

	while ((class = fleet_table_next(q->classes, &at, NULL))) {
		class->fits = class->waiting > 0 && fits(ctx, class->name);
		if (class->fits && class->turns.n > 0 && class_pass(class) + class->ahead > highest)
			highest = class_pass(class) + class->ahead;
	}
	while ((class = fleet_table_next(q->classes, &again, NULL))) {
		struct fleet_heap_item *first = fleet_heap_first(&class->turns);
		uint64_t pass;

		if (!class->fits || !first)
			continue;
		if (first->key + class->ahead + SPREAD < highest)
			class->ahead = highest - SPREAD - first->key;
		pass = first->key + class->ahead;
		if (!best || pass < best_pass || (pass == best_pass && first->then < best->then)) {
			best = first;
			best_pass = pass;
		}
	}
	return best ? best->owner : NULL;
}

/* Among the lanes of a tenant, the one with the first entry by priority and place: it was the tenant's turn.
 */
static struct fleet_lane *choose_entry(const struct queue_tenant *tenant)
{
	struct fleet_cursor at = { 0 };
	struct fleet_lane *lane, *best = NULL;
	const struct fleet_entry *best_entry = NULL;

	while ((lane = fleet_table_next(tenant->lanes, &at, NULL))) {
		const struct fleet_entry *entry = lane->class->fits ? queue_lane_first(lane) : NULL;

		if (entry &&
		    (!best || entry->priority > best_entry->priority ||
		     (entry->priority == best_entry->priority && entry->place < best_entry->place))) {
			best = lane;
			best_entry = entry;
		}
	}
	return best;
}

/* A job of the tenant begins, in the lane TAKEN: that counts in all its lanes. */
static void charge(struct queue_tenant *tenant, const struct fleet_lane *taken)
{
	uint64_t cost = COST / tenant->share.weight;
	struct fleet_cursor at = { 0 };
	struct fleet_lane *lane;

	while ((lane = fleet_table_next(tenant->lanes, &at, NULL))) {
		uint64_t most = class_pass(lane->class) + SPREAD;

		if (lane == taken && lane->pass > lane->class->reached)
			lane->class->reached = lane->pass;
		if (lane != taken && (lane->turn.position == 0 || lane->pass + cost > most))
			continue;
		lane->pass += cost;
		if (lane->turn.position > 0)
			fleet_heap_move(&lane->class->turns, &lane->turn, lane->pass);
	}
}

static void use_token(struct fleet_queue *q, struct queue_tenant *tenant, uint64_t now_ms)
{
	if (tenant->share.a_minute == 0)
		return;
	fill_tokens(tenant, now_ms);
	tenant->tokens -= tenant->tokens < FULL_TOKEN ? tenant->tokens : FULL_TOKEN;
	if (tenant->tokens < FULL_TOKEN)
		/* wake_slow says until when */
		fleet_heap_add(&q->slow, &tenant->slow, now_ms, tenant->number);
}

/* How long until a rate lets something begin that fits; for when nothing may. */
static uint64_t find_wait(const struct fleet_queue *q, uint64_t now_ms)
{
	uint64_t wait = UINT64_MAX;

	for (size_t i = 0; i < q->slow.n; i++) {
		const struct queue_tenant *tenant = q->slow.items[i]->owner;

		if (q->slow.items[i]->key - now_ms >= wait || tenant->waiting == 0 || !choose_entry(tenant) ||
		    (tenant->share.at_once > 0 && tenant->held >= tenant->share.at_once))
			continue;
		wait = q->slow.items[i]->key - now_ms;
	}
	return wait;
}

struct fleet_entry *fleet_queue_take(struct fleet_queue *q, uint64_t now_ms,
				     bool (*fits)(void *ctx, const char *class), void *ctx,
				     uint64_t *ret_wait_ms)
{
	struct queue_tenant *tenant;
	struct fleet_entry *entry;
	struct fleet_lane *lane;

	wake_slow(q, now_ms);
	lane = choose_lane(q, fits, ctx);
	if (!lane) {
		*ret_wait_ms = find_wait(q, now_ms);
		return NULL;
	}
	tenant = lane->tenant;
	lane = choose_entry(tenant);
	entry = queue_lane_first(lane);
	charge(tenant, lane);
	tenant->held++;
	use_token(q, tenant, now_ms);
	update_tenant(tenant);
	fleet_queue_remove(q, entry);
	return entry;
}

void fleet_queue_held(struct fleet_queue *q, const char *name)
{
	struct queue_tenant *tenant = queue_get_tenant(q, name);

	tenant->held++;
	update_tenant(tenant);
}

void fleet_queue_released(struct fleet_queue *q, const char *name)
{
	struct queue_tenant *tenant = fleet_table_get(q->tenants, name);

	if (!tenant || tenant->held == 0)
		return;
	tenant->held--;
	update_tenant(tenant);
}

size_t fleet_queue_waiting(const struct fleet_queue *q, const char *class, const char *name)
{
	const struct queue_tenant *tenant = fleet_table_get(q->tenants, name);
	const struct fleet_lane *lane = tenant ? fleet_table_get(tenant->lanes, class) : NULL;

	return lane ? lane->waiting : 0;
}

bool fleet_queue_is_empty(const struct fleet_queue *q)
{
	return q->waiting == 0;
}
