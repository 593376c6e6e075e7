/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes go, and with them what nobody needs any more: their rows, layers, and what others left behind. */
#include "box/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/meter.h"
#include "base/scope.h"
#include "box/drift.h"
#include "box/images.h"
#include "box/integrity.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/orphans.h"
#include "box/recorded.h"
#include "box/scratch_layer.h"
#include "box/secret_specs.h"
#include "box/template.h"
#include "box/variables.h"
#include "layer/layer.h"

/* Rows first; then the directories of what no row speaks of any more. */
int box_collect(struct box_state *s, size_t *ret_n, struct aisbx_error *e)
{
	char(*ids)[STORE_ID_MAX] = NULL;
	size_t n = 0;
	int r = store_begin(s->store, e);

	if (r == 0)
		r = store_check(s->store, e);
	if (r == 0)
		r = store_layer_collect(s->store, &ids, &n, e);
	if (r == 0)
		r = store_commit(s->store, e);
	store_rollback(s->store);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = layer_remove(s->layers, ids[i], e);
	free(ids);
	if (ret_n)
		*ret_n = n;
	return r;
}

/* Its rows, and an event that says how it went. */
static int forget(struct box_state *s, const struct store_box *b, const char *event, struct aisbx_error *e)
{
	int r = store_begin(s->store, e);

	if (r == 0)
		r = store_box_remove(s->store, b->id, e);
	if (r == 0)
		r = store_event_add(s->store, event, b->id, NULL, e, "{\"name\":\"%s\"}", b->name);
	r = chain_settle(s, r, "", e);
	if (r == 0)
		box_secret_specs_drop(s->dir, b->id);
	if (r == 0)
		box_net_drop(s->dir, b->id);
	if (r == 0)
		box_variables_drop(s->dir, b->id);
	if (r == 0)
		box_recorded_drop(s->dir, b->id);
	if (r == 0)
		box_no_caches_drop(s->dir, b->id);
	if (r == 0)
		box_drift_forget(s->dir, b->id);
	return r;
}

int box_chain_remove(struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	int r = forget(s, b, "box.removed", e);

	if (r < 0)
		return r;
	box_drop_lock(s, b);
	return 0;
}

int box_gc(struct box_state *s, struct box_gc_report *ret, struct aisbx_error *e)
{
	scoped(box_orphans_finish) struct box_orphans lost = { .state = s->dir };
	struct store_box *boxes = NULL;
	size_t n = 0, kept = 0, gone = 0;
	struct images_swept swept = { 0 };
	scoped_meter bool meter = meter_begin("removing what nobody needs", 0);
	int r = store_check(s->store, e);

	if (r == 0) /* fails where the store is older than a manifest */
		r = store_manifests_renew(s->store, e);
	if (r == 0)
		r = store_run_import(s->store, e);
	if (r == 0)
		r = store_box_list(s->store, &boxes, &n, e);
	*ret = (struct box_gc_report){ 0 };
	driver_sweep();
	box_sync_idle(s);
	for (size_t i = 0; i < n; i++) {
		struct aisbx_error busy = AISBX_ERROR_INIT; /* then the next gc will find it */
		scoped(drop_fd) int lock = -1;

		if (r == 0 && boxes[i].expires_ms && boxes[i].expires_ms <= box_now_ms() &&
		    box_lock(s, &boxes[i], &lock, &busy) == 0) {
			r = forget(s, &boxes[i], "box.expired", e);
			ret->expired += r == 0;
			box_drop_lock(s, &boxes[i]);
		}
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	if (r == 0)
		r = box_template_expire(s, &gone, e);
	ret->expired += gone;
	if (r == 0)
		r = box_collect(s, &ret->layers, e);
	if (r == 0)
		r = images_sweep(s, &swept, e);
	ret->blobs = swept.blobs;
	ret->unreadable = swept.unreadable;
	for (const struct box_attendant *a = box_attendants; r == 0 && a; a = a->next)
		r = a->collect(s, &lost, ret, e);
	/*
	 * A writer makes a directory before its row is there for others: none may be at work now. They wait
	 * only while directories are renamed, not while trees are removed.
	 */
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0) {
		r = box_orphans_layers(&lost, s, e);
		box_drop_stray_locks(s);
		box_drift_sweep(s);
		store_rollback(s->store);
	}
	if (r == 0)
		r = layer_sweep(s->layers, &ret->leftovers, e);
	ret->aside = lost.n;
	if (r == 0)
		r = box_orphans_sweep(s->dir, &ret->forgotten, &kept, e);
	if (r == 0)
		r = box_sweep_scratch_layers(s->dir, &ret->leftovers, e);
	return r;
}
