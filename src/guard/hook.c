/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard as a hook of coding agents: they ask before they run a command, by JSON on standard input. A
 * request that is invalid or late blocks the command, because agents treat a failed hook as no objection.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "guard/act.h"

#define MAX_ASKED  ((size_t)4 << 20)
#define TIMEOUT_MS 5000 /* agents wait longer than that, and go on without an answer */

/* All of standard input, in time. */
static int read_question(int fd, struct buf *ret, struct aisbx_error *e)
{
	uint64_t until = time_ms() + TIMEOUT_MS;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = time_ms();
		char chunk[65536];
		ssize_t n;
		int r = now < until ? poll(&p, 1, (int)(until - now)) : 0;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ETIMEDOUT,
					    "the request of the agent did not arrive in time");
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the request of the agent");
		if (n == 0)
			return buf_str(ret) ? 0
					    : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM,
							 "read the request of the agent");
		buf_add(ret, chunk, (size_t)n);
		if (ret->len > MAX_ASKED)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
					    "the request of the agent is too large");
	}
}

/* For a shell: in quotes that nothing gets out of. */
static void add_quoted(struct buf *b, const char *text)
{
	buf_add(b, "'", 1);
	for (; *text; text++) {
		if (*text == '\'')
			buf_add(b, "'\\''", 4);
		else
			buf_add(b, text, 1);
	}
	buf_add(b, "'", 1);
}

/* What an agent asks. */
struct question {
	const char *agent;
	const json_t *input; /* of the tool */
	const char *key;     /* where the command is in there */
	struct strlist command;
	const char *cwd;
};

/* Words as a shell reads them. */
static char *as_text(const struct strlist *words)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < words->n; i++) {
		if (i)
			buf_add(&b, " ", 1);
		if (i == 1 || i == 2) /* "guard --", "look --" */
			buf_addf(&b, "%s", words->items[i]);
		else
			add_quoted(&b, words->items[i]);
	}
	return buf_str(&b) ? strdup(b.data) : NULL;
}

/* "aisbx guard -- TEXT", "aisbx look -- bash -c TEXT", or with the words behind it. */
static void instead_of(const struct guard_session *g, const struct question *q, bool look,
		       struct strlist *ret)
{
	strlist_add(ret, g->self ? g->self : "aisbx");
	strlist_add(ret, look ? "look" : "guard");
	strlist_add(ret, "--");
	if (look && q->command.n == 1) {
		strlist_add(ret, guard_shell());
		strlist_add(ret, "-c");
	}
	for (size_t i = 0; i < q->command.n; i++)
		strlist_add(ret, q->command.items[i]);
}

static char *why(const struct guard_verdict *v)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < v->n_reasons && i < 4; i++)
		if (v->reasons[i].act == v->act)
			buf_addf(&b, "%s%s", b.len ? "; " : "", v->reasons[i].why);
	return buf_str(&b) ? strdup(b.data) : NULL;
}

static json_t *decision(const char *what, json_t *reason)
{
	return json_pack("{s:{s:s, s:s, s:o}}", "hookSpecificOutput", "hookEventName", "PreToolUse",
			 "permissionDecision", what, "permissionDecisionReason",
			 reason ? reason : json_string("aisbx guard"));
}

/* Allows with another command. */
static json_t *replace(const struct question *q, const struct strlist *words, const char *text,
		       json_t *reason)
{
	json_t *answer = decision("allow", reason), *updated = json_copy((json_t *)q->input);

	if (json_is_array(json_object_get(q->input, q->key)))
		json_object_set_new(updated, q->key, guard_words_json(words));
	else
		json_object_set_new(updated, q->key, json_string(text));
	json_object_set_new(json_object_get(answer, "hookSpecificOutput"), "updatedInput", updated);
	return answer;
}

/* What is to be done, with what there is on this machine. */
enum deed { LEAVE, LOOK, GUARD, ASK_PERSON, DENY };

static enum deed deed_of(const struct guard_verdict *v)
{
	switch (v->act) {
	case GUARD_RUN:
		return v->as_it_is ? LEAVE : guard_has_glass() ? LOOK : GUARD;
	case GUARD_LOOK:
	case GUARD_BOX:
		return GUARD;
	case GUARD_ASK:
		return ASK_PERSON;
	case GUARD_REFUSE:
	case GUARD_ACT_COUNT:
	default:
		return DENY;
	}
}

static json_t *answer_claude(const struct question *q, enum deed deed, const struct strlist *words,
			     const char *text, const char *reason)
{
	switch (deed) {
	case LEAVE:
		return decision("allow", json_string("aisbx: it only reads"));
	case LOOK:
		return replace(q, words, text, json_string("aisbx: it only reads, and cannot do more"));
	case GUARD:
		return replace(q, words, text, json_sprintf("aisbx: in a box if needed, because %s", reason));
	case ASK_PERSON:
		return decision("ask", json_sprintf("aisbx: %s", reason));
	case DENY:
	default:
		return decision("deny", json_sprintf("aisbx: %s", reason));
	}
}

/*
 * Codex knows no "ask", takes "allow" only with another command, and before 0.144 not even that: what it does
 * not take is no objection to it. So "allow" is said only of what may as well run as it is, and everything
 * else is "deny", with what to run instead.
 */
static json_t *answer_codex(const struct question *q, enum deed deed, bool must, const struct strlist *words,
			    const char *text, const char *reason)
{
	switch (deed) {
	case LEAVE:
		return NULL;
	case LOOK:
		if (!must)
			return replace(q, words, text,
				       json_string("aisbx: it only reads, and cannot do more"));
		return decision(
			"deny",
			json_sprintf("aisbx: what this starts depends on the project. Run this instead: %s",
				     text));
	case GUARD:
		return decision(
			"deny",
			json_sprintf("aisbx: this must run in a box, because %s. Run this instead: %s",
				     reason, text));
	case ASK_PERSON:
		return decision("deny", json_sprintf("aisbx: only a person may run this: %s", reason));
	case DENY:
	default:
		return decision("deny", json_sprintf("aisbx: %s", reason));
	}
}

static int judge(struct caller *by, const struct question *q, bool note, json_t **ret, struct aisbx_error *e)
{
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	scoped(guard_session_close) struct guard_session g = { 0 };
	scoped(strlist_finish) struct strlist words = { 0 };
	scoped(drop_mem) char *text = NULL, *reason = NULL;
	enum deed deed;
	int r = guard_session_open(by, q->cwd, &g, e);

	if (r == 0)
		r = guard_judge(&g, &q->command, &v, e);
	if (r < 0)
		return r;
	if (note)
		guard_note(&v, &q->command);
	deed = deed_of(&v);
	instead_of(&g, q, deed == LOOK, &words);
	text = as_text(&words);
	reason = why(&v);
	if (words.failed || !text || !reason)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	*ret = !strcmp(q->agent, "codex") ? answer_codex(q, deed, v.needs_glass, &words, text, reason)
					  : answer_claude(q, deed, &words, text, reason);
	return 0;
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

/* What clients call the word for a command. */
static const char *const keys[] = { "command",      "cmd",         "commands",     "script", "shell_command",
				    "command_line", "CommandLine", "bash_command", NULL };

/* Tools of aisbx itself run what they are given in boxes. */
static bool is_own_tool(const char *tool)
{
	return !strncmp(tool, "mcp__aisbx__", 12);
}

static bool is_words(const json_t *list)
{
	const json_t *word;
	size_t i;

	json_array_foreach((json_t *)list, i, word) if (!json_is_string(word)) return false;
	return json_array_size(list) > 1;
}

/* A text, or a list of them. */
static bool add_words(struct question *q, const json_t *value)
{
	const json_t *word;
	size_t i;

	if (json_is_string(value))
		strlist_add(&q->command, json_string_value(value));
	json_array_foreach((json_t *)value, i, word) strlist_add(&q->command, json_string_value(word));
	return !q->command.failed;
}

/* Whatever carries a command is judged, whatever the tool is called; Bash must carry one. False: it cannot be
 * read. */
static bool find_command(const char *tool, struct question *q)
{
	for (size_t i = 0; keys[i]; i++) {
		json_t *value = json_object_get(q->input, keys[i]);

		q->key = keys[i];
		if (json_is_string(value))
			return add_words(q, value);
		if (is_words(value) && strcmp(tool, "Bash") != 0)
			return add_words(q, value);
		if (value && !json_is_null(value))
			return false;
	}
	return strcmp(tool, "Bash") != 0;
}

bool guard_hook_answer(struct caller *by, const char *agent, const char *text, size_t len, bool note,
		       json_t **ret, struct aisbx_error *e)
{
	json_t *asked = is_deep(text, len) ? NULL : json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const char *tool = json_string_value(json_object_get(asked, "tool_name")),
		   *cwd = json_string_value(json_object_get(asked, "cwd"));
	struct question q = { .agent = agent,
			      .input = json_object_get(asked, "tool_input"),
			      .cwd = cwd ? cwd : by->cwd };
	struct stat st;
	int r = 0;

	*ret = NULL;
	if (!tool)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "this is not a request of the hook of %s", agent);
	else if (is_own_tool(tool))
		r = 0; /* no opinion */
	else if (!find_command(tool, &q))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "the request of %s contains no command", agent);
	else if (q.command.n && cwd && (!path_is_clean(cwd) || stat(cwd, &st) < 0 || !S_ISDIR(st.st_mode)))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTDIR,
				 "'%.200s', where %s would run it, is not a directory", cwd, agent);
	else if (q.command.n)
		r = judge(by, &q, note, ret, e);
	strlist_finish(&q.command);
	json_decref(asked);
	return r == 0;
}

bool guard_hook(struct caller *by, const char *agent, json_t **ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };

	*ret = NULL;
	return by->stdin_fd >= 0 && read_question(by->stdin_fd, &text, e) == 0 &&
	       guard_hook_answer(by, agent, text.data, text.len, true, ret, e);
}
