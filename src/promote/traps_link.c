/* SPDX-License-Identifier: Apache-2.0 */
/* Follows links, in a box's view and in the target, to find traps under another name. */
#include "promote/traps_link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/path.h"
#include "base/scope.h"

#define MOST_LINKS 40 /* as the kernel has it */

static int read_link(const struct view_entry *seen, char *ret, size_t cap)
{
	ssize_t n = copy_readlink(seen->thing.at, seen->thing.name, ret, cap - 1);

	if (n < 0)
		return (int)n;
	ret[n] = '\0';
	return 0;
}

/* Where TARGET leads from the directory of PATH, and REST from there; below DIR. NULL: elsewhere. */
static char *resolve(const char *dir, const char *path, const char *target, const char *rest)
{
	scoped(drop_mem) char *from = path_join(dir, path);
	scoped(drop_mem) char *whole = path_join(target, rest);
	scoped(drop_mem) char *end = NULL;
	const char *below;

	if (!from || !whole)
		return NULL;
	*strrchr(from, '/') = '\0';
	end = path_resolve(*from ? from : "/", whole);
	below = end ? path_below(end, dir) : NULL;
	return below ? strdup(below) : NULL;
}

/* The first link on the way along AT in the box: its TARGET is read, and AT cut there. RET: what came behind
 * it; NULL: there is none. */
static int next_link(struct open_view *open_view, char *at, char *target, size_t cap, char **ret)
{
	*ret = NULL;
	for (char *slash = at; slash;) {
		struct view_entry seen;
		int r;

		slash = strchr(slash == at ? slash : slash + 1, '/');
		if (slash)
			*slash = '\0';
		r = *at ? view_find(open_view, at, &seen) : 0;
		if (*at && r == 0 && seen.thing.exists && S_ISLNK(seen.thing.st.st_mode)) {
			*ret = slash ? slash + 1 : at + strlen(at);
			return read_link(&seen, target, cap);
		}
		if (slash)
			*slash = '/';
		if (r == -ENOENT || r == -ENOTDIR || r == -ENAMETOOLONG) /* too long a name is nobody's */
			return 0;
		if (r < 0 || !*at || !seen.thing.exists)
			return r;
	}
	return 0;
}

int box_trap_of_link(const struct box_traps_look *look, const char *path, const struct view_entry *seen,
		     const struct trap **ret)
{
	scoped(drop_mem) char *at = strdup(path);
	char target[PATH_MAX], *rest = at ? at + strlen(at) : NULL;
	int r = at ? read_link(seen, target, sizeof(target)) : -ENOMEM;

	*ret = NULL;
	for (int i = 0; r == 0 && rest && i < MOST_LINKS; i++) {
		char *next = resolve(look->dir, at, target, rest);

		*ret = trap_of_link(look->dir, at, target);
		if (!*ret && next && (trap_of_name(next) || trap_in_git(next)))
			*ret = &trap_by_link;
		free(at);
		at = next;
		if (*ret)
			return 0;
		rest = NULL;
		r = at ? next_link(look->box, at, target, sizeof(target), &rest) : -ENOMEM;
	}
	if (r == 0 && rest) /* round and round, or as good as that */
		*ret = &trap_by_link;
	return r;
}

void box_aliases_finish(struct box_aliases *a)
{
	strlist_finish(&a->places);
	free(a->last);
}

/* Where the link NAME below DIR leads to something else in DIR. */
static void add_alias(struct box_aliases *a, const char *dir, const char *name)
{
	scoped(drop_mem) char *link = path_join(dir, name);
	/* of a link that leads nowhere there is nothing to change */
	scoped(drop_mem) char *end = link ? realpath(link, NULL) : NULL;

	if (end && path_is_within(end, dir) && strcmp(end, link) != 0)
		strlist_add(&a->places, end);
}

/* REL: a directory below DIR that may not be there. */
static int look_through(struct box_aliases *a, const char *dir, const char *rel)
{
	scoped(drop_mem) char *full = path_join(dir, rel);
	int r = 0, fd = full ? open(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -ENOMEM;
	scoped(drop_dir) DIR *d = dir_take(fd, &r);
	struct dirent *entry;

	if (!d)
		return full ? 0 : -ENOMEM;
	while (r == 0 && (entry = dir_next(d, &r))) {
		scoped(drop_mem) char *name = NULL;

		if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
			continue;
		name = path_child(rel, entry->d_name);
		if (!name)
			return -ENOMEM;
		if (trap_of_name(name))
			add_alias(a, dir, name);
	}
	return a->places.failed ? -ENOMEM : r;
}

/* DIR, of N bytes, is PATH or above it; both are relative. */
static bool is_above(const char *dir, size_t n, const char *path)
{
	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

int box_aliases_find(struct box_aliases *a, const char *dir, const char *path, const struct trap **ret)
{
	scoped(drop_mem) char *full = path_join(dir, path);
	scoped(drop_mem) char *parts = strdup(path);
	size_t known = 0;
	int r = full && parts ? 0 : -ENOMEM;

	*ret = NULL;
	if (r == 0 && !a->last)
		r = look_through(a, dir, "");
	if (r < 0)
		return r;
	for (char *slash = strchr(parts, '/'); slash && r == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		known = strlen(parts);
		/* Steps come in the order of their paths, so what is above the last one is above most of the
		 * next. */
		if (!a->last || !is_above(parts, known, a->last))
			r = look_through(a, dir, parts);
		*slash = '/';
	}
	parts[known] = '\0';
	free(a->last);
	a->last = take_mem(&parts);
	for (size_t i = 0; r == 0 && i < a->places.n && !*ret; i++)
		if (path_is_within(full, a->places.items[i]))
			*ret = &trap_by_link;
	return r;
}
