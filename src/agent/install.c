/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of which agent, and what is written to it. */
#include "agent/agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/edit.h"
#include "base/env.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

const char *const agent_names[] = { "claude-code", "codex", "cursor", "vscode", "gemini", NULL };

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
	  "Bearer ${" AGENT_TOKEN "}", "claude mcp list", ".claude/settings.local.json",
	  ".claude/settings.json" },
	{ ".codex/config.toml", ".codex/config.toml", "CODEX_HOME", "config.toml", true, true, "mcp_servers",
	  NULL, NULL, "url", NULL, "codex mcp list", ".codex/hooks.json", ".codex/hooks.json" },
	{ ".cursor/mcp.json", ".cursor/mcp.json", NULL, NULL, false, false, "mcpServers", NULL, NULL, "url",
	  "Bearer ${env:" AGENT_TOKEN "}", "cursor-agent mcp list" },
	{ ".vscode/mcp.json", ".config/Code/User/mcp.json", "XDG_CONFIG_HOME", "Code/User/mcp.json", false,
	  false, "servers", "stdio", "http", "url", "Bearer ${env:" AGENT_TOKEN "}",
	  "MCP: List Servers, in the command palette" },
	{ ".gemini/settings.json", ".gemini/settings.json", NULL, NULL, true, false, "mcpServers", NULL, NULL,
	  "httpUrl", "Bearer $" AGENT_TOKEN, "gemini mcp list" },
};

_Static_assert(sizeof(agents) / sizeof(*agents) + 1 == sizeof(agent_names) / sizeof(*agent_names),
	       "a row for each");

static size_t find_agent(const char *name)
{
	size_t i = 0;

	while (agent_names[i] && strcmp(agent_names[i], name) != 0)
		i++;
	return i;
}

/* What was asked for: which file, and what belongs there. */
struct order {
	const struct agent_request *req; /* borrowed */
	const struct agent *agent;
	bool user;
	char *path;         /* owned */
	const char *within; /* borrowed; NULL: in a project, where no link is followed */
	json_t *value;      /* owned */
};

/* What hooks are called by every agent that has them. */
#define HOOKS "hooks"
#define HOOK  "PreToolUse"

static void order_finish(struct order *o)
{
	free(o->path);
	json_decref(o->value);
}

/* The file below a person's directory, or below the project, that is edited. */
static const char *file_of(const struct order *o)
{
	const struct agent *a = o->agent;

	if (o->req->guard)
		return o->user ? a->hook_user : a->hook_project;
	return o->user ? a->user : a->project;
}

static int find_path(struct order *o, struct aisbx_error *e)
{
	const struct agent *a = o->agent;
	const char *home = env_dir(o->req->env, "HOME"),
		   *moved = a->home_variable ? env_dir(o->req->env, a->home_variable) : NULL;

	if (o->user && !home)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"HOME does not name a directory; --scope project writes into the project");
	o->within = o->user ? home : NULL;
	if (o->req->guard && !a->hook_user)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EOPNOTSUPP,
			"'%s' has no hook that can stop a command; claude-code and codex have one",
			o->req->name);
	if (o->user && moved) {
		o->within = path_is_within(moved, home) ? home : moved;
		o->path = path_join(moved, o->req->guard ? strrchr(a->hook_user, '/') + 1 : a->home_rest);
	} else {
		o->path = path_join(o->user ? home : o->req->cwd, file_of(o));
	}
	return o->path ? 0
		       : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the configuration of '%s'",
				    o->req->name);
}

/* Where this program lies; heap, or NULL with an error. */
static char *own_path(struct aisbx_error *e)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		aisbx_fail(e, AISBX_AREA_USAGE, errno, "find the path of aisbx");
	return path;
}

static int stdio_entry(struct order *o, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = own_path(e);
	const char *tools = o->req->tools;
	json_t *words = json_pack("[s, s, s]", "mcp", "--owner", o->req->name);

	if (tools && !strcmp(tools, "all")) {
		json_array_append_new(words, json_string("--tools"));
		json_array_append_new(words, json_string("all"));
	}
	o->value = json_object();
	if (o->agent->stdio_type)
		json_object_set_new(o->value, "type", json_string(o->agent->stdio_type));
	if (program && json_object_set_new(o->value, "command", json_string(program)) < 0)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ, "the path of aisbx is not UTF-8");
	json_object_set_new(o->value, "args", words);
	return e->code;
}

/* Ends with what blocks, whatever became of aisbx: an agent takes a hook that fails for no objection. */
static int hook_entry(struct order *o, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = own_path(e);
	json_t *command;

	if (o->req->http || o->req->tools)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--guard installs only the hook; omit --http and --tools");
	if (!program)
		return e->code;
	if (program[strcspn(program, "'\"\\$`!\n")])
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the path of aisbx contains characters with a special meaning in a shell");
	command = json_sprintf("'%s' guard --hook %s || exit 2", program, o->req->name);
	o->value = command ? json_pack("[{s:s, s:[{s:s, s:o, s:i}]}]", "matcher", ".*", "hooks", "type",
				       "command", "command", command, "timeout", 30)
			   : NULL;
	return o->value ? 0
			: aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				       "the path of aisbx is not UTF-8");
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

static int http_entry(struct order *o, struct aisbx_error *e)
{
	const struct agent *a = o->agent;
	const char *url = o->req->http;

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%s' is not an address such as http://127.0.0.1:8080, as 'aisbx serve' prints it",
			url);
	if (o->req->tools)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "with --http the tools are chosen by 'aisbx serve --tools'");
	o->value = json_object();
	if (a->http_type)
		json_object_set_new(o->value, "type", json_string(a->http_type));
	if (json_object_set_new(o->value, a->url, mcp_address(url)) < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the address is not UTF-8");
	if (a->token)
		json_object_set_new(o->value, "headers", json_pack("{s:s}", "Authorization", a->token));
	else
		json_object_set_new(o->value, "bearer_token_env_var", json_string(AGENT_TOKEN));
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

bool agent_is_ours(const json_t *value)
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
	return header && strstr(header, AGENT_TOKEN);
}

static int take_order(const struct agent_request *req, struct order *o, struct aisbx_error *e)
{
	o->req = req;
	o->agent = &agents[find_agent(req->name)];
	o->user = req->scope == AGENT_USUAL ? o->agent->user_first : req->scope == AGENT_USER;
	return find_path(o, e);
}

static struct agent_entry entry_of(const struct order *o)
{
	return (struct agent_entry){ .key = o->req->guard ? HOOKS : o->agent->key,
				     .name = o->req->guard ? HOOK : NULL,
				     .value = o->value,
				     .force = o->req->force };
}

static void report(struct order *o, const char *action, struct agent_report *ret)
{
	ret->scope = o->user ? AGENT_USER : AGENT_PROJECT;
	ret->file = take_mem(&o->path);
	ret->action = action;
	ret->check = o->req->guard ? "/hooks, in a session" : o->agent->check;
}

void agent_report_finish(struct agent_report *r)
{
	free(r->file);
	buf_finish(&r->text);
}

static bool is_toml(const struct order *o)
{
	return o->agent->toml && !o->req->guard;
}

/* What a file with nothing else would hold. */
static int sample(const struct order *o, const struct agent_entry *entry, struct buf *ret,
		  struct aisbx_error *e)
{
	enum agent_edit edit;

	return is_toml(o) ? agent_toml_put(NULL, 0, entry, ret, &edit, e)
			  : agent_json_put(NULL, 0, entry, ret, &edit, e);
}

static int put(const struct order *o, const struct agent_entry *entry, const char **ret_action,
	       struct aisbx_error *e)
{
	scoped(agent_file_close) struct agent_file file = AGENT_FILE_INIT;
	scoped(buf_finish) struct buf text = { 0 };
	enum agent_edit edit = EDIT_NONE;
	int r = agent_file_open(o->path, o->within, &file, e);

	if (r < 0)
		return r;
	r = (is_toml(o) ? agent_toml_put : agent_json_put)(file.there ? file.text.data : NULL, file.text.len,
							   entry, &text, &edit, e);
	if (r < 0) {
		aisbx_context(e, "'%s' was not changed", path_tail(o->path, PATH_TOLD));
		return aisbx_hint(e, "'aisbx install %s --print' shows the text to paste", o->req->name);
	}
	*ret_action = edit == EDIT_NONE ? "unchanged" : file.there ? "changed" : "created";
	return edit == EDIT_NONE ? 0 : agent_file_write(&file, text.data, text.len, e);
}

int agent_install(const struct agent_request *req, struct agent_report *ret, struct aisbx_error *e)
{
	scoped(order_finish) struct order o = { 0 };
	const char *action = "printed";
	struct agent_entry entry;
	int r = take_order(req, &o, e);

	if (r == 0)
		r = req->guard ? hook_entry(&o, e) : req->http ? http_entry(&o, e) : stdio_entry(&o, e);
	if (r < 0)
		return r;
	entry = entry_of(&o);
	r = sample(&o, &entry, &ret->text, e);
	if (r == 0 && !req->print)
		r = put(&o, &entry, &action, e);
	if (r == 0)
		report(&o, action, ret);
	return r;
}

int agent_uninstall(const struct agent_request *req, struct agent_report *ret, struct aisbx_error *e)
{
	scoped(agent_file_close) struct agent_file file = AGENT_FILE_INIT;
	scoped(order_finish) struct order o = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	struct agent_entry entry;
	enum agent_edit edit = EDIT_NONE;
	int r = take_order(req, &o, e);

	if (r == 0)
		r = agent_file_open(o.path, o.within, &file, e);
	if (r < 0)
		return r;
	entry = entry_of(&o);
	if (file.there)
		r = (is_toml(&o) ? agent_toml_drop : agent_json_drop)(file.text.data, file.text.len, &entry,
								      &text, &edit, e);
	if (r < 0)
		return aisbx_context(e, "'%s' was not changed", path_tail(o.path, PATH_TOLD));
	if (edit == EDIT_REMOVE)
		r = agent_file_remove(&file, e);
	else if (edit == EDIT_CHANGE)
		r = agent_file_write(&file, text.data, text.len, e);
	if (r == 0)
		report(&o, edit == EDIT_NONE ? "absent" : edit == EDIT_REMOVE ? "removed" : "changed", ret);
	return r;
}
