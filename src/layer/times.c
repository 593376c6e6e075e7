/* SPDX-License-Identifier: Apache-2.0 */
/* Times of directories, as items at the end of a journal: last, when everything in them is done. */
#include "layer/times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scope.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of PATH; "." is the tree itself. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

static int add_one(struct journal *j, const char *path)
{
	const struct journal_item item = { .op = JOURNAL_TIMES, .note = JOURNAL_KEEP_BASE };
	struct stat st;
	int r = tree_root_stat(&j->tree, path, &st);

	if (r <= 0 || !S_ISDIR(st.st_mode))
		return r;
	path = pool_add(&j->own, path);
	return path ? journal_add(j, &item, path, &st, NULL) : -ENOMEM;
}

int times_add(struct journal *j)
{
	scoped(strlist_finish) struct strlist dirs = { 0 };
	int r = 0;

	for (size_t i = 0; i < j->n; i++) {
		scoped(drop_mem) char *dir = NULL;

		if (j->items[i].op != MERGE_CREATE && j->items[i].op != MERGE_REPLACE &&
		    j->items[i].op != MERGE_DELETE)
			continue;
		dir = parent_of(j->paths[i]);
		if (!dir)
			return -ENOMEM;
		if (!dirs.n || strcmp(dirs.items[dirs.n - 1], dir) != 0) /* siblings mostly come together */
			strlist_add(&dirs, dir);
	}
	if (dirs.failed)
		return -ENOMEM;
	if (dirs.n)
		qsort(dirs.items, dirs.n, sizeof(*dirs.items), by_name);
	for (size_t i = 0; r >= 0 && i < dirs.n; i++)
		if (i == 0 || strcmp(dirs.items[i - 1], dirs.items[i]) != 0)
			r = add_one(j, dirs.items[i]);
	return r < 0 ? r : 0;
}

bool times_is_kept(const struct journal_file *f, const struct stat *st)
{
	return f->ino == st->st_ino && f->mtime_s == st->st_mtim.tv_sec && f->mtime_ns == st->st_mtim.tv_nsec;
}

int times_back(struct journal *j, size_t i, bool changed)
{
	const struct journal_file *old = &j->items[i].old;
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  { .tv_sec = old->mtime_s,
					    .tv_nsec = changed ? UTIME_NOW : old->mtime_ns } };
	const char *name;
	struct stat st;
	int at = tree_root_parent(&j->tree, j->paths[i], &name), r = 0;

	if (at < 0)
		r = at;
	else if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	else if (st.st_dev == old->dev && st.st_ino == old->ino && times_is_kept(old, &st) == changed &&
		 utimensat(at, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	switch (-r) {
	case EPERM: /* somebody else's, in which we may write */
	case EACCES:
	case EROFS:
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case EXDEV:
		return 0;
	default:
		return r;
	}
}

void times_put(int root, const struct timespec *mtime)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, *mtime };

	utimensat(root, ".", times,
		  AT_SYMLINK_NOFOLLOW); /* somebody else's directory keeps the time it has */
}
