/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes as branches: create and roll back. Each makes a directory or two and one transaction, whatever the
 * size of the trees. Directories are made before the row, and removed after it.
 */
#include "box/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/drift.h"
#include "box/moved.h"
#include "box/naming.h"
#include "box/owner.h"
#include "box/pin.h"
#include "layer/layer.h"

int chain_add_layer(struct box_state *s, const char *parent, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer l = { 0 };
	int r;

	box_new_id("l-", l.id);
	memcpy(l.parent, parent, strnlen(parent, STORE_ID_MAX - 1));
	r = layer_make(s->layers, l.id, e);
	if (r == 0)
		r = store_layer_add(s->store, &l, e);
	if (r == 0)
		memcpy(ret_id, l.id, STORE_ID_MAX);
	return r;
}

int chain_add_pin(struct box_state *s, const char *pin, const char *parent, struct aisbx_error *e)
{
	struct store_layer l = { .frozen = true };

	snprintf(l.id, sizeof(l.id), "%s", pin);
	snprintf(l.parent, sizeof(l.parent), "%s", parent);
	return store_layer_add(s->store, &l, e);
}

/* File systems stamp with this clock or a little behind it: what is later was changed after the
 * box was made. */
static void set_watermark(struct store_box *b)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	b->watermark_s = t.tv_sec;
	b->watermark_ns = t.tv_nsec;
}

int chain_fill_box(struct store_box *b, const struct box_new *how, struct aisbx_error *e)
{
	int r = how->name ? box_check_name(how->name, e) : 0;

	if (r < 0)
		return r;
	box_new_id("b-", b->id);
	strncpy(b->name, how->name ? how->name : how->scratch ? b->id : "", STORE_NAME_MAX);
	strncpy(b->profile, how->profile, STORE_NAME_MAX);
	b->project = how->project ? strdup(how->project) : NULL;
	if (how->project && !b->project)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box");
	b->created_ms = box_now_ms();
	b->expires_ms = how->ttl_ms ? b->created_ms + (int64_t)how->ttl_ms : 0;
	b->autosnap = how->autosnap;
	b->shared = how->shared;
	snprintf(b->image, sizeof(b->image), "%s", how->image ? how->image : "");
	snprintf(b->owner, sizeof(b->owner), "%s", box_acting_for() ? box_acting_for() : "");
	return 0;
}

int chain_settle(struct box_state *s, int r, const char *layer, struct aisbx_error *e)
{
	struct aisbx_error ignored;

	if (r == 0)
		r = store_commit(s->store, e);
	if (r < 0) {
		store_rollback(s->store);
		if (layer[0])
			layer_remove(s->layers, layer, &ignored); /* if not now, then by gc */
	}
	return r;
}

int box_check_place(const char *state, const char *project, struct aisbx_error *e)
{
	scoped(drop_mem) char *real = realpath(state, NULL);

	if (project && path_is_within(real ? real : state, project))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"project '%s' contains '%s', where aisbx stores its boxes; give a directory further "
			"down with --project, or set XDG_STATE_HOME to a place outside",
			project, state);
	return 0;
}

int box_chain_create(struct box_state *s, const struct box_new *how, struct store_box *ret_box,
		     struct aisbx_error *e)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct store_box b = { 0 };
	const char *base = how->base ? how->base : "";
	int r = box_check_place(s->dir, how->project, e);

	if (r == 0)
		r = chain_fill_box(&b, how, e);
	if (r == 0 && how->project)
		box_moved_read(how->project, &b.place, &ignored); /* else it is not known */
	set_watermark(&b);
	if (how->since) {
		b.watermark_s = how->since->watermark_s;
		b.watermark_ns = how->since->watermark_ns;
		b.place = how->since->place;
	}
	if (how->pin) {
		b.watermark_s = how->pinned.tv_sec;
		b.watermark_ns = how->pinned.tv_nsec;
	}
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0) {
		if (how->base_is_new)
			r = chain_add_pin(s, base, "", e);
		if (r == 0 && how->pin)
			r = chain_add_pin(s, how->pin, base, e);
		if (r == 0)
			r = chain_add_layer(s, how->pin ? how->pin : base, b.top, e);
		if (r == 0 && !b.name[0])
			r = box_name_new(s->store, b.owner, b.name, e);
		if (r == 0)
			r = store_box_add(s->store, &b, e);
		if (r == 0)
			r = store_event_add(s->store, "box.created", b.id, NULL, e, "{\"name\":\"%s\"}",
					    b.name);
		r = chain_settle(s, r, b.top, e);
	}
	if (r < 0) {
		store_box_finish(&b);
		return r;
	}
	if (!how->pin && !how->since)
		box_drift_note(s, &b);
	*ret_box = b;
	return 0;
}

int box_chain_rollback(struct box_state *s, const struct store_box *b, const char *snapshot,
		       struct aisbx_error *e)
{
	struct store_snapshot snap;
	char layer[STORE_ID_MAX] = "";
	int r = store_begin(s->store, e);

	if (r < 0)
		return r;
	r = store_snapshot_find(s->store, b->id, snapshot, &snap, e);
	if (r == 0)
		r = chain_add_layer(s, snap.layer, layer, e);
	if (r == 0)
		r = store_box_set_top(s->store, b->id, layer, e);
	if (r == 0)
		r = store_event_add(s->store, "box.rolled-back", b->id, NULL, e, BOX_EVENT_SNAPSHOT, snap.id,
				    snap.name);
	r = chain_settle(s, r, layer, e); /* what was on top is collected by gc: a rollback takes no time */
	if (r == 0)
		box_touch(s, b);
	/* Else what is written from now on might find itself in a layer that no row knows. */
	return r == 0 ? store_flush(s->store, e) : r;
}
