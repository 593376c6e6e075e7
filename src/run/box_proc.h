/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box without a control group uses, out of its own /proc and what else its pid 1 handed out: processor
 * time, processes, memory, and what lies on its private file system. Inside run/ only.
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
	int stage;                /* owned; of the tmpfs that holds what the box writes */
	uint64_t stage_bytes;     /* that lay there at the last look: memory, too */
	FILE *sysv;               /* owned; System V shared memory of the box; NULL: not its own */
	struct box_process *seen; /* owned; at the last look, by pid */
	size_t n_seen;
	uint64_t gone_ticks;   /* of those seen at an earlier look and not at the last */
	uint64_t shmem_before; /* pages of all file systems in memory, of the whole machine */
	uint64_t shmem_dev;    /* where files without a name lie */
	size_t turn;           /* whom the next search begins with */
	pid_t counter;         /* our child that adds up; 0: none */
	int answer;            /* owned; what it has found */
	uint64_t asked_ms;
};

void box_proc_init(struct box_proc *b);
/* Takes the descriptors; STAGE and SYSV may be -1. */
void box_proc_start(struct box_proc *b, int proc, int stage, int sysv);
void box_proc_finish(struct box_proc *b);

/* Processes and processor time; the sum of their resident pages, shared ones as often as they are mapped. */
void box_proc_count(struct box_proc *b, struct run_usage *ret, uint64_t *ret_rss);
/* Bytes and inodes of the private file system. */
void box_proc_stage(struct box_proc *b, struct run_usage *ret);

/*
 * box_mem.c: memory, with files in memory that nobody maps. RSS from above. Exact where the sum may be above
 * LIMIT (0: none); else a page that a process inherited may be counted more than once.
 */
void box_mem_look(struct box_proc *b, uint64_t rss, uint64_t limit, struct run_usage *ret);
/* Nobody wants to know any more. */
void box_mem_stop(struct box_proc *b);

/* Kills every process there is at this moment; those that are just being made may escape. */
void box_proc_kill(const struct box_proc *b);

/* One small file of process PID as text; the bytes read, or a negative errno. */
ssize_t box_proc_read(int proc, const char *pid, const char *file, char *ret, size_t cap);

#endif
