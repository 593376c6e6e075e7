/* SPDX-License-Identifier: Apache-2.0 */
/* When to measure a box's usage, and what to conclude. */
#include "run/watch.h"

#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"

/* A group stops a box by itself; without one it is us, and memory fills at gigabytes a second. */
#define GROUP_PAUSE_MS     100
#define GROUP_PAUSE_MAX    1000
#define NO_GROUP_PAUSE_MS  20
#define NO_GROUP_PAUSE_MAX 320
/* Close to the limit; more often would cost more than it saves. */
#define NO_GROUP_PAUSE_MIN 4
/* The fastest that one processor has been seen to fill memory, large pages included. */
#define BYTES_PER_MS 4000000u
/* Of processor time and of memory between two looks: less is idleness. */
#define IDLE_CPU_US 2000
#define IDLE_BYTES  (1u << 20)
/* Looking takes no more than that part of a processor. */
#define LOOK_PART 4u

static bool held(const struct watch *w, enum limit l)
{
	return cgroup_held(&w->group) & (1u << l);
}

static uint64_t shortest_pause(const struct watch *w)
{
	return held(w, LIMIT_MEMORY) || !w->limits[LIMIT_MEMORY] ? GROUP_PAUSE_MS : NO_GROUP_PAUSE_MS;
}

static uint64_t longest_pause(const struct watch *w)
{
	return shortest_pause(w) == GROUP_PAUSE_MS ? GROUP_PAUSE_MAX : NO_GROUP_PAUSE_MAX;
}

void watch_init(struct watch *w, const uint64_t *limits, const struct run_disk *disk)
{
	*w = (struct watch){ .limits = limits };
	box_proc_init(&w->box);
	disk_watch_init(&w->disk, disk, limits);
}

void watch_finish(struct watch *w)
{
	disk_watch_finish(&w->disk);
	box_proc_finish(&w->box);
	cgroup_remove(&w->group);
}

static void plan_next(struct watch *w)
{
	w->next_ms = w->disk.next_ms && w->disk.next_ms < w->measure_ms ? w->disk.next_ms : w->measure_ms;
}

/* The processor time that pid 1 has used so far: up to now it has built walls, which is not the command's. */
static uint64_t spent_us(pid_t init)
{
	struct timespec t = { 0 };
	clockid_t clock;

	if (init <= 0 || clock_getcpuclockid(init, &clock) != 0 || clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

uint64_t watch_net_us(const struct watch *w, uint64_t cpu_us)
{
	return cpu_us > w->spent_us ? cpu_us - w->spent_us : 0;
}

static uint64_t processors_of(const struct watch *w)
{
	static long processors;

	if (w->limits[LIMIT_CPU])
		return (w->limits[LIMIT_CPU] + 999) / 1000;
	if (!processors)
		processors = sysconf(_SC_NPROCESSORS_ONLN);
	return processors > 0 ? (uint64_t)processors : 1;
}

/* All processors together cannot use up what is left of the time before that. */
static uint64_t cpu_time_left_ms(const struct watch *w)
{
	uint64_t limit = w->limits[LIMIT_CPU_TIME], used = w->usage.cpu_us / 1000, left;

	if (!limit)
		return UINT64_MAX;
	left = limit > used ? (limit - used) / processors_of(w) : 0;
	return left > 2 ? left : 2;
}

/* Nor fill what is left of the memory, where nobody else would refuse it. An idle box may begin any time. */
static uint64_t memory_left_ms(const struct watch *w)
{
	uint64_t limit = w->limits[LIMIT_MEMORY], left;

	if (!limit || held(w, LIMIT_MEMORY))
		return UINT64_MAX;
	left = limit > w->usage.mem ? (limit - w->usage.mem) / BYTES_PER_MS / processors_of(w) : 0;
	return left > NO_GROUP_PAUSE_MIN ? left : NO_GROUP_PAUSE_MIN;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void watch_start(struct watch *w, pid_t init, int proc, int stage, int sysv, const struct run_space *own)
{
	w->spent_us = spent_us(init);
	box_proc_start(&w->box, proc, stage, sysv);
	w->box.own = *own;
	w->pause_ms = shortest_pause(w);
	w->measure_ms = time_ms() + least(w->pause_ms, memory_left_ms(w));
	disk_watch_start(&w->disk);
	plan_next(w);
}

static void measure(struct watch *w)
{
	uint64_t rss;

	w->usage.cpu_us += w->spent_us; /* all who count below count it */
	box_proc_staging(&w->box, &w->usage);
	/* What the group does not count is counted by hand. */
	if (w->box.proc >= 0 && (!held(w, LIMIT_MEMORY) || !held(w, LIMIT_PROCESSES))) {
		box_proc_count(&w->box, &w->usage, &rss);
		if (!held(w, LIMIT_MEMORY))
			box_mem_look(&w->box, rss, w->limits[LIMIT_MEMORY], &w->usage);
	}
	cgroup_read(&w->group, &w->usage);
	w->usage.cpu_us = watch_net_us(w, w->usage.cpu_us);
}

static enum limit look_at_usage(struct watch *w)
{
	struct run_usage before = w->usage;
	uint64_t began = time_ms(), pause;

	measure(w);
	if (w->usage.cpu_us < before.cpu_us + IDLE_CPU_US && w->usage.mem < before.mem + IDLE_BYTES)
		w->pause_ms = w->pause_ms * 2 < longest_pause(w) ? w->pause_ms * 2 : longest_pause(w);
	else
		w->pause_ms = shortest_pause(w);
	pause = least(least(cpu_time_left_ms(w), memory_left_ms(w)), w->pause_ms);
	if (pause <
	    (time_ms() - began) * LOOK_PART) /* thousands of processes take their time to be counted */
		pause = (time_ms() - began) * LOOK_PART;
	w->measure_ms = time_ms() + pause;
	if (w->limits[LIMIT_CPU_TIME] && w->usage.cpu_us >= w->limits[LIMIT_CPU_TIME] * 1000)
		return LIMIT_CPU_TIME;
	if (w->usage.oom_kills)
		return LIMIT_MEMORY; /* v1 kills one process; what is left of the box is no use to anybody */
	if (w->limits[LIMIT_MEMORY] && !held(w, LIMIT_MEMORY) && w->usage.mem > w->limits[LIMIT_MEMORY])
		return LIMIT_MEMORY;
	return LIMIT_COUNT;
}

void watch_refresh(struct watch *w)
{
	struct run_space kept;

	if (w->next_ms)
		measure(w);
	if (disk_watch_now(&w->disk, &kept)) {
		w->usage.disk = kept.bytes;
		w->usage.inodes = kept.inodes;
	}
}

enum limit watch_look(struct watch *w)
{
	uint64_t now = time_ms();
	enum limit l = LIMIT_COUNT;

	if (now >= w->measure_ms)
		l = look_at_usage(w);
	if (l == LIMIT_COUNT && w->disk.next_ms && now >= w->disk.next_ms)
		l = disk_watch_look(&w->disk, w->box.proc, w->usage.cpu_us);
	plan_next(w);
	return l;
}

void watch_last_look(struct watch *w)
{
	box_proc_staging(&w->box, &w->usage);
	w->usage.cpu_us += w->spent_us;
	cgroup_read(&w->group, &w->usage);
	w->usage.cpu_us = watch_net_us(w, w->usage.cpu_us);
	w->next_ms = 0;
}

void watch_kill(const struct watch *w)
{
	if (!cgroup_kill(&w->group))
		box_proc_kill(&w->box);
}
