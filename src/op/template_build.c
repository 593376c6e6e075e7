/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `template build`. */
#include "base/scope.h"
#include "flow/template_build.h"
#include "op/path_json.h"
#include "op/template.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(template_built_finish) struct template_built done = { 0 };
	const struct template_build_request req = { .recipe = op_text(args, "recipe"),
						    .update_lock = op_flag(args, "update-lock"),
						    .rebuild = op_flag(args, "rebuild"),
						    .shared = op_flag(args, "shared") };
	int r = template_build(&ctx->by, &req, &done, e);

	if (r < 0)
		return r;
	*ret_result = op_template_json(&done.template);
	json_object_set_new(*ret_result, "built", json_boolean(done.built));
	json_object_set_new(*ret_result, "key", json_string(done.template.row.lock));
	if (done.lock)
		op_set_name(*ret_result, "lock", done.lock);
	else
		json_object_set_new(*ret_result, "lock", json_null());
	return 0;
}

static const struct op_param params[] = {
	{ "update-lock", 0, OP_FLAG, 0, NULL, "make the lock anew first, with the versions of today" },
	{ "rebuild", 0, OP_FLAG, 0, NULL, "also if nothing changed since it was built" },
	{ "shared", 0, OP_FLAG, 0, NULL, "sessions of agents may use it, too; a person can use all" },
	{ "recipe", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "RECIPE",
	  "name (c, go, java, node, python-data, rust, or one of ~/.config/aisbx/recipes), or a file" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	TEMPLATE_FIELDS(""),
	{ "built", "boolean", "false: recipe, lock and base are unchanged, and so is the template" },
	{ "key", "string", "SHA-256 of recipe, lock and base" },
	{ "lock", "string|null", "file with the hashes of what it fetches; null: it fetches nothing" },
	{ "lock_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },
	{ NULL, NULL, NULL },
};

const struct op op_template_build = {
	.name = "template build",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.no_tool = "it reads files of the person and reaches the network by their rules",
	.summary = "Build a template by a recipe",
	.about =
		"A recipe is a file that says how a template is prepared. Its steps run inside a box, with "
		"no\n"
		"more network than the recipe names. What they fetch is checked against the hashes of a\n"
		"second file, the lock: NAME.lock beside your own recipe, or in ~/.config/aisbx/recipes for\n"
		"those that come with aisbx. --update-lock makes it. The template is built again only when\n"
		"recipe, lock or base changed. docs/templates.md describes recipes.",
	.example = "aisbx template build python-data --update-lock\naisbx create --from python-data\n"
		   "aisbx template build ./tools.yaml",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
