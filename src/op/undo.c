/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `undo`: reverts a promotion. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "promote/promote.h"
#include "op/args.h"
#include "op/long_list.h"
#include "op/op.h"
#include "op/merge_json.h"
#include "op/path_json.h"

static json_t *undo_json(const struct box_undo *undo, bool dry_run)
{
	struct op_list changed = OP_LIST_INIT(OP_LIST_LONG);
	json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:b}", "promotion", undo->promotion.id, "box",
			      undo->promotion.box_name, "target", undo->promotion.target, "undone",
			      undo->done, "dry_run", dry_run);

	for (size_t i = 0; i < undo->changed.n; i++)
		op_list_add(&changed, undo->changed.items[i]);
	op_list_put(&changed, "conflicts", j);
	if (j && undo->after.code)
		json_object_set_new(j, "error", json_string(undo->after.text));
	return j;
}

static int run_undo(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct promote_undo_request req = { .id = op_text(args, "promotion"),
						  .box = op_text(args, "box"),
						  .project = op_text(args, "project"),
						  .dry_run = op_flag(args, "dry-run"),
						  .resolution = op_resolution(args) };
	scoped(box_undo_finish) struct box_undo undo = { 0 };
	int r = promote_undo(&ctx->by, &req, &undo, e);

	if (r < 0)
		return r;
	ctx->exit_status = undo.changed.n && req.resolution == RESOLVE_STOP ? 1 : 0;
	*ret_result = undo_json(&undo, req.dry_run);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param undo_params[] = {
	{ "promotion", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "PROMOTION",
	  "promotion id; default: the newest promotion of this project" },
	{ "box", 0, OP_STRING, 0, "BOX", "without PROMOTION: the newest promotion of this box" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "without PROMOTION: the newest promotion of the project that contains DIR" },
	HERE_PARAM,
	{ "dry-run", 'n', OP_FLAG, OP_MODEL, NULL, "only show what would prevent it" },
	{ "conflict", 0, OP_CHOICE, OP_MODEL, "HOW",
	  "on files that changed since: stop and undo nothing (default), keep them, or overwrite them (they "
	  "are kept elsewhere for a month)",
	  op_resolutions },
	{ .name = NULL },
};

static const struct op_field undo_result[] = {
	{ "promotion", "string", "which", .model = true },
	{ "box", "string", "name of its box" },
	{ "target", "string", "directory that the paths are relative to", .model = true },
	{ "undone", "boolean", "the target is as it was before the promotion", .model = true },
	{ "dry_run", "boolean", "it was a dry run", .model = true },
	{ "conflicts", "array", "what changed since the promotion", .model = true },
	PATH_FIELDS("conflicts[].", "relative to the target"),
	MORE_FIELDS,
	{ "error", "string", "message about what else could not be undone" },
	{ NULL, NULL, NULL },
};

const struct op op_undo = {
	.name = "undo",
	.group = GROUP_BRING_BACK,
	.view = VIEW_UNDO,
	.first = true,
	.method = "undo",
	.tool = "sandbox_undo",
	.brief = "Undo a promotion. Files changed since then prevent it, and are listed.",
	.summary = "Undo a promotion",
	.about = "Restores what the promotion replaced, and removes what it added. Without PROMOTION it\n"
		 "undoes the newest promotion of the project that you are in (from its boxes, or\n"
		 "into it), never one of another project. If files have changed since, they are listed and\n"
		 "nothing is undone, unless --conflict says what to do with them. Replaced files are kept\n"
		 "for a month. The box is not changed: its changes can be promoted again.",
	.example = "aisbx undo\naisbx undo p-0123456789abcdef --conflict keep",
	.grant = GRANT_HOST,
	.params = undo_params,
	.result = undo_result,
	.run = run_undo,
};
