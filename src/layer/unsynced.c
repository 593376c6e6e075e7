/* SPDX-License-Identifier: Apache-2.0 */
/* The marker of a layer that may not be on disk, and its removal. */
#include "layer/unsynced.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "sys/sys.h"

#define MARK "unsynced"
/* The boot; since when, by the clock of files; who wrote it last. All are of one length, so that a new one
 * leaves no rest of an old one. */
#define RECORD      "%-36.36s %20lld %9ld %20llu\n"
#define RECORD_SIZE 89
#define BOOT_SIZE   36
/* Instead of a boot. */
#define FAILED "failed"

/* A run does not wait longer for the disk than this. */
#define PATIENCE_MS 20
/* Nor does it look longer for what has changed; who does not know it by then syncs. */
#define LOOK_US   5000
#define LOOK_DEEP 48

struct mark {
	char boot[BOOT_SIZE + 1];
	struct timespec since;
	unsigned long long writer;
};

/* "": it cannot be told. */
static void read_boot(char ret[BOOT_SIZE + 1])
{
	scoped(drop_fd) int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, BOOT_SIZE);

	ret[n == BOOT_SIZE ? BOOT_SIZE : 0] = '\0';
}

/* 1: there is one; 0: none, or one that was only begun, by who then wrote nothing else; negative errno. */
static int read_mark(int fd, struct mark *ret)
{
	char text[RECORD_SIZE + 1];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	long long s;

	if (n <= 0)
		return n < 0 ? -errno : 0;
	text[n < RECORD_SIZE ? n : RECORD_SIZE] = '\0';
	if (n != RECORD_SIZE ||
	    sscanf(text, "%36s %lld %ld %llu", ret->boot, &s, &ret->since.tv_nsec, &ret->writer) != 4)
		return -EBADMSG;
	ret->since.tv_sec = (time_t)s;
	return 1;
}

static int write_mark(int fd, const struct mark *m)
{
	char text[RECORD_SIZE + 1];

	snprintf(text, sizeof(text), RECORD, m->boot, (long long)m->since.tv_sec, m->since.tv_nsec,
		 m->writer);
	return pwrite(fd, text, RECORD_SIZE, 0) == RECORD_SIZE ? 0 : -(errno ? errno : EIO);
}

/* The mark, and nobody else changes or removes it while it is open; -ENOENT. */
static int open_mark(int layer, int flags)
{
	struct stat here, there;

	for (;;) {
		scoped(drop_fd) int fd = openat(layer, MARK, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);

		if (fd < 0 || flock(fd, LOCK_EX) < 0 || fstat(fd, &here) < 0)
			return -errno;
		/* Who had it before us may have removed it. */
		if (fstatat(layer, MARK, &there, AT_SYMLINK_NOFOLLOW) == 0 && here.st_ino == there.st_ino)
			return take_fd(&fd);
	}
}

enum unsynced unsynced_look(int layer)
{
	scoped(drop_fd) int fd = openat(layer, MARK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char boot[BOOT_SIZE + 1];
	struct mark m = { 0 };
	int r;

	if (fd < 0)
		return errno == ENOENT ? UNSYNCED_NOT : UNSYNCED_TORN;
	r = read_mark(fd, &m);
	if (r <= 0)
		return r == 0 ? UNSYNCED_NOT : UNSYNCED_TORN;
	if (!strcmp(m.boot, FAILED))
		return UNSYNCED_FAILED;
	read_boot(boot);
	return boot[0] && !strcmp(m.boot, boot) ? UNSYNCED_HERE : UNSYNCED_TORN;
}

typedef int task(int fd, const struct mark *m);

/* In the child of a child, whom nobody has to reap: nothing of ours stays open in it but FD
 * and the answer. */
static _Noreturn void go_on_alone(int fd, int answer, task *act, const struct mark *m)
{
	int r;

	if (fork() != 0)
		_exit(0);
	setsid();
	if (chdir("/") < 0 || dup2(fd, 0) < 0 || dup2(answer, 1) < 0)
		_exit(1);
	sys_close_range(2, ~0U);
	r = act(0, m);
	if (write(1, &r, sizeof(r)) < 0) /* he did not wait for it */
		_exit(1);
	_exit(0);
}

/*
 * By a process that goes on with it when it takes longer: other people's data may be on the way to the same
 * disk, and the kernel waits for all of it. Returns 0 also when it is still under way.
 */
static int do_apart(int fd, int patience_ms, task *act, const struct mark *m)
{
	scoped(drop_fd) int answer = -1;
	struct pollfd p = { .events = POLLIN };
	int ends[2], r = 0, n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return act(fd, m);
	answer = p.fd = ends[0];
	pid = fork();
	if (pid == 0)
		go_on_alone(fd, ends[1], act, m);
	close(ends[1]);
	if (pid < 0)
		return act(fd, m);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	do
		n = poll(&p, 1, patience_ms);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	return read(answer, &r, sizeof(r)) == sizeof(r) ? r : act(fd, m);
}

static int fsync_mark(int fd, const struct mark *m)
{
	(void)m;
	return fsync(fd) < 0 ? -errno : 0;
}

int unsynced_begin(int layer, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open_mark(layer, O_CREAT);
	struct mark m = { 0 };
	struct timespec now;
	bool is_new;
	int r = fd < 0 ? fd : read_mark(fd, &m);

	is_new = r == 0;
	if (is_new) {
		read_boot(m.boot);
		r = m.boot[0] ? 0 : -ENOENT;
		clock_gettime(CLOCK_REALTIME_COARSE, &m.since);
	}
	clock_gettime(CLOCK_BOOTTIME, &now);
	m.writer = (unsigned long long)now.tv_sec * 1000000000ULL + (unsigned long long)now.tv_nsec;
	if (r >= 0)
		r = write_mark(fd, &m);
	/* One that was there before is on the disk, or on its way there. */
	if (r == 0 && is_new) {
		flock(fd, LOCK_UN); /* which the child would share */
		r = do_apart(fd, 0, fsync_mark, NULL);
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "record that a box is in use") : 0;
}

struct look {
	struct timespec since;
	uint64_t until_us;
	unsigned int steps;
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return time_compare(*a, *b) >= 0;
}

static bool has_changed(struct look *l, int at, const char *name, int depth);

static bool has_changed_below(struct look *l, DIR *d, int depth)
{
	struct dirent *entry;
	struct stat st;
	int r = 0;

	while ((entry = dir_next(d, &r))) {
		if (entry->d_type == DT_DIR
			    ? has_changed(l, dirfd(d), entry->d_name, depth + 1)
			    : fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
				      is_later(&st.st_ctim, &l->since))
			return true;
		if (++l->steps % 64 == 0 && time_us() > l->until_us)
			return true;
	}
	return r < 0;
}

/* Directory NAME of AT, and all below; also when that cannot be seen, or not in time. */
static bool has_changed(struct look *l, int at, const char *name, int depth)
{
	int fd = depth > LOOK_DEEP ? -1 : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
	    r;
	scoped(drop_dir) DIR *d = dir_take(fd, &r);
	struct stat st;

	return !d || fstat(fd, &st) < 0 || is_later(&st.st_ctim, &l->since) || has_changed_below(l, d, depth);
}

/* Anything in any tree. What the clock of files says is not believed if it was set back. */
static bool may_have_changed(int layer, const struct mark *m)
{
	int fd = openat(layer, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct look l = { .since = m->since, .until_us = time_us() + LOOK_US };
	struct dirent *tree;
	struct timespec now;
	char up[NAME_MAX + 8];

	if (!d) {
		drop_fd(&fd);
		return true;
	}
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	if (!is_later(&now, &m->since))
		return true;
	while ((tree = dir_next(d, &r))) {
		snprintf(up, sizeof(up), "%s/up", tree->d_name);
		if (faccessat(fd, up, F_OK, AT_SYMLINK_NOFOLLOW) == 0 && has_changed(&l, fd, up, 0))
			return true;
	}
	return r < 0;
}

/* Takes away mark M, unless somebody has begun again meanwhile: then it is theirs. */
static int drop_mark(int layer, const struct mark *m)
{
	scoped(drop_fd) int fd = open_mark(layer, 0);
	struct mark now = { 0 };
	int r = fd < 0 ? fd : read_mark(fd, &now);

	if (r <= 0 || now.writer != m->writer)
		return r == -ENOENT || r > 0 ? 0 : r;
	return unlinkat(layer, MARK, 0) < 0 ? -errno : 0;
}

/* A disk that failed once says nothing at the next sync: what it lost must not be taken for kept. */
static void keep_failure(int layer, struct mark m)
{
	scoped(drop_fd) int fd = open_mark(layer, O_CREAT);

	strcpy(m.boot, FAILED);
	if (fd >= 0 && write_mark(fd, &m) == 0)
		fsync(fd); /* if the disk takes that */
}

static int sync_marked(int layer, const struct mark *m)
{
	if (syncfs(layer) < 0) {
		int r = -errno;

		keep_failure(layer, *m);
		return r;
	}
	return drop_mark(layer, m);
}

static int end(int layer, bool wait, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = openat(layer, MARK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct mark m = { 0 };
	int r = fd < 0 ? -errno : read_mark(fd, &m);

	if (r == -ENOENT || r == 0)
		return 0;
	if (r > 0 && !may_have_changed(layer, &m))
		r = drop_mark(layer, &m);
	else if (r > 0)
		r = wait ? sync_marked(layer, &m) : do_apart(layer, PATIENCE_MS, sync_marked, &m);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "write the changes of the box to the disk") : 0;
}

int unsynced_end(int layer, struct aisbx_error *e)
{
	return end(layer, false, e);
}

int unsynced_sync(int layer, struct aisbx_error *e)
{
	return end(layer, true, e);
}

int unsynced_forgive(int layer, struct aisbx_error *e)
{
	return unlinkat(layer, MARK, 0) < 0 && errno != ENOENT
		       ? aisbx_fail(e, AISBX_AREA_LAYER, errno, "accept the box as it is")
		       : 0;
}

void unsynced_drop_marker(int tree)
{
	static const char *const dirs[] = { "work/work", "work/work/incompat",
					    "work/work/incompat/volatile" };

	for (int tries = 0; tries < 2; tries++) {
		if ((unlinkat(tree, "work/work/incompat/volatile/dirty", 0) == 0 || errno == ENOENT) &&
		    (unlinkat(tree, dirs[2], AT_REMOVEDIR) == 0 || errno == ENOENT))
			return;
		for (int i = 0; i < 3; i++) /* overlayfs leaves its own without any permission */
			fchmodat(tree, dirs[i], 0700, 0);
	}
}
