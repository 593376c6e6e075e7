/* SPDX-License-Identifier: Apache-2.0 */
/* Names that say what a layer deletes, and what overlayfs has for it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/unpack.h"

#define PREFIX      ".wh."
#define META_PREFIX ".wh..wh."
#define OPAQUE      ".wh..wh..opq"

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

enum whiteout whiteout_of(const char *path, const char **ret_name)
{
	const char *name = path;

	for (const char *slash; (slash = strchr(name, '/')); name = slash + 1)
		if (begins(name, PREFIX))
			return begins(name, META_PREFIX) ? WHITEOUT_IGNORED : WHITEOUT_INVALID;
	if (!begins(name, PREFIX))
		return WHITEOUT_NONE;
	if (!strcmp(name, OPAQUE))
		return WHITEOUT_OPAQUE;
	if (begins(name, META_PREFIX))
		return WHITEOUT_IGNORED;
	*ret_name = name + strlen(PREFIX);
	if (!**ret_name || !strcmp(*ret_name, ".") || !strcmp(*ret_name, ".."))
		return WHITEOUT_INVALID;
	return WHITEOUT_NAME;
}

/* What this layer has itself stays: a whiteout is about those below. */
static int delete_below(struct unpack *u, struct unpack_dir *dir, const char *name, struct aisbx_error *e)
{
	struct unpack_dir *d = unpack_dir_find(u, dir, name);
	int fd;

	if (d)
		return unpack_dir_hide(u, d, e);
	if (u->n_below == 0)
		return 0;
	fd = unpack_dir_fd(u, dir, e);
	if (fd < 0)
		return fd;
	if (mknodat(fd, name, S_IFCHR, makedev(0, 0)) < 0 && errno != EEXIST)
		return unpack_fail(e, errno, "mark as deleted", name);
	return 0;
}

/* overlayfs does not ask whether the top of a layer is opaque: each name below is deleted. */
static int hide_top(struct unpack *u, struct aisbx_error *e)
{
	for (size_t i = 0; i < u->n_below; i++) {
		int r = 0;
		scoped(drop_dir) DIR *d =
			dir_take(openat(u->below[i], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);
		const struct dirent *entry;

		while (d && r == 0 && (entry = dir_next(d, &r)))
			if (delete_below(u, u->top, entry->d_name, e) < 0)
				return e->code;
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "read a layer below");
	}
	return 0;
}

int unpack_whiteout(struct unpack *u, const char *path, enum whiteout kind, const char *name,
		    struct aisbx_error *e)
{
	struct unpack_dir *dir;
	const char *last;

	if (kind == WHITEOUT_IGNORED) {
		u->told.ignored++;
		return 0;
	}
	if (kind == WHITEOUT_INVALID)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EINVAL,
				    "the layer deletes a name that cannot be: '%.200s'", path);
	if (unpack_parent(u, path, false, &dir, &last, e) < 0)
		return e->code;
	if (!dir) /* there is nothing to delete */
		return 0;
	if (kind == WHITEOUT_NAME)
		return delete_below(u, dir, name, e);
	return dir == u->top ? hide_top(u, e) : unpack_dir_hide(u, dir, e);
}
