/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves paths to a directory descriptor and a name, so that a rename meanwhile cannot split one action
 * over two places.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sha256.h"
#include "helpers/file/file.h"

#define MAX_LINKS 40
/* Of who watches a file that somebody opens, to let go of it. */
#define LEASE_TRIES 400

/* One step of a way; of a directory that is missing and shall not be, it is the first. */
static int step(int dir, const char *name, bool make)
{
	int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && make && (mkdirat(dir, name, 0777) == 0 || errno == EEXIST))
		fd = openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err() : fd;
}

/* From the directory FROM to that of the last name in PATH. */
static int walk(int from, const char *path, bool make, int *ret_dir, char **ret_name)
{
	scoped(drop_fd) int dir = openat(*path == '/' ? AT_FDCWD : from, *path == '/' ? "/" : ".",
					 O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_MAX + 1];

	if (dir < 0)
		return err();
	for (;;) {
		size_t n;
		int next;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path, n);
		name[n] = '\0';
		if (!path[n]) {
			*ret_name = strdup(name);
			if (!*ret_name)
				return -ENOMEM;
			*ret_dir = take_fd(&dir);
			return 0;
		}
		next = step(dir, name, make);
		if (next < 0)
			return next;
		close(dir);
		dir = next;
		path += n;
	}
}

/* The last name may also be none, or one that is no name of its own. */
static int check_name(const char *name)
{
	return !*name || !strcmp(name, ".") || !strcmp(name, "..") ? -EISDIR : 0;
}

int open_parent(const char *path, bool follow, bool make, int *ret_dir, char **ret_name)
{
	scoped(drop_fd) int dir = -1;
	scoped(drop_mem) char *name = NULL;
	int r = walk(AT_FDCWD, path, make, &dir, &name);

	for (int links = 0; r == 0 && name && follow; links++) {
		scoped(drop_mem) char *old = NULL;
		scoped(drop_fd) int base = -1;
		char target[PATH_MAX];
		ssize_t n = *name ? readlinkat(dir, name, target, sizeof(target) - 1) : -1;

		if (n < 0)
			break; /* no link, or nothing there */
		if (links == MAX_LINKS)
			return -ELOOP;
		target[n] = '\0';
		base = take_fd(&dir);
		old = take_mem(&name);
		r = walk(base, target, make, &dir, &name);
	}
	if (r == 0)
		r = name ? check_name(name) : -ENOMEM;
	if (r < 0)
		return r;
	*ret_dir = take_fd(&dir);
	*ret_name = take_mem(&name);
	return 0;
}

int open_file(int dir, const char *name, struct file_answer *a, struct stat *ret_st)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int fd = -1;

	if (fstatat(dir, name, ret_st, 0) < 0)
		return err();
	a->type = type_of(ret_st);
	if (!S_ISREG(ret_st->st_mode))
		return why(a, FILE_WHY_NO_FILE, S_ISDIR(ret_st->st_mode) ? EISDIR : EINVAL);
	for (int i = 0; i < LEASE_TRIES; i++) {
		fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0 || errno != EWOULDBLOCK)
			break;
		nanosleep(&pause, NULL);
	}
	if (fd < 0)
		return err();
	if (fstat(fd, ret_st) < 0 || !S_ISREG(ret_st->st_mode)) { /* it was another a moment ago */
		close(fd);
		return why(a, FILE_WHY_NO_FILE, EINVAL);
	}
	tell_stat(a, ret_st);
	return fd;
}

int sum_file(int fd, struct file_answer *a)
{
	char chunk[65536];
	struct sha256 sum;
	uint64_t at = 0, lines = 0;
	ssize_t n;
	char last = '\n';

	sha256_init(&sum);
	while ((n = pread(fd, chunk, sizeof(chunk), (off_t)at)) > 0) {
		sha256_add(&sum, chunk, (size_t)n);
		for (const char *p = chunk; (p = memchr(p, '\n', (size_t)(chunk + n - p))); p++)
			lines++;
		last = chunk[n - 1];
		at += (uint64_t)n;
		if (at > FILE_MAX_WHOLE)
			return 0;
	}
	if (n < 0)
		return err();
	sha256_end(&sum, a->sum);
	a->has_sum = 1;
	a->lines = lines + (last != '\n');
	return 0;
}
