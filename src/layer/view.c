/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up a path through layers: the newest that has it, else the host unless it is hidden. */
#include "layer/view.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/copy.h"

int view_open(const struct view *v, struct open_view *ret, struct aisbx_error *e)
{
	return view_open_masked(v, NULL, 0, ret, e);
}

int view_open_masked(const struct view *v, const struct node *mask, size_t n_masked, struct open_view *ret,
		     struct aisbx_error *e)
{
	static const struct tree_root closed = TREE_ROOT_INIT;
	struct open_view open_view = { .view = v, .host = TREE_ROOT_INIT };
	int r = tree_root_open(v->host, &open_view.host, e);

	if (r == 0)
		r = node_fold_masked(v->ups, v->n_ups, v->prefixes, mask, n_masked, &open_view.root, e);
	if (r == 0) {
		open_view.ups = calloc(v->n_ups ? v->n_ups : 1, sizeof(*open_view.ups));
		if (!open_view.ups)
			r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read layers");
	}
	for (size_t i = 0; r == 0 && i < v->n_ups; i++)
		open_view.ups[i] = closed;
	if (r < 0)
		view_close(&open_view);
	else
		*ret = open_view;
	return r;
}

void view_close(struct open_view *open_view)
{
	for (size_t i = 0; open_view->ups && i < open_view->view->n_ups; i++)
		tree_root_close(&open_view->ups[i]);
	free(open_view->ups);
	node_destroy(open_view->root);
	tree_root_close(&open_view->host);
	open_view->ups = NULL;
	open_view->root = NULL;
}

struct ref view_top(const struct open_view *open_view)
{
	return (struct ref){ open_view->root, true };
}

static struct tree_root *layer_place(struct open_view *open_view, size_t layer, struct aisbx_error *e)
{
	struct tree_root *p = &open_view->ups[layer];

	return p->root >= 0 || tree_root_open(open_view->view->ups[layer], p, e) == 0 ? p : NULL;
}

/* REL as layer LAYER names it. */
static const char *in_layer(const struct view *v, size_t layer, const char *rel)
{
	return v->prefixes ? rel + strlen(v->prefixes[layer]) + 1 : rel;
}

int view_look(struct open_view *open_view, struct ref parent, const char *rel, struct view_entry *ret)
{
	const char *slash = strrchr(rel, '/');
	const struct node *n = node_find(parent.node, slash ? slash + 1 : rel);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tree_root *p = &open_view->host;
	const struct node *below = n;
	int r;

	if (n && n->kind == NODE_PASS)
		n = NULL;
	*ret = (struct view_entry){ .from_host = !n };
	if (n ? n->kind == NODE_GONE : !parent.host)
		return 0;
	if (n) {
		ret->layer = n->layer;
		ret->thing.id_delta = open_view->view->id_delta;
		p = layer_place(open_view, n->layer, &e);
		if (!p)
			return e.code;
		rel = in_layer(open_view->view, n->layer, rel);
	}
	/* A directory that became something else since: what it held is not gone, somebody is changing the
	 * tree under our eyes. */
	if (!n && parent.seen &&
	    ((r = tree_root_parent(p, rel, &ret->thing.name)) == -ELOOP || r == -ENOTDIR))
		return -ESTALE;
	r = tree_root_stat(p, rel, &ret->thing.st);
	if (r == -EXDEV && !n) /* another file system is mounted there: a box sees nothing of it */
		return 0;
	if (r <= 0)
		return r;
	ret->thing.exists = true;
	ret->thing.at = tree_root_parent(p, rel, &ret->thing.name);
	ret->thing.st.st_uid = (uid_t)(ret->thing.st.st_uid + ret->thing.id_delta);
	ret->thing.st.st_gid = (gid_t)(ret->thing.st.st_gid + ret->thing.id_delta);
	if (S_ISDIR(ret->thing.st.st_mode))
		ret->ref = (struct ref){ below, parent.host && (!n || n->kind == NODE_DIR), !n };
	return 0;
}

int view_find(struct open_view *open_view, const char *rel, struct view_entry *ret)
{
	scoped(drop_mem) char *parts = strdup(rel);
	struct ref at = view_top(open_view);
	char *part = parts, *slash;

	if (!parts)
		return -ENOMEM;
	for (; (slash = strchr(part, '/')); part = slash + 1) {
		const struct node *n;

		*slash = '\0';
		n = node_find(at.node, part);
		if (n ? n->kind == NODE_GONE || n->kind == NODE_OTHER : !at.host) {
			*ret = (struct view_entry){ 0 };
			return 0;
		}
		at = (struct ref){ n, at.host && (!n || n->kind == NODE_DIR || n->kind == NODE_PASS) };
	}
	return view_look(open_view, at, rel, ret);
}

bool view_knows(const struct open_view *open_view, const char *rel)
{
	scoped(drop_mem) char *parts = strdup(rel);
	const struct node *n = open_view->root;
	bool hides = false;
	char *save = NULL;

	for (char *part = parts ? strtok_r(parts, "/", &save) : NULL; part;
	     part = strtok_r(NULL, "/", &save)) {
		hides |= n->kind != NODE_DIR && n->kind != NODE_PASS && n != open_view->root;
		n = node_find(n, part);
		if (!n)
			return hides;
	}
	return true;
}

static int names_end(int r, const struct strlist *names)
{
	return r < 0 ? r : names->failed ? -ENOMEM : 0;
}

int view_names(struct open_view *open_view, struct ref dir, const char *rel, bool host, struct strlist *ret)
{
	const char *name;
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	int at, r = 0;

	for (size_t i = 0; r == 0 && dir.node && i < dir.node->n; i++) {
		strlist_add(ret, dir.node->children[i]->name);
		r = memory_check();
	}
	if (r < 0 || !host || !dir.host)
		return names_end(r, ret);
	at = tree_root_parent(&open_view->host, rel, &name);
	d = dir_take(at < 0 ? at : copy_open(at, name), &r);
	if (!d) /* it may be of another type: then there are no names */
		return copy_is_gone(r) ? 0 : r;
	while (r == 0 && (entry = dir_next(d, &r))) {
		strlist_add(ret, entry->d_name);
		r = r < 0 ? r : memory_check();
	}
	return names_end(r, ret);
}

char *view_file(const struct open_view *open_view, const struct view_entry *s, const char *rel)
{
	const struct view *v = open_view->view;

	return s->from_host ? path_join(v->host, rel)
			    : path_join(v->ups[s->layer], in_layer(v, s->layer, rel));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct strlist *names)
{
	size_t kept = 0;

	if (!names->n)
		return;
	qsort(names->items, names->n, sizeof(*names->items), by_text);
	for (size_t i = 0; i < names->n; i++) {
		if (kept && !strcmp(names->items[kept - 1], names->items[i]))
			free(names->items[i]);
		else
			names->items[kept++] = names->items[i];
	}
	names->items[kept] = NULL;
	names->n = kept;
}
