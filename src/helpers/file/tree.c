/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, moves and removes files and whole directories. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "helpers/file/file.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
/* Names that are removed in one go. */
#define SOME_NAMES 10000u

static int remove_any(int dir, const char *name, unsigned int depth)
{
	int r;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	r = errno == EISDIR || errno == EPERM ? tree_remove(dir, name, depth) : err();
	return r == -ENOTDIR ? -EPERM : r;
}

int tree_remove(int dir, const char *name, unsigned int depth)
{
	bool more = true;
	int r = 0;

	if (!depth)
		return -ELOOP;
	while (r == 0 && more) {
		scoped(name_list_finish) struct name_list names = { 0 };
		int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		scoped(drop_fd) int keep = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

		if (fd < 0)
			return err();
		r = name_list_read(fd, SOME_NAMES, &names, &more);
		if (r == 0 && keep < 0)
			r = -EMFILE;
		for (size_t i = 0; r == 0 && i < names.n; i++)
			r = remove_any(keep, names.list[i], depth - 1);
	}
	if (r == 0 && unlinkat(dir, name, AT_REMOVEDIR) < 0)
		r = err();
	return r;
}

int act_remove(const struct ask *q, struct file_answer *a)
{
	scoped(drop_fd) int dir = -1;
	scoped(drop_mem) char *name = NULL;
	struct stat st = { 0 };
	int r = open_parent(q->part[FILE_PATH], false, false, &dir, &name);

	if (r == 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = err();
	if (r == -ENOENT && q->head.flags & FILE_FORCE)
		return 0;
	if (r < 0)
		return r;
	tell_stat(a, &st);
	if (S_ISDIR(st.st_mode) && q->head.flags & FILE_RECURSIVE)
		return tree_remove(dir, name, FILE_MAX_DEPTH);
	return unlinkat(dir, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) < 0 ? err() : 0;
}

int act_make_dir(const struct ask *q, struct file_answer *a)
{
	scoped(drop_fd) int dir = -1;
	scoped(drop_mem) char *name = NULL;
	struct stat st;
	int r = open_parent(q->part[FILE_PATH], false, true, &dir, &name);

	if (r < 0)
		return r;
	if (mkdirat(dir, name, 0777) == 0)
		a->created = 1;
	else if (errno != EEXIST)
		return err();
	if (a->created && q->head.flags & FILE_SET_MODE && fchmodat(dir, name, q->head.mode & 07777, 0) < 0)
		return err();
	if (fstatat(dir, name, &st, 0) < 0)
		return err();
	tell_stat(a, &st);
	return S_ISDIR(st.st_mode) ? 0 : -EEXIST;
}

/* Where one rename will not do: another file system, or a directory that the box has from below. */
struct copier {
	uint64_t copied, room;
	struct file_answer *a;
};

static int copy_content(struct copier *c, int from, int to)
{
	char chunk[65536];
	ssize_t n;
	int r = 0;

	while (r == 0 && (n = read(from, chunk, sizeof(chunk))) != 0) {
		if (n > 0 && (c->copied += (uint64_t)n) > c->room)
			return why(c->a, FILE_WHY_ROOM, EDQUOT);
		r = n < 0 ? err() : io_write_all(to, chunk, (size_t)n);
	}
	return r;
}

static int copy_file(struct copier *c, int from, const char *name, int to, const char *as)
{
	struct stat st;
	scoped(drop_fd) int in = open_file(from, name, c->a, &st);
	scoped(drop_fd) int out =
		in < 0 ? -1 : openat(to, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = in < 0 ? in : out < 0 ? err() : copy_content(c, in, out);

	if (r == 0 && fchown(out, st.st_uid, st.st_gid) < 0 && errno != EPERM && errno != EINVAL)
		r = err();
	if (r == 0 && (fchmod(out, st.st_mode & 07777) < 0 ||
		       futimens(out, (struct timespec[]){ st.st_atim, st.st_mtim }) < 0))
		r = err();
	return r;
}

static int copy_link(int from, const char *name, int to, const char *as)
{
	char target[4096];
	ssize_t n = readlinkat(from, name, target, sizeof(target) - 1);

	if (n < 0)
		return err();
	target[n] = '\0';
	return symlinkat(target, to, as) < 0 ? err() : 0;
}

static int copy_any(struct copier *c, int from, const char *name, int to, const char *as, unsigned int depth);

/* Owner as far as may be, mode and times of ST. */
static int give_attrs(int fd, const struct stat *st)
{
	if (fchown(fd, st->st_uid, st->st_gid) < 0 && errno != EPERM && errno != EINVAL)
		return err();
	if (fchmod(fd, st->st_mode & 07777) < 0 ||
	    futimens(fd, (struct timespec[]){ st->st_atim, st->st_mtim }) < 0)
		return err();
	return 0;
}

static int copy_dir(struct copier *c, int from, const char *name, int to, const char *as, unsigned int depth)
{
	scoped(name_list_finish) struct name_list names = { 0 };
	int fd = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	scoped(drop_fd) int in = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	scoped(drop_fd) int out = -1;
	struct stat st = { 0 };
	bool more = false;
	int r;

	if (fd < 0)
		return err();
	r = name_list_read(fd, SIZE_MAX, &names, &more);
	if (r == 0 && (in < 0 || fstat(in, &st) < 0 || mkdirat(to, as, 0700) < 0))
		r = err();
	out = r == 0 ? openat(to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (r == 0 && out < 0)
		r = err();
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = copy_any(c, in, names.list[i], out, names.list[i], depth - 1);
	return r == 0 ? give_attrs(out, &st) : r;
}

static int copy_any(struct copier *c, int from, const char *name, int to, const char *as, unsigned int depth)
{
	struct stat st;

	if (!depth)
		return -ELOOP;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err();
	switch (type_of(&st)) {
	case FILE_IS_FILE:
		return copy_file(c, from, name, to, as);
	case FILE_IS_DIR:
		return copy_dir(c, from, name, to, as, depth);
	case FILE_IS_LINK:
		return copy_link(from, name, to, as);
	case FILE_IS_OTHER:
	case FILE_TYPES:
		break;
	}
	return -EXDEV;
}

static int rename_to(int from, const char *name, int to, const char *as, bool force)
{
	struct stat st;

	if (force)
		return renameat(from, name, to, as) < 0 ? err() : 0;
	if (syscall(SYS_renameat2, from, name, to, as, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return err();
	if (fstatat(to, as, &st, AT_SYMLINK_NOFOLLOW) == 0) /* a file system that cannot do it in one step */
		return -EEXIST;
	return renameat(from, name, to, as) < 0 ? err() : 0;
}

static int copy_over(const struct ask *q, int from, const char *name, int to, const char *as,
		     struct file_answer *a)
{
	const char *source = q->part[FILE_PATH], *target = q->part[FILE_A];
	struct copier c = { .room = q->head.room, .a = a };
	unsigned int random = 0;
	char draft[32];
	int r;

	if (!strncmp(target, source, strlen(source)) && target[strlen(source)] == '/')
		return -EINVAL;
	if (getrandom(&random, sizeof(random), 0) < 0)
		random = (unsigned int)getpid();
	snprintf(draft, sizeof(draft), ".aisbx-%08x~", random);
	r = copy_any(&c, from, name, to, draft, FILE_MAX_DEPTH);
	if (r == 0)
		r = rename_to(to, draft, to, as, q->head.flags & FILE_FORCE);
	if (r < 0 && unlinkat(to, draft, 0) < 0)
		tree_remove(to, draft, FILE_MAX_DEPTH);
	if (r == 0 && unlinkat(from, name, 0) < 0)
		r = tree_remove(from, name, FILE_MAX_DEPTH);
	return r;
}

int act_move(const struct ask *q, struct file_answer *a)
{
	scoped(drop_fd) int from = -1;
	scoped(drop_fd) int to = -1;
	scoped(drop_mem) char *name = NULL, *as = NULL;
	struct stat st = { 0 };
	int r = open_parent(q->part[FILE_PATH], false, false, &from, &name);

	if (r == 0 && fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = err();
	if (r == 0)
		r = open_parent(q->part[FILE_A], false, true, &to, &as);
	if (r < 0 || !name || !as)
		return r < 0 ? r : -ENOMEM;
	r = rename_to(from, name, to, as, q->head.flags & FILE_FORCE);
	if (r == -EXDEV)
		r = copy_over(q, from, name, to, as, a);
	if (r == 0 && fstatat(to, as, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = err();
	if (r == 0)
		tell_stat(a, &st);
	return r;
}
