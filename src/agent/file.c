/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A person's configuration file: opened without following unsafe links, replaced in one step, with its mode
 * and owner.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "agent/edit.h"

#define MAX_BYTES (64u << 20)

void agent_file_close(struct agent_file *f)
{
	close_fd(&f->dir);
	free(f->dir_path);
	free(f->name);
	buf_finish(&f->text);
}

/* PATH with its links followed, as far as it is there; heap, or NULL. */
static char *real_path(const char *path)
{
	scoped(drop_mem) char *there = strdup(path);
	size_t n = there ? strlen(there) : 0;

	while (n > 1) {
		scoped(drop_mem) char *real = realpath(there, NULL);

		if (real)
			return path[n] ? path_join(real, path + n + 1) : take_mem(&real);
		if (errno != ENOENT)
			return NULL;
		n = (size_t)(strrchr(there, '/') - there);
		there[n] = '\0';
	}
	return there ? strdup(path) : NULL;
}

static char *follow(const char *path, const char *within, struct aisbx_error *e)
{
	scoped(drop_mem) char *real = real_path(path), *home = real_path(within);

	if (real && home && path_is_within(real, home))
		return take_mem(&real);
	if (real)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ELOOP,
			     "'%s' leads to '%s', which is not below '%s'; edit that file yourself", path,
			     real, within);
	else
		aisbx_fail(e, AISBX_AREA_USAGE, errno, "find '%s'", path);
	return NULL;
}

static int read_text(int fd, const char *path, struct buf *ret, struct aisbx_error *e)
{
	int r = io_read_all(fd, MAX_BYTES, ret);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, -r, "read '%s'", path);
	if (ret->len > MAX_BYTES)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
				    "'%s' is larger than %u MiB", path, MAX_BYTES >> 20);
	return 0;
}

static void remember(struct agent_file *f, const struct stat *st)
{
	f->there = true;
	f->mode = st->st_mode & 07777;
	f->uid = st->st_uid;
	f->gid = st->st_gid;
	f->ino = (long long)st->st_ino;
	f->size = (long long)st->st_size;
	f->mtime_s = st->st_mtim.tv_sec;
	f->mtime_ns = st->st_mtim.tv_nsec;
}

static int open_in(struct agent_file *f, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	struct stat st;

	f->dir = open(f->dir_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f->dir < 0)
		return errno == ENOENT ? 0
				       : aisbx_fail(e, AISBX_AREA_USAGE, errno, "open the directory '%s'",
						    f->dir_path);
	fd = openat(f->dir, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ELOOP,
				    "'%s/%s' is a symbolic link, which is not followed there", f->dir_path,
				    f->name);
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open '%s/%s'", f->dir_path, f->name);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s/%s' is not a regular file", f->dir_path, f->name);
	remember(f, &st);
	return read_text(fd, f->name, &f->text, e);
}

int agent_file_open(const char *path, const char *within, struct agent_file *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *real = within ? follow(path, within, e) : strdup(path);
	const char *slash = real ? strrchr(real, '/') : NULL;

	if (!slash)
		return e->code ? e->code : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find '%s'", path);
	ret->name = strdup(slash + 1);
	ret->dir_path = strndup(real, (size_t)(slash - real));
	if (!ret->name || !ret->dir_path)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find '%s'", path);
	return open_in(ret, e);
}

/* The directory, and what is missing above it. */
static int make_dir(struct agent_file *f, struct aisbx_error *e)
{
	for (char *c = f->dir_path + 1; f->dir < 0; c++) {
		char old = *c;

		if (old && old != '/')
			continue;
		*c = '\0';
		if (mkdir(f->dir_path, 0755) < 0 && errno != EEXIST) {
			aisbx_fail(e, AISBX_AREA_USAGE, errno, "make the directory '%s'", f->dir_path);
			*c = old;
			return e->code;
		}
		*c = old;
		if (!old)
			break;
	}
	if (f->dir < 0)
		f->dir = open(f->dir_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return f->dir < 0 ? aisbx_fail(e, AISBX_AREA_USAGE, errno, "open the directory '%s'", f->dir_path)
			  : 0;
}

/* Agents write their files, too. */
static int check_same(const struct agent_file *f, struct aisbx_error *e)
{
	struct agent_file now = { 0 };
	struct stat st;

	if (fstatat(f->dir, f->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		remember(&now, &st);
	if (now.there == f->there && now.ino == f->ino && now.size == f->size && now.mtime_s == f->mtime_s &&
	    now.mtime_ns == f->mtime_ns)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EAGAIN,
			    "'%s/%s' changed meanwhile; try again", f->dir_path, f->name);
}

static int fill(int fd, const struct agent_file *f, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, text + at, len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	if (f->there && fchown(fd, f->uid, f->gid) < 0 && f->uid != geteuid())
		return -errno;
	if (f->there && fchmod(fd, f->mode) < 0)
		return -errno;
	return fsync(fd) < 0 ? -errno : 0;
}

int agent_file_write(struct agent_file *f, const char *text, size_t len, struct aisbx_error *e)
{
	scoped(drop_mem) char *temporary = NULL;
	scoped(drop_fd) int fd = -1;
	int r = make_dir(f, e);

	if (r < 0)
		return r;
	if (asprintf(&temporary, "%s.aisbx-%d", f->name, (int)getpid()) < 0) {
		temporary = NULL;
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write '%s'", f->name);
	}
	fd = openat(f->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    f->there ? 0600 : 0644);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "write in '%s'", f->dir_path);
	r = fill(fd, f, text, len);
	if (r < 0)
		aisbx_fail(e, AISBX_AREA_USAGE, -r, "write '%s/%s'", f->dir_path, f->name);
	else
		r = check_same(f, e);
	if (r == 0 && renameat(f->dir, temporary, f->dir, f->name) < 0)
		r = aisbx_fail(e, AISBX_AREA_USAGE, errno, "replace '%s/%s'", f->dir_path, f->name);
	if (r < 0)
		unlinkat(f->dir, temporary, 0);
	else
		fsync(f->dir);
	return r;
}

int agent_file_remove(struct agent_file *f, struct aisbx_error *e)
{
	int r = check_same(f, e);

	if (r == 0 && unlinkat(f->dir, f->name, 0) < 0)
		r = aisbx_fail(e, AISBX_AREA_USAGE, errno, "remove '%s/%s'", f->dir_path, f->name);
	return r;
}
