/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `rename` and `renew`: another name, project or end for a box. */
#include "base/scope.h"
#include "base/value.h"
#include "box/show.h"
#include "op/box_json.h"

#define BOX_PARAM                                                                                \
	{                                                                                        \
		"box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "name or id of the box" \
	}

static int run_rename(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct box_rename_request req = { .box = op_text(args, "box"),
						.name = op_text(args, "name"),
						.project = op_text(args, "project"),
						.cwd = ctx->by.cwd };
	scoped(box_info_finish) struct box_info info = { 0 };
	int r = box_rename(&req, &info, e);

	if (r == 0)
		*ret_result = json_pack("{s:s, s:s, s:s?}", "id", info.box.id, "name", info.box.name,
					"project", info.box.project);
	return r;
}

static const struct op_param rename_params[] = {
	BOX_PARAM,
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "NAME", "new name" },
	{ "project", 0, OP_STRING, 0, "DIR", "directory of the project, if it was moved or renamed" },
	{ .name = NULL }
};
static const struct op_field rename_result[] = { { "id", "string", "box id" },
						 { "name", "string", "new name" },
						 { "project", "string|null",
						   "directory of the project after this" },
						 { NULL, NULL, NULL } };

const struct op op_rename = {
	.name = "rename",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.rename",
	.summary = "Rename a box, or tell it where its project is now",
	.about = "Changes the name of a box; its id stays the same. A box belongs to one directory,\n"
		 "whatever the name of that directory. If the project was renamed or moved, 'aisbx show'\n"
		 "says where it is, and diff and promote refuse to work until --project sets the new\n"
		 "place. They also refuse if another directory has the old name.",
	.example = "aisbx rename try1 fixed\naisbx rename try1 --project ~/src/shop2",
	.grant = GRANT_RUN,
	.params = rename_params,
	.result = rename_result,
	.run = run_rename,
};

static int run_renew(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_info_finish) struct box_info info = { 0 };
	uint64_t ms = 0;
	int r;

	(void)ctx;
	value_ms(json_object_get(args, "ttl"), &ms);
	r = box_renew(op_text(args, "box"), ms, &info, e);
	if (r == 0)
		*ret_result = box_json(&info.box);
	return r;
}

static const struct op_param renew_params[] = {
	BOX_PARAM,
	{ "ttl", 0, OP_DURATION, OP_REQUIRED, "TIME", "time from now; 0: never expires" },
	{ .name = NULL },
};

static const struct op_field renew_result[] = { BOX_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_renew = {
	.name = "renew",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.renew",
	.summary = "Change the lifetime of a box",
	.about = "When a box expires, its runs end and gc removes it. This sets a new expiry time, counted\n"
		 "from now. A run in progress keeps the time with which it was started.",
	.example = "aisbx renew try1 --ttl 2h\n"
		   "aisbx renew try1 --ttl 0",
	.grant = GRANT_RUN,
	.params = renew_params,
	.result = renew_result,
	.run = run_renew,
};
