/* SPDX-License-Identifier: Apache-2.0 */
/* The hook of the guard as each client's file spells it, and whether PATH leads to this aisbx. */
#include "agent/hook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

#define TIMEOUT_S 30
#define VERSION_1 "{\n  \"version\": 1\n}\n"

static const struct shape {
	const char *start;
	const char *events[AGENT_HOOKS_MAX + 1];
} shapes[] = {
	[HOOKS_CLAUDE] = { NULL, { "PreToolUse" } },
	[HOOKS_CURSOR] = { VERSION_1, { "preToolUse", "beforeShellExecution" } },
	[HOOKS_COPILOT] = { VERSION_1, { "PreToolUse" } },
	[HOOKS_GEMINI] = { NULL, { "BeforeTool" } },
};

/* For every tool: what carries no command is none of the guard's business, and it says so. */
static json_t *value_of(enum agent_hook_shape shape, const char *command)
{
	switch (shape) {
	case HOOKS_CURSOR:
		return json_pack("[{s:s, s:i, s:b}]", "command", command, "timeout", TIMEOUT_S, "failClosed",
				 1);
	case HOOKS_COPILOT:
		return json_pack("[{s:s, s:s, s:i}]", "type", "command", "command", command, "timeout",
				 TIMEOUT_S);
	case HOOKS_GEMINI: /* whose clock counts milliseconds */
		return json_pack("[{s:s, s:[{s:s, s:s, s:s, s:i}]}]", "matcher", ".*", "hooks", "type",
				 "command", "name", AGENT_ENTRY, "command", command, "timeout",
				 TIMEOUT_S * 1000);
	case HOOKS_CLAUDE:
	default:
		return json_pack("[{s:s, s:[{s:s, s:s, s:i}]}]", "matcher", ".*", "hooks", "type", "command",
				 "command", command, "timeout", TIMEOUT_S);
	}
}

/* Ends with what blocks, whatever became of aisbx: an agent takes a hook that fails for no objection. */
int agent_hooks_make(enum agent_hook_shape shape, const char *agent, const char *program,
		     struct agent_hooks *ret, struct aisbx_error *e)
{
	const struct shape *s = &shapes[shape];
	scoped(buf_finish) struct buf command = { 0 };

	ret->start = s->start;
	for (ret->n = 0; s->events[ret->n]; ret->n++)
		ret->events[ret->n] = s->events[ret->n];
	if (!program)
		return 0;
	buf_addf(&command, "%s guard --hook %s || exit 2", program, agent);
	if (!buf_str(&command))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write a hook");
	for (size_t i = 0; i < ret->n; i++) {
		ret->values[i] = value_of(shape, command.data);
		if (!ret->values[i])
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
					    "the path of aisbx is not UTF-8");
	}
	return 0;
}

void agent_hooks_finish(struct agent_hooks *h)
{
	for (size_t i = 0; i < AGENT_HOOKS_MAX; i++)
		json_decref(h->values[i]);
}

/* A list of hooks with ours alone in it. */
bool agent_hooks_are_ours(const json_t *list)
{
	const json_t *first = json_array_get(list, 0), *hooks = json_object_get(first, "hooks");
	const char *command =
		json_string_value(json_object_get(hooks ? json_array_get(hooks, 0) : first, "command"));

	return json_array_size(list) == 1 && (!hooks || json_array_size(hooks) == 1) && command &&
	       (strstr(command, "/aisbx' guard --hook ") || !strncmp(command, "aisbx guard --hook ", 19));
}

char *agent_own_path(struct aisbx_error *e)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		aisbx_fail(e, AISBX_AREA_USAGE, errno, "find the path of aisbx");
	return path;
}

/* What PATH finds; heap, or NULL. */
static char *find_program(const char *path)
{
	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		scoped(drop_mem) char *dir = NULL, *file = NULL;
		struct stat st;

		n = strcspn(path, ":");
		dir = strndup(path, n);
		file = n && dir ? path_join(dir, AGENT_ENTRY) : NULL;
		if (file && *file == '/' && stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
		    access(file, X_OK) == 0)
			return realpath(file, NULL);
	}
	return NULL;
}

char *agent_path_problem(const char *const *env)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *own = agent_own_path(&e), *found = find_program(env_find(env, "PATH"));
	scoped(buf_finish) struct buf text = { 0 };

	if (!own || (found && !strcmp(own, found)))
		return NULL;
	if (found)
		buf_addf(&text, "PATH leads to another aisbx, '%s', not to '%s'", found, own);
	else
		buf_addf(&text,
			 "aisbx is not on PATH, where this file makes its readers look for it; put '%s' into "
			 "a "
			 "directory of PATH, or use --scope user",
			 own);
	return buf_str(&text) ? strdup(text.data) : NULL;
}
