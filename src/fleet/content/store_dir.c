/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in a directory. An object is a file; a '/' in its name is a directory. It is written beside under
 * another name and linked or renamed to its own, so nobody sees a part of one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/content/store.h"

struct dir_store {
	struct content_store store;
	int fd;     /* owned; the tenant's directory */
	char *path; /* owned */
};

static int fail(const struct content_store *s, int err, const char *what, const char *name,
		struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_LAYER, err, "%s '%.100s' in %.200s", what, name, s->url);
}

static int get(struct content_store *s, const char *name, uint64_t from, uint64_t len, struct buf *ret,
	       struct aisbx_error *e)
{
	const struct dir_store *d = (struct dir_store *)s;
	scoped(drop_fd) int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	scoped(drop_mem) char *room = NULL;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(s, errno, "read", name, e);
	if (from == CONTENT_TAIL)
		from = (uint64_t)st.st_size > len ? (uint64_t)st.st_size - len : 0;
	if (from >= (uint64_t)st.st_size)
		return 0;
	if (len > (uint64_t)st.st_size - from)
		len = (uint64_t)st.st_size - from;
	room = malloc(len);
	if (!room)
		return fail(s, ENOMEM, "read", name, e);
	for (uint64_t got = 0; got < len;) {
		ssize_t n = pread(fd, room + got, len - got, (off_t)(from + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(s, n < 0 ? errno : EIO, "read", name, e);
		got += (uint64_t)n;
	}
	buf_add(ret, room, len);
	s->got += len;
	return ret->failed ? fail(s, ENOMEM, "read", name, e) : 0;
}

/* The directories on the way to NAME. */
static int make_dirs(const struct dir_store *d, const char *name)
{
	char part[CONTENT_OBJECT_NAME];

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - name), name);
		if (mkdirat(d->fd, part, 0700) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int write_beside(const struct dir_store *d, const char *beside, const void *data, size_t len)
{
	scoped(drop_fd) int fd = openat(d->fd, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : io_write_all(fd, data, len);

	return r == 0 && fsync(fd) < 0 ? -errno : r;
}

static int sync_dir(const struct dir_store *d, const char *name)
{
	const char *slash = strrchr(name, '/');
	char part[CONTENT_OBJECT_NAME];
	scoped(drop_fd) int fd = -1;

	snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
	fd = openat(d->fd, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int put(struct content_store *s, const char *name, const void *data, size_t len, bool is_new,
	       struct aisbx_error *e)
{
	const struct dir_store *d = (struct dir_store *)s;
	char beside[48];
	uint64_t word;
	int r;

	if (is_new && faccessat(d->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	if (getrandom(&word, sizeof(word), 0) != sizeof(word))
		return fail(s, errno, "write", name, e);
	snprintf(beside, sizeof(beside), "new-%016llx", (unsigned long long)word);
	r = make_dirs(d, name);
	if (r == 0)
		r = write_beside(d, beside, data, len);
	if (r == 0 && is_new && linkat(d->fd, beside, d->fd, name, 0) < 0)
		r = -errno;
	if (r == 0 && !is_new && renameat(d->fd, beside, d->fd, name) < 0)
		r = -errno;
	if (r < 0 || is_new)
		unlinkat(d->fd, beside, 0);
	if (r == 0)
		r = sync_dir(d, name);
	if (r == -EEXIST && is_new)
		return r;
	s->sent += r == 0 ? len : 0;
	return r < 0 ? fail(s, -r, "write", name, e) : 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

struct listing {
	struct content_store *store;
	const char *prefix, *after; /* borrowed */
	content_take_fn *take;
	void *ctx;
};

static int list_below(struct listing *l, const char *dir);

static int list_one(struct listing *l, const char *name)
{
	const struct dir_store *d = (struct dir_store *)l->store;
	size_t len = strlen(name), most = strlen(l->prefix);
	struct stat st;

	if (strncmp(name, l->prefix, len < most ? len : most) != 0)
		return 0;
	if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (S_ISDIR(st.st_mode))
		return list_below(l, name);
	if (!S_ISREG(st.st_mode) || len < most || strcmp(name, l->after) <= 0)
		return 0;
	return l->take(l->ctx, name, (uint64_t)st.st_size);
}

static int list_below(struct listing *l, const char *dir)
{
	const struct dir_store *d = (struct dir_store *)l->store;
	struct dirent **entries = NULL;
	int r = 0, n = scandirat(d->fd, *dir ? dir : ".", &entries, is_entry, by_name);

	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		char name[CONTENT_OBJECT_NAME];
		int len = snprintf(name, sizeof(name), "%s%s%s", dir, *dir ? "/" : "", entries[i]->d_name);

		if (r == 0 && len > 0 && (size_t)len < sizeof(name))
			r = list_one(l, name);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int list(struct content_store *s, const char *prefix, const char *after, content_take_fn *take,
		void *ctx, struct aisbx_error *e)
{
	struct listing l = { .store = s, .prefix = prefix, .after = after, .take = take, .ctx = ctx };
	const char *slash = strrchr(prefix, '/');
	char dir[CONTENT_OBJECT_NAME];
	int r;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - prefix) : 0, prefix);
	r = list_below(&l, dir);
	return r < 0 ? fail(s, -r, "list", prefix, e) : 0;
}

static int remove_object(struct content_store *s, const char *name, struct aisbx_error *e)
{
	const struct dir_store *d = (struct dir_store *)s;

	if (unlinkat(d->fd, name, 0) < 0 && errno != ENOENT)
		return fail(s, errno, "remove", name, e);
	return 0;
}

static void destroy(struct content_store *s)
{
	struct dir_store *d = (struct dir_store *)s;

	close_fd(&d->fd);
	free(d->path);
	free(d);
}

static const struct content_store_ops dir_ops = {
	.get = get, .put = put, .list = list, .remove = remove_object, .destroy = destroy
};

int content_store_dir_make(const char *path, struct aisbx_error *e)
{
	return mkdir(path, 0700) < 0 && errno != EEXIST
		       ? aisbx_fail(e, AISBX_AREA_LAYER, errno, "make the store '%.200s'", path)
		       : 0;
}

int content_store_dir(const char *path, const char *tenant, struct content_store **ret, struct aisbx_error *e)
{
	struct dir_store *d = calloc(1, sizeof(*d));
	int r = d && asprintf(&d->path, "%s/%s", path, tenant) > 0 ? 0 : -ENOMEM;

	if (r < 0) {
		free(d);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open the store '%.200s'", path);
	}
	d->store.ops = &dir_ops;
	if (mkdir(d->path, 0700) < 0 && errno != EEXIST)
		r = -errno;
	d->fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0) {
		r = r < 0 ? r : -errno;
		destroy(&d->store);
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "open the store '%.200s'", path);
	}
	*ret = &d->store;
	return 0;
}
