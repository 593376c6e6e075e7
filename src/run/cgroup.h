/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control group of one box: made before it, contains all of it, measures its usage, removed after it.
 * Cgroup v2 if this user may make groups there, v1 on hosts with v1 controllers, or none at all.
 */
#ifndef RUN_CGROUP_H
#define RUN_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "jail/plan.h"

/* Groups in several trees at once: v1 has one for each controller, and v2's beside them. */
#define CGROUP_TREES 4
#define CGROUP_NAME  48

struct cgroup_tree {
	int dir;         /* of the box's group; owned */
	int parent;      /* where it was made; owned */
	int entry;       /* v1: write "0" here to come in; owned; -1: come in by clone */
	uint32_t limits; /* bits of enum limit that are enforced here */
};

struct cgroup {
	struct cgroup_tree trees[CGROUP_TREES];
	size_t n;
	/* processes in it that are none of the command's; then what the kernel says of the most is not asked
	 */
	unsigned int others;
	unsigned int version; /* of the tree that holds limits; 0: none does */
	char name[CGROUP_NAME];
};

/* An amount of disk. */
struct run_space {
	uint64_t bytes, inodes;
};

/* Resource usage of a group, or of a box that is watched without one. */
struct run_usage {
	uint64_t cpu_us;
	uint64_t mem, mem_peak; /* bytes */
	uint64_t pids, pids_peak;
	uint64_t disk, inodes; /* as told at the end, or by who measures a box that stays */
	uint64_t disk_peak, inodes_peak;
	uint64_t refused_forks; /* for the limit on processes */
	uint64_t oom_kills;
};

/*
 * Makes the group with those of LIMITS (enum limit) that it can enforce. Having no group is no error: then 0
 * limits are enforced, and others must enforce them.
 */
int cgroup_make(struct cgroup *c, const uint64_t limits[LIMIT_COUNT], struct aisbx_error *e);
/*
 * Sets the limits of a group again, lower than they were: what was made with room for who builds the box is
 * for the box alone. OTHERS processes in it are not counted.
 */
int cgroup_tighten(struct cgroup *c, unsigned int others, const uint64_t limits[LIMIT_COUNT],
		   struct aisbx_error *e);
/* Bits of the limits that the group enforces. */
uint32_t cgroup_held(const struct cgroup *c);
/* "cgroup v2", "cgroup v1" or NULL. */
const char *cgroup_method(const struct cgroup *c);
/*
 * The descriptors for entering the group; returns how many. RET_CLONE: the first is for clone, a "0" is
 * written to the others.
 */
size_t cgroup_entries(const struct cgroup *c, int ret_fds[CGROUP_TREES], bool *ret_clone);
/* Overwrites in RET what the group measures. */
void cgroup_read(const struct cgroup *c, struct run_usage *ret);
/* Kills all processes in it; false if the kernel cannot (before Linux 5.14, or v1). */
bool cgroup_kill(const struct cgroup *c);
/* Nobody is in it any more. */
void cgroup_remove(struct cgroup *c);

/* NAME is made by cgroup_make, and its supervisor is gone. */
bool cgroup_is_left(const char *name);
/* Removes groups of boxes whose supervisor is gone, wherever they are. */
void cgroup_sweep(void);

#endif
