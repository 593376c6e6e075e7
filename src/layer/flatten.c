/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges layers into one the way overlayfs looks names up: newest first, and a name hides older ones. Needs
 * no more memory or descriptors for deep trees than for flat ones.
 */
#include "layer/flatten.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "layer/base.h"
#include "layer/copy.h"
#include "layer/layer.h"
#include "sys/group.h"
#include "sys/owner.h"
#include "sys/sys.h"

#define OPAQUE "user.overlay.opaque"
/* In the new layer while it is made: one name for each file that has several. */
#define LINKS ".links"
/* Levels whose directories are open at the same time; those above are found again by "..". */
#define MAX_OPEN 32

/* A directory on the way down, in a layer and in the new one. */
struct level {
	struct strlist names; /* 'd' for a directory or 'f', then the name */
	size_t next;
	int src, dst;
	ino_t src_ino, dst_ino;
	struct timespec times[2]; /* of dst, before */
	bool fresh;               /* dst was made by us now */
	bool added;               /* dst got a name more */
};

struct fold {
	struct copy_how how;
	struct level *levels; /* owned */
	size_t depth, cap;
	int links;             /* -1 when files are linked */
	const char *without;   /* NULL, or a tree that is left out */
	char at[NAME_MAX + 1]; /* where it failed, for the error */
};

static int open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool is_opaque(int fd)
{
	char value;

	return fgetxattr(fd, OPAQUE, &value, 1) == 1 && value == 'y';
}

static int set_opaque(int fd)
{
	return fsetxattr(fd, OPAQUE, "y", 1, 0) < 0 ? -errno : 0;
}

static bool is_directory(int fd, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int list_names(int fd, struct strlist *ret)
{
	int r = 0;
	scoped(drop_dir) DIR *dir = dir_take(open_dir(fd, "."), &r);
	struct dirent *entry;

	if (!dir)
		return r;
	while ((entry = dir_next(dir, &r)))
		strlist_addf(ret, "%c%s", is_directory(fd, entry) ? 'd' : 'f', entry->d_name);
	return r < 0 ? r : ret->failed ? -ENOMEM : 0;
}

static void close_level(struct level *l)
{
	close_fd(&l->src);
	close_fd(&l->dst);
}

/* Goes down into SRC and DST, which it takes. */
/*
 * Ids that are neither ours nor of a group of ours can only be subordinate ones: a copy that is ours would
 * not be the same.
 */
static bool loses_owner(const struct fold *f, const struct stat *st)
{
	return !f->how.owners && geteuid() != 0 &&
	       (st->st_uid != geteuid() || (st->st_gid != getegid() && !sys_in_group(st->st_gid)));
}

static int push(struct fold *f, int src, int dst, bool fresh)
{
	struct level l = { .src = src, .dst = dst, .fresh = fresh };
	struct stat from, to;
	int r = fstat(src, &from) < 0 || fstat(dst, &to) < 0 ? -errno : loses_owner(f, &from) ? -EPERM : 0;

	if (r == 0 && f->depth == f->cap) {
		void *grown = realloc(f->levels, (f->cap ? f->cap * 2 : 64) * sizeof(*f->levels));

		if (grown) {
			f->levels = grown;
			f->cap = f->cap ? f->cap * 2 : 64;
		} else {
			r = -ENOMEM;
		}
	}
	if (r == 0)
		r = list_names(src, &l.names);
	if (r < 0) {
		close_level(&l);
		strlist_finish(&l.names);
		return r;
	}
	l.src_ino = from.st_ino;
	l.dst_ino = to.st_ino;
	l.times[0] = to.st_atim;
	l.times[1] = to.st_mtim;
	if (f->depth >= MAX_OPEN)
		close_level(&f->levels[f->depth - MAX_OPEN]);
	f->levels[f->depth++] = l;
	return 0;
}

static int reopen(int below, ino_t ino, int *fd)
{
	struct stat st;

	if (*fd >= 0)
		return 0;
	*fd = open_dir(below, "..");
	if (*fd < 0)
		return *fd;
	return fstat(*fd, &st) < 0 ? -errno : st.st_ino == ino ? 0 : -EBUSY; /* somebody moved it */
}

/* Attributes last: with what came into the directory its times changed, and its mode may forbid it. */
static int finish_level(struct fold *f, struct level *l)
{
	int r = 0;

	if (l->fresh)
		return copy_attrs(l->src, l->dst, &f->how);
	if (is_opaque(l->src))
		r = set_opaque(l->dst);
	if (r == 0 && l->added && futimens(l->dst, l->times) < 0)
		r = -errno;
	return r;
}

static int pop(struct fold *f)
{
	struct level *l = &f->levels[f->depth - 1];
	int r = finish_level(f, l);

	if (r == 0 && f->depth > 1) {
		r = reopen(l->src, l[-1].src_ino, &l[-1].src);
		if (r == 0)
			r = reopen(l->dst, l[-1].dst_ino, &l[-1].dst);
	}
	close_level(l);
	strlist_finish(&l->names);
	f->depth--;
	return r;
}

/* Not among what copy_attrs takes, because it is no business of a real tree; a layer is the box's own. */
static int copy_capability(int from, int to)
{
	char value[64];
	ssize_t n = fgetxattr(from, "security.capability", value, sizeof(value));

	if (n <= 0)
		return 0;
	return fsetxattr(to, "security.capability", value, (size_t)n, 0) < 0 ? -errno : 0;
}

static int copy_file(const struct copy_how *how, int src, int dst, const char *name, const struct stat *st)
{
	scoped(drop_fd) int from =
		openat(src, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	scoped(drop_fd) int to = -1;
	int r;

	if (from < 0)
		return -errno;
	to = openat(dst, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	r = copy_data(from, to, st->st_size);
	if (r == 0)
		r = copy_attrs(from, to, how);
	return r < 0 ? r : copy_capability(from, to);
}

/* Whiteouts, FIFOs, devices. A socket is nothing without the process behind it. */
static int copy_node(const struct copy_how *how, int src, int dst, const char *name, const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };
	bool whiteout = S_ISCHR(st->st_mode) && st->st_rdev == 0;

	if (S_ISSOCK(st->st_mode))
		return 0;
	if (whiteout && linkat(src, name, dst, name, 0) == 0)
		return 0;
	if (mknodat(dst, name, st->st_mode, st->st_rdev) < 0)
		return -errno;
	if (whiteout)
		return 0;
	if (how->owners && fchownat(dst, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (fchmodat(dst, name, st->st_mode & 07777, 0) < 0)
		return -errno;
	return utimensat(dst, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int copy_by_type(const struct copy_how *how, int src, int dst, const char *name, const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return copy_file(how, src, dst, name, st);
	return S_ISLNK(st->st_mode) ? copy_link(src, name, dst, name, how)
				    : copy_node(how, src, dst, name, st);
}

static int copy_entry(const struct fold *f, int src, int dst, const char *name)
{
	char key[48];
	struct stat st;
	bool several;
	int r;

	if (fstatat(src, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	several = f->links >= 0 && st.st_nlink > 1 && !S_ISCHR(st.st_mode);
	snprintf(key, sizeof(key), "%llx", (unsigned long long)st.st_ino);
	if (several && linkat(f->links, key, dst, name, 0) == 0)
		return 0;
	if (several && errno == EEXIST)
		return -EEXIST;
	r = loses_owner(f, &st) ? -EPERM : copy_by_type(&f->how, src, dst, name, &st);
	/* A file with more names than the file system gives one falls into two, which is better than none. */
	if (r == 0 && several && linkat(dst, name, f->links, key, 0) < 0 && errno != EEXIST &&
	    errno != EMLINK && errno != ENOENT)
		r = -errno;
	return r;
}

/* NAME is in the new layer already. A directory there shows nothing of what lies below something that is
 * none. */
static int shade(int dst, const char *name)
{
	scoped(drop_fd) int fd = open_dir(dst, name);

	if (fd < 0)
		return fd == -ENOTDIR || fd == -ELOOP ? 0 : fd;
	return set_opaque(fd);
}

static int put_file(const struct fold *f, struct level *l, const char *name)
{
	int r;

	if (f->links < 0 && linkat(l->src, name, l->dst, name, 0) == 0)
		r = 0;
	else if (f->links < 0 && errno != EMLINK &&
		 errno != EPERM) /* one that has all the names it can, or takes none */
		r = -errno;
	else
		r = copy_entry(f, l->src, l->dst, name);
	l->added |= r == 0;
	return r == -EEXIST ? shade(l->dst, name) : r;
}

static int put_directory(struct fold *f, struct level *l, const char *name)
{
	bool fresh = mkdirat(l->dst, name, 0700) == 0;
	scoped(drop_fd) int src = -1;
	scoped(drop_fd) int dst = -1;

	if (!fresh && errno != EEXIST)
		return -errno;
	l->added |= fresh;
	dst = open_dir(l->dst, name);
	if (dst < 0)
		return dst == -ENOTDIR || dst == -ELOOP ? 0 : dst;
	if (!fresh && is_opaque(dst))
		return 0;
	src = open_dir(l->src, name);
	if (src < 0)
		return src;
	return push(f, take_fd(&src), take_fd(&dst), fresh);
}

/* One layer's SRC into DST; takes both. */
static int fold_tree(struct fold *f, int src, int dst, bool fresh)
{
	int r = push(f, src, dst, fresh);

	while (r == 0 && f->depth) {
		struct level *l = &f->levels[f->depth - 1];

		if (l->next == l->names.n) {
			r = pop(f);
		} else {
			const char *name = l->names.items[l->next++];

			r = *name == 'd' ? put_directory(f, l, name + 1) : put_file(f, l, name + 1);
			if (r < 0)
				snprintf(f->at, sizeof(f->at), "%s", name + 1);
		}
	}
	while (f->depth) {
		struct level *l = &f->levels[--f->depth];

		close_level(l);
		strlist_finish(&l->names);
	}
	return r;
}

static int fold_up(struct fold *f, int src_tree, int dst_tree)
{
	bool fresh = mkdirat(dst_tree, "up", 0700) == 0;
	scoped(drop_fd) int src = -1;
	scoped(drop_fd) int dst = -1;

	if (!fresh && errno != EEXIST)
		return -errno;
	src = open_dir(src_tree, "up");
	if (src == -ENOENT) /* a box that was killed before its first run */
		return fresh && unlinkat(dst_tree, "up", AT_REMOVEDIR) < 0 ? -errno : 0;
	dst = open_dir(dst_tree, "up");
	if (src < 0 || dst < 0)
		return src < 0 ? src : dst;
	return fold_tree(f, take_fd(&src), take_fd(&dst), fresh);
}

/* Calls ACT with each tree of layer ID and the same one of the new layer. */
static int each_tree(struct fold *f, int layers, const char *id, int new,
		     int (*act)(struct fold *f, int src_tree, int dst_tree))
{
	scoped(strlist_finish) struct strlist trees = { 0 };
	scoped(drop_fd) int layer = open_dir(layers, id);
	int r = layer < 0 ? layer : list_names(layer, &trees);

	for (size_t i = 0; r == 0 && i < trees.n; i++) {
		const char *name = trees.items[i] + 1;
		scoped(drop_fd) int src = -1;
		scoped(drop_fd) int dst = -1;

		if (trees.items[i][0] != 'd' || *name == '.' || (f->without && !strcmp(name, f->without)))
			continue;
		if (mkdirat(new, name, 0711) < 0 && errno != EEXIST)
			return -errno;
		src = open_dir(layer, name);
		dst = open_dir(new, name);
		r = src < 0 ? src : dst < 0 ? dst : act(f, src, dst);
	}
	return r;
}

static int add_bases(struct fold *f, int src_tree, int dst_tree)
{
	(void)f;
	return base_take(src_tree, dst_tree);
}

static int drop_links(int new, int links)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = list_names(links, &names);

	for (size_t i = 0; r == 0 && i < names.n; i++)
		if (unlinkat(links, names.items[i] + 1, 0) < 0)
			r = -errno;
	return r < 0 ? r : unlinkat(new, LINKS, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* Everything a flattening is told. */
struct order {
	const char *dir, *new_id;
	const char *const *ids;
	size_t n;
	bool link;
	const char *without; /* as in struct fold */
	bool owners;         /* keep whatever owners there are */
};

static int flatten(const struct order *o, struct aisbx_error *e)
{
	struct fold f = { .how = { .owners = o->owners || (geteuid() == 0 && sys_in_first_userns()),
				   .overlay = true },
			  .links = -1,
			  .without = o->without };
	scoped(drop_fd) int layers = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_fd) int new = layers < 0 ? -1 : open_dir(layers, o->new_id);
	scoped(drop_fd) int links = -1;
	int r = layers < 0 ? -errno : new < 0 ? new : 0;

	if (r == 0 && !o->link) {
		r = mkdirat(new, LINKS, 0700) < 0 ? -errno : 0;
		if (r == 0)
			r = links = open_dir(new, LINKS);
		f.links = links;
	}
	for (size_t i = o->n; r >= 0 && i > 0; i--)
		r = each_tree(&f, layers, o->ids[i - 1], new, fold_up);
	for (size_t i = 0; r >= 0 && i < o->n; i++)
		r = each_tree(&f, layers, o->ids[i], new, add_bases);
	if (r >= 0 && !o->link)
		r = drop_links(new, links);
	free(f.levels);
	if (r >= 0)
		return 0;
	return aisbx_fail(e, AISBX_AREA_LAYER, -r, "merge %zu layers into one%s%s%s", o->n,
			  *f.at ? ", at '" : "", f.at, *f.at ? "'" : "");
}

/* The directory itself stays: its maker may hold a lock on it. */
static int clear(const char *path, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(drop_fd) int fd = open_dir(AT_FDCWD, path);
	int r = fd < 0 ? fd : list_names(fd, &names);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "make '%s' again", path);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = layer_remove(path, names.items[i] + 1, e);
	return r;
}

struct again {
	struct order order;
	const char *path;
	struct aisbx_error *e;     /* borrowed */
	struct aisbx_error before; /* why it is done again */
};

static long flatten_again(void *ctx)
{
	struct again *a = ctx;
	int r;

	*a->e = (struct aisbx_error)AISBX_ERROR_INIT;
	r = clear(a->path, a->e);
	return r < 0 ? r : flatten(&a->order, a->e);
}

static int make_flat(const struct order *o, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(o->dir, o->new_id);
	struct aisbx_error ignored;
	int r = path ? 0 : -ENOMEM;

	if (path && mkdir(path, 0711) < 0 && errno != EEXIST)
		r = -errno;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "make layer '%s'", o->new_id);
	r = flatten(o, e);
	if (r == -EACCES || r == -EPERM) { /* of other ids, as far as they are our subordinates */
		struct again a = { *o, path, e, *e };
		long done;

		a.order.owners = true;
		done = sys_own_all(flatten_again, &a);
		if (done != -EOPNOTSUPP)
			r = (int)done;
		else
			*e = a.before;
	}
	if (r == -EACCES && sys_own_files()) { /* the box's owner took his own permissions from a directory */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = clear(path, e);
		if (r == 0)
			r = flatten(o, e);
	}
	if (r < 0)
		layer_remove(o->dir, o->new_id, &ignored);
	return r;
}

int layer_flatten(const char *dir, const char *const *ids, size_t n, const char *new_id, bool link,
		  struct aisbx_error *e)
{
	const struct order o = { .dir = dir, .ids = ids, .n = n, .new_id = new_id, .link = link };

	return make_flat(&o, e);
}

int layer_flatten_without(const char *dir, const char *const *ids, size_t n, const char *new_id,
			  const char *tree, struct aisbx_error *e)
{
	const struct order o = {
		.dir = dir, .ids = ids, .n = n, .new_id = new_id, .link = true, .without = tree
	};

	return make_flat(&o, e);
}

int layer_copy_tree(const char *dir, const char *id, const char *new_id, struct aisbx_error *e)
{
	return layer_flatten(dir, &id, 1, new_id, false, e);
}
