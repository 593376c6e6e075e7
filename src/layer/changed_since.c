/* SPDX-License-Identifier: Apache-2.0 */
/* By ctime, which nobody can set: a walk through the tree, without following links and on one file system. */
#include "layer/changed_since.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"

#define MAX_DEPTH 512 /* of open directories */

struct search {
	struct timespec since;
	dev_t dev;
	struct strlist *found;
};

static bool is_later(const struct search *s, const struct stat *st)
{
	return time_compare(st->st_ctim, s->since) > 0;
}

static int walk(const struct search *s, int fd, const char *rel, int depth);

static int look_at(const struct search *s, int at, const char *name, const char *path, int depth)
{
	struct stat st;
	int fd;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (is_later(s, &st))
		strlist_add(s->found, path);
	if (!S_ISDIR(st.st_mode) || st.st_dev != s->dev)
		return s->found->failed ? -ENOMEM : 0;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES
			       ? 0
			       : -errno; /* a box sees nothing there either */
	return walk(s, fd, path, depth + 1);
}

/* Takes FD. */
static int walk(const struct search *s, int fd, const char *rel, int depth)
{
	scoped(drop_dir) DIR *d = depth < MAX_DEPTH ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!d) {
		close(fd);
		return -ELOOP;
	}
	while (r == 0 && (entry = dir_next(d, &r))) {
		scoped(drop_mem) char *path = path_child(rel, entry->d_name);

		if (!path)
			return -ENOMEM;
		if (strcmp(path, ".aisbx") != 0) /* a promotion's own */
			r = look_at(s, dirfd(d), entry->d_name, path, depth);
	}
	return r;
}

int changed_since_list(const char *root, struct timespec since, struct strlist *ret, struct aisbx_error *e)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;
	struct search s = { .since = since, .found = ret };
	struct stat st;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "open '%s'", root);
	if (fstat(fd, &st) < 0) {
		close(fd);
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "inspect '%s'", root);
	}
	s.dev = st.st_dev;
	r = walk(&s, fd, "", 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "search for changes in '%s'", root) : 0;
}
