/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `artifact save` and `artifact read`: save an artifact, and read a part of it. */
#include "base/scope.h"
#include "base/value.h"
#include "op/artifact.h"
#include "op/file.h"

static int save_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const json_t *note = json_object_get(args, "note");
	scoped(strlist_finish) struct strlist allowed = { 0 };
	const struct artifact_save_request req = { .box = op_text(args, "box"),
						   .path = op_file_path(args, "path"),
						   .name = op_text(args, "name"),
						   .note = json_string_value(note),
						   .note_len = json_string_length(note),
						   .allowed = &allowed };
	scoped(artifact_saved_finish) struct artifact_saved saved = { 0 };
	int r;

	value_list(json_object_get(args, "allow-secret"), &allowed);
	r = artifact_save(&ctx->by, &req, &saved, e);
	if (r < 0)
		return r;
	*ret_result = op_artifact_json(&saved.row);
	json_object_set_new(*ret_result, "left_out", json_integer((json_int_t)saved.left_out));
	op_file_conclude(&saved.act, *ret_result);
	return 0;
}

static int read_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *path = op_text(args, "path");
	const struct box_window window = op_file_window(args);
	scoped(artifact_finish) struct artifact a = { 0 };
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = op_artifact_find(args, &a, e);

	(void)ctx;
	if (r == 0)
		r = artifact_read(&a, path, &window, &f, e);
	if (r == 0)
		r = op_file_content(&f, args, ret_result, e);
	if (r < 0)
		return r;
	json_object_set_new(*ret_result, "sha256", path ? json_null() : json_string(a.row.sha256));
	json_object_set_new(*ret_result, "media", path ? json_null() : json_string(a.row.media));
	json_object_del(*ret_result, "lines");
	return 0;
}

static const struct op_param save_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "file or directory of the box"),
	{ "name", 0, OP_STRING, OP_MODEL, "NAME",
	  "name of the artifact; default: the name of the file in the box" },
	{ "note", 0, OP_STRING, OP_MODEL, "TEXT", "note to store with it" },
	{ "allow-secret", 0, OP_LIST, 0, "NAME",
	  "continue although this secret, which was given to the box with --secret, is in it" },
	{ .name = NULL },
};

static const struct op_field save_result[] = {
	ARTIFACT_FIELDS(""),
	{ "left_out", "integer", "pipes, sockets and devices, which are not saved" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_artifact_save = {
	.name = "artifact save",
	.group = GROUP_BRING_BACK,
	.view = VIEW_ARTIFACT,
	.method = "artifact.save",
	.tool = "sandbox_save_artifact",
	.brief = "Save a file or directory of a box, so that it outlives the box.",
	.summary = "Save a file or directory of a box, so that it outlives the box",
	.about = "Copies a file or directory of a box to the artifacts, where it stays until 'aisbx\n"
		 "artifact rm' removes it, even if the box is removed. Identical content is stored once. A\n"
		 "symbolic link given as PATH is followed; links inside a directory are stored as links.\n"
		 "If the content contains a secret that was given to a box, in any common encoding,\n"
		 "nothing is saved unless --allow-secret names it. At most 1 GiB.",
	.example = "aisbx artifact save try1 dist/app.tar.gz --name release --note 'first that works'",
	.grant = GRANT_RUN,
	.params = save_params,
	.result = save_result,
	.run = save_run,
};

static const struct op_param read_params[] = {
	ARTIFACT_PARAM,
	{ "path", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "PATH",
	  "file in the artifact, if that is a directory" },
	FILE_BYTES_PARAMS,
	{ .name = NULL },
};

static const struct op_field read_result[] = {
	FILE_FIELDS,
	{ "content", "string", "what was read" },
	{ "encoding", "string", "of the content: utf-8 or base64" },
	{ "offset", "integer", "first byte that was read" },
	{ "next_offset", "integer|null", "offset to continue from; null at the end" },
	{ "redacted", "boolean", "a secret that was given to a box was removed from the content" },
	{ "media", "string|null", "type of the content; null for a file in a directory" },
	{ NULL, NULL, NULL },
};

const struct op op_artifact_read = {
	.name = "artifact read",
	.group = GROUP_BRING_BACK,
	.view = VIEW_CONTENT,
	.method = "artifact.read",
	.summary = "Read the content of an artifact",
	.about = "Reads the content of an artifact, or of a file in it if it is a directory, as 'aisbx file "
		 "read' does.",
	.example = "aisbx artifact read release --encoding base64 --json",
	.grant = GRANT_READ,
	.params = read_params,
	.result = read_result,
	.run = read_run,
};
