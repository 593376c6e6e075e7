/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `image ls`, `image show`, `image rm` and `image verify`. */
#include "op/image.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/image_show.h"
#include "box/owner.h"
#include "op/policy_json.h"

static json_t *platform(const char *config)
{
	json_auto_t *j = config ? json_loads(config, 0, NULL) : NULL;
	const char *os = json_string_value(json_object_get(j, "os"));
	const char *machine = json_string_value(json_object_get(j, "architecture"));
	const char *variant = json_string_value(json_object_get(j, "variant"));
	json_t *text =
		json_sprintf("%s/%s%s%s", os && *os ? os : "linux", machine && *machine ? machine : "unknown",
			     variant && *variant ? "/" : "", variant ? variant : "");

	return text ? text : json_string("unknown");
}

json_t *op_image_json(const struct store_image *i)
{
	const char *source =
		i->source && !box_acting_for() ? i->source : ""; /* it may be a path of the host */

	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:I, s:I}", "id", i->id, "digest", i->digest, "name",
			 i->names.n ? i->names.items[0] : "", "names", value_list_json(&i->names), "source",
			 source, "platform", platform(i->config), "size", (json_int_t)i->size, "created_ms",
			 (json_int_t)i->created_ms);
}

json_t *op_pushed_json(struct image_pushed *done)
{
	json_t *j = json_pack("{s:s, s:s, s:I, s:I}", "digest", done->digest, "to", done->to, "sent",
			      (json_int_t)done->sent, "there", (json_int_t)done->there);

	free(done->to);
	done->to = NULL;
	return j;
}

static int tell(void *face, const json_t *progress)
{
	struct op_context *ctx = face;
	json_auto_t *item = json_pack("{s:O}", "progress", (json_t *)progress);

	if (item)
		ctx->emit(ctx, item);
	return 0;
}

struct image_import op_image_how(struct op_context *ctx, const json_t *args)
{
	return (struct image_import){ .platform = op_text(args, "platform"),
				      .name = op_text(args, "name"),
				      .no_blobs = op_flag(args, "no-blobs"),
				      .by = &ctx->by,
				      .progress = ctx->emit ? tell : NULL,
				      .progress_ctx = ctx };
}

static int ls_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state s = { 0 };
	struct store_image *list = NULL;
	json_t *images;
	size_t n = 0;
	int r = box_state_open(&s, e);

	(void)ctx;
	(void)args;
	if (r == 0)
		r = image_list(&s, &list, &n, e);
	if (r < 0)
		return r;
	images = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(images, op_image_json(&list[i]));
	store_image_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "images", images);
	return 0;
}

static json_t *layers_json(const struct image_details *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->layers.n; i++) {
		const struct image_layer *l = &d->layers.items[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:b, s:s, s:I, s:I}", "digest",
						      l->digest, "diff_id", l->diff_id, "media_type",
						      l->media_type, "size", (json_int_t)l->size, "blob",
						      images_has_blob(d->images, l->digest), "layer", l->id,
						      "files", (json_int_t)l->files, "bytes",
						      (json_int_t)l->bytes));
	}
	return list;
}

/* Settings that a box gets from it, as far as they are there. */
static json_t *settings_json(const json_t *config)
{
	static const char *const keys[][2] = { { "Entrypoint", "entrypoint" },
					       { "Cmd", "cmd" },
					       { "Env", "env" },
					       { "User", "user" },
					       { "WorkingDir", "workdir" },
					       { "ExposedPorts", "ports" },
					       { "Volumes", "volumes" },
					       { "Labels", "labels" },
					       { "StopSignal", "stop_signal" } };
	json_t *of = json_object_get(config, "config"), *ret = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		json_t *value = json_object_get(of, keys[i][0]);

		if (value && !json_is_null(value))
			json_object_set(ret, keys[i][1], value);
	}
	return ret;
}

static int show_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(images_close) struct images i = IMAGES_INIT;
	scoped(image_details_finish) struct image_details d = { 0 };
	int r = images_open(&i, e);

	(void)ctx;
	if (r == 0)
		r = image_details_read(&i, op_text(args, "image"), &d, e);
	if (r < 0)
		return r;
	*ret_result = op_image_json(&d.image);
	json_object_set_new(*ret_result, "layers", layers_json(&d));
	json_object_set_new(*ret_result, "config", settings_json(d.config));
	json_object_set_new(*ret_result, "policy", op_policy_json(&d.policy));
	json_object_set_new(*ret_result, "used_by", value_list_json(&d.users));
	json_object_set_new(*ret_result, "users", json_integer((json_int_t)d.n_users));
	return 0;
}

static int rm_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_removed done = { 0 };
	int r = images_may_change("remove an image", e);

	(void)ctx;
	if (r == 0)
		r = image_remove(op_text(args, "image"), &done, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:b, s:I, s:I}", "id", done.id, "removed", !done.stays,
					"layers", (json_int_t)done.layers, "blobs", (json_int_t)done.blobs);
	return r;
}

static int verify_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	struct image_verified seen = { 0 };
	int r = image_verify(op_text(args, "image"), how.progress, how.progress_ctx, &seen, e);

	if (r == 0)
		*ret_result = json_pack("{s:I, s:I, s:I, s:I, s:I}", "blobs", (json_int_t)seen.blobs,
					"not_kept", (json_int_t)seen.no_blob, "bytes", (json_int_t)seen.bytes,
					"layers", (json_int_t)seen.layers, "files", (json_int_t)seen.files);
	return r;
}

static const struct op_param none_params[] = {
	{ .name = NULL },
};

static const struct op_param one_params[] = {
	IMAGE_PARAM,
	{ .name = NULL },
};

static const struct op_field ls_result[] = {
	{ "images", "array", "by name" },
	IMAGE_FIELDS("images[]."),
	{ NULL, NULL, NULL },
};

const struct op op_image_ls = {
	.name = "image ls",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGES,
	.method = "image.ls",
	.no_tool = "a box is made from an image that the person names",
	.summary = "List images",
	.about = "Lists the images that are here, by name.",
	.example = "aisbx image ls",
	.grant = GRANT_READ,
	.params = none_params,
	.result = ls_result,
	.run = ls_run,
};

static const struct op_field show_result[] = {
	IMAGE_FIELDS(""),
	{ "layers", "array", "oldest first" },
	{ "layers[].digest", "string", "SHA-256 of its blob" },
	{ "layers[].diff_id", "string", "SHA-256 of its archive, not compressed" },
	{ "layers[].media_type", "string", "how the blob is packed" },
	{ "layers[].size", "integer", "bytes of its blob" },
	{ "layers[].blob", "boolean", "whether the blob was kept" },
	{ "layers[].layer", "string", "id of the unpacked layer" },
	{ "layers[].files", "integer", "files and directories in it" },
	{ "layers[].bytes", "integer", "bytes of its files" },
	{ "config", "object", "what a box from it gets" },
	{ "config.entrypoint", "array|null", "words before every command" },
	{ "config.cmd", "array|null", "the command if none is given" },
	{ "config.env", "array|null", "variables, as NAME=VALUE" },
	{ "config.user", "string|null", "who runs commands" },
	{ "config.workdir", "string|null", "where they run" },
	{ "config.ports", "object|null", "ports that its programs listen on" },
	{ "config.volumes", "object|null", "directories that are meant to be kept elsewhere" },
	{ "config.labels", "object|null", "notes of its makers" },
	{ "config.stop_signal", "string|null", "signal that ends it" },
	POLICY_FIELDS,
	{ "used_by", "array", "boxes and templates that stand on it, at most 20; only for the person" },
	{ "users", "integer", "how many stand on it" },
	{ NULL, NULL, NULL },
};

const struct op op_image_show = {
	.name = "image show",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE_SHOW,
	.method = "image.show",
	.no_tool = "a box is made from an image that the person names",
	.summary = "Show what an image is",
	.about = "Shows the settings and layers of an image, what it takes on disk, and which boxes and\n"
		 "templates stand on it.",
	.example = "aisbx image show debian:12",
	.grant = GRANT_READ,
	.params = one_params,
	.result = show_result,
	.run = show_run,
};

static const struct op_field rm_result[] = {
	{ "id", "string", "of the image" },
	{ "removed", "boolean", "false: only the name was removed, because the image has others" },
	{ "layers", "integer", "unpacked layers that were removed with it" },
	{ "blobs", "integer", "blobs that were removed with it" },
	{ NULL, NULL, NULL },
};

const struct op op_image_rm = {
	.name = "image rm",
	.group = GROUP_IMAGES,
	.view = VIEW_NOTHING,
	.method = "image.rm",
	.no_tool = "images are the person's",
	.summary = "Remove an image",
	.about = "Removes a name of an image. With the last name, or if an id or digest is given, the image\n"
		 "itself is removed, with the layers and blobs that no other image needs. An image that a\n"
		 "box or a template stands on stays: remove those first.",
	.example = "aisbx image rm debian:12",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = one_params,
	.result = rm_result,
	.run = rm_run,
};

static const struct op_field verify_result[] = {
	{ "blobs", "integer", "blobs that are what their names say" },
	{ "not_kept", "integer", "layers whose blob was not kept" },
	{ "bytes", "integer", "bytes that were read" },
	{ "layers", "integer", "layers that are there" },
	{ "files", "integer", "unpacked files that are as in their layers" },
	{ NULL, NULL, NULL },
};

const struct op op_image_verify = {
	.name = "image verify",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE_VERIFY,
	.method = "image.verify",
	.no_tool = "images are the person's",
	.summary = "Check that an image is whole",
	.about = "Reads every blob of an image and compares it with its digest, checks that the unpacked\n"
		 "layers are there and stand on each other as they should, and compares their files with\n"
		 "those in the blobs: contents, permissions, owners, targets of links. Files of a layer\n"
		 "whose blob was not kept are not compared.",
	.example = "aisbx image verify debian:12",
	.grant = GRANT_READ,
	.params = one_params,
	.result = verify_result,
	.run = verify_run,
};
