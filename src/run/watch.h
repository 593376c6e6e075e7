/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource usage of a box, measured from time to time: from its control group, or without one from its /proc.
 * Reports which limit is reached if nothing else enforces it. Inside run/ only.
 */
#ifndef RUN_WATCH_H
#define RUN_WATCH_H

#include <stdint.h>
#include <sys/types.h>

#include "run/box_proc.h"
#include "run/cgroup.h"
#include "run/disk.h"
#include "run/run.h"

struct watch {
	struct cgroup group;
	struct box_proc box;
	uint64_t next_ms;       /* when to check again; 0: not before there are processes */
	uint64_t measure_ms;    /* when to measure again */
	uint64_t pause_ms;      /* between measurements: longer while nothing happens */
	struct disk_watch disk; /* checks at its own times */
	struct run_usage usage;
	const uint64_t *limits; /* borrowed; LIMIT_COUNT of them */
	uint64_t spent_us;      /* processor time used for the walls */
};

void watch_init(struct watch *w, const uint64_t *limits, const struct run_disk *disk);
void watch_finish(struct watch *w);
/* The walls are built, by INIT; takes the descriptors, as box_proc_start. OWN: of the private file system,
 * what the box is made of. */
void watch_start(struct watch *w, pid_t init, int proc, int staging, int sysv, const struct run_space *own);
/* Of processor time counted since the start of the box, the part that was not used to build it. */
uint64_t watch_net_us(const struct watch *w, uint64_t cpu_us);
/* Kills all processes of the box. */
void watch_kill(const struct watch *w);
/* Measures. The limit that is reached, or LIMIT_COUNT. */
enum limit watch_look(struct watch *w);
/* For a request: the values are at most a moment old. */
void watch_refresh(struct watch *w);
/* The last measurement: all processes are gone, the group still exists. */
void watch_last_look(struct watch *w);

#endif
