/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a name of an archive leads: over this layer and those below it, with links followed as if the top
 * were "/". Directories on the way that this layer does not have yet are made.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/unpack.h"

int unpack_clean(const char *path, char ret[TAR_NAME_MAX + 1], struct aisbx_error *e)
{
	size_t depth = 0, len = 0;

	for (const char *at = path; *at;) {
		size_t n = strcspn(at, "/");

		if (n == 2 && !memcmp(at, "..", 2))
			return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
					    "the layer has an entry that leads out of it: '%.200s'", path);
		if (n > NAME_MAX || len + n + 1 > TAR_NAME_MAX || depth > UNPACK_DEPTH_MAX)
			return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, ENAMETOOLONG,
					    "the layer has an entry whose name is too long: '%.200s...'",
					    path);
		if (n && !(n == 1 && *at == '.')) {
			if (len)
				ret[len++] = '/';
			memcpy(ret + len, at, n);
			len += n;
			depth++;
		}
		at += n + (at[n] == '/');
	}
	ret[len] = '\0';
	return 0;
}

int unpack_make_dir(struct unpack *u, struct unpack_dir *dir, const char *name, bool hide,
		    struct unpack_dir **ret, struct aisbx_error *e)
{
	static const struct tar_entry plain = { .type = '5', .mode = 0755 };
	struct unpack_dir *d;
	int fd = unpack_dir_fd(u, dir, e);

	if (fd < 0 || unpack_dir_add(u, dir, name, &d, e) < 0)
		return e->code;
	if (mkdirat(fd, name, 0700) < 0)
		return unpack_fail(e, errno, "create directory", name);
	if (unpack_set_dir(u, d, &plain, e) < 0 || (hide && unpack_dir_hide(u, d, e) < 0))
		return e->code;
	d->times_later = false;
	*ret = d;
	return 0;
}

/* What is left of a path to go, with the targets of links put before it. */
struct way {
	char text[2 * TAR_NAME_MAX + 2];
	const char *at;
	unsigned int links;
	bool make; /* what is missing; otherwise the way ends there, with no directory */
};

static int follow(struct unpack *u, struct way *w, struct unpack_dir **dir, int at_fd, const char *name,
		  struct aisbx_error *e)
{
	char target[TAR_NAME_MAX + 1], rest[TAR_NAME_MAX + 1];
	ssize_t n = readlinkat(at_fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return unpack_fail(e, errno, "read link", name);
	target[n] = '\0';
	if (++w->links > UNPACK_LINKS_MAX || strlen(w->at) > TAR_NAME_MAX)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, ELOOP,
				    "the layer has an entry behind too many links: '%.200s'", name);
	strcpy(rest, w->at);
	strcpy(w->text, target);
	strcat(w->text, "/");
	strcat(w->text, rest);
	w->at = w->text;
	if (*target == '/')
		*dir = u->top;
	return 0;
}

static int not_a_dir(struct aisbx_error *e, const char *name)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, ENOTDIR,
			    "the layer has an entry inside '%.200s', which is no directory", name);
}

/* NAME is not in this layer. */
static int step_below(struct unpack *u, struct way *w, struct unpack_dir **dir, const char *name,
		      struct aisbx_error *e)
{
	scoped(unpack_lower_finish) struct unpack_lower lower = { .fd = -1 };
	int r = unpack_lower_find(u, *dir, name, &lower, e);

	if (r < 0)
		return r;
	if (lower.fd < 0 && !w->make) {
		*dir = NULL;
		return 0;
	}
	if (lower.fd < 0)
		return unpack_make_dir(u, *dir, name, false, dir, e);
	if (S_ISDIR(lower.st.st_mode))
		return unpack_copy_dir(u, *dir, name, &lower, dir, e);
	if (S_ISLNK(lower.st.st_mode))
		return follow(u, w, dir, lower.fd, "", e);
	return not_a_dir(e, name);
}

/* From *DIR to NAME in it. */
static int step(struct unpack *u, struct way *w, struct unpack_dir **dir, const char *name,
		struct aisbx_error *e)
{
	struct unpack_dir *d = unpack_dir_find(u, *dir, name);
	struct stat st;
	int fd;

	if (d) {
		*dir = d;
		return 0;
	}
	if (!strncmp(name, ".wh.", 4))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EINVAL,
				    "the layer has an entry inside '%.200s', a name that means a deletion",
				    name);
	fd = unpack_dir_fd(u, *dir, e);
	if (fd < 0)
		return fd;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? step_below(u, w, dir, name, e)
				       : unpack_fail(e, errno, "look at", name);
	if (S_ISLNK(st.st_mode))
		return follow(u, w, dir, fd, name, e);
	if (!S_ISCHR(st.st_mode)) /* a whiteout is the only device there can be */
		return not_a_dir(e, name);
	if (!w->make) {
		*dir = NULL;
		return 0;
	}
	if (unlinkat(fd, name, 0) < 0)
		return unpack_fail(e, errno, "replace", name);
	return unpack_make_dir(u, *dir, name, true, dir, e);
}

int unpack_parent(struct unpack *u, const char *path, bool make, struct unpack_dir **ret,
		  const char **ret_name, struct aisbx_error *e)
{
	const char *slash = strrchr(path, '/');
	struct unpack_dir *dir = u->top;
	struct way w = { .make = make };

	memcpy(w.text, path, slash ? (size_t)(slash - path) : 0);
	w.text[slash ? slash - path : 0] = '\0';
	w.at = w.text;
	while (dir && *w.at) {
		size_t n = strcspn(w.at, "/");
		char name[NAME_MAX + 1];
		int r = 0;

		if (n > NAME_MAX)
			return unpack_fail(e, ENAMETOOLONG, "look at", w.at);
		memcpy(name, w.at, n);
		name[n] = '\0';
		w.at += n + (w.at[n] == '/');
		if (!strcmp(name, ".."))
			dir = dir->parent ? dir->parent : dir;
		else if (n && strcmp(name, ".") != 0)
			r = step(u, &w, &dir, name, e);
		if (r < 0)
			return r;
	}
	*ret = dir;
	*ret_name = slash ? slash + 1 : path;
	return 0;
}
