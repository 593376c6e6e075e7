/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard as a hook of coding agents: they ask before they run a command, by JSON on standard input.
 * Whatever is wrong with the question, or late, blocks the command: an agent takes a hook that fails for no
 * objection.
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
#include "op/guard.h"

#define MAX_ASKED  ((size_t)4 << 20)
#define TIMEOUT_MS 5000 /* agents wait longer than that, and go on without an answer */
#define BLOCK	   2	/* the exit status that blocks, for every agent there is */

/* All of standard input, in time. */
static int read_question(int fd, struct buf *ret, struct aisbx_error *e)
{
	uint64_t until = time_ms() + TIMEOUT_MS;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t now = time_ms();
		char chunk[65536];
		ssize_t n;
		int r = now < until ? poll(&p, 1, (int)(until - now)) : 0;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return aisbx_refuse(e, AISBX_AREA_USAGE, ETIMEDOUT,
					    "the question of the agent did not come in time");
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the question of the agent");
		if (n == 0)
			return buf_str(ret) ? 0
					    : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM,
							 "read the question of the agent");
		buf_add(ret, chunk, (size_t)n);
		if (ret->len > MAX_ASKED)
			return aisbx_refuse(e, AISBX_AREA_USAGE, EFBIG,
					    "the question of the agent is too large");
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

static char *guarded(const struct op_guard *g, const char *command)
{
	scoped(buf_finish) struct buf b = {0};

	add_quoted(&b, g->self ? g->self : "aisbx");
	buf_addf(&b, " guard -- ");
	add_quoted(&b, command);
	return buf_str(&b) ? strdup(b.data) : NULL;
}

static char *why(const struct guard_verdict *v)
{
	scoped(buf_finish) struct buf b = {0};

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

/* Allows with another command, denies or asks. */
static json_t *answer_claude(const struct guard_verdict *v, const json_t *input, const char *instead,
			     const char *reason)
{
	json_t *answer, *updated;

	switch (v->act) {
	case GUARD_RUN:
		return decision("allow", json_string("aisbx: it only looks"));
	case GUARD_BOX:
		answer = decision("allow", json_sprintf("aisbx: in a box, because %s", reason));
		updated = json_copy((json_t *)input);
		json_object_set_new(updated, "command", json_string(instead));
		json_object_set_new(json_object_get(answer, "hookSpecificOutput"), "updatedInput", updated);
		return answer;
	case GUARD_ASK:
		return decision("ask", json_sprintf("aisbx: %s", reason));
	case GUARD_REFUSE:
	case GUARD_ACT_COUNT:
	default:
		return decision("deny", json_sprintf("aisbx: %s", reason));
	}
}

/*
 * Codex knows no "ask", takes "allow" only with another command, and before 0.144 not even that: what it does
 * not take is no objection to it. So silence lets a command run, and everything else is "deny", with what to
 * run instead.
 */
static json_t *answer_codex(const struct guard_verdict *v, const char *instead, const char *reason)
{
	switch (v->act) {
	case GUARD_RUN:
		return NULL;
	case GUARD_BOX:
		return decision(
		    "deny", json_sprintf("aisbx: this belongs into a box, because %s. Run this instead: %s",
					 reason, instead));
	case GUARD_ASK:
		return decision("deny", json_sprintf("aisbx: only a person may run this: %s", reason));
	case GUARD_REFUSE:
	case GUARD_ACT_COUNT:
	default:
		return decision("deny", json_sprintf("aisbx: %s", reason));
	}
}

static int judge(struct op_context *ctx, const char *agent, const json_t *input, const char *command,
		 const char *cwd, bool note, json_t **ret, struct aisbx_error *e)
{
	scoped(guard_verdict_finish) struct guard_verdict v = {0};
	scoped(op_guard_close) struct op_guard g = {0};
	scoped(drop_mem) char *instead = NULL, *reason = NULL;
	json_t *words = json_pack("[s]", command);
	int r = words ? op_guard_open(ctx, cwd, &g, e)
		      : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");

	if (r == 0)
		r = op_guard_judge(&g, words, &v, e);
	if (r == 0) {
		if (note)
			op_guard_note(&v, words);
		instead = guarded(&g, command);
		reason = why(&v);
		if (!instead || !reason)
			r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	}
	json_decref(words);
	if (r == 0)
		*ret = !strcmp(agent, "codex") ? answer_codex(&v, instead, reason)
					       : answer_claude(&v, input, instead, reason);
	return r;
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

bool op_guard_hook_answer(struct op_context *ctx, const char *agent, const char *text, size_t len, bool note,
			  json_t **ret, struct aisbx_error *e)
{
	json_t *asked = is_deep(text, len) ? NULL : json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const json_t *input = json_object_get(asked, "tool_input"),
		     *command = json_object_get(input, "command");
	const char *tool = json_string_value(json_object_get(asked, "tool_name")),
		   *cwd = json_string_value(json_object_get(asked, "cwd"));
	struct stat st;
	int r;

	*ret = NULL;
	if (!tool)
		r = aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "this is no question that the hook of %s asks",
				 agent);
	else if (strcmp(tool, "Bash") != 0)
		r = 0; /* no opinion */
	else if (!json_is_string(command))
		r = aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "there is no command in the question of %s",
				 agent);
	else if (cwd && (!path_is_clean(cwd) || stat(cwd, &st) < 0 || !S_ISDIR(st.st_mode)))
		r = aisbx_refuse(e, AISBX_AREA_USAGE, ENOTDIR,
				 "'%.200s', where %s would run it, is no directory", cwd, agent);
	else
		r = judge(ctx, agent, input, json_string_value(command), cwd ? cwd : ctx->cwd, note, ret, e);
	json_decref(asked);
	return r == 0;
}

int op_guard_hook(struct op_context *ctx, const char *agent, json_t **ret_result, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = {0};
	struct aisbx_error problem = AISBX_ERROR_INIT;
	json_t *answer = NULL;
	bool is_answered = ctx->stdin_fd >= 0 && read_question(ctx->stdin_fd, &text, &problem) == 0 &&
			   op_guard_hook_answer(ctx, agent, text.data, text.len, true, &answer, &problem);

	ctx->exit_status = is_answered ? 0 : BLOCK;
	*ret_result = json_pack("{s:o}", "answer", answer ? answer : json_null());
	if (*ret_result && !is_answered)
		json_object_set_new(*ret_result, "blocked",
				    json_string(problem.text[0] ? problem.text : "there is no question"));
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "answer the hook");
}
