/* SPDX-License-Identifier: Apache-2.0 */
/* Every box and snapshot, with the snapshot it stands on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/moved.h"
#include "box/owner.h"
#include "box/show.h"

/* Everything the tree is drawn from, each sorted by layer. */
struct forest {
	struct store_layer *layers;
	struct store_snapshot *snaps, *by_layer;
	size_t n_layers, n_snaps;
};

static void forest_finish(struct forest *f)
{
	free(f->layers);
	free(f->snaps);
	free(f->by_layer);
}

static int compare_layer(const void *key, const void *layer)
{
	return strcmp(key, ((const struct store_layer *)layer)->id);
}

static int compare_snapshot(const void *key, const void *snap)
{
	return strcmp(key, ((const struct store_snapshot *)snap)->layer);
}

static int order_snapshots(const void *a, const void *b)
{
	return strcmp(((const struct store_snapshot *)a)->layer, ((const struct store_snapshot *)b)->layer);
}

static int forest_read(struct store *s, struct forest *f, struct aisbx_error *e)
{
	int r = store_layer_list(s, &f->layers, &f->n_layers, e);

	if (r == 0)
		r = store_snapshot_list(s, NULL, &f->snaps, &f->n_snaps, e);
	if (r < 0)
		return r;
	f->by_layer = malloc((f->n_snaps + 1) * sizeof(*f->by_layer));
	if (!f->by_layer)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "draw the tree");
	if (f->n_snaps) {
		memcpy(f->by_layer, f->snaps, f->n_snaps * sizeof(*f->by_layer));
		qsort(f->by_layer, f->n_snaps, sizeof(*f->by_layer), order_snapshots);
	}
	return 0;
}

/* The nearest snapshot below LAYER; "" when it stands on the machine alone. */
static void snapshot_below(const struct forest *f, const char *layer, char ret_id[STORE_ID_MAX])
{
	const struct store_layer *l = bsearch(layer, f->layers, f->n_layers, sizeof(*l), compare_layer);

	for (size_t steps = 0; l && steps <= f->n_layers; steps++) {
		const char *below = l->stands_for[0] ? l->stands_for : l->parent;
		const struct store_snapshot *s =
			bsearch(below, f->by_layer, f->n_snaps, sizeof(*s), compare_snapshot);

		if (s) {
			memcpy(ret_id, s->id, STORE_ID_MAX);
			return;
		}
		l = bsearch(below, f->layers, f->n_layers, sizeof(*l), compare_layer);
	}
}

void box_tree_finish(struct box_tree *t)
{
	for (size_t i = 0; i < t->n_boxes; i++)
		store_box_finish(&t->boxes[i].box);
	free(t->boxes);
	free(t->snapshots);
}

static int draw(struct box_state *state, const struct forest *f, struct store_box *boxes, size_t n_boxes,
		struct box_tree *ret, struct aisbx_error *e)
{
	ret->boxes = calloc(n_boxes + 1, sizeof(*ret->boxes));
	ret->snapshots = calloc(f->n_snaps + 1, sizeof(*ret->snapshots));
	for (size_t i = 0; i < n_boxes; i++) {
		if (!ret->boxes) {
			store_box_finish(&boxes[i]);
			continue;
		}
		ret->boxes[i].box = boxes[i];
		snapshot_below(f, boxes[i].top, ret->boxes[i].on);
		ret->n_boxes++;
	}
	if (!ret->boxes || !ret->snapshots)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "draw the tree");
	for (size_t i = 0; i < f->n_snaps; i++) {
		struct box_tree_snapshot *s = &ret->snapshots[ret->n_snapshots];

		if (!box_is_mine(state, f->snaps[i].box))
			continue;
		s->snapshot = f->snaps[i];
		snapshot_below(f, f->snaps[i].layer, s->parent);
		ret->n_snapshots++;
	}
	return 0;
}

static bool has_box(const struct box_tree *t, const char *id)
{
	for (size_t i = 0; i < t->n_boxes; i++)
		if (!strcmp(t->boxes[i].box.id, id))
			return true;
	return false;
}

/* What stands on something that is not shown stands on the machine. */
static void settle_parent(const struct box_tree *t, char parent[STORE_ID_MAX])
{
	for (size_t i = 0; i < t->n_snapshots; i++)
		if (!strcmp(t->snapshots[i].snapshot.id, parent))
			return;
	parent[0] = '\0';
}

/* Only snapshots of the boxes that are left. */
static void prune(struct box_tree *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_snapshots; i++)
		if (has_box(t, t->snapshots[i].snapshot.box))
			t->snapshots[kept++] = t->snapshots[i];
	t->n_snapshots = kept;
	for (size_t i = 0; i < t->n_snapshots; i++)
		settle_parent(t, t->snapshots[i].parent);
	for (size_t i = 0; i < t->n_boxes; i++)
		settle_parent(t, t->boxes[i].on);
}

int box_tree(const char *project, struct box_tree *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(forest_finish) struct forest f = { 0 };
	struct store_box *boxes = NULL;
	size_t n_boxes = 0;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = forest_read(state.store, &f, e);
	if (r == 0)
		r = box_list(&state, &boxes, &n_boxes, e);
	if (r == 0) {
		ret->others = n_boxes;
		n_boxes = box_moved_keep(project, boxes, n_boxes);
		ret->others -= n_boxes;
		r = draw(&state, &f, boxes, n_boxes, ret, e);
	}
	if (r == 0 && project)
		prune(ret);
	free(boxes);
	return r;
}
