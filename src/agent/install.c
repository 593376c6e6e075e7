/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of which agent, and what is written to it. */
#include "agent/agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/edit.h"
#include "agent/hook.h"
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
	const char *key;                      /* that holds the servers */
	const char *stdio_type, *http_type;   /* "type" of an entry; NULL: it has none */
	const char *token;                    /* how a header takes a variable; NULL: by a key of its own */
	const char *check;                    /* how a person sees that it works */
	const char *hook_project, *hook_user; /* where its hooks are */
	bool hook_personal;                   /* the former is nobody else's: people do not commit it */
	enum agent_hook_shape hooks;
	const char *hook_check;
} agents[] = {
	{ ".mcp.json", ".claude.json", NULL, NULL, false, false, "mcpServers", NULL, "http",
	  "Bearer ${" AGENT_TOKEN "}", "claude mcp list", ".claude/settings.local.json",
	  ".claude/settings.json", true, HOOKS_CLAUDE, "/hooks, in a session" },
	{ ".codex/config.toml", ".codex/config.toml", "CODEX_HOME", "config.toml", true, true, "mcp_servers",
	  NULL, NULL, NULL, "codex mcp list", ".codex/hooks.json", ".codex/hooks.json", false, HOOKS_CLAUDE,
	  "/hooks, in a session, where you also agree to it" },
	{ ".cursor/mcp.json", ".cursor/mcp.json", NULL, NULL, false, false, "mcpServers", NULL, NULL,
	  "Bearer ${env:" AGENT_TOKEN "}", "cursor-agent mcp list", ".cursor/hooks.json",
	  ".cursor/hooks.json", false, HOOKS_CURSOR, "Settings, Hooks" },
	{ ".vscode/mcp.json", ".config/Code/User/mcp.json", "XDG_CONFIG_HOME", "Code/User/mcp.json", false,
	  false, "servers", "stdio", "http", "Bearer ${env:" AGENT_TOKEN "}",
	  "MCP: List Servers, in the command palette", ".github/hooks/aisbx.json",
	  ".copilot/hooks/aisbx.json", false, HOOKS_COPILOT,
	  "Chat: Configure Hooks, in the command palette" },
	{ ".gemini/settings.json", ".gemini/settings.json", NULL, NULL, true, false, "mcpServers", NULL,
	  "http", "Bearer $" AGENT_TOKEN, "gemini mcp list", ".gemini/settings.json", ".gemini/settings.json",
	  false, HOOKS_GEMINI, "/hooks panel, in a session" },
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
	bool shared;              /* others read the file on their machines: no path of this one is in it */
	char *path;               /* owned */
	const char *within;       /* borrowed; NULL: in a project, where no link is followed */
	json_t *server;           /* owned; the entry, without `req->guard` */
	struct agent_hooks hooks; /* with it */
};

static void order_finish(struct order *o)
{
	free(o->path);
	json_decref(o->server);
	agent_hooks_finish(&o->hooks);
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
	if (o->user && moved && (!o->req->guard || a->hooks == HOOKS_CLAUDE)) {
		o->within = path_is_within(moved, home) ? home : moved;
		o->path = path_join(moved, o->req->guard ? strrchr(a->hook_user, '/') + 1 : a->home_rest);
	} else {
		o->path = path_join(o->user ? home : o->req->cwd, file_of(o));
	}
	return o->path ? 0
		       : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the configuration of '%s'",
				    o->req->name);
}

/* What starts aisbx: its path, or its name in a file for several machines. Heap, or NULL with an error. */
static char *program_of(const struct order *o, struct aisbx_error *e)
{
	return o->shared ? strdup(AGENT_ENTRY) : agent_own_path(e);
}

static int stdio_entry(struct order *o, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = program_of(o, e);
	const char *tools = o->req->tools;
	json_t *words = json_pack("[s, s, s]", "mcp", "--owner", o->req->name);

	if (tools && !strcmp(tools, "all")) {
		json_array_append_new(words, json_string("--tools"));
		json_array_append_new(words, json_string("all"));
	}
	o->server = json_object();
	if (o->agent->stdio_type)
		json_object_set_new(o->server, "type", json_string(o->agent->stdio_type));
	if (program && json_object_set_new(o->server, "command", json_string(program)) < 0)
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ, "the path of aisbx is not UTF-8");
	json_object_set_new(o->server, "args", words);
	return e->code;
}

static int hook_entry(struct order *o, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = program_of(o, e), *quoted = NULL;

	if (o->req->http || o->req->tools)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--guard installs only the hook; omit --http and --tools");
	if (!program)
		return e->code;
	if (program[strcspn(program, "'\"\\$`!\n")])
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the path of aisbx contains characters with a special meaning in a shell");
	if (asprintf(&quoted, o->shared ? "%s" : "'%s'", program) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write a hook");
	return agent_hooks_make(o->agent->hooks, o->req->name, quoted, &o->hooks, e);
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
	o->server = json_object();
	if (a->http_type)
		json_object_set_new(o->server, "type", json_string(a->http_type));
	if (json_object_set_new(o->server, "url", mcp_address(url)) < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the address is not UTF-8");
	if (a->token)
		json_object_set_new(o->server, "headers", json_pack("{s:s}", "Authorization", a->token));
	else
		json_object_set_new(o->server, "bearer_token_env_var", json_string(AGENT_TOKEN));
	return 0;
}

bool agent_is_ours(const json_t *value)
{
	const char *command = json_string_value(json_object_get(value, "command")),
		   *slash = command ? strrchr(command, '/') : NULL;
	const char *first = json_string_value(json_array_get(json_object_get(value, "args"), 0));
	const char *header =
		json_string_value(json_object_get(json_object_get(value, "headers"), "Authorization"));

	if (json_is_array(value))
		return agent_hooks_are_ours(value);
	if (command)
		return !strcmp(slash ? slash + 1 : command, "aisbx") && first && !strcmp(first, "mcp");
	return header && strstr(header, AGENT_TOKEN);
}

static int take_order(const struct agent_request *req, struct order *o, struct aisbx_error *e)
{
	o->req = req;
	o->agent = &agents[find_agent(req->name)];
	o->user = req->scope == AGENT_USUAL ? o->agent->user_first : req->scope == AGENT_USER;
	o->shared = !o->user && !(req->guard && o->agent->hook_personal);
	return find_path(o, e);
}

static size_t count(const struct order *o)
{
	return o->req->guard ? o->hooks.n : 1;
}

static struct agent_entry entry_of(const struct order *o, size_t i)
{
	if (o->req->guard)
		return (struct agent_entry){ .key = "hooks",
					     .name = o->hooks.events[i],
					     .value = o->hooks.values[i],
					     .force = o->req->force };
	return (struct agent_entry){ .key = o->agent->key, .value = o->server, .force = o->req->force };
}

static int report(struct order *o, const char *action, struct agent_report *ret)
{
	ret->scope = o->user ? AGENT_USER : AGENT_PROJECT;
	ret->file = take_mem(&o->path);
	ret->action = action;
	ret->check = o->req->guard ? o->agent->hook_check : o->agent->check;
	return 0;
}

void agent_report_finish(struct agent_report *r)
{
	free(r->file);
	free(r->problem);
	buf_finish(&r->text);
}

static bool is_toml(const struct order *o)
{
	return o->agent->toml && !o->req->guard;
}

/* Moves NEW to TEXT. */
static void take_text(struct buf *text, struct buf *new)
{
	buf_finish(text);
	*text = *new;
	*new = (struct buf){ 0 };
}

/* All entries into TEXT; empty: there is no file. */
static int put_all(const struct order *o, struct buf *text, enum agent_edit *ret_edit, struct aisbx_error *e)
{
	*ret_edit = EDIT_NONE;
	for (size_t i = 0; i < count(o); i++) {
		const struct agent_entry entry = entry_of(o, i);
		scoped(buf_finish) struct buf new = { 0 };
		enum agent_edit edit;
		int r = (is_toml(o) ? agent_toml_put : agent_json_put)(text->data, text->len, &entry, &new,
								       &edit, e);

		if (r < 0)
			return r;
		if (edit == EDIT_NONE)
			continue;
		*ret_edit = EDIT_CHANGE;
		take_text(text, &new);
	}
	return 0;
}

/* What is in a file before anything of ours is. */
static int begin_text(const struct order *o, struct buf *text, struct aisbx_error *e)
{
	if (o->hooks.start)
		buf_addf(text, "%s", o->hooks.start);
	return text->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration") : 0;
}

/* Such a file without its version would not be read at all. */
static int check_version(const struct order *o, const struct buf *text, struct aisbx_error *e)
{
	json_t *root = o->hooks.start ? json_loadb(text->data, text->len, 0, NULL) : NULL;
	bool missing = root && !json_object_get(root, "version");

	json_decref(root);
	return missing ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				      "it has no \"version\": 1, without which %s does not read it",
				      o->req->name)
		       : 0;
}

static int put(const struct order *o, const char **ret_action, struct aisbx_error *e)
{
	scoped(agent_file_close) struct agent_file file = AGENT_FILE_INIT;
	scoped(buf_finish) struct buf text = { 0 };
	enum agent_edit edit = EDIT_NONE;
	int r = agent_file_open(o->path, o->within, &file, e);

	if (r < 0)
		return r;
	if (file.there) {
		buf_add(&text, file.text.data, file.text.len);
		r = buf_str(&text) ? check_version(o, &text, e)
				   : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration");
	} else {
		r = begin_text(o, &text, e);
	}
	if (r == 0)
		r = put_all(o, &text, &edit, e);
	if (r < 0) {
		aisbx_context(e, "'%s' was not changed", path_tail(o->path, PATH_TOLD));
		return aisbx_hint(e, "'aisbx install %s%s --print' shows the text to paste", o->req->name,
				  o->req->guard ? " --guard" : "");
	}
	*ret_action = edit == EDIT_NONE ? "unchanged" : file.there ? "changed" : "created";
	return edit == EDIT_NONE ? 0 : agent_file_write(&file, text.data, text.len, e);
}

int agent_install(const struct agent_request *req, struct agent_report *ret, struct aisbx_error *e)
{
	scoped(order_finish) struct order o = { 0 };
	const char *action = "printed";
	enum agent_edit edit;
	int r = take_order(req, &o, e);

	if (r == 0)
		r = req->guard ? hook_entry(&o, e) : req->http ? http_entry(&o, e) : stdio_entry(&o, e);
	if (r == 0)
		r = begin_text(&o, &ret->text, e);
	if (r == 0)
		r = put_all(&o, &ret->text, &edit, e);
	if (r == 0 && !req->print)
		r = put(&o, &action, e);
	if (r == 0 && o.shared && !req->http)
		ret->problem = agent_path_problem(req->env);
	return r < 0 ? r : report(&o, action, ret);
}

/* All entries out of TEXT. */
static int drop_all(const struct order *o, struct buf *text, enum agent_edit *ret_edit, struct aisbx_error *e)
{
	*ret_edit = EDIT_NONE;
	for (size_t i = count(o); i-- > 0;) {
		const struct agent_entry entry = entry_of(o, i);
		scoped(buf_finish) struct buf new = { 0 };
		enum agent_edit edit;
		int r = (is_toml(o) ? agent_toml_drop : agent_json_drop)(text->data, text->len, &entry, &new,
									 &edit, e);

		if (r < 0)
			return r;
		if (edit == EDIT_NONE)
			continue;
		*ret_edit = edit;
		if (edit == EDIT_CHANGE)
			take_text(text, &new);
	}
	if (*ret_edit == EDIT_CHANGE && o->hooks.start && !strcmp(text->data, o->hooks.start))
		*ret_edit = EDIT_REMOVE;
	return 0;
}

int agent_uninstall(const struct agent_request *req, struct agent_report *ret, struct aisbx_error *e)
{
	scoped(agent_file_close) struct agent_file file = AGENT_FILE_INIT;
	scoped(order_finish) struct order o = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	enum agent_edit edit = EDIT_NONE;
	int r = take_order(req, &o, e);

	if (r == 0 && req->guard)
		r = agent_hooks_make(o.agent->hooks, req->name, NULL, &o.hooks, e);
	if (r == 0)
		r = agent_file_open(o.path, o.within, &file, e);
	if (r < 0)
		return r;
	if (file.there) {
		buf_add(&text, file.text.data, file.text.len);
		r = buf_str(&text) ? drop_all(&o, &text, &edit, e)
				   : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "edit the configuration");
	}
	if (r < 0)
		return aisbx_context(e, "'%s' was not changed", path_tail(o.path, PATH_TOLD));
	if (edit == EDIT_REMOVE)
		r = agent_file_remove(&file, e);
	else if (edit == EDIT_CHANGE)
		r = agent_file_write(&file, text.data, text.len, e);
	if (r < 0)
		return r;
	return report(&o, edit == EDIT_NONE ? "absent" : edit == EDIT_REMOVE ? "removed" : "changed", ret);
}
