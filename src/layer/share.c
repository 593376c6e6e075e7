/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the same directory of all layers that have it side by side and compares files of one name. It
 * remembers the names of the directories on its way, and no more. Contents are compared byte by byte: nothing
 * depends on a hash. Boxes wrote these files, so they are reached without following links.
 */
#include "layer/share.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "layer/share_same.h"
#include "sys/owner.h"
#include "sys/sys.h"

#define RESOLVE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)
/* In a layer, beside its trees: no box sees it. */
#define PART ".share"
/* Below this, blocks are not worth a call. */
#define CLONE_LEAST (64u << 10)
#define CLONE_STEP  (16u << 20)
/* Deeper than that nothing is shared. */
#define MAX_DEPTH  256u
#define MAX_LAYERS 512u

/* A name in one of the layers. */
struct name {
	char *name;   /* owned */
	size_t layer; /* index of its layer */
	bool is_dir;
};

struct names {
	struct name *items; /* owned */
	size_t n, cap;
};

/* Which file a layer has got already: a second name of it there would be one that its box made. */
struct used {
	ino_t ino;
	size_t layer;
};

struct walk {
	int dir; /* borrowed */
	const char *const *ids;
	struct used *used; /* owned; by open addressing; ino 0 is empty */
	size_t n_used, cap_used;
	bool no_clones; /* the file system cannot */
	struct share_report report;
};

static void names_finish(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].name);
	free(l->items);
}

static int names_add(struct names *l, const char *name, size_t layer, bool is_dir)
{
	int r = memory_check();

	if (r < 0)
		return r;
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		void *grown = realloc(l->items, cap * sizeof(*l->items));

		if (!grown)
			return -ENOMEM;
		l->items = grown;
		l->cap = cap;
	}
	l->items[l->n] = (struct name){ strdup(name), layer, is_dir };
	l->n += l->items[l->n].name != NULL;
	return l->n && l->items[l->n - 1].layer == layer ? 0 : -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->is_dir != y->is_dir ? x->is_dir - y->is_dir : (x->layer > y->layer) - (x->layer < y->layer);
}

static size_t place_of(const struct walk *w, ino_t ino, size_t layer)
{
	uint64_t mixed = ((uint64_t)ino ^ ((uint64_t)layer << 48)) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(mixed >> 20) & (w->cap_used - 1);

	while (w->used[i].ino && (w->used[i].ino != ino || w->used[i].layer != layer))
		i = (i + 1) & (w->cap_used - 1);
	return i;
}

static int grow_used(struct walk *w)
{
	struct walk larger = { .cap_used = w->cap_used ? w->cap_used * 2 : 256 };

	larger.used = calloc(larger.cap_used, sizeof(*larger.used));
	if (!larger.used)
		return -ENOMEM;
	for (size_t i = 0; i < w->cap_used; i++)
		if (w->used[i].ino)
			larger.used[place_of(&larger, w->used[i].ino, w->used[i].layer)] = w->used[i];
	free(w->used);
	w->used = larger.used;
	w->cap_used = larger.cap_used;
	return 0;
}

/* 1: LAYER gets its first name of that file; 0: it has one; negative errno. */
static int use(struct walk *w, ino_t ino, size_t layer)
{
	size_t i;

	if (w->n_used * 2 >= w->cap_used && grow_used(w) < 0)
		return -ENOMEM;
	i = place_of(w, ino, layer);
	if (w->used[i].ino)
		return 0;
	w->used[i] = (struct used){ ino, layer };
	w->n_used++;
	return 1;
}

/* The directory REL of a layer. */
static int open_dir(const struct walk *w, size_t layer, const char *rel)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", w->ids[layer], rel) >= sizeof(path))
		return -ENAMETOOLONG;
	return sys_own_openat2(w->dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE);
}

static bool is_directory(int fd, const struct dirent *entry, bool *ret_file)
{
	struct stat st;

	*ret_file = entry->d_type == DT_REG;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	if (sys_own_lstatat(fd, entry->d_name, &st) < 0)
		return false;
	*ret_file = S_ISREG(st.st_mode);
	return S_ISDIR(st.st_mode);
}

/* Adds files and directories in FD, of a layer. */
static int list(int fd, size_t layer, struct names *ret)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *dir = dir_take(copy < 0 ? -errno : copy, &r);
	const struct dirent *entry;

	while (dir && r == 0 && (entry = dir_next(dir, &r))) {
		bool is_file, is_dir = is_directory(fd, entry, &is_file);

		if (is_dir || is_file)
			r = names_add(ret, entry->d_name, layer, is_dir);
	}
	return r;
}

/* One of the files that may be one. */
struct copy {
	size_t layer;
	int dir; /* borrowed */
	struct stat st;
	bool gone; /* it is another one by now */
};

/* Puts a link to FROM in the place of TO. A directory keeps its time. */
static int link_over(const struct walk *w, const struct copy *from, const struct copy *to, const char *name)
{
	char part[NAME_MAX + 1];
	struct stat dir;
	int r;

	if ((size_t)snprintf(part, sizeof(part), "%s/" PART, w->ids[to->layer]) >= sizeof(part))
		return -ENAMETOOLONG;
	if (fstat(to->dir, &dir) < 0)
		return -errno;
	if (linkat(from->dir, name, w->dir, part, 0) < 0)
		return -errno;
	r = sys_own_renameat2(w->dir, part, to->dir, name, 0);
	if (r < 0) {
		unlinkat(w->dir, part, 0);
		return r;
	}
	return futimens(to->dir, (struct timespec[]){ dir.st_atim, dir.st_mtim }) < 0 ? -errno : 0;
}

/* Asks the kernel to share blocks: it compares by itself, and does nothing where they differ. */
static void clone_blocks(struct walk *w, int from, int to, off_t size)
{
	_Alignas(struct file_dedupe_range) char
		room[sizeof(struct file_dedupe_range) + sizeof(struct file_dedupe_range_info)];
	struct file_dedupe_range *range = (struct file_dedupe_range *)room;

	for (off_t at = 0; at < size && !w->no_clones;) {
		uint64_t len = size - at < CLONE_STEP ? (uint64_t)(size - at) : CLONE_STEP;

		memset(room, 0, sizeof(room));
		range->src_offset = (uint64_t)at;
		range->src_length = len;
		range->dest_count = 1;
		range->info[0].dest_fd = to;
		range->info[0].dest_offset = (uint64_t)at;
		if (ioctl(from, FIDEDUPERANGE, range) < 0 || range->info[0].status < 0) {
			w->no_clones = errno == EOPNOTSUPP || errno == ENOTTY ||
				       range->info[0].status == -EOPNOTSUPP;
			return;
		}
		if (range->info[0].status != FILE_DEDUPE_RANGE_SAME || !range->info[0].bytes_deduped)
			return;
		w->report.cloned += range->info[0].bytes_deduped;
		at += (off_t)range->info[0].bytes_deduped;
	}
}

/* TO becomes FROM if they are equal. What cannot be done is not done. */
static int join(struct walk *w, const struct copy *from, struct copy *to, const char *name)
{
	bool alike = share_same_stat(&from->st, &to->st);
	scoped(drop_fd) int a = -1;
	scoped(drop_fd) int b = -1;
	int r;

	if (!alike && (w->no_clones || to->st.st_size < (off_t)CLONE_LEAST))
		return 0;
	a = copy_open(from->dir, name);
	b = copy_open(to->dir, name);
	if (a < 0 || b < 0)
		return 0;
	if (!alike || !share_same_attrs(a, b)) {
		clone_blocks(w, a, b, to->st.st_size);
		return 0;
	}
	r = share_same_content(a, b, to->st.st_size);
	if (r == 1)
		r = use(w, from->st.st_ino, to->layer);
	if (r != 1)
		return r == -ENOMEM ? r : 0;
	if (link_over(w, from, to, name) <
	    0) /* too many links, another project of the quota: it stays as it is */
		return 0;
	to->gone = true;
	w->report.files++;
	w->report.bytes += (uint64_t)to->st.st_blocks * 512;
	return 0;
}

/* A file that is known by this name only: other names in its layer would have to move with it. */
static bool is_alone(const struct copy *c)
{
	return c->st.st_nlink == 1 && c->st.st_blocks > 0;
}

/* All that can become INTO, from number K on. */
static int join_from(struct walk *w, struct copy *copies, size_t n, size_t into, size_t k, const char *name)
{
	const struct copy *to = &copies[into];
	int r = 0;

	for (; r == 0 && k < n; k++)
		if (k != into && !copies[k].gone && is_alone(&copies[k]) &&
		    copies[k].st.st_size == to->st.st_size && copies[k].st.st_dev == to->st.st_dev)
			r = join(w, to, &copies[k], name);
	return r;
}

/* Files that are shared already come first: so that there are few of them. */
static int join_all(struct walk *w, struct copy *copies, size_t n, const char *name)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		if (copies[i].st.st_nlink > 1)
			r = join_from(w, copies, n, i, 0, name);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (!copies[i].gone && is_alone(&copies[i]))
			r = join_from(w, copies, n, i, i + 1, name);
	return r;
}

/* An open directory of a layer. */
struct place {
	size_t layer;
	int fd; /* owned; negative: it cannot be read */
};

/* The files of one name; ITEMS and PLACES are both sorted by layer. */
static int share_files(struct walk *w, const struct place *places, const struct name *items, size_t n)
{
	scoped(drop_mem) struct copy *copies = calloc(n, sizeof(*copies));
	size_t found = 0;

	if (!copies)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct copy *c = &copies[found];

		while (places->layer != items[i].layer)
			places++;
		*c = (struct copy){ .layer = items[i].layer, .dir = places->fd };
		found += sys_own_lstatat(c->dir, items[i].name, &c->st) == 0 && S_ISREG(c->st.st_mode);
	}
	return found > 1 ? join_all(w, copies, found, items[0].name) : 0;
}

/* How many of ITEMS, from the first on, have its name and kind. */
static size_t group_at(const struct names *l, size_t i)
{
	size_t n = 1;

	while (i + n < l->n && l->items[i + n].is_dir == l->items[i].is_dir &&
	       !strcmp(l->items[i + n].name, l->items[i].name))
		n++;
	return n;
}

static void close_places(struct place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		close_fd(&places[i].fd);
}

/* What is in REL of some layers; files of one name are shared at once. */
static int share_here(struct walk *w, const char *rel, const size_t *layers, size_t n, struct names *ret)
{
	scoped(drop_mem) struct place *places = calloc(n, sizeof(*places));
	int r = places ? 0 : -ENOMEM;

	for (size_t i = 0; places && i < n; i++) {
		places[i] = (struct place){ layers[i], open_dir(w, layers[i], rel) };
		if (r == 0 && places[i].fd >= 0)
			r = list(places[i].fd, layers[i], ret);
	}
	if (r == 0 && ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	for (size_t i = 0, size; r == 0 && i < ret->n; i += size) {
		size = group_at(ret, i);
		if (!ret->items[i].is_dir && size > 1)
			r = share_files(w, places, &ret->items[i], size);
	}
	if (places)
		close_places(places, n);
	return r;
}

static int share_dir(struct walk *w, const char *rel, const size_t *layers, size_t n, unsigned int depth);

/* The directories among NAMES that several layers have. */
static int share_below(struct walk *w, const char *rel, const struct names *names, unsigned int depth)
{
	scoped(drop_mem) size_t *layers = calloc(names->n + 1, sizeof(*layers));
	int r = layers ? 0 : -ENOMEM;

	for (size_t i = 0, size; r == 0 && i < names->n; i += size) {
		scoped(drop_mem) char *path = NULL;

		size = group_at(names, i);
		if (!names->items[i].is_dir || size < 2)
			continue;
		for (size_t k = 0; k < size; k++)
			layers[k] = names->items[i + k].layer;
		if (asprintf(&path, "%s/%s", rel, names->items[i].name) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		r = share_dir(w, path, layers, size, depth + 1);
	}
	return r;
}

static int share_dir(struct walk *w, const char *rel, const size_t *layers, size_t n, unsigned int depth)
{
	scoped(names_finish) struct names names = { 0 };
	int r = depth < MAX_DEPTH ? share_here(w, rel, layers, n, &names) : 0;

	if (r == -ENOBUFS) /* too many names for this one; others have fewer */
		return 0;
	return r < 0 ? r : share_below(w, rel, &names, depth);
}

/* Each tree that several layers have: of it, what boxes changed. */
static int share_trees(struct walk *w, size_t first, size_t n)
{
	scoped(names_finish) struct names trees = { 0 };
	scoped(drop_mem) size_t *layers = calloc(n, sizeof(*layers));
	int r = layers ? 0 : -ENOMEM;

	for (size_t i = first; r == 0 && i < first + n; i++) {
		scoped(drop_fd) int fd = open_dir(w, i, ".");

		if (fd >= 0)
			unlinkat(fd, PART, 0); /* of one that was killed */
		r = fd < 0 ? 0 : list(fd, i, &trees);
	}
	if (trees.n)
		qsort(trees.items, trees.n, sizeof(*trees.items), by_name);
	for (size_t i = 0, size; r == 0 && i < trees.n; i += size) {
		char rel[NAME_MAX + 8];

		size = group_at(&trees, i);
		if (!trees.items[i].is_dir || size < 2 || *trees.items[i].name == '.')
			continue;
		for (size_t k = 0; k < size; k++)
			layers[k] = trees.items[i + k].layer;
		snprintf(rel, sizeof(rel), "%s/up", trees.items[i].name);
		r = share_dir(w, rel, layers, size, 0);
	}
	return r;
}

int layer_share(const char *dir, const char *const *ids, size_t n, struct share_report *ret,
		struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct walk w = { .dir = fd, .ids = ids };
	int r = fd < 0 ? -errno : 0;

	/* Those that are open at once are limited; what is in another part of them is shared less. */
	for (size_t i = 0; r == 0 && i < n; i += MAX_LAYERS)
		r = share_trees(&w, i, n - i < MAX_LAYERS ? n - i : MAX_LAYERS);
	free(w.used);
	*ret = w.report;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "share equal files of layers") : 0;
}
