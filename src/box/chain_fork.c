/* SPDX-License-Identifier: Apache-2.0 */
/* Forks: new boxes that start from a snapshot of another, or from it as it is. */
#include "box/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scope.h"
#include "box/drift.h"
#include "box/integrity.h"
#include "box/naming.h"
#include "box/point.h"
#include "box/scratch_layer.h"
#include "layer/layer.h"

#define EVENT_FORK "{\"name\":\"%s\",\"from\":\"%s\"}"

/* In the open transaction: the layer forks of B as it is stand on. */
static int fork_layer(struct box_state *s, const struct store_box *b, bool unchanged,
		      const struct chain_fold *fold, char ret_layer[STORE_ID_MAX],
		      char ret_continued[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	struct store_snapshot snap;
	size_t n = 0;
	int r;

	if (!unchanged) {
		r = chain_freeze(s, b, fold, NULL, true, NULL, &snap, ret_continued, e);
		if (r == 0)
			memcpy(ret_layer, fold->id[0] ? fold->id : snap.layer, STORE_ID_MAX);
		return r;
	}
	r = store_layer_chain(s->store, b->top, &chain, &n, e);
	if (r == 0)
		memcpy(ret_layer, chain[0].parent, STORE_ID_MAX); /* what it stands on itself */
	free(chain);
	return r;
}

/* In the open transaction: N boxes on LAYER; RET_MADE counts also one that was only begun. */
static int add_forks(struct box_state *s, const struct store_box *b, const char *layer,
		     const struct box_new *how, size_t n, struct store_box *ret_boxes, size_t *ret_made,
		     struct aisbx_error *e)
{
	uint64_t number = 0;
	int r = 0;

	for (*ret_made = 0; r == 0 && *ret_made < n; ++*ret_made) {
		struct store_box *new = &ret_boxes[*ret_made];

		*new = (struct store_box){ .watermark_s = b->watermark_s,
					   .watermark_ns = b->watermark_ns,
					   .place = b->place };
		r = chain_fill_box(new, &how[*ret_made], e);
		memcpy(new->image, b->image, sizeof(new->image));
		if (r == 0)
			r = chain_add_layer(s, layer, new->top, e);
		if (r == 0 && !new->name[0])
			r = box_name_next(s->store, new->owner, b->name, &number, new->name, e);
		if (r == 0)
			r = store_box_add(s->store, new, e);
		if (r == 0)
			r = store_event_add(s->store, "box.forked", new->id, NULL, e, EVENT_FORK, new->name,
					    b->id);
	}
	return r;
}

/* Everything in the box B is on the disk before its forks begin; a long chain of layers is folded on the way.
 */
static int settle_for_forks(struct box_state *s, const struct store_box *b, struct chain_fold *fold,
			    bool *ret_unchanged, struct aisbx_error *e)
{
	int r = box_check_integrity(s, b, e);

	if (r == 0)
		r = box_settle(s, b, e);
	if (r == 0)
		r = box_is_unchanged(s, b, ret_unchanged, e);
	if (r == 0 && !*ret_unchanged)
		r = chain_fold_if_long(s, b, fold, e);
	if (r == 0 && !*ret_unchanged)
		r = chain_sync_all(s, b, fold, e);
	return r;
}

static int snapshot_layer(struct box_state *s, const struct store_box *b, const char *snapshot,
			  char ret[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_snapshot snap;
	int r = store_snapshot_find(s->store, b->id, snapshot, &snap, e);

	if (r == 0)
		memcpy(ret, snap.layer, STORE_ID_MAX);
	return r;
}

int box_chain_fork(struct box_state *s, const struct store_box *b, const char *snapshot,
		   const struct box_new *how, size_t n, struct store_box *ret_boxes, struct aisbx_error *e)
{
	scoped(chain_fold_finish) struct chain_fold fold = { .lock = -1 };
	char layer[STORE_ID_MAX] = "", continued[STORE_ID_MAX] = "";
	struct aisbx_error ignored;
	bool unchanged = false;
	size_t made = 0;
	int r = snapshot ? 0 : settle_for_forks(s, b, &fold, &unchanged, e);

	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0)
		r = snapshot ? snapshot_layer(s, b, snapshot, layer, e)
			     : fork_layer(s, b, unchanged, &fold, layer, continued, e);
	if (r == 0)
		r = add_forks(s, b, layer, how, n, ret_boxes, &made, e);
	r = chain_settle_fold(s, r, continued, &fold, e);
	for (size_t i = 0; r == 0 && i < made; i++)
		box_drift_inherit(s, b, &ret_boxes[i]);
	for (size_t i = 0; r < 0 && i < made; i++) {
		layer_remove(s->layers, ret_boxes[i].top, &ignored);
		store_box_finish(&ret_boxes[i]);
	}
	if (r == 0 && continued[0])
		r = store_flush(s->store, e);
	else
		return r;
	for (size_t i = 0; r < 0 && i < made; i++)
		store_box_finish(&ret_boxes[i]);
	return r;
}
