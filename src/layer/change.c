/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two points path by path, walking only what one of them has touched. */
#include "layer/change.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "layer/node.h"

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

void change_list_finish(struct change_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].path);
		free(l->items[i].old_file);
		free(l->items[i].new_file);
	}
	free(l->items);
	*l = (struct change_list){ 0 };
}

/* A place in a view: what its layers say of it, and whether the host shows where they say nothing. */
struct ref {
	const struct node *node;
	bool host;
};

/* What a view has at a path. */
struct entry {
	bool exists;
	struct stat st;
	char *file; /* owned */
	struct ref ref;
};

static void entry_finish(struct entry *en)
{
	free(en->file);
}

struct walk {
	const struct view *views[2];
	struct change_list list;
};

static int read_entry(const struct view *v, struct ref parent, const char *rel, const char *name, struct entry *ret)
{
	const struct node *n = node_find(parent.node, name);
	bool from_host = !n && parent.host;

	if (n ? n->kind == NODE_GONE : !parent.host)
		return 0;
	ret->file = path_join(from_host ? v->host : v->ups[n->layer], rel);
	if (!ret->file)
		return -ENOMEM;
	if (lstat(ret->file, &ret->st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	ret->exists = true;
	ret->ref = (struct ref){ n, parent.host && (!n || n->kind == NODE_DIR) };
	return 0;
}

static int note(struct walk *w, enum change_kind kind, const char *rel, struct entry *a, struct entry *b)
{
	struct change_list *l = &w->list;
	struct change *c;

	if ((l->n & (l->n - 1)) == 0) {
		void *grown = realloc(l->items, (l->n ? l->n * 2 : 1) * sizeof(*l->items));

		if (!grown)
			return -ENOMEM;
		l->items = grown;
	}
	c = &l->items[l->n++];
	*c = (struct change){ .kind = kind, .path = strdup(rel) };
	if (a->exists) {
		c->old_mode = a->st.st_mode;
		c->old_size = a->st.st_size;
		c->old_file = strdup(a->file);
	}
	if (b->exists) {
		c->new_mode = b->st.st_mode;
		c->new_size = b->st.st_size;
		c->new_file = strdup(b->file);
	}
	return c->path && (!a->exists || c->old_file) && (!b->exists || c->new_file) ? 0 : -ENOMEM;
}

/* 1 the same, 0 not, negative an error. */
static int same_content(const struct entry *a, const struct entry *b)
{
	scoped(drop_fd) int fa = -1;
	scoped(drop_fd) int fb = -1;
	char one[65536], two[65536];
	ssize_t n, m;

	if (S_ISLNK(a->st.st_mode)) {
		n = readlink(a->file, one, sizeof(one));
		m = readlink(b->file, two, sizeof(two));
		return n < 0 || m < 0 ? -errno : n == m && !memcmp(one, two, (size_t)n);
	}
	if (!S_ISREG(a->st.st_mode))
		return a->st.st_rdev == b->st.st_rdev;
	if (a->st.st_size != b->st.st_size)
		return 0;
	fa = open(a->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	fb = open(b->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fa < 0 || fb < 0)
		return -errno;
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

static int compare_dirs(struct walk *w, const char *rel, struct ref a, struct ref b);

/* Everything below a directory that only one side has. */
static int one_sided(struct walk *w, const char *rel, const struct entry *a, const struct entry *b)
{
	static const struct ref nothing = { NULL, false };

	return compare_dirs(w, rel, a->exists && S_ISDIR(a->st.st_mode) ? a->ref : nothing,
			    b->exists && S_ISDIR(b->st.st_mode) ? b->ref : nothing);
}

static int compare_entries(struct walk *w, const char *rel, struct entry *a, struct entry *b)
{
	enum change_kind kind;
	int r;

	if (!a->exists && !b->exists)
		return 0;
	if (a->exists && b->exists && (a->st.st_mode & S_IFMT) == (b->st.st_mode & S_IFMT)) {
		bool mode = a->st.st_mode != b->st.st_mode && !S_ISLNK(a->st.st_mode);

		if (S_ISDIR(a->st.st_mode)) {
			r = mode ? note(w, CHANGE_MODE, rel, a, b) : 0;
			return r < 0 ? r : compare_dirs(w, rel, a->ref, b->ref);
		}
		if (!strcmp(a->file, b->file))
			return 0;
		r = same_content(a, b);
		if (r == 0)
			return note(w, CHANGE_MODIFY, rel, a, b);
		return r > 0 && mode ? note(w, CHANGE_MODE, rel, a, b) : r < 0 ? r : 0;
	}
	kind = !a->exists ? CHANGE_CREATE : !b->exists ? CHANGE_DELETE : CHANGE_REPLACE;
	r = note(w, kind, rel, a, b);
	return r < 0 ? r : one_sided(w, rel, a, b);
}

static int add_names(struct strlist *names, const struct node *n)
{
	for (size_t i = 0; n && i < n->n; i++)
		strlist_add(names, n->children[i]->name);
	return names->failed ? -ENOMEM : 0;
}

static int add_host_names(struct strlist *names, const char *host, const char *rel)
{
	scoped(drop_mem) char *path = *rel ? path_join(host, rel) : strdup(host);
	scoped(drop_dir) DIR *d = path ? opendir(path) : NULL;
	struct dirent *entry;

	if (!d)
		return !path ? -ENOMEM : errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while ((entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			strlist_add(names, entry->d_name);
	return names->failed ? -ENOMEM : 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_dirs(struct walk *w, const char *rel, struct ref a, struct ref b)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	int r = add_names(&names, a.node);

	if (r == 0)
		r = add_names(&names, b.node);
	if (r == 0 && a.host != b.host) /* where both show the host, untouched names are the same by definition */
		r = add_host_names(&names, w->views[0]->host, rel);
	if (names.n)
		qsort(names.items, names.n, sizeof(*names.items), by_text);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(entry_finish) struct entry ea = { 0 }, eb = { 0 };
		scoped(drop_mem) char *child = NULL;

		if (i && !strcmp(names.items[i], names.items[i - 1]))
			continue;
		if (asprintf(&child, "%s%s%s", rel, *rel ? "/" : "", names.items[i]) < 0)
			return -ENOMEM;
		r = read_entry(w->views[0], a, child, names.items[i], &ea);
		if (r == 0)
			r = read_entry(w->views[1], b, child, names.items[i], &eb);
		if (r == 0)
			r = compare_entries(w, child, &ea, &eb);
	}
	return r;
}

/* The tree's own directory: a layer always has one, with the attributes it was made with or given since. */
static int compare_roots(struct walk *w)
{
	scoped(entry_finish) struct entry a = { 0 };
	scoped(entry_finish) struct entry b = { 0 };
	struct entry *both[] = { &a, &b };

	for (int i = 0; i < 2; i++) {
		const struct view *v = w->views[i];

		both[i]->file = strdup(v->n_ups ? v->ups[v->n_ups - 1] : v->host);
		if (!both[i]->file)
			return -ENOMEM;
		if (lstat(both[i]->file, &both[i]->st) < 0)
			return -errno;
		both[i]->exists = true;
	}
	return a.st.st_mode == b.st.st_mode ? 0 : note(w, CHANGE_MODE, ".", &a, &b);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct change *)a)->path, ((const struct change *)b)->path);
}

int change_list_read(const struct view *a, const struct view *b, struct change_list *ret, struct aisbx_error *e)
{
	scoped(drop_node) struct node *na = NULL;
	scoped(drop_node) struct node *nb = NULL;
	struct walk w = { .views = { a, b } };
	int r = node_fold(a->ups, a->n_ups, &na, e);

	if (r == 0)
		r = node_fold(b->ups, b->n_ups, &nb, e);
	if (r < 0)
		return r;
	r = compare_roots(&w);
	if (r == 0)
		r = compare_dirs(&w, "", (struct ref){ na, true }, (struct ref){ nb, true });
	if (r < 0) {
		change_list_finish(&w.list);
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "compare with '%s'", a->host);
	}
	if (w.list.n)
		qsort(w.list.items, w.list.n, sizeof(*w.list.items), by_path);
	*ret = w.list;
	return 0;
}
