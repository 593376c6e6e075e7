/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hook of `aisbx guard` in the words of each client's hook file; and how a file that several people share
 * names aisbx.
 */
#ifndef AGENT_HOOK_H
#define AGENT_HOOK_H

#include <jansson.h>

#include "agent/edit.h"

enum agent_hook_shape {
	HOOKS_CLAUDE,  /* Claude Code, Codex: matchers with lists of commands */
	HOOKS_CURSOR,  /* two events: the first rewrites, the second looks at what will really run */
	HOOKS_COPILOT, /* VS Code: a file of our own, read by VS Code's agent and by Copilot's runtime */
	HOOKS_GEMINI,
};

#define AGENT_HOOKS_MAX 2u

struct agent_hooks {
	const char *start; /* static; what a new file contains beside them; NULL: nothing */
	size_t n;
	const char *events[AGENT_HOOKS_MAX]; /* static */
	json_t *values[AGENT_HOOKS_MAX];     /* owned */
};

/* AGENT's hook that starts PROGRAM, which is quoted for a shell; NULL: only the events. */
int agent_hooks_make(enum agent_hook_shape shape, const char *agent, const char *program,
		     struct agent_hooks *ret, struct aisbx_error *e);
void agent_hooks_finish(struct agent_hooks *h);
/* Whether agent_hooks_make wrote this list. */
bool agent_hooks_are_ours(const json_t *list);

/* Where this program lies; heap, or NULL with an error. */
char *agent_own_path(struct aisbx_error *e);
/* What is wrong with a file that names aisbx without a directory; heap, or NULL: nothing is. */
char *agent_path_problem(const char *const *env);

#endif
