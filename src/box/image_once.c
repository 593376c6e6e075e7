/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on top of an image whose changes are discarded: a layer of its own above the image's, without a row,
 * that is removed after the run; gc removes one that a crash left.
 */
#include "box/image_once.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/disk_use.h"
#include "box/image.h"
#include "layer/layer.h"

struct once {
	struct box_state state;
	const char *project;   /* borrowed */
	char id[STORE_ID_MAX]; /* "" until it is made */
	int lock;
	const char **ids; /* owned; that layer first, then the image's, newest first */
	size_t n;
	struct box_disk_use kept;
};

static void once_finish(struct once *o)
{
	struct aisbx_error ignored;

	if (o->id[0])
		layer_remove(o->state.layers, o->id, &ignored);
	close_fd(&o->lock);
	free(o->ids);
	if (o->state.dir)
		box_state_close(&o->state);
}

static int layers_of(void *ctx, const char *guest, const char *host, struct buf *ret_paths,
		     struct aisbx_error *e)
{
	const struct once *o = ctx;
	char tree[32];

	layer_tree_name(guest, o->project, tree, sizeof(tree));
	return layer_paths(o->state.layers, o->ids, o->n, tree, host, driver_id_shift(), ret_paths, e);
}

static void starting(void *ctx)
{
	struct once *o = ctx;

	box_disk_use_hold(&o->kept);
}

static int find_layers(struct once *o, const char *image, struct store_layer **ret_chain,
		       struct aisbx_error *e)
{
	struct store_image row = { 0 };
	int r = box_state_open(&o->state, e);

	if (r == 0)
		r = store_image_find(o->state.store, image, &row, e);
	if (r == 0)
		r = store_layer_chain(o->state.store, row.top, ret_chain, &o->n, e);
	store_image_finish(&row);
	if (r == 0)
		r = box_check_place(o->state.dir, o->project, e);
	if (r == 0)
		r = box_reserve_layer(&o->state, o->id, &o->lock, e);
	if (r < 0)
		return r;
	o->ids = calloc(o->n + 1, sizeof(*o->ids));
	if (!o->ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "run on top of an image");
	o->ids[0] = o->id;
	for (size_t i = 0; i < o->n; i++)
		o->ids[i + 1] = (*ret_chain)[i].id;
	o->n++;
	return 0;
}

int box_run_on_image(const struct driver *driver, struct run_spec *spec, struct driver_result *ret_result,
		     struct aisbx_error *e)
{
	scoped(once_finish) struct once o = { .lock = -1, .project = spec->walls.project };
	scoped(drop_mem) struct store_layer *chain = NULL;
	int r = find_layers(&o, spec->walls.image->id, &chain, e);

	if (r < 0)
		return r;
	spec->hooks.layers = layers_of;
	spec->hooks.layers_dir = o.state.layers;
	spec->hooks.starting = starting;
	spec->hooks.box_ctx = &o;
	box_disk_use_init(&o.kept, o.lock, spec->profile.limits);
	spec->limits.disk = &o.kept.disk;
	r = driver_run(driver, spec, ret_result, e);
	box_spec_clear(spec);
	box_disk_use_release(&o.kept, r == 0 ? ret_result : NULL);
	return r;
}
