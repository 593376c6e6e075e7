/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `allow` and `deny`: rules for the network of a box. */
#include "base/scope.h"
#include "base/value.h"
#include "box/net_live.h"
#include "op/args.h"

static int change(const json_t *args, bool on, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist rules = { 0 };
	scoped(net_live_finish) struct net_live now = { 0 };
	int r;

	value_list(json_object_get(args, "rules"), &rules);
	r = net_live_rules(op_text(args, "box"), &rules, on, &now, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:o, s:o}", "box", op_text(args, "box"), "changed",
					value_list_json(&now.changed), "rules", value_list_json(&now.rules));
	return r;
}

static int allow(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	return change(args, true, ret_result, e);
}

static int deny(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	return change(args, false, ret_result, e);
}

#define BOX_PARAM                                                                                         \
	{                                                                                                 \
		"box", 'b', OP_STRING, OP_REQUIRED, "BOX|RUN", "name or id of a box, or id of a live run" \
	}

static const struct op_param allow_params[] = {
	{ "rules", 0, OP_LIST, OP_POSITIONAL, "RULE",
	  "rules or presets to add, such as net:egress:github.com:443 or npm; without any: list those of the "
	  "box" },
	BOX_PARAM,
	{ .name = NULL },
};
static const struct op_param deny_params[] = {
	{ "rules", 0, OP_LIST, OP_POSITIONAL | OP_REQUIRED, "RULE",
	  "rules to remove, as 'aisbx allow --box BOX' lists them" },
	BOX_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "box", "string", "as given" },
	{ "changed", "array", "rules that were added or removed, in their full form" },
	{ "rules", "array", "all rules that the box has now" },
	{ NULL, NULL, NULL },
};

const struct op op_allow = {
	.name = "allow",
	.group = GROUP_RUN,
	.view = VIEW_NET,
	.no_tool = "a person decides what a box may reach",
	.method = "box.allow",
	.summary = "Let a box reach a host",
	.about =
		"Adds rules for the network of a box. A box keeps them for its next runs. If it is live and\n"
		"was started with --net, they hold at once: the next look-up or connection is allowed, and\n"
		"connections that are open continue. Those of a run without a box end with the run. A\n"
		"violation names the rule to give. Without RULE it lists the rules of the box.",
	.example = "aisbx allow net:egress:github.com:443 --box try1\n"
		   "aisbx allow '*.example.org:443' 10.0.0.0/8:5432 --box r-1f2e\n"
		   "aisbx allow --box try1",
	.grant = GRANT_HOST,
	.params = allow_params,
	.result = result,
	.run = allow,
};

const struct op op_deny = {
	.name = "deny",
	.group = GROUP_RUN,
	.view = VIEW_NET,
	.no_tool = "a person decides what a box may reach",
	.method = "box.deny",
	.summary = "Remove rules of a live box",
	.about =
		"Removes rules for the network of a live box. New look-ups and connections are refused at\n"
		"once, and connections that only these rules allowed are closed. It fails if the box has no\n"
		"such rule.",
	.example = "aisbx deny net:egress:github.com:443 --box try1",
	.grant = GRANT_RUN,
	.params = deny_params,
	.result = result,
	.run = deny,
};
