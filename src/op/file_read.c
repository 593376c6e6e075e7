/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file read`: a piece of a file of a box, by bytes or by lines, without secrets. */
#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "op/file.h"
#include "base/value.h"

#define LIMIT_BYTES (1u << 20)

int op_file_window(const json_t *args, struct file_request *head, struct aisbx_error *e)
{
	uint64_t from = 1, count = UINT64_MAX, offset = 0, limit = LIMIT_BYTES;
	bool lines = value_number(json_object_get(args, "from"), &from);

	lines = value_number(json_object_get(args, "count"), &count) || lines;
	value_size(json_object_get(args, "limit"), &limit);
	if (value_size(json_object_get(args, "offset"), &offset) && lines)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'offset' counts bytes, 'from' and 'count' count lines: give one or the other");
	if (!limit || limit > FILE_MAX_DATA)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'limit' is 1 to %u bytes; read the rest from 'next_offset' on",
				    FILE_MAX_DATA);
	if (lines && (!from || !count))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "lines are counted from 1, and 'count' is at least 1");
	if (offset > INT64_MAX / 2)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'offset' is larger than any file");
	head->flags |= lines ? FILE_LINES : 0;
	head->offset = lines ? from - 1 : offset;
	head->limit = lines ? count : limit;
	head->most = limit;
	return 0;
}

/* Bytes at the end of LEN that begin a character whose rest is missing. */
static size_t begun(const char *data, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)data[len - back];
		size_t need = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

		if ((c & 0xC0) != 0x80)
			return need > back ? back : 0;
	}
	return 0;
}

/* The first stretch of [AT, TO) that is a secret, with all it overlaps; NULL: none. */
static const char *next_secret(const struct marks_found *found, size_t n, size_t at, size_t to,
			       size_t *ret_from, size_t *ret_to)
{
	const char *name = NULL;
	bool grown = true;

	*ret_from = to;
	for (size_t i = 0; i < n; i++)
		if (found[i].to > at && found[i].from < *ret_from) {
			*ret_from = found[i].from < at ? at : (size_t)found[i].from;
			*ret_to = (size_t)found[i].to;
			name = found[i].name;
		}
	while (name && grown) {
		grown = false;
		for (size_t i = 0; i < n; i++)
			if (found[i].from < *ret_to && found[i].to > *ret_to) {
				*ret_to = (size_t)found[i].to;
				grown = true;
			}
	}
	return name;
}

/* A stretch of what was read, clean. The margins are there to find what begins or ends outside of it. */
static int scrub(struct op_file *f, const char *data, size_t from, size_t to, struct buf *out,
		 bool *ret_redacted, struct aisbx_error *e)
{
	const struct marks_found *found = NULL;
	size_t n = 0, at = from;

	if (f->scan) {
		marks_scan_begin(f->scan);
		marks_scan_add(f->scan, data, f->reply.head.data_len);
		if (!marks_scan_found(f->scan, &found, &n))
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for secrets");
	}
	while (at < to) {
		size_t begin, end = to;
		const char *name = next_secret(found, n, at, to, &begin, &end);

		buf_add(out, data + at, begin - at);
		if (name)
			buf_addf(out, "[secret %s]", name);
		*ret_redacted = *ret_redacted || name;
		at = end;
	}
	return out->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read '%s'", f->path) : 0;
}

/* As text, or in base64. */
static int set_content(struct op_file *f, const struct buf *clean, bool base64, json_t *result,
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
				    "'%s' is not UTF-8 text (or 'offset' lies within a character); read it "
				    "with encoding base64",
				    f->path);
	json_object_set_new(result, "content", text);
	json_object_set_new(result, "encoding", json_string(op_file_encodings[base64]));
	return 0;
}

int op_file_content(struct op_file *f, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *encoding = json_string_value(json_object_get(args, "encoding"));
	const struct file_answer *a = &f->reply.head;
	scoped(buf_finish) struct buf clean = { 0 };
	size_t from = a->before, to = a->data_len - a->behind;
	bool base64 = encoding && !strcmp(encoding, "base64"), redacted = false, more = a->behind > 0,
	     lines = f->ask.head.flags & FILE_LINES;
	json_t *result = op_file_json(f);
	size_t cut = !base64 && more ? begun(f->reply.data + from, to - from) : 0;
	uint64_t next = a->next - cut, n_lines = 0;
	int r = scrub(f, f->reply.data, from, to - cut, &clean, &redacted, e);

	for (size_t i = from; i < to - cut; i++)
		n_lines += f->reply.data[i] == '\n';
	if (r == 0)
		r = set_content(f, &clean, base64, result, e);
	json_object_set_new(result, "offset", json_integer((json_int_t)a->offset));
	json_object_set_new(result, "next_offset", more ? json_integer((json_int_t)next) : json_null());
	json_object_set_new(result, "lines", a->has_sum ? json_integer((json_int_t)a->lines) : json_null());
	if (lines)
		json_object_set_new(result, "line", json_integer((json_int_t)a->line + 1));
	if (lines)
		json_object_set_new(result, "next_line",
				    more && to > from && f->reply.data[to - 1] == '\n'
					    ? json_integer((json_int_t)a->line + (json_int_t)n_lines + 1)
					    : json_null());
	json_object_set_new(result, "redacted", json_boolean(redacted));
	op_file_conclude(f, result);
	if (r < 0)
		json_decref(result);
	else
		*ret_result = result;
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(op_file_finish) struct op_file f = { 0 };
	int r = op_file_window(args, &f.ask.head, e);

	if (r == 0)
		r = op_file_begin(ctx, args, FILE_READ, &f, e);
	if (r == 0)
		r = op_file_do(&f, e);
	return r < 0 ? r : op_file_content(&f, args, ret_result, e);
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(true, "the file"),
	FILE_WINDOW_PARAMS,
	{ .name = NULL },
};

static const struct op_field result[] = {
	FILE_FIELDS,
	{ "content", "string", "what was read", .model = true },
	{ "encoding", "string", "of the content: utf-8 or base64", .model = true },
	{ "offset", "integer", "where it begins, in bytes" },
	{ "next_offset", "integer|null", "where to read on; null: that was the end", .model = true },
	{ "lines", "integer|null", "how many the file has; null for one above 256 MiB", .model = true },
	{ "line", "integer", "with from or count: the first line" },
	{ "next_line", "integer|null", "then: the line to read on from; null: that was the last",
	  .model = true },
	{ "redacted", "boolean", "a secret that a box was given was taken out of the content",
	  .model = true },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_read = {
	.name = "file read",
	.group = GROUP_BOXES,
	.view = VIEW_CONTENT,
	.method = "file.read",
	.tool = "sandbox_read_file",
	.brief = "Read a text file in the sandbox, whole or some lines. Long files come in pieces: go on "
		 "from next_offset or next_line.",
	.summary = "Read a file of a box",
	.about = "Reads a file inside the box, as its user: what a command in the box could not read is "
		 "refused, and links lead\n"
		 "nowhere but to files of the box. At most 1 MiB at once unless --limit says otherwise; "
		 "'next_offset' tells where\n"
		 "to go on. Secrets that boxes were given are taken out. Nothing is written to the history.",
	.example = "aisbx file read try1 src/main.c\n"
		   "aisbx file read try1 build.log --from 100 --count 50\n"
		   "aisbx file read try1 chart.png --encoding base64 --json",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
