/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes as branches: create, snapshot, roll back, fork, remove. Each is a directory or two and one
 * transaction, whatever the size of the trees. Directories come before the row, and go after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "layer/layer.h"
#include "policy/secret.h"

#define MAX_DEPTH (PLAN_MAX_LAYERS - 8)

/* A new empty layer on PARENT ("": on the base), on disk and in the open transaction. */
static int add_layer(struct box_shelf *s, const char *parent, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
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

/* The clock that file systems stamp with: what is older was so when the box was made. */
static void set_watermark(struct store_box *b)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	b->watermark_s = t.tv_sec;
	b->watermark_ns = t.tv_nsec;
}

static int fill_box(struct store_box *b, const struct box_new *how, struct aisbx_error *e)
{
	int r = how->name ? box_check_name(how->name, e) : 0;

	if (r < 0)
		return r;
	box_new_id("b-", b->id);
	strncpy(b->name, how->name ? how->name : b->id, STORE_NAME_MAX);
	strncpy(b->profile, how->profile, STORE_NAME_MAX);
	b->project = how->project ? strdup(how->project) : NULL;
	if (how->project && !b->project)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "create a box");
	b->created_ms = box_now_ms();
	b->expires_ms = how->ttl_ms ? b->created_ms + (int64_t)how->ttl_ms : 0;
	b->autosnap = how->autosnap;
	return 0;
}

/* Ends the transaction: a failure takes the new layer's directory along. */
static int settle(struct box_shelf *s, int r, const char *layer, struct aisbx_error *e)
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

/* Layers inside the tree they are layers of: overlayfs takes none, and a box would see its own insides. */
static int check_place(const struct box_shelf *s, const char *project, struct aisbx_error *e)
{
	scoped(drop_mem) char *real = realpath(s->dir, NULL);

	if (project && path_is_within(real ? real : s->dir, project))
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "project '%s' holds '%s', where aisbx keeps its boxes; name a directory further down with "
				    "--project, or set XDG_STATE_HOME to a place outside", project, s->dir);
	return 0;
}

int box_create(struct box_shelf *s, const struct box_new *how, struct store_box *ret_box, struct aisbx_error *e)
{
	struct store_box b = { 0 };
	int r = check_place(s, how->project, e);

	if (r == 0)
		r = fill_box(&b, how, e);
	set_watermark(&b);
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0) {
		r = add_layer(s, "", b.top, e);
		if (r == 0)
			r = store_box_add(s->store, &b, e);
		r = settle(s, r, b.top, e);
	}
	if (r < 0) {
		store_box_finish(&b);
		return r;
	}
	*ret_box = b;
	return 0;
}

/* In the open transaction: what BOX has becomes a frozen layer, and BOX goes on in a new one. */
static int freeze(struct box_shelf *s, const struct store_box *b, const char *name, bool automatic,
		  struct store_snapshot *ret, char ret_layer[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_snapshot snap = { .created_ms = box_now_ms(), .automatic = automatic };
	int r;

	box_new_id("s-", snap.id);
	memcpy(snap.box, b->id, sizeof(snap.box));
	memcpy(snap.layer, b->top, sizeof(snap.layer));
	strncpy(snap.name, name ? name : snap.id, STORE_NAME_MAX);
	r = store_layer_freeze(s->store, b->top, e);
	if (r == 0)
		r = add_layer(s, b->top, ret_layer, e);
	if (r == 0)
		r = store_box_set_top(s->store, b->id, ret_layer, e);
	if (r == 0)
		r = store_snapshot_add(s->store, &snap, e);
	if (r == 0)
		*ret = snap;
	return r;
}

/* overlayfs stacks no more than 500 layers. */
static int check_depth(struct box_shelf *s, const struct store_box *b, struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	size_t n = 0;
	int r = store_layer_chain(s->store, b->top, &chain, &n, e);

	free(chain);
	if (r == 0 && n >= MAX_DEPTH)
		r = aisbx_refuse(e, AISBX_AREA_BOX, EMLINK,
				 "box '%s' stands on %zu layers and takes no more snapshots; roll back to an earlier one, or "
				 "go on without", b->name, n);
	return r;
}

/* No entry in any tree of the top layer, and the project's own directory is as it was. */
static int is_unchanged(struct box_shelf *s, const struct store_box *b, bool *ret, struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	const char *ids[PLAN_MAX_LAYERS];
	char etc[32];
	size_t n = 0;
	int r;

	layer_tree_name("/etc", b->project, etc, sizeof(etc));
	r = layer_is_empty(s->layers, b->top, etc, secret_login_names, ret, e);
	if (r < 0 || !*ret || !b->project)
		return r;
	r = store_layer_chain(s->store, b->top, &chain, &n, e);
	for (size_t i = 0; i < n && i < PLAN_MAX_LAYERS; i++)
		ids[i] = chain[i].id;
	if (r == 0)
		*ret = layer_mode_is_kept(s->layers, ids, n < PLAN_MAX_LAYERS ? n : PLAN_MAX_LAYERS, "project", b->project);
	free(chain);
	return r;
}

int box_snapshot(struct box_shelf *s, const struct store_box *b, const char *name, bool automatic, bool only_changed,
		 struct store_snapshot *ret, struct aisbx_error *e)
{
	char layer[STORE_ID_MAX] = "";
	bool empty = false;
	int r = name ? box_check_name(name, e) : 0;

	if (r == 0 && only_changed)
		r = is_unchanged(s, b, &empty, e);
	if (r < 0)
		return r;
	if (empty) {
		*ret = (struct store_snapshot){ 0 };
		return 0;
	}
	r = store_begin(s->store, e);
	if (r < 0)
		return r;
	r = check_depth(s, b, e);
	if (r == 0)
		r = freeze(s, b, name, automatic, ret, layer, e);
	return settle(s, r, layer, e);
}

/* Rows first; then the directories of what no row speaks of any more. */
int box_collect(struct box_shelf *s, size_t *ret_n, struct aisbx_error *e)
{
	char(*ids)[STORE_ID_MAX] = NULL;
	size_t n = 0;
	int r = store_begin(s->store, e);

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

int box_rollback(struct box_shelf *s, const struct store_box *b, const char *snapshot, struct aisbx_error *e)
{
	struct store_snapshot snap;
	char layer[STORE_ID_MAX] = "";
	int r = store_begin(s->store, e);

	if (r < 0)
		return r;
	r = store_snapshot_find(s->store, b->id, snapshot, &snap, e);
	if (r == 0)
		r = add_layer(s, snap.layer, layer, e);
	if (r == 0)
		r = store_box_set_top(s->store, b->id, layer, e);
	return settle(s, r, layer, e); /* what was on top is collected by gc: a rollback takes no time */
}

/* The layer forks of B as it is stand on: what it stands on itself if it changed nothing since. */
static int fork_layer(struct box_shelf *s, const struct store_box *b, char ret_layer[STORE_ID_MAX],
		      char ret_continued[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	struct store_snapshot snap;
	bool empty = false;
	size_t n = 0;
	int r = is_unchanged(s, b, &empty, e);

	if (r == 0 && !empty) {
		r = check_depth(s, b, e);
		if (r == 0)
			r = freeze(s, b, NULL, true, &snap, ret_continued, e);
		if (r == 0)
			memcpy(ret_layer, snap.layer, STORE_ID_MAX);
		return r;
	}
	if (r == 0)
		r = store_layer_chain(s->store, b->top, &chain, &n, e);
	if (r == 0)
		memcpy(ret_layer, chain[0].parent, STORE_ID_MAX);
	free(chain);
	return r;
}

int box_fork(struct box_shelf *s, const struct store_box *b, const char *snapshot, const struct box_new *how, size_t n,
	     struct store_box *ret_boxes, struct aisbx_error *e)
{
	char layer[STORE_ID_MAX] = "", continued[STORE_ID_MAX] = "";
	struct store_snapshot snap;
	struct aisbx_error ignored;
	size_t made = 0;
	int r = store_begin(s->store, e);

	if (r < 0)
		return r;
	if (!snapshot) {
		r = fork_layer(s, b, layer, continued, e);
	} else {
		r = store_snapshot_find(s->store, b->id, snapshot, &snap, e);
		if (r == 0)
			memcpy(layer, snap.layer, sizeof(layer));
	}
	for (; r == 0 && made < n; made++) {
		struct store_box *new = &ret_boxes[made];

		*new = (struct store_box){ .watermark_s = b->watermark_s, .watermark_ns = b->watermark_ns };
		r = fill_box(new, &how[made], e);
		if (r == 0)
			r = add_layer(s, layer, new->top, e);
		if (r == 0)
			r = store_box_add(s->store, new, e);
	}
	r = settle(s, r, continued, e);
	for (size_t i = 0; r < 0 && i < made; i++) {
		layer_remove(s->layers, ret_boxes[i].top, &ignored);
		store_box_finish(&ret_boxes[i]);
	}
	return r;
}

int box_remove(struct box_shelf *s, const struct store_box *b, struct aisbx_error *e)
{
	int r = store_box_remove(s->store, b->id, e);

	if (r < 0)
		return r;
	box_drop_lock(s, b);
	return 0;
}

struct sweep {
	struct box_shelf *shelf;
	struct aisbx_error *e;
};

static bool has_row(void *ctx, const char *id)
{
	struct sweep *sweep = ctx;
	bool exists = true; /* when in doubt, keep */

	store_layer_exists(sweep->shelf->store, id, &exists, sweep->e);
	return exists;
}

int box_gc(struct box_shelf *s, struct box_gc_report *ret, struct aisbx_error *e)
{
	struct sweep sweep = { s, e };
	struct store_box *boxes = NULL;
	size_t n = 0;
	int r = store_box_list(s->store, &boxes, &n, e);

	*ret = (struct box_gc_report){ 0 };
	for (size_t i = 0; i < n; i++) {
		scoped(drop_fd) int lock = -1;

		if (r == 0 && boxes[i].expires_ms && boxes[i].expires_ms <= box_now_ms() &&
		    box_lock(s, &boxes[i], &lock, e) == 0) {
			r = store_box_remove(s->store, boxes[i].id, e);
			ret->expired += r == 0;
			box_drop_lock(s, &boxes[i]);
		}
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	if (r == 0)
		r = box_collect(s, &ret->layers, e);
	/*
	 * A writer makes a directory before its row is there for others: none may be at work now. They wait only while
	 * directories are renamed, not while trees are removed.
	 */
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0) {
		r = layer_bury(s->layers, has_row, &sweep, e);
		store_rollback(s->store);
	}
	return r < 0 ? r : layer_sweep(s->layers, &ret->leftovers, e);
}
