/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what a coding agent asks before it runs a tool: who asks, whether the tool carries a command, and
 * whether this version can be told to run another one. Decides nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/env.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "guard/act.h"
#include "guard/hook.h"

#define MAX_RECORD ((size_t)1 << 20) /* of the first line of a session's record */
#define MAX_DEPTH  64                /* of a tool's input */

/* What clients call the word for a command. */
static const char *const keys[] = { "command",      "cmd",         "commands",     "script", "shell_command",
				    "command_line", "CommandLine", "bash_command", NULL };
/* What they call the directory in which it runs. */
static const char *const places[] = { "working_directory", "workdir", "dir_path", "directory", NULL };

/* Tools whose words of these names are no command of a shell. */
static const struct {
	enum hook_client client;
	const char *tool;
} others[] = {
	{ HOOK_CODEX, "apply_patch" }, /* a patch */
	{ HOOK_CLAUDE, "Workflow" },   /* starts agents, which ask for each command themselves */
};

static const char *text_of(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static bool refuse(struct aisbx_error *e, int code, const char *what, const char *agent)
{
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, code, "the request of %s %s", agent, what);
	return false;
}

/* Cursor, VS Code and the Copilot CLI run the hooks of Claude Code's files, too. */
static enum hook_client client_of(const struct caller *by, const char *agent, const json_t *asked)
{
	if (!strcmp(agent, "codex"))
		return HOOK_CODEX;
	if (!strcmp(agent, "cursor") || json_object_get(asked, "cursor_version"))
		return HOOK_CURSOR;
	if (!strcmp(agent, "gemini"))
		return HOOK_GEMINI;
	if (!strcmp(agent, "vscode") ||
	    (json_object_get(asked, "timestamp") && !env_find(by->env, "CLAUDECODE")))
		return HOOK_VSCODE;
	return HOOK_CLAUDE;
}

/* Tools of aisbx itself run what they are given in boxes. Cursor does not tell whose a tool is. */
static bool is_own_tool(const struct hook_question *q, const char *tool)
{
	return !strncmp(tool, "mcp__aisbx__", 12) ||
	       ((q->client == HOOK_VSCODE || q->client == HOOK_GEMINI) && !strncmp(tool, "mcp_aisbx_", 10));
}

static bool is_no_command(const struct hook_question *q, const char *tool)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].client == q->client && !strcmp(others[i].tool, tool))
			return true;
	return is_own_tool(q, tool);
}

static bool is_words(const json_t *list)
{
	const json_t *word;
	size_t i;

	json_array_foreach((json_t *)list, i, word) if (!json_is_string(word)) return false;
	return json_array_size(list) > 1;
}

/* A text, or a list of them. */
static bool add_words(struct hook_question *q, const json_t *value)
{
	const json_t *word;
	size_t i;

	if (json_is_string(value))
		strlist_add(&q->command, json_string_value(value));
	json_array_foreach((json_t *)value, i, word) strlist_add(&q->command, json_string_value(word));
	return !q->command.failed;
}

static bool is_command(const json_t *value)
{
	return json_is_string(value) || is_words(value);
}

/* A command somewhere else than at KEY of the input itself, where nobody would put another in its place. */
static bool is_hidden(const json_t *value, const char *key, int depth)
{
	const char *name;
	json_t *item;
	size_t i;

	if (depth > MAX_DEPTH)
		return true;
	json_array_foreach((json_t *)value, i, item) if (is_hidden(item, key, depth + 1)) return true;
	json_object_foreach((json_t *)value, name, item)
	{
		if (!depth && key && !strcmp(name, key))
			continue;
		for (i = 0; keys[i]; i++)
			if (!strcmp(name, keys[i]) && is_command(item))
				return true;
		if (is_hidden(item, key, depth + 1))
			return true;
	}
	return false;
}

/* Whatever carries a command is judged, whatever the tool is called; a shell must carry one. */
static bool find_command(struct hook_question *q, const json_t *input, const char *tool,
			 struct aisbx_error *e)
{
	bool shell = !tool || !strcmp(tool, "Bash") || !strcmp(tool, "Shell") ||
		     !strcmp(tool, "run_in_terminal") || !strcmp(tool, "run_shell_command");
	const json_t *value = NULL;
	size_t i = 0;

	while (keys[i] && (!value || json_is_null(value)))
		value = json_object_get(input, keys[i++]);
	if (value && !json_is_null(value)) {
		q->key = keys[i - 1];
		if (!is_command(value) || (shell && !json_is_string(value)))
			return refuse(e, EINVAL, "contains no command that can be read", q->agent);
		if (!add_words(q, value))
			return refuse(e, ENOMEM, "is too large", q->agent);
	} else if (shell) {
		return refuse(e, EINVAL, "contains no command", q->agent);
	}
	if (is_hidden(input, q->key, 0))
		return refuse(e, EINVAL,
			      "carries a command inside other arguments, or more than one, where aisbx "
			      "cannot guard it; run the command by itself",
			      q->agent);
	return true;
}

/* Where it runs: tools may name another directory than the session's. One that is not there is the tool's to
 * complain about. */
static bool find_place(struct hook_question *q, const json_t *input, struct aisbx_error *e)
{
	struct stat st;

	if (!path_is_clean(q->cwd) || stat(q->cwd, &st) < 0 || !S_ISDIR(st.st_mode)) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTDIR,
			     "'%.200s', where %s would run it, is not a directory", q->cwd, q->agent);
		return false;
	}
	for (size_t i = 0; places[i]; i++) {
		const char *place = text_of(input, places[i]);
		scoped(drop_mem) char *path = !place || !*place ? NULL
					      : *place == '/'   ? strdup(place)
								: path_join(q->cwd, place);
		char *real = path ? realpath(path, NULL) : NULL;

		if (!real)
			continue;
		q->where = real;
		q->cwd = real;
		break;
	}
	return true;
}

/* "0.144.2" is 144; 0: it is none. */
static unsigned int version_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t major = text ? strspn(text, digits) : 0, minor = 0;

	if (major && text[major] == '.')
		minor = strspn(text + major + 1, digits);
	if (!minor || major > 3 || minor > 4)
		return 0;
	return (unsigned int)(strtoul(text, NULL, 10) * 10000 + strtoul(text + major + 1, NULL, 10));
}

/* The version of Codex that writes this session's record; 0: not known. */
static unsigned int codex_version(const char *record)
{
	scoped(drop_fd) int fd =
		record ? open(record, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	scoped(buf_finish) struct buf text = { 0 };
	unsigned int version;
	const char *end;
	struct stat st;
	json_t *line;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    io_read_all(fd, MAX_RECORD, &text) < 0)
		return 0;
	end = memchr(text.data, '\n', text.len);
	line = end ? hook_json(text.data, (size_t)(end - text.data)) : NULL;
	version = version_number(text_of(json_object_get(line, "payload"), "cli_version"));
	json_decref(line);
	return version;
}

/*
 * Whether "run this instead" is understood. A client that does not know of it takes the answer for consent to
 * what it asked, so what is not known to understand is told "no".
 */
static bool can_rewrite(const struct hook_question *q, const json_t *asked)
{
	const char *tool = text_of(asked, "tool_name");

	switch (q->client) {
	case HOOK_CLAUDE:
		return true;
	case HOOK_CODEX:
		return codex_version(text_of(asked, "transcript_path")) >= 144;
	case HOOK_CURSOR: /* only of our own file, where beforeShellExecution looks once more */
		return !strcmp(q->agent, "cursor") && !strcmp(q->event, "preToolUse") && tool &&
		       !strcmp(tool, "Shell");
	case HOOK_VSCODE: /* not the runtime of Copilot, which calls its shell "bash" */
		return tool && !strcmp(tool, "run_in_terminal");
	case HOOK_GEMINI: /* since it has hooks by default, 0.26 */
		return true;
	default:
		return false;
	}
}

/* Whether it knows of "ask the person". */
static bool can_ask(const struct caller *by, const struct hook_question *q)
{
	switch (q->client) {
	case HOOK_CLAUDE:
	case HOOK_VSCODE:
		return true;
	case HOOK_CURSOR: /* preToolUse takes it for consent */
		return !strcmp(q->event, "beforeShellExecution");
	case HOOK_GEMINI: /* since 0.36; this variable came with a later one */
		return env_find(by->env, "GEMINI_PLANS_DIR") != NULL;
	case HOOK_CODEX:
	default:
		return false;
	}
}

/* Deeper than any agent asks: what reads JSON goes down once for each. */
static bool is_deep(const char *text, size_t len)
{
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		depth += text[i] == '[' || text[i] == '{';
		if (depth > 4096)
			return true;
	}
	return false;
}

json_t *hook_json(const char *text, size_t len)
{
	return is_deep(text, len) ? NULL : json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
}

bool hook_question_read(const struct caller *by, const char *agent, const json_t *asked,
			struct hook_question *ret, struct aisbx_error *e)
{
	const char *tool = text_of(asked, "tool_name"), *event = text_of(asked, "hook_event_name"),
		   *cwd = text_of(asked, "cwd");
	const json_t *input = json_object_get(asked, "tool_input");
	bool shell;

	ret->client = client_of(by, agent, asked);
	ret->agent = agent;
	ret->event = event ? event : "";
	ret->cwd = cwd && *cwd ? cwd : by->cwd;
	ret->asks = can_ask(by, ret);
	shell = ret->client == HOOK_CURSOR && !strcmp(ret->event, "beforeShellExecution");
	if (!tool && !shell) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "this is not a request of the hook of %s", agent);
		return false;
	}
	if (!shell && is_no_command(ret, tool))
		return true;       /* no opinion */
	if (json_is_string(input)) /* some send the text of an object */
		ret->input = hook_json(json_string_value(input), json_string_length(input));
	else
		ret->input = json_incref((json_t *)(shell ? asked : input));
	if (!json_is_object(ret->input) && input && !json_is_null(input))
		return refuse(e, EINVAL, "has an input that is no object", agent);
	if (!find_command(ret, ret->input, shell ? NULL : tool, e))
		return false;
	if (!ret->command.n)
		return true;
	ret->rewrites = can_rewrite(ret, asked);
	return find_place(ret, ret->input, e);
}

void hook_question_finish(struct hook_question *q)
{
	strlist_finish(&q->command);
	json_decref(q->input);
	free(q->where);
}
