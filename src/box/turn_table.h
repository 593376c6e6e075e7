/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of one user on this machine that are under way or wait for their turn, as a table, and who is
 * next. No files, no clock: turn.c has them.
 */
#ifndef BOX_TURN_TABLE_H
#define BOX_TURN_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "policy/queue_policy.h"

#define TURN_PLACES  1024u
#define TURN_CALLERS 64u
#define TURN_NONE    SIZE_MAX

enum turn_state { TURN_FREE, TURN_WAITS, TURN_RUNS };

struct turn_place {
	uint64_t caller; /* whose it is */
	uint64_t ticket; /* the order of coming */
	uint32_t state;  /* enum turn_state */
	char run[28];    /* id of the run; "": nobody can reach it */
};

/* What is remembered of one that has had turns: with many others the oldest is forgotten. */
struct turn_caller {
	uint64_t caller;
	uint64_t last; /* the ticket that it last got its turn for; 0: there is nobody here */
	int64_t at_ms; /* when `spent` was right */
	int64_t spent; /* of its starts a minute, in thousandths */
};

struct turn_table {
	uint32_t magic;
	uint32_t used;    /* places from here on are free */
	uint64_t tickets; /* given out so far */
	uint64_t turns;   /* likewise */
	struct turn_caller callers[TURN_CALLERS];
	struct turn_place places[TURN_PLACES];
};

/* One that holds nothing; also in the place of what is none. */
void turn_table_check(struct turn_table *t);
/* A place for a run that waits; TURN_NONE: there is no room. */
size_t turn_enter(struct turn_table *t, uint64_t caller, const char *run);
void turn_leave(struct turn_table *t, size_t place);
size_t turn_count(const struct turn_table *t, enum turn_state state);
/*
 * Who is next of those that wait: of the callers that may, the one with the fewest runs under way; of several
 * the one whose last turn was longest ago; of its runs the oldest. IS_SHORT: there is no memory for another.
 * TURN_NONE: nobody now; *RET_SOON_MS (else left alone): somebody after so long, by the rates.
 */
size_t turn_next(struct turn_table *t, const struct queue_policy *p, int64_t now_ms, bool is_short,
		 int64_t *ret_soon_ms);
/* It has its turn. */
void turn_begin(struct turn_table *t, const struct queue_policy *p, size_t place, int64_t now_ms);

#endif
