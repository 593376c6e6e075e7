/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `image pack`, `image push` and `image save`: an image is made of a box, or taken elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/image_out.h"
#include "op/image.h"

static int pack_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	scoped(image_imported_finish) struct image_imported got = { 0 };
	const char *compression = op_text(args, "compression");
	int r = images_may_change("pack an image", e);

	if (r == 0)
		r = image_pack(op_text(args, "box"), op_text(args, "name"),
			       compression ? compression : "gzip", &how, &got, e);
	if (r < 0)
		return r;
	*ret_result = op_image_json(&got.image);
	json_object_set_new(*ret_result, "name", json_string(got.name));
	json_object_set_new(*ret_result, "layers", json_integer((json_int_t)got.layers));
	json_object_set_new(*ret_result, "unpacked", json_integer((json_int_t)got.unpacked));
	return 0;
}

static int push_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	struct image_pushed done = { 0 };
	int r = images_may_change("push an image", e);

	if (r == 0)
		r = image_push(op_text(args, "image"), op_text(args, "reference"), &how, &done, e);
	if (r == 0)
		*ret_result = op_pushed_json(&done);
	return r;
}

static int save_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	const char *format = op_text(args, "format");
	scoped(drop_mem) char *full = path_resolve(ctx->by.cwd, op_text(args, "file"));
	char digest[STORE_DIGEST_MAX];
	int r = images_may_change("save an image", e);

	if (r == 0 && !full)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "save an image");
	if (r == 0)
		r = image_save(op_text(args, "image"), format ? format : "oci-archive", full, &how, digest,
			       e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:s}", "digest", digest, "file", full);
	return r;
}

static const char *const compressions[] = { "gzip", "zstd", "none", NULL };
static const char *const formats[] = { "oci-archive", "docker-archive", "layout", "pseudo", NULL };

static const struct op_param pack_params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX[@SNAPSHOT]",
	  "a box that stands on an image" },
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "NAME", "what the new image is called" },
	{ "compression", 0, OP_CHOICE, 0, "HOW", "of the new layer; default: gzip", compressions },
	{ .name = NULL },
};

static const struct op_field pack_result[] = {
	IMAGE_FIELDS(""),
	{ "layers", "integer", "layers of the image" },
	{ "unpacked", "integer", "those that were not here yet" },
	{ NULL, NULL, NULL },
};

const struct op op_image_pack = {
	.name = "image pack",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE,
	.method = "image.pack",
	.no_tool = "images are the person's",
	.summary = "Make an image of a box",
	.about = "Makes an image of a box that stands on one: the layers of that image, and one more with "
		 "the\n"
		 "changes of the box. The same changes give the same bytes. The project of a box is not\n"
		 "part of it.",
	.example = "aisbx image pack work@done tool:1.1",
	.grant = GRANT_RUN,
	.params = pack_params,
	.result = pack_result,
	.run = pack_run,
};

static const struct op_param push_params[] = {
	IMAGE_PARAM,
	{ "reference", 0, OP_STRING, OP_POSITIONAL, "REFERENCE",
	  "REGISTRY/REPOSITORY:TAG; default: its name" },
	{ .name = NULL },
};

static const struct op_field push_result[] = {
	{ "digest", "string", "SHA-256 of its manifest" },
	{ "to", "string", "the full reference that it has there" },
	{ "sent", "integer", "blobs that were sent" },
	{ "there", "integer", "blobs that the registry had already" },
	{ NULL, NULL, NULL },
};

const struct op op_image_push = {
	.name = "image push",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE_PUSH,
	.method = "image.push",
	.no_tool = "what it sends leaves the person's machine",
	.summary = "Send an image to a registry",
	.about = "Sends an image to a registry, byte for byte as it is here. Blobs that are there already "
		 "are\n"
		 "not sent again. Logins are those of 'docker login'.",
	.example = "aisbx image push tool:1.1 registry.example.org/team/tool:1.1",
	.grant = GRANT_HOST,
	.params = push_params,
	.result = push_result,
	.run = push_run,
};

static const struct op_param save_params[] = {
	IMAGE_PARAM,
	{ "file", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "FILE", "where to; nothing may be there" },
	{ "format", 0, OP_CHOICE, 0, "FORMAT", "default: oci-archive; layout is a directory", formats },
	{ .name = NULL },
};

static const struct op_field save_result[] = {
	{ "digest", "string", "SHA-256 of its manifest" },
	{ "file", "string", "where it was written to" },
	{ NULL, NULL, NULL },
};

const struct op op_image_save = {
	.name = "image save",
	.group = GROUP_IMAGES,
	.view = VIEW_NOTHING,
	.method = "image.save",
	.no_tool = "it writes files of the person's machine",
	.summary = "Write an image to a file",
	.about =
		"Writes an image to a file that 'docker load', skopeo, podman and 'aisbx image import' read.",
	.example = "aisbx image save tool:1.1 tool.tar\n"
		   "aisbx image save tool:1.1 --format docker-archive tool.tar && docker load -i tool.tar",
	.grant = GRANT_HOST,
	.params = save_params,
	.result = save_result,
	.run = save_run,
};
