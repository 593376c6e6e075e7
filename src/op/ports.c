/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `ports`: ports of a live box on this machine's loopback. */
#include "base/scope.h"
#include "base/value.h"
#include "box/net_live.h"
#include "op/args.h"

static json_t *ports_json(const struct net_live *now)
{
	json_t *list = json_array();

	for (size_t i = 0; i < now->n_ports; i++)
		json_array_append_new(list, json_pack("{s:i, s:i, s:o}", "port", (int)now->ports[i].box,
						      "host_port", (int)now->ports[i].host, "address",
						      json_sprintf("127.0.0.1:%u", now->ports[i].host)));
	return list;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist publish = { 0 };
	scoped(net_live_finish) struct net_live now = { 0 };
	int r;

	(void)ctx;
	value_list(json_object_get(args, "publish"), &publish);
	r = net_live_ports(op_text(args, "box"), &publish, &now, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:o}", "box", op_text(args, "box"), "ports", ports_json(&now));
	return r;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX|RUN",
	  "name or id of a live box, or id of a live run" },
	PUBLISH_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "box", "string", "as given" },
	{ "ports", "array", "all ports that are published" },
	{ "ports[].port", "integer", "in the box" },
	{ "ports[].host_port", "integer", "on this machine" },
	{ "ports[].address", "string", "where programs of this machine connect: 127.0.0.1 and host_port" },
	{ NULL, NULL, NULL },
};

const struct op op_ports = {
	.name = "ports",
	.group = GROUP_RUN,
	.view = VIEW_PORTS,
	.no_tool = "it opens ports on the person's machine",
	.method = "box.ports",
	.summary = "Show or publish ports of a live box",
	.about = "Lists the ports of a live box that are published: connections to them on this machine's\n"
		 "loopback go to the port in the box. With --publish it publishes further ones, also of a\n"
		 "box that has no network; the box itself reaches nothing by that. They are closed when the\n"
		 "box ends.",
	.example = "aisbx ports try1\n"
		   "aisbx ports --publish 8080:80 try1\n"
		   "aisbx ports --publish 0:3000 r-1f2e",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
