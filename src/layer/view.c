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

int eye_open(const struct view *v, struct eye *ret, struct aisbx_error *e)
{
	static const struct place closed = PLACE_INIT;
	struct eye eye = { .view = v, .host = PLACE_INIT };
	int r = place_open(v->host, &eye.host, e);

	if (r == 0)
		r = node_fold(v->ups, v->n_ups, &eye.root, e);
	if (r == 0) {
		eye.ups = calloc(v->n_ups ? v->n_ups : 1, sizeof(*eye.ups));
		if (!eye.ups)
			r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read layers");
	}
	for (size_t i = 0; r == 0 && i < v->n_ups; i++)
		eye.ups[i] = closed;
	if (r < 0)
		eye_close(&eye);
	else
		*ret = eye;
	return r;
}

void eye_close(struct eye *eye)
{
	for (size_t i = 0; eye->ups && i < eye->view->n_ups; i++)
		place_close(&eye->ups[i]);
	free(eye->ups);
	node_destroy(eye->root);
	place_close(&eye->host);
	eye->ups = NULL;
	eye->root = NULL;
}

struct ref eye_top(const struct eye *eye)
{
	return (struct ref){ eye->root, true };
}

static struct place *layer_place(struct eye *eye, size_t layer, struct aisbx_error *e)
{
	struct place *p = &eye->ups[layer];

	return p->root >= 0 || place_open(eye->view->ups[layer], p, e) == 0 ? p : NULL;
}

int eye_look(struct eye *eye, struct ref parent, const char *rel, struct sight *ret)
{
	const char *slash = strrchr(rel, '/');
	const struct node *n = node_find(parent.node, slash ? slash + 1 : rel);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct place *p = &eye->host;
	int r;

	*ret = (struct sight){ .from_host = !n };
	if (n ? n->kind == NODE_GONE : !parent.host)
		return 0;
	if (n) {
		ret->layer = n->layer;
		ret->thing.id_delta = eye->view->id_delta;
		p = layer_place(eye, n->layer, &e);
		if (!p)
			return e.code;
	}
	/* A directory that became something else since: what it held is not gone, somebody is changing the
	 * tree under our eyes. */
	if (!n && parent.seen && ((r = place_parent(p, rel, &ret->thing.name)) == -ELOOP || r == -ENOTDIR))
		return -ESTALE;
	r = place_stat(p, rel, &ret->thing.st);
	if (r == -EXDEV && !n) /* another file system is mounted there: a box sees nothing of it */
		return 0;
	if (r <= 0)
		return r;
	ret->thing.exists = true;
	ret->thing.at = place_parent(p, rel, &ret->thing.name);
	ret->thing.st.st_uid = (uid_t)(ret->thing.st.st_uid + ret->thing.id_delta);
	ret->thing.st.st_gid = (gid_t)(ret->thing.st.st_gid + ret->thing.id_delta);
	if (S_ISDIR(ret->thing.st.st_mode))
		ret->ref = (struct ref){ n, parent.host && (!n || n->kind == NODE_DIR), !n };
	return 0;
}

int eye_find(struct eye *eye, const char *rel, struct sight *ret)
{
	scoped(drop_mem) char *parts = strdup(rel);
	struct ref at = eye_top(eye);
	char *part = parts, *slash;

	if (!parts)
		return -ENOMEM;
	for (; (slash = strchr(part, '/')); part = slash + 1) {
		const struct node *n;

		*slash = '\0';
		n = node_find(at.node, part);
		if (n ? n->kind == NODE_GONE || n->kind == NODE_OTHER : !at.host) {
			*ret = (struct sight){ 0 };
			return 0;
		}
		at = (struct ref){ n, at.host && (!n || n->kind == NODE_DIR) };
	}
	return eye_look(eye, at, rel, ret);
}

bool eye_knows(const struct eye *eye, const char *rel)
{
	scoped(drop_mem) char *parts = strdup(rel);
	const struct node *n = eye->root;
	bool hides = false;
	char *save = NULL;

	for (char *part = parts ? strtok_r(parts, "/", &save) : NULL; part;
	     part = strtok_r(NULL, "/", &save)) {
		hides |= n->kind != NODE_DIR && n != eye->root;
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

int eye_names(struct eye *eye, struct ref dir, const char *rel, bool host, struct strlist *ret)
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
	at = place_parent(&eye->host, rel, &name);
	d = dir_take(at < 0 ? at : copy_open(at, name), &r);
	if (!d) /* it may be of another type: then there are no names */
		return copy_is_gone(r) ? 0 : r;
	while (r == 0 && (entry = dir_next(d, &r))) {
		strlist_add(ret, entry->d_name);
		r = r < 0 ? r : memory_check();
	}
	return names_end(r, ret);
}

char *eye_file(const struct eye *eye, const struct sight *s, const char *rel)
{
	return path_join(s->from_host ? eye->view->host : eye->view->ups[s->layer], rel);
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
