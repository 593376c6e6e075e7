/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file write`: writes a whole file of a box, appends to it, or replaces a text in it. */
#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/file.h"

/* The argument NAME as it was meant: its bytes, or those it is the base64 of. */
static int take_text(const json_t *args, const char *name, struct buf *ret, struct aisbx_error *e)
{
	const json_t *text = json_object_get(args, name);
	const char *encoding = op_text(args, "encoding");

	if (!text)
		return 0;
	if (!encoding || strcmp(encoding, "base64") != 0)
		buf_add(ret, json_string_value(text), json_string_length(text));
	else if (!base64_read(ret, json_string_value(text), json_string_length(text)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' is not valid base64",
				    name);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read '%s'", name) : 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const bool replace = json_object_get(args, "replace"), content = json_object_get(args, "content");
	const struct box_path path = op_file_path(args, "path");
	scoped(box_act_finish) struct box_act f = { 0 };
	scoped(buf_finish) struct buf old = { 0 }, new = { 0 };
	uint64_t size = 0;
	const bool has_size = value_size(json_object_get(args, "size"), &size);
	const struct box_write how = { .edit = replace,
				       .append = op_flag(args, "append"),
				       .from_input = !replace && !content,
				       .input = size,
				       .has_size = has_size,
				       .old = &old,
				       .new = &new,
				       .if_sum = op_text(args, "if"),
				       .mode = op_text(args, "mode") };
	int r = 0;

	if (replace != !!json_object_get(args, "with") || (replace && (content || how.append)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give 'content' for the whole file (or, with 'append', for text to "
				    "append), or 'replace' and 'with' for an edit");
	if (has_size && !how.from_input)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'size' tells how much standard input has; it does not go with a text");
	r = take_text(args, "replace", &old, e);
	if (r == 0)
		r = take_text(args, replace ? "with" : "content", &new, e);
	if (r == 0)
		r = box_file_write(&ctx->by, op_text(args, "box"), &path, &how, &f, e);
	if (r < 0)
		return r;
	*ret_result = op_file_json(&f);
	json_object_set_new(*ret_result, "created", json_boolean(f.reply.head.created));
	op_file_conclude(&f, *ret_result);
	return 0;
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "file; missing directories are made"),
	{ "content", 0, OP_STRING, OP_MODEL, "TEXT", "new content; default: standard input" },
	{ "replace", 0, OP_STRING, OP_MODEL, "TEXT", "edit: this exact text, which must occur once, ..." },
	{ "with", 0, OP_STRING, OP_MODEL, "TEXT", "... is replaced by this" },
	{ "append", 0, OP_FLAG, OP_MODEL, NULL, "append to the file" },
	{ "encoding", 0, OP_CHOICE, 0, "ENCODING",
	  "encoding of the given texts: utf-8 (default) or base64; standard input is used as it is",
	  op_file_encodings },
	{ "size", 0, OP_SIZE, 0, "N",
	  "so many bytes of standard input are the content; if it ends before, nothing is written" },
	{ "if", 0, OP_STRING, 0, "SHA256|absent",
	  "only if the file has this sha256 now, as read reported it; absent: only if it does not exist" },
	{ "mode", 0, OP_STRING, 0, "MODE", "permissions, such as 755; default: unchanged, or 644" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	FILE_FIELDS,
	{ "created", "boolean", "it did not exist before", .model = true },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_write = {
	.name = "file write",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.write",
	.tool = "sandbox_write_file",
	.brief = "Write a file of a box, or edit it by replace and with. Missing directories are made.",
	.summary = "Write or edit a file of a box",
	.about = "Writes a file in the box, as the box's user. The new file is written completely and then\n"
		 "replaces the old one, so nobody sees a part of it, even if a process is killed\n"
		 "meanwhile. Permissions stay; hard links to the old file keep the old content. With --if\n"
		 "the file is written only if it has not changed since it was read. A text may have 16 MiB,\n"
		 "standard input 1 GiB. It counts as a change of the box, not as a run.",
	.example = "aisbx file write try1 notes.txt --content 'remember the milk'\n"
		   "aisbx file write try1 src/main.c < main.c\n"
		   "aisbx file write try1 setup.py --replace 'version=\"1\"' --with 'version=\"2\"'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
