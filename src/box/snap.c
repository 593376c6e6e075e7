/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of a box in any state: for an idle one by putting its top layer under a new one, for a live one
 * by a copy of its top layer, made while every process in it is stopped.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/box.h"
#include "box/chain.h"
#include "box/point.h"
#include "box/integrity.h"
#include "layer/base.h"
#include "layer/flatten.h"
#include "layer/layer.h"

/* The copy of a live box's top layer. */
struct copy {
	char top[STORE_ID_MAX];   /* of what */
	char layer[STORE_ID_MAX]; /* "" until it is reserved */
	int lock;                 /* keeps gc away until it has its row */
};

/* The moment the run began: the copy's changes are as old as that, too. */
static void copy_window(const char *layers, const struct copy *c)
{
	scoped(drop_mem) char *from = NULL;
	scoped(drop_mem) char *to = NULL;
	scoped(drop_fd) int in = -1;
	scoped(drop_fd) int out = -1;
	char bytes[64];
	ssize_t n;

	if (asprintf(&from, "%s/%s/window", layers, c->top) < 0 ||
	    asprintf(&to, "%s/%s/window", layers, c->layer) < 0)
		return;
	in = open(from, O_RDONLY | O_CLOEXEC);
	n = in < 0 ? -1 : read(in, bytes, sizeof(bytes));
	if (n <= 0)
		return; /* without it nothing is known of the bases: conflicts, no damage */
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out >= 0 && write(out, bytes, (size_t)n) != n)
		unlink(to);
}

/* Stops the box only while its files are copied. -ENOENT, -ESTALE: it is not live (any more). */
static int copy_live(struct box_state *s, const struct store_box *b, struct copy *c, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box now = { 0 };
	struct aisbx_error why = AISBX_ERROR_INIT;
	scoped(drop_fd) int live = -1;
	int r = box_live_connect(s, b, &live, e), moved;

	if (r < 0)
		return r;
	r = box_reserve_layer(s, c->layer, &c->lock, e);
	if (r == 0)
		r = driver_freeze(driver_default(), live, e);
	if (r == 0) /* who holds the lock runs, so its top stays */
		r = store_box_find(s->store, b->id, &now, e);
	if (r < 0)
		return r;
	memcpy(c->top, now.top, sizeof(c->top));
	r = layer_copy_tree(s->layers, c->top, c->layer, e);
	copy_window(s->layers, c);
	moved = driver_is_frozen(driver_default(), live, &why);
	if (moved < 0) { /* then what we have is from no one moment, or failed for that very reason */
		*e = why;
		return moved;
	}
	return r;
}

/*
 * In the open transaction. The copy stands beside the box's top, on what that stands on, not under it: a file
 * that the box removes after this was in no layer below when the overlay was mounted, so no whiteout would
 * hide it.
 */
static int add_rows(struct box_state *s, const struct store_box *b, const struct copy *c, const char *name,
		    struct store_snapshot *ret, struct aisbx_error *e)
{
	struct store_snapshot snap = { .created_ms = box_now_ms() };
	struct store_layer row = { .frozen = true };
	struct store_layer *chain = NULL;
	size_t n = 0;
	int r = store_layer_chain(s->store, c->top, &chain, &n, e);

	if (r < 0)
		return r;
	memcpy(row.id, c->layer, sizeof(row.id));
	memcpy(row.parent, chain[0].parent, sizeof(row.parent));
	free(chain);
	box_new_id("s-", snap.id);
	memcpy(snap.box, b->id, sizeof(snap.box));
	memcpy(snap.layer, c->layer, sizeof(snap.layer));
	strncpy(snap.name, name ? name : snap.id, STORE_NAME_MAX);
	r = store_layer_add(s->store, &row, e);
	if (r == 0)
		r = chain_add_snapshot(s, &snap, e);
	if (r == 0)
		*ret = snap;
	return r;
}

/* What the host has where the copy changed something, for merging it one day. The snapshot is there with or
 * without. */
static void settle_copy(struct box_state *s, const struct store_box *b, const struct store_snapshot *snap)
{
	scoped(box_point_finish) struct box_point p = { 0 };
	scoped(box_bases_finish) struct box_bases bases = { 0 };
	struct aisbx_error ignored;
	scoped(drop_mem) char *layer = path_join(s->layers, snap->layer);

	box_bases_open(&bases, s);
	if (layer && b->project && box_point_read(s, b, snap->id, &p, &ignored) == 0 && p.trees.n)
		base_settle(layer, "project", p.host, (const char *const *)p.trees.items, p.trees.n,
			    &bases.filter, &ignored);
}

static int snapshot_live(struct box_state *s, const struct store_box *b, const char *name,
			 struct store_snapshot *ret, struct aisbx_error *e)
{
	struct copy c = { .lock = -1 };
	struct aisbx_error ignored;
	int r = copy_live(s, b, &c, e);

	if (r == 0) /* the box goes on meanwhile */
		r = box_sync_layer(s, c.layer, e);
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0) {
		r = add_rows(s, b, &c, name, ret, e);
		if (r == 0)
			r = store_commit(s->store, e);
		if (r < 0)
			store_rollback(s->store);
	}
	if (r == 0)
		settle_copy(s, b, ret);
	else if (c.layer[0])
		layer_remove(s->layers, c.layer, &ignored);
	close_fd(&c.lock);
	return r == 0 ? store_flush(s->store, e) : r;
}

/* -EBUSY with E as it was: somebody else has the box. */
static int snapshot_idle(struct box_state *s, const struct store_box *b, const char *name,
			 struct store_snapshot *ret, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box now = { 0 };
	scoped(drop_fd) int lock = -1;
	int r = box_try_lock(s, b, &lock, e);

	if (r == 0) /* read again: it may have moved until the lock was ours */
		r = store_box_find(s->store, b->id, &now, e);
	return r < 0 ? r : box_snapshot(s, &now, name, false, false, ret, e);
}

/* Before a box is stopped and copied for nothing. */
static int check_new(struct box_state *s, const struct store_box *b, const char *name, struct aisbx_error *e)
{
	struct aisbx_error ignored;
	struct store_snapshot old;
	int r = box_check_name(name, e);

	if (r == 0 && store_snapshot_find(s->store, b->id, name, &old, &ignored) == 0)
		r = aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				 "this box already has a snapshot '%s'", name);
	return r;
}

int box_snapshot_any(struct box_state *s, const struct store_box *b, const char *name,
		     struct store_snapshot *ret, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t until = time_ms() + BOX_LOCK_MS;
	int r = name ? check_new(s, b, name, e) : 0, ended = 0;

	while (r == 0) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = snapshot_idle(s, b, name, ret, e);
		if (r != -EBUSY || e->code)
			return r;
		r = snapshot_live(s, b, name, ret, e);
		if (r != -ESTALE && !(r == -ENOENT && !e->code))
			return r;
		if (r == -ESTALE && ++ended < 3) /* while we copied, which may have taken long */
			until = time_ms() + BOX_LOCK_MS;
		if (time_ms() >= until)
			return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
					    "box '%s' is in use, but not by a run; try again", b->name);
		nanosleep(&pause, NULL);
		r = 0;
	}
	return r;
}
