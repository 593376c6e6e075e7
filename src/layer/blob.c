/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "NAME-n" is a file of its own, "NAME+at.size" is in the pack "NAME". Making a file for each of thousands
 * would cost as much as the run.
 */
#include "layer/blob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "sys/sys.h"

#define DIRECTORY "blobs"
#define MAX_SMALL ((off_t)64 << 10)
#define MAX_COPY  ((off_t)4 << 20)
#define PIECE     ((size_t)1 << 20)

static int open_dir(int tree)
{
	int fd;

	if (mkdirat(tree, DIRECTORY, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(tree, DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int blobs_open(int tree, struct blob_files *ret)
{
	*ret = (struct blob_files)BLOBS_INIT;
	ret->tree = tree;
	return getrandom(&ret->name, sizeof(ret->name), 0) == sizeof(ret->name) ? 0 : -EIO;
}

void blobs_finish(struct blob_files *b)
{
	buf_finish(&b->waiting);
	close_fd(&b->pack);
	close_fd(&b->dir);
}

/* The name of the next file of its own. */
static int begin_file(struct blob_files *b, char ret_name[BLOB_NAME_MAX])
{
	if (b->dir < 0)
		b->dir = open_dir(b->tree);
	snprintf(ret_name, BLOB_NAME_MAX, "%016llx-%x", (unsigned long long)b->name, b->n++);
	return b->dir < 0 ? b->dir : 0;
}

static int keep_large(struct blob_files *b, int fd, off_t size, char ret_name[BLOB_NAME_MAX])
{
	scoped(drop_fd) int to = -1;
	int r = begin_file(b, ret_name);

	if (r < 0)
		return r;
	to = openat(b->dir, ret_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	if (size > MAX_COPY)
		r = ioctl(to, FICLONE, fd) < 0 ? -errno : 0;
	else
		r = copy_data(fd, to, size);
	if (r < 0)
		unlinkat(b->dir, ret_name, 0);
	return r;
}

static int open_pack(struct blob_files *b)
{
	char name[BLOB_NAME_MAX];

	if (b->pack >= 0)
		return 0;
	if (b->dir < 0)
		b->dir = open_dir(b->tree);
	if (b->dir < 0)
		return b->dir;
	snprintf(name, sizeof(name), "%016llx", (unsigned long long)b->name);
	b->pack = openat(b->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return b->pack < 0 ? -errno : 0;
}

static int keep_small(struct blob_files *b, int fd, off_t size, char ret_name[BLOB_NAME_MAX])
{
	char chunk[16384];
	size_t before = b->waiting.len;
	int r = open_pack(b);
	ssize_t n = 1;
	off_t at = 0;

	if (r < 0)
		return r;
	while (at < size &&
	       (n = pread(fd, chunk, size - at < (off_t)sizeof(chunk) ? (size_t)(size - at) : sizeof(chunk),
			  at)) > 0) {
		buf_add(&b->waiting, chunk, (size_t)n);
		at += n;
	}
	if (at < size || b->waiting.failed) { /* it became shorter */
		b->waiting.len = before;
		return n < 0 ? -errno : b->waiting.failed ? -ENOMEM : -EBUSY;
	}
	snprintf(ret_name, BLOB_NAME_MAX, "%016llx+%x.%x", (unsigned long long)b->name,
		 (unsigned int)(b->packed + before), (unsigned int)size);
	return b->waiting.len < PIECE ? 0 : blobs_write(b);
}

int blobs_keep_file(struct blob_files *b, int fd, const struct stat *st, char ret_name[BLOB_NAME_MAX])
{
	const bool is_small = st->st_size <= MAX_SMALL &&
			      b->packed + b->waiting.len <= UINT32_MAX; /* so its name is no longer */

	return is_small ? keep_small(b, fd, st->st_size, ret_name) : keep_large(b, fd, st->st_size, ret_name);
}

int blobs_keep_link(struct blob_files *b, int at, const char *name, char ret_name[BLOB_NAME_MAX])
{
	static const struct copy_how plain = { 0 };
	int r = begin_file(b, ret_name);

	return r < 0 ? r : copy_link(at, name, b->dir, ret_name, &plain);
}

int blobs_keep_blob(struct blob_files *b, const char *file, char ret_name[BLOB_NAME_MAX])
{
	int r = begin_file(b, ret_name);

	return r < 0 ? r : linkat(AT_FDCWD, file, b->dir, ret_name, 0) < 0 ? -errno : 0;
}

int blobs_write(struct blob_files *b)
{
	int r = b->waiting.len ? sys_write_all(b->pack, b->waiting.data, b->waiting.len) : 0;

	if (r < 0)
		return r;
	b->packed += b->waiting.len;
	b->waiting.len = 0;
	return 0;
}

static int take(int from, int to, const char *name)
{
	static const struct copy_how plain = { 0 };
	scoped(drop_fd) int src = -1;
	scoped(drop_fd) int dst = -1;
	struct stat st;

	if (linkat(from, name, to, name, 0) == 0 || errno == EEXIST)
		return 0;
	if (errno != EMLINK)
		return -errno;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return copy_link(from, name, to, name, &plain);
	src = copy_open(from, name);
	dst = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return src < 0 ? src : dst < 0 ? -errno : copy_data(src, dst, st.st_size);
}

/* Of "NAME+at.size" the first part; of any other all. */
static void file_of(const char *name, char ret[BLOB_NAME_MAX])
{
	snprintf(ret, BLOB_NAME_MAX, "%.*s", (int)strcspn(name, "+"), name);
}

int blobs_take_one(struct blob_files *b, const char *tree, const char *name)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int from = -1;
	char file[BLOB_NAME_MAX];

	if (asprintf(&path, "%s/" DIRECTORY, tree) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (b->dir < 0)
		b->dir = open_dir(b->tree);
	from = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (b->dir < 0 || from < 0)
		return b->dir < 0 ? b->dir : -errno;
	file_of(name, file);
	return take(from, b->dir, file);
}

int blobs_take(int from_tree, int to_tree)
{
	int from = openat(from_tree, DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = dir_take(from < 0 ? -errno : from, &r);
	scoped(drop_fd) int to = -1;
	struct dirent *entry;

	if (!d)
		return r == -ENOENT ? 0 : r;
	to = open_dir(to_tree);
	if (to < 0)
		return to;
	while (r == 0 && (entry = dir_next(d, &r)))
		r = take(dirfd(d), to, entry->d_name);
	return r;
}

/* What NAME says, to the file TO. */
static int unpack(int dir, const char *name, int to)
{
	char file[BLOB_NAME_MAX], chunk[16384];
	scoped(drop_fd) int from = -1;
	unsigned int at, left;
	ssize_t n = 1;
	int r = 0, end = 0;

	if (sscanf(name + strcspn(name, "+"), "+%x.%x%n", &at, &left, &end) != 2 ||
	    name[strcspn(name, "+") + (size_t)end])
		return -EBADMSG;
	file_of(name, file);
	from = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return -errno;
	while (r == 0 && left &&
	       (n = pread(from, chunk, left < sizeof(chunk) ? left : sizeof(chunk), at)) > 0) {
		r = sys_write_all(to, chunk, (size_t)n);
		at += (unsigned int)n;
		left -= (unsigned int)n;
	}
	return r < 0 ? r : n < 0 ? -errno : left ? -EBADMSG : 0;
}

/* Those who read want a file. Few do: only what the host changed as well. It stays, for the next. */
static int make_file(const char *path, const char *name)
{
	scoped(drop_mem) char *parent = strndup(path, strlen(path) - strlen(name) - 1);
	scoped(drop_fd) int dir = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	scoped(drop_fd) int to = -1;
	char self[32];
	int r;

	if (dir < 0)
		return parent ? -errno : -ENOMEM;
	to = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	r = unpack(dir, name, to);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", to);
	if (r == 0 && linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST)
		r = -errno;
	return r;
}

int blob_file(const char *tree, const char *name, char **ret)
{
	scoped(drop_mem) char *path = NULL;
	int r = 0;

	if (asprintf(&path, "%s/" DIRECTORY "/%s", tree, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (strchr(name, '+') && access(path, F_OK) < 0)
		r = make_file(path, name);
	if (r == 0)
		*ret = take_mem(&path);
	return r;
}
