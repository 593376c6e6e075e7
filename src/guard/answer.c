/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each coding agent is told what to do with a command: run it, run another one, ask the person, or do
 * not. What a client is not known to understand is never said to it: it would take that for consent.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "guard/act.h"
#include "guard/hook.h"

/* What is said, before it is put into the words of a client. */
enum say { SAY_ALLOW, SAY_ASK, SAY_DENY };

static const char *const words_of[] = { [SAY_ALLOW] = "allow", [SAY_ASK] = "ask", [SAY_DENY] = "deny" };

struct said {
	enum say say;
	json_t *reason;  /* owned */
	json_t *updated; /* owned; NULL, or the tool's input with another command in it */
	bool failed;     /* it cannot be said: nothing must be, as silence is consent */
};

/* The input of the tool, with the words to run in the place of the command. */
static json_t *updated_input(const struct hook_question *q, const struct hook_answer *a)
{
	json_t *updated = json_copy(q->input);
	bool words = json_is_array(json_object_get(q->input, q->key));

	if (json_object_set_new(updated, q->key, words ? guard_words_json(a->words) : json_string(a->text)) ==
	    0)
		return updated;
	json_decref(updated);
	return NULL;
}

static struct said rewrite(const struct hook_question *q, const struct hook_answer *a, json_t *reason)
{
	json_t *updated = updated_input(q, a);

	return (struct said){ SAY_ALLOW, reason, updated, !updated };
}

static struct said say(enum say what, json_t *reason)
{
	return (struct said){ .say = what, .reason = reason };
}

/* What only looks may as well run as it is, if need be: so it can be rewritten by anybody. */
static struct said say_of(const struct hook_question *q, const struct hook_answer *a)
{
	switch (a->deed) {
	case HOOK_LEAVE:
		return say(SAY_ALLOW, json_string("aisbx: as it is"));
	case HOOK_LOOK:
		if (q->rewrites || (!a->must && q->client == HOOK_CODEX))
			return rewrite(q, a, json_string("aisbx: it only reads, and cannot do more"));
		return say(SAY_DENY, json_sprintf("aisbx: this must run where it can only read. Run this "
						  "instead: %s",
						  a->text));
	case HOOK_GUARD:
		if (q->rewrites)
			return rewrite(q, a,
				       json_sprintf("aisbx: in a box if needed, because %s", a->reason));
		return say(SAY_DENY, json_sprintf("aisbx: this must run in a box, because %s. Run this "
						  "instead: %s",
						  a->reason, a->text));
	case HOOK_ASK:
		if (q->asks)
			return say(SAY_ASK, json_sprintf("aisbx: %s", a->reason));
		return say(SAY_DENY, json_sprintf("aisbx: only a person may run this: %s", a->reason));
	case HOOK_DENY:
	default:
		return say(SAY_DENY, json_sprintf("aisbx: %s", a->reason));
	}
}

/* Claude Code, Codex and VS Code. */
static json_t *for_claude(const struct said *s)
{
	return json_pack("{s:{s:s, s:s, s:O, s:O*}}", "hookSpecificOutput", "hookEventName", "PreToolUse",
			 "permissionDecision", words_of[s->say], "permissionDecisionReason", s->reason,
			 "updatedInput", s->updated);
}

/* VS Code's own agent, and the runtime of Copilot, which looks outside. */
static json_t *for_vscode(const struct said *s)
{
	json_t *answer = for_claude(s);

	json_object_set_new(answer, "permissionDecision", json_string(words_of[s->say]));
	json_object_set(answer, "permissionDecisionReason", s->reason);
	return answer;
}

/* With Claude's words beside its own: it also runs hooks of Claude Code's files. */
static json_t *for_cursor(const struct hook_question *q, const struct said *s)
{
	json_t *answer = strcmp(q->agent, "cursor") != 0 ? for_claude(s) : json_object();

	json_object_set_new(answer, "permission", json_string(words_of[s->say]));
	if (s->say != SAY_ALLOW) {
		json_object_set(answer, "user_message", s->reason);
		json_object_set(answer, "agent_message", s->reason);
	}
	if (s->updated)
		json_object_set(answer, "updated_input", s->updated);
	return answer;
}

static json_t *for_gemini(const struct said *s)
{
	json_t *answer = json_pack("{s:s, s:O}", "decision", words_of[s->say], "reason", s->reason);

	if (s->say == SAY_ASK)
		json_object_set(answer, "systemMessage", s->reason);
	if (s->updated)
		json_object_set_new(answer, "hookSpecificOutput",
				    json_pack("{s:s, s:O}", "hookEventName", "BeforeTool", "tool_input",
					      s->updated));
	return answer;
}

static json_t *in_words_of(const struct hook_question *q, const struct said *s)
{
	switch (q->client) {
	case HOOK_CURSOR:
		return for_cursor(q, s);
	case HOOK_VSCODE:
		return for_vscode(s);
	case HOOK_GEMINI:
		return for_gemini(s);
	case HOOK_CLAUDE:
	case HOOK_CODEX:
	default:
		return for_claude(s);
	}
}

int hook_answer_json(const struct hook_question *q, const struct hook_answer *a, json_t **ret,
		     struct aisbx_error *e)
{
	struct said s;

	*ret = NULL;
	if (a->deed == HOOK_LEAVE && q->client == HOOK_CODEX) /* it takes "allow" only with another command */
		return 0;
	s = say_of(q, a);
	if (!s.failed && s.reason)
		*ret = in_words_of(q, &s);
	json_decref(s.reason);
	json_decref(s.updated);
	return *ret ? 0
		    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				   "the path of aisbx is not UTF-8, or there is no memory to answer %s",
				   q->agent);
}

json_t *hook_no_opinion(const struct hook_question *q)
{
	/* Cursor and Gemini take an empty answer for a broken hook. */
	return q->client == HOOK_CURSOR || q->client == HOOK_GEMINI ? json_object() : NULL;
}
