/* SPDX-License-Identifier: Apache-2.0 */
/* A run, in a box of its own that goes with it or in a named one that stays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "layer/layer.h"

void box_request_finish(struct box_request *req)
{
	free(req->mounts);
	strlist_finish(&req->kept);
	strlist_finish(&req->hides);
	strlist_finish(&req->set_env);
	strlist_finish(&req->argv);
}

static int check_project(const char *project, struct aisbx_error *e)
{
	struct stat st;

	if (!project)
		return 0;
	if (stat(project, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "project '%s'", project);
	if (!S_ISDIR(st.st_mode))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOTDIR, "project '%s'", project);
	if (access(project, R_OK | X_OK) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "project '%s'", project);
	return 0;
}

/* What the driver's question about layers is answered from. */
struct layers {
	const struct box_shelf *shelf;
	const struct store_box *box;
	const char **ids; /* top first */
	size_t n_ids;
};

static int layers_of(void *ctx, const char *guest, struct buf *ret_paths, struct aisbx_error *e)
{
	const struct layers *l = ctx;
	char tree[32];

	layer_tree_name(guest, l->box->project, tree, sizeof(tree));
	return layer_paths(l->shelf->layers, l->ids, l->n_ids, tree, guest, driver_id_shift(), ret_paths, e);
}

static int run_in(const struct box_request *req, const struct driver *driver, struct box_shelf *shelf,
		  const struct store_box *box, struct driver_result *ret_result, struct aisbx_error *e)
{
	struct driver_spec spec = req->spec;
	struct store_layer *chain = NULL;
	struct layers l = { .shelf = shelf, .box = box };
	struct store_snapshot snap;
	int r = store_layer_chain(shelf->store, box->top, &chain, &l.n_ids, e);

	if (r < 0)
		return r;
	l.ids = calloc(l.n_ids, sizeof(*l.ids));
	for (size_t i = 0; l.ids && i < l.n_ids; i++)
		l.ids[i] = chain[i].id;
	spec.layers = layers_of;
	spec.layers_ctx = &l;
	spec.layers_dir = shelf->layers;
	r = l.ids ? driver->run(&spec, ret_result, e) : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "run in '%s'", box->name);
	free(l.ids);
	free(chain);
	if (r == 0 && box->autosnap) /* what ran has run: a snapshot that fails must not hide its result */
		box_snapshot(shelf, box, NULL, true, true, &snap, &ret_result->after);
	return r;
}

int box_run(const struct box_request *req, struct driver_result *ret_result, struct aisbx_error *e)
{
	const struct driver *driver = driver_by_name(req->driver ? req->driver : "native");
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_fd) int lock = -1;
	int r;

	if (!driver)
		return aisbx_refuse(e, AISBX_AREA_BOX, ENOENT, "there is no driver '%s'", req->driver);
	r = check_project(req->spec.project, e);
	if (r < 0)
		return r;
	if (!req->box)
		return driver->run(&req->spec, ret_result, e);
	r = box_shelf_open(&shelf, e);
	if (r == 0)
		r = store_box_find(shelf.store, req->box, &box, e);
	if (r == 0)
		r = box_lock(&shelf, &box, &lock, e);
	/* Read again: before the lock was ours somebody may have moved its top. */
	if (r == 0) {
		store_box_finish(&box);
		r = store_box_find(shelf.store, req->box_id, &box, e);
	}
	return r < 0 ? r : run_in(req, driver, &shelf, &box, ret_result, e);
}
