/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two points path by path, walking only what one of them has changed. */
#include "layer/change.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "layer/fullest_dir.h"
#include "layer/gitdir.h"
#include "layer/checksum.h"
#include "layer/view.h"

const char *change_kind_name(enum change_kind kind)
{
	static const char *const names[] = {
#define X(id, name) name,
		CHANGE_KINDS(X)
#undef X
	};

	return names[kind];
}

const char *change_type_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "symlink";
	case S_IFIFO:
		return "fifo";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

void change_finish(struct change *c)
{
	free(c->path);
}

void change_list_finish(struct change_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		change_finish(&l->items[i]);
	free(l->items);
	strlist_finish(&l->gits);
	strlist_finish(&l->tops[0]);
	strlist_finish(&l->tops[1]);
	*l = (struct change_list){ 0 };
}

char *change_old_file(const struct change_list *l, const struct change *c)
{
	return c->old_mode ? path_join(l->tops[0].items[c->old_top], c->path) : NULL;
}

char *change_new_file(const struct change_list *l, const struct change *c)
{
	return c->new_mode ? path_join(l->tops[1].items[c->new_top], c->path) : NULL;
}

struct walk {
	struct open_view open_views[2];
	struct change_list list;
};

/* As list_tops puts them. */
static uint16_t top_of(const struct view_entry *s)
{
	return s->from_host ? 0 : (uint16_t)(s->layer + 1);
}

static int note(struct walk *w, enum change_kind kind, const char *rel, const struct view_entry *a,
		const struct view_entry *b)
{
	struct change_list *l = &w->list;
	struct change *c;
	int r = memory_check();

	if (r < 0)
		return r;
	if ((l->n & (l->n - 1)) == 0) {
		void *grown = realloc(l->items, (l->n ? l->n * 2 : 1) * sizeof(*l->items));

		if (!grown)
			return -ENOMEM;
		l->items = grown;
	}
	c = &l->items[l->n++];
	*c = (struct change){ .kind = kind, .path = strdup(rel) };
	if (a->thing.exists) {
		c->old_mode = a->thing.st.st_mode;
		c->old_size = a->thing.st.st_size;
		c->old_top = top_of(a);
	}
	if (b->thing.exists) {
		c->new_mode = b->thing.st.st_mode;
		c->new_size = b->thing.st.st_size;
		c->new_top = top_of(b);
	}
	return c->path ? 0 : -ENOMEM;
}

/* 1 the same, 0 not, negative an error. */
static int same_bytes(int fa, int fb)
{
	char one[65536], two[65536];
	ssize_t n, m;

	do {
		n = read(fa, one, sizeof(one));
		m = read(fb, two, sizeof(two));
		if (n < 0 || m < 0)
			return -errno;
		if (n != m || memcmp(one, two, (size_t)n) != 0)
			return 0;
	} while (n > 0);
	return 1;
}

static int same_link(const struct thing *a, const struct thing *b)
{
	char one[PATH_MAX], two[PATH_MAX];
	ssize_t n = copy_readlink(a->at, a->name, one, sizeof(one));
	ssize_t m = copy_readlink(b->at, b->name, two, sizeof(two));

	return n < 0 ? (int)n : m < 0 ? (int)m : n == m && !memcmp(one, two, (size_t)n);
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Where the content of one is not known any more, its sum is, or nobody can say that it is the same: times
 * are anybody's to set. */
static int same_sum(const struct thing *a, const struct thing *b)
{
	const struct thing *lost = a->name ? b : a, *other = a->name ? a : b;
	char sum[CHECKSUM_MAX];
	int r;

	if (!lost->sum || !lost->sum[0])
		return 0;
	if (!other->name)
		return other->sum && !strcmp(lost->sum, other->sum);
	r = checksum_of_file(other->at, other->name, other->st.st_mode, sum);
	return r < 0 ? r : !strcmp(lost->sum, sum);
}

static int same_content(const struct thing *a, const struct thing *b, int fa, int fb)
{
	if (S_ISDIR(a->st.st_mode))
		return 1;
	if (!S_ISREG(a->st.st_mode) && !S_ISLNK(a->st.st_mode))
		return a->st.st_rdev == b->st.st_rdev;
	if (a->st.st_size != b->st.st_size)
		return 0;
	if (fa == -EACCES || fb == -EACCES)
		return same_time(a->st.st_mtim, b->st.st_mtim);
	if (!a->name || !b->name)
		return same_sum(a, b);
	return S_ISLNK(a->st.st_mode) ? same_link(a, b) : same_bytes(fa, fb);
}

/* -1 for what need not be opened, or is only known by its attributes. */
static int open_if(const struct thing *t)
{
	return t->name && (S_ISREG(t->st.st_mode) || S_ISDIR(t->st.st_mode)) ? copy_open(t->at, t->name) : -1;
}

static int sum_of(const struct thing *t, int fd, uint64_t *ret)
{
	*ret = t->has_sum ? t->xattrs : 0;
	return t->has_sum || fd < 0 ? 0 : copy_xattr_sum(fd, t->id_delta, ret);
}

/* The very same file, and nobody touched it. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino && a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       same_time(a->st_ctim, b->st_ctim) && a->st_mode == b->st_mode;
}

static bool has_same_access(const struct stat *a, const struct stat *b)
{
	return (S_ISLNK(a->st_mode) || (a->st_mode & 07777) == (b->st_mode & 07777)) &&
	       a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static int compare_same_type(const struct thing *a, const struct thing *b, unsigned int *bits)
{
	scoped(drop_fd) int fa = -1;
	scoped(drop_fd) int fb = -1;
	uint64_t one, two;
	int r;

	if (is_same_file(&a->st, &b->st))
		return 0;
	fa = open_if(a);
	fb = open_if(b);
	if (fa < -1 && fa != -EACCES)
		return fa;
	if (fb < -1 && fb != -EACCES)
		return fb;
	r = same_content(a, b, fa, fb);
	if (r < 0)
		return r;
	if (r == 0)
		*bits |= DIFF_CONTENT;
	if (!has_same_access(&a->st, &b->st))
		*bits |= DIFF_MODE;
	r = sum_of(a, fa, &one);
	if (r == 0)
		r = sum_of(b, fb, &two);
	if (r < 0)
		return r;
	if (!S_ISLNK(a->st.st_mode) && one != two)
		*bits |= DIFF_XATTR;
	if (!same_time(a->st.st_mtim, b->st.st_mtim))
		*bits |= DIFF_TIME;
	return 0;
}

int change_compare(const struct thing *a, const struct thing *b, unsigned int *ret_bits)
{
	unsigned int bits = 0;
	int r;

	*ret_bits = 0;
	if (!a->exists || !b->exists)
		return a->exists ? CHANGE_DELETE : b->exists ? CHANGE_CREATE : CHANGE_NONE;
	if ((a->st.st_mode & S_IFMT) != (b->st.st_mode & S_IFMT))
		return CHANGE_REPLACE;
	r = compare_same_type(a, b, &bits);
	if (r < 0)
		return r;
	*ret_bits = bits;
	return bits & DIFF_CONTENT ? CHANGE_MODIFY
	       : bits & DIFF_MODE  ? CHANGE_MODE
	       : bits & DIFF_XATTR ? CHANGE_XATTR
	       : bits & DIFF_TIME  ? CHANGE_TOUCH
				   : CHANGE_NONE;
}

static int compare_dirs(struct walk *w, const char *rel, struct ref a, struct ref b);

/* 1 when REL is git's own on either side; a note is taken of it. */
static int leaves_git(struct walk *w, const char *rel, const struct view_entry *a, const struct view_entry *b)
{
	bool in_a = S_ISDIR(a->thing.st.st_mode), in_b = S_ISDIR(b->thing.st.st_mode);
	const char *slash = strrchr(rel, '/');
	int r = gitdir_is_name(slash ? slash + 1 : rel);

	if (r == 0 && in_b)
		r = gitdir_is_laid_out(&w->open_views[1], b->ref, in_a ? &w->open_views[0] : NULL, a->ref,
				       rel);
	else if (r == 0 && in_a)
		r = gitdir_is_laid_out(&w->open_views[0], a->ref, NULL, b->ref, rel);
	if (r > 0)
		strlist_add(&w->list.gits, rel);
	return r > 0 && w->list.gits.failed ? -ENOMEM : r;
}

static int compare_at(struct walk *w, struct ref a, struct ref b, const char *rel)
{
	struct view_entry one, two;
	unsigned int bits;
	int r = view_look(&w->open_views[0], a, rel, &one), kind;

	if (r == 0)
		r = view_look(&w->open_views[1], b, rel, &two);
	if (r == 0)
		r = leaves_git(w, rel, &one, &two);
	if (r == 0 && (S_ISDIR(one.thing.st.st_mode) ||
		       S_ISDIR(two.thing.st.st_mode))) { /* others were looked at since */
		r = view_look(&w->open_views[0], a, rel, &one);
		if (r == 0)
			r = view_look(&w->open_views[1], b, rel, &two);
	}
	if (r != 0)
		return r < 0 ? r : 0;
	kind = change_compare(&one.thing, &two.thing, &bits);
	if (kind < 0)
		return kind;
	if (kind != CHANGE_NONE)
		r = note(w, (enum change_kind)kind, rel, &one, &two);
	/* Below a directory, which perhaps only one side has. */
	if (r == 0 && (S_ISDIR(one.thing.st.st_mode) || S_ISDIR(two.thing.st.st_mode)))
		r = compare_dirs(w, rel, one.ref, two.ref);
	return r;
}

static int compare_dirs(struct walk *w, const char *rel, struct ref a, struct ref b)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	bool host =
		a.host != b.host; /* where both show it, names no layer knows are the same by definition */
	int r = view_names(&w->open_views[0], a, rel, host, &names);

	if (r == 0)
		r = view_names(&w->open_views[1], b, rel, host, &names);
	names_sort(&names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *child = path_child(rel, names.items[i]);

		if (!child)
			return -ENOMEM;
		r = compare_at(w, a, b, child);
	}
	return r;
}

/* The tree's own directory: a layer always has one, with the attributes it was made with or given since. */
static int compare_roots(struct walk *w)
{
	struct view_entry both[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		const struct view *v = w->open_views[i].view;

		both[i].from_host = v->n_ups == 0;
		both[i].layer = v->n_ups ? v->n_ups - 1 : 0;
		both[i].thing.exists = true;
		if (lstat(v->n_ups ? v->ups[v->n_ups - 1] : v->host, &both[i].thing.st) < 0)
			return -errno;
	}
	return both[0].thing.st.st_mode == both[1].thing.st.st_mode
		       ? 0
		       : note(w, CHANGE_MODE, ".", &both[0], &both[1]);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

static int list_tops(struct walk *w)
{
	for (int i = 0; i < 2; i++) {
		const struct view *v = w->open_views[i].view;

		strlist_add(&w->list.tops[i], v->host);
		for (size_t k = 0; k < v->n_ups; k++)
			strlist_add(&w->list.tops[i], v->ups[k]);
	}
	return w->list.tops[0].failed || w->list.tops[1].failed ? -ENOMEM : 0;
}

/* So many layers both stand on, as those of an image: they differ only where a later one has something. */
static size_t count_shared(const struct view *a, const struct view *b)
{
	size_t n = 0;

	if (a->prefixes || b->prefixes)
		return 0;
	while (n < a->n_ups && n < b->n_ups && !strcmp(a->ups[n], b->ups[n]))
		n++;
	return n;
}

/* What the layers have that are not shared by both; NULL: all of them count. */
static int read_mask(const struct view *a, const struct view *b, size_t shared, struct node **ret,
		     struct aisbx_error *e)
{
	size_t n = a->n_ups + b->n_ups - 2 * shared;
	const char **own;
	int r;

	if (!shared)
		return 0;
	own = calloc(n ? n : 1, sizeof(*own));
	if (!own)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read layers");
	for (size_t i = shared, at = 0; i < a->n_ups; i++)
		own[at++] = a->ups[i];
	for (size_t i = shared, at = a->n_ups - shared; i < b->n_ups; i++)
		own[at++] = b->ups[i];
	r = node_fold(own, n, NULL, ret, e);
	free(own);
	return r;
}

int change_list_read(const struct view *a, const struct view *b, struct change_list *ret,
		     struct aisbx_error *e)
{
	struct walk w = { .open_views = { OPEN_VIEW_INIT, OPEN_VIEW_INIT } };
	scoped(drop_node) struct node *mask = NULL;
	size_t shared = count_shared(a, b);
	int r = read_mask(a, b, shared, &mask, e);

	if (r == 0)
		r = view_open_masked(a, mask, shared, &w.open_views[0], e);
	if (r == 0) {
		r = view_open_masked(b, mask, shared, &w.open_views[1], e);
		if (r < 0)
			view_close(&w.open_views[0]);
	}
	if (r < 0)
		return r;
	r = list_tops(&w);
	if (r == 0)
		r = compare_roots(&w);
	if (r == 0)
		r = compare_dirs(&w, "", view_top(&w.open_views[0]), view_top(&w.open_views[1]));
	view_close(&w.open_views[0]);
	view_close(&w.open_views[1]);
	if (r < 0) {
		change_list_finish(&w.list);
		if (r == -ENOBUFS)
			return fullest_dir_refuse(b->n_ups ? b->ups : a->ups, b->n_ups ? b->n_ups : a->n_ups,
						  e);
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "compare with '%s'", a->host);
	}
	if (w.list.n)
		qsort(w.list.items, w.list.n, sizeof(*w.list.items), by_path);
	*ret = w.list;
	return 0;
}
