/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory of the guard's queue: queue/ has what is to be done, working/ what is under way, done/ what
 * came of it. Records are added and never changed. A name is in at most one of the first two, and moves by
 * one rename: what was begun is never begun again unseen.
 */
#ifndef GUARD_QUEUE_H
#define GUARD_QUEUE_H

#include <jansson.h>

#include "aisbx/error.h"
#include "project/errand.h"

struct guard_queue {
	char *path;                          /* owned; real */
	int dir, queue, working, done, lock; /* owned */
};

#define GUARD_QUEUE_INIT                                                      \
	{                                                                     \
		.dir = -1, .queue = -1, .working = -1, .done = -1, .lock = -1 \
	}

/* Locks it: there is one worker. All of it must be the person's own, and nobody else's to write. */
int guard_queue_open(const char *path, struct guard_queue *ret, struct aisbx_error *e);
void guard_queue_close(struct guard_queue *q);

/* What others could not have written: a file of one's own, no link. */
int guard_queue_authority(const struct guard_queue *q, struct authority *ret, struct aisbx_error *e);
/* The first name of the queue; heap. NULL: there is none. */
char *guard_queue_next(const struct guard_queue *q);
int guard_queue_read(const struct guard_queue *q, int dir, const char *name, struct errand *ret,
		     struct aisbx_error *e);
/* From the queue to what is under way. RET_NAME: what it is called from now on, like no other
 * before; heap. */
int guard_queue_begin(const struct guard_queue *q, const char *name, char **ret_name, struct aisbx_error *e);
/* Keeps RECORD as done/NAME.json, which must not be there, then takes the errand out of DIR. */
int guard_queue_end(const struct guard_queue *q, int dir, const char *name, const json_t *record,
		    struct aisbx_error *e);
/* What was under way when the last worker was killed: RET_NAMES are marked, and those that say so are queued
 * again. */
int guard_queue_recover(const struct guard_queue *q, size_t *ret_n, struct aisbx_error *e);
/* All records, by the time they were begun; a new reference. RET_WHOLE: none of them is missing;
 * may be NULL. */
json_t *guard_queue_records(const struct guard_queue *q, bool *ret_whole);
/* All of it or nothing. ANEW: in the place of one that is there; else that is an error. */
int guard_queue_write(int dir, const char *name, bool anew, const char *text, size_t len,
		      struct aisbx_error *e);

/* report.c: what a person reads in the morning. */
int guard_report(const struct guard_queue *q, const struct authority *a, const char *state,
		 struct aisbx_error *e);

#endif
