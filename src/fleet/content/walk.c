/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a directory, in the order of trees. What vanishes meanwhile is as if it had vanished before. No
 * link is followed. Layers over it hide what they delete or replace, as in overlayfs.
 */
#include "fleet/content/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/content/walk_attr.h"

#define OPAQUE "user.overlay.opaque"

/* One directory: as each layer has it, newest first, and then as the directory below them has it. */
struct pile {
	int fds[CONTENT_OVER_MOST + 1]; /* owned */
	size_t n;
	size_t n_layers; /* so many of them are of layers */
};

static void pile_finish(struct pile *p)
{
	while (p->n)
		close(p->fds[--p->n]);
}

struct name {
	uint64_t dev, ino;
	uint32_t entry;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->dev != y->dev ? (x->dev < y->dev ? -1 : 1) : (x->ino > y->ino) - (x->ino < y->ino);
}

static int fail(struct aisbx_error *e, int err, const char *what, const char *path)
{
	return aisbx_fail(e, AISBX_AREA_LAYER, err, "%s '%.300s'", what, *path ? path : ".");
}

void content_walk_finish(struct content_walk *w)
{
	tdestroy(w->names, free);
	content_tree_finish(&w->tree);
	free(w->stamps);
	*w = (struct content_walk){ 0 };
}

static struct content_entry *add(struct content_walk *w, const char *path, const struct stat *st,
				 struct aisbx_error *e)
{
	struct content_entry *n;

	if (w->tree.n == CONTENT_ENTRY_MOST) {
		aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
			     "there are more than %u files and directories; so many do not travel",
			     CONTENT_ENTRY_MOST);
		return NULL;
	}
	if (w->tree.n == w->stamps_room) {
		size_t room = w->stamps_room ? 2 * w->stamps_room : 64;
		struct content_stamp *stamps = reallocarray(w->stamps, room, sizeof(*stamps));

		if (stamps) {
			w->stamps = stamps;
			w->stamps_room = room;
		}
	}
	n = w->tree.n < w->stamps_room ? content_tree_add(&w->tree) : NULL;
	if (n)
		n->path = strdup(path);
	if (!n || !n->path) {
		fail(e, ENOMEM, "read", path);
		return NULL;
	}
	n->mode = st->st_mode & 07777;
	n->uid = st->st_uid;
	n->gid = st->st_gid;
	n->seconds = st->st_mtim.tv_sec;
	n->nanoseconds = (uint32_t)st->st_mtim.tv_nsec;
	content_stamp_of(st, &w->stamps[w->tree.n - 1]);
	return n;
}

/* 1: N is another name of a file that is in the tree already. */
static int note_name(struct content_walk *w, struct content_entry *n, const struct stat *st,
		     struct aisbx_error *e)
{
	struct name *mine = malloc(sizeof(*mine));
	void *at;

	if (!mine)
		return fail(e, ENOMEM, "read", n->path);
	*mine = (struct name){ .dev = st->st_dev, .ino = st->st_ino, .entry = (uint32_t)w->tree.n - 1 };
	at = tsearch(mine, &w->names, compare_names);
	if (at && *(struct name **)at == mine)
		return 0;
	if (at) {
		n->type = CONTENT_NAME;
		n->same = (*(struct name **)at)->entry;
	}
	free(mine);
	return at ? 1 : fail(e, ENOMEM, "read", n->path);
}

/* The marks of overlayfs are of the layers, not of what they show. */
static void drop_marks(struct content_entry *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->n_xattrs; i++) {
		if (strncmp(n->xattrs[i].name, "user.overlay.", 13) != 0) {
			n->xattrs[kept++] = n->xattrs[i];
			continue;
		}
		free(n->xattrs[i].name);
		free(n->xattrs[i].value);
	}
	n->n_xattrs = kept;
}

static int read_xattrs(struct content_walk *w, int dir, const char *name, struct content_entry *n,
		       struct aisbx_error *e)
{
	int r = content_walk_xattrs(dir, name, n, &w->left_out, e);

	if (w->n_over)
		drop_marks(n);
	return r;
}

static int walk_file(struct content_walk *w, int dir, const char *name, struct content_entry *n,
		     const struct stat *st, struct aisbx_error *e)
{
	struct content_stamp *stamp = &w->stamps[w->tree.n - 1];
	scoped(drop_fd) int fd = -1;
	int r = st->st_nlink > 1 ? note_name(w, n, st, e) : 0;

	if (r)
		return r < 0 ? r : 0;
	r = read_xattrs(w, dir, name, n, e);
	if (r < 0)
		return r;
	n->type = CONTENT_FILE;
	if (w->skip(w->ctx, n, stamp) == 1)
		return 0;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail(e, errno, "open", n->path);
	return w->file(w->ctx, fd, n, stamp, e);
}

static int walk_link(int dir, const char *name, struct content_entry *n, struct aisbx_error *e)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dir, name, target, sizeof(target) - 1);

	if (len < 0)
		return fail(e, errno, "read the link", n->path);
	n->type = CONTENT_LINK;
	n->target = strndup(target, (size_t)len);
	return n->target ? 0 : fail(e, ENOMEM, "read the link", n->path);
}

static bool is_opaque(int fd)
{
	char value;

	return fgetxattr(fd, OPAQUE, &value, 1) == 1 && value == 'y';
}

/* The directory NAME of P, from the I-th on, as far as it shows through. */
static int open_below(const struct pile *p, size_t i, const char *name, struct pile *ret)
{
	for (; i < p->n; i++) {
		int fd = openat(p->fds[i], name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0 && ret->n && (errno == ENOTDIR || errno == ELOOP)) /* hidden */
			return 0;
		if (fd < 0)
			return -errno;
		ret->fds[ret->n++] = fd;
		ret->n_layers += i < p->n_layers;
		if (i < p->n_layers && is_opaque(fd))
			return 0;
	}
	return 0;
}

static int walk_names(struct content_walk *w, const struct pile *p, const char *path, unsigned int depth,
		      struct aisbx_error *e);

static int walk_below(struct content_walk *w, const struct pile *p, size_t i, const char *name,
		      const char *path, unsigned int depth, struct aisbx_error *e)
{
	scoped(pile_finish) struct pile below = { 0 };
	int r = open_below(p, i, name, &below);

	return r < 0 ? fail(e, -r, "open directory", path) : walk_names(w, &below, path, depth, e);
}

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

static bool travels(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode) ||
	       S_ISFIFO(st->st_mode) || is_whiteout(st);
}

static bool stays(const struct content_walk *w, const char *path)
{
	size_t i = 0;

	while (i < w->n_without && strcmp(w->without[i], path) != 0)
		i++;
	return i < w->n_without;
}

/* Which of P has NAME; as many as P has: none. */
static int find(const struct pile *p, const char *name, size_t *ret, struct stat *ret_st)
{
	size_t i = 0;

	while (i < p->n && fstatat(p->fds[i], name, ret_st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return -errno;
		i++;
	}
	*ret = i < p->n_layers && is_whiteout(ret_st) ? p->n : i;
	return 0;
}

static int walk_one(struct content_walk *w, const struct pile *p, const char *name, const char *path,
		    unsigned int depth, struct aisbx_error *e)
{
	struct content_entry *n;
	struct stat st;
	size_t i = 0;
	int dir, r = find(p, name, &i, &st);

	if (r < 0 || i == p->n)
		return r < 0 ? fail(e, -r, "look at", path) : 0;
	dir = p->fds[i];
	if (stays(w, path)) {
		w->kept++;
		return 0;
	}
	if (!travels(&st)) {
		w->left_out++;
		return 0;
	}
	if (strlen(path) > CONTENT_PATH_MOST || depth > CONTENT_DEPTH_MOST)
		return fail(e, ENAMETOOLONG, "read", path_tail(path, PATH_TOLD));
	n = add(w, path, &st, e);
	if (!n)
		return e->code;
	if (S_ISREG(st.st_mode)) {
		r = walk_file(w, dir, name, n, &st, e);
		w->tree.bytes += r == 0 ? w->tree.entries[w->tree.n - 1].size : 0;
		return r;
	}
	if (S_ISLNK(st.st_mode))
		return walk_link(dir, name, n, e);
	if (!S_ISDIR(st.st_mode)) {
		n->type = S_ISFIFO(st.st_mode) ? CONTENT_FIFO : CONTENT_WHITEOUT;
		return 0;
	}
	n->type = CONTENT_DIR;
	r = read_xattrs(w, dir, name, n, e);
	return r < 0 ? r : walk_below(w, p, i, name, path, depth, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int add_names(int dir, struct strlist *ret)
{
	struct dirent **entries = NULL;
	int n = scandirat(dir, ".", &entries, is_entry, NULL);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		strlist_add(ret, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return ret->failed ? -ENOMEM : 0;
}

static int walk_names(struct content_walk *w, const struct pile *p, const char *path, unsigned int depth,
		      struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n; i++)
		r = add_names(p->fds[i], &names);
	if (r < 0)
		return fail(e, -r, "read directory", path);
	if (names.n)
		qsort(names.items, names.n, sizeof(*names.items), by_name);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = NULL;

		if (i && !strcmp(names.items[i], names.items[i - 1]))
			continue;
		child = path_child(path, names.items[i]);
		r = child ? walk_one(w, p, names.items[i], child, depth + 1, e)
			  : fail(e, ENOMEM, "read directory", path);
	}
	return r;
}

/* The directory PATH and what lies over it. */
static int open_top(const struct content_walk *w, const char *path, struct pile *ret, struct aisbx_error *e)
{
	for (size_t i = w->n_over + 1; i-- > 0;) {
		const char *dir = i ? w->over[i - 1] : path;
		int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return fail(e, errno, "open directory", dir);
		ret->fds[ret->n++] = fd;
		ret->n_layers += i > 0;
		if (i && is_opaque(fd))
			break;
	}
	return 0;
}

int content_walk_dir(struct content_walk *w, const char *path, struct aisbx_error *e)
{
	scoped(pile_finish) struct pile top = { 0 };
	struct content_entry *n;
	struct stat st;
	int r = open_top(w, path, &top, e);

	if (r < 0)
		return r;
	if (fstat(top.fds[0], &st) < 0)
		return fail(e, errno, "open directory", path);
	n = add(w, "", &st, e);
	if (!n)
		return e->code;
	n->type = CONTENT_DIR;
	r = read_xattrs(w, top.fds[0], ".", n, e);
	return r < 0 ? r : walk_names(w, &top, "", 0, e);
}
