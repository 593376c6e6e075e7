/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `recover`: finishing a promotion that was cut off, making a lost store anew. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/op.h"
#include "promote/recover.h"

/* What is back, and what is not. */
static json_t *rebuilt_json(const struct store_rebuild *b)
{
	json_t *told = json_array();

	for (size_t i = 0; i < b->told.n; i++)
		json_array_append_new(told, json_string(b->told.items[i]));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s?, s:o}", "boxes", (json_int_t)b->boxes, "snapshots",
			 (json_int_t)b->snapshots, "promotions", (json_int_t)b->promotions, "artifacts",
			 (json_int_t)b->artifacts, "runs", (json_int_t)b->runs, "aside",
			 b->aside[0] ? b->aside : NULL, "missing", told);
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
	  "leave one that cannot be finished half done, for good; what it replaced stays in "
	  "promotions/broken-ID of the "
	  "state directory" },
	{ "rebuild", 0, OP_FLAG, 0, NULL,
	  "make the store anew, when it is gone, damaged or an older copy, from what lies beside it; the old "
	  "file is kept" },
	{ .name = NULL },
};

static const struct op_field recover_result[] = {
	{ "recovered", "array", "empty when nothing was broken" },
	{ "recovered[].promotion", "string", "which" },
	{ "recovered[].action", "string",
	  "finished (the tree is the new one), discarded or taken back (it is the old one), or given up" },
	{ "rebuilt", "object", "only with --rebuild: what the new store has" },
	{ "rebuilt.boxes", "integer", "boxes" },
	{ "rebuilt.snapshots", "integer", "snapshots" },
	{ "rebuilt.promotions", "integer", "promotions that can be taken back" },
	{ "rebuilt.artifacts", "integer", "artifacts that were kept" },
	{ "rebuilt.runs", "integer", "runs of the history: those that could be read of the old store" },
	{ "rebuilt.aside", "string|null",
	  "what the old file is called now, in the state directory; null: there was none" },
	{ "rebuilt.missing", "array", "in words: what could not be had" },
	{ NULL, NULL, NULL },
};

const struct op op_recover = {
	.name = "recover",
	.group = GROUP_BRING_BACK,
	.view = VIEW_RECOVER,
	.method = "recover",
	.summary = "Finish a promotion that was cut off; make a lost store anew",
	.about = "After a crash, a kill or a power cut in the middle of a promotion or an undo, makes the "
		 "tree the old one or the new\n"
		 "one. Every other command that opens the store does the same when it finds such a "
		 "promotion; this one says what\n"
		 "it did, or why it could not.\n\n"
		 "With --rebuild it makes the store anew: from the manifests that every layer, promotion and "
		 "artifact carries, and from\n"
		 "what can still be read of the old file. Every box, snapshot and undo is back; the old file "
		 "stays beside the new one.",
	.example = "aisbx recover\naisbx recover --rebuild",
	.grant = GRANT_HOST,
	.params = recover_params,
	.result = recover_result,
	.run = run_recover,
};
