/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The disk and inode limits of a box that stores its changes on a file system of the host, where only
 * measuring enforces them: when to measure, and what to conclude. Inside run/ only.
 */
#ifndef RUN_DISK_H
#define RUN_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "jail/plan.h"
#include "run/run.h"

struct disk_watch {
	const struct run_disk *disk; /* borrowed; NULL: the box stores nothing */
	struct run_space limit;
	struct run_space kept, kept_first; /* as counted last, and first */
	struct run_space free, free_first; /* on the file system when that count began */
	bool known;                        /* it was counted */
	uint64_t next_ms;                  /* when to check again; 0: never */
	uint64_t pause_ms;
	uint64_t seen_bytes;          /* free at the last look */
	uint64_t cpu_us;              /* that the box had used when it was counted */
	uint64_t counted_ms, took_ms; /* when it was counted, and how long that took */
	pid_t child;                  /* counts; 0: nobody does */
	int answer;                   /* owned; from there */
	uint64_t began_us;
	struct run_space free_then;
};

void disk_watch_init(struct disk_watch *d, const struct run_disk *disk, const uint64_t *limits);
void disk_watch_finish(struct disk_watch *d);
/* The command is about to start. */
void disk_watch_start(struct disk_watch *d);
/* PROC: the box's, or -1; CPU_US: what it has used so far. The limit that is reached, or LIMIT_COUNT. */
enum limit disk_watch_look(struct disk_watch *d, int proc, uint64_t cpu_us);
/* Its usage as far as known; false if nothing is known. */
bool disk_watch_now(const struct disk_watch *d, struct run_space *ret);
/* All processes are gone: the last measurement, for a run that took WALL_US. False if nothing is known. */
bool disk_watch_end(struct disk_watch *d, uint64_t wall_us, struct run_space *ret);
/* LIMIT_COUNT when SPACE is within. */
enum limit disk_watch_over(const struct disk_watch *d, const struct run_space *space);

/* deleted_files.c: adds files of the box on the file system of DIR that are open and have no name any more.
 */
void disk_add_deleted(int proc, int dir, struct run_space *sum);

#endif
