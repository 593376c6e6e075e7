/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of a lower layer that has several names and is copied for one of them: overlayfs would take the
 * others for other files. So they become names of the copy.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/unpack.h"
#include "sys/sys.h"

#define RESOLVE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

void unpack_names_finish(struct unpack *u)
{
	for (size_t i = 0; u->names && i < u->n_below; i++) {
		for (size_t k = 0; k < u->names[i].n; k++)
			free(u->names[i].items[k].path);
		free(u->names[i].items);
	}
	free(u->names);
	u->names = NULL;
}

static int add_name(struct unpack_names *names, ino_t ino, const char *dir, const char *name)
{
	struct unpack_name *item;

	if (names->n == names->room) {
		size_t room = names->room ? names->room * 2 : 64;
		struct unpack_name *grown = realloc(names->items, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		names->items = grown;
		names->room = room;
	}
	item = &names->items[names->n];
	item->ino = ino;
	if (asprintf(&item->path, "%s%s%s", dir, *dir ? "/" : "", name) < 0)
		return -ENOMEM;
	names->n++;
	return 0;
}

/* PATH is DIR's; "" is the top. No deeper than a layer can be. */
static int list_names(int dir_fd, const char *path, unsigned int depth, struct unpack_names *ret)
{
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);
	const struct dirent *entry;

	while (d && r == 0 && (entry = dir_next(d, &r))) {
		struct stat st;

		if (fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
		if (S_ISDIR(st.st_mode) && depth < UNPACK_DEPTH_MAX) {
			scoped(drop_mem) char *below = NULL;
			scoped(drop_fd) int fd = sys_openat2(dir_fd, entry->d_name,
							     O_PATH | O_DIRECTORY | O_CLOEXEC, 0, RESOLVE);

			if (fd < 0 || asprintf(&below, "%s%s%s", path, *path ? "/" : "", entry->d_name) < 0)
				return fd < 0 ? fd : -ENOMEM;
			r = list_names(fd, below, depth + 1, ret);
		} else if (!S_ISDIR(st.st_mode) && st.st_nlink > 1) {
			r = add_name(ret, st.st_ino, path, entry->d_name);
		}
	}
	return r;
}

static int by_inode(const void *a, const void *b)
{
	const struct unpack_name *one = a, *two = b;

	return one->ino < two->ino ? -1 : one->ino > two->ino;
}

/* Read once for each layer, so that an archive cannot make it slow. */
static int names_of(struct unpack *u, uint16_t layer, struct unpack_names **ret)
{
	int r = 0;

	if (!u->names)
		u->names = calloc(u->n_below, sizeof(*u->names));
	if (!u->names)
		return -ENOMEM;
	*ret = &u->names[layer];
	if (!(*ret)->known) {
		r = list_names(u->below[layer], "", 0, *ret);
		if ((*ret)->n)
			qsort((*ret)->items, (*ret)->n, sizeof(*(*ret)->items), by_inode);
		(*ret)->known = true;
	}
	return r;
}

/* 1: the layer at TOP has something at PATH, or something above it that hides what is below; 0; negative. */
static int hides(int top, const char *path)
{
	char part[TAR_NAME_MAX + 1];

	for (const char *end = path; end; end = *end ? end : NULL) {
		scoped(drop_fd) int fd = -1;
		struct stat st;
		char c;

		end = strchrnul(end + (*end == '/'), '/');
		memcpy(part, path, (size_t)(end - path));
		part[end - path] = '\0';
		fd = sys_openat2(top, part, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, RESOLVE);
		if (fd == -ENOENT)
			return 0;
		if (fd < 0 || fstat(fd, &st) < 0)
			return fd < 0 ? fd : -errno;
		if (!*end || !S_ISDIR(st.st_mode))
			return 1;
		close_fd(&fd);
		fd = sys_openat2(top, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, RESOLVE);
		if (fd < 0)
			return fd;
		if (fgetxattr(fd, "user.overlay.opaque", &c, 1) == 1 && c == 'y')
			return 1;
	}
	return 0;
}

static int is_hidden(const struct unpack *u, uint16_t layer, const char *path)
{
	int r = hides(u->into, path);

	for (size_t i = layer + 1u; r == 0 && i < u->n_below; i++)
		r = hides(u->below[i], path);
	return r;
}

static int link_name(struct unpack *u, struct unpack_dir *dir, const char *name, const char *path,
		     struct aisbx_error *e)
{
	struct unpack_dir *to;
	const char *last;
	int fd, to_fd;

	if (unpack_parent(u, path, true, &to, &last, e) < 0)
		return e->code;
	fd = unpack_dir_fd(u, dir, e);
	if (fd < 0)
		return fd;
	to_fd = unpack_dir_fd(u, to, e);
	if (to_fd < 0)
		return to_fd;
	return linkat(fd, name, to_fd, last, 0) < 0 ? unpack_fail(e, errno, "link", path) : 0;
}

int unpack_copy_names(struct unpack *u, struct unpack_dir *dir, const char *name,
		      const struct unpack_lower *from, struct aisbx_error *e)
{
	struct unpack_names *names;
	size_t low = 0, high;
	int r = names_of(u, from->layer, &names);

	if (r < 0)
		return unpack_fail(e, -r, "look for other names of", name);
	for (high = names->n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (names->items[middle].ino < from->st.st_ino)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < names->n && names->items[low].ino == from->st.st_ino; low++) {
		const char *path = names->items[low].path;

		r = strlen(path) > TAR_NAME_MAX ? 1 : is_hidden(u, from->layer, path);
		if (r < 0)
			return unpack_fail(e, -r, "look for other names of", name);
		if (r == 0 && link_name(u, dir, name, path, e) < 0)
			return e->code;
	}
	return 0;
}
