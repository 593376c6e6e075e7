/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `du`. */
#include "box/du.h"

#include "base/scope.h"
#include "base/value.h"
#include "op/op.h"

static json_t *item_json(const struct du_item *i)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:I}", "kind", i->kind, "name", i->name,
			 "id", i->id, "bytes", (json_int_t)i->bytes, "own", (json_int_t)i->own, "shared",
			 (json_int_t)(i->bytes - i->own), "blobs", (json_int_t)i->blobs, "with",
			 value_list_json(&i->with), "sharers", (json_int_t)i->n_with);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 };
	scoped(du_finish) struct du d = { 0 };
	json_t *items;
	int r;

	(void)ctx;
	value_list(json_object_get(args, "names"), &keys);
	r = box_du(&keys, &d, e);
	if (r < 0)
		return r;
	items = json_array();
	for (size_t i = 0; i < d.n; i++)
		json_array_append_new(items, item_json(&d.items[i]));
	*ret_result = json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "items", items, "layers",
				(json_int_t)d.layers, "saved", (json_int_t)d.saved, "blobs",
				(json_int_t)d.blobs, "chunked", (json_int_t)d.chunked, "chunks",
				(json_int_t)d.chunks, "free", (json_int_t)d.free);
	return 0;
}

static const struct op_param params[] = {
	{ "names", 0, OP_LIST, OP_POSITIONAL, "NAME",
	  "box, BOX@SNAPSHOT, image or template; default: all of them" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "items", "array", "boxes, each with its snapshots; images; templates" },
	{ "items[].kind", "string", "box, snapshot, image or template" },
	{ "items[].name", "string", "a snapshot: BOX@NAME" },
	{ "items[].id", "string", "empty for a template" },
	{ "items[].bytes", "integer", "of all its layers on disk" },
	{ "items[].own", "integer", "of these, what nothing else needs: removing it frees so much" },
	{ "items[].shared", "integer", "the rest" },
	{ "items[].blobs", "integer", "of an image: bytes of its blobs, compressed" },
	{ "items[].with", "array", "what stands on the same layers, at most 5" },
	{ "items[].sharers", "integer", "how many there are" },
	{ "layers", "integer", "bytes of all layers on disk" },
	{ "saved", "integer", "bytes that equal files would take in addition if they were not stored once" },
	{ "blobs", "integer", "bytes of all blobs of images on disk" },
	{ "chunked", "integer", "bytes of those blobs that are stored as chunks, equal chunks once" },
	{ "chunks", "integer", "bytes of these chunks on disk" },
	{ "free", "integer", "bytes that 'aisbx gc' would free" },
	{ NULL, NULL, NULL },
};

const struct op op_du = {
	.name = "du",
	.group = GROUP_BOXES,
	.view = VIEW_DU,
	.method = "box.du",
	.summary = "Show what boxes, snapshots and images take on disk",
	.about = "Shows what boxes, snapshots, images and templates take on disk, and what of that others\n"
		 "need as well. A file counts once, however many snapshots have it: snapshots and forks\n"
		 "share the layers below them, and 'aisbx gc --share' stores equal files of different layers "
		 "once.\n"
		 "The last line tells what 'aisbx gc' would free.",
	.example = "aisbx du\n"
		   "aisbx du mybox debian:12",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
