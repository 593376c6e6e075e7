/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the common base of two boxes, and records the base of their combination. */
#include "layer/ancestry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "layer/node.h"

/* Older promotions of one path are forgotten in a combination: it then brings again what is there. */
#define MAX_MOMENTS 12
#define MAX_NEEDS   8

/* What a box is based on when these promotions happened and are not taken back. */
struct moment {
	struct version v;
	const char *needs[MAX_NEEDS];
	size_t n_needs;
	bool counts;
};

/* One path of one box. */
struct past {
	struct moment list[MAX_MOMENTS]; /* the first needs no promotion; of the others the last that counts
					    is the base */
	size_t n;
	size_t n_records;
	struct version now;
};

void ancestry_finish(struct ancestry *a)
{
	base_map_finish(&a->pasts[0]);
	base_map_finish(&a->pasts[1]);
	base_map_finish(&a->origins);
	strlist_finish(&a->paths);
	version_scratch_finish(&a->scratch_dir);
}

/* The records of PATH: the first one, and how many. */
static const struct base *records_of(const struct base_map *m, const char *path, size_t *ret_n)
{
	const struct base *first = base_find(m, path), *end = m->items + m->n, *b = first;

	while (b && b < end && !strcmp(b->path, path))
		b++;
	*ret_n = first ? (size_t)(b - first) : 0;
	return first;
}

static bool counts(const struct ancestry *a, const struct base *b)
{
	return !b->promotion[0] || a->filter->counts(a->filter->ctx, b);
}

/* What nobody wrote down: a directory that was not there had nothing in it, and of some everything was
 * written down. */
static enum base_state implied(const struct ancestry *a, int side, const char *path)
{
	scoped(drop_mem) char *dir = strdup(path);
	const struct base *b = NULL;
	bool is_absent = false;
	size_t n = 0;

	for (char *slash; dir && !b && (slash = strrchr(dir, '/'));) {
		*slash = '\0';
		b = records_of(&a->pasts[side], dir, &n);
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || (b[i].who == BASE_PROMOTED && !b[i].promotion[0]))
			is_absent = b[i].state == BASE_ABSENT;
		if (b[i].whole)
			return BASE_ABSENT;
	}
	return is_absent ? BASE_ABSENT : BASE_UNKNOWN;
}

static void add_moment(struct past *p, const struct moment *m)
{
	if (p->n == MAX_MOMENTS) {
		memmove(&p->list[1], &p->list[2], (MAX_MOMENTS - 2) * sizeof(*p->list));
		p->n--;
	}
	p->list[p->n++] = *m;
}

static int read_now(struct ancestry *a, int side, const char *path, struct version *ret)
{
	scoped(drop_mem) char *file = NULL;
	struct view_entry s;
	int r = view_find(a->open_views[side], path, &s);

	if (r < 0)
		return r;
	file = view_file(a->open_views[side], &s, path);
	return file ? version_of_thing(&a->scratch_dir, &s.thing, file, ret) : -ENOMEM;
}

static int read_past(struct ancestry *a, int side, const char *path, struct past *ret)
{
	size_t n;
	const struct base *b = records_of(&a->pasts[side], path, &n);
	struct past p = { .n = 1, .n_records = n };
	struct moment m = { .counts = true };
	bool is_whole = false, has_root = false; /* else it follows from the directory's */
	int r = read_now(a, side, path, &p.now);

	p.list[0] = (struct moment){ .v = { .state = implied(a, side, path) }, .counts = true };
	for (size_t i = 0; r == 0 && i < n; i++) {
		bool forever = b[i].who == BASE_PROMOTED && !b[i].promotion[0] && !m.n_needs;

		m.counts &= m.n_needs < MAX_NEEDS && counts(a, &b[i]);
		if (b[i].promotion[0] && m.n_needs < MAX_NEEDS)
			m.needs[m.n_needs++] = b[i].promotion;
		if (b[i].who == BASE_ALSO)
			continue;
		is_whole |= b[i].whole;
		r = version_of_base(&a->scratch_dir, &b[i], &m.v);
		if (forever) /* nothing before it counts any more */
			p.n = 1;
		if (forever || (b[i].who == BASE_OF_RUN && !has_root)) {
			p.list[0] = m;
			has_root = true;
		} else if (b[i].who == BASE_PROMOTED) {
			add_moment(&p, &m);
		}
		m = (struct moment){ .counts = true };
	}
	for (size_t i = 0; i < p.n; i++)
		p.list[i].v.whole = is_whole;
	*ret = p;
	return r;
}

static bool is_older(const struct version *a, const struct version *b)
{
	if (a->state != BASE_KNOWN || b->state != BASE_KNOWN)
		return a->state == BASE_ABSENT && b->state == BASE_KNOWN;
	return time_compare(a->st.st_ctim, b->st.st_ctim) < 0;
}

/* Whether what MINE promoted at M is in the other box, because that began with it or because it
 * was given it. */
static int is_shared(struct ancestry *a, const struct past *mine, const struct moment *m,
		     const struct past *other)
{
	const struct version *root = &mine->list[0].v, *began = &other->list[0].v;
	int r = version_same(root, &m->v);

	if (r != 0)
		return r < 0 ? r : 0; /* nothing was changed: it says nothing */
	r = version_contains(&a->scratch_dir, began, &m->v, root);
	if (r == 0)
		r = version_contains(&a->scratch_dir, &other->now, &m->v, root);
	/* A file that MINE made: what the host has there since is made of it. */
	if (r == 0 && root->state == BASE_ABSENT && m->counts && m->v.state == BASE_KNOWN && m->v.st.st_ino)
		r = began->state == BASE_KNOWN && !is_older(began, &m->v);
	return r;
}

struct origin {
	struct version v;
	const struct version *root; /* what the older of the two began with */
	bool is_common;
};

static int find_common(struct ancestry *a, const char *path, const struct past *x, struct origin *ret)
{
	scoped(drop_mem) char *file = NULL;
	struct view_entry s;
	int r;

	if (!a->common || !view_knows(a->common, path))
		return 0;
	r = view_find(a->common, path, &s);
	if (r < 0)
		return r;
	file = view_file(a->common, &s, path);
	*ret = (struct origin){ .root = &x->list[0].v, .is_common = true };
	r = file ? version_of_thing(&a->scratch_dir, &s.thing, file, &ret->v) : -ENOMEM;
	return r < 0 ? r : 1;
}

/* What was promoted at moment M of MINE; if the other began with an older version, as it would have been with
 * that. */
static int take_moment(struct ancestry *a, const struct past *mine, const struct moment *m,
		       const struct past *other, struct origin *ret)
{
	const struct version *root = &mine->list[0].v, *began = &other->list[0].v;
	struct version moved;
	int r;

	*ret = (struct origin){ .v = m->v, .root = root };
	if (!is_older(began, root))
		return 0;
	r = version_merge(&a->scratch_dir, root, &m->v, began, &moved);
	if (r == 0 && moved.state != BASE_UNKNOWN)
		*ret = (struct origin){ .v = moved, .root = began };
	return r;
}

/* The newest version that is in both. */
static int find_origin(struct ancestry *a, const char *path, const struct past sides[2], struct origin *ret)
{
	int r = find_common(a, path, &sides[0], ret), older;

	if (r != 0)
		return r < 0 ? r : 0;
	for (int k = 1; k >= 0; k--)
		for (size_t i = sides[k].n; i-- > 1;) {
			r = is_shared(a, &sides[k], &sides[k].list[i], &sides[!k]);
			if (r != 0)
				return r < 0 ? r
					     : take_moment(a, &sides[k], &sides[k].list[i], &sides[!k], ret);
		}
	/* What the host did in between is then in one of them, and done by none of them. */
	older = is_older(&sides[0].list[0].v, &sides[1].list[0].v) ? 0 : 1;
	*ret = (struct origin){ .v = sides[older].list[0].v, .root = &sides[older].list[0].v };
	return 0;
}

/* ONLY: what is said of it if not both boxes know it. */
static int add_origin(struct ancestry *a, const char *path, const struct past *only,
		      const struct past both[2])
{
	struct origin o = { 0 };
	int r = 0;

	if (both) {
		r = find_origin(a, path, both, &o);
		o.v.whole = both[0].list[0].v.whole || both[1].list[0].v.whole;
	} else {
		o.v = only->list[0].v;
	}
	if (r < 0 || o.is_common)
		return r;
	return version_to_base(&a->scratch_dir, &o.v, path, &a->origins.items[a->origins.n++]);
}

static bool has_dir(const struct node *n)
{
	return n && (n->kind == NODE_DIR || n->kind == NODE_OPAQUE);
}

/* What the layers of MINE that are not common have in a directory that both boxes know. */
static void collect(struct ancestry *a, const struct node *mine, const struct node *other, const char *rel)
{
	size_t n_common = a->common ? a->common->view->n_ups : 0;

	for (size_t i = 0; i < mine->n; i++) {
		const struct node *n = mine->children[i], *twin = node_find(other, n->name);

		if (n->layer < n_common)
			continue;
		strlist_addf(&a->paths, "%s%s%s", rel, *rel ? "/" : "", n->name);
		if (!a->paths.failed && has_dir(n) && has_dir(twin)) {
			scoped(drop_mem) char *path = strdup(a->paths.items[a->paths.n - 1]);

			if (path)
				collect(a, n, twin, path);
			else
				a->paths.failed = true;
		}
	}
}

static int list_paths(struct ancestry *a)
{
	for (int k = 0; k < 2; k++) {
		const struct base_map *m = &a->pasts[k];

		for (size_t i = 0; i < m->n; i++)
			if (i == 0 || strcmp(m->items[i].path, m->items[i - 1].path) != 0)
				strlist_add(&a->paths, m->items[i].path);
		collect(a, a->open_views[k]->root, a->open_views[!k]->root, "");
	}
	if (a->paths.failed)
		return -ENOMEM;
	names_sort(&a->paths);
	a->origins.items = calloc(a->paths.n ? a->paths.n : 1, sizeof(*a->origins.items));
	return a->origins.items ? 0 : -ENOMEM;
}

static int look_at(struct ancestry *a, const char *path)
{
	bool in_second = view_knows(a->open_views[1], path);
	struct past both[2];
	int r = 0;

	for (int k = 0; r == 0 && k < 2; k++)
		r = read_past(a, k, path, &both[k]);
	if (r < 0)
		return r;
	if (in_second && view_knows(a->open_views[0], path))
		return add_origin(a, path, NULL, both);
	return add_origin(a, path, &both[in_second], NULL);
}

int ancestry_read(struct ancestry *a, const struct strlist *const dirs[2], struct aisbx_error *e)
{
	const char *at = "";
	int r = 0;

	a->scratch_dir.e = e;
	for (int k = 0; r == 0 && k < 2; k++)
		r = base_history_read((const char *const *)dirs[k]->items, dirs[k]->n, &a->pasts[k], e);
	if (r == 0)
		r = list_paths(a);
	for (size_t i = 0; r == 0 && i < a->paths.n; i++) {
		at = a->paths.items[i];
		r = look_at(a, at);
	}
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "find out what '%s' is based on", at)
				 : r;
}

/* The records being made. */
struct notes {
	struct ancestry *a;
	struct base_note *list; /* owned */
	size_t n;
	struct strlist conflicts; /* owned; paths */
};

static void notes_finish(struct notes *n)
{
	strlist_finish(&n->conflicts);
	for (size_t i = 0; i < n->n; i++)
		free((void *)n->list[i].needs);
	free(n->list);
}

static int add_note(struct notes *n, const char *path, const struct version *v, const char *const *needs,
		    size_t n_needs)
{
	struct base_note *grown = n->list;
	const char **copy = NULL;

	if ((n->n & (n->n - 1)) == 0)
		grown = realloc(n->list, (n->n ? n->n * 2 : 1) * sizeof(*grown));
	if (grown && n_needs) {
		copy = calloc(n_needs, sizeof(*copy));
		if (copy)
			memcpy(copy, needs, n_needs * sizeof(*copy));
	}
	if (grown)
		n->list = grown;
	if (!grown || (n_needs && !copy))
		return -ENOMEM;
	grown[n->n++] = (struct base_note){ .path = path,
					    .state = v->state,
					    .whole = v->whole,
					    .st = v->st,
					    .xattrs = v->xattrs,
					    .file = v->file,
					    .is_blob = v->is_blob,
					    .needs = copy,
					    .n_needs = n_needs };
	memcpy(grown[n->n - 1].sum, v->sum, sizeof(v->sum));
	return 0;
}

/* All that one box says of PATH. */
static int note_past(struct notes *n, const char *path, const struct past *p)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n; i++)
		if (p->list[i].counts)
			r = add_note(n, path, &p->list[i].v, p->list[i].needs, p->list[i].n_needs);
	return r;
}

static bool has(const char *const *list, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], id))
			return true;
	return false;
}

/* What both moments need, or 0 when that is too much. */
static bool join(const struct moment *x, const struct moment *y, struct moment *ret)
{
	*ret = *x;
	for (size_t i = 0; i < y->n_needs; i++) {
		if (has(ret->needs, ret->n_needs, y->needs[i]))
			continue;
		if (ret->n_needs == MAX_NEEDS)
			return false;
		ret->needs[ret->n_needs++] = y->needs[i];
	}
	return true;
}

/* When all that BOTH needs counts, a later moment than number AT of P does as well: so this one is never
 * asked for. */
static bool is_outdone(const struct past *p, size_t at, const struct moment *both)
{
	for (size_t i = at + 1; i < p->n; i++) {
		size_t k = 0;

		while (k < p->list[i].n_needs && has(both->needs, both->n_needs, p->list[i].needs[k]))
			k++;
		if (p->list[i].counts && k == p->list[i].n_needs)
			return true;
	}
	return false;
}

/*
 * The base of both together, if X and Y are the bases of each. What is O's and neither began with is the work
 * of both: it is promoted when one of them did that. Otherwise, whoever has lost it since has lost it for
 * both.
 */
static int merge_bases(struct ancestry *a, const struct origin *o, bool is_work, const struct version *x,
		       const struct version *y, struct version *ret)
{
	int in_x = 0, in_y = 0, r;

	if (is_work) {
		in_x = version_contains(&a->scratch_dir, x, &o->v, o->root);
		in_y = in_x < 0 ? in_x : version_contains(&a->scratch_dir, y, &o->v, o->root);
		if (in_y < 0)
			return in_y;
	}
	if (in_x == in_y)
		return version_merge(&a->scratch_dir, &o->v, x, y, ret);
	r = version_merge(&a->scratch_dir, o->root, x, y, ret);
	if (r == 0 && ret->state == BASE_UNKNOWN)
		*ret = in_x ? *x : *y;
	return r;
}

static int note_both(struct notes *n, const char *path, const struct past both[2])
{
	const struct past *x = &both[0], *y = &both[1];
	struct origin o = { 0 };
	bool is_whole = x->list[0].v.whole || y->list[0].v.whole;
	int r = find_origin(n->a, path, both, &o), in = 0;

	for (int k = 0; r == 0 && in == 0 && k < 2; k++)
		in = version_contains(&n->a->scratch_dir, &both[k].list[0].v, &o.v, o.root);
	r = in < 0 ? in : r;
	for (size_t i = 0; r == 0 && i < x->n; i++)
		for (size_t k = 0; r == 0 && k < y->n; k++) {
			struct moment m;

			if (!x->list[i].counts || !y->list[k].counts || !join(&x->list[i], &y->list[k], &m) ||
			    is_outdone(x, i, &m) || is_outdone(y, k, &m))
				continue;
			r = merge_bases(n->a, &o, !in, &x->list[i].v, &y->list[k].v, &m.v);
			m.v.whole = is_whole;
			if (r == 0)
				r = add_note(n, path, &m.v, m.needs, m.n_needs);
		}
	return r;
}

/* Whether the layers both stand on hold all the records the second box has. */
static bool is_all_common(const struct ancestry *a, const char *path)
{
	size_t n, n_common = a->common ? a->common->view->n_ups : 0;
	const struct base *b = records_of(&a->pasts[1], path, &n);

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n_common && strcmp(a->pasts[1].dirs.items[k], b[i].dir) != 0)
			k++;
		if (k == n_common)
			return false;
	}
	return n > 0;
}

/* PATH itself or a directory above it. */
static bool is_below(const struct strlist *tops, const char *path)
{
	for (size_t i = 0; i < tops->n; i++) {
		size_t n = strlen(tops->items[i]);

		if (!strncmp(tops->items[i], path, n) && (!path[n] || path[n] == '/'))
			return true;
	}
	return false;
}

static int note_path(struct notes *n, const char *path, enum merge_resolution resolution)
{
	bool in_first = view_knows(n->a->open_views[0], path),
	     in_second = view_knows(n->a->open_views[1], path);
	bool is_taken = is_below(&n->conflicts, path);
	struct past both[2];
	int r = 0;

	if (is_taken && resolution != RESOLVE_OVERWRITE)
		return 0; /* the first box's version, with what that says of it */
	for (int k = 0; r == 0 && k < 2; k++)
		r = read_past(n->a, k, path, &both[k]);
	if (r < 0)
		return r;
	if (is_taken || (in_second && !in_first) || !strcmp(path, "."))
		return strcmp(path, ".") != 0 || !both[0].n_records ? note_past(n, path, &both[1]) : 0;
	if (in_first && in_second)
		return is_all_common(n->a, path) ? 0 : note_both(n, path, both);
	return in_first && !both[0].n_records ? note_past(n, path, &both[0])
					      : 0; /* it followed from what may be another now */
}

int ancestry_write(struct ancestry *a, const struct merge_plan *plan, enum merge_resolution resolution,
		   const char *tree_dir, struct aisbx_error *e)
{
	scoped(notes_finish) struct notes n = { .a = a };
	const char *at = "";
	int r;

	a->scratch_dir.e = e;
	for (size_t i = 0; i < plan->n; i++)
		if (plan->steps[i].outcome == MERGE_CONFLICT)
			strlist_add(&n.conflicts, plan->steps[i].path);
	r = n.conflicts.failed ? -ENOMEM : 0;
	for (size_t i = 0; r == 0 && i < a->paths.n; i++) {
		at = a->paths.items[i];
		r = note_path(&n, at, resolution);
	}
	if (r < 0)
		return e->code ? r
			       : aisbx_fail(e, AISBX_AREA_LAYER, -r, "find out what '%s' is based on", at);
	return base_write(tree_dir, n.list, n.n, e);
}
