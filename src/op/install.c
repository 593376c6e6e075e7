/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `install` and `uninstall`: which file of which agent, and what belongs into it. */
#include "op/install.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "op/op.h"

static const char *const agent_names[] = { "claude-code", "codex", "cursor", "vscode", "gemini", NULL };
static const char *const scopes[] = { "project", "user", NULL };
static const char *const tool_sets[] = { "few", "all", NULL };

/* In the order of agent_names. */
static const struct agent {
	const char *project, *user; /* below the project; below the home directory */
	const char *home_variable,
		*home_rest; /* NULL, or the variable that moves the latter, and what is below it then */
	bool user_first;    /* the customary scope */
	bool toml;
	const char *key;                    /* that holds the servers */
	const char *stdio_type, *http_type; /* "type" of an entry; NULL: it has none */
	const char *url;                    /* how the address is called */
	const char *token;                  /* how a header takes a variable; NULL: by a key of its own */
	const char *check;                  /* how a person sees that it works */
	const char *hook_project,
		*hook_user; /* where its hooks are; NULL: it has none that could hold a command back */
} agents[] = {
	{ ".mcp.json", ".claude.json", NULL, NULL, false, false, "mcpServers", NULL, "http", "url",
	  "Bearer ${" INSTALL_TOKEN "}", "claude mcp list", ".claude/settings.local.json",
	  ".claude/settings.json" },
	{ ".codex/config.toml", ".codex/config.toml", "CODEX_HOME", "config.toml", true, true, "mcp_servers",
	  NULL, NULL, "url", NULL, "codex mcp list", ".codex/hooks.json", ".codex/hooks.json" },
	{ ".cursor/mcp.json", ".cursor/mcp.json", NULL, NULL, false, false, "mcpServers", NULL, NULL, "url",
	  "Bearer ${env:" INSTALL_TOKEN "}", "cursor-agent mcp list" },
	{ ".vscode/mcp.json", ".config/Code/User/mcp.json", "XDG_CONFIG_HOME", "Code/User/mcp.json", false,
	  false, "servers", "stdio", "http", "url", "Bearer ${env:" INSTALL_TOKEN "}",
	  "MCP: List Servers, in the command palette" },
	{ ".gemini/settings.json", ".gemini/settings.json", NULL, NULL, true, false, "mcpServers", NULL, NULL,
	  "httpUrl", "Bearer $" INSTALL_TOKEN, "gemini mcp list" },
};

_Static_assert(sizeof(agents) / sizeof(*agents) + 1 == sizeof(agent_names) / sizeof(*agent_names),
	       "a row for each");

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

static const char *variable(const struct op_context *ctx, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; ctx->env && ctx->env[i]; i++)
		if (!strncmp(ctx->env[i], name, n) && ctx->env[i][n] == '=' && ctx->env[i][n + 1] == '/')
			return ctx->env[i] + n + 1;
	return NULL;
}

static size_t find_agent(const char *name)
{
	size_t i = 0;

	while (agent_names[i] && strcmp(agent_names[i], name) != 0)
		i++;
	return i;
}

/* What was asked for: which file, and what belongs there. */
struct order {
	const char *name;
	const struct agent *agent;
	bool user;
	char *path;         /* owned */
	const char *within; /* borrowed; NULL: in a project, where no link is followed */
	json_t *value;      /* owned */
	bool guard;         /* the hook, not the server */
};

/* What hooks are called by every agent that has them. */
#define HOOKS "hooks"
#define HOOK  "PreToolUse"

static void order_finish(struct order *o)
{
	free(o->path);
	json_decref(o->value);
}

static int find_path(const struct op_context *ctx, struct order *o, struct aisbx_error *e)
{
	const struct agent *a = o->agent;
	const char *home = variable(ctx, "HOME"),
		   *moved = a->home_variable ? variable(ctx, a->home_variable) : NULL;

	if (o->user && !home)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "HOME names no directory; --scope project writes into the project");
	o->within = o->user ? home : NULL;
	if (o->guard && !a->hook_user)
		return aisbx_refuse(
			e, AISBX_AREA_USAGE, EOPNOTSUPP,
			"'%s' has no hook that could hold a command back; claude-code and codex do", o->name);
	if (o->user && moved) {
		o->within = path_is_within(moved, home) ? home : moved;
		o->path = path_join(moved, o->guard ? strrchr(a->hook_user, '/') + 1 : a->home_rest);
	} else if (o->guard) {
		o->path = path_join(o->user ? home : ctx->cwd, o->user ? a->hook_user : a->hook_project);
	} else {
		o->path = path_join(o->user ? home : ctx->cwd, o->user ? a->user : a->project);
	}
	return o->path ? 0
		       : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the configuration of '%s'", o->name);
}

/* Where this program lies; heap, or NULL with an error. */
static char *own_path(struct aisbx_error *e)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		aisbx_fail(e, AISBX_AREA_USAGE, errno, "find out where aisbx lies");
	return path;
}

static int stdio_entry(struct order *o, const json_t *args, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = own_path(e);
	const char *tools = text_arg(args, "tools");
	json_t *words = json_pack("[s, s, s]", "mcp", "--owner", o->name);

	if (tools && !strcmp(tools, "all")) {
		json_array_append_new(words, json_string("--tools"));
		json_array_append_new(words, json_string("all"));
	}
	o->value = json_object();
	if (o->agent->stdio_type)
		json_object_set_new(o->value, "type", json_string(o->agent->stdio_type));
	if (program && json_object_set_new(o->value, "command", json_string(program)) < 0)
		aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ, "the path of aisbx is no UTF-8");
	json_object_set_new(o->value, "args", words);
	return e->code;
}

/* Ends with what blocks, whatever became of aisbx: an agent takes a hook that fails for no objection. */
static int hook_entry(struct order *o, const json_t *args, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = own_path(e);
	json_t *command;

	if (json_object_get(args, "http") || json_object_get(args, "tools"))
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "--guard puts in the hook alone; leave out --http and --tools");
	if (!program)
		return e->code;
	if (program[strcspn(program, "'\"\\$`!\n")])
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "the path of aisbx has signs in it that a shell reads otherwise");
	command = json_sprintf("'%s' guard --hook %s || exit 2", program, o->name);
	o->value = command ? json_pack("[{s:s, s:[{s:s, s:o, s:i}]}]", "matcher", ".*", "hooks", "type",
				       "command", "command", command, "timeout", 30)
			   : NULL;
	return o->value ? 0 : aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ, "the path of aisbx is no UTF-8");
}

/* The address tools are served at: as given, or, of a server without a path, as 'aisbx serve' prints it, /mcp
 * there. */
static json_t *mcp_address(const char *url)
{
	const char *host = strstr(url, "://") + 3, *path = strchr(host, '/');
	size_t len = strlen(url);

	while (len > (size_t)(host - url) && url[len - 1] == '/')
		len--;
	return json_sprintf("%.*s%s", (int)len, url, !path || path[strspn(path, "/")] == '\0' ? "/mcp" : "");
}

static int http_entry(struct order *o, const char *url, const json_t *args, struct aisbx_error *e)
{
	const struct agent *a = o->agent;

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return aisbx_refuse(
			e, AISBX_AREA_USAGE, EINVAL,
			"'%s' is no address such as http://127.0.0.1:8080, as 'aisbx serve' prints it", url);
	if (json_object_get(args, "tools"))
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "with --http it is 'aisbx serve' that is told which tools to show");
	o->value = json_object();
	if (a->http_type)
		json_object_set_new(o->value, "type", json_string(a->http_type));
	if (json_object_set_new(o->value, a->url, mcp_address(url)) < 0)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ, "the address is no UTF-8");
	if (a->token)
		json_object_set_new(o->value, "headers", json_pack("{s:s}", "Authorization", a->token));
	else
		json_object_set_new(o->value, "bearer_token_env_var", json_string(INSTALL_TOKEN));
	return 0;
}

/* A list of hooks with ours alone in it. */
static bool is_our_hook(const json_t *list)
{
	const json_t *hooks = json_object_get(json_array_get(list, 0), "hooks");
	const char *command = json_string_value(json_object_get(json_array_get(hooks, 0), "command"));

	return json_array_size(list) == 1 && json_array_size(hooks) == 1 && command &&
	       strstr(command, "/aisbx' guard --hook ");
}

bool install_is_ours(const json_t *value)
{
	const char *command = json_string_value(json_object_get(value, "command")),
		   *slash = command ? strrchr(command, '/') : NULL;
	const char *first = json_string_value(json_array_get(json_object_get(value, "args"), 0));
	const char *header =
		json_string_value(json_object_get(json_object_get(value, "headers"), "Authorization"));

	if (json_is_array(value))
		return is_our_hook(value);
	if (command)
		return !strcmp(slash ? slash + 1 : command, "aisbx") && first && !strcmp(first, "mcp");
	return header && strstr(header, INSTALL_TOKEN);
}

static int take_order(const struct op_context *ctx, const json_t *args, struct order *o,
		      struct aisbx_error *e)
{
	const char *scope = text_arg(args, "scope");

	o->name = text_arg(args, "agent");
	o->agent = &agents[find_agent(o->name)];
	o->guard = json_is_true(json_object_get(args, "guard"));
	o->user = scope ? !strcmp(scope, "user") : o->agent->user_first;
	return find_path(ctx, o, e);
}

static json_t *report(const struct order *o, const char *action, const struct buf *text)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s}", "agent", o->name, "scope",
			 o->user ? "user" : "project", "file", o->path, "action", action, "text",
			 text ? text->data : NULL, "check",
			 o->guard ? "/hooks, in a session" : o->agent->check);
}

static bool is_toml(const struct order *o)
{
	return o->agent->toml && !o->guard;
}

/* What a file with nothing else would hold. */
static int sample(const struct order *o, const struct install_entry *entry, struct buf *ret,
		  struct aisbx_error *e)
{
	enum install_edit edit;

	return is_toml(o) ? install_toml_put(NULL, 0, entry, ret, &edit, e)
			  : install_json_put(NULL, 0, entry, ret, &edit, e);
}

static int put(const struct order *o, const struct install_entry *entry, const char **ret_action,
	       struct aisbx_error *e)
{
	scoped(install_file_close) struct install_file file = INSTALL_FILE_INIT;
	scoped(buf_finish) struct buf text = { 0 };
	enum install_edit edit = EDIT_NONE;
	int r = install_file_open(o->path, o->within, &file, e);

	if (r < 0)
		return r;
	r = (is_toml(o) ? install_toml_put : install_json_put)(file.there ? file.text.data : NULL,
							       file.text.len, entry, &text, &edit, e);
	if (r < 0) {
		aisbx_context(e, "'%s' is left as it is", path_tail(o->path, PATH_TOLD));
		return aisbx_hint(e, "'aisbx install %s --print' shows the text to paste", o->name);
	}
	*ret_action = edit == EDIT_NONE ? "unchanged" : file.there ? "changed" : "created";
	return edit == EDIT_NONE ? 0 : install_file_write(&file, text.data, text.len, e);
}

static int run_install(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(order_finish) struct order o = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	const char *url = text_arg(args, "http"), *action = "printed";
	struct install_entry entry;
	int r = take_order(ctx, args, &o, e);

	if (r == 0)
		r = o.guard ? hook_entry(&o, args, e)
		    : url   ? http_entry(&o, url, args, e)
			    : stdio_entry(&o, args, e);
	if (r < 0)
		return r;
	entry = (struct install_entry){ .key = o.guard ? HOOKS : o.agent->key,
					.name = o.guard ? HOOK : NULL,
					.value = o.value,
					.force = json_is_true(json_object_get(args, "force")) };
	r = sample(&o, &entry, &text, e);
	if (r == 0 && !json_is_true(json_object_get(args, "print")))
		r = put(&o, &entry, &action, e);
	if (r == 0)
		*ret_result = report(&o, action, &text);
	return r < 0 || *ret_result ? r
				    : aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ,
						   "the path of the configuration is no UTF-8");
}

static int run_uninstall(struct op_context *ctx, const json_t *args, json_t **ret_result,
			 struct aisbx_error *e)
{
	scoped(install_file_close) struct install_file file = INSTALL_FILE_INIT;
	scoped(order_finish) struct order o = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	struct install_entry entry;
	enum install_edit edit = EDIT_NONE;
	int r = take_order(ctx, args, &o, e);

	if (r == 0)
		r = install_file_open(o.path, o.within, &file, e);
	if (r < 0)
		return r;
	entry = (struct install_entry){ .key = o.guard ? HOOKS : o.agent->key,
					.name = o.guard ? HOOK : NULL,
					.force = json_is_true(json_object_get(args, "force")) };
	if (file.there)
		r = (is_toml(&o) ? install_toml_drop : install_json_drop)(file.text.data, file.text.len,
									  &entry, &text, &edit, e);
	if (r < 0)
		return aisbx_context(e, "'%s' is left as it is", path_tail(o.path, PATH_TOLD));
	if (edit == EDIT_REMOVE)
		r = install_file_remove(&file, e);
	else if (edit == EDIT_CHANGE)
		r = install_file_write(&file, text.data, text.len, e);
	if (r == 0)
		*ret_result = report(&o,
				     edit == EDIT_NONE     ? "absent"
				     : edit == EDIT_REMOVE ? "removed"
							   : "changed",
				     NULL);
	return r < 0 || *ret_result ? r
				    : aisbx_refuse(e, AISBX_AREA_USAGE, EILSEQ,
						   "the path of the configuration is no UTF-8");
}

#define AGENT_PARAM                                                                                        \
	{                                                                                                  \
		.name = "agent", .type = OP_CHOICE, .choices = agent_names, .positional = true,            \
		.required = true, .value = "AGENT", .help = "claude-code, codex, cursor, vscode or gemini" \
	}
#define SCOPE_PARAM                                                                                        \
	{                                                                                                  \
		.name = "scope", .type = OP_CHOICE, .choices = scopes, .value = "SCOPE",                   \
		.help = "project: this directory's own file; user: the person's; default: user for codex " \
			"and gemini, else project"                                                         \
	}

static const struct op_param install_params[] = {
	AGENT_PARAM,
	SCOPE_PARAM,
	{ .name = "print", .type = OP_FLAG, .help = "only show the text and the name of the file" },
	{ .name = "http",
	  .type = OP_STRING,
	  .value = "URL",
	  .help = "by the server at this address, as 'aisbx serve' prints it (tools are at its /mcp); the "
		  "token is taken from $" INSTALL_TOKEN },
	{ .name = "tools",
	  .type = OP_CHOICE,
	  .choices = tool_sets,
	  .value = "few|all",
	  .help = "how many tools the agent is shown" },
	{ .name = "guard",
	  .type = OP_FLAG,
	  .help = "the hook by which 'aisbx guard' judges every command of the agent, instead of the tools; "
		  "claude-code and codex" },
	{ .name = "force", .type = OP_FLAG, .help = "also in place of an entry 'aisbx' that is not ours" },
	{ .name = NULL },
};

static const struct op_param uninstall_params[] = {
	AGENT_PARAM,
	SCOPE_PARAM,
	{ .name = "guard", .type = OP_FLAG, .help = "the hook, instead of the tools" },
	{ .name = "force", .type = OP_FLAG, .help = "also an entry 'aisbx' that is not ours" },
	{ .name = NULL },
};

#define COMMON_FIELDS                                                                \
	{ "agent", "string", "as given" }, { "scope", "string", "project or user" }, \
	{                                                                            \
		"file", "string", "its configuration"                                \
	}

static const struct op_field install_result[] = {
	COMMON_FIELDS,
	{ "action", "string", "created, changed, unchanged (it was there) or printed" },
	{ "text", "string|null", "what a file with nothing else would hold" },
	{ "check", "string", "how to see that the agent has it" },
	{ NULL, NULL, NULL },
};

static const struct op_field uninstall_result[] = {
	COMMON_FIELDS,
	{ "action", "string",
	  "changed, removed (the file held nothing else) or absent (there was nothing to remove)" },
	{ "text", "string|null", "null" },
	{ "check", "string", "how to see that the agent does not have it any more" },
	{ NULL, NULL, NULL },
};

const struct op op_install = {
	.name = "install",
	.summary = "Make aisbx known to a coding agent",
	.about =
		"Writes 'aisbx mcp' into the agent's configuration, so that it has boxes as tools. "
		"Everything "
		"else in the file\n"
		"stays as it is, byte for byte; a file that is not understood for sure (one with comments in "
		"JSON) is left\n"
		"alone, and --print shows the text to paste. No token is ever written. See docs/agents.md.",
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
	.summary = "Take aisbx out of a coding agent's configuration",
	.about = "Removes exactly what 'aisbx install' wrote.",
	.example = "aisbx uninstall claude-code",
	.grant = GRANT_HOST,
	.params = uninstall_params,
	.result = uninstall_result,
	.run = run_uninstall,
};
