/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is: of the clients that wait the one with the fewest running calls, of equal ones the one
 * that was not served for longest.
 */
#include "server/core/queue.h"

/* A client that is turned away is told to come back when a part of what waits is gone, not for one place. */
#define PART         4
#define RETRY_MIN_MS 50
#define RETRY_MAX_MS 30000
/* Before anything was measured. */
#define FIRST_PACE_MS 10

static void append(struct queue_list *l, struct queue_item *i)
{
	i->prev = l->last;
	i->next = NULL;
	*(l->last ? &l->last->next : &l->first) = i;
	l->last = i;
}

static void take_out(struct queue_list *l, struct queue_item *i)
{
	*(i->prev ? &i->prev->next : &l->first) = i->next;
	*(i->next ? &i->next->prev : &l->last) = i->prev;
	i->prev = i->next = NULL;
}

static void add_source(struct queue *q, struct queue_source *s)
{
	s->prev = q->last;
	s->next = NULL;
	*(q->last ? &q->last->next : &q->first) = s;
	q->last = s;
}

static void drop_source(struct queue *q, struct queue_source *s)
{
	*(s->prev ? &s->prev->next : &q->first) = s->next;
	*(s->next ? &s->next->prev : &q->last) = s->prev;
	s->prev = s->next = NULL;
}

static void stop_waiting(struct queue_item *i)
{
	struct queue_source *s = i->source;
	struct queue *q = s->queue;

	take_out(&s->list, i);
	s->waiting--;
	q->waiting--;
	s->bytes -= i->bytes;
	q->bytes -= i->bytes;
	s->urgent -= i->urgent;
	drop_source(q, s);
	if (s->waiting)
		add_source(q, s);
}

uint32_t queue_retry_ms(const struct queue_source *source)
{
	const struct queue *q = source->queue;
	const uint64_t pace = q->pace_16 ? q->pace_16 : FIRST_PACE_MS * 16;
	const uint64_t ms = pace * (q->waiting / PART + 1) / 16;

	return ms < RETRY_MIN_MS ? RETRY_MIN_MS : ms > RETRY_MAX_MS ? RETRY_MAX_MS : (uint32_t)ms;
}

uint32_t queue_join(struct queue_source *source, struct queue_item *item, size_t bytes, bool urgent)
{
	struct queue *q = source->queue;
	const struct queue_limits *l = &q->limits;

	if (source->waiting >= l->waiting || q->waiting >= l->waiting_in_all ||
	    source->bytes + bytes > l->bytes || q->bytes + bytes > l->bytes_in_all)
		return queue_retry_ms(source);
	*item = (struct queue_item){
		.source = source, .state = QUEUE_WAITING, .bytes = bytes, .urgent = urgent
	};
	append(&source->list, item);
	if (!source->waiting++)
		add_source(q, source);
	q->waiting++;
	source->bytes += bytes;
	q->bytes += bytes;
	source->urgent += urgent;
	return 0;
}

static bool is_full(const struct queue *q, const struct queue_source *s, unsigned int spare)
{
	return s->running >= q->limits.running + spare || q->running >= q->limits.running_in_all + spare;
}

/* Of that client; NULL: none may start. */
static struct queue_item *choose(const struct queue *q, const struct queue_source *s)
{
	struct queue_item *i = s->list.first;

	if (!is_full(q, s, 0))
		return i;
	if (!s->urgent || is_full(q, s, QUEUE_SPARE))
		return NULL;
	while (i && !i->urgent)
		i = i->next;
	return i;
}

static struct queue_item *choose_of_all(const struct queue *q)
{
	struct queue_item *best = NULL;

	if (q->limits.fresh && q->n_fresh >= q->limits.fresh)
		return NULL;
	for (const struct queue_source *s = q->first; s; s = s->next) {
		struct queue_item *i = !best || s->running < best->source->running ? choose(q, s) : NULL;

		if (i)
			best = i;
	}
	return best;
}

/* A mean in which each new one counts an eighth. Time in which nobody waited says nothing. */
static void measure(struct queue *q, uint64_t now_ms)
{
	if (q->started_ms && q->waiting) {
		const uint64_t gap = now_ms - q->started_ms;
		const unsigned int now_16 = (unsigned int)(gap < RETRY_MAX_MS ? gap : RETRY_MAX_MS) * 16;

		q->pace_16 = q->pace_16 ? q->pace_16 - q->pace_16 / 8 + now_16 / 8 : now_16;
	}
	q->started_ms = q->waiting ? now_ms : 0;
}

struct queue_item *queue_next(struct queue *q, uint64_t now_ms)
{
	struct queue_item *i = choose_of_all(q);

	if (!i)
		return NULL;
	stop_waiting(i);
	measure(q, now_ms);
	i->state = QUEUE_FRESH;
	i->fresh_until_ms = now_ms + QUEUE_FRESH_MS;
	append(&q->fresh, i);
	q->n_fresh++;
	q->running++;
	i->source->running++;
	return i;
}

void queue_settle(struct queue_item *i)
{
	struct queue *q;

	if (i->state != QUEUE_FRESH)
		return;
	q = i->source->queue;
	take_out(&q->fresh, i);
	q->n_fresh--;
	i->state = QUEUE_SETTLED;
}

void queue_leave(struct queue_item *i)
{
	if (i->state == QUEUE_WAITING)
		stop_waiting(i);
	queue_settle(i);
	if (i->state == QUEUE_SETTLED) {
		i->source->running--;
		i->source->queue->running--;
	}
	i->state = QUEUE_OUT;
}

void queue_tick(struct queue *q, uint64_t now_ms)
{
	while (q->fresh.first && q->fresh.first->fresh_until_ms <= now_ms)
		queue_settle(q->fresh.first);
}

uint64_t queue_due_ms(const struct queue *q)
{
	return q->waiting && q->fresh.first ? q->fresh.first->fresh_until_ms : 0;
}
