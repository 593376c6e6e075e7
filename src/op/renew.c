/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `rename` and `renew`: another name, project or end for a box. */
#include "base/scope.h"
#include "base/value.h"
#include "box/show.h"
#include "op/point.h"

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
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "NAME", "its new name" },
	{ "project", 0, OP_STRING, 0, "DIR", "where its project is now, which was moved or renamed" },
	{ .name = NULL }
};
static const struct op_field rename_result[] = { { "id", "string", "of the box" },
						 { "name", "string", "its name from now on" },
						 { "project", "string|null",
						   "directory of its project from now on" },
						 { NULL, NULL, NULL } };

const struct op op_rename = {
	.name = "rename",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.rename",
	.summary = "Give a box another name, or tell it where its project went",
	.about = "The id of a box stays; its name can be changed. A box belongs to one directory, whatever "
		 "that is called: after the\n"
		 "project was renamed or moved, 'aisbx show' says where it is, and diff and promote refuse "
		 "until --project takes the box\n"
		 "there. They also refuse when another directory has the old name.",
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
	{ "ttl", 0, OP_DURATION, OP_REQUIRED, "TIME", "from now on; 0: it has no end" },
	{ .name = NULL },
};

static const struct op_field renew_result[] = { BOX_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_renew = {
	.name = "renew",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "box.renew",
	.summary = "Give a box a longer or a shorter life",
	.about = "When the time of a box is over, runs in it end and gc removes it. This sets another end, "
		 "counted from now.\n"
		 "A run that is under way keeps the one it began with.",
	.example = "aisbx renew try1 --ttl 2h\n"
		   "aisbx renew try1 --ttl 0",
	.grant = GRANT_RUN,
	.params = renew_params,
	.result = renew_result,
	.run = run_renew,
};
