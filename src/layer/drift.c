/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the tree breadth first, without following links and on one file system; then the list of names it
 * had.
 */
#include "layer/drift.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "sys/sys.h"

#define BELOW     (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)
#define AT_LEAST  1024u  /* entries that are looked at however slow the machine */
#define MAX_FOUND 50000u /* names that are remembered: some MiB */

const char *drift_kind_name(enum drift_kind kind)
{
	static const char *const names[] = {
#define X(id, name) name,
		DRIFT_KINDS(X)
#undef X
	};

	return names[kind];
}

static void file_finish(struct drift_file *f)
{
	free(f->path);
	free(f->from);
}

void drift_finish(struct drift *d)
{
	for (size_t i = 0; i < d->n; i++)
		file_finish(&d->files[i]);
	free(d->files);
	free(d->was);
	free(d->branch);
	*d = (struct drift){ 0 };
}

/* What was not there before, by its inode: a rename keeps it. */
struct fresh {
	uint64_t ino;
	size_t at;  /* in the files, or NONE: not told yet */
	char *path; /* owned */
	bool is_dir;
};

#define NONE ((size_t)-1)

struct search {
	const struct drift_ask *ask;
	struct drift *d;
	int root;
	dev_t dev;
	uint64_t until;
	size_t cap, n_fresh, fresh_cap;
	struct fresh *fresh;      /* owned */
	struct buf waiting, last; /* directories still to be looked into; those that are mostly made by
				     machines come last */
	bool failed, full;
};

static void search_finish(struct search *s)
{
	for (size_t i = 0; i < s->n_fresh; i++)
		free(s->fresh[i].path);
	free(s->fresh);
	buf_finish(&s->waiting);
	buf_finish(&s->last);
}

static bool is_later(const struct search *s, struct timespec t)
{
	return time_compare(t, s->ask->since) > 0;
}

static bool is_over(struct search *s)
{
	s->full |= s->until && s->d->looked >= AT_LEAST && time_us() >= s->until;
	return s->full || s->failed;
}

static size_t add_file(struct search *s, enum drift_kind kind, const char *path, bool is_dir)
{
	struct drift *d = s->d;

	if (d->n >= MAX_FOUND) {
		s->full = true;
		return NONE;
	}
	if (d->n == s->cap) {
		void *grown = reallocarray(d->files, s->cap ? s->cap * 2 : 64, sizeof(*d->files));

		if (!grown) {
			s->failed = true;
			return NONE;
		}
		d->files = grown;
		s->cap = s->cap ? s->cap * 2 : 64;
	}
	d->files[d->n] = (struct drift_file){ .kind = kind, .is_dir = is_dir, .path = strdup(path) };
	s->failed |= !d->files[d->n].path;
	return d->n++;
}

static void add_fresh(struct search *s, uint64_t ino, size_t at, const char *path, bool is_dir)
{
	if (s->n_fresh >= MAX_FOUND)
		return;
	if (s->n_fresh == s->fresh_cap) {
		void *grown = reallocarray(s->fresh, s->fresh_cap ? s->fresh_cap * 2 : 64, sizeof(*s->fresh));

		if (!grown) {
			s->failed = true;
			return;
		}
		s->fresh = grown;
		s->fresh_cap = s->fresh_cap ? s->fresh_cap * 2 : 64;
	}
	s->fresh[s->n_fresh] = (struct fresh){ .ino = ino, .at = at, .path = strdup(path), .is_dir = is_dir };
	s->failed |= !s->fresh[s->n_fresh++].path;
}

/* An entry as statx tells it. */
struct entry {
	struct stat st; /* only what is asked of it */
	bool later;     /* by its ctime */
	bool written;   /* it, or its inode, is new since */
	bool is_old;    /* its inode is known to be older */
};

/* 0: it is gone. */
static int stat_entry(const struct search *s, int at, const char *name, struct entry *ret)
{
	struct statx x;
	bool born;

	if (statx(at, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &x) < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	*ret = (struct entry){ 0 };
	ret->st.st_mode = x.stx_mode;
	ret->st.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor);
	ret->st.st_ino = x.stx_ino;
	ret->st.st_size = (off_t)x.stx_size;
	ret->st.st_mtim = (struct timespec){ x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec };
	ret->st.st_ctim = (struct timespec){ x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec };
	born = is_later(s, (struct timespec){ x.stx_btime.tv_sec, x.stx_btime.tv_nsec });
	ret->later = is_later(s, ret->st.st_ctim);
	ret->written = is_later(s, ret->st.st_mtim) || ((x.stx_mask & STATX_BTIME) && born);
	ret->is_old = (x.stx_mask & STATX_BTIME) && !born;
	return 1;
}

static bool is_own(const struct search *s, const char *path, const struct stat *st)
{
	return s->ask->is_own && s->ask->is_own(s->ask->ctx, path, st);
}

/* Directories count by what is in them, but for one that came from elsewhere, whole and with old files. */
static void judge(struct search *s, const char *path, const struct entry *x, struct name *known)
{
	bool is_dir = S_ISDIR(x->st.st_mode), listed = s->ask->names && s->ask->names->complete;
	size_t at = NONE;

	if (!x->later || is_own(s, path, &x->st))
		return;
	if (listed && !known) {
		if (!is_dir || (x->is_old && !x->written))
			at = add_file(s, DRIFT_ADDED, path, is_dir);
		if (x->is_old)
			add_fresh(s, x->st.st_ino, at, path, is_dir);
	} else if (x->written && !is_dir) {
		add_file(s, DRIFT_CHANGED, path, false);
	} else if (!x->written) {
		add_file(s, DRIFT_TOUCHED, path, is_dir);
	}
}

/* Made by machines, in great numbers, and mostly ignored by git. */
static bool is_heavy(const char *name)
{
	static const char *const names[] = { "node_modules", "target",      "build",  "dist", ".venv",
					     "venv",         "__pycache__", ".cache", ".tox", "vendor" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Returns whether the entry is later than the moment. Negative errno. */
static int look_at(struct search *s, int fd, const char *dir, const char *name)
{
	scoped(drop_mem) char *path = NULL;
	struct name *known = NULL;
	struct entry x = { 0 };
	int r = stat_entry(s, fd, name, &x);

	if (r <= 0)
		return r;
	s->d->looked++;
	if (x.later || S_ISDIR(x.st.st_mode) || s->ask->names) {
		path = path_child(dir, name);
		if (!path)
			return -ENOMEM;
		known = name_list_find(s->ask->names, path);
	}
	if (known)
		known->seen = known->is_dir == S_ISDIR(x.st.st_mode);
	if (path)
		judge(s, path, &x, known);
	if (path && S_ISDIR(x.st.st_mode) && x.st.st_dev == s->dev)
		buf_add(is_heavy(name) ? &s->last : &s->waiting, path, strlen(path) + 1);
	return x.later;
}

/* What was in the directory DIR went away, or only its entries know. */
static void judge_dir(struct search *s, const char *dir, const struct stat *st, bool some_later)
{
	struct name *known = name_list_find(s->ask->names, dir);

	if (known) {
		known->walked = true;
		known->later = s->ask->exact || is_later(s, st->st_mtim);
		return;
	}
	if (s->ask->names && s->ask->names->complete)
		return; /* it is new */
	if (is_later(s, st->st_mtim) && !some_later &&
	    !(s->ask->is_own_dir && s->ask->is_own_dir(s->ask->ctx, dir)))
		add_file(s, DRIFT_LOST, *dir ? dir : ".", true);
}

static int walk_dir(struct search *s, const char *dir)
{
	int fd = sys_openat2(s->root, *dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, BELOW), r = 0;
	scoped(drop_dir) DIR *d = dir_take(fd, &r);
	bool some_later = false;
	struct dirent *entry;
	struct stat st;

	if (!d) { /* a box sees nothing there either */
		s->full |= r == -ENAMETOOLONG;
		return r == -ENOMEM || r == -EMFILE ? -ENOMEM : 0;
	}
	if (fstat(dirfd(d), &st) < 0)
		return -errno;
	for (unsigned int i = 0; (entry = dir_next(d, &r)); i++) {
		if (name_list_leaves_out(dir, entry->d_name))
			continue;
		if (i % 64 == 63 && is_over(s))
			return 0;
		r = look_at(s, dirfd(d), dir, entry->d_name);
		if (r < 0)
			return r;
		some_later |= r > 0;
		r = 0;
	}
	if (r == 0)
		judge_dir(s, dir, &st, some_later);
	return r;
}

static int walk_waiting(struct search *s, struct buf *waiting)
{
	size_t at = 0;
	int r = 0;

	while (r == 0 && at < waiting->len && !is_over(s)) {
		scoped(drop_mem) char *dir = strdup(waiting->data + at); /* the buffer moves */

		at += dir ? strlen(dir) + 1 : 0;
		r = dir ? walk_dir(s, dir) : -ENOMEM;
	}
	waiting->len = 0;
	return waiting->failed ? -ENOMEM : r;
}

static int walk_all(struct search *s)
{
	int r = walk_dir(s, "");

	while (r == 0 && !is_over(s) && (s->waiting.len || s->last.len)) {
		if (!s->waiting.len) {
			struct buf swapped = s->waiting;

			s->waiting = s->last;
			s->last = swapped;
		}
		r = walk_waiting(s, &s->waiting);
	}
	return s->failed ? -ENOMEM : r;
}

static int by_ino(const void *a, const void *b)
{
	const struct fresh *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* The directory that PATH was in, as it was listed. */
static struct name *parent_of(struct name_list *names, const char *path)
{
	const char *slash = strrchr(path, '/');
	scoped(drop_mem) char *dir = strndup(path, slash ? (size_t)(slash - path) : 0);

	return dir ? name_list_find(names, dir) : NULL;
}

/* NAME is gone. It has another name now if its inode has, and is no newer one with the same number. */
static void judge_gone(struct search *s, const struct name *name)
{
	struct fresh key = { .ino = name->ino };
	struct fresh *found =
		name->ino && s->n_fresh ? bsearch(&key, s->fresh, s->n_fresh, sizeof(key), by_ino) : NULL;
	struct drift_file *f;
	size_t at;

	if (!found || found->is_dir != name->is_dir) {
		add_file(s, DRIFT_DELETED, name->path, name->is_dir);
		return;
	}
	at = found->at != NONE ? found->at : add_file(s, DRIFT_RENAMED, found->path, found->is_dir);
	if (at == NONE)
		return;
	found->at = at;
	f = &s->d->files[at];
	f->kind = DRIFT_RENAMED;
	if (!f->from)
		f->from = strdup(name->path);
	s->failed |= !f->from;
}

static void judge_names(struct search *s)
{
	struct name_list *names = s->ask->names;

	if (s->n_fresh)
		qsort(s->fresh, s->n_fresh, sizeof(*s->fresh), by_ino);
	for (size_t i = 0; names && i < names->n && !s->failed; i++) {
		const struct name *name = &names->items[i],
				  *parent = *name->path ? parent_of(names, name->path) : NULL;

		if (name->seen || !parent || !parent->walked || !parent->later || is_own(s, name->path, NULL))
			continue;
		judge_gone(s, name);
	}
}

static void judge_branch(struct search *s)
{
	const char *was = s->ask->names ? s->ask->names->branch : NULL;
	struct timespec changed;
	scoped(drop_mem) char *now = was ? name_list_branch(s->ask->root, &changed) : NULL;

	if (!now || !strcmp(now, was) || (!s->ask->exact && !is_later(s, changed)))
		return;
	s->d->was = strdup(was);
	s->d->branch = take_mem(&now);
	s->failed |= !s->d->was;
}

static int by_use(const void *a, const void *b)
{
	const struct drift_file *x = a, *y = b;

	if (x->both != y->both)
		return x->both ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->path, y->path);
}

void drift_settle(struct drift *d)
{
	size_t kept = 0;

	memset(d->counts, 0, sizeof(d->counts));
	for (size_t i = 0; i < d->n; i++) {
		if (d->files[i].drop) {
			file_finish(&d->files[i]);
			continue;
		}
		d->counts[d->files[i].kind]++;
		d->files[kept++] = d->files[i];
	}
	d->n = kept;
	if (d->n)
		qsort(d->files, d->n, sizeof(*d->files), by_use);
}

int drift_look(const struct drift_ask *ask, struct drift *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(ask->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drift_finish) struct drift d = { 0 };
	scoped(search_finish) struct search s = { .ask = ask, .d = &d, .root = fd };
	struct timespec now;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "search for changes in '%s'", ask->root);
	s.dev = st.st_dev;
	s.until = ask->budget_us ? time_us() + ask->budget_us : 0;
	clock_gettime(CLOCK_REALTIME, &now);
	d.clock_back = !is_later(&s, now);
	r = walk_all(&s);
	if (r == 0) {
		judge_names(&s);
		judge_branch(&s);
	}
	if (s.failed)
		r = -ENOMEM;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "search for changes in '%s'", ask->root);
	d.complete = !s.full && !d.clock_back;
	drift_settle(&d);
	*ret = d;
	d = (struct drift){ 0 };
	return 0;
}
