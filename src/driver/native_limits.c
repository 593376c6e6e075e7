/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of a box of the native driver: what the kernel is told, what really holds where the caller has less
 * than was asked for, and who holds each.
 */
#include "driver/native_limits.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/error.h"

/* What a program has at once that does not ask for more: select() can do no more, and some close all of them
 * one by one. */
#define FILES_AT_ONCE 1024u

#define SECONDS(ms) (((ms) + 999) / 1000)

void native_settle_limits(const struct profile *p, uint64_t *limits)
{
	struct sysinfo machine;

	if (!limits[LIMIT_MEMORY] && p->memory_share && sysinfo(&machine) == 0)
		limits[LIMIT_MEMORY] = (uint64_t)machine.totalram * machine.mem_unit / 100 * p->memory_share;
}

/* GROUPED: bits of the limits that a control group holds; what it does not, rlimits hold as well
 * as they can. */
static void set_rlimits(struct jail_plan_builder *b, const struct run_spec *spec, uint32_t grouped)
{
	const uint64_t *limits = spec->limits.held;
	bool secret = secrets_given(&spec->secrets);
	uint64_t pids = limits[LIMIT_PROCESSES], files = limits[LIMIT_FILES],
		 soft = spec->profile.files_at_once ? files : FILES_AT_ONCE,
		 seconds = SECONDS(limits[LIMIT_CPU_TIME]);

	/* 1 is less than any dump, and unlike 0 it also keeps the kernel from handing one to a program. */
	jail_plan_set_rlimit(b, RLIMIT_CORE, secret, secret);
	jail_plan_set_rlimit(b, RLIMIT_MEMLOCK, 8u << 20, 8u << 20);
	jail_plan_set_rlimit(b, RLIMIT_MSGQUEUE, 1u << 20, 1u << 20);
	jail_plan_set_rlimit(b, RLIMIT_RTPRIO, 0, 0);
	jail_plan_set_rlimit(b, RLIMIT_NICE, 0, 0);
	/*
	 * Counted per user namespace since Linux 5.14, so it is the box's own number. A group counts all ids
	 * together, and tells whom it refused: then it shall be the first to refuse.
	 */
	pids += grouped & (1u << LIMIT_PROCESSES) ? 1 : 0;
	/* Pid 1 around the container of a runtime, where it shares the user namespace, see
	 * jail_container_ids. */
	pids += spec->jail.runtime && b->head.order.flags & JAIL_PLAN_SHIFT ? 1 : 0;
	jail_plan_set_rlimit(b, RLIMIT_NPROC, pids, pids);
	jail_plan_set_rlimit(b, RLIMIT_NOFILE, files < soft ? files : soft, files);
	if (limits[LIMIT_FILE_SIZE])
		jail_plan_set_rlimit(b, RLIMIT_FSIZE, limits[LIMIT_FILE_SIZE], limits[LIMIT_FILE_SIZE]);
	/*
	 * Of one process; of all together by who watches. The kernel counts this one in ticks: on a busy
	 * machine it sees a seventh more than there was (Linux 6.18), and nobody shall be stopped before the
	 * time.
	 */
	if (seconds)
		jail_plan_set_rlimit(b, RLIMIT_CPU, seconds + seconds / 4 + 1, seconds + seconds / 4 + 2);
	/* No limit on addresses: sanitizers and virtual machines reserve terabytes of them, and use little.
	 */
	b->head.disk_bytes = limits[LIMIT_DISK];
	b->head.disk_inodes = limits[LIMIT_INODES];
}

/* Whole processors can be had without a control group: the box is bound to so many of them. */
static int bind_processors(struct jail_plan_builder *b, const uint64_t *limits, uint32_t grouped,
			   struct aisbx_error *e)
{
	if (!limits[LIMIT_CPU] || grouped & (1u << LIMIT_CPU))
		return 0;
	if (limits[LIMIT_CPU] % 1000)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				    "a fraction of a processor (--cpu %.3g) needs a control group, and you "
				    "have none here; give a whole number, or start a shell that has one: "
				    "systemd-run --user --scope -p Delegate=yes $SHELL",
				    (double)limits[LIMIT_CPU] / 1000);
	b->head.processors = (uint32_t)(limits[LIMIT_CPU] / 1000);
	return 0;
}

/* A group may hold as many; but who has fewer himself gives no more. */
static void tell_processes(const struct jail_plan_builder *b, uint64_t *ret)
{
	if (b->head.rlimits[RLIMIT_NPROC].hard < *ret)
		*ret = b->head.rlimits[RLIMIT_NPROC].hard;
}

void native_tell_limits(struct run_spec *spec, const struct run_outcome *o)
{
	spec->limits.held[LIMIT_FILES] = o->files;
	spec->limits.held[LIMIT_FILE_SIZE] = o->file_size;
}

/* A limit can only be lowered by who is not root: what the person has already is the most there is. */
static void cap_rlimits(struct jail_plan_builder *b)
{
	for (int i = 0; i < JAIL_PLAN_RLIMITS; i++) {
		struct jail_plan_rlimit *l = &b->head.rlimits[i];
		struct rlimit have;

		if (!l->set || getrlimit((__rlimit_resource_t)i, &have) < 0)
			continue;
		if (have.rlim_max != RLIM_INFINITY && l->hard > have.rlim_max)
			l->hard = have.rlim_max;
		if (l->soft > l->hard)
			l->soft = l->hard;
	}
}

int native_plan_limits(struct jail_plan_builder *b, struct run_spec *spec, uint32_t grouped,
		       struct aisbx_error *e)
{
	int r = bind_processors(b, spec->limits.held, grouped, e);

	if (r < 0)
		return r;
	set_rlimits(b, spec, grouped);
	cap_rlimits(b);
	tell_processes(b, &spec->limits.held[LIMIT_PROCESSES]);
	return 0;
}

const char *const native_holders[LIMIT_COUNT] = {
	[LIMIT_WALL_TIME] = "supervisor", [LIMIT_CPU_TIME] = "watch and rlimit",
	[LIMIT_CPU] = "affinity",         [LIMIT_MEMORY] = "watch",
	[LIMIT_PROCESSES] = "rlimit",     [LIMIT_FILES] = "rlimit",
	[LIMIT_FILE_SIZE] = "rlimit",     [LIMIT_DISK] = "tmpfs",
	[LIMIT_INODES] = "tmpfs",         [LIMIT_OUTPUT] = "supervisor",
	[LIMIT_LIFETIME] = "supervisor",
};

void native_name_holders(const struct run_spec *spec, struct driver_result *ret, uint32_t grouped,
			 const char *method)
{
	for (enum limit l = 0; l < LIMIT_COUNT; l++) {
		ret->held_by[l] = grouped & (1u << l) ? method : native_holders[l];
		if (spec->limits.disk && (l == LIMIT_DISK || l == LIMIT_INODES))
			ret->held_by[l] = "watch"; /* what a box keeps lies on the disk, not in its tmpfs */
	}
}
