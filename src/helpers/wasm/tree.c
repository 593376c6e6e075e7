/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By openat2, which resolves a path below a directory in one call. In a box that may write files of the host
 * there is no openat2 (the mode of a new file lies in memory then, out of a filter's sight): there, name by
 * name.
 */
#include "helpers/wasm/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

#define MAX_DEPTH 128
#define MAX_LINKS 40

/* A walk: the directories from the root to where it is, and what is left of the path. */
struct walk {
	int root;            /* borrowed */
	int dirs[MAX_DEPTH]; /* owned */
	size_t depth;
	char rest[2 * PATH_MAX];
	int links;
};

static void walk_finish(struct walk *w)
{
	while (w->depth)
		close(w->dirs[--w->depth]);
}

static int here(const struct walk *w)
{
	return w->depth ? w->dirs[w->depth - 1] : w->root;
}

/* The next name of the rest, which loses it; false: there is none. */
static bool take_name(struct walk *w, char name[NAME_MAX + 1], bool *ret_last)
{
	char *at = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(at, "/");

	if (!n || n > NAME_MAX)
		return false;
	memcpy(name, at, n);
	name[n] = '\0';
	at += n;
	*ret_last = !at[strspn(at, "/")];
	memmove(w->rest, at, strlen(at) + 1);
	return true;
}

/* What the link leads to comes before the rest; a '/' at the end stays one, and nothing else becomes one. */
static int follow(struct walk *w, const char *target)
{
	char joined[2 * PATH_MAX];
	int n = snprintf(joined, sizeof(joined), "%s%s", target, w->rest);

	if (++w->links > MAX_LINKS)
		return -ELOOP;
	if (n < 0 || (size_t)n >= sizeof(joined))
		return -ENAMETOOLONG;
	memcpy(w->rest, joined, (size_t)n + 1);
	if (target[0] == '/')
		walk_finish(w);
	return 0;
}

static int enter(struct walk *w, const char *name)
{
	int fd;

	if (!strcmp(name, ".."))
		return w->depth ? close(w->dirs[--w->depth]), 0 : 0;
	if (w->depth == MAX_DEPTH)
		return -ENAMETOOLONG;
	fd = openat(here(w), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	w->dirs[w->depth++] = fd;
	return 0;
}

static int step_through(struct walk *w, int flags, mode_t mode)
{
	const bool creates = flags & O_CREAT, never = flags & O_NOFOLLOW || (creates && flags & O_EXCL);
	char name[NAME_MAX + 1], target[PATH_MAX];
	bool last = false;

	while (take_name(w, name, &last)) {
		const bool is_dir = *w->rest == '/'; /* "name/" is a directory, or a link to one */
		ssize_t n;
		int r;

		if (!strcmp(name, "."))
			continue;
		if (last && is_dir && creates)
			return -EISDIR;
		n = !strcmp(name, "..") || (last && !is_dir && never)
			    ? -1
			    : readlinkat(here(w), name, target, sizeof(target) - 1);
		if (n >= 0) {
			target[n] = '\0';
			r = follow(w, target);
		} else if (last && strcmp(name, "..") != 0) {
			/* Not a link a moment ago; if it is one now, it is not followed. */
			r = openat(here(w), name, flags | O_NOFOLLOW | O_CLOEXEC | (is_dir ? O_DIRECTORY : 0),
				   mode);
			return r < 0 ? -errno : r;
		} else {
			r = enter(w, name);
		}
		if (r < 0)
			return r;
	}
	if (w->rest[strspn(w->rest, "/")])
		return -ENAMETOOLONG;
	/* The tree itself, or a directory that ".." led to. */
	return w->depth || w->root >= 0 ? openat(here(w), ".", flags & ~O_CREAT, 0) : -EBADF;
}

int tree_open(int root, const char *path, int flags, mode_t mode)
{
	scoped(walk_finish) struct walk w = { .root = root };
	int r = sys_openat2(root, path, (uint64_t)flags, mode, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);

	if (r != -ENOSYS && r != -EPERM)
		return r;
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(w.rest, path, strlen(path) + 1);
	r = step_through(&w, flags, mode);
	return r == -1 ? -errno : r;
}
