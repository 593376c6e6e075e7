/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory of the guard's queue: queue/ has waiting items, working/ items in progress, done/ the
 * results. Records are added and never changed. An item is in at most one of the first two, and moves by one
 * rename: it is never started twice unnoticed.
 */
#ifndef GUARD_QUEUE_H
#define GUARD_QUEUE_H

#include <jansson.h>

#include "aisbx/error.h"
#include "project/queued_task.h"

struct guard_queue {
	char *path;                          /* owned; real */
	int dir, queue, working, done, lock; /* owned */
};

#define GUARD_QUEUE_INIT                                                      \
	{                                                                     \
		.dir = -1, .queue = -1, .working = -1, .done = -1, .lock = -1 \
	}

/* Locks it: there is one worker. All of it must belong to the person, and nobody else may write to it. */
int guard_queue_open(const char *path, struct guard_queue *ret, struct aisbx_error *e);
void guard_queue_close(struct guard_queue *q);

/* A file that others could not have written: one's own, not a link. */
int guard_queue_authority(const struct guard_queue *q, struct authority *ret, struct aisbx_error *e);
/* The first name of the queue; heap. NULL: there is none. */
char *guard_queue_next(const struct guard_queue *q);
int guard_queue_read(const struct guard_queue *q, int dir, const char *name, struct queued_task *ret,
		     struct aisbx_error *e);
/* Moves it from the queue to items in progress. RET_NAME: its new, unique name; heap. */
int guard_queue_begin(const struct guard_queue *q, const char *name, char **ret_name, struct aisbx_error *e);
/* Stores RECORD as done/NAME.json, which must not exist, then removes the item from DIR. */
int guard_queue_end(const struct guard_queue *q, int dir, const char *name, const json_t *record,
		    struct aisbx_error *e);
/*
 * Items that were in progress when the last worker was killed: RET_NAMES are marked, and those that allow it
 * are queued again.
 */
int guard_queue_recover(const struct guard_queue *q, size_t *ret_n, struct aisbx_error *e);
/* All records, by start time; a new reference. RET_WHOLE: none of them is missing; may be NULL. */
json_t *guard_queue_records(const struct guard_queue *q, bool *ret_whole);
/* All of it or nothing. ANEW: replaces an existing one; otherwise that is an error. */
int guard_queue_write(int dir, const char *name, bool anew, const char *text, size_t len,
		      struct aisbx_error *e);

/* report.c: the report for a person. */
int guard_report(const struct guard_queue *q, const struct authority *a, const char *state,
		 struct aisbx_error *e);

#endif
