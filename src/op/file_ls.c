/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file ls`: lists a directory of a box. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/file.h"
#include "op/path_json.h"
#include "base/value.h"

#define LIMIT_ENTRIES 1000u

static json_t *entry_json(const struct file_entry *e, const char *name, const char *target)
{
	json_t *j = json_object();

	op_file_set_text(j, "path", name, e->name_len);
	json_object_set_new(j, "type", json_string(box_file_type(e->type)));
	json_object_set_new(j, "size", json_integer((json_int_t)e->size));
	json_object_set_new(j, "mode", json_sprintf("%04o", e->mode));
	json_object_set_new(j, "mtime_ms", json_integer((json_int_t)(e->mtime_ns / 1000000)));
	if (e->type == FILE_IS_LINK)
		op_file_set_text(j, "target", target, e->target_len);
	return j;
}

static int take_args(const json_t *args, struct box_act *f, struct aisbx_error *e)
{
	const json_t *pattern = json_object_get(args, "pattern");
	uint64_t depth = 1, limit = LIMIT_ENTRIES;

	value_number(json_object_get(args, "depth"), &depth);
	value_number(json_object_get(args, "limit"), &limit);
	if (!depth || depth > FILE_MAX_DEPTH)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'depth' must be 1 (the directory alone) to %u", FILE_MAX_DEPTH);
	if (!limit || limit > FILE_MAX_LIST)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'limit' must be 1 to %u entries", FILE_MAX_LIST);
	if (json_string_length(pattern) > 4096)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the pattern is longer than 4096 bytes");
	f->ask.head.depth = (uint32_t)depth;
	f->ask.head.limit = limit;
	f->ask.part[FILE_A] = json_string_value(pattern);
	return 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_act_finish) struct box_act f = { 0 };
	json_t *list;
	const char *name, *target;
	struct file_entry entry;
	size_t at = 0;
	int r = take_args(args, &f, e);

	if (r == 0)
		r = op_file_begin(ctx, args, FILE_LIST, &f, e);
	if (r == 0)
		r = box_act_do(&f, e);
	if (r < 0)
		return r;
	list = json_array();
	while (box_file_entry(f.reply.data, f.reply.head.data_len, &at, &entry, &name, &target))
		json_array_append_new(list, entry_json(&entry, name, target));
	*ret_result = json_object();
	op_set_name(*ret_result, "path", f.path);
	json_object_set_new(*ret_result, "entries", list);
	json_object_set_new(*ret_result, "more", json_boolean(f.reply.head.more));
	op_file_conclude(&f, *ret_result);
	return 0;
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(false, "the directory; default: the project"),
	{ "depth", 0, OP_NUMBER, OP_MODEL, "N",
	  "levels to descend; 1 (default): only the directory's own entries" },
	{ "pattern", 0, OP_STRING, OP_MODEL, "PATTERN",
	  "only names that match this pattern, such as *.py; with a / it is compared with "
	  "the path in the directory" },
	{ "limit", 0, OP_NUMBER, 0, "N", "maximum number of entries; default: 1000" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "path", "string", "path of the directory in the box", .model = true },
	{ "entries", "array", "entries, sorted by name; links are not followed", .model = true },
	PATH_FIELDS("entries[].", "relative to the directory"),
	{ "entries[].type", "string", "file, directory, link or other", .model = true },
	{ "entries[].size", "integer", "bytes", .model = true },
	{ "entries[].mode", "string", "permissions, octal" },
	{ "entries[].mtime_ms", "integer", "modification time, in milliseconds since 1970" },
	{ "entries[].target", "string|null", "target of a link; null if it is not UTF-8" },
	{ "entries[].target_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },
	{ "more", "boolean", "there are more entries than listed", .model = true },
	FILE_COMMON_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_file_ls = {
	.name = "file ls",
	.group = GROUP_BOXES,
	.view = VIEW_FILES,
	.method = "file.ls",
	.tool = "sandbox_list_files",
	.brief = "List a directory of a box.",
	.summary = "List files of a box",
	.about = "Lists a directory in the box, sorted by name. Not recorded in the history.",
	.example = "aisbx file ls try1\n"
		   "aisbx file ls try1 src --depth 5 --pattern '*.py'",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
