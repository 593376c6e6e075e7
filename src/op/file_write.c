/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file write`: a whole file of a box, more at its end, or one text in it by another. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "op/file.h"

static int too_much(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
			    "that is more than the %u MiB that can be written at once; append the rest",
			    FILE_MAX_DATA >> 20);
}

static int read_input(int fd, struct buf *ret, struct aisbx_error *e)
{
	char chunk[65536];
	ssize_t n;

	if (fd < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is nothing to write: give 'content', or 'replace' and 'with'");
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read standard input");
		buf_add(ret, chunk, (size_t)n);
		if (ret->len > FILE_MAX_DATA)
			return too_much(e);
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read standard input") : 0;
}

/* TEXT as it was meant: its bytes, or those it is the base64 of. */
static int take_text(const json_t *args, const char *name, struct buf *ret, struct aisbx_error *e)
{
	const json_t *text = json_object_get(args, name);
	const char *encoding = json_string_value(json_object_get(args, "encoding"));

	if (encoding && !strcmp(encoding, "base64")) {
		if (!base64_read(ret, json_string_value(text), json_string_length(text)))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'%s' is no base64", name);
	} else {
		buf_add(ret, json_string_value(text), json_string_length(text));
	}
	if (ret->len > FILE_MAX_DATA)
		return too_much(e);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read '%s'", name) : 0;
}

static int take_if(const json_t *args, struct file_request *head, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(args, "if"));

	if (!text)
		return 0;
	if (!strcmp(text, "absent")) {
		head->flags |= FILE_IF_ABSENT;
		return 0;
	}
	if (strlen(text) != 2 * sizeof(head->sum) || strspn(text, "0123456789abcdefABCDEF") != strlen(text))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'if' takes a sha256 in 64 hexadecimal digits, or the word absent");
	for (size_t i = 0; i < sizeof(head->sum); i++) {
		unsigned int byte = 0;

		sscanf(text + 2 * i, "%2x", &byte);
		head->sum[i] = (uint8_t)byte;
	}
	head->flags |= FILE_IF_SUM;
	return 0;
}

/* The two forms: content, or an edit. */
static int take_content(const struct op_context *ctx, const json_t *args, struct op_file *f,
			struct buf texts[2], struct aisbx_error *e)
{
	bool replace = json_object_get(args, "replace"), with = json_object_get(args, "with"),
	     content = json_object_get(args, "content");
	bool append = json_is_true(json_object_get(args, "append"));
	int r;

	if (replace != with || (replace && (content || append)))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give 'content' for the whole file (or, with 'append', for its end), or "
				    "'replace' and 'with' for an edit");
	f->ask.head.flags |= (replace ? FILE_REPLACE : 0) | (append ? FILE_APPEND : 0);
	if (!replace)
		r = content ? take_text(args, "content", &texts[1], e)
			    : read_input(ctx->by.stdin_fd, &texts[1], e);
	else
		r = take_text(args, "replace", &texts[0], e);
	if (r == 0 && replace)
		r = texts[0].len ? take_text(args, "with", &texts[1], e)
				 : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
						"'replace' is empty: name the text to replace");
	for (int i = 0; i < 2; i++) {
		f->ask.part[FILE_A + i] = texts[i].len ? texts[i].data : "";
		f->ask.head.len[FILE_A + i] = texts[i].len;
	}
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(op_file_finish) struct op_file f = { 0 };
	scoped(buf_finish) struct buf a = { 0 };
	scoped(buf_finish) struct buf b = { 0 };
	struct buf texts[2] = { { 0 }, { 0 } };
	struct op_context quiet = *ctx;
	int r = take_if(args, &f.ask.head, e);

	if (r == 0)
		r = op_file_mode(args, &f.ask.head, e);
	if (r == 0)
		r = take_content(ctx, args, &f, texts, e);
	a = texts[0];
	b = texts[1];
	if (r == 0)
		r = op_file_begin(&quiet, args, FILE_WRITE, &f, e);
	if (r == 0)
		r = op_file_do(&f, e);
	if (r < 0)
		return r;
	*ret_result = op_file_json(&f);
	json_object_set_new(*ret_result, "created", json_boolean(f.reply.head.created));
	op_file_conclude(&f, *ret_result);
	return 0;
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "the file; directories that are missing are made"),
	{ "content", 0, OP_STRING, OP_MODEL, "TEXT", "what it shall hold; default: standard input" },
	{ "replace", 0, OP_STRING, OP_MODEL, "TEXT",
	  "edit: this exact text, which the file must have once, ..." },
	{ "with", 0, OP_STRING, OP_MODEL, "TEXT", "... becomes this" },
	{ "append", 0, OP_FLAG, OP_MODEL, NULL, "write behind what is there" },
	{ "encoding", 0, OP_CHOICE, 0, "ENCODING",
	  "of the texts given: utf-8 (default) or base64; standard input is taken as it is",
	  op_file_encodings },
	{ "if", 0, OP_STRING, 0, "SHA256|absent",
	  "only if the file has this content now, as read told it; absent: only if there is none" },
	{ "mode", 0, OP_STRING, 0, "MODE", "permissions, such as 755; default: those it has, or 644" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	FILE_FIELDS,
	{ "created", "boolean", "there was none before", .model = true },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_write = {
	.name = "file write",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "file.write",
	.tool = "sandbox_write_file",
	.brief = "Write a file in the sandbox, or edit it: replace names a text that occurs exactly once, "
		 "with is what it becomes. "
		 "Missing directories are made.",
	.summary = "Write or edit a file of a box",
	.about = "Writes a file inside the box, as its user. The new file is made whole and then takes the "
		 "place of the old one,\n"
		 "so nobody sees half of it, also when something is killed in between; permissions stay, "
		 "other names of the\n"
		 "same file keep the old content. With --if the file is only written if nobody changed it "
		 "since it was read.\n"
		 "At most 16 MiB at once. It counts as a change of the box, not as a run.",
	.example = "aisbx file write try1 notes.txt --content 'remember the milk'\n"
		   "aisbx file write try1 src/main.c < main.c\n"
		   "aisbx file write try1 setup.py --replace 'version=\"1\"' --with 'version=\"2\"'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
