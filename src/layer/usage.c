/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures a layer while an untrusted box may be renaming its files. Descends by descriptor only, follows no
 * link and no "..", and remembers what it has counted: what is moved meanwhile is never counted twice, at
 * worst missed once. For a file with several names each counts, but no more than it has.
 */
#include "layer/usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/scope.h"
#include "base/time.h"
#include "layer/copy.h"
#include "sys/owner.h"

/* Directories open at once on the way down; what lies deeper waits, open, until they are closed. */
#define MAX_DEPTH   128
#define MAX_WAITING 128
/* Entries between two looks at the clock. So many are always counted: of a small box the answer does not
 * depend on who else runs. */
#define CLOCK_EVERY 256

/* Inode numbers seen, by open addressing; 0 is an empty place, and no inode's number. */
struct seen {
	uint64_t *places; /* owned */
	uint32_t *names;  /* owned; how many names of each were counted */
	size_t n, cap;    /* cap: a power of two */
};

struct walk {
	const struct usage_how *how;
	struct usage sum;
	struct seen seen;
	DIR *open[MAX_DEPTH]; /* owned */
	size_t depth;
	int waiting[MAX_WAITING]; /* owned */
	size_t n_waiting;
	unsigned int steps;
};

static size_t place_of(const struct seen *s, uint64_t ino)
{
	size_t i = (size_t)(ino * 0x9e3779b97f4a7c15ULL >> 20) & (s->cap - 1);

	while (s->places[i] && s->places[i] != ino)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static void seen_finish(struct seen *s)
{
	free(s->places);
	free(s->names);
}

static int grow(struct seen *s)
{
	struct seen larger = { .n = s->n, .cap = s->cap ? s->cap * 2 : 256 };

	larger.places = calloc(larger.cap, sizeof(*larger.places));
	larger.names = calloc(larger.cap, sizeof(*larger.names));
	if (!larger.places || !larger.names) {
		seen_finish(&larger);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->cap; i++)
		if (s->places[i]) {
			size_t to = place_of(&larger, s->places[i]);

			larger.places[to] = s->places[i];
			larger.names[to] = s->names[i];
		}
	seen_finish(s);
	*s = larger;
	return 0;
}

/* How many names of the file were counted before this one, which is counted if that is less than MOST;
 * negative errno. */
static int64_t add_seen(struct seen *s, uint64_t ino, uint64_t most)
{
	uint32_t before;
	size_t i;

	if (s->n * 2 >= s->cap && grow(s) < 0)
		return -ENOMEM;
	i = place_of(s, ino);
	s->n += !s->places[i];
	s->places[i] = ino;
	before = s->names[i];
	s->names[i] += before < most;
	return before;
}

/* 1 when it is new, 0 when not; negative errno. */
static int add(struct walk *w, const struct stat *st)
{
	uint64_t most = S_ISDIR(st->st_mode)
				? 1
				: st->st_nlink; /* the links of a directory are no names of its own */
	int64_t before = add_seen(&w->seen, st->st_ino, most);

	if (before < 0)
		return (int)before;
	w->sum.bytes += before ? 0 : (uint64_t)st->st_blocks * 512;
	w->sum.inodes += (uint64_t)before < most;
	if (before == 0 && w->how->each) {
		int r = w->how->each(w->how->ctx, st);

		if (r < 0)
			return r;
	}
	return before == 0;
}

/* Without a trace in its access time, by which a box could see where we are. */
static int open_dir(const struct walk *w, int at, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = openat(at, name, flags | O_NOATIME);

	if (fd < 0 && errno == EACCES && w->how->own)
		return sys_own_openat(at, name, flags | O_NOATIME);
	if (fd < 0 && errno == EPERM)
		fd = openat(at, name, flags);
	return fd < 0 ? -errno : fd;
}

/* Takes FD. */
static int enter(struct walk *w, int fd)
{
	DIR *dir;

	if (w->depth == MAX_DEPTH && w->n_waiting == MAX_WAITING) {
		close(fd);
		return -ELOOP;
	}
	if (w->depth == MAX_DEPTH) {
		w->waiting[w->n_waiting++] = fd;
		return 0;
	}
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	w->open[w->depth++] = dir;
	return 0;
}

/* Gone, or something else by now. */
static bool has_moved(int r)
{
	return copy_is_gone(r) || r == -ESTALE;
}

static int add_dir(struct walk *w, int at, const char *name)
{
	int fd = open_dir(w, at, name), r;
	struct stat st;

	if (fd < 0)
		return has_moved(fd) ? 0 : fd;
	r = fstat(fd, &st) < 0 ? -errno : add(w, &st);
	if (r > 0)
		return enter(w, fd);
	close(fd);
	return r;
}

static int add_entry(struct walk *w, int at, const struct dirent *entry)
{
	struct stat st;
	int r;

	if (entry->d_type == DT_DIR)
		return add_dir(w, at, entry->d_name);
	r = fstatat(at, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
	if (r == -EACCES && w->how->own)
		r = sys_own_lstatat(at, entry->d_name, &st);
	if (r < 0)
		return has_moved(r) ? 0 : r;
	if (S_ISDIR(st.st_mode))
		return add_dir(w, at, entry->d_name);
	r = add(w, &st);
	return r < 0 ? r : 0;
}

static bool is_enough(const struct walk *w)
{
	return w->sum.bytes > w->how->most.bytes || w->sum.inodes > w->how->most.inodes;
}

/* Until every directory is closed and nobody waits. */
static int go(struct walk *w)
{
	int r = 0;

	while (r >= 0 && !is_enough(w)) {
		const struct dirent *entry;

		if (!w->depth) {
			if (!w->n_waiting)
				break;
			r = enter(w, w->waiting[--w->n_waiting]);
			continue;
		}
		if (w->how->until_us && ++w->steps % CLOCK_EVERY == 0 && time_us() >= w->how->until_us)
			return -ETIME;
		entry = dir_next(w->open[w->depth - 1], &r);
		if (entry) {
			r = add_entry(w, dirfd(w->open[w->depth - 1]), entry);
		} else {
			closedir(w->open[--w->depth]);
			r = has_moved(r) ? 0 : r; /* a directory that was removed cannot be read, either */
		}
	}
	return r;
}

static void finish(struct walk *w)
{
	while (w->depth)
		closedir(w->open[--w->depth]);
	while (w->n_waiting)
		close(w->waiting[--w->n_waiting]);
	seen_finish(&w->seen);
}

static int count_tree(struct walk *w, int layer, const char *tree)
{
	char path[NAME_MAX + 8];
	int r;

	snprintf(path, sizeof(path), "%s/up", tree);
	r = add_dir(w, layer, path);
	return r < 0 ? r : go(w);
}

int usage_count(int dir, const struct usage_how *how, struct usage *ret)
{
	struct walk w = { .how = how };
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *layer = dir_take(copy < 0 ? -errno : copy, &r);
	const struct dirent *tree;

	if (!layer)
		return r;
	while (r >= 0 && !is_enough(&w) && (tree = dir_next(layer, &r)))
		r = count_tree(&w, dirfd(layer), tree->d_name);
	finish(&w);
	if (r < 0)
		return r;
	*ret = w.sum;
	return 0;
}
