/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a box uses, looked at from time to time: from its control group, or where there is none from its
 * /proc. Says which limit is used up where nobody else stops a box at it. Inside run/ only.
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
	uint64_t next_ms;       /* when to look again; 0: not before there is somebody to look at */
	uint64_t measure_ms;    /* when to measure again */
	uint64_t pause_ms;      /* between measurements: longer while nothing happens */
	struct disk_watch disk; /* looks at times of its own */
	struct run_usage usage;
	const uint64_t *limits; /* borrowed; LIMIT_COUNT of them */
	uint64_t spent_us;      /* processor time that went into the walls */
};

void watch_init(struct watch *w, const uint64_t *limits, const struct run_disk *disk);
void watch_finish(struct watch *w);
/* The walls are up, built by INIT; takes the descriptors, as box_proc_start. */
void watch_start(struct watch *w, pid_t init, int proc, int stage, int sysv);
/* Of processor time counted since the box was born what is not its making. */
uint64_t watch_net_us(const struct watch *w, uint64_t cpu_us);
/* Kills all processes of the box. */
void watch_kill(const struct watch *w);
/* Looks. The limit that is used up, or LIMIT_COUNT. */
enum limit watch_look(struct watch *w);
/* For who asks just now: what is known is a moment old at most. */
void watch_refresh(struct watch *w);
/* The last look: everybody is gone, the group not yet. */
void watch_last_look(struct watch *w);

#endif
