/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of the system a box changed: from rows to directories. */
#include "box/system_point.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/host.h"
#include "layer/layer.h"

void box_system_point_finish(struct box_system_point *p)
{
	strlist_finish(&p->hosts);
	strlist_finish(&p->prefixes);
	strlist_finish(&p->trees);
	strlist_finish(&p->ups);
}

/* Whether a layer has a tree beside the project's: an ordinary user's never has, and that costs one look. */
static int has_trees(const struct box_state *s, const struct store_layer *chain, size_t n, bool *ret)
{
	int r = 0;

	*ret = false;
	for (size_t i = 0; r == 0 && i < n && !*ret; i++) {
		scoped(drop_mem) char *path = path_join(s->layers, chain[i].id);
		scoped(drop_dir) DIR *dir = path ? opendir(path) : NULL;
		struct dirent *entry;

		if (!dir)
			return !path ? -ENOMEM : errno == ENOENT ? 0 : -errno;
		while (!*ret && (entry = dir_next(dir, &r)))
			*ret = entry->d_name[0] == 'm' && strlen(entry->d_name) == 17;
	}
	return r;
}

/* Nothing is in it: every run makes one for each part of the system. */
static bool is_bare(const char *up)
{
	scoped(drop_dir) DIR *dir = opendir(up);
	int r = 0;

	return dir && !dir_next(dir, &r) && r == 0;
}

static int add_tree(const struct box_state *s, const struct store_layer *chain, size_t n, const char *host,
		    struct box_system_point *ret, struct aisbx_error *e)
{
	char tree[32];

	layer_tree_name(host, NULL, tree, sizeof(tree));
	while (n--) {
		scoped(drop_mem) char *dir = NULL;
		scoped(drop_mem) char *up = NULL;

		if (asprintf(&dir, "%s/%s/%s", s->layers, chain[n].id, tree) < 0)
			dir = NULL;
		up = dir ? path_join(dir, "up") : NULL;
		if (!up)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", host);
		if (access(up, F_OK) == 0 && !is_bare(up)) {
			strlist_add(&ret->hosts, host);
			strlist_add(&ret->prefixes, host + 1);
			strlist_add(&ret->trees, dir);
			strlist_add(&ret->ups, up);
		} else if (access(up, F_OK) < 0 && errno != ENOENT) { /* what cannot be seen is not absent */
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "inspect '%s'", up);
		}
	}
	return 0;
}

int box_system_point_read(struct box_state *s, const struct store_box *b, const char *snapshot,
			  struct box_system_point *ret, struct aisbx_error *e)
{
	scoped(host_view_finish) struct host_view host = { 0 };
	scoped(drop_mem) struct store_layer *chain = NULL;
	struct store_snapshot snap;
	size_t n = 0;
	bool any = false;
	int r = snapshot[0] ? store_snapshot_find(s->store, b->id, snapshot, &snap, e) : 0;

	if (b->image[0]) /* what it changed is nothing of this machine's */
		return 0;
	if (r == 0)
		r = store_layer_chain(s->store, snapshot[0] ? snap.layer : b->top, &chain, &n, e);
	if (r < 0)
		return r;
	r = has_trees(s, chain, n, &any);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "inspect the layers of '%s'", b->name);
	if (!any)
		return 0;
	r = host_view_read(false, driver_id_shift() != 0, &host, e); /* as the box was laid out */
	for (size_t i = 0; r == 0 && i < host.n_entries; i++) {
		const struct host_entry *entry = &host.entries[i];

		if ((entry->kind == HOST_CLONE || (entry->kind == HOST_EMPTY && entry->bare)) &&
		    (!b->project || strcmp(entry->path, b->project) != 0))
			r = add_tree(s, chain, n, entry->path, ret, e);
	}
	if (r < 0)
		return r;
	ret->view = (struct view){ .host = "/",
				   .ups = (const char *const *)ret->ups.items,
				   .n_ups = ret->ups.n,
				   .prefixes = (const char *const *)ret->prefixes.items,
				   .id_delta = -(int64_t)driver_id_shift() };
	return ret->hosts.failed || ret->prefixes.failed || ret->trees.failed || ret->ups.failed
		       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", b->name)
		       : 0;
}

size_t box_system_tree_end(const struct box_system_point *p, size_t at)
{
	size_t end = at;

	while (end < p->hosts.n && !strcmp(p->hosts.items[end], p->hosts.items[at]))
		end++;
	return end;
}

struct view box_system_tree_view(const struct box_system_point *p, size_t at, size_t end)
{
	return (struct view){ .host = p->hosts.items[at],
			      .ups = (const char *const *)p->ups.items + at,
			      .n_ups = end - at,
			      .id_delta = p->view.id_delta };
}

int box_system_settle(struct box_state *s, const struct store_box *b, struct box_bases *bases,
		      struct aisbx_error *e)
{
	scoped(box_system_point_finish) struct box_system_point p = { 0 };
	scoped(drop_mem) char *layer = path_join(s->layers, b->top);
	int r = layer ? box_system_point_read(s, b, "", &p, e)
		      : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", b->name);

	for (size_t at = 0, end; r == 0 && at < p.hosts.n; at = end) {
		end = box_system_tree_end(&p, at);
		r = base_settle_tree(layer, strrchr(p.trees.items[at], '/') + 1, p.hosts.items[at],
				     (const char *const *)p.trees.items + at, end - at, &bases->filter, e);
	}
	if (r == 0 && bases->error.code)
		*e = bases->error;
	return r == 0 ? bases->error.code : r;
}
