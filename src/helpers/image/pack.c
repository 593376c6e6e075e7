/* SPDX-License-Identifier: Apache-2.0 */
/* The request "pack": from its JSON to a layer among the blobs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "helpers/image/blobs.h"
#include "helpers/image/compose.h"
#include "helpers/image/fetched.h"
#include "helpers/image/layer_out.h"
#include "helpers/image/pack_tree.h"
#include "helpers/image/subordinates.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"
#include "sys/sys.h"

struct request {
	struct strlist layers, below;
	const char *blobs; /* borrowed */
	enum layer_compression how;
	uint64_t most;
	const json_t *image; /* borrowed; NULL: only the layer is asked for */
	struct pack_order order;
	struct sys_subids sub; /* if order.ids.sub */
};

static void request_finish(struct request *r)
{
	strlist_finish(&r->layers);
	strlist_finish(&r->below);
}

static int invalid(struct aisbx_error *e, const char *key)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "the request has an invalid '%s'",
			    key);
}

static int read_paths(const json_t *request, const char *key, struct strlist *ret, struct aisbx_error *e)
{
	const json_t *list = json_object_get(request, key);
	const json_t *item;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) > IMAGE_MAX_LAYERS)
		return invalid(e, key);
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item) || *json_string_value(item) != '/')
			return invalid(e, key);
		strlist_add(ret, json_string_value(item));
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the request") : 0;
}

/* A number that may be missing. */
static int read_number(const json_t *request, const char *key, int64_t least, int64_t most, int64_t *ret,
		       struct aisbx_error *e)
{
	const json_t *value = json_object_get(request, key);

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > most)
		return invalid(e, key);
	*ret = json_integer_value(value);
	return 0;
}

static int request_read(const json_t *json, struct request *ret, struct aisbx_error *e)
{
	const char *compression = json_string_value(json_object_get(json, "compression"));
	const char *sub = json_string_value(json_object_get(json, "sub_ids"));
	const json_t *below = json_object_get(json, "below");
	int64_t shift = 0, most = (int64_t)IMAGE_MAX_BYTES, newest = INT64_MAX;
	int r = read_paths(json, "layers", &ret->layers, e);

	if (r == 0 && below && !json_is_null(below))
		r = read_paths(json, "below", &ret->below, e);
	if (r == 0)
		r = read_number(json, "id_shift", 0, UINT32_MAX, &shift, e);
	if (r == 0)
		r = read_number(json, "max_bytes", 1, INT64_MAX, &most, e);
	if (r == 0)
		r = read_number(json, "mtime", 0, INT64_MAX, &newest, e);
	if (r == 0 && sub && (shift || !sys_subids_parse(sub, &ret->sub)))
		r = invalid(e, "sub_ids");
	if (r < 0)
		return r;
	ret->blobs = json_string_value(json_object_get(json, "blobs"));
	ret->how = layer_compression_by_name(compression ? compression : "gzip");
	if (!ret->blobs || ret->how == LAYER_COMPRESSION_COUNT)
		return invalid(e, ret->blobs ? "compression" : "blobs");
	ret->most = (uint64_t)most;
	ret->image = json_object_get(json, "image");
	if (json_is_null(ret->image))
		ret->image = NULL;
	ret->order = (struct pack_order){ .ups = (const char *const *)ret->layers.items,
					  .n_ups = ret->layers.n,
					  .n_below = ret->below.n,
					  .ids = { .shift = (uint32_t)shift,
						   .one_id = json_is_true(json_object_get(json, "one_id")),
						   .sub = sub != NULL },
					  .newest = newest,
					  .most = (uint64_t)most };
	if (below && !json_is_null(below)) {
		static const char *const nothing[1];

		ret->order.below = ret->below.n ? (const char *const *)ret->below.items : nothing;
	}
	return 0;
}

/* The layer becomes an image: what is known of it then is added to OK. */
static int make_image(const json_t *settings, struct blobs *b, const struct fetched_layer *layer, json_t *ok,
		      struct aisbx_error *e)
{
	const json_t *parent = json_object_get(settings, "parent");
	scoped(fetched_finish) struct fetched image = { 0 };
	char manifest[DIGEST_CAP];
	json_t *told;
	int r = 0;

	if (!json_is_object(settings) || (parent && !json_is_null(parent) && !json_is_string(parent)))
		return invalid(e, "image");
	r = compose_image(b, json_string_value(parent), layer, 1, settings, manifest, e);
	if (r == 0)
		r = fetched_from_blobs(b, manifest, NULL, &image, e);
	if (r < 0)
		return r;
	told = json_pack("{s:o?}", "image", fetched_json(&image));
	r = told ? json_object_update(ok, told) : -1;
	json_decref(told);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "answer") : 0;
}

static json_t *layer_json(const struct fetched_layer *l, const struct pack_counts *counts)
{
	return json_pack("{s:s,s:s,s:s,s:I,s:I,s:I,s:I}", "digest", l->digest, "diff_id", l->diff_id,
			 "media_type", l->media_type, "size", (json_int_t)l->size, "files",
			 (json_int_t)counts->files, "bytes", (json_int_t)counts->bytes, "left_out",
			 (json_int_t)counts->left_out);
}

static int pack(const struct request *q, struct blobs *b, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(layer_out_finish) struct layer_out out = LAYER_OUT_INIT;
	struct fetched_layer layer = { .media_type = layer_compression_media_type(q->how) };
	struct pack_counts counts = { 0 };
	json_t *ok;
	int r = layer_out_begin(b, q->how, q->most, &out, e);

	if (r == 0)
		r = pack_tree(&q->order, layer_out_write, &out, &counts, e);
	if (r == 0)
		r = layer_out_end(&out, layer.digest, layer.diff_id, &layer.size);
	if (r < 0)
		return r;
	ok = layer_json(&layer, &counts);
	if (!ok)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "answer");
	if (q->image)
		r = make_image(q->image, b, &layer, ok, e);
	if (r < 0) {
		json_decref(ok);
		return r;
	}
	*ret_ok = ok;
	return 0;
}

int verb_pack(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(request_finish) struct request q = { 0 };
	scoped(blobs_close) struct blobs b = BLOBS_INIT;
	int r = request_read(request, &q, e);

	if (r == 0)
		r = blobs_open(q.blobs, 0, &b, e);
	if (r < 0)
		return r;
	/* A box may have taken its owner's permissions away, and behind the next wall it is too late for
	 * that. */
	if (q.order.ids.sub)
		r = enter_subordinates(&q.sub, e);
	else if (q.order.ids.one_id)
		(void)sys_own_files();
	if (r < 0)
		return r;
	r = blobs_confine(q.blobs, e);
	return r < 0 ? r : pack(&q, &b, ret_ok, e);
}
