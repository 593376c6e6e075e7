/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet rpc`: the JSON-RPC of `aisbx rpc`. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "fleet/agent/allowed.h"
#include "fleet/client/client.h"
#include "fleet/client/forward.h"
#include "fleet/core/memory.h"
#include "server/core/lines.h"
#include "server/core/queued.h"
#include "server/rpc/rpc.h"

struct peer {
	struct rpc *rpc;     /* owned */
	struct calls *calls; /* owned */
};

static struct rpc *rpc_of(const struct forwarder *f)
{
	return ((const struct peer *)f->own)->rpc;
}

static void take_line(struct forwarder *f, const char *text, size_t len)
{
	rpc_receive(rpc_of(f), text, len);
}

static void hold(struct forwarder *f, bool full)
{
	rpc_hold(rpc_of(f), full);
}

static void refuse_line(struct forwarder *f)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
		     "a line is longer than %u bytes; the connection is closed", LINES_LONGEST);
	rpc_refuse(rpc_of(f), &e);
}

static void end(struct forwarder *f)
{
	rpc_end(rpc_of(f));
}

static void on_send(void *ctx, const char *text, size_t len)
{
	forward_send(ctx, text, len);
}

static void on_idle(void *ctx)
{
	forward_idle(ctx);
}

/* Methods that can be called over a fleet, and which fleet it is. */
static int on_hello(void *ctx, const char *owner, json_t *result, struct aisbx_error *e)
{
	static const char *const here[] = { "run.ls", NULL };
	const struct forwarder *f = ctx;
	json_t *methods = json_array();

	if (owner) {
		json_decref(methods);
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "a fleet has tenants, and no owners: see --tenant");
	}
	for (const struct allowed_operation *row = allowed_operations; row->name; row++)
		json_array_append_new(methods, json_string(row->method));
	for (size_t i = 0; here[i]; i++)
		json_array_append_new(methods, json_string(here[i]));
	json_object_set_new(result, "methods", methods);
	json_object_set_new(result, "fleet", json_pack("{s:s, s:s}", "on", f->class, "tenant", f->o->tenant));
	return 0;
}

static int open_peer(struct forwarder *f, struct aisbx_error *e)
{
	struct peer *peer = fleet_new(sizeof(*peer));
	struct rpc_how how = { .cwd = "/", .hello = on_hello, .send = on_send, .idle = on_idle, .ctx = f };
	int r;

	f->own = peer;
	r = calls_new(f->loop, RPC_RUNNING, false, &peer->calls, e);
	how.calls = peer->calls;
	return r < 0 ? r : rpc_new(&how, &peer->rpc, e);
}

static void close_peer(struct forwarder *f)
{
	struct peer *peer = f->own;

	if (peer) {
		rpc_destroy(peer->rpc);
		calls_destroy(peer->calls);
	}
	free(peer);
}

int client_rpc(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	static const struct face face = { .command = "rpc",
					  .open = open_peer,
					  .line = take_line,
					  .full = hold,
					  .too_long = refuse_line,
					  .end = end,
					  .close = close_peer };

	(void)rest;
	return forward(&face, o, e);
}
