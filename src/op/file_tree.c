/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `file stat`, `file rm`, `file mv` and `file mkdir`: small actions on one path of a box. */
#include <string.h>

#include "base/scope.h"
#include "op/file.h"

static int stat_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = op_file_begin(ctx, args, FILE_STAT, &f, e);

	if (r == 0)
		r = box_act_do(&f, e);
	if (r < 0)
		return r;
	*ret_result = op_file_json(&f);
	if (f.reply.head.type == FILE_IS_LINK)
		op_file_set_text(*ret_result, "target", f.reply.data, f.reply.head.data_len);
	op_file_conclude(&f, *ret_result);
	return 0;
}

static int rm_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = op_file_begin(ctx, args, FILE_REMOVE, &f, e);

	f.ask.head.flags |= op_flag(args, "recursive") ? FILE_RECURSIVE : 0;
	f.ask.head.flags |= op_flag(args, "force") ? FILE_FORCE : 0;
	if (r == 0)
		r = box_act_do(&f, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s?, s:b}", "path", f.path, "removed", f.reply.head.type != 0);
	op_file_conclude(&f, *ret_result);
	return 0;
}

static int mv_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct box_path to = op_file_path(args, "to");
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = op_file_begin(ctx, args, FILE_MOVE, &f, e);

	f.ask.head.flags |= op_flag(args, "force") ? FILE_FORCE : 0;
	if (r == 0)
		r = box_act_path(&f, &to, &f.other, e);
	f.ask.part[FILE_A] = f.other;
	if (r == 0)
		r = box_act_do(&f, e);
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s, s:s, s:s}", "path", f.other, "from", f.path, "type",
				box_file_type(f.reply.head.type));
	op_file_conclude(&f, *ret_result);
	return 0;
}

static int mkdir_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = box_act_mode(op_text(args, "mode"), &f.ask.head, e);

	if (r == 0)
		r = op_file_begin(ctx, args, FILE_MAKE_DIR, &f, e);
	if (r == 0)
		r = box_act_do(&f, e);
	if (r < 0)
		return r;
	*ret_result = op_file_json(&f);
	json_object_set_new(*ret_result, "created", json_boolean(f.reply.head.created));
	op_file_conclude(&f, *ret_result);
	return 0;
}

static const struct op_param stat_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "path; a link is not followed"),
	{ .name = NULL },
};

static const struct op_field stat_result[] = {
	FILE_FIELDS,
	{ "target", "string|null", "target of a link; null if it is not UTF-8" },
	{ "target_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_stat = {
	.name = "file stat",
	.group = GROUP_BOXES,
	.view = VIEW_FILE_STAT,
	.method = "file.stat",
	.summary = "Show type, size and checksum of a file in a box",
	.about = "Inspects one file, directory or link in the box. It is an error if it does not exist.",
	.example = "aisbx file stat try1 src/main.c",
	.grant = GRANT_READ,
	.params = stat_params,
	.result = stat_result,
	.run = stat_run,
};

static const struct op_param rm_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "path to remove; a link itself, not its target"),
	{ "recursive", 'r', OP_FLAG, OP_MODEL, NULL, "remove a directory with everything in it" },
	{ "force", 'f', OP_FLAG, 0, NULL, "no error if it does not exist" },
	{ .name = NULL },
};

static const struct op_field rm_result[] = {
	{ "path", "string", "absolute path in the box" },
	{ "removed", "boolean", "false: it did not exist" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_rm = {
	.name = "file rm",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.rm",
	.summary = "Remove a file of a box",
	.about = "Removes a file, a link or an empty directory in the box; with --recursive a directory and "
		 "everything in it.",
	.example = "aisbx file rm try1 build --recursive",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = rm_params,
	.result = rm_result,
	.run = rm_run,
};

static const struct op_param mv_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "path to move"),
	{ "to", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "NEW",
	  "new path, not a directory to move it into; missing directories are made" },
	{ "force", 'f', OP_FLAG, 0, NULL, "replace an existing file" },
	{ .name = NULL },
};

static const struct op_field mv_result[] = {
	{ "path", "string", "new path" },
	{ "from", "string", "old path" },
	{ "type", "string", "file, directory, link or other" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_mv = {
	.name = "file mv",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.mv",
	.summary = "Move or rename a file of a box",
	.about = "Moves or renames a file, directory or link in the box. Where the kernel cannot rename\n"
		 "(between file systems, or a directory that comes from the host), it is copied and then\n"
		 "removed.",
	.example = "aisbx file mv try1 notes.txt docs/notes.txt",
	.grant = GRANT_RUN,
	.params = mv_params,
	.result = mv_result,
	.run = mv_run,
};

static const struct op_param mkdir_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "directory to make; missing parents are made, too"),
	{ "mode", 0, OP_STRING, 0, "MODE", "permissions, such as 700; default: 755" },
	{ .name = NULL },
};

static const struct op_field mkdir_result[] = {
	FILE_FIELDS,
	{ "created", "boolean", "it did not exist before" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_mkdir = {
	.name = "file mkdir",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.mkdir",
	.summary = "Make a directory in a box",
	.about = "Makes a directory in the box. It is no error if it exists already.",
	.example = "aisbx file mkdir try1 src/new",
	.grant = GRANT_RUN,
	.params = mkdir_params,
	.result = mkdir_result,
	.run = mkdir_run,
};
