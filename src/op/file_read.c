/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file read`: reads a part of a file of a box, by bytes or by lines, without secrets. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/file.h"

struct box_window op_file_window(const json_t *args)
{
	struct box_window w = BOX_WINDOW_INIT;

	w.has_lines = value_number(json_object_get(args, "from"), &w.from);
	w.has_lines = value_number(json_object_get(args, "count"), &w.count) || w.has_lines;
	w.has_offset = value_size(json_object_get(args, "offset"), &w.offset);
	value_size(json_object_get(args, "limit"), &w.limit);
	return w;
}

/* As text, or in base64. */
static int set_content(const struct box_act *f, const struct buf *clean, bool base64, json_t *result,
		       struct aisbx_error *e)
{
	scoped(buf_finish) struct buf coded = { 0 };
	const struct buf *b = base64 ? &coded : clean;
	json_t *text;

	if (base64)
		base64_add(&coded, clean->data, clean->len);
	text = json_stringn(b->len ? b->data : "", b->len);
	if (!text)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_LAYER, EILSEQ,
				    "'%s' is not UTF-8 text (or 'offset' is in the middle of a character); "
				    "read it with encoding base64",
				    f->path);
	json_object_set_new(result, "content", text);
	json_object_set_new(result, "encoding", json_string(op_file_encodings[base64]));
	return 0;
}

int op_file_content(struct box_act *f, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *encoding = op_text(args, "encoding");
	const bool base64 = encoding && !strcmp(encoding, "base64");
	const struct file_answer *a = &f->reply.head;
	scoped(box_content_finish) struct box_content c = { 0 };
	json_t *result = op_file_json(f);
	int r = box_act_content(f, !base64, &c, e);

	if (r == 0)
		r = set_content(f, &c.data, base64, result, e);
	json_object_set_new(result, "offset", json_integer((json_int_t)a->offset));
	json_object_set_new(result, "next_offset",
			    c.more ? json_integer((json_int_t)c.next_offset) : json_null());
	json_object_set_new(result, "lines", a->has_sum ? json_integer((json_int_t)a->lines) : json_null());
	if (f->ask.head.flags & FILE_LINES) {
		json_object_set_new(result, "line", json_integer((json_int_t)a->line + 1));
		json_object_set_new(result, "next_line",
				    c.next_line ? json_integer((json_int_t)c.next_line) : json_null());
	}
	json_object_set_new(result, "redacted", json_boolean(c.redacted));
	op_file_conclude(f, result);
	if (r < 0)
		json_decref(result);
	else
		*ret_result = result;
	return r;
}

/* All of it to standard output, as it is. */
static int run_raw(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	static const char *const window[] = { "from", "count", "offset", "limit", "encoding", NULL };
	const int out = ctx->by.out_fds[0];
	const struct box_path path = op_file_path(args, "path");
	scoped(box_act_finish) struct box_act f = { 0 };
	struct box_fetched got = { 0 };
	int r;

	for (size_t i = 0; window[i]; i++)
		if (json_object_get(args, window[i]))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'raw' passes on the whole file; '%s' does not go with it",
					    window[i]);
	if (out < 0 || isatty(out))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    out < 0 ? "'raw' writes to standard output, and here is none: a call "
					      "needs _data or _stream, a command must do without --json"
					    : "'raw' can write anything, and a terminal would obey it; "
					      "redirect standard output to a file or a program");
	r = box_file_fetch(&ctx->by, op_text(args, "box"), &path, out, &f, &got, e);
	if (r < 0)
		return r;
	*ret_result = op_file_json(&f);
	json_object_set_new(*ret_result, "lines", json_integer((json_int_t)f.reply.head.lines));
	json_object_set_new(*ret_result, "sent", json_integer((json_int_t)got.sent));
	json_object_set_new(*ret_result, "redacted", json_boolean(got.redacted));
	op_file_conclude(&f, *ret_result);
	return 0;
}

static int run_part(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct box_path path = op_file_path(args, "path");
	const struct box_window window = op_file_window(args);
	scoped(box_act_finish) struct box_act f = { 0 };
	int r = box_file_read(&ctx->by, op_text(args, "box"), &path, &window, &f, e);
	const char *media =
		r == 0 && op_flag(args, "pictures") && !op_text(args, "encoding") && !window.has_lines
			? op_file_picture_type(&f)
			: NULL;

	if (media)
		return op_file_picture(ctx, args, media, ret_result, e);
	return r < 0 ? r : op_file_content(&f, args, ret_result, e);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	if (op_flag(args, "raw"))
		return run_raw(ctx, args, ret_result, e);
	return run_part(ctx, args, ret_result, e);
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "the file"),
	FILE_WINDOW_PARAMS,
	{ "raw", 0, OP_FLAG, 0, NULL, "the whole file to standard output, byte for byte, at most 1 GiB" },
	{ "pictures", 0, OP_FLAG, OP_HIDDEN, NULL, "a picture comes whole, in base64" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	FILE_FIELDS,
	{ "content", "string", "what was read; with raw it is not in the result", .model = true },
	{ "encoding", "string", "of the content: utf-8 or base64", .model = true },
	{ "offset", "integer", "first byte that was read" },
	{ "next_offset", "integer|null", "offset to continue from; null at the end", .model = true },
	{ "lines", "integer|null", "number of lines of the file; null if it is larger than 256 MiB",
	  .model = true },
	{ "line", "integer", "with from or count: the first line that was read" },
	{ "next_line", "integer|null", "with from or count: the line to continue from; null at the end",
	  .model = true },
	{ "sent", "integer", "with raw: bytes that were written to standard output" },
	{ "redacted", "boolean", "a secret that was given to a box was removed from the content",
	  .model = true },
	{ "media", "string", "only present if it was read as a picture: its type, such as image/png",
	  .told = true },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_read = {
	.name = "file read",
	.group = GROUP_BOXES,
	.view = VIEW_CONTENT,
	.method = "file.read",
	.tool = "sandbox_read_file",
	.brief = "Read a text file of a box, or see a picture. Long files come in parts: continue from "
		 "next_offset or next_line.",
	.summary = "Read a file of a box",
	.about = "Reads a file in the box, as the box's user: files that a command in the box could not\n"
		 "read are refused, and links lead only to files of the box. Reads at most 1 MiB\n"
		 "unless --limit says otherwise; 'next_offset' says where to continue. --raw passes on the\n"
		 "whole file, for programs; redirect it. Secrets that were\n"
		 "given to boxes are removed from the content. Not recorded in the history.",
	.example = "aisbx file read try1 src/main.c\n"
		   "aisbx file read try1 build.log --from 100 --count 50\n"
		   "aisbx file read try1 chart.png --raw > chart.png",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
