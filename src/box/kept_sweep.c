/* SPDX-License-Identifier: Apache-2.0 */
/* Makes room for the output of runs: packs it, and removes the oldest. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/io.h"
#include "base/pack.h"
#include "base/scope.h"
#include "box/kept_output.h"

/* Below this packing gains no block. */
#define WORTH_PACKING KEPT_BLOCK
/* A half-made file that is older than this was left by who was killed just then. */
#define STRAY_SECONDS 60

struct entry {
	char run[STORE_ID_MAX];
	struct timespec time;
	uint64_t bytes;
};

struct entries {
	struct entry *items; /* owned */
	size_t n, cap;
};

static void entries_finish(struct entries *l)
{
	free(l->items);
}

static uint64_t on_disk(uint64_t bytes)
{
	return (bytes + KEPT_BLOCK - 1) / KEPT_BLOCK * KEPT_BLOCK;
}

static int oldest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	return (x->time.tv_nsec > y->time.tv_nsec) - (x->time.tv_nsec < y->time.tv_nsec);
}

static int add_entry(struct entries *l, const char *name, const struct stat *st)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 256;
		struct entry *more = realloc(l->items, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->items = more;
		l->cap = cap;
	}
	l->items[l->n] = (struct entry){ .time = st->st_mtim, .bytes = (uint64_t)st->st_size };
	snprintf(l->items[l->n++].run, STORE_ID_MAX, "%.*s", STORE_ID_MAX - 1, name);
	return 0;
}

static int list(int dir, struct entries *ret)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = dir_take(copy, &r);
	struct dirent *entry;
	struct stat st;

	while (d && r == 0 && (entry = dir_next(d, &r))) {
		if (fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (kept_output_is_run(entry->d_name))
			r = add_entry(ret, entry->d_name, &st);
		else if (kept_output_is_run(entry->d_name + 1) && st.st_ctime + STRAY_SECONDS < time(NULL))
			unlinkat(dir, entry->d_name, 0);
	}
	if (r == 0 && ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), oldest_first);
	return r;
}

static int write_packed(int dir, const char *name, const struct kept_head *head, const struct buf *bytes,
			const struct timespec *time)
{
	const struct timespec times[2] = { *time, *time };
	scoped(drop_fd) int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : io_write_all(fd, head, sizeof(*head));

	if (r == 0)
		r = io_write_all(fd, bytes->data, bytes->len);
	return r == 0 && futimens(fd, times) < 0 ? -errno : r; /* its age is that of the run */
}

/* In its place, when it is complete. Whatever fails leaves it as it was. */
static void pack_one(int dir, struct entry *f)
{
	scoped(kept_text_finish) struct kept_text t = { 0 };
	scoped(buf_finish) struct buf packed = { 0 };
	struct kept_head head;
	char name[STORE_ID_MAX + 1];

	if (f->bytes <= WORTH_PACKING || kept_output_load(dir, f->run, &t, &head) < 0 || head.packed ||
	    !pack_bytes(t.data, t.len, &packed) || on_disk(sizeof(head) + packed.len) >= on_disk(f->bytes))
		return;
	head.packed = 1;
	snprintf(name, sizeof(name), ".%s", f->run);
	if (write_packed(dir, name, &head, &packed, &f->time) < 0 || renameat(dir, name, dir, f->run) < 0)
		unlinkat(dir, name, 0);
	else
		f->bytes = sizeof(head) + packed.len;
}

/* A file that tells us its head says whether it is packed; only the others are read as a whole. */
static bool is_packed(int dir, const char *run)
{
	scoped(drop_fd) int fd = openat(dir, run, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct kept_head head;

	return fd >= 0 && read(fd, &head, sizeof(head)) == (ssize_t)sizeof(head) && head.packed;
}

/* Removes the oldest until an eighth of the room is free, so that the next one does not come here again. */
static uint64_t make_room(int dir, const struct entries *l, uint64_t room)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += on_disk(l->items[i].bytes);
	for (size_t i = 0; i < l->n && sum > room - room / 8; i++) {
		if (unlinkat(dir, l->items[i].run, 0) == 0 || errno == ENOENT)
			sum -= on_disk(l->items[i].bytes);
	}
	return sum;
}

/* 1: somebody else is at it. */
static int sweep_once(int dir, uint64_t room, uint64_t *ret_sum)
{
	scoped(drop_fd) int size = openat(dir, KEPT_SIZE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	scoped(entries_finish) struct entries l = { 0 };
	int r;

	if (size < 0 || flock(size, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 1 : -errno;
	r = list(dir, &l);
	if (r < 0)
		return r;
	for (size_t i = l.n; i-- > 0;)
		if (l.items[i].bytes > WORTH_PACKING && !is_packed(dir, l.items[i].run))
			pack_one(dir, &l.items[i]);
	*ret_sum = make_room(dir, &l, room);
	return ftruncate(size, (off_t)(*ret_sum / KEPT_BLOCK)) < 0 ? -errno : 0;
}

static int sum_now(int dir, uint64_t *ret)
{
	scoped(entries_finish) struct entries l = { 0 };
	int r = list(dir, &l);

	*ret = 0;
	for (size_t i = 0; i < l.n; i++)
		*ret += on_disk(l.items[i].bytes);
	return r;
}

/* Who comes while we are at it goes away again: what they added is found by looking once more, afterwards. */
int kept_output_sweep(int dir, uint64_t room)
{
	uint64_t sum = 0, now = 0;
	int r;

	do {
		r = sweep_once(dir, room, &sum);
		if (r == 0)
			r = sum_now(dir, &now);
	} while (r == 0 && now > sum);
	return r < 0 ? r : 0;
}

void kept_output_sweep_apart(int dir, uint64_t room)
{
	pid_t pid = fork();

	if (pid < 0)
		return; /* the next one tries again */
	if (pid > 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return;
	}
	if (fork() != 0)
		_exit(0);
	/* Nothing of the caller's stays open in it, and nobody has to wait for it. */
	setsid();
	if (chdir("/") < 0 || dup2(dir, 0) < 0)
		_exit(1);
	if (syscall(SYS_close_range, 1U, ~0U, 0U) < 0 || (nice(10) == -1 && errno == EPERM))
		_exit(1);
	_exit(kept_output_sweep(0, room) < 0);
}

/* Where the project was, or "". */
static bool is_gone(int dir)
{
	scoped(drop_fd) int fd = openat(dir, KEPT_DIR, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char path[4097];
	ssize_t n = fd < 0 ? -1 : read(fd, path, sizeof(path) - 1);

	if (n <= 0)
		return n < 0; /* without a project there is none to go */
	path[n] = '\0';
	return access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* Nothing else is in it: who adds output meanwhile makes it again. */
static void drop_empty(int all, const char *project, int dir)
{
	scoped(entries_finish) struct entries l = { 0 };

	if (list(dir, &l) < 0 || l.n)
		return;
	unlinkat(dir, KEPT_DIR, 0);
	unlinkat(dir, KEPT_SIZE, 0);
	unlinkat(all, project, AT_REMOVEDIR);
}

static void collect_project(int all, const char *project)
{
	scoped(drop_fd) int dir = openat(all, project, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir >= 0 && kept_output_sweep(dir, UINT64_MAX) == 0 && is_gone(dir))
		drop_empty(all, project, dir);
}

/* One file of a project that is gone for so long, or more than all may have. */
static bool is_due(int all, const struct kept_file *f, int64_t newer)
{
	scoped(drop_fd) int dir = -1;

	if (newer > KEPT_OUTPUT_ALL)
		return true;
	if (f->time_ns / 1000000000 + KEPT_OUTPUT_DAYS * 86400L >= time(NULL))
		return false;
	dir = openat(all, f->project, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir >= 0 && is_gone(dir);
}

static void remove_due(int all, const struct kept_file *files, size_t n, size_t *ret_n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		char path[64];

		sum += files[i].bytes;
		if (!is_due(all, &files[i], sum))
			continue;
		sum -= files[i].bytes;
		snprintf(path, sizeof(path), "%s/%s", files[i].project, files[i].run);
		*ret_n += unlinkat(all, path, 0) == 0;
	}
}

int kept_output_collect(size_t *ret_n, struct aisbx_error *e)
{
	scoped(drop_mem) struct kept_file *files = NULL;
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	size_t n = 0;
	int all = -1, r = kept_output_dir(false, &all, e);

	if (r < 0)
		return r == -ENOENT && !e->code ? 0 : r;
	d = dir_take(all, &r);
	if (r == 0)
		r = kept_output_list(&files, &n, e);
	if (r < 0)
		return e->code ? r : aisbx_fail(e, AISBX_AREA_BOX, -r, "tidy up the kept output");
	remove_due(dirfd(d), files, n, ret_n);
	while ((entry = dir_next(d, &r)))
		collect_project(dirfd(d), entry->d_name);
	return 0;
}
