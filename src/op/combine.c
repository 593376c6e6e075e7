/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `combine`: the changes of two boxes in a new one. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "promote/combine.h"
#include "op/merge_json.h"
#include "op/box_json.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct promote_combine_request req = { .box = op_text(args, "box"),
						     .other = op_text(args, "other"),
						     .name = op_text(args, "name"),
						     .resolution = op_resolution(args) };
	scoped(box_combination_finish) struct box_combination c = { 0 };
	int r = promote_combine(&req, &c, e);

	if (r < 0)
		return r;
	ctx->exit_status = c.box.id[0] ? 0 : 1;
	*ret_result = json_pack("{s:o}", "box", c.box.id[0] ? box_json(&c.box) : json_null());
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
	op_add_outcomes(&c.plan, req.resolution, *ret_result);
	return 0;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "the first box" },
	{ "other", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "OTHER",
	  "the box whose changes are added to those of the first" },
	{ "name", 0, OP_STRING, 0, "NAME", "name of the new box; default: that of the first with a number" },
	{ "conflict", 0, OP_CHOICE, 0, "HOW",
	  "on conflicts: stop and make no box (default), keep the first box's version, or overwrite it",
	  op_resolutions },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "box", "object|null", "the new box, as in show; null if there are conflicts" },
	OUTCOME_FIELDS,
	{ NULL, NULL, NULL },
};

const struct op op_combine = {
	.name = "combine",
	.group = GROUP_BRING_BACK,
	.view = VIEW_COMBINE,
	.method = "box.combine",
	.summary = "Make a new box with the changes of two boxes",
	.about = "The new box starts as the first box and adds the changes of the second. Files that both\n"
		 "changed are merged as in a promotion, or are conflicts. Both boxes stay as they are.\n"
		 "Changes outside the project are taken from the first box.",
	.example = "aisbx combine try1 try2 --name both",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
