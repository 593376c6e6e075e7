/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer of its own above those of the box, without a row, that is removed after the run; gc removes one
 * that a crash left.
 */
#include "box/throwaway.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/disk_use.h"
#include "box/pin.h"
#include "layer/layer.h"

struct over {
	struct box_state *state;
	const struct store_box *box;
	char *host;            /* owned; what is in the project's place, or it */
	char id[STORE_ID_MAX]; /* "" until it is made */
	int lock;
	const char **ids; /* owned; that layer first, then the box's, newest first */
	size_t n;
	bool system; /* it also gets a layer: nothing in memory will do */
	struct box_disk_use kept;
};

static void over_finish(struct over *o)
{
	struct aisbx_error ignored;

	if (o->id[0])
		layer_remove(o->state->layers, o->id, &ignored);
	close_fd(&o->lock);
	free(o->ids);
	free(o->host);
}

static int layers_of(void *ctx, const char *guest, const char *host, struct buf *ret_paths,
		     struct aisbx_error *e)
{
	const struct over *o = ctx;
	char tree[32];

	/* Of system and home the host's own, or a fresh one: nothing the box put there is to be believed, or
	 * needed. */
	bool project = o->box->project && !strcmp(guest, o->box->project);

	if (!project && !o->system)
		return 0;
	layer_tree_name(guest, o->box->project, tree, sizeof(tree));
	return layer_paths(o->state->layers, o->ids, project ? o->n : 1, tree, project ? o->host : host,
			   driver_id_shift(), ret_paths, e);
}

static void starting(void *ctx)
{
	struct over *o = ctx;

	box_disk_use_hold(&o->kept);
}

static int find_top(const struct over *o, const char *snapshot, char ret[STORE_ID_MAX], struct aisbx_error *e)
{
	struct store_snapshot snap;
	int r = *snapshot ? store_snapshot_find(o->state->store, o->box->id, snapshot, &snap, e) : 0;

	memcpy(ret, *snapshot && r == 0 ? snap.layer : o->box->top, STORE_ID_MAX);
	return r;
}

int box_run_throwaway(struct box_state *s, const struct store_box *b, const char *snapshot,
		      struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(over_finish) struct over o = { .state = s, .box = b, .lock = -1 };
	scoped(drop_mem) struct store_layer *chain = NULL;
	const struct driver *driver = driver_default();
	struct driver_here here = { 0 };
	char top[STORE_ID_MAX];
	bool pinned = false;
	int r = find_top(&o, snapshot, top, e);

	if (r == 0)
		r = store_layer_chain(s->store, top, &chain, &o.n, e);
	if (r == 0 && b->project)
		r = box_pin_host(s, chain, o.n, b->project, &o.host, &pinned, e);
	if (r == 0)
		r = driver_probe(driver, &here, e);
	if (r == 0)
		r = box_reserve_layer(s, o.id, &o.lock, e);
	if (r < 0)
		return r;
	o.system = here.needs_layers;
	o.ids = calloc(o.n + 1, sizeof(*o.ids));
	if (!o.ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "run on top of '%s'", b->name);
	o.ids[0] = o.id;
	for (size_t i = 0; i < o.n; i++)
		o.ids[i + 1] = chain[i].id;
	o.n++;
	spec->walls.project = b->project;
	spec->walls.project_copy = pinned ? o.host : NULL;
	spec->hooks.layers = layers_of;
	spec->hooks.layers_dir = s->layers;
	spec->hooks.starting = starting;
	spec->hooks.box_ctx = &o;
	box_disk_use_init(&o.kept, o.lock, spec->profile.limits);
	spec->limits.disk = &o.kept.disk;
	r = driver_run(driver, spec, ret_result, e);
	box_spec_clear(spec);
	box_disk_use_release(&o.kept, r == 0 ? ret_result : NULL);
	return r;
}
