/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file watch`: what changes among the files of a box, until it is cancelled. */
#include <string.h>

#include "base/scope.h"
#include "base/value.h"
#include "op/file.h"
#include "secret/scrub.h"

static void tell(void *data, const struct box_change *c, struct marks_scan *scan)
{
	struct op_context *ctx = data;
	json_t *item;

	if (!ctx->emit)
		return;
	item = json_pack("{s:s}", "type", c->type);
	op_file_set_text(item, "path", c->path, strlen(c->path));
	if (c->from)
		op_file_set_text(item, "from", c->from, strlen(c->from));
	if (c->kind)
		json_object_set_new(item, "kind", json_string(c->kind));
	if (scan)
		scrub_json(item, marks_scrub, scan);
	ctx->emit(ctx, item);
	json_decref(item);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct box_watch_request req = { .box = op_text(args, "box"),
					 .path = op_file_path(args, "path"),
					 .recursive = op_flag(args, "recursive"),
					 .tell = tell,
					 .ctx = ctx };
	scoped(box_watched_finish) struct box_watched seen = { 0 };
	int r;

	value_ms(json_object_get(args, "timeout"), &req.timeout_ms);
	r = box_watch(&ctx->by, &req, &seen, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:I}", "path", seen.path, "events", (json_int_t)seen.events);
	return r;
}

static const struct op_param params[] = {
	FILE_BOX_PARAM,
	FILE_PATH_PARAM(false, "the directory; default: the project"),
	{ "recursive", 'r', OP_FLAG, 0, NULL, "also all below what is in it" },
	{ "timeout", 0, OP_DURATION, 0, "TIME", "end after this long; default: when it is interrupted" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "path", "string", "of the directory, in the box" },
	{ "events", "integer", "how many were told" },
	{ NULL, NULL, NULL },
};

const struct op op_file_watch = {
	.name = "file watch",
	.group = GROUP_BOXES,
	.view = VIEW_WATCH,
	.no_tool = "it has no end",
	.method = "file.watch",
	.summary = "Tell changes of files of a box as they happen",
	.about = "Tells of every file that is made, changed, removed or renamed in a directory of the box, "
		 "by whomever, until it is\n"
		 "interrupted; with --json one JSON text per line: 'type' is ready (once, when it has "
		 "begun), create, modify, remove,\n"
		 "rename (with 'from') or chmod, 'path' is below the directory, 'kind' is file, directory, "
		 "link or other. It looks ten times a\n"
		 "second: what comes and goes between two looks is not seen. A live box does not stay for "
		 "its sake. At most 20,000\n"
		 "files are watched.",
	.example = "aisbx file watch try1 src --recursive --json",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
