/* SPDX-License-Identifier: Apache-2.0 */
/* Packs layers into blobs, writes the documents of an image over them, and makes images of boxes. */
#include "box/image_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/hold.h"
#include "box/image_out.h"
#include "box/lookup.h"
#include "box/room.h"
#include "driver/driver.h"
#include "image/helper.h"
#include "image/oci.h"
#include "image/template_label.h"

int image_pack_check(const struct image_details *d, struct aisbx_error *e)
{
	if (!d->no_blob)
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_STALE, AISBX_AREA_BOX, ENOENT,
		"%zu of the %zu blobs of the image's layers were not kept; pull or import it again, "
		"without --no-blobs",
		d->no_blob, d->layers.n);
}

/* Adds the files of layers CHAIN[FROM..TO-1], newest first, to LIST, oldest first, as far as there are any.
 */
static int add_dirs(const struct box_state *s, const struct store_layer *chain, size_t from, size_t to,
		    json_t *list, struct aisbx_error *e)
{
	for (size_t k = to; k > from; k--) {
		scoped(drop_mem) char *path = image_layer_path(s, chain[k - 1].id, e);
		struct stat st;

		if (!path)
			return e->code;
		if (lstat(path, &st) == 0)
			json_array_append_new(list, json_string(path));
	}
	return 0;
}

int image_pack_dirs(struct images *i, json_t *layers, json_t *below, const struct image_packing *how,
		    json_t **ret, struct aisbx_error *e)
{
	const char *sub = how->sub_ids && how->sub_ids[0] ? how->sub_ids : NULL;
	uint32_t shift = driver_id_shift();
	json_auto_t *request =
		json_pack("{s:s, s:o, s:o?, s:s, s:s, s:I, s:b, s:s?}", "do", "pack", "layers", layers,
			  "below", below, "blobs", i->blobs, "compression", how->compression, "id_shift",
			  (json_int_t)shift, "one_id", shift == 0 && !sub, "sub_ids", sub);

	return request ? image_ask(request, how->progress, how->progress_ctx, ret, e)
		       : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "pack a layer");
}

int image_pack_changes(struct images *i, const char *top, const struct store_image *on,
		       const struct image_packing *how, bool *ret_alone, json_t **ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	json_t *layers = json_array(), *below = json_array();
	size_t n = 0, own = 0;
	int r = store_layer_chain(i->state.store, top, &chain, &n, e);

	while (r == 0 && own < n && strcmp(chain[own].id, on->top) != 0)
		own++;
	*ret_alone = own == n; /* its layers were merged into one: the image has that one */
	if (r == 0)
		r = add_dirs(&i->state, chain, 0, own, layers, e);
	if (r == 0)
		r = add_dirs(&i->state, chain, own, n, below, e);
	if (r == 0)
		return image_pack_dirs(i, layers, below, how, ret, e);
	json_decref(layers);
	json_decref(below);
	return r;
}

/* Media types of Docker's are those of OCI by another name. */
static const char *oci_type(const char *type)
{
	static const char *const same[][2] = {
		{ DOCKER_LAYER_GZIP, OCI_LAYER_GZIP },
		{ DOCKER_LAYER_ZSTD, OCI_LAYER_ZSTD },
		{ DOCKER_LAYER, OCI_LAYER },
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!strcmp(type, same[i][0]))
			return same[i][1];
	return type;
}

/* An image of a box from a template is none itself, unless it is made one. */
static void set_label(json_t *config, const char *text)
{
	json_t *settings = json_object_get(config, "config"), *labels;

	if (text && !json_is_object(settings)) {
		settings = json_object();
		json_object_set_new(config, "config", settings);
	}
	labels = json_object_get(settings, "Labels");
	if (text && !json_is_object(labels)) {
		labels = json_object();
		json_object_set_new(settings, "Labels", labels);
	}
	if (text)
		json_object_set_new(labels, TEMPLATE_LABEL, json_string(text));
	else if (labels)
		json_object_del(labels, TEMPLATE_LABEL);
}

static json_t *new_config(const struct image_draft *d)
{
	json_t *config = json_deep_copy(d->config);
	json_t *ids = json_object_get(json_object_get(config, "rootfs"), "diff_ids"), *history;

	if (!d->below) {
		json_array_clear(ids);
		json_object_del(config, "history");
	}
	history = json_object_get(config, "history");
	for (size_t k = 0; k < 2 && d->packed[k]; k++) {
		json_array_append(ids, json_object_get(d->packed[k], "diff_id"));
		if (history)
			json_array_append_new(history, json_pack("{s:s}", "created_by", d->by));
	}
	set_label(config, d->template_label);
	return config;
}

static json_t *new_manifest(const struct image_draft *d, const char *config, size_t config_len)
{
	json_t *layers = json_array();

	for (size_t k = 0; d->below && k < d->below->n; k++)
		json_array_append_new(layers, json_pack("{s:s, s:s, s:I}", "mediaType",
							oci_type(d->below->items[k].media_type), "digest",
							d->below->items[k].digest, "size",
							(json_int_t)d->below->items[k].size));
	for (size_t k = 0; k < 2 && d->packed[k]; k++)
		json_array_append_new(layers, json_pack("{s:O, s:O, s:O}", "mediaType",
							json_object_get(d->packed[k], "media_type"), "digest",
							json_object_get(d->packed[k], "digest"), "size",
							json_object_get(d->packed[k], "size")));
	return json_pack("{s:i, s:s, s:{s:s, s:s, s:I}, s:o}", "schemaVersion", 2, "mediaType", OCI_MANIFEST,
			 "config", "mediaType", OCI_CONFIG, "digest", config, "size", (json_int_t)config_len,
			 "layers", layers);
}

/* The same bytes for the same content. */
static int write_json(const struct images *i, const json_t *j, char ret_digest[STORE_DIGEST_MAX],
		      size_t *ret_len, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = j ? json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	if (!text)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write an image");
	*ret_len = strlen(text);
	return images_write_blob(i, text, *ret_len, ret_digest, e);
}

int image_pack_documents(struct images *i, const struct image_draft *d, char ret_digest[STORE_DIGEST_MAX],
			 struct aisbx_error *e)
{
	json_auto_t *config = new_config(d);
	json_auto_t *manifest = NULL;
	char config_digest[STORE_DIGEST_MAX];
	size_t len = 0;
	int r = write_json(i, config, config_digest, &len, e);

	if (r < 0)
		return r;
	manifest = new_manifest(d, config_digest, len);
	return write_json(i, manifest, ret_digest, &len, e);
}

static int pack_point(struct images *i, struct lookup *at, const struct image_details *d,
		      const struct image_packing *how, char ret_digest[STORE_DIGEST_MAX],
		      struct aisbx_error *e)
{
	struct store_snapshot snap = { 0 };
	struct image_draft draft = { .config = d->config, .by = "aisbx image pack" };
	json_auto_t *packed = NULL;
	bool alone = false;
	int r = at->snapshot[0] ? store_snapshot_find(at->state.store, at->box.id, at->snapshot, &snap, e)
				: 0;

	if (r == 0)
		r = image_pack_changes(i, at->snapshot[0] ? snap.layer : at->box.top, &d->image, how, &alone,
				       &packed, e);
	draft.below = alone ? NULL : &d->layers;
	draft.packed[0] = packed;
	return r == 0 ? image_pack_documents(i, &draft, ret_digest, e) : r;
}

static int pack_held(struct images *i, struct lookup *at, const char *name, const char *compression,
		     const struct image_import *how, struct image_imported *ret, struct aisbx_error *e)
{
	scoped(image_details_finish) struct image_details d = { 0 };
	scoped(drop_mem) char *source = NULL;
	struct image_packing packing = { compression, d.image.ids, how->progress, how->progress_ctx };
	char digest[STORE_DIGEST_MAX];
	int r;

	if (!at->box.image[0])
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			"box '%s' stands on this machine, not on an image, and cannot be packed into one; "
			"'aisbx create --from IMAGE' makes a box that can",
			at->box.name);
	r = image_details_read(i, at->box.image, &d, e);
	if (r == 0)
		r = image_pack_check(&d, e);
	if (r == 0)
		r = pack_point(i, at, &d, &packing, digest, e);
	if (r == 0 &&
	    asprintf(&source, "box %s%s%s", at->box.name, at->snapshot[0] ? "@" : "", at->snapshot) < 0) {
		source = NULL;
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "pack a box");
	}
	return r == 0 ? image_adopt(i, digest, name, source, how, ret, e) : r;
}

int image_pack(const char *box, const char *name, const char *compression, const struct image_import *how,
	       struct image_imported *ret, struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	struct lookup at = LOOKUP_INIT;
	struct hold hold = { 0 };
	int r = image_check_name(name, e);

	if (r == 0)
		r = images_open(&i, e);
	if (r < 0)
		return r;
	r = hold_open(box, &hold, &at, e);
	if (r == 0)
		r = box_hint_room(i.state.dir, pack_held(&i, &at, name, compression, how, ret, e), e);
	lookup_finish(&at);
	hold_finish(&hold);
	return r;
}
