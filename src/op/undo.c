/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `undo`: taking a promotion back. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "promote/promote.h"
#include "op/listed.h"
#include "op/op.h"
#include "op/outcome.h"
#include "op/path.h"

static int run_undo(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct promote_undo_request req = { .id = op_text(args, "promotion"),
						  .box = op_text(args, "box"),
						  .project = op_text(args, "project"),
						  .dry_run = op_flag(args, "dry-run"),
						  .resolution = op_resolution(args) };
	scoped(box_undo_finish) struct box_undo undo = { 0 };
	struct op_list changed = OP_LIST_INIT(OP_LIST_LONG);
	int r = promote_undo(&ctx->by, &req, &undo, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < undo.changed.n; i++)
		op_list_add(&changed, undo.changed.items[i]);
	ctx->exit_status = undo.changed.n && req.resolution == RESOLVE_STOP ? 1 : 0;
	*ret_result = json_pack("{s:s, s:s, s:s, s:b, s:b}", "promotion", undo.promotion.id, "box",
				undo.promotion.box_name, "target", undo.promotion.target, "undone", undo.done,
				"dry_run", req.dry_run);
	op_list_put(&changed, "conflicts", *ret_result);
	if (*ret_result && undo.after.code)
		json_object_set_new(*ret_result, "error", json_string(undo.after.text));
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param undo_params[] = {
	{ "promotion", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "PROMOTION",
	  "which; default: the newest of this project" },
	{ "box", 0, OP_STRING, 0, "BOX", "without PROMOTION: the newest of this box" },
	{ "project", 0, OP_STRING, 0, "DIR", "without PROMOTION: the newest of the project that DIR is in" },
	{ "dry-run", 'n', OP_FLAG, OP_MODEL, NULL, "only show what stands against it" },
	{ "conflict", 0, OP_CHOICE, OP_MODEL, "HOW",
	  "what becomes of files that were changed since: stop (default: nothing is taken back), keep them, "
	  "or "
	  "overwrite them (they are put aside for a month)",
	  op_resolutions },
	{ .name = NULL },
};

static const struct op_field undo_result[] = {
	{ "promotion", "string", "which", .model = true },
	{ "box", "string", "name its box had" },
	{ "target", "string", "directory the paths are below", .model = true },
	{ "undone", "boolean", "the target is as it was before", .model = true },
	{ "dry_run", "boolean", "it was only asked", .model = true },
	{ "conflicts", "array", "what was changed since the promotion", .model = true },
	PATH_FIELDS("conflicts[].", "below the target"),
	MORE_FIELDS,
	{ "error", "string", "what could not be taken back besides, in a sentence" },
	{ NULL, NULL, NULL },
};

const struct op op_undo = {
	.name = "undo",
	.group = GROUP_BRING_BACK,
	.view = VIEW_UNDO,
	.first = true,
	.method = "undo",
	.tool = "sandbox_undo",
	.brief = "Take a promotion back: the real project is again as before it. Files changed since then "
		 "stop it, and are named.",
	.summary = "Take a promotion back",
	.about = "Puts back what the promotion replaced, and removes what it made. Without a PROMOTION it is "
		 "the newest one of the\n"
		 "project one stands in (of its boxes, or into it), never one of another project. Files that "
		 "somebody changed since are named,\n"
		 "and then nothing is taken back unless --conflict says what to do with them. What a "
		 "promotion replaced is kept for\n"
		 "a month. The box itself is not touched: its changes can be promoted again.",
	.example = "aisbx undo\naisbx undo p-0123456789abcdef --conflict keep",
	.grant = GRANT_HOST,
	.params = undo_params,
	.result = undo_result,
	.run = run_undo,
};
