/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `image pull`, `image import` and `init`: an image comes here. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/from.h"
#include "op/image.h"

static int bring(const struct image_import *how, json_t **ret_result, struct aisbx_error *e)
{
	scoped(image_imported_finish) struct image_imported got = { 0 };
	int r = image_import(how, &got, e);

	if (r < 0)
		return r;
	*ret_result = op_image_json(&got.image);
	json_object_set_new(*ret_result, "name", json_string(got.name));
	json_object_set_new(*ret_result, "layers", json_integer((json_int_t)got.layers));
	json_object_set_new(*ret_result, "unpacked", json_integer((json_int_t)got.unpacked));
	json_object_set_new(*ret_result, "left_out",
			    json_pack("{s:I, s:I, s:I}", "devices", (json_int_t)got.left_out.devices,
				      "xattrs", (json_int_t)got.left_out.xattrs, "owners",
				      (json_int_t)got.left_out.owners));
	return 0;
}

int op_pull_missing(struct op_context *ctx, const json_t *args, const char *text, bool any,
		    struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	scoped(image_imported_finish) struct image_imported got = { 0 };
	struct aisbx_error why = AISBX_ERROR_INIT;
	int r;

	if (!op_flag(args, "pull"))
		return 0;
	if (!text)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--pull is about an image, and none is given; write %s",
				    any ? "--from IMAGE" : "--image IMAGE");
	r = box_from_look(text, !any, &why);
	if (r != -ENOENT) {
		*e = why;
		return r;
	}
	r = images_may_change("pull an image", e);
	how.name = NULL; /* that of the arguments is the box's, or the run's */
	how.from = "registry";
	how.source = !strncmp(text, "image:", 6) ? text + 6 : text;
	return r == 0 ? image_import(&how, &got, e) : r;
}

static int pull_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	int r = images_may_change("pull an image", e);

	how.from = "registry";
	how.source = op_text(args, "reference");
	return r == 0 ? bring(&how, ret_result, e) : r;
}

static int bring_file(struct op_context *ctx, const json_t *args, const char *key, const char *from,
		      json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	scoped(drop_mem) char *full = path_resolve(ctx->by.cwd, op_text(args, key));
	int r = images_may_change("import an image", e);

	if (r == 0 && !full)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "import an image");
	how.from = from;
	how.source = full;
	return r == 0 ? bring(&how, ret_result, e) : r;
}

static int import_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	return bring_file(ctx, args, "file", NULL, ret_result, e);
}

static int init_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	return bring_file(ctx, args, "rootfs", "rootfs", ret_result, e);
}

static const struct op_field result[] = {
	IMAGE_FIELDS(""),
	{ "layers", "integer", "layers of the image" },
	{ "unpacked", "integer", "those that were not here yet" },
	{ "left_out", "object", "what of them could not be kept" },
	{ "left_out.devices", "integer", "device nodes; no box has those of an image" },
	{ "left_out.xattrs", "integer", "attributes of files that this user cannot set" },
	{ "left_out.owners", "integer", "owners of links and pipes, for a user with one id" },
	{ NULL, NULL, NULL },
};

static const struct op_param pull_params[] = {
	{ "reference", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "REFERENCE",
	  "[REGISTRY/]REPOSITORY[:TAG][@DIGEST]; without a registry docker.io, without a tag latest" },
	{ "name", 0, OP_STRING, 0, "NAME", "what it is called here; default: the full reference" },
	PLATFORM_PARAM,
	NO_BLOBS_PARAM,
	{ .name = NULL },
};

const struct op op_image_pull = {
	.name = "image pull",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE,
	.method = "image.pull",
	.no_tool = "it uses the network of the person's machine",
	.summary = "Bring an image from a registry",
	.about = "Downloads an image, checks every part of it against its SHA-256 digest, and unpacks the\n"
		 "layers that are not here yet. Logins are those of 'docker login'\n"
		 "(~/.docker/config.json). A download that was cut off is resumed by the next pull.\n"
		 "~/.config/aisbx/images.yaml names mirrors, and keys of which one must have signed.",
	.example = "aisbx image pull debian:12\n"
		   "aisbx image pull --platform linux/arm64 ghcr.io/owner/tool:1.0",
	.grant = GRANT_HOST,
	.params = pull_params,
	.result = result,
	.run = pull_run,
};

static const struct op_param import_params[] = {
	{ "file", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "FILE",
	  "an OCI layout (a directory), an OCI archive, an archive of 'docker save', a tar archive of a root "
	  "file system (.gz, .xz, .zst), or a pseudo-image" },
	{ "name", 0, OP_STRING, 0, "NAME", "what it is called here; default: the name of the file" },
	PLATFORM_PARAM,
	NO_BLOBS_PARAM,
	{ .name = NULL },
};

const struct op op_image_import = {
	.name = "image import",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE,
	.method = "image.import",
	.no_tool = "it reads files of the person's machine",
	.summary = "Bring an image from a file",
	.about = "Reads an image from a file or directory, checks it, and unpacks the layers that are not "
		 "here\n"
		 "yet. What kind of file it is, is found out by looking into it.",
	.example = "aisbx image import debian.tar.xz --name debian\n"
		   "docker save tool | zstd > tool.tar.zst && aisbx image import tool.tar.zst",
	.grant = GRANT_HOST,
	.params = import_params,
	.result = result,
	.run = import_run,
};

static const struct op_param init_params[] = {
	{ "rootfs", 0, OP_STRING, OP_REQUIRED, "FILE",
	  "a tar archive of a root file system: .tar, .tar.gz, .tar.xz, .tar.zst" },
	{ "name", 0, OP_STRING, 0, "NAME", "what the image is called; default: the name of the file" },
	{ .name = NULL },
};

const struct op op_init = {
	.name = "init",
	.group = GROUP_IMAGES,
	.view = VIEW_IMAGE_INIT,
	.method = "image.init",
	.no_tool = "it reads files of the person's machine",
	.summary = "Make an image from a root file system",
	.about = "Unpacks a tar archive of a root file system, such as debootstrap or a distribution makes, "
		 "as\n"
		 "an image, and prints the command that runs something in it.",
	.example = "aisbx init --rootfs debian.tar.xz --name debian",
	.grant = GRANT_HOST,
	.params = init_params,
	.result = result,
	.run = init_run,
};
