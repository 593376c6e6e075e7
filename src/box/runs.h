/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as others than their caller see them: a socket STATE/live/RUN while one lives, for detached ones a
 * directory STATE/runs/RUN with what they are and their output. All of it for nobody but their user.
 */
#ifndef BOX_RUNS_H
#define BOX_RUNS_H

#include "base/str.h"
#include "store/store.h"

#define BOX_RUN_LOG   "log"      /* see run/log.h */
#define BOX_RUN_ABOUT "run.json" /* what it is */
#define BOX_RUN_END   "end"      /* room for how it ended, should the history have none */

/* Logs are kept this long, and of all together this much; the oldest go first. */
#define BOX_LOGS_DAYS  7
#define BOX_LOGS_BYTES (1LL << 30)

/* A run's place among those that live. */
struct box_presence {
	char id[STORE_ID_MAX]; /* "": it has none */
	int listener;          /* owned; -1: none */
};

/* Others find the run from now on. */
int box_presence_enter(const char *id, struct box_presence *ret, struct aisbx_error *e);
/* And no longer; everything about its end must be written by now. */
void box_presence_leave(struct box_presence *p);

/* Ids with a socket, also those whose run was killed. */
int box_runs_present(struct strlist *ret_ids, struct aisbx_error *e);
/* Ids with a directory. */
int box_runs_kept(struct strlist *ret_ids, struct aisbx_error *e);
/* Connects to its supervisor. -ENOENT: it ended; -ECONNREFUSED: it was killed; E is as it was after both. */
int box_run_connect(const char *id, int *ret_fd, struct aisbx_error *e);
/* A killed run is written down: its socket goes. */
void box_run_bury(const char *id);

/* Makes the directory of a run, with ABOUT in it. */
int box_run_keep(const char *id, const char *about, int *ret_dir, struct aisbx_error *e);
/* -ENOENT: nothing was kept of it, and E is as it was. */
int box_run_open(const char *id, int *ret_dir, struct aisbx_error *e);
/* Text of a small file in the directory of a run; heap, or NULL. */
char *box_run_read(const char *id, const char *name);
/* How it ended, into the room that was kept for that; SHORTER where TEXT is too long. Where there is no room
 * nothing happens. */
void box_run_end(const char *id, const char *text, const char *shorter);
/* The history has it. */
void box_run_end_drop(const char *id);
/* Nothing came of it. */
void box_run_forget(const char *id);
/* Removes logs by age and size; not of runs that live. */
int box_runs_collect(size_t *ret_n, struct aisbx_error *e);

#endif
