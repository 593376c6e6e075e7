/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `recover`: completes an interrupted promotion, rebuilds a lost store. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/op.h"
#include "promote/recover.h"

/* What is back, and what is not. */
static json_t *rebuilt_json(const struct store_rebuild *b)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s?, s:o}", "boxes", (json_int_t)b->boxes, "snapshots",
			 (json_int_t)b->snapshots, "promotions", (json_int_t)b->promotions, "artifacts",
			 (json_int_t)b->artifacts, "runs", (json_int_t)b->runs, "aside",
			 b->aside[0] ? b->aside : NULL, "missing", value_list_json(&b->told));
}

static int run_recover(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct promote_recover_request req = { op_flag(args, "give-up"), op_flag(args, "rebuild") };
	scoped(promote_recovered_finish) struct promote_recovered done = { 0 };
	json_t *list;
	int r = promote_recover(&ctx->by, &req, &done, e);

	if (r < 0)
		return r;
	list = json_array();
	if (done.found.action)
		json_array_append_new(list, json_pack("{s:s, s:s}", "promotion", done.found.id, "action",
						      done.found.action));
	*ret_result = json_pack("{s:o}", "recovered", list);
	if (*ret_result && done.is_rebuilt)
		json_object_set_new(*ret_result, "rebuilt", rebuilt_json(&done.rebuilt));
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param recover_params[] = {
	{ "give-up", 0, OP_FLAG, 0, NULL,
	  "permanently give up a promotion that cannot be completed; the files it replaced stay in "
	  "promotions/broken-ID of the state directory" },
	{ "rebuild", 0, OP_FLAG, 0, NULL,
	  "rebuild a store that is missing, damaged or outdated, from the manifests beside it; the old file "
	  "is kept" },
	{ .name = NULL },
};

static const struct op_field recover_result[] = {
	{ "recovered", "array", "empty if nothing had to be recovered" },
	{ "recovered[].promotion", "string", "which" },
	{ "recovered[].action", "string",
	  "finished (the tree is the new one), discarded or taken back (it is the old one), or given up" },
	{ "rebuilt", "object", "only with --rebuild: contents of the new store" },
	{ "rebuilt.boxes", "integer", "boxes" },
	{ "rebuilt.snapshots", "integer", "snapshots" },
	{ "rebuilt.promotions", "integer", "promotions that can be undone" },
	{ "rebuilt.artifacts", "integer", "artifacts in the store" },
	{ "rebuilt.runs", "integer", "runs in the history: those that could be read from the old store" },
	{ "rebuilt.aside", "string|null",
	  "new name of the old file, in the state directory; null: there was none" },
	{ "rebuilt.missing", "array", "messages about what could not be recovered" },
	{ NULL, NULL, NULL },
};

const struct op op_recover = {
	.name = "recover",
	.group = GROUP_BRING_BACK,
	.view = VIEW_RECOVER,
	.method = "recover",
	.summary = "Complete interrupted promotions; rebuild a lost store",
	.about = "After a crash, a kill or a power failure during a promotion or an undo, it restores the\n"
		 "old tree or completes the new one. Every other command that opens the store does the\n"
		 "same when it finds such a promotion; this one reports what it did, or why it failed.\n\n"
		 "With --rebuild it makes a new store from the manifests of all layers, promotions and\n"
		 "artifacts, and from what can be read of the old file. Boxes, snapshots and undo are\n"
		 "restored; the old file is kept beside the new one.",
	.example = "aisbx recover\naisbx recover --rebuild",
	.grant = GRANT_HOST,
	.params = recover_params,
	.result = recover_result,
	.run = run_recover,
};
