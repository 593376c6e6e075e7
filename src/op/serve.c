/* SPDX-License-Identifier: Apache-2.0 */
/* The operations that become a server: they check what they were told, and leave the rest to a helper. */
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
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--private is for connections to a socket; give --socket, or let the client say "
			"rpc.hello with an owner");
	return become(ctx, &op_rpc, args, e);
}

static const struct op_param rpc_params[] = {
	{ "socket", 0, OP_STRING, 0, "PATH",
	  "listen on a Unix socket there, for yourself and root, instead of speaking on standard input and "
	  "output" },
	{ "private", 0, OP_FLAG, 0, NULL,
	  "with --socket: what a connection makes is its own; others, and you, do not see it by this "
	  "server" },
	{ .name = NULL },
};

static const struct op_field rpc_result[] = {
	{ NULL, NULL, NULL },
};

const struct op op_rpc = {
	.name = "rpc",
	.group = GROUP_SYSTEM,
	.server = "aisbx-serve",
	.summary = "Serve every operation to programs, as JSON-RPC 2.0",
	.about = "Reads one JSON text per line from standard input and answers on standard output, until the "
		 "input ends: methods\n"
		 "are operations ('run.exec', 'box.create'), their parameters the arguments that 'aisbx "
		 "schema' tells. Many calls\n"
		 "may be under way at once; output comes while a command runs, its input can be given, a "
		 "call can be cancelled.\n"
		 "docs/rpc.md describes it.",
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
				    "--share and --owner say different things about whose boxes they are");
	if (owner && !op_is_owner(owner))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.80s' is no owner; a name has letters, digits and . _ : -, at most 64",
				    owner);
	return become(ctx, &op_mcp, args, e);
}

static const char *const tool_sets[] = { "few", "all", NULL };

static const struct op_param mcp_params[] = {
	{ "tools", 0, OP_CHOICE, 0, "few|all",
	  "which operations a model is shown: the few it mostly needs (the default), or all", tool_sets },
	{ "answer-within", 0, OP_DURATION, 0, "TIME",
	  "answer a run that lasts longer before its end; the model can wait for it (default 45s)" },
	{ "owner", 0, OP_STRING, 0, "NAME",
	  "boxes made here belong to NAME, and only those of NAME are seen; each server has its own "
	  "otherwise" },
	{ "share", 0, OP_FLAG, 0, NULL, "all your boxes are seen here, and those made here are yours" },
#ifdef AISBX_FIXTURES
	{ "conformance-fixtures", 0, OP_FLAG, OP_HIDDEN, NULL,
	  "what the protocol's conformance suite wants to find" },
#endif
	{ "page-size", 0, OP_NUMBER, OP_HIDDEN, "N", "entries in one answer of a list" },
	{ .name = NULL },
};

const struct op op_mcp = {
	.name = "mcp",
	.group = GROUP_AGENTS,
	.server = "aisbx-serve",
	.summary = "Serve boxes to an AI agent, by the Model Context Protocol",
	.about = "Speaks the Model Context Protocol on standard input and output, one message per line, "
		 "until the input ends: what an\n"
		 "agent starts as its server. Both eras are spoken: 2026-07-28, where each request stands "
		 "for itself, and 2025-11-25\n"
		 "and older, which begin with 'initialize'. Operations are tools; output is told while a "
		 "command runs. What a server\n"
		 "makes is its own: other agents do not see its boxes, unless they share an owner. "
		 "docs/mcp.md describes it.",
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
	if (ctx->by.out_fds[0] < 0) /* --json */
		json_object_set_new(all, "json", json_true());
	r = become(ctx, &op_serve, all, e);
	json_decref(all);
	return r;
}

static const char *const log_choices[] = { "none", "json", NULL };

static const struct op_param serve_params[] = {
	{ "listen", 0, OP_STRING, 0, "ADDRESS:PORT",
	  "where; 127.0.0.1:24729 if not told. A port alone is on 127.0.0.1, port 0 any that is free" },
	{ "token-file", 0, OP_STRING, 0, "FILE",
	  "who may ask: a line 'NAME TOKEN' each, only yours to read; if not told, one is made with a token "
	  "of its own" },
	{ "no-token", 0, OP_FLAG, 0, NULL,
	  "let every program on this machine ask; only on a loopback address" },
	{ "show-token", 0, OP_FLAG, 0, NULL, "print the token, and do not serve" },
	{ "origin", 0, OP_LIST, 0, "ORIGIN",
	  "pages of this origin may ask, as 'https://app.example'; those of this machine always may" },
	{ "host", 0, OP_LIST, 0, "NAME[:PORT]",
	  "a further name of this server, as a proxy in front passes it on in Host" },
	{ "tools", 0, OP_CHOICE, 0, "WHICH", "show models the few tools that they need most, or all",
	  tool_sets },
	{ "answer-within", 0, OP_DURATION, 0, "TIME",
	  "answer a run that lasts longer before its end; the model can wait for it (default 45s)" },
	{ "share", 0, OP_FLAG, 0, NULL,
	  "whoever may ask sees all your boxes, and those made here are yours" },
#ifdef AISBX_FIXTURES
	{ "conformance-fixtures", 0, OP_FLAG, OP_HIDDEN, NULL,
	  "what the protocol's conformance suite wants to find" },
#endif
	{ "client-timeout", 0, OP_DURATION, 0, "TIME",
	  "how long a client may take to send a request or to take a part of the answer; 30s if not told" },
	{ "log", 0, OP_CHOICE, 0, "HOW",
	  "'json': a line on standard error for each request; never what was said in it, nor a token",
	  log_choices },
	{ .name = NULL },
};

static const struct op_field serve_result[] = {
	{ "url", "string", "where it listens" },
	{ "token_file", "string|null", "who may ask; null: anybody on this machine" },
	{ "pid", "integer", "the server's process" },
	{ NULL, NULL, NULL },
};

const struct op op_serve = {
	.name = "serve",
	.group = GROUP_SYSTEM,
	.server = "aisbx-http",
	.summary = "Serve the operations over HTTP, to agents as the Model Context Protocol",
	.about = "Listens on this machine only, unless told otherwise, and wants a token of whoever asks: it "
		 "is made at the first\n"
		 "start and kept in a file that only you can read. Requests of web pages elsewhere, and "
		 "those that reached this\n"
		 "machine under a foreign name, are refused. Prints its address when it is ready, and serves "
		 "until SIGTERM or\n"
		 "SIGINT; what runs then is cancelled. A box belongs to the token, or to the session, that "
		 "made it.\n"
		 "docs/serve.md describes it.",
	.example = "aisbx serve\n"
		   "curl -H \"Authorization: Bearer $(aisbx serve --show-token)\" "
		   "http://127.0.0.1:24729/healthz",
	.grant = GRANT_HOST,
	.params = serve_params,
	.result = serve_result,
	.run = run_serve,
};
