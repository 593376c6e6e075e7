/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of images, from the store and from their blobs. */
#include "box/image_show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image.h"
#include "box/owner.h"
#include "driver/driver.h"
#include "image/helper.h"
#include "image/oci.h"

#define USERS_TOLD 20

void image_details_finish(struct image_details *d)
{
	if (d->images)
		image_layers_finish(&d->images->state, &d->layers);
	store_image_finish(&d->image);
	json_decref(d->config);
	strlist_finish(&d->users);
	image_told_finish(&d->policy);
	*d = (struct image_details){ 0 };
}

static int read_rest(struct images *i, struct image_details *d, struct aisbx_error *e)
{
	int r = oci_json(d->image.config, strlen(d->image.config), "the config of the image", &d->config, e);

	if (r == 0)
		r = image_told_read(d->image.config, &d->policy, e);
	if (r == 0)
		r = image_layers_read(d->image.manifest, d->image.config, &d->layers, e);
	if (r == 0) {
		image_layers_set_ids(&d->layers, d->image.ids);
		r = image_layers_find(&i->state, &d->layers, e);
	}
	if (r == 0 && !box_acting_for()) /* names of boxes are their owners' */
		r = store_image_users(i->state.store, d->image.id, USERS_TOLD, &d->users, &d->n_users, e);
	for (size_t k = 0; k < d->layers.n; k++)
		d->no_blob += !images_has_blob(i, d->layers.items[k].digest);
	return r;
}

int image_details_read(struct images *i, const char *key, struct image_details *ret, struct aisbx_error *e)
{
	struct image_details d = { .images = i };
	int r = box_image_resolve(&i->state, key, &d.image, e);

	if (r == 0)
		r = read_rest(i, &d, e);
	if (r < 0)
		image_details_finish(&d);
	else
		*ret = d;
	return r;
}

int image_list(struct box_state *s, struct store_image **ret, size_t *ret_n, struct aisbx_error *e)
{
	struct store_image *list = NULL;
	size_t n = 0, kept = 0;
	int r = store_image_list(s->store, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) { /* one for subordinate ids is no image of its own */
		struct store_image row = list[i], one = { 0 };

		list[i] = (struct store_image){ 0 };
		if (!row.ids[0])
			r = store_image_find(s->store, row.id, &one, e);
		store_image_finish(&row);
		if (r == 0 && one.id[0])
			list[kept++] = one;
	}
	if (r < 0) {
		store_image_list_finish(list, n);
		return r;
	}
	*ret = list;
	*ret_n = kept;
	return 0;
}

int image_remove(const char *key, struct image_removed *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state s = { 0 };
	struct aisbx_error later = AISBX_ERROR_INIT;
	struct images_swept swept = { 0 };
	struct box_image_removed rows = { 0 };
	int r = box_state_open(&s, e);

	if (r == 0)
		r = box_image_remove(&s, key, &rows, e);
	if (r < 0)
		return r;
	*ret = (struct image_removed){ .stays = rows.stays, .layers = rows.layers };
	memcpy(ret->id, rows.id, sizeof(ret->id));
	if (!rows.stays)
		images_sweep(&s, &swept, &later); /* if not now, then by gc */
	ret->blobs = swept.blobs;
	return 0;
}

static int damaged(const char *what, const struct image_layer *l, struct aisbx_error *e)
{
	aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EUCLEAN, "layer '%s' of the image %s",
		     l->id[0] ? l->id : l->chain, what);
	return aisbx_hint(e, "'aisbx image rm' and pulling or importing it again repairs it");
}

static int check_layers(struct images *i, const struct image_details *d, struct aisbx_error *e)
{
	const struct image_layers *l = &d->layers;
	scoped(drop_mem) struct store_layer *chain = NULL;
	size_t n = 0;
	int r = store_layer_chain(i->state.store, d->image.top, &chain, &n, e);

	if (r == 0 && l->n && n != l->n)
		return damaged("does not stand on what it should", &l->items[l->n - 1], e);
	for (size_t k = 0; r == 0 && k < l->n; k++) {
		scoped(drop_mem) char *path = image_layer_path(&i->state, l->items[k].id, e);
		struct stat st;

		if (!path)
			return e->code;
		if (!l->items[k].id[0])
			return damaged("is not known to the store", &l->items[k], e);
		if (strcmp(chain[n - 1 - k].id, l->items[k].id) != 0)
			return damaged("does not stand on what it should", &l->items[k], e);
		if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
			return damaged("has lost its files", &l->items[k], e);
	}
	return r;
}

/* Blobs that were kept, and the files that were unpacked from them. */
static int check_contents(struct images *i, const struct image_details *d, images_progress_fn *progress,
			  void *ctx, struct image_verified *ret, struct aisbx_error *e)
{
	uint32_t shift = driver_id_shift();
	json_t *layers = json_array();
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	int r;

	for (size_t k = 0; k < d->layers.n; k++) {
		scoped(drop_mem) char *path = image_layer_path(&i->state, d->layers.items[k].id, e);

		json_array_append_new(layers, json_string(path ? path : ""));
	}
	request = json_pack("{s:s, s:s, s:s, s:b, s:o, s:I, s:b}", "do", "verify", "blobs", i->blobs,
			    "manifest", d->image.digest, "may_lack", true, "layers", layers, "id_shift",
			    (json_int_t)shift, "one_id", shift == 0);
	r = request ? image_ask(request, progress, ctx, &ok, e)
		    : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "verify an image");
	ret->blobs = (size_t)json_integer_value(json_object_get(ok, "blobs"));
	ret->bytes = json_integer_value(json_object_get(ok, "bytes"));
	ret->files = json_integer_value(json_object_get(ok, "files"));
	return r == -EUCLEAN ? aisbx_hint(e, "'aisbx image rm' and pulling or importing it again repairs it")
			     : r;
}

int image_verify(const char *key, images_progress_fn *progress, void *ctx, struct image_verified *ret,
		 struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(image_details_finish) struct image_details d = { 0 };
	int r = images_open(&i, e);

	if (r == 0)
		r = image_details_read(&i, key, &d, e);
	if (r < 0)
		return r;
	*ret = (struct image_verified){ .no_blob = d.no_blob, .layers = d.layers.n };
	r = check_layers(&i, &d, e);
	return r == 0 ? check_contents(&i, &d, progress, ctx, ret, e) : r;
}
