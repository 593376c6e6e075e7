/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: what a box has becomes a frozen layer, and the box goes on in a new one. */
#include "box/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scope.h"
#include "box/integrity.h"
#include "box/pin.h"
#include "box/point.h"
#include "box/scratch_layer.h"
#include "layer/layer.h"
#include "policy/secret.h"

int chain_sync_all(struct box_state *s, const struct store_box *b, const struct chain_fold *fold,
		   struct aisbx_error *e)
{
	int r = box_sync_top(s, b, e);

	if (r == 0 && fold->id[0])
		r = box_sync_layer(s, fold->id, e);
	return r;
}

int chain_add_snapshot(struct box_state *s, const struct store_snapshot *snap, struct aisbx_error *e)
{
	int r = store_snapshot_add(s->store, snap, e);

	return r == 0 ? store_event_add(s->store, "box.snapshotted", snap->box, NULL, e, BOX_EVENT_SNAPSHOT,
					snap->id, snap->name)
		      : r;
}

int chain_freeze(struct box_state *s, const struct store_box *b, const struct chain_fold *fold,
		 const char *name, bool automatic, const char *pin, struct store_snapshot *ret,
		 char ret_layer[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_snapshot snap = { .created_ms = box_now_ms(), .automatic = automatic };
	struct store_layer folded = { .frozen = true };
	int r;

	box_new_id("s-", snap.id);
	memcpy(snap.box, b->id, sizeof(snap.box));
	snprintf(snap.layer, sizeof(snap.layer), "%s", pin ? pin : b->top);
	strncpy(snap.name, name ? name : snap.id, STORE_NAME_MAX);
	memcpy(folded.parent, fold->on, sizeof(folded.parent));
	memcpy(folded.id, fold->id, sizeof(folded.id));
	memcpy(folded.stands_for, b->top, sizeof(folded.stands_for));
	r = store_layer_freeze(s->store, b->top, e);
	if (r == 0 && fold->id[0])
		r = store_layer_add(s->store, &folded, e);
	if (r == 0 && pin)
		r = chain_add_pin(s, pin, fold->id[0] ? fold->id : b->top, e);
	if (r == 0)
		r = chain_add_layer(s, pin ? pin : fold->id[0] ? fold->id : b->top, ret_layer, e);
	if (r == 0)
		r = store_box_set_top(s->store, b->id, ret_layer, e);
	if (r == 0)
		r = chain_add_snapshot(s, &snap, e);
	if (r == 0)
		*ret = snap;
	return r;
}

int chain_settle_fold(struct box_state *s, int r, const char *layer, const struct chain_fold *fold,
		      struct aisbx_error *e)
{
	struct aisbx_error ignored;

	r = chain_settle(s, r, layer, e);
	if (r < 0 && fold->id[0])
		layer_remove(s->layers, fold->id, &ignored);
	return r;
}

int box_is_unchanged(struct box_state *s, const struct store_box *b, bool *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *host = NULL;
	struct store_layer *chain = NULL;
	const char *ids[JAIL_PLAN_MAX_LAYERS];
	/* What shells leave behind that did nothing. */
	static const char *const by_shells[] = { ".bash_history", ".zsh_history", ".histfile",
						 ".ash_history",  ".lesshst",     NULL };
	char etc[32];
	const struct layer_given given[] = { { etc, secret_login_names }, { "home", by_shells }, { NULL } };
	size_t n = 0;
	int r;

	layer_tree_name("/etc", b->project, etc, sizeof(etc));
	r = layer_is_empty(s->layers, b->top, given, ret, e);
	if (r < 0 || !*ret || !b->project)
		return r;
	r = store_layer_chain(s->store, b->top, &chain, &n, e);
	for (size_t i = 0; i < n && i < JAIL_PLAN_MAX_LAYERS; i++)
		ids[i] = chain[i].id;
	if (r == 0)
		r = box_pin_host(s, chain, n, b->project, &host, NULL, e);
	if (r == 0)
		*ret = layer_mode_is_kept(s->layers, ids, n < JAIL_PLAN_MAX_LAYERS ? n : JAIL_PLAN_MAX_LAYERS,
					  "project", host);
	free(chain);
	return r;
}

static int take_snapshot(struct box_state *s, const struct store_box *b, const char *name, bool automatic,
			 bool only_changed, const char *pin, struct store_snapshot *ret,
			 struct aisbx_error *e)
{
	scoped(chain_fold_finish) struct chain_fold fold = { .lock = -1 };
	char layer[STORE_ID_MAX] = "";
	bool empty = false;
	int r = name ? box_check_name(name, e) : 0;

	if (r == 0)
		r = box_check_integrity(s, b, e);
	if (r == 0)
		r = box_settle(s, b, e); /* of a run that was killed */
	if (r == 0 && only_changed)
		r = box_is_unchanged(s, b, &empty, e);
	if (r < 0)
		return r;
	if (empty) {
		*ret = (struct store_snapshot){ 0 };
		return 0;
	}
	r = chain_fold_if_long(s, b, &fold, e);
	if (r == 0)
		r = chain_sync_all(s, b, &fold, e);
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0)
		r = chain_freeze(s, b, &fold, name, automatic, pin, ret, layer, e);
	r = chain_settle_fold(s, r, layer, &fold, e);
	return r == 0 ? store_flush(s->store, e) : r;
}

int box_snapshot(struct box_state *s, const struct store_box *b, const char *name, bool automatic,
		 bool only_changed, struct store_snapshot *ret, struct aisbx_error *e)
{
	return take_snapshot(s, b, name, automatic, only_changed, NULL, ret, e);
}

int box_snapshot_on(struct box_state *s, const struct store_box *b, const char *name, const char *pin,
		    struct store_snapshot *ret, struct aisbx_error *e)
{
	return take_snapshot(s, b, name, false, false, pin, ret, e);
}
