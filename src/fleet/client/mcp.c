/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet mcp`: the Model Context Protocol of `aisbx mcp`. Boxes are the tenant's: a fleet has no
 * owners. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/value.h"
#include "fleet/client/client.h"
#include "fleet/client/forward.h"
#include "fleet/core/memory.h"
#include "server/core/json.h"
#include "server/mcp/mcp.h"

struct agent {
	struct mcp_channel channel;  /* first: a channel is found to be this */
	struct forwarder *f;         /* borrowed */
	struct mcp *mcp;             /* owned */
	struct mcp_session *session; /* NULL: it has ended */
	bool full;
};

static void on_send(struct mcp_channel *ch, const json_t *message)
{
	const struct agent *a = (const struct agent *)ch;
	scoped(drop_mem) char *text = json_dumps(message, JSON_COMPACT | VALUE_REALS);

	if (text)
		forward_send(a->f, text, strlen(text));
}

static bool is_full(struct mcp_channel *ch)
{
	return ((const struct agent *)ch)->full;
}

static void refuse(struct agent *a, const char *why)
{
	json_t *message = mcp_error_message(NULL, MCP_PARSE_ERROR, why, NULL);

	on_send(&a->channel, message);
	json_decref(message);
}

static void take_line(struct forwarder *f, const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct agent *a = f->own;
	json_t *message;

	if (!a->session)
		return;
	message = server_json_read(text, len, &e);
	if (message)
		mcp_receive(a->session, &a->channel, message);
	else
		refuse(a, e.text);
	json_decref(message);
}

static void set_full(struct forwarder *f, bool full)
{
	((struct agent *)f->own)->full = full;
}

static void refuse_line(struct forwarder *f)
{
	refuse(f->own, "the message is too long; the connection is closed");
}

static void on_stopped(void *ctx)
{
	forward_idle(ctx);
}

static void end(struct forwarder *f)
{
	struct agent *a = f->own;

	if (!a->session)
		return;
	a->session = NULL;
	mcp_stop(a->mcp, on_stopped, f);
}

static int open_agent(struct forwarder *f, struct aisbx_error *e)
{
	struct mcp_how how = { .cwd = "/",
			       .elsewhere = true,
			       .all_tools = f->o->tools && !strcmp(f->o->tools, "all") };
	struct agent *a = fleet_new(sizeof(*a));
	int r;

	if (f->o->answer_within)
		str_to_ms(f->o->answer_within, &how.answer_within_ms);
	*a = (struct agent){ .channel = { .send = on_send, .full = is_full }, .f = f };
	f->own = a;
	r = mcp_open(f->loop, &how, &a->mcp, e);
	if (r < 0)
		return r;
	a->session = mcp_session_new(a->mcp, NULL, false);
	if (!a->session)
		fleet_out_of_memory();
	mcp_session_set_channel(a->session, &a->channel);
	return 0;
}

static void close_agent(struct forwarder *f)
{
	struct agent *a = f->own;

	if (a)
		mcp_close(a->mcp);
	free(a);
}

int client_mcp(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	static const struct face face = { .command = "mcp",
					  .keeps = true,
					  .open = open_agent,
					  .line = take_line,
					  .full = set_full,
					  .too_long = refuse_line,
					  .end = end,
					  .close = close_agent };

	uint64_t within;

	(void)rest;
	if (o->tools && !str_is_one_of(o->tools, "few|all"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--tools must be few or all, not '%.50s'", o->tools);
	if (o->answer_within && (!str_to_ms(o->answer_within, &within) || !within))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--answer-within must be a time, such as 45s, not '%.50s'",
				    o->answer_within);
	return forward(&face, o, e);
}
