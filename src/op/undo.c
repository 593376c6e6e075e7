/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `undo`: taking a promotion back. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/promote.h"
#include "op/listed.h"
#include "op/outcome.h"
#include "op/point.h"

static int run_undo(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *id = json_string_value(json_object_get(args, "promotion"));
	bool dry_run = json_is_true(json_object_get(args, "dry-run"));
	enum merge_resolution resolution = op_resolution(args);
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(box_undo_finish) struct box_undo undo = { 0 };
	struct op_list changed = { 0 };
	int r;

	if (ctx->owner && !id) /* the newest may be anybody's */
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "say which promotion: promote gave its id, p- and 16 digits");
	r = box_shelf_open(&shelf, e);
	if (r == 0)
		r = box_undo(&shelf, id, resolution, dry_run, &undo, e);
	if (r < 0)
		return r;
	changed = (struct op_list)OP_LIST_INIT(OP_LIST_LONG);
	for (size_t i = 0; i < undo.changed.n; i++)
		op_list_add(&changed, undo.changed.items[i]);
	ctx->exit_status = undo.changed.n && resolution == RESOLVE_STOP ? 1 : 0;
	*ret_result = json_pack("{s:s, s:s, s:s, s:b, s:b}", "promotion", undo.promotion.id, "box", undo.promotion.box_name,
				"target", undo.promotion.target, "undone", undo.done, "dry_run", dry_run);
	op_list_put(&changed, "conflicts", *ret_result);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param undo_params[] = {
	{ .name = "promotion", .type = OP_STRING, .positional = true, .value = "PROMOTION",
	  .help = "which; default: the newest that is not taken back", .model = true },
	{ .name = "dry-run", .letter = 'n', .type = OP_FLAG, .help = "only show what stands against it", .model = true },
	{ .name = "conflict", .type = OP_CHOICE, .value = "HOW", .choices = op_resolutions,
	  .help = "what becomes of files that were changed since: stop (default: nothing is taken back), keep them, or "
		  "overwrite them (they are put aside for a month)", .model = true },
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
	{ NULL, NULL, NULL },
};

const struct op op_undo = {
	.name = "undo",
	.method = "undo",
	.tool = "sandbox_undo",
	.brief = "Take a promotion back: the real project is again as before it. Files changed since then stop it, and are named.",
	.summary = "Take a promotion back",
	.about = "Puts back what the promotion replaced, and removes what it made. Files that somebody changed since are named,\n"
		 "and then nothing is taken back unless --conflict says what to do with them. What a promotion replaced is kept for\n"
		 "a month. The box itself is not touched: its changes can be promoted again.",
	.example = "aisbx undo\naisbx undo p-0123456789abcdef --conflict keep",
	.grant = GRANT_HOST,
	.params = undo_params,
	.result = undo_result,
	.run = run_undo,
};
