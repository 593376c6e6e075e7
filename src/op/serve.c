/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that become a server: they check their arguments, and start a helper. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "base/scope.h"
#include "op/op.h"

/* In place of this process, so that who started it has the server itself: its input, its end, its exit
 * status. */
static int become(struct op_context *ctx, const struct op *op, const json_t *args, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = json_dumps(args, JSON_COMPACT);
	const char *const argv[] = { op->server, op->name, text, NULL };
	scoped(drop_fd) int program = -1;
	int r;

	if (!text)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "arguments of '%s'", op->name);
	r = program_open(op->server, &program, e);
	if (r < 0)
		return r;
	fexecve(program, (char *const *)argv, (char *const *)ctx->by.env);
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "start %s", op->server);
}

static int run_rpc(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ret_result;
	if (op_flag(args, "private") && !json_object_get(args, "socket"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--private applies to connections to a socket; give --socket, or let the "
				    "client send rpc.hello with an owner");
	return become(ctx, &op_rpc, args, e);
}

static const struct op_param rpc_params[] = {
	{ "socket", 0, OP_STRING, 0, "PATH",
	  "listen on a Unix socket at this path, accessible to you and root, instead of standard input and "
	  "output" },
	{ "private", 0, OP_FLAG, 0, NULL,
	  "with --socket: boxes made by a connection belong to it; other connections, and you, do not see "
	  "them through this server" },
	{ .name = NULL },
};

static const struct op_field rpc_result[] = {
	{ NULL, NULL, NULL },
};

const struct op op_rpc = {
	.name = "rpc",
	.group = GROUP_SYSTEM,
	.server = "aisbx-serve",
	.summary = "Serve all operations to programs, as JSON-RPC 2.0",
	.about = "Reads one JSON text per line from standard input and answers on standard output, until\n"
		 "the input ends. Methods are operations ('run.exec', 'box.create'); parameters are the\n"
		 "arguments that 'aisbx schema' shows. Many calls can be in progress at once; output is\n"
		 "sent while a command runs, input can be sent to it, and calls can be cancelled. See\n"
		 "docs/rpc.md.",
	.example = "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.hello\"}' | aisbx rpc\n"
		   "aisbx rpc --socket \"$XDG_RUNTIME_DIR/aisbx-rpc\"",
	.grant = GRANT_HOST,
	.params = rpc_params,
	.result = rpc_result,
	.run = run_rpc,
};

/* ---- mcp ---- */

static int run_mcp(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *owner = op_text(args, "owner");

	(void)ret_result;
	if (op_flag(args, "share") && owner)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--share and --owner contradict each other; give one");
	if (owner && !op_is_owner(owner))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.80s' is not a valid owner; use letters, digits and . _ : -, at most 64", owner);
	return become(ctx, &op_mcp, args, e);
}

static const char *const tool_sets[] = { "few", "all", NULL };

static const struct op_param mcp_params[] = {
	{ "tools", 0, OP_CHOICE, 0, "few|all",
	  "tools to offer to a model: the most useful ones (default), or all", tool_sets },
	{ "answer-within", 0, OP_DURATION, 0, "TIME",
	  "return from a run that takes longer; the model can wait for it (default 45s)" },
	{ "owner", 0, OP_STRING, 0, "NAME",
	  "boxes made here belong to NAME, and only boxes of NAME are visible; default: an owner for each "
	  "server" },
	{ "share", 0, OP_FLAG, 0, NULL, "all your boxes are visible here, and boxes made here are yours" },
#ifdef AISBX_FIXTURES
	{ "conformance-fixtures", 0, OP_FLAG, OP_HIDDEN, NULL,
	  "offer what the protocol's conformance suite expects" },
#endif
	{ "page-size", 0, OP_NUMBER, OP_HIDDEN, "N", "entries per page of a list" },
	{ .name = NULL },
};

const struct op op_mcp = {
	.name = "mcp",
	.group = GROUP_AGENTS,
	.server = "aisbx-serve",
	.summary = "Serve boxes to an AI agent over the Model Context Protocol",
	.about = "Speaks the Model Context Protocol on standard input and output, one message per line,\n"
		 "until the input ends: an agent starts it as its server. Supports both kinds of the\n"
		 "protocol: 2026-07-28, where requests are independent, and 2025-11-25 and older, which\n"
		 "begin with 'initialize'. Operations are tools; output is reported while a command runs.\n"
		 "Boxes belong to the server that made them: other agents do not see them, unless they\n"
		 "share an owner. See docs/mcp.md.",
	.example = "aisbx mcp\naisbx mcp --tools all --owner reviews",
	.grant = GRANT_HOST,
	.params = mcp_params,
	.result = rpc_result,
	.run = run_mcp,
};

/* ---- serve ---- */

static int run_serve(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	json_t *all = json_copy((json_t *)args); /* shallow: the values are only read */
	int r;

	(void)ret_result;
	if (!all)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "arguments of 'serve'");
	if (op_flag(args, "e2b") && op_flag(args, "no-token")) {
		json_decref(all);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--e2b needs tokens, which its clients send as their API key; leave "
				    "--no-token out");
	}
	if (ctx->by.out_fds[0] < 0) /* --json */
		json_object_set_new(all, "json", json_true());
	r = become(ctx, &op_serve, all, e);
	json_decref(all);
	return r;
}

static const char *const log_choices[] = { "none", "json", NULL };

static const struct op_param serve_params[] = {
	{ "listen", 0, OP_STRING, 0, "ADDRESS:PORT",
	  "address; default: 127.0.0.1:24729. A port alone is on 127.0.0.1; port 0 is any free port" },
	{ "token-file", 0, OP_STRING, 0, "FILE",
	  "who has access: a line 'NAME TOKEN [RATE]' each, readable only by you; default: one name, with a "
	  "token that is generated" },
	{ "no-token", 0, OP_FLAG, 0, NULL,
	  "give every program on this machine access; only on a loopback address" },
	{ "show-token", 0, OP_FLAG, 0, NULL, "print the token and exit" },
	{ "rate", 0, OP_STRING, 0, "N/s|N/m|N/h",
	  "requests of one token in a second, minute or hour, and at once; one that has its own rate in the "
	  "token file keeps that; default: no limit" },
	{ "origin", 0, OP_LIST, 0, "ORIGIN",
	  "allow requests from pages of this origin, such as 'https://app.example'; those of this machine "
	  "are always allowed" },
	{ "host", 0, OP_LIST, 0, "NAME[:PORT]",
	  "another host name of this server, as a proxy in front passes it on in Host" },
	{ "tools", 0, OP_CHOICE, 0, "WHICH", "tools to offer to models: the most useful ones, or all",
	  tool_sets },
	{ "answer-within", 0, OP_DURATION, 0, "TIME",
	  "return from a run that takes longer; the model can wait for it (default 45s)" },
	{ "e2b", 0, OP_FLAG, 0, NULL,
	  "also serve the clients of E2B, with a token as their API key; see docs/e2b.md" },
	{ "net", 0, OP_LIST, 0, "NET",
	  "with --e2b: what its sandboxes may reach, as in run; default: nothing" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "with --e2b: what its sandboxes may do; default: dev" },
	{ "share", 0, OP_FLAG, 0, NULL, "all clients see all your boxes, and boxes made here are yours" },
#ifdef AISBX_FIXTURES
	{ "conformance-fixtures", 0, OP_FLAG, OP_HIDDEN, NULL,
	  "offer what the protocol's conformance suite expects" },
#endif
	{ "client-timeout", 0, OP_DURATION, 0, "TIME",
	  "time limit for a client to send a request or to read a part of the answer; default: 30s" },
	{ "log", 0, OP_CHOICE, 0, "HOW",
	  "'json': log each request as a line on standard error, without content or tokens", log_choices },
	{ .name = NULL },
};

static const struct op_field serve_result[] = {
	{ "url", "string", "address it listens on" },
	{ "token_file", "string|null", "who has access; null: anybody on this machine" },
	{ "pid", "integer", "process id of the server" },
	{ NULL, NULL, NULL },
};

const struct op op_serve = {
	.name = "serve",
	.group = GROUP_SYSTEM,
	.server = "aisbx-http",
	.summary = "Serve the operations over HTTP, to agents over the Model Context Protocol",
	.about = "Listens on this machine only, unless told otherwise, and requires a token, which is\n"
		 "generated at the first start and stored in a file that only you can read. Requests from\n"
		 "web pages of other origins, or with an unknown Host header, are refused. Prints its\n"
		 "address when it is ready, and serves until SIGTERM or SIGINT; calls in progress are\n"
		 "cancelled then. A box belongs to the token or session that made it. See docs/serve.md.",
	.example = "aisbx serve\n"
		   "curl -H \"Authorization: Bearer $(aisbx serve --show-token)\" "
		   "http://127.0.0.1:24729/healthz",
	.grant = GRANT_HOST,
	.params = serve_params,
	.result = serve_result,
	.run = run_serve,
};
