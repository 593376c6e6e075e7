/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a coding agent asks before it runs a command, and how each of them is answered. Internal to the hook:
 * hook.c judges, question.c reads, answer.c writes.
 */
#ifndef GUARD_HOOK_H
#define GUARD_HOOK_H

#include <jansson.h>
#include <stdbool.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "box/caller.h"

/* Who asks, as far as questions and answers differ: one client reads the hook files of another. */
enum hook_client { HOOK_CLAUDE, HOOK_CODEX, HOOK_CURSOR, HOOK_VSCODE, HOOK_GEMINI };

struct hook_question {
	enum hook_client client;
	const char *agent;      /* borrowed; in whose file the hook is */
	const char *event;      /* borrowed; "" if it is not told */
	const char *cwd;        /* borrowed; where the command would run */
	char *where;            /* owned; NULL, or what `cwd` is below the directory of the session */
	json_t *input;          /* owned; of the tool; NULL: the question itself has the command */
	const char *key;        /* where the command is in there */
	struct strlist command; /* owned; empty: it carries none, and nobody judges it */
	bool rewrites;          /* it is known to run another command if it is told to */
	bool asks;              /* it is known to ask the person if it is told to */
};

/* TEXT as JSON; NULL: it is none, or deeper than any agent asks. */
json_t *hook_json(const char *text, size_t len);
/* False: it cannot be read, and must be blocked because of E. ASKED is borrowed by RET. */
bool hook_question_read(const struct caller *by, const char *agent, const json_t *asked,
			struct hook_question *ret, struct aisbx_error *e);
void hook_question_finish(struct hook_question *q);

/* What is to be done, with what there is on this machine. */
enum hook_deed { HOOK_LEAVE, HOOK_LOOK, HOOK_GUARD, HOOK_ASK, HOOK_DENY };

struct hook_answer {
	enum hook_deed deed;
	bool must;                   /* with HOOK_LOOK: it must not run without the glass */
	const struct strlist *words; /* what to run instead */
	const char *text;            /* the same, for a shell */
	const char *reason;          /* for people */
};

/* As this client reads it; a new reference, NULL: no opinion. An error must block the command. */
int hook_answer_json(const struct hook_question *q, const struct hook_answer *a, json_t **ret,
		     struct aisbx_error *e);
/* The same for a tool that carries no command. */
json_t *hook_no_opinion(const struct hook_question *q);

#endif
