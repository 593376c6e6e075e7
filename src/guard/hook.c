/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard as a hook of coding agents: they ask before they run a command, by JSON on standard input. A
 * request that is invalid or late blocks the command, because agents treat a failed hook as no objection.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "guard/act.h"
#include "guard/hook.h"

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
static void instead_of(const struct guard_session *g, const struct hook_question *q, bool look,
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

static enum hook_deed deed_of(const struct guard_verdict *v)
{
	switch (v->act) {
	case GUARD_RUN:
		return v->as_it_is ? HOOK_LEAVE : guard_has_glass() ? HOOK_LOOK : HOOK_GUARD;
	case GUARD_LOOK:
	case GUARD_BOX:
		return HOOK_GUARD;
	case GUARD_ASK:
		return HOOK_ASK;
	case GUARD_REFUSE:
	case GUARD_ACT_COUNT:
	default:
		return HOOK_DENY;
	}
}

static int judge(struct caller *by, const struct hook_question *q, bool note, json_t **ret,
		 struct aisbx_error *e)
{
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	scoped(guard_session_close) struct guard_session g = { 0 };
	scoped(strlist_finish) struct strlist words = { 0 };
	scoped(drop_mem) char *text = NULL, *reason = NULL;
	struct hook_answer answer = { .words = &words };
	int r = guard_session_open(by, q->cwd, &g, e);

	if (r == 0)
		r = guard_judge(&g, &q->command, &v, e);
	if (r < 0)
		return r;
	if (note)
		guard_note(&v, &q->command);
	answer.deed = deed_of(&v);
	answer.must = v.needs_glass;
	instead_of(&g, q, answer.deed == HOOK_LOOK, &words);
	answer.text = text = as_text(&words);
	answer.reason = reason = why(&v);
	if (words.failed || !text || !reason)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command");
	return hook_answer_json(q, &answer, ret, e);
}

bool guard_hook_answer(struct caller *by, const char *agent, const char *text, size_t len, bool note,
		       json_t **ret, struct aisbx_error *e)
{
	json_t *asked = hook_json(text, len);
	struct hook_question q = { 0 };
	bool is_answered;

	*ret = NULL;
	is_answered = hook_question_read(by, agent, asked, &q, e);
	if (is_answered && q.command.n)
		is_answered = judge(by, &q, note, ret, e) == 0;
	else if (is_answered)
		*ret = hook_no_opinion(&q);
	hook_question_finish(&q);
	json_decref(asked);
	return is_answered;
}

bool guard_hook(struct caller *by, const char *agent, json_t **ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };

	*ret = NULL;
	return by->stdin_fd >= 0 && read_question(by->stdin_fd, &text, e) == 0 &&
	       guard_hook_answer(by, agent, text.data, text.len, true, ret, e);
}
