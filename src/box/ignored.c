/* SPDX-License-Identifier: Apache-2.0 */
/* Asks layer/ignore.h about every path, and also leaves out new directories that contain nothing else. */
#include "box/ignored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/private_dir.h"
#include "base/scope.h"
#include "layer/ignore.h"
#include "layer/layer.h"

struct thing_changed {
	size_t at;   /* in the list it comes from */
	bool is_new; /* a directory that the box made */
	struct ignore_item *item;
};

struct things {
	struct ignore_item *items;  /* owned */
	struct thing_changed *list; /* owned; sorted by path */
	size_t n;
};

static void things_finish(struct things *t)
{
	free(t->items);
	free(t->list);
}

static int things_make(struct things *t, size_t n)
{
	t->items = calloc(n ? n : 1, sizeof(*t->items));
	t->list = calloc(n ? n : 1, sizeof(*t->list));
	return t->items && t->list ? 0 : -ENOMEM;
}

static void add(struct things *t, size_t at, const char *path, bool is_dir, bool is_new)
{
	t->items[t->n] = (struct ignore_item){ .path = path, .is_dir = is_dir };
	t->list[t->n] =
		(struct thing_changed){ .at = at, .is_new = is_dir && is_new, .item = &t->items[t->n] };
	t->n++;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct thing_changed *)a)->item->path,
		      ((const struct thing_changed *)b)->item->path);
}

/* Where the first path is that begins with that of I and a slash; or where it would be. */
static size_t find_below(const struct things *t, size_t i)
{
	const char *dir = t->list[i].item->path;
	size_t n = strlen(dir), from = i + 1, to = t->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const char *path = t->list[mid].item->path;
		int order = strncmp(path, dir, n);

		if (order < 0 || (order == 0 && (unsigned char)path[n] < '/'))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool is_below(const struct things *t, size_t i, size_t dir)
{
	const char *path = t->list[dir].item->path;
	size_t n = strlen(path);

	return i < t->n && !strncmp(t->list[i].item->path, path, n) && t->list[i].item->path[n] == '/';
}

/* New directories that hold nothing but what is left out. What lies in one is behind it. */
static int leave_shells(struct things *t)
{
	scoped(drop_mem) size_t *next =
		calloc(t->n + 1, sizeof(*next)); /* the first from there on that is not left out */

	if (!next)
		return -ENOMEM;
	next[t->n] = t->n;
	for (size_t i = t->n; i-- > 0;) {
		size_t first = t->list[i].is_new ? find_below(t, i) : t->n;

		if (is_below(t, first, i) && !is_below(t, next[first], i))
			t->list[i].item->ignored = true;
		next[i] = t->list[i].item->ignored ? next[i + 1] : i;
	}
	return 0;
}

/* The directory in which a git directory is, or the bare repository itself; heap. NULL: the project. */
static char *tree_of(const char *git)
{
	const char *slash = strrchr(git, '/');

	if (strcmp(slash ? slash + 1 : git, ".git") != 0)
		return strdup(git);
	return slash ? strndup(git, (size_t)(slash - git)) : NULL;
}

/* In a directory of our own, gone afterwards. */
static int find(struct open_view *open_view, struct things *t, struct aisbx_error *e)
{
	char scratch[] = "/tmp/aisbx-ignore-XXXXXX";
	struct aisbx_error left = AISBX_ERROR_INIT;
	int r;

	if (!t->n)
		return 0;
	r = private_dir_check_shared("/tmp", "'chmod 1777 /tmp' as root", e);
	if (r < 0)
		return r;
	if (!mkdtemp(scratch))
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s' to find out what git ignores",
				  scratch);
	r = ignore_find(open_view, t->items, t->n, scratch, e);
	if (layer_remove("/tmp", scratch + strlen("/tmp/"), &left) < 0 && r == 0) {
		*e = left;
		r = e->code;
	}
	if (r < 0)
		return aisbx_hint(e, "with --ignored git is not asked");
	qsort(t->list, t->n, sizeof(*t->list), by_path);
	return leave_shells(t) < 0 ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find out what git ignores") : 0;
}

/* Repositories in what git ignores are left out like the rest of it. */
static int leave_gits(struct open_view *open_view, struct strlist *gits, struct aisbx_error *e)
{
	scoped(things_finish) struct things t = { 0 };
	scoped(strlist_finish) struct strlist trees = { 0 };
	size_t kept = 0;
	int r = things_make(&t, gits->n);

	for (size_t i = 0; r == 0 && i < gits->n; i++) {
		scoped(drop_mem) char *tree = tree_of(gits->items[i]);

		strlist_add(&trees, tree ? tree : "");
	}
	if (r < 0 || trees.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find out which repositories git ignores");
	for (size_t i = 0; i < gits->n; i++)
		if (*trees.items[i] && strcmp(trees.items[i], ".") != 0)
			add(&t, i, trees.items[i], true, false);
	r = find(open_view, &t, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < t.n; i++)
		if (t.list[i].item->ignored) {
			free(gits->items[t.list[i].at]);
			gits->items[t.list[i].at] = NULL;
		}
	for (size_t i = 0, n = gits->n; i < n; i++)
		if (gits->items[i])
			gits->items[kept++] = gits->items[i];
	gits->n = kept;
	if (gits->items)
		gits->items[kept] = NULL;
	return 0;
}

int box_ignored_in_list(struct open_view *open_view, struct change_list *list, struct box_ignored *ret,
			struct aisbx_error *e)
{
	scoped(things_finish) struct things t = { 0 };
	size_t kept = 0;
	int r = things_make(&t, list->n);

	*ret = (struct box_ignored){ 0 };
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find out which of %zu changes git ignores",
				  list->n);
	for (size_t i = 0; i < list->n; i++) {
		const struct change *c = &list->items[i];

		if (strcmp(c->path, ".") != 0)
			add(&t, i, c->path, S_ISDIR(c->new_mode ? c->new_mode : c->old_mode), !c->old_mode);
	}
	r = find(open_view, &t, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < t.n; i++) {
		struct change *c = &list->items[t.list[i].at];

		if (!t.list[i].item->ignored)
			continue;
		if (c->kind != CHANGE_TOUCH && !t.list[i].item->is_dir) {
			ret->files++;
			ret->bytes += (uint64_t)(c->new_mode ? c->new_size : 0);
		}
		c->kind = CHANGE_NONE;
	}
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].kind == CHANGE_NONE)
			change_finish(&list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->n = kept;
	return leave_gits(open_view, &list->gits, e);
}

static bool is_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* Git would ignore NAME, or a directory it lies in, itself. */
static bool is_ignored(const struct things *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].item->ignored && is_within(name, t->list[i].item->path))
			return true;
	return false;
}

/* What was asked for by name comes, and so do the directories it is in. */
static void keep_named(struct things *t, const struct strlist *named)
{
	for (size_t k = 0; named && k < named->n; k++) {
		const char *name = named->items[k];

		if (!strcmp(name, ".") || !is_ignored(t, name))
			continue;
		for (size_t i = 0; i < t->n; i++)
			if (is_within(name, t->list[i].item->path) || is_within(t->list[i].item->path, name))
				t->list[i].item->ignored = false;
	}
}

int box_ignored_in_plan(struct open_view *open_view, struct merge_plan *plan, const struct strlist *named,
			struct box_ignored *ret, struct aisbx_error *e)
{
	scoped(things_finish) struct things t = { 0 };
	int r = things_make(&t, plan->n);

	*ret = (struct box_ignored){ 0 };
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find out which of %zu changes git ignores",
				  plan->n);
	for (size_t i = 0; i < plan->n; i++) {
		const struct merge_step *s = &plan->steps[i];

		if (strcmp(s->path, ".") != 0)
			add(&t, i, s->source ? s->source : s->path,
			    S_ISDIR(s->now.st_mode ? s->now.st_mode : s->old.st_mode), !s->old.st_mode);
	}
	r = find(open_view, &t, e);
	if (r < 0)
		return r;
	keep_named(&t, named);
	for (size_t i = 0; i < t.n; i++) {
		struct merge_step *s = &plan->steps[t.list[i].at];

		if (!t.list[i].item->ignored)
			continue;
		s->idle = true;
		if (s->box != CHANGE_TOUCH && !t.list[i].item->is_dir) {
			ret->files++;
			ret->bytes += s->now.st_mode ? (uint64_t)s->now.st_size : 0;
		}
	}
	merge_drop_idle(plan);
	return named ? 0 : leave_gits(open_view, &plan->gits, e);
}
