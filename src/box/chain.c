/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes as branches: create, snapshot, roll back, fork, remove. Each makes a directory or two and one
 * transaction, whatever the size of the trees. Directories are made before the row, and removed after it.
 * Only a snapshot of a box with many layers costs more: it merges them into one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/drift.h"
#include "box/orphans.h"
#include "box/recorded.h"
#include "box/owner.h"
#include "box/scratch_layer.h"
#include "box/pin.h"
#include "box/point.h"
#include "box/moved.h"
#include "box/naming.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/secret_specs.h"
#include "box/template.h"
#include "box/images.h"
#include "box/integrity.h"
#include "layer/flatten.h"
#include "layer/layer.h"
#include "policy/secret.h"

/* overlayfs stacks no more than 500 layers. */
#define MAX_DEPTH (JAIL_PLAN_MAX_LAYERS - 8)
/*
 * A chain this long is folded. Each layer costs every run some 0.1 ms as root, a fold costs once by the files
 * of the chain. One that could not be folded is tried again this many snapshots later.
 */
#define FOLD_DEPTH 64
#define FOLD_AGAIN 16

#define EVENT_FORK "{\"name\":\"%s\",\"from\":\"%s\"}"

/* A new empty layer on PARENT ("": on the base), on disk and in the open transaction. */
static int add_layer(struct box_state *s, const char *parent, char ret_id[STORE_ID_MAX],
		     struct aisbx_error *e)
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

/* The row of a copy of the project, which is there already. */
static int add_pin(struct box_state *s, const char *pin, const char *parent, struct aisbx_error *e)
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

static int fill_box(struct store_box *b, const struct box_new *how, struct aisbx_error *e)
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

/* Ends the transaction: a failure takes the new layer's directory along. */
static int settle(struct box_state *s, int r, const char *layer, struct aisbx_error *e)
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
		r = fill_box(&b, how, e);
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
		if (how->pin)
			r = add_pin(s, how->pin, base, e);
		if (r == 0)
			r = add_layer(s, how->pin ? how->pin : base, b.top, e);
		if (r == 0 && !b.name[0])
			r = box_name_new(s->store, b.owner, b.name, e);
		if (r == 0)
			r = store_box_add(s->store, &b, e);
		if (r == 0)
			r = store_event_add(s->store, "box.created", b.id, NULL, e, "{\"name\":\"%s\"}",
					    b.name);
		r = settle(s, r, b.top, e);
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

/* A layer the chain of a box was folded into; it has no row yet. */
struct fold {
	char id[STORE_ID_MAX]; /* "": none was needed */
	char on[STORE_ID_MAX]; /* "", or the pinned copy of the project that it stands on */
	int lock;
};

static void fold_finish(struct fold *f)
{
	close_fd(&f->lock);
}

int box_reserve_layer(struct box_state *s, char ret_id[STORE_ID_MAX], int *ret_lock, struct aisbx_error *e)
{
	return box_reserve_layer_as(s, "l-", ret_id, ret_lock, e);
}

int box_reserve_layer_as(struct box_state *s, const char *prefix, char ret_id[STORE_ID_MAX], int *ret_lock,
			 struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	scoped(drop_fd) int draft = -1; /* without it gc puts aside what it could remove */
	char id[STORE_ID_MAX];
	int r = store_begin(s->store, e); /* gc is not at work now, and the next one finds the lock */

	if (r < 0)
		return r;
	box_new_id(prefix, id);
	r = layer_make(s->layers, id, e);
	if (r == 0) {
		path = path_join(s->layers, id);
		fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
			r = aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "keep layer '%s'", id);
		else
			draft = openat(fd, BOX_DRAFT, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	}
	store_rollback(s->store);
	if (r < 0)
		return r;
	memcpy(ret_id, id, sizeof(id));
	*ret_lock = take_fd(&fd);
	return 0;
}

/* CHAIN is newest first. */
static int fold_chain(struct box_state *s, const struct store_layer *chain, size_t n, struct fold *ret,
		      struct aisbx_error *e)
{
	const char **ids = calloc(n, sizeof(*ids));
	int r;

	if (!ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "merge %zu layers", n);
	for (size_t i = 0; i < n; i++)
		ids[i] = chain[n - 1 - i].id;
	r = box_reserve_layer(s, ret->id, &ret->lock, e);
	if (r == 0)
		r = layer_flatten(s->layers, ids, n, ret->id, true, e);
	free(ids);
	return r;
}

int box_own_layers(struct box_state *s, const struct store_box *b, const struct store_layer *chain, size_t *n,
		   char ret_on[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_image image = { 0 };
	struct aisbx_error gone = AISBX_ERROR_INIT;
	int r = b->image[0] ? store_image_find(s->store, b->image, &image, &gone) : 0;
	size_t own = 0;

	if (!b->image[0] || r < 0) {
		*n = r == 0 ? *n : 0; /* without its row nobody knows where it begins: nothing is merged */
		if (r < 0 && r != -ENOENT)
			*e = gone;
		return r == -ENOENT ? 0 : r;
	}
	while (own < *n && strcmp(chain[own].id, image.top) != 0)
		own++;
	memcpy(ret_on, image.top, STORE_ID_MAX);
	*n = own < *n ? own : 0;
	store_image_finish(&image);
	return 0;
}

/*
 * Before a snapshot of B, and outside its transaction, since it may take long: one layer like its whole
 * chain, if that is a long one. B is locked, so nothing changes meanwhile; what is linked of its top is
 * frozen before B runs again. What lies below a pinned copy stays as it is: the copy has its place in the
 * chain.
 */
static int fold_if_long(struct box_state *s, const struct store_box *b, struct fold *ret,
			struct aisbx_error *e)
{
	struct aisbx_error why = AISBX_ERROR_INIT;
	struct store_layer *chain = NULL;
	const struct store_layer *pin;
	size_t n = 0, all;
	int r = store_layer_chain(s->store, b->top, &chain, &n, e);

	all = n;
	if (r == 0)
		r = box_own_layers(s, b, chain, &n, ret->on, e);
	pin = r == 0 ? box_pin_of(chain, n) : NULL;
	if (pin) {
		memcpy(ret->on, pin->id, sizeof(ret->on));
		n = (size_t)(pin - chain);
	}
	if (r == 0 && n > 1 && ((n >= FOLD_DEPTH && n % FOLD_AGAIN == 0) || all >= MAX_DEPTH) &&
	    fold_chain(s, chain, n, ret, &why) < 0) {
		ret->id[0] = '\0';
		if (all < MAX_DEPTH) { /* it will do as it is */
			log_debug("the layers of '%s' stay %zu: %s", b->name, n, why.text);
		} else {
			*e = why;
			r = aisbx_context(e, "box '%s' has %zu layers, too many for another snapshot",
					  b->name, all);
		}
	}
	free(chain);
	return r;
}

/* A snapshot is on the disk before the store says that there is one; store_flush brings that word there
 * before anybody hears it. */
static int sync_all(struct box_state *s, const struct store_box *b, const struct fold *fold,
		    struct aisbx_error *e)
{
	int r = box_sync_top(s, b, e);

	if (r == 0 && fold->id[0])
		r = box_sync_layer(s, fold->id, e);
	return r;
}

/*
 * In the open transaction: what BOX has becomes a frozen layer, and BOX goes on in a new one, on that or on
 * FOLD, or on PIN (NULL: none), which stands on them.
 */
static int freeze(struct box_state *s, const struct store_box *b, const struct fold *fold, const char *name,
		  bool automatic, const char *pin, struct store_snapshot *ret, char ret_layer[STORE_ID_MAX],
		  struct aisbx_error *e)
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
		r = add_pin(s, pin, fold->id[0] ? fold->id : b->top, e);
	if (r == 0)
		r = add_layer(s, pin ? pin : fold->id[0] ? fold->id : b->top, ret_layer, e);
	if (r == 0)
		r = store_box_set_top(s->store, b->id, ret_layer, e);
	if (r == 0)
		r = store_snapshot_add(s->store, &snap, e);
	if (r == 0)
		r = store_event_add(s->store, "box.snapshotted", b->id, NULL, e, BOX_EVENT_SNAPSHOT, snap.id,
				    snap.name);
	if (r == 0)
		*ret = snap;
	return r;
}

/* Ends the transaction of a snapshot. */
static int settle_fold(struct box_state *s, int r, const char *layer, const struct fold *fold,
		       struct aisbx_error *e)
{
	struct aisbx_error ignored;

	r = settle(s, r, layer, e);
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
	scoped(fold_finish) struct fold fold = { .lock = -1 };
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
	r = fold_if_long(s, b, &fold, e);
	if (r == 0)
		r = sync_all(s, b, &fold, e);
	if (r == 0)
		r = store_begin(s->store, e);
	if (r == 0)
		r = freeze(s, b, &fold, name, automatic, pin, ret, layer, e);
	r = settle_fold(s, r, layer, &fold, e);
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
		r = add_layer(s, snap.layer, layer, e);
	if (r == 0)
		r = store_box_set_top(s->store, b->id, layer, e);
	if (r == 0)
		r = store_event_add(s->store, "box.rolled-back", b->id, NULL, e, BOX_EVENT_SNAPSHOT, snap.id,
				    snap.name);
	r = settle(s, r, layer, e); /* what was on top is collected by gc: a rollback takes no time */
	if (r == 0)
		box_touch(s, b);
	/* Else what is written from now on might find itself in a layer that no row knows. */
	return r == 0 ? store_flush(s->store, e) : r;
}

/* In the open transaction: the layer forks of B as it is stand on. */
static int fork_layer(struct box_state *s, const struct store_box *b, bool unchanged, const struct fold *fold,
		      char ret_layer[STORE_ID_MAX], char ret_continued[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_layer *chain = NULL;
	struct store_snapshot snap;
	size_t n = 0;
	int r;

	if (!unchanged) {
		r = freeze(s, b, fold, NULL, true, NULL, &snap, ret_continued, e);
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
		r = fill_box(new, &how[*ret_made], e);
		memcpy(new->image, b->image, sizeof(new->image));
		if (r == 0)
			r = add_layer(s, layer, new->top, e);
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
static int settle_for_forks(struct box_state *s, const struct store_box *b, struct fold *fold,
			    bool *ret_unchanged, struct aisbx_error *e)
{
	int r = box_check_integrity(s, b, e);

	if (r == 0)
		r = box_settle(s, b, e);
	if (r == 0)
		r = box_is_unchanged(s, b, ret_unchanged, e);
	if (r == 0 && !*ret_unchanged)
		r = fold_if_long(s, b, fold, e);
	if (r == 0 && !*ret_unchanged)
		r = sync_all(s, b, fold, e);
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
	scoped(fold_finish) struct fold fold = { .lock = -1 };
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
	r = settle_fold(s, r, continued, &fold, e);
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

/* Its rows, and an event that says how it went. */
static int forget(struct box_state *s, const struct store_box *b, const char *event, struct aisbx_error *e)
{
	int r = store_begin(s->store, e);

	if (r == 0)
		r = store_box_remove(s->store, b->id, e);
	if (r == 0)
		r = store_event_add(s->store, event, b->id, NULL, e, "{\"name\":\"%s\"}", b->name);
	r = settle(s, r, "", e);
	if (r == 0)
		box_secret_specs_drop(s->dir, b->id);
	if (r == 0)
		box_net_drop(s->dir, b->id);
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
