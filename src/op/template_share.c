/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `template push` and `template pull`. */
#include <stdlib.h>

#include "base/scope.h"
#include "box/image_out.h"
#include "op/image.h"
#include "op/template.h"

static int push_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	struct image_pushed done = { 0 };
	int r = images_may_change("push a template", e);

	if (r == 0)
		r = box_template_push(op_text(args, "template"), op_text(args, "reference"), &how, &done, e);
	if (r == 0)
		*ret_result = op_pushed_json(&done);
	return r;
}

static int pull_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct image_import how = op_image_how(ctx, args);
	const struct box_template_pull req = { .name = op_text(args, "name"),
					       .shared = op_flag(args, "shared"),
					       .replace = op_flag(args, "replace"),
					       .how = &how };
	scoped(box_template_finish) struct box_template made = { 0 };
	int r = images_may_change("pull a template", e);

	how.source = op_text(args, "reference");
	if (r == 0)
		r = box_template_pull(&req, &made, e);
	if (r == 0)
		*ret_result = op_template_json(&made);
	return r;
}

static const struct op_param push_params[] = {
	{ "template", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "TEMPLATE", "name of the template" },
	{ "reference", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "REFERENCE",
	  "where to: REGISTRY/REPOSITORY:TAG" },
	{ .name = NULL },
};

static const struct op_field push_result[] = {
	{ "digest", "string", "SHA-256 of its manifest" },
	{ "to", "string", "the full reference that it has there" },
	{ "sent", "integer", "blobs that were sent" },
	{ "there", "integer", "blobs that the registry had already" },
	{ NULL, NULL, NULL },
};

const struct op op_template_push = {
	.name = "template push",
	.group = GROUP_BOXES,
	.view = VIEW_IMAGE_PUSH,
	.method = "template.push",
	.no_tool = "what it sends leaves the person's machine",
	.summary = "Send a template to a registry",
	.about = "Sends a template to a registry, for 'aisbx template pull' on other machines: as an image\n"
		 "whose label has the settings. Everything that is in the template goes there, also what\n"
		 "its box left in the home: do not push one with passwords. A template that stands on this\n"
		 "machine fits only machines with the same system. Logins are those of 'docker login'.",
	.example = "aisbx template push python-data registry.example.org/team/python-data:1",
	.grant = GRANT_HOST,
	.params = push_params,
	.result = push_result,
	.run = push_run,
};

static const struct op_param pull_params[] = {
	{ "name", 0, OP_STRING, 0, "NAME", "what it is called here; default: as it was called there" },
	{ "shared", 0, OP_FLAG, 0, NULL, "sessions of agents may use it, too; a person can use all" },
	{ "replace", 0, OP_FLAG, 0, NULL, "instead of a template of that name; its boxes stay as they are" },
	{ "reference", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "REFERENCE",
	  "[REGISTRY/]REPOSITORY[:TAG][@DIGEST]" },
	{ .name = NULL },
};

static const struct op_field pull_result[] = {
	TEMPLATE_FIELDS(""),
	{ NULL, NULL, NULL },
};

const struct op op_template_pull = {
	.name = "template pull",
	.group = GROUP_BOXES,
	.view = VIEW_TEMPLATE_PULL,
	.method = "template.pull",
	.no_tool = "it uses the network of the person's machine",
	.summary = "Bring a template from a registry",
	.about =
		"Brings what 'aisbx template push' sent: checked against its digests, as 'aisbx image pull'\n"
		"does. It gets nothing by asking for it: its network rules are shown, and you give them to\n"
		"a box with --net; its profile counts only if it allows nothing that 'dev' does not.\n"
		"A template that stands on a machine is refused on another system.",
	.example = "aisbx template pull registry.example.org/team/python-data:1\n"
		   "aisbx create --from python-data",
	.grant = GRANT_HOST,
	.params = pull_params,
	.result = pull_result,
	.run = pull_run,
};
