/* SPDX-License-Identifier: Apache-2.0 */
/* Total resource usage of a run, and which limit ended it. */
#include <signal.h>
#include <sys/wait.h>

#include "base/time.h"
#include "run/internal.h"

/* What does not fit any more into a full file system. */
#define DISK_ROUNDING 65536u

/* A command that failed after a limit refused it something, failed for that. */
static enum limit refused_by(const struct run *r)
{
	const uint64_t *limits = r->spec->limits.held;
	const struct run_usage *u = &r->out.usage;
	int sig = WIFSIGNALED(r->out.status) ? WTERMSIG(r->out.status) : 0;

	if (r->out.status == 0)
		return LIMIT_COUNT;
	if (sig == SIGXFSZ && limits[LIMIT_FILE_SIZE])
		return LIMIT_FILE_SIZE;
	if (sig == SIGXCPU && limits[LIMIT_CPU_TIME])
		return LIMIT_CPU_TIME;
	if (limits[LIMIT_PROCESSES] && (u->refused_forks || u->pids_peak >= limits[LIMIT_PROCESSES]))
		return LIMIT_PROCESSES;
	if (limits[LIMIT_DISK] && u->disk + DISK_ROUNDING >= limits[LIMIT_DISK])
		return LIMIT_DISK;
	if (limits[LIMIT_INODES] && u->inodes >= limits[LIMIT_INODES])
		return LIMIT_INODES;
	return LIMIT_COUNT;
}

static uint64_t used_of(const struct run *r, enum limit l)
{
	const struct run_usage *u = &r->out.usage;

	switch (l) {
	case LIMIT_WALL_TIME:
	case LIMIT_LIFETIME:
		return (time_us() - r->started_us) / 1000;
	case LIMIT_CPU_TIME:
		return u->cpu_us / 1000;
	case LIMIT_MEMORY:
		return u->mem_peak;
	case LIMIT_PROCESSES:
		return u->pids_peak;
	case LIMIT_DISK:
		return u->disk;
	case LIMIT_INODES:
		return u->inodes;
	case LIMIT_CPU:
	case LIMIT_FILES:
	case LIMIT_FILE_SIZE:
	case LIMIT_OUTPUT:
		return r->spec->limits.held[l]; /* never more, and nobody counts */
	case LIMIT_COUNT:
		break;
	}
	return 0;
}

static void keep_larger(uint64_t *a, uint64_t b)
{
	if (b > *a)
		*a = b;
}

/*
 * What pid 1 told is of the box's tmpfs. What a box keeps besides is counted here. If no quota refuses it
 * more, it is within its limits, or the run ends as stopped, also where the command was faster than who
 * watched.
 */
static void account_kept(struct run *r)
{
	const struct disk_watch *d = &r->watch.disk;
	struct run_usage *u = &r->out.usage;
	struct run_space kept;

	if (!disk_watch_end(&r->watch.disk, time_us() - r->started_us, &kept))
		return;
	u->disk = kept.bytes;
	u->inodes = kept.inodes;
	if (r->spec->limits.disk->project && r->out.end == RUN_EXITED && r->out.limit == LIMIT_COUNT) {
		r->out.limit = refused_by(r);
		r->out.limit_used = used_of(r, r->out.limit);
	}
	if (r->out.limit == LIMIT_COUNT && !r->joined && disk_watch_over(d, &kept) != LIMIT_COUNT) {
		r->out.end = RUN_STOPPED;
		r->out.limit = disk_watch_over(d, &kept);
	}
	if (r->out.end != RUN_STOPPED || (r->out.limit != LIMIT_DISK && r->out.limit != LIMIT_INODES))
		return;
	r->out.limit_used = used_of(r, r->out.limit);
	if (disk_watch_over(d, &kept) ==
	    LIMIT_COUNT) /* what it was stopped for went with it, or cannot be seen */
		r->out.limit_used = r->out.limit == LIMIT_DISK ? d->kept.bytes : d->kept.inodes;
}

void run_account(struct run *r)
{
	struct run_usage *u = &r->out.usage;
	const struct run_usage *w = &r->watch.usage;

	if (!r->joined && !r->others) {
		keep_larger(&u->cpu_us, w->cpu_us);
		if (cgroup_held(&r->watch.group) & (1u << LIMIT_MEMORY))
			u->mem_peak = w->mem_peak; /* the kernel's sum; one process also counts what it shares
						      with the host */
		else
			keep_larger(&u->mem_peak, w->mem_peak);
		u->pids_peak = w->pids_peak;
		u->pids = w->pids;
		keep_larger(&u->refused_forks, w->refused_forks);
		u->oom_kills = w->oom_kills;
		if (!u->inodes) { /* whoever was stopped could not tell any more */
			u->disk = w->disk;
			u->inodes = w->inodes;
		}
	}
	if (u->refused_forks) /* it was full, though nobody may have looked at that moment */
		keep_larger(&u->pids_peak, r->spec->limits.held[LIMIT_PROCESSES]);
	if (u->oom_kills && r->out.limit == LIMIT_COUNT) { /* whatever the command made of it */
		r->out.end = RUN_STOPPED;
		r->out.limit = LIMIT_MEMORY;
	}
	if (r->out.end == RUN_EXITED && r->out.limit == LIMIT_COUNT)
		r->out.limit = refused_by(r);
	r->out.limit_used = used_of(r, r->out.limit);
	account_kept(r);
}
