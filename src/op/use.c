/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `use`: the current box of a project. */
#include <errno.h>

#include "base/error.h"
#include "box/current.h"
#include "op/args.h"

static int choose(const char *project, const json_t *args, struct box_current *ret, struct aisbx_error *e)
{
	const char *box = op_text(args, "box");

	if (box && op_flag(args, "none"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give either BOX or --none");
	if (box)
		return box_current_set(project, box, ret, e);
	return op_flag(args, "none") ? box_current_forget(project, e) : box_current_find(project, ret, e);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *project = caller_project(&ctx->by);
	struct box_current now = { 0 };
	int r = choose(project, args, &now, e);

	if (r == 0 && now.gone) {
		r = box_current_forget(project, e);
		return r < 0 ? r
			     : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
					    "box '%s', the current one of '%s', was removed; there is none "
					    "from now on",
					    now.name, project);
	}
	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s?, s:s?, s:s}", "box", now.name[0] ? now.name : NULL, "id",
				now.id[0] ? now.id : NULL, "project", project);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL, "BOX", "name or id of the box; default: show which one it is" },
	{ "none", 0, OP_FLAG, 0, NULL, "there is no current box from now on" },
	HERE_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "box", "string|null", "name of the current box; null: there is none" },
	{ "id", "string|null", "its id" },
	{ "project", "string", "the project that it is for" },
	{ NULL, NULL, NULL },
};

const struct op op_use = {
	.name = "use",
	.group = GROUP_BOXES,
	.view = VIEW_USE,
	.first = true,
	.summary = "Choose the current box of the project, or show it",
	.about = "Commands in the project are then for that box: 'aisbx run', 'do', 'exec', 'diff',\n"
		 "'promote', 'snap', 'fork', 'show', 'commit', 'file' and others need no BOX. Each project\n"
		 "has its own current box, which stays until another is chosen. 'aisbx run --fresh' runs in\n"
		 "a new box in spite of it. 'aisbx rm' and 'aisbx rollback' always need a name.\n\n"
		 "If the current box was removed, the next command that needs it says so, does nothing, and\n"
		 "there is no current box from then on. Only the command line knows a current box; over\n"
		 "JSON-RPC, MCP and in the SDKs each call names its box.",
	.example = "aisbx create --use\naisbx run -- make\naisbx diff\naisbx use --none",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
