/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the free space of the file system often, which is one call, and measures the box's usage only if the
 * limit may have been reached, or a second has passed. Small trees are measured at once, others by a child:
 * the supervisor has other things to do, and a child may enter a user namespace to read what the box made
 * inaccessible to its owner. If a quota limits bytes and inodes, only names are left to count: one file can
 * have any number.
 */
#include "run/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/time.h"
#include "sys/fault.h"
#include "sys/sys.h"

/* More than a box can write, or make, in a millisecond: the next look comes before what is left can be used
 * up. */
#define BYTES_PER_MS  2000000u
#define INODES_PER_MS 100u
#define PAUSE_MS      2
#define PAUSE_MAX     250
/* An idle box is looked at less often, by so much. */
#define IDLE_FACTOR    4
#define COUNT_EVERY_MS 1000
/* The same where the file system does not tell how many inodes are free (btrfs). */
#define COUNT_BLINDLY_MS 250
/* Counting takes no more than a tenth of the time, and half of it when as much has gone as the box might
 * have. */
#define REST_FACTOR        9
#define REST_FACTOR_URGENT 1
#define ON_THE_SPOT_US     2000
/* For the last count, but no more than a tenth of what the run took. */
#define LAST_US     100000
#define LAST_US_MAX 2000000
/* This part of the limit is too little to tell it from what others write. */
#define MARGIN 32
/* Of the file system; with less left, who may have taken the rest is stopped. */
#define RESERVE     64
#define IDLE_CPU_US 2000

struct answer {
	int r;
	struct run_space space;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool read_free(const struct disk_watch *d, struct run_space *ret, struct statfs *ret_fs)
{
	if (fstatfs(d->disk->dir, ret_fs) < 0)
		return false;
	ret->bytes = (uint64_t)ret_fs->f_bavail * (uint64_t)ret_fs->f_bsize;
	ret->inodes = ret_fs->f_ffree;
	return true;
}

void disk_watch_init(struct disk_watch *d, const struct run_disk *disk, const uint64_t *limits)
{
	*d = (struct disk_watch){ .disk = disk, .answer = -1 };
	d->limit.bytes = limits[LIMIT_DISK] ? limits[LIMIT_DISK] : UINT64_MAX;
	d->limit.inodes = limits[LIMIT_INODES] ? limits[LIMIT_INODES] : UINT64_MAX;
	if (disk && d->limit.bytes == UINT64_MAX && d->limit.inodes == UINT64_MAX)
		log_debug("the disk usage of the box has no limit");
}

static void stop_child(struct disk_watch *d)
{
	if (d->child > 0) {
		kill(d->child, SIGKILL);
		while (waitpid(d->child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	d->child = 0;
	close_fd(&d->answer);
}

void disk_watch_finish(struct disk_watch *d)
{
	stop_child(d);
}

void disk_watch_start(struct disk_watch *d)
{
	struct statfs fs;

	if (!d->disk || !read_free(d, &d->free_first, &fs))
		return;
	d->free = d->free_first;
	d->pause_ms = PAUSE_MS;
	d->next_ms = time_ms() + 1; /* the command shall not wait for the first count */
}

enum limit disk_watch_over(const struct disk_watch *d, const struct run_space *space)
{
	return space->bytes > d->limit.bytes     ? LIMIT_DISK
	       : space->inodes > d->limit.inodes ? LIMIT_INODES
						 : LIMIT_COUNT;
}

/* ---- counting ---- */

/* More has gone from the file system than the box has to show. Others write, too; but it may be in files
 * without a name. */
static bool is_unexplained(const struct disk_watch *d, const struct run_space *now)
{
	return d->known && !d->disk->project &&
	       less(d->free_first.bytes, now->bytes) >
		       less(d->kept.bytes, d->kept_first.bytes) + d->limit.bytes / MARGIN;
}

static int count(const struct disk_watch *d, uint64_t until_us, bool own, const struct run_space *enough,
		 struct run_space *ret)
{
	int r = d->disk->count(d->disk, until_us, own, enough, ret);

	if (r == -ELOOP) { /* nobody nests like that but who does not want to be counted */
		*ret = (struct run_space){ .inodes = least(d->limit.inodes, UINT32_MAX) + 1 };
		r = 0;
	}
	return r;
}

/* Nothing of the supervisor's may stay open in a child: the end of its descriptors means things to others. */
static void keep_only(int *a, int *b, int *c)
{
	int high[3] = { fcntl(*a, F_DUPFD, 16), fcntl(*b, F_DUPFD, 16),
			*c < 0 ? -1 : fcntl(*c, F_DUPFD, 16) };

	*a = dup2(high[0], 3);
	*b = dup2(high[1], 4);
	*c = high[2] < 0 ? -1 : dup2(high[2], 5);
	sys_close_range(0, 2);
	sys_close_range(*c < 0 ? 5 : 6, ~0u);
}

static void count_in_child(const struct disk_watch *d, int answer_fd, int proc, pid_t parent)
{
	struct run_disk disk = *d->disk;
	struct disk_watch mine = *d;
	struct run_space nameless = { 0 };
	struct answer a = { 0 };

	fault_program("count");
	if (!end_with(parent, SIGKILL))
		_exit(1);
	keep_only(&disk.dir, &answer_fd, &proc);
	mine.disk = &disk;
	disk_add_deleted(proc, disk.dir,
			 &nameless); /* first: the box's /proc is not for who left our user namespace */
	a.r = count(&mine, 0, true, &d->limit, &a.space);
	a.space.bytes += nameless.bytes;
	a.space.inodes += nameless.inodes;
	_exit(write(answer_fd, &a, sizeof(a)) == sizeof(a) ? 0 : 1);
}

static int start_child(struct disk_watch *d, int proc)
{
	pid_t self = getpid(), pid;
	int fds[2], r = sys_pipe(fds);

	if (r < 0)
		return r;
	pid = sys_fork(SIGCHLD);
	if (pid == 0)
		count_in_child(d, fds[1], proc, self);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return pid;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	d->answer = fds[0];
	d->child = pid;
	return 0;
}

/* What a count said; the time it took is taken out of the time until the next. */
static void counted(struct disk_watch *d, int r, const struct run_space *space)
{
	uint64_t now = time_us(), took = less(now, d->began_us);

	d->counted_ms = now / 1000;
	d->took_ms = took / 1000;
	if (r < 0) {
		log_debug("measure the disk usage of the box: error %d", -r);
		return;
	}
	if (disk_watch_over(d, space) == LIMIT_COUNT) {
		d->kept = *space;
	} else { /* it was not counted to the end: what is not over is at least what it was */
		d->kept.bytes = most(d->kept.bytes, space->bytes);
		d->kept.inodes = most(d->kept.inodes, space->inodes);
	}
	d->free = d->free_then;
	if (!d->known)
		d->kept_first = d->kept;
	d->known = true;
}

/* Whether there is no child, or its answer has come. */
static bool collect(struct disk_watch *d)
{
	struct answer a;
	ssize_t n;

	if (!d->child)
		return true;
	n = read(d->answer, &a, sizeof(a));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	counted(d, n == sizeof(a) ? a.r : -ECHILD, &a.space);
	stop_child(d);
	return true;
}

static void start_count(struct disk_watch *d, const struct run_space *free_now, int proc, uint64_t cpu_us)
{
	struct run_space space;
	int r = -ETIME;

	d->began_us = time_us();
	d->free_then = *free_now;
	d->cpu_us = cpu_us;
	if (!is_unexplained(d, free_now))
		r = count(d, d->began_us + ON_THE_SPOT_US, false, &d->limit, &space);
	if ((r == -ETIME || r == -EACCES) && start_child(d, proc) == 0)
		return;
	if (r < 0) /* no child to be had: then everything else has to wait */
		r = count(d, time_us() + LAST_US, false, &d->limit, &space);
	counted(d, r, &space);
}

/* ---- when ---- */

static bool may_be_over(const struct disk_watch *d, const struct run_space *now, unsigned int margin)
{
	return (!d->disk->project &&
		d->kept.bytes + less(d->free.bytes, now->bytes) + margin * (d->limit.bytes / MARGIN) >
			d->limit.bytes) ||
	       d->kept.inodes + less(d->free.inodes, now->inodes) + margin * (d->limit.inodes / MARGIN) >
		       d->limit.inodes;
}

static bool is_time_to_count(const struct disk_watch *d, const struct run_space *now, const struct statfs *fs,
			     uint64_t cpu_us)
{
	uint64_t ms = time_ms(), every = fs->f_files ? COUNT_EVERY_MS : COUNT_BLINDLY_MS;
	bool moved = now->bytes != d->free.bytes || now->inodes != d->free.inodes ||
		     cpu_us > d->cpu_us + IDLE_CPU_US;

	if (ms < d->counted_ms +
			 d->took_ms * (d->known && may_be_over(d, now, 0) ? REST_FACTOR_URGENT : REST_FACTOR))
		return false;
	return !d->known || (moved && (may_be_over(d, now, 1) || ms >= d->counted_ms + every));
}

/*
 * The last net. What a box wrote and holds where nobody can see it (a removed file that is only mapped, or on
 * its way through a socket) is not counted. It must not fill the machine: when the file system is about to be
 * full, and has lost more than the box may have since it began, the box is stopped, though it may have been
 * somebody else.
 */
static bool fills_the_machine(struct disk_watch *d, const struct run_space *now, const struct statfs *fs)
{
	uint64_t lost = less(d->free_first.bytes, now->bytes);

	if (d->disk->project || now->bytes > (uint64_t)fs->f_blocks * (uint64_t)fs->f_bsize / RESERVE ||
	    lost <= d->limit.bytes)
		return false;
	d->kept.bytes = lost;
	return true;
}

static void plan_next(struct disk_watch *d, const struct run_space *now)
{
	uint64_t bytes = d->disk->project
				 ? UINT64_MAX
				 : less(d->limit.bytes, d->kept.bytes + less(d->free.bytes, now->bytes));
	uint64_t inodes = less(d->limit.inodes, d->kept.inodes + less(d->free.inodes, now->inodes));
	uint64_t pause = least(least(bytes / BYTES_PER_MS, inodes / INODES_PER_MS), PAUSE_MAX);

	if (pause < PAUSE_MS || d->child || !d->known)
		pause = PAUSE_MS;
	d->pause_ms = now->bytes == d->seen_bytes ? least(d->pause_ms * 2, pause * IDLE_FACTOR) : pause;
	d->seen_bytes = now->bytes;
	d->next_ms = time_ms() + d->pause_ms;
}

enum limit disk_watch_look(struct disk_watch *d, int proc, uint64_t cpu_us)
{
	enum limit over = LIMIT_COUNT;
	struct run_space now;
	struct statfs fs;

	if (!read_free(d, &now, &fs)) {
		d->next_ms = time_ms() + PAUSE_MAX;
		return LIMIT_COUNT;
	}
	if (collect(d) && is_time_to_count(d, &now, &fs, cpu_us))
		start_count(d, &now, proc, cpu_us);
	plan_next(d, &now);
	if (d->known)
		over = disk_watch_over(d, &d->kept);
	if (over == LIMIT_COUNT && fills_the_machine(d, &now, &fs))
		over = LIMIT_DISK;
	if (over != LIMIT_COUNT)
		d->next_ms = 0; /* it was seen; what is seen while it ends is less */
	return over;
}

bool disk_watch_now(const struct disk_watch *d, struct run_space *ret)
{
	*ret = d->kept;
	return d->known;
}

bool disk_watch_end(struct disk_watch *d, uint64_t wall_us, struct run_space *ret)
{
	uint64_t budget = wall_us / (REST_FACTOR + 1);
	int r;

	d->next_ms = 0;
	stop_child(d);
	if (!d->disk)
		return false;
	budget = budget < LAST_US ? LAST_US : least(budget, LAST_US_MAX);
	r = count(d, time_us() + budget, true, NULL, ret);
	if (r < 0 && d->known)
		*ret = d->kept;
	return r == 0 || d->known;
}
