/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control group of one box: made before it, holds all of it, tells what it used, gone after it. Cgroup v2
 * where this user may have groups there, v1 on hosts that keep their controllers in it, or none at all.
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
	uint32_t limits; /* bits of enum limit that are held here */
};

struct cgroup {
	struct cgroup_tree trees[CGROUP_TREES];
	size_t n;
	unsigned int version; /* of the tree that holds limits; 0: none does */
	char name[CGROUP_NAME];
};

/* What a group, or a box that is watched without one, has used. */
struct run_usage {
	uint64_t cpu_us;
	uint64_t mem, mem_peak; /* bytes */
	uint64_t pids, pids_peak;
	uint64_t disk, inodes;  /* as told at the end, or by who measures a box that stays */
	uint64_t refused_forks; /* for the limit on processes */
	uint64_t oom_kills;
};

/*
 * Makes the group with those of LIMITS (enum limit) it can hold. No group at all is no error: then what is
 * held is 0, and somebody else has to hold them.
 */
int cgroup_make(struct cgroup *c, const uint64_t limits[LIMIT_COUNT], struct aisbx_error *e);
/* Bits of the limits the group holds. */
uint32_t cgroup_held(const struct cgroup *c);
/* "cgroup v2", "cgroup v1" or NULL. */
const char *cgroup_method(const struct cgroup *c);
/* The descriptors by which a process comes in; returns how many. RET_CLONE: the first is for clone, the
 * others take a "0". */
size_t cgroup_entries(const struct cgroup *c, int ret_fds[CGROUP_TREES], bool *ret_clone);
/* Overwrites of RET what the group knows. */
void cgroup_read(const struct cgroup *c, struct run_usage *ret);
/* Kills everybody in it; false when the kernel cannot (before Linux 5.14, or v1). */
bool cgroup_kill(const struct cgroup *c);
/* Nobody is in it any more. */
void cgroup_remove(struct cgroup *c);

/* NAME is one that cgroup_make gives, and nobody has the pid of who gave it. */
bool cgroup_is_left(const char *name);
/* Removes groups of boxes whose supervisor is gone, wherever they are. */
void cgroup_sweep(void);

#endif
