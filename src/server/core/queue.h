/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of many calls comes next. Pure: it starts nothing, and is told the time. In the order of arrival per
 * client, fairly between clients, and only so many at once.
 */
#ifndef SERVER_CORE_QUEUE_H
#define SERVER_CORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call that has run for so long without an end waits for something else than a processor. */
#define QUEUE_FRESH_MS 20
/* What ends others has places of its own beyond the limit, or a client could not end what fills its places.
 */
#define QUEUE_SPARE 8

struct queue_limits {
	unsigned int running, running_in_all; /* of a client, of all */
	unsigned int fresh; /* of all those that run, started so recently; 0: as many as may run */
	unsigned int waiting, waiting_in_all;
	size_t bytes, bytes_in_all; /* of what waits */
};

enum queue_state { QUEUE_OUT, QUEUE_WAITING, QUEUE_FRESH, QUEUE_SETTLED };

/* A call. Its owner embeds it, all zero. */
struct queue_item {
	struct queue_source *source; /* borrowed */
	struct queue_item *prev, *next;
	enum queue_state state;
	size_t bytes;
	uint64_t fresh_until_ms;
	bool urgent;
};

struct queue_list {
	struct queue_item *first, *last;
};

/* A client. All zero but for QUEUE. */
struct queue_source {
	struct queue *queue; /* borrowed */
	struct queue_list list;
	unsigned int waiting, running, urgent; /* urgent: of those that wait */
	size_t bytes;
	struct queue_source *prev, *next; /* while it has something that waits; who was served goes last */
};

/* All zero but for LIMITS. */
struct queue {
	struct queue_limits limits;
	struct queue_source *first, *last;
	struct queue_list fresh; /* the oldest first */
	unsigned int n_fresh, running, waiting;
	size_t bytes;
	uint64_t started_ms;  /* when the last one left the queue */
	unsigned int pace_16; /* sixteenths of a millisecond from one start to the next, while some wait */
};

/*
 * ITEM, which is of SOURCE, waits; BYTES: what it keeps meanwhile. URGENT: it ends others. Otherwise there is
 * no room, and the result is in how many milliseconds there will be, as far as can be said: never 0.
 */
uint32_t queue_join(struct queue_source *source, struct queue_item *item, size_t bytes, bool urgent);
/* How soon a client that was turned away may try again. */
uint32_t queue_retry_ms(const struct queue_source *source);
/* The one that is to be started now, and from now on runs; NULL: none may. */
struct queue_item *queue_next(struct queue *q, uint64_t now_ms);
/* It runs, and needs no processor any more: it waits for what it has started. */
void queue_settle(struct queue_item *item);
/* It has ended, or gave up. May be called again. */
void queue_leave(struct queue_item *item);
/* Those that have run for long enough are settled. */
void queue_tick(struct queue *q, uint64_t now_ms);
/* When that is worth it; 0: not before something else happens. */
uint64_t queue_due_ms(const struct queue *q);

#endif
