/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets and directories of runs in the state directory. */
#include "box/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"

#define BACKLOG         64
#define CONNECT_SECONDS 2
/* A half-made socket that is older than this was left by who was killed just then. */
#define STRAY_SECONDS 60
/* Larger is no description of a run. */
#define ABOUT_MAX 65536
/* Of how a run ended. */
#define END_BYTES 8192

static bool is_run_id(const char *name)
{
	return !strncmp(name, "r-", 2) && strlen(name) < STORE_ID_MAX &&
	       strspn(name + 2, "0123456789abcdef") == strlen(name) - 2;
}

/* Of the state directory, made if MAKE; -ENOENT leaves E as it was. */
static int open_place(const char *place, bool make, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_dir(e);
	scoped(drop_mem) char *path = state ? path_join(state, place) : NULL;
	int fd;

	if (!path)
		return state ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the state directory") : e->code;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && make) {
		if (store_make_dirs(state, e) < 0)
			return e->code;
		mkdir(path, 0700); /* or somebody else did */
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return errno == ENOENT && !make ? -ENOENT
						: aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s'", path);
	*ret_fd = fd;
	return 0;
}

/* Through a descriptor of the directory: the path of a state directory may be longer than an
 * address can be. */
static struct sockaddr_un address_of(int dir, const char *prefix, const char *id)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%s%s", dir, prefix, id);
	return a;
}

/* It gets its name when it listens: who finds a name that nobody listens at can be sure that the run was
 * killed. */
int box_presence_enter(const char *id, struct box_presence *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int fd = -1;
	struct sockaddr_un half;
	char name[STORE_ID_MAX + 1];
	int r = open_place("live", true, &dir, e);

	if (r < 0)
		return r;
	half = address_of(dir, ".", id);
	snprintf(name, sizeof(name), ".%s", id);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || fchmod(fd, 0600) < 0 || bind(fd, (struct sockaddr *)&half, sizeof(half)) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make the socket of run '%s'", id);
	if (listen(fd, BACKLOG) < 0 || renameat(dir, name, dir, id) < 0) {
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "make the socket of run '%s'", id);
		unlinkat(dir, name, 0);
		return r;
	}
	snprintf(ret->id, sizeof(ret->id), "%s", id);
	ret->listener = take_fd(&fd);
	return 0;
}

void box_presence_leave(struct box_presence *p)
{
	if (p->id[0])
		box_run_bury(p->id);
	p->id[0] = '\0';
	close_fd(&p->listener);
}

static int list(const char *place, struct strlist *ret_ids, struct aisbx_error *e)
{
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	int fd = -1, r = open_place(place, false, &fd, e);

	if (r < 0)
		return r == -ENOENT && !e->code ? 0 : r;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "list the runs");
	}
	while ((entry = dir_next(d, &r)))
		if (is_run_id(entry->d_name))
			strlist_add(ret_ids, entry->d_name);
	if (ret_ids->failed)
		r = -ENOMEM;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "list the runs") : 0;
}

int box_runs_present(struct strlist *ret_ids, struct aisbx_error *e)
{
	return list("live", ret_ids, e);
}

int box_runs_dir(bool make, int *ret_fd, struct aisbx_error *e)
{
	return open_place("runs", make, ret_fd, e);
}

int box_runs_kept(struct strlist *ret_ids, struct aisbx_error *e)
{
	return list("runs", ret_ids, e);
}

int box_run_connect(const char *id, int *ret_fd, struct aisbx_error *e)
{
	const struct timeval patience = { .tv_sec = CONNECT_SECONDS };
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int fd = -1;
	struct sockaddr_un address;
	int r = open_place("live", false, &dir, e);

	if (r < 0)
		return r;
	address = address_of(dir, "", id);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "reach run '%s'", id);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			return -errno;
		return aisbx_fail(e, AISBX_AREA_BOX, errno == EAGAIN ? ETIMEDOUT : errno, "reach run '%s'",
				  id);
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

void box_run_bury(const char *id)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int dir = -1;

	if (open_place("live", false, &dir, &ignored) == 0)
		unlinkat(dir, id, 0);
}

static int write_about(int dir, const char *about)
{
	scoped(drop_fd) int fd =
		openat(dir, BOX_RUN_ABOUT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : write(fd, about, strlen(about));

	return n == (ssize_t)strlen(about) ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* A disk that is full when the run ends has this room all the same. */
static int reserve_end(int dir)
{
	scoped(drop_fd) int fd =
		openat(dir, BOX_RUN_END, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : -posix_fallocate(fd, 0, END_BYTES);
}

void box_run_end(const char *id, const char *text, const char *shorter)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int fd = -1;

	if (box_run_open(id, &dir, &ignored) < 0)
		return;
	fd = openat(dir, BOX_RUN_END, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (text && strlen(text) >= END_BYTES)
		text = shorter;
	if (fd >= 0 && text && pwrite(fd, text, strlen(text), 0) < 0)
		log_debug("the result of run '%s' could not be written", id);
}

void box_run_end_drop(const char *id)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int dir = -1;

	if (box_run_open(id, &dir, &ignored) == 0)
		unlinkat(dir, BOX_RUN_END, 0);
}

int box_run_keep(const char *id, const char *about, int *ret_dir, struct aisbx_error *e)
{
	scoped(drop_fd) int runs = -1;
	scoped(drop_fd) int dir = -1;
	int r = open_place("runs", true, &runs, e);

	if (r < 0)
		return r;
	if (mkdirat(runs, id, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make the directory of run '%s'", id);
	dir = openat(runs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = dir < 0 ? -errno : write_about(dir, about);
	if (r == 0)
		r = reserve_end(dir);
	if (r < 0) {
		box_run_forget(id);
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "write the description of run '%s'", id);
	}
	*ret_dir = take_fd(&dir);
	return 0;
}

int box_run_open(const char *id, int *ret_dir, struct aisbx_error *e)
{
	scoped(drop_fd) int runs = -1;
	int r = open_place("runs", false, &runs, e), dir;

	if (r < 0)
		return r;
	dir = openat(runs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT
			       ? -ENOENT
			       : aisbx_fail(e, AISBX_AREA_BOX, errno, "open the files of run '%s'", id);
	*ret_dir = dir;
	return 0;
}

char *box_run_read(const char *id, const char *name)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int fd = -1;
	char *text = NULL;
	ssize_t n;

	if (box_run_open(id, &dir, &ignored) < 0)
		return NULL;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	text = fd < 0 ? NULL : malloc(ABOUT_MAX + 1);
	n = text ? read(fd, text, ABOUT_MAX) : -1;
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* One level deep: files only. */
static void empty(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (copy >= 0 && !d)
		close(copy);
	while (d && (entry = dir_next(d, &r)))
		unlinkat(dir, entry->d_name, 0);
}

void box_run_forget(const char *id)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int runs = -1;
	scoped(drop_fd) int dir = -1;

	if (open_place("runs", false, &runs, &ignored) < 0)
		return;
	dir = openat(runs, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0)
		empty(dir);
	unlinkat(runs, id, AT_REMOVEDIR);
}

/* What is kept of one run. */
struct kept {
	const char *id; /* borrowed */
	time_t changed;
	long long bytes;
};

static int newest_first(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->changed < y->changed) - (x->changed > y->changed);
}

/* When it last changed, and its size on the disk. */
static void weigh(const char *id, struct kept *ret)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	struct stat st;
	int dir = -1, r = 0;

	*ret = (struct kept){ .id = id };
	if (box_run_open(id, &dir, &ignored) < 0)
		return;
	d = fdopendir(dir);
	if (!d)
		close(dir);
	while (d && (entry = dir_next(d, &r)))
		if (fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
			ret->bytes += (long long)st.st_blocks * 512;
			ret->changed = st.st_mtime > ret->changed ? st.st_mtime : ret->changed;
		}
}

static void drop_strays(void)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	struct stat st;
	int dir = -1, r = 0;

	if (open_place("live", false, &dir, &ignored) < 0)
		return;
	d = fdopendir(dir);
	if (!d)
		close(dir);
	while (d && (entry = dir_next(d, &r)))
		if (entry->d_name[0] == '.' && is_run_id(entry->d_name + 1) &&
		    fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_ctime + STRAY_SECONDS < time(NULL))
			unlinkat(dirfd(d), entry->d_name, 0);
}

int box_runs_collect(size_t *ret_n, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 }, live = { 0 };
	scoped(drop_mem) struct kept *all = NULL;
	long long bytes = 0;
	int r = box_runs_kept(&ids, e);

	*ret_n = 0;
	drop_strays();
	if (r == 0) /* after the others: a run that is new is in it */
		r = box_runs_present(&live, e);
	if (r < 0 || !ids.n)
		return r;
	all = calloc(ids.n, sizeof(*all));
	if (!all)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "add up the size of the logs");
	for (size_t i = 0; i < ids.n; i++)
		weigh(ids.items[i], &all[i]);
	qsort(all, ids.n, sizeof(*all), newest_first);
	for (size_t i = 0; i < ids.n; i++) {
		bytes += all[i].bytes;
		if ((bytes <= BOX_LOGS_BYTES && all[i].changed + BOX_LOGS_DAYS * 86400L >= time(NULL)) ||
		    strlist_has(&live, all[i].id))
			continue;
		bytes -= all[i].bytes;
		box_run_forget(all[i].id);
		++*ret_n;
	}
	return 0;
}
