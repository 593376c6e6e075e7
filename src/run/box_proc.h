/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource usage of a box without a control group, from its own /proc and other descriptors of its pid 1:
 * processor time, processes, memory, and usage of its private file system. Inside run/ only.
 */
#ifndef RUN_BOX_PROC_H
#define RUN_BOX_PROC_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "run/cgroup.h"

struct box_process {
	pid_t pid;
	uint64_t started, ticks; /* of its own, without its children's */
};

struct box_proc {
	int proc;                 /* owned; the box's /proc; -1: not there yet */
	int staging;              /* owned; of the tmpfs with what the box writes */
	uint64_t staging_bytes;   /* usage at the last measurement: it is memory, too */
	struct run_space own;     /* of which the box itself is made */
	FILE *sysv;               /* owned; System V shared memory of the box; NULL: not its own */
	struct box_process *seen; /* owned; at the last measurement, by pid */
	size_t n_seen;
	uint64_t gone_ticks;   /* of processes that have gone since an earlier measurement */
	uint64_t shmem_before; /* pages of all file systems in memory, of the whole machine */
	uint64_t shmem_dev;    /* where files without a name lie */
	size_t turn;           /* where the next search starts */
	pid_t counter;         /* our child that adds up; 0: none */
	int answer;            /* owned; what it has found */
	uint64_t asked_ms;
};

void box_proc_init(struct box_proc *b);
/* Takes the descriptors; STAGE and SYSV may be -1. */
void box_proc_start(struct box_proc *b, int proc, int staging, int sysv);
void box_proc_finish(struct box_proc *b);

/* Processes and processor time; the sum of their resident pages, shared ones as often as they are mapped. */
void box_proc_count(struct box_proc *b, struct run_usage *ret, uint64_t *ret_rss);
/* What is used now may be the most there was. */
void run_usage_peaks(struct run_usage *u);
/* Bytes and inodes of the private file system. */
void box_proc_staging(struct box_proc *b, struct run_usage *ret);

/*
 * box_mem.c: memory, with files in memory that nobody maps. RSS from above. Exact if the sum may be above
 * LIMIT (0: none); otherwise a page that a process inherited may be counted more than once.
 */
void box_mem_look(struct box_proc *b, uint64_t rss, uint64_t limit, struct run_usage *ret);
/* The result is not needed any more. */
void box_mem_stop(struct box_proc *b);

/* Kills every current process; those that are just being started may escape. */
void box_proc_kill(const struct box_proc *b);

/* One small file of process PID as text; the bytes read, or a negative errno. */
ssize_t box_proc_read(int proc, const char *pid, const char *file, char *ret, size_t cap);

#endif
