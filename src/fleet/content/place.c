/* SPDX-License-Identifier: Apache-2.0 */
/* The directory beside, what is made in it, and how it gets its name. */
#include "fleet/content/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "sys/sys.h"

#define BENEATH (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
#define TICK_NS 20000000l /* longer than between two times that the kernel gives to files */

static int fail(struct aisbx_error *e, int err, const char *what, const char *path)
{
	return aisbx_fail(e, AISBX_AREA_LAYER, err, "%s '%.300s'", what, *path ? path : ".");
}

int content_open_below(int fd, const char *path, int flags)
{
	return sys_openat2(fd, *path ? path : ".", (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC), 0, BENEATH);
}

static int open_beside(struct content_target *t, struct aisbx_error *e)
{
	t->was_there = mkdirat(t->parent, t->beside, 0700) < 0;
	if (t->was_there && errno != EEXIST)
		return fail(e, errno, "create directory beside", t->path);
	t->fd = openat(t->parent, t->beside, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (t->fd < 0 || fchmod(t->fd, 0700) < 0)
		return fail(e, errno, "open directory beside", t->path);
	return 0;
}

int content_target_open(const char *path, const uint8_t id[CONTENT_ID], struct content_target *ret,
			struct aisbx_error *e)
{
	scoped(content_target_finish) struct content_target t = CONTENT_TARGET_INIT;
	scoped(drop_mem) char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	char *slash, hex[33];
	int r;

	t.path = path_resolve(cwd ? cwd : "/", path);
	slash = t.path ? strrchr(t.path, '/') : NULL;
	if (!slash || !slash[1])
		return fail(e, slash ? EINVAL : ENOMEM, "pull to", path);
	io_hex(id, 16, hex);
	if (asprintf(&t.beside, ".%.100s.pull-%s", slash + 1, hex) < 0)
		return fail(e, ENOMEM, "pull to", path);
	*slash = '\0';
	t.parent = open(*t.path ? t.path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	if (t.parent < 0)
		return fail(e, errno, "open the directory of", t.path);
	if (unlinkat(t.parent, slash + 1, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_LAYER, EEXIST,
				    "'%.300s' exists and is not an empty directory; pull to a new name",
				    t.path);
	r = open_beside(&t, e);
	if (r < 0)
		return r;
	*ret = t;
	t = (struct content_target)CONTENT_TARGET_INIT;
	return 0;
}

void content_target_finish(struct content_target *t)
{
	close_fd(&t->fd);
	close_fd(&t->parent);
	free(t->path);
	free(t->beside);
	t->path = t->beside = NULL;
}

/* The directory in which PATH is; *RET_NAME is in PATH. */
static int open_parent(const struct content_target *t, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char dir[CONTENT_PATH_MOST + 1];

	*ret_name = slash ? slash + 1 : path;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 0, path);
	return content_open_below(t->fd, dir, O_RDONLY | O_DIRECTORY);
}

int content_target_file(const struct content_target *t, const char *path)
{
	int fd = content_open_below(t->fd, path, O_RDWR | O_NONBLOCK);
	scoped(drop_fd) int dir = -1;
	const char *name;

	if (fd != -EACCES && fd != -EPERM)
		return fd;
	dir = open_parent(t, path, &name);
	if (dir < 0)
		return dir;
	if (fchmodat(dir, name, 0600, 0) < 0)
		return -errno;
	return content_open_below(t->fd, path, O_RDWR | O_NONBLOCK);
}

static int make_dir(const struct content_target *t, const char *path)
{
	const char *name;
	scoped(drop_fd) int dir = *path ? open_parent(t, path, &name) : -1;
	struct stat st;

	if (!*path)
		return 0;
	if (dir < 0)
		return dir;
	if (mkdirat(dir, name, 0700) == 0)
		return 0;
	if (errno != EEXIST || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return fchmodat(dir, name, 0700, 0) < 0 ? -errno : 0;
}

static int make_file(const struct content_target *t, const struct content_entry *n)
{
	scoped(drop_fd) int fd =
		sys_openat2(t->fd, n->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600,
			    BENEATH);
	struct stat st;

	if (fd == -EEXIST)
		fd = content_target_file(t, n->path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	return (uint64_t)st.st_size != n->size && ftruncate(fd, (off_t)n->size) < 0 ? -errno : 0;
}

int content_target_make(const struct content_target *t, const struct content_tree *tree,
			struct aisbx_error *e)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct content_entry *n = &tree->entries[i];
		int r = n->type == CONTENT_DIR    ? make_dir(t, n->path)
			: n->type == CONTENT_FILE ? make_file(t, n)
						  : 0;

		if (r < 0)
			return fail(e, -r, "create", n->path);
	}
	return 0;
}

static int stamp_all(const struct content_target *t, const struct content_tree *tree,
		     struct content_stamp *stamps, struct aisbx_error *e)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct content_entry *n = &tree->entries[i];
		scoped(drop_fd) int fd = -1;
		struct stat st;

		if (n->type != CONTENT_FILE)
			continue;
		fd = content_open_below(t->fd, n->path, O_PATH);
		if (fd < 0 || fstat(fd, &st) < 0)
			return fail(e, fd < 0 ? -fd : errno, "look at", n->path);
		content_stamp_of(&st, &stamps[i]);
		stamps[i].is_sure = true;
	}
	return 0;
}

int content_target_name(const struct content_target *t, const struct content_tree *tree,
			struct content_stamp *stamps, struct aisbx_error *e)
{
	const char *name = strrchr(t->path, '/') + 1;
	int r = stamp_all(t, tree, stamps, e);

	if (r < 0)
		return r;
	if (syncfs(t->fd) < 0)
		return fail(e, errno, "write to disk", t->path);
	/* Whoever changes a file from now on gives it another time than the one we have noted. */
	nanosleep(&(struct timespec){ .tv_nsec = TICK_NS }, NULL);
	if (renameat2(t->parent, t->beside, t->parent, name, RENAME_NOREPLACE) < 0)
		return fail(e, errno, "give its name to", t->path);
	return fsync(t->parent) < 0 ? fail(e, errno, "write to disk", t->path) : 0;
}
