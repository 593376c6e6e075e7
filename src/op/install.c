/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `install` and `uninstall`: arguments and result of src/agent. */
#include <errno.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/scope.h"
#include "op/op.h"

static const char *const scopes[] = { "project", "user", NULL };
static const char *const tool_sets[] = { "few", "all", NULL };

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

static bool flag(const json_t *args, const char *name)
{
	return json_is_true(json_object_get(args, name));
}

static struct agent_request request_of(const struct op_context *ctx, const json_t *args)
{
	const char *scope = text_arg(args, "scope");

	return (struct agent_request){ .name = text_arg(args, "agent"),
				       .scope = !scope                   ? AGENT_USUAL
						: !strcmp(scope, "user") ? AGENT_USER
									 : AGENT_PROJECT,
				       .cwd = caller_project(&ctx->by),
				       .env = ctx->by.env,
				       .guard = flag(args, "guard"),
				       .force = flag(args, "force"),
				       .print = flag(args, "print"),
				       .http = text_arg(args, "http"),
				       .tools = text_arg(args, "tools") };
}

static int to_json(const struct agent_request *req, const struct agent_report *r, json_t **ret,
		   struct aisbx_error *e)
{
	*ret = json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s, s:s?}", "agent", req->name, "scope",
			 r->scope == AGENT_USER ? "user" : "project", "file", r->file, "action", r->action,
			 "text", r->text.data, "check", r->check, "problem", r->problem);
	return *ret ? 0
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				   "the path of the configuration is not UTF-8");
}

static int run_install(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const struct agent_request req = request_of(ctx, args);
	scoped(agent_report_finish) struct agent_report done = { 0 };
	int r = agent_install(&req, &done, e);

	return r < 0 ? r : to_json(&req, &done, ret_result, e);
}

static int run_uninstall(struct op_context *ctx, const json_t *args, json_t **ret_result,
			 struct aisbx_error *e)
{
	const struct agent_request req = request_of(ctx, args);
	scoped(agent_report_finish) struct agent_report done = { 0 };
	int r = agent_uninstall(&req, &done, e);

	return r < 0 ? r : to_json(&req, &done, ret_result, e);
}

#define AGENT_PARAM                                                                 \
	{                                                                           \
		"agent", 0, OP_CHOICE, OP_POSITIONAL | OP_REQUIRED, "AGENT",        \
			"claude-code, codex, cursor, vscode or gemini", agent_names \
	}
#define SCOPE_PARAM                                                                                         \
	{                                                                                                   \
		"scope", 0, OP_CHOICE, 0, "SCOPE",                                                          \
			"project: the file of this directory; user: the file of the person; default: user " \
			"for codex "                                                                        \
			"and gemini, project for the others",                                               \
			scopes                                                                              \
	}

static const struct op_param install_params[] = {
	AGENT_PARAM,
	SCOPE_PARAM,
	{ "print", 0, OP_FLAG, 0, NULL, "only print the text and the name of the file" },
	{ "http", 0, OP_STRING, 0, "URL",
	  "use the server at this address, as 'aisbx serve' prints it (the tools are at its /mcp); the token "
	  "is taken from $" AGENT_TOKEN },
	{ "tools", 0, OP_CHOICE, 0, "few|all", "how many tools the agent gets", tool_sets },
	{ "guard", 0, OP_FLAG, 0, NULL,
	  "install the hook by which 'aisbx guard' judges every command of the agent, instead of the tools" },
	{ "force", 0, OP_FLAG, 0, NULL, "replace an entry 'aisbx' that aisbx did not write" },
	{ .name = NULL },
};

static const struct op_param uninstall_params[] = {
	AGENT_PARAM,
	SCOPE_PARAM,
	{ "guard", 0, OP_FLAG, 0, NULL, "remove the hook instead of the tools" },
	{ "force", 0, OP_FLAG, 0, NULL, "also remove an entry 'aisbx' that aisbx did not write" },
	{ .name = NULL },
};

#define COMMON_FIELDS                                                                \
	{ "agent", "string", "as given" }, { "scope", "string", "project or user" }, \
	{                                                                            \
		"file", "string", "path of the configuration file"                   \
	}

static const struct op_field install_result[] = {
	COMMON_FIELDS,
	{ "action", "string", "created, changed, unchanged (it was there already) or printed" },
	{ "text", "string|null", "what a file with nothing else would contain" },
	{ "check", "string", "how to check that the agent has it" },
	{ "problem", "string|null",
	  "why an agent that reads this file may not find aisbx; files of a project name it without a "
	  "directory" },
	{ NULL, NULL, NULL },
};

static const struct op_field uninstall_result[] = {
	COMMON_FIELDS,
	{ "action", "string",
	  "changed, removed (the file contained nothing else) or absent (there was nothing to remove)" },
	{ "text", "string|null", "null" },
	{ "check", "string", "how to check that the agent no longer has it" },
	{ "problem", "string|null", "null" },
	{ NULL, NULL, NULL },
};

const struct op op_install = {
	.name = "install",
	.group = GROUP_AGENTS,
	.view = VIEW_INSTALL,
	.first = true,
	.summary = "Add aisbx to the configuration of a coding agent",
	.about = "Adds 'aisbx mcp' to the agent's configuration, so that the agent gets boxes as tools.\n"
		 "The rest of the file is not changed, byte for byte. A file that aisbx cannot parse\n"
		 "safely (such as JSON with comments) is not changed; --print shows the text to paste. A\n"
		 "token is never written. See docs/agents.md.",
	.example = "aisbx install claude-code\n"
		   "aisbx install codex --tools all\n"
		   "aisbx install claude-code --guard\n"
		   "aisbx install vscode --print",
	.grant = GRANT_HOST,
	.params = install_params,
	.result = install_result,
	.run = run_install,
};

const struct op op_uninstall = {
	.name = "uninstall",
	.group = GROUP_AGENTS,
	.view = VIEW_INSTALL,
	.summary = "Remove aisbx from the configuration of a coding agent",
	.about = "Removes exactly what 'aisbx install' added.",
	.example = "aisbx uninstall claude-code",
	.grant = GRANT_HOST,
	.params = uninstall_params,
	.result = uninstall_result,
	.run = run_uninstall,
};
