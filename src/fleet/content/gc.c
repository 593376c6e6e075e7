/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verb "gc": begins a generation, forgets trees that were not pushed in the last ones, condemns packs
 * that no tree needs, and deletes those that an earlier run condemned and that still no tree needs. A push
 * that wrote its tree after this run has listed trees sees what was condemned before it, and does without.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/root.h"
#include "fleet/content/state.h"
#include "fleet/content/verbs.h"

struct gc {
	struct content_request *request; /* borrowed */
	struct content_store *store;     /* owned */
	struct content_state state;      /* as it was before this run listed trees */
	uint64_t next;                   /* the generation that begins */
	struct strlist trees, old_trees; /* objects */
	struct strlist needed;           /* packs of trees; sorted */
	struct strlist packs;            /* all; sorted */
	struct strlist condemn, drop;
	uint64_t sizes; /* bytes of those that are deleted */
};

static void gc_finish(struct gc *g)
{
	strlist_finish(&g->trees);
	strlist_finish(&g->old_trees);
	strlist_finish(&g->needed);
	strlist_finish(&g->packs);
	strlist_finish(&g->condemn);
	strlist_finish(&g->drop);
	content_state_finish(&g->state);
	content_store_close(g->store);
}

static int take_tree(void *ctx, const char *name, uint64_t size)
{
	struct gc *g = ctx;
	unsigned long long generation = 0;

	(void)size;
	if (sscanf(name, "trees/%*64[0-9a-f]/%10llu", &generation) != 1)
		return 0;
	strlist_add(generation + g->request->keep < g->next ? &g->old_trees : &g->trees, name);
	return g->trees.failed || g->old_trees.failed ? -ENOMEM : 0;
}

/* What a tree needs. One that cannot be read ends this run: nothing of it may be deleted. */
static int read_tree(struct gc *g, const char *name, struct aisbx_error *e)
{
	scoped(content_root_finish) struct content_root root = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	int r = content_get(g->store, name, 0, CONTENT_ROOT_MOST, &text, e);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	r = content_root_read(&g->request->key, text.data, text.len, &root);
	if (r < 0)
		return aisbx_refuse(
			e, AISBX_KIND_CONFLICT, AISBX_AREA_LAYER, -r,
			"'%.100s' in %.200s is damaged, so nobody knows what it needs; nothing was "
			"deleted. Push it again, or remove it",
			name, g->store->url);
	for (size_t i = 0; i < root.n_packs; i++)
		strlist_add(&g->needed, root.packs[i]);
	return g->needed.failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read a tree") : 0;
}

static int take_pack(void *ctx, const char *name, uint64_t size)
{
	struct gc *g = ctx;
	unsigned long long generation;

	name += strlen("packs/");
	if (!content_pack_name_is_good(name))
		return 0;
	generation = strtoull(name, NULL, 10);
	strlist_add(&g->packs, name);
	if (content_list_has(&g->needed, name))
		return g->packs.failed ? -ENOMEM : 0;
	if (content_list_has(&g->state.condemned, name)) {
		strlist_add(&g->drop, name);
		g->sizes += size;
	} else if (generation + 1 < g->next) { /* newer ones may be of a push that has not ended */
		strlist_add(&g->condemn, name);
	}
	return g->packs.failed || g->drop.failed || g->condemn.failed ? -ENOMEM : 0;
}

static int look(struct gc *g, struct aisbx_error *e)
{
	int r = content_list(g->store, "trees/", "", take_tree, g, e);

	for (size_t i = 0; r == 0 && i < g->trees.n; i++)
		r = read_tree(g, g->trees.items[i], e);
	content_list_sort(&g->needed);
	return r < 0 ? r : content_list(g->store, "packs/", "", take_pack, g, e);
}

static int remove_all(struct gc *g, const char *before, const struct strlist *names, struct aisbx_error *e)
{
	char name[CONTENT_OBJECT_NAME];
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->n; i++) {
		snprintf(name, sizeof(name), "%s%s", before, names->items[i]);
		r = content_remove(g->store, name, e);
	}
	return r;
}

/* 1: it says nothing any more that somebody could need. */
static int is_old_list(struct gc *g, const char *name, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist packs = { 0 };
	unsigned long long generation = 0;
	int r;

	if (sscanf(name, "state/%*[a-z]-%10llu", &generation) != 1 || !strncmp(name, "state/store-", 12) ||
	    generation + CONTENT_STATE_KEPT >= g->next)
		return 0;
	if (strncmp(name, "state/condemned-", 16) != 0)
		return 1;
	r = content_state_read(g->store, name, &packs, e);
	for (size_t i = 0; r == 0 && i < packs.n; i++)
		if (content_list_has(&g->packs, packs.items[i]))
			return 0;
	return r < 0 ? r : 1;
}

static int clean_state(struct gc *g, struct aisbx_error *e)
{
	for (size_t i = 0; i < g->state.lists.n; i++) {
		const char *name = g->state.lists.items[i];
		int r = is_old_list(g, name, e);

		if (r == 1)
			r = content_remove(g->store, name, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* What is deleted is said before: who relied on it learns it even if this run is stopped. */
static int act(struct gc *g, struct aisbx_error *e)
{
	int r = remove_all(g, "", &g->old_trees, e);

	if (r == 0)
		r = content_state_say(g->store, "condemned", g->next, &g->condemn, e);
	if (r == 0)
		r = content_state_say(g->store, "deleted", g->next, &g->drop, e);
	if (r == 0)
		r = remove_all(g, "packs/", &g->drop, e);
	return r < 0 ? r : clean_state(g, e);
}

int content_gc(struct content_request *q, json_t **ret, struct aisbx_error *e)
{
	scoped(gc_finish) struct gc g = { .request = q };
	bool is_ours;
	int r = content_store_open(q->stores[0], q->tenant, &q->key, &g.store, e);

	if (r == 0)
		r = content_state_load(g.store, &g.state, e);
	if (r < 0)
		return r;
	g.next = g.state.generation + 1;
	r = content_state_begin(g.store, g.next, e);
	is_ours = r != -EEXIST; /* else another run has begun it, and does the same */
	if (r == 0)
		r = look(&g, e);
	if (r == 0)
		r = act(&g, e);
	if (r < 0 && is_ours)
		return r;
	*ret = json_pack("{s:I,s:b,s:I,s:I,s:I,s:I,s:I,s:I}", "generation", (json_int_t)g.next, "ran",
			 is_ours, "trees", (json_int_t)g.trees.n, "forgotten", (json_int_t)g.old_trees.n,
			 "packs", (json_int_t)(g.packs.n - g.drop.n), "condemned", (json_int_t)g.condemn.n,
			 "deleted", (json_int_t)g.drop.n, "bytes", (json_int_t)g.sizes);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "tell what was deleted");
}
