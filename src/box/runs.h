/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as other processes see them: a socket STATE/live/RUN while it is live, and for detached ones a
 * directory STATE/runs/RUN with their description and output. All of it accessible only to their user.
 */
#ifndef BOX_RUNS_H
#define BOX_RUNS_H

#include "base/str.h"
#include "store/store.h"

#define BOX_RUN_LOG   "log"      /* see run/log.h */
#define BOX_RUN_ABOUT "run.json" /* what it is */
#define BOX_RUN_END   "end"      /* reserved space for the result, in case the disk is full */

/* Logs are kept this long, up to this total size; the oldest are removed first. */
#define BOX_LOGS_DAYS  7
#define BOX_LOGS_BYTES (1LL << 30)

/* The registration of a live run. */
struct box_presence {
	char id[STORE_ID_MAX]; /* "": it has none */
	int listener;          /* owned; -1: none */
};

/* From now on others can find the run. */
int box_presence_enter(const char *id, struct box_presence *ret, struct aisbx_error *e);
/* No longer; its result must have been written. */
void box_presence_leave(struct box_presence *p);

/* Ids with a socket, also of runs that were killed. */
int box_runs_present(struct strlist *ret_ids, struct aisbx_error *e);
/* The directory of those directories, and of names; made if MAKE, else -ENOENT leaves E unchanged. */
int box_runs_dir(bool make, int *ret_fd, struct aisbx_error *e);
/* Ids with a directory. */
int box_runs_kept(struct strlist *ret_ids, struct aisbx_error *e);
/* Connects to its supervisor. -ENOENT: it ended; -ECONNREFUSED: it was killed; E is unchanged after both. */
int box_run_connect(const char *id, int *ret_fd, struct aisbx_error *e);
/* A killed run was recorded: removes its socket. */
void box_run_bury(const char *id);

/* Makes the directory of a run, with ABOUT in it. */
int box_run_keep(const char *id, const char *about, int *ret_dir, struct aisbx_error *e);
/* -ENOENT: nothing is stored of it, and E is unchanged. */
int box_run_open(const char *id, int *ret_dir, struct aisbx_error *e);
/* Text of a small file in the directory of a run; heap, or NULL. */
char *box_run_read(const char *id, const char *name);
/*
 * Writes its result into the reserved space; SHORTER if TEXT is too long. Does nothing if there is no space.
 */
void box_run_end(const char *id, const char *text, const char *shorter);
/* The history contains it. */
void box_run_end_drop(const char *id);
/* It did not start. */
void box_run_forget(const char *id);
/* Removes logs by age and size; not of live runs. */
int box_runs_collect(size_t *ret_n, struct aisbx_error *e);

#endif
