/* SPDX-License-Identifier: Apache-2.0 */
/* What will happen in a simulated world, by true time; what falls together happens in the order in which it
 * was planned. */
#ifndef SIM_HEAP_H
#define SIM_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_event_kind {
	/* of programs: dropped if the life of the program is over, late if it is paused */
	EVENT_MESSAGE, /* DATA: struct fleet_message */
	EVENT_ANSWER,  /* DATA: struct fleet_answer */
	EVENT_HINT,    /* lane NUMBER has a new job */
	EVENT_WAKE,
	EVENT_BOX_ENDED,   /* the agent hears of the end of run NUMBER */
	EVENT_BOX_REFUSED, /* DATA: struct sim_refused; it could not be started */
	EVENT_SUBMIT,      /* job NUMBER */
	EVENT_CANCEL,      /* likewise */
	EVENT_DROP,        /* likewise: who waited has the result */
	EVENT_DRAIN,       /* NUMBER: whether */
	/* of programs, even while they are paused */
	EVENT_SAVED,
	EVENT_RESUME,
	EVENT_LEASE, /* the timer that kills the boxes of an agent */
	/* of the world */
	EVENT_ASK,     /* reaches the engine; DATA: struct sim_ask */
	EVENT_BOX_END, /* run NUMBER has done its work */
	EVENT_BOX_KILL,
	EVENT_BOX_OVER, /* the lease of a crashed agent, under which run NUMBER stands, is over */
	EVENT_STORE,    /* a transaction of run NUMBER reaches its store */
	EVENT_SEEN,     /* a read of run NUMBER does */
	EVENT_RESTART,  /* of a program; NUMBER: whether its disk is lost */
	EVENT_FAULT,
	EVENT_HEAL,
	EVENT_LOOK, /* is all done? */
};

struct sim_event {
	uint64_t at;    /* microseconds */
	uint64_t order; /* of planning */
	enum sim_event_kind kind;
	unsigned program;
	unsigned life; /* of the program; 0: any */
	uint64_t number;
	void *data; /* owned */
};

struct sim_heap {
	struct sim_event *items; /* owned */
	size_t n, room;
	uint64_t planned;
};

void heap_add(struct sim_heap *heap, struct sim_event event);
/* False: there is nothing more. */
bool heap_take(struct sim_heap *heap, struct sim_event *ret);

/* Memory or the end of the program: a simulator has nobody to tell. */
void *must_alloc(size_t n, size_t size);
/* Makes room for one more of SIZE bytes in a list of N. */
void must_grow(void *list, size_t n, size_t *room, size_t size);

#endif
