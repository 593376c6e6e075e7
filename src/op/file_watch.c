/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `file watch`: what changes among the files of a box, until it is cancelled. */
#include <string.h>

#include "base/scope.h"
#include "base/value.h"
#include "op/file.h"
#include "secret/scrub.h"

static void tell(void *data, const struct box_change *c, struct fingerprint_scan *scan)
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
		scrub_json(item, fingerprints_scrub, scan);
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
	{ "recursive", 'r', OP_FLAG, 0, NULL, "include subdirectories" },
	{ "timeout", 0, OP_DURATION, 0, "TIME", "end after this time; default: when interrupted" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "path", "string", "path of the directory in the box" },
	{ "events", "integer", "number of events" },
	{ NULL, NULL, NULL },
};

const struct op op_file_watch = {
	.name = "file watch",
	.group = GROUP_BOXES,
	.view = VIEW_WATCH,
	.no_tool = "it does not end by itself",
	.method = "file.watch",
	.summary = "Watch files of a box for changes",
	.about = "Reports every file that is created, changed, removed or renamed in a directory of the\n"
		 "box, by any process, until it is interrupted. With --json each event is one JSON text on\n"
		 "a line: 'type' is ready (once, at the start), create, modify, remove, rename\n"
		 "(with 'from') or chmod; 'path' is relative to the directory; 'kind' is file, directory,\n"
		 "link or other. It polls ten times a second: changes that are undone between two polls\n"
		 "are not seen. Watching does not keep a box live. At most 20,000 files are watched.",
	.example = "aisbx file watch try1 src --recursive --json",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
