/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `file stat`, `file rm`, `file mv` and `file mkdir`: small acts on one path of a box. */
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
	FILE_PATH_PARAM(true, "what to look at; a link is not followed"),
	{ .name = NULL },
};

static const struct op_field stat_result[] = {
	FILE_FIELDS,
	{ "target", "string|null", "of a link: where it leads; null when that is no UTF-8" },
	{ "target_hex", "string", "then: its bytes" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_stat = {
	.name = "file stat",
	.group = GROUP_BOXES,
	.method = "file.stat",
	.summary = "Tell type, size and sum of a file of a box",
	.about = "Looks at one file, directory or link inside the box. What is not there is an error.",
	.example = "aisbx file stat try1 src/main.c",
	.grant = GRANT_READ,
	.params = stat_params,
	.result = stat_result,
	.run = stat_run,
};

static const struct op_param rm_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "what to remove; of a link, the link"),
	{ "recursive", 'r', OP_FLAG, OP_MODEL, NULL, "a directory with all that is in it" },
	{ "force", 'f', OP_FLAG, 0, NULL, "nothing there is no error" },
	{ .name = NULL },
};

static const struct op_field rm_result[] = {
	{ "path", "string", "of it, in the box" },
	{ "removed", "boolean", "false: there was nothing" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_rm = {
	.name = "file rm",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.rm",
	.summary = "Remove a file of a box",
	.about = "Removes a file, a link or an empty directory inside the box; with --recursive a directory "
		 "and all below it.",
	.example = "aisbx file rm try1 build --recursive",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = rm_params,
	.result = rm_result,
	.run = rm_run,
};

static const struct op_param mv_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "what to move"),
	{ "to", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "NEW",
	  "its new path, not a directory to put it in; directories that are missing are made" },
	{ "force", 'f', OP_FLAG, 0, NULL, "replace what is there" },
	{ .name = NULL },
};

static const struct op_field mv_result[] = {
	{ "path", "string", "where it is now" },
	{ "from", "string", "where it was" },
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
	.about = "Gives a file, directory or link inside the box another path. Where the kernel cannot "
		 "rename, from one file system\n"
		 "to another or a directory that the box has from the host, it is copied and then removed.",
	.example = "aisbx file mv try1 notes.txt docs/notes.txt",
	.grant = GRANT_RUN,
	.params = mv_params,
	.result = mv_result,
	.run = mv_run,
};

static const struct op_param mkdir_params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "the directory; those above it are made, too"),
	{ "mode", 0, OP_STRING, 0, "MODE", "permissions, such as 700; default: 755" },
	{ .name = NULL },
};

static const struct op_field mkdir_result[] = {
	FILE_FIELDS,
	{ "created", "boolean", "there was none before" },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_mkdir = {
	.name = "file mkdir",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.mkdir",
	.summary = "Make a directory in a box",
	.about = "Makes a directory inside the box. One that is there already is no error.",
	.example = "aisbx file mkdir try1 src/new",
	.grant = GRANT_RUN,
	.params = mkdir_params,
	.result = mkdir_result,
	.run = mkdir_run,
};
