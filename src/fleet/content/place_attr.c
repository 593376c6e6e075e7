/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a pull: what has no content, and the attributes of all. Without "exact", what is pulled belongs
 * to who pulls it: no owner, no set-user-id bit, nothing that grants rights comes from elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/place.h"

static int fail(struct aisbx_error *e, int err, const char *what, const char *path)
{
	return aisbx_fail(e, AISBX_AREA_LAYER, err, "%s '%.300s'", what, *path ? path : ".");
}

static mode_t mode_for(const struct content_target *t, const struct content_entry *n)
{
	return (mode_t)n->mode & (t->is_exact ? 07777 : 01777);
}

static void times_of(const struct content_entry *n, struct timespec ret[2])
{
	ret[0] = (struct timespec){ .tv_nsec = UTIME_OMIT };
	ret[1] = (struct timespec){ .tv_sec = n->seconds, .tv_nsec = n->nanoseconds };
}

static int set_xattrs(struct content_target *t, int fd, const struct content_entry *n)
{
	for (size_t i = 0; i < n->n_xattrs; i++) {
		const struct content_xattr *x = &n->xattrs[i];

		if (!t->is_exact && content_xattr_is_strong(x->name)) {
			t->left_out++;
		} else if (fsetxattr(fd, x->name, x->value, x->len, 0) < 0) {
			if (errno != EOPNOTSUPP && errno != EPERM)
				return -errno;
			t->left_out++;
		}
	}
	return 0;
}

/* Of a file or directory. */
static int set_open(struct content_target *t, const struct content_entry *n)
{
	scoped(drop_fd) int fd = n->type == CONTENT_DIR
					 ? content_open_below(t->fd, n->path, O_RDONLY | O_DIRECTORY)
					 : content_target_file(t, n->path);
	struct timespec times[2];
	int r;

	if (fd < 0)
		return fd;
	if (t->is_exact && fchown(fd, n->uid, n->gid) < 0)
		return -errno;
	r = set_xattrs(t, fd, n);
	times_of(n, times);
	if (r == 0 && (fchmod(fd, mode_for(t, n)) < 0 || futimens(fd, times) < 0))
		r = -errno;
	return r;
}

static int make_other(const struct content_target *t, const struct content_tree *tree,
		      const struct content_entry *n, int dir, const char *name)
{
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT) /* of an earlier pull */
		return -errno;
	if (n->type == CONTENT_LINK)
		return symlinkat(n->target, dir, name) < 0 ? -errno : 0;
	if (n->type == CONTENT_NAME) {
		scoped(drop_fd) int fd = content_open_below(t->fd, tree->entries[n->same].path, O_PATH);
		char path[64];

		if (fd < 0)
			return fd;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
	}
	return mknodat(dir, name, n->type == CONTENT_FIFO ? S_IFIFO | 0600 : S_IFCHR, 0) < 0 ? -errno : 0;
}

static int set_other(const struct content_target *t, const struct content_tree *tree,
		     const struct content_entry *n)
{
	const char *slash = strrchr(n->path, '/'), *name = slash ? slash + 1 : n->path;
	char path[CONTENT_PATH_MOST + 1];
	struct timespec times[2];
	scoped(drop_fd) int dir = -1;
	int r;

	snprintf(path, sizeof(path), "%.*s", slash ? (int)(slash - n->path) : 0, n->path);
	dir = content_open_below(t->fd, path, O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		return dir;
	r = make_other(t, tree, n, dir, name);
	if (r < 0 || n->type == CONTENT_NAME)
		return r;
	if (t->is_exact && fchownat(dir, name, n->uid, n->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (n->type != CONTENT_LINK && fchmodat(dir, name, mode_for(t, n), 0) < 0)
		return -errno;
	times_of(n, times);
	return utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

int content_target_end(struct content_target *t, const struct content_tree *tree, struct aisbx_error *e)
{
	int r = 0;
	size_t i;

	for (i = 0; r == 0 && i < tree->n; i++) {
		const struct content_entry *n = &tree->entries[i];

		if (n->type != CONTENT_DIR && n->type != CONTENT_FILE)
			r = set_other(t, tree, n);
		if (r < 0)
			return fail(e, -r, "create", n->path);
	}
	for (i = tree->n; r == 0 && i-- > 0;) { /* directories after what is in them: it could lock us out */
		struct content_entry *n = &tree->entries[i];

		if (n->type == CONTENT_DIR || n->type == CONTENT_FILE)
			r = set_open(t, n);
		if (r < 0)
			return fail(e, -r, "set the attributes of", n->path);
	}
	return 0;
}
