/* SPDX-License-Identifier: Apache-2.0 */
/* Lists a directory, and what is below it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "helpers/file/file.h"

/* Names of one directory that are looked at. */
#define MAX_NAMES 200000u

void name_list_finish(struct name_list *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->list[i]);
	free(n->list);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct name_list *to, size_t *cap, const char *name)
{
	if (to->n == *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		char **grown = realloc(to->list, more * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		to->list = grown;
		*cap = more;
	}
	to->list[to->n] = strdup(name);
	return to->list[to->n] ? (to->n++, 0) : -ENOMEM;
}

int name_list_read(int dir, size_t most, struct name_list *ret, bool *ret_more)
{
	scoped(drop_dir) DIR *d = fdopendir(dir);
	const struct dirent *entry;
	size_t cap = 0;
	int r = 0;

	*ret_more = false;
	if (!d) {
		r = err();
		close(dir);
		return r;
	}
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (ret->n == most) {
			*ret_more = true;
			break;
		}
		r = add_name(ret, &cap, entry->d_name);
	}
	if (r == 0 && !entry && errno)
		r = err();
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_name);
	return r;
}

int entry_add(struct buf *b, int dir, const char *name, const char *shown, const struct stat *st)
{
	struct file_entry e = { .type = type_of(st),
				.mode = st->st_mode & 07777,
				.size = (uint64_t)st->st_size,
				.ino = st->st_ino,
				.mtime_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec,
				.name_len = (uint32_t)strlen(shown) };
	char target[4096];
	ssize_t n = S_ISLNK(st->st_mode) ? readlinkat(dir, name, target, sizeof(target)) : 0;

	e.target_len = n > 0 ? (uint32_t)n : 0;
	buf_add(b, &e, sizeof(e));
	buf_add(b, shown, e.name_len);
	buf_add(b, target, e.target_len);
	return b->failed ? -ENOMEM : 0;
}

/* A list that is being made. */
struct lister {
	const struct ask *q;
	struct file_answer *a;
	struct buf *to;
	uint64_t n;
};

static bool is_wanted(const struct lister *l, const char *name, const char *shown)
{
	const char *pattern = l->q->part[FILE_A];

	return !*pattern || fnmatch(pattern, strchr(pattern, '/') ? shown : name, 0) == 0;
}

/*
 * Takes DIR. WHERE: what stands before its names. A directory that cannot be read is listed, and what is in
 * it is not.
 */
static int list(struct lister *l, int dir, const char *where, unsigned int depth)
{
	scoped(name_list_finish) struct name_list names = { 0 };
	scoped(drop_fd) int keep = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	bool more = false;
	int r = name_list_read(dir, MAX_NAMES, &names, &more);

	if (keep < 0 && r == 0)
		return -EMFILE;
	l->a->more |= more;
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *shown = NULL;
		struct stat st;
		int below;

		if (asprintf(&shown, "%s%s%s", where, *where ? "/" : "", names.list[i]) < 0)
			return shown = NULL, -ENOMEM;
		if (fstatat(keep, names.list[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue; /* gone meanwhile */
		if (is_wanted(l, names.list[i], shown)) {
			if (l->n++ == l->q->head.limit) {
				l->a->more = 1;
				return 0;
			}
			r = entry_add(l->to, keep, names.list[i], shown, &st);
		}
		if (r < 0 || !S_ISDIR(st.st_mode) || depth <= 1)
			continue;
		below = openat(keep, names.list[i],
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (below >= 0)
			list(l, below, shown, depth - 1);
		if (l->n > l->q->head.limit)
			return 0;
	}
	return r;
}

int act_list(const struct ask *q, struct file_answer *a, struct buf *ret)
{
	struct lister l = { .q = q, .a = a, .to = ret };
	struct stat st;
	int fd = open(q->part[FILE_PATH], O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return err();
	if (fstat(fd, &st) == 0)
		tell_stat(a, &st);
	return list(&l, fd, "", q->head.depth);
}
