/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a box into an image, and takes images elsewhere. */
#include "box/image_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/hold.h"
#include "box/image_layers.h"
#include "box/image_settings.h"
#include "box/image_show.h"
#include "box/lookup.h"
#include "box/room.h"
#include "driver/driver.h"
#include "image/helper.h"
#include "image/oci.h"
#include "image/reference.h"

static int check_blobs(const struct image_details *d, struct aisbx_error *e)
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

/* The changes of the box become a blob; RET is what the helper says of it. */
static int pack_changes(struct images *i, struct lookup *at, const struct store_image *on,
			const char *compression, const struct image_import *how, bool *ret_whole,
			json_t **ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	struct store_snapshot snap = { 0 };
	json_t *layers = json_array(), *below = json_array();
	json_auto_t *request = NULL;
	uint32_t shift = driver_id_shift();
	size_t n = 0, own = 0;
	int r = at->snapshot[0] ? store_snapshot_find(at->state.store, at->box.id, at->snapshot, &snap, e)
				: 0;

	if (r == 0)
		r = store_layer_chain(at->state.store, at->snapshot[0] ? snap.layer : at->box.top, &chain, &n,
				      e);
	while (r == 0 && own < n && strcmp(chain[own].id, on->top) != 0)
		own++;
	*ret_whole = own == n; /* its layers were merged into one: the image has that one */
	if (r == 0)
		r = add_dirs(&i->state, chain, 0, own, layers, e);
	if (r == 0)
		r = add_dirs(&i->state, chain, own, n, below, e);
	request = json_pack("{s:s, s:o, s:o, s:s, s:s, s:I, s:b, s:s?}", "do", "pack", "layers", layers,
			    "below", below, "blobs", i->blobs, "compression", compression, "id_shift",
			    (json_int_t)shift, "one_id", shift == 0 && !on->ids[0], "sub_ids",
			    on->ids[0] ? on->ids : NULL);
	if (r == 0 && !request)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "pack a box");
	return r == 0 ? image_ask(request, how->progress, how->progress_ctx, ret, e) : r;
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

/* The config of the new image, with the layer PACKED on top of the old ones, or alone. */
static json_t *new_config(const json_t *old, const json_t *packed, bool alone)
{
	json_t *config = json_deep_copy(old);
	json_t *rootfs = json_object_get(config, "rootfs"), *ids = json_object_get(rootfs, "diff_ids");
	json_t *history = json_object_get(config, "history");

	if (alone) {
		json_array_clear(ids);
		json_object_del(config, "history");
		history = NULL;
	}
	json_array_append(ids, json_object_get(packed, "diff_id"));
	if (history)
		json_array_append_new(history, json_pack("{s:s}", "created_by", "aisbx image pack"));
	return config;
}

static json_t *new_manifest(const struct image_layers *old, const json_t *packed, const char *config,
			    size_t config_len, bool alone)
{
	json_t *layers = json_array();

	for (size_t k = 0; !alone && k < old->n; k++)
		json_array_append_new(layers, json_pack("{s:s, s:s, s:I}", "mediaType",
							oci_type(old->items[k].media_type), "digest",
							old->items[k].digest, "size",
							(json_int_t)old->items[k].size));
	json_array_append_new(layers,
			      json_pack("{s:O, s:O, s:O}", "mediaType", json_object_get(packed, "media_type"),
					"digest", json_object_get(packed, "digest"), "size",
					json_object_get(packed, "size")));
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

static int make(struct images *i, const struct image_details *d, const json_t *packed, bool alone,
		char ret_digest[STORE_DIGEST_MAX], struct aisbx_error *e)
{
	json_auto_t *config = new_config(d->config, packed, alone);
	json_auto_t *manifest = NULL;
	char config_digest[STORE_DIGEST_MAX];
	size_t len = 0;
	int r = write_json(i, config, config_digest, &len, e);

	if (r < 0)
		return r;
	manifest = new_manifest(&d->layers, packed, config_digest, len, alone);
	return write_json(i, manifest, ret_digest, &len, e);
}

static int pack_held(struct images *i, struct lookup *at, const char *name, const char *compression,
		     const struct image_import *how, struct image_imported *ret, struct aisbx_error *e)
{
	scoped(image_details_finish) struct image_details d = { 0 };
	scoped(drop_mem) char *source = NULL;
	json_auto_t *packed = NULL;
	char digest[STORE_DIGEST_MAX];
	bool alone = false;
	int r;

	if (!at->box.image[0])
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			"box '%s' stands on this machine, not on an image, and cannot be packed into one; "
			"'aisbx create --from IMAGE' makes a box that can",
			at->box.name);
	r = image_details_read(i, at->box.image, &d, e);
	if (r == 0)
		r = check_blobs(&d, e);
	if (r == 0)
		r = pack_changes(i, at, &d.image, compression, how, &alone, &packed, e);
	if (r == 0)
		r = make(i, &d, packed, alone, digest, e);
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

static int open_whole(struct images *i, const char *key, struct image_details *d, struct aisbx_error *e)
{
	int r = images_open(i, e);

	if (r == 0)
		r = image_details_read(i, key, d, e);
	return r == 0 ? check_blobs(d, e) : r;
}

/* A name of an import, an id or a digest says not where to: nothing is sent to docker.io by accident. */
static bool has_registry(const char *name)
{
	size_t n = strcspn(name, "/");

	return name[n] && (memchr(name, '.', n) || memchr(name, ':', n) || !strncmp(name, "localhost/", 10));
}

int image_push(const char *key, const char *to, const struct image_import *how, struct image_pushed *ret,
	       struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(image_details_finish) struct image_details d = { 0 };
	scoped(reference_finish) struct reference ref = { 0 };
	scoped(drop_mem) char *where = NULL;
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	int r = open_whole(&i, key, &d, e);

	if (r == 0 && !to && !has_registry(key))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "say where to push it: 'aisbx image push %.40s REGISTRY/NAME:TAG'", key);
	if (r == 0)
		r = reference_parse(to ? to : key, &ref, e);
	if (r == 0 && !(where = reference_full(&ref)))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "push an image");
	if (r < 0)
		return r;
	request = json_pack("{s:s, s:s, s:s, s:s}", "do", "push", "blobs", i.blobs, "manifest",
			    d.image.digest, "to", where);
	r = request ? image_settings_add(how->by, NULL, request, e)
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				   "a reference must be UTF-8");
	if (r == 0)
		r = image_ask(request, how->progress, how->progress_ctx, &ok, e);
	if (r < 0)
		return r;
	snprintf(ret->digest, sizeof(ret->digest), "%s", d.image.digest);
	ret->to = take_mem(&where);
	ret->sent = (size_t)json_integer_value(json_object_get(ok, "sent"));
	ret->there = (size_t)json_integer_value(json_object_get(ok, "there"));
	return 0;
}

int image_save(const char *key, const char *format, const char *path, const struct image_import *how,
	       char ret_digest[STORE_DIGEST_MAX], struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(image_details_finish) struct image_details d = { 0 };
	json_auto_t *request = NULL;
	json_auto_t *ok = NULL;
	struct stat st;
	int r = open_whole(&i, key, &d, e);

	if (r == 0 && lstat(path, &st) == 0)
		r = aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, EEXIST,
				 "'%s' exists already; remove it, or give another name", path);
	if (r < 0)
		return r;
	request = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "do", "write", "to", format, "path", path,
			    "blobs", i.blobs, "manifest", d.image.digest, "name",
			    d.image.names.n ? d.image.names.items[0] : d.image.id);
	r = request ? image_ask(request, how->progress, how->progress_ctx, &ok, e)
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "a path must be UTF-8");
	if (r == 0)
		snprintf(ret_digest, STORE_DIGEST_MAX, "%s", d.image.digest);
	return r;
}
