/* SPDX-License-Identifier: Apache-2.0 */
/* The directories that a layer made so far: a tree, a table by parent and name, and the open descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/unpack.h"
#include "sys/sys.h"

#define OPAQUE_XATTR "user.overlay.opaque"
#define FIRST_TABLE  1024u

int unpack_fail(struct aisbx_error *e, int err, const char *what, const char *name)
{
	return aisbx_fail(e, AISBX_AREA_BOX, err, "%s '%.200s'", what, name);
}

static uint32_t hash_of(const struct unpack_dir *parent, const char *name)
{
	uint32_t h = parent ? parent->hash * 31u + (uint32_t)parent->path_len : 0;

	h ^= 2166136261u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

struct unpack_dir *unpack_dir_find(const struct unpack *u, const struct unpack_dir *parent, const char *name)
{
	uint32_t h = hash_of(parent, name);

	for (struct unpack_dir *d = u->table[h & (u->table_size - 1)]; d; d = d->chain)
		if (d->hash == h && d->parent == parent && !strcmp(d->name, name))
			return d;
	return NULL;
}

static int table_grow(struct unpack *u)
{
	size_t size = u->table_size ? u->table_size * 4 : FIRST_TABLE;
	struct unpack_dir **table = calloc(size, sizeof(struct unpack_dir *));

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < u->table_size; i++)
		for (struct unpack_dir *d = u->table[i], *chain; d; d = chain) {
			chain = d->chain;
			d->chain = table[d->hash & (size - 1)];
			table[d->hash & (size - 1)] = d;
		}
	free(u->table);
	u->table = table;
	u->table_size = size;
	return 0;
}

static struct unpack_dir *dir_create(struct unpack_dir *parent, const char *name)
{
	size_t len = strlen(name);
	struct unpack_dir *d = calloc(1, sizeof(*d) + len + 1);

	if (!d)
		return NULL;
	d->fd = -1;
	d->parent = parent;
	d->depth = parent ? parent->depth + 1 : 0;
	d->path_len = parent ? parent->path_len + (parent->path_len ? 1 : 0) + len : 0;
	d->hash = hash_of(parent, name);
	memcpy(d->name, name, len + 1);
	return d;
}

int unpack_dir_add(struct unpack *u, struct unpack_dir *parent, const char *name, struct unpack_dir **ret,
		   struct aisbx_error *e)
{
	struct unpack_dir *d;

	if (parent->depth >= UNPACK_DEPTH_MAX || parent->path_len + strlen(name) + 1 > TAR_NAME_MAX)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, ENAMETOOLONG,
				    "a directory of the layer is too deep: '%.200s'", name);
	if (u->n_dirs >= u->table_size && table_grow(u) < 0)
		return unpack_fail(e, ENOMEM, "create", name);
	d = dir_create(parent, name);
	if (!d)
		return unpack_fail(e, ENOMEM, "create", name);
	d->chain = u->table[d->hash & (u->table_size - 1)];
	u->table[d->hash & (u->table_size - 1)] = d;
	d->next = parent->first;
	if (d->next)
		d->next->before = d;
	parent->first = d;
	u->n_dirs++;
	*ret = d;
	return 0;
}

int unpack_top_create(struct unpack *u, struct aisbx_error *e)
{
	u->top = table_grow(u) < 0 ? NULL : dir_create(NULL, "");
	if (!u->top)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "unpack a layer");
	return 0;
}

static void close_dir(struct unpack *u, struct unpack_dir *d)
{
	if (d->fd < 0)
		return;
	close_fd(&d->fd);
	*(d->newer ? &d->newer->older : &u->newest) = d->older;
	*(d->older ? &d->older->newer : &u->oldest) = d->newer;
	d->newer = d->older = NULL;
	u->n_open--;
}

static void mark_used(struct unpack *u, struct unpack_dir *d, bool is_new)
{
	if (u->newest == d)
		return;
	if (!is_new) {
		d->newer->older = d->older;
		*(d->older ? &d->older->newer : &u->oldest) = d->newer;
	}
	d->newer = NULL;
	d->older = u->newest;
	*(u->newest ? &u->newest->newer : &u->oldest) = d;
	u->newest = d;
}

void unpack_dir_path(const struct unpack_dir *d, char ret[TAR_NAME_MAX + 1])
{
	char *at = ret + d->path_len;

	*at = '\0';
	if (!d->parent)
		strcpy(ret, ".");
	for (; d->parent; d = d->parent) {
		size_t len = strlen(d->name);

		at -= len;
		memcpy(at, d->name, len);
		if (at > ret)
			*--at = '/';
	}
}

int unpack_dir_fd(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e)
{
	const uint64_t flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	const uint64_t resolve =
		RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
	char path[TAR_NAME_MAX + 1];
	int fd;

	if (!d->parent)
		return u->into;
	if (d->fd >= 0) {
		mark_used(u, d, false);
		return d->fd;
	}
	if (u->n_open >= u->max_open)
		close_dir(u, u->oldest);
	if (d->parent->fd >= 0) {
		fd = sys_openat2(d->parent->fd, d->name, flags, 0, resolve);
	} else {
		unpack_dir_path(d, path);
		fd = sys_openat2(u->into, path, flags, 0, resolve);
	}
	if (fd < 0)
		return unpack_fail(e, -fd, "open directory", d->name);
	d->fd = fd;
	u->n_open++;
	mark_used(u, d, true);
	return fd;
}

/* It has no directories any more. */
static void dir_destroy(struct unpack *u, struct unpack_dir *d)
{
	struct unpack_dir **at = &u->table[d->hash & (u->table_size - 1)];

	close_dir(u, d);
	if (d->parent) {
		while (*at != d)
			at = &(*at)->chain;
		*at = d->chain;
		*(d->before ? &d->before->next : &d->parent->first) = d->next;
		if (d->next)
			d->next->before = d->before;
		u->n_dirs--;
	}
	free(d->lowers);
	free(d->acl);
	free(d);
}

/* The one to be handled first when those inside come before it. */
static struct unpack_dir *innermost(struct unpack_dir *d)
{
	while (d->first)
		d = d->first;
	return d;
}

void unpack_dirs_finish(struct unpack *u)
{
	struct unpack_dir *d = u->top;

	while (d) {
		struct unpack_dir *parent;

		d = innermost(d);
		parent = d->parent;
		dir_destroy(u, d);
		d = parent;
	}
	free(u->table);
	u->table = NULL;
	u->top = NULL;
}

int unpack_dir_hide(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e)
{
	int fd;

	free(d->lowers);
	d->lowers = NULL;
	d->n_lowers = 0;
	d->lowers_known = true;
	if (d->opaque || u->n_below == 0)
		return 0;
	fd = unpack_dir_fd(u, d, e);
	if (fd < 0)
		return fd;
	if (fsetxattr(fd, OPAQUE_XATTR, "y", 1, 0) < 0)
		return unpack_fail(e, errno, "mark as opaque", d->name);
	d->opaque = true;
	return 0;
}

/* Its files; its directories are gone. */
static int remove_files(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e)
{
	int fd = unpack_dir_fd(u, d, e), r = 0;
	scoped(drop_dir) DIR *dir = NULL;
	struct dirent *entry;

	if (fd < 0)
		return fd;
	dir = dir_take(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);
	while (dir && r == 0 && (entry = dir_next(dir, &r)))
		if (unlinkat(fd, entry->d_name, 0) < 0)
			r = -errno;
	return r < 0 ? unpack_fail(e, -r, "empty directory", d->name) : 0;
}

static int remove_dir(struct unpack *u, struct unpack_dir *root, struct aisbx_error *e)
{
	for (bool last = false; !last;) {
		struct unpack_dir *d = innermost(root), *parent = d->parent;
		int fd, r = remove_files(u, d, e);

		last = d == root;
		if (r < 0)
			return r;
		close_dir(u, d);
		fd = unpack_dir_fd(u, parent, e);
		if (fd < 0)
			return fd;
		if (unlinkat(fd, d->name, AT_REMOVEDIR) < 0)
			return unpack_fail(e, errno, "remove directory", d->name);
		dir_destroy(u, d);
	}
	return 0;
}

int unpack_remove(struct unpack *u, struct unpack_dir *dir, const char *name, bool *ret_was,
		  struct aisbx_error *e)
{
	struct unpack_dir *d = unpack_dir_find(u, dir, name);
	int fd;

	if (ret_was)
		*ret_was = true;
	if (d)
		return remove_dir(u, d, e);
	fd = unpack_dir_fd(u, dir, e);
	if (fd < 0)
		return fd;
	if (unlinkat(fd, name, 0) == 0)
		return 0;
	if (errno != ENOENT)
		return unpack_fail(e, errno, "replace", name);
	if (ret_was)
		*ret_was = false;
	return 0;
}

static int dir_end(struct unpack *u, struct unpack_dir *d, struct aisbx_error *e)
{
	int fd;

	if (!d->acl && !d->mode_later && !d->times_later)
		return 0;
	fd = unpack_dir_fd(u, d, e);
	if (fd < 0)
		return fd;
	if (d->acl && fsetxattr(fd, "system.posix_acl_default", d->acl, d->acl_len, 0) < 0)
		return unpack_fail(e, errno, "set the access list of", d->name);
	if ((d->mode_later && fchmod(fd, d->mode) < 0) || (d->times_later && futimens(fd, d->times) < 0))
		return unpack_fail(e, errno, "set the attributes of", d->name);
	return 0;
}

int unpack_dirs_end(struct unpack *u, struct aisbx_error *e)
{
	struct unpack_dir *d = u->top;

	while (d) { /* those inside first: afterwards we might be locked out */
		struct unpack_dir *parent;
		int r;

		d = innermost(d);
		parent = d->parent;
		r = dir_end(u, d, e);
		if (r < 0)
			return r;
		if (!parent)
			return 0;
		dir_destroy(u, d);
		d = parent;
	}
	return 0;
}
