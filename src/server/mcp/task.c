/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that are answered by a task: the client comes back for the result, for questions, or to cancel. As
 * in the extension io.modelcontextprotocol/tasks, where the server decides; and as in 2025-11-25, where the
 * client asks for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/io.h"
#include "base/time.h"
#include "server/mcp/envelope.h"

#define MAX_TASKS 256
#define TTL_MS    3600000
#define POLL_MS   1000

enum status { WORKING, INPUT_REQUIRED, COMPLETED, FAILED, CANCELLED };

static const char *const status_names[] = { "working", "input_required", "completed", "failed", "cancelled" };

struct mcp_task {
	struct mcp_task *prev, *next;
	struct mcp_session *session;
	struct mcp_request *request; /* NULL: it has ended */
	enum status status;
	char id[33];
	time_t created, updated;
	uint64_t until_ms;
	json_t *result, *error; /* owned; one of them once it has ended */
	json_t *questions;      /* owned; NULL: none is open */
	mcp_answers_fn on_answers;
};

static void destroy(struct mcp_task *t)
{
	if (t->next)
		t->next->prev = t->prev;
	if (t->prev)
		t->prev->next = t->next;
	else
		t->session->tasks = t->next;
	json_decref(t->result);
	json_decref(t->error);
	json_decref(t->questions);
	free(t);
}

/* Those that have ended and are past their time go. */
static unsigned int tidy(struct mcp_session *s)
{
	unsigned int n = 0;

	for (struct mcp_task *t = s->tasks, *next; t; t = next) {
		next = t->next;
		if (!t->request && time_ms() > t->until_ms)
			destroy(t);
		else
			n++;
	}
	return n;
}

void mcp_tasks_end(struct mcp_session *s)
{
	while (s->tasks) {
		struct mcp_task *t = s->tasks;

		if (t->request) {
			t->request->task = NULL;
			mcp_cancel(t->request);
		}
		destroy(t);
	}
}

static json_t *time_text(time_t at)
{
	struct tm tm;
	char text[32] = "";

	gmtime_r(&at, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

static json_t *envelope(const struct mcp_task *t, bool modern)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:i, s:i}", "taskId", t->id, "status", status_names[t->status],
			 "createdAt", time_text(t->created), "lastUpdatedAt", time_text(t->updated),
			 modern ? "ttlMs" : "ttl", TTL_MS, modern ? "pollIntervalMs" : "pollInterval",
			 POLL_MS);
}

static json_t *details(const struct mcp_task *t, bool modern)
{
	json_t *j = envelope(t, modern);

	if (modern && t->result)
		json_object_set(j, "result", t->result);
	if (modern && t->error)
		json_object_set(j, "error", t->error);
	if (modern && t->questions)
		json_object_set(j, "inputRequests", t->questions);
	return j;
}

static void change(struct mcp_task *t, enum status status)
{
	t->status = status;
	t->updated = time(NULL);
}

static bool name_it(struct mcp_task *t)
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	io_hex(bytes, sizeof(bytes), t->id);
	return true;
}

/* The answer on its channel, from which it then parts. */
static void answer(struct mcp_request *r, const struct mcp_task *t)
{
	struct mcp_channel *ch = r->channel;
	json_t *result = r->modern ? envelope(t, true) : json_pack("{s:o}", "task", envelope(t, false)),
	       *message;

	if (r->modern)
		json_object_set_new(result, "resultType", json_string("task"));
	mcp_envelope_result(r, result);
	message = json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", r->id, "result", result);
	r->channel = NULL;
	json_decref(r->id);
	r->id = NULL; /* the client may use it again */
	if (ch) {
		ch->send(ch, message);
		if (ch->done)
			ch->done(ch);
	}
	json_decref(message);
}

bool mcp_task_make(struct mcp_request *r)
{
	struct mcp_session *s = r->session;
	struct mcp_task *t = tidy(s) < MAX_TASKS ? calloc(1, sizeof(*t)) : NULL;

	if (!t || !name_it(t)) {
		free(t);
		return false;
	}
	t->session = s;
	t->request = r;
	t->created = t->updated = time(NULL);
	t->until_ms = time_ms() + TTL_MS;
	t->next = s->tasks;
	if (t->next)
		t->next->prev = t;
	s->tasks = t;
	r->task = t;
	r->progress_token = NULL;
	answer(r, t);
	return true;
}

void mcp_task_settle(struct mcp_request *r, json_t *result, json_t *error)
{
	struct mcp_task *t = r->task;

	t->result = result;
	t->error = error;
	t->request = NULL;
	if (t->until_ms < time_ms() + TTL_MS / 4) /* however long it took, there is time to fetch it */
		t->until_ms = time_ms() + TTL_MS / 4;
	change(t, error ? FAILED : COMPLETED);
	json_decref(t->questions);
	t->questions = NULL;
	if (!r->modern)
		mcp_task_wake(t->session, t->id);
}

void mcp_task_park(struct mcp_request *r, json_t *questions, mcp_answers_fn fn)
{
	struct mcp_task *t = r->task;

	json_decref(t->questions);
	t->questions = questions;
	t->on_answers = fn;
	change(t, INPUT_REQUIRED);
}

/* The task that R names; NULL: R has been answered. */
static struct mcp_task *find(struct mcp_request *r)
{
	const char *id = json_string_value(json_object_get(r->params, "taskId"));

	if (r->modern && !mcp_can_tasks(r)) {
		mcp_fail(r, MCP_NO_CAPABILITY,
			 json_pack("{s:{s:{s:{}}}}", "requiredCapabilities", "extensions", MCP_TASKS),
			 "tasks are only for clients that declare support for them");
		return NULL;
	}
	for (struct mcp_task *t = r->session->tasks; id && t; t = t->next)
		if (!strcmp(t->id, id))
			return t;
	mcp_fail(r, MCP_INVALID_PARAMS, NULL,
		 "taskId must be the id of a task of yours that has not expired");
	return NULL;
}

void mcp_tasks_get(struct mcp_request *r)
{
	const struct mcp_task *t = find(r);

	if (t)
		mcp_reply(r, details(t, r->modern));
}

void mcp_tasks_cancel(struct mcp_request *r)
{
	struct mcp_task *t = find(r);

	if (!t)
		return;
	if (!r->modern && !t->request) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "task '%s' has ended: %s", t->id,
			 status_names[t->status]);
		return;
	}
	if (t->request) {
		t->request->task = NULL;
		mcp_cancel(t->request);
		t->request = NULL;
		json_decref(t->questions);
		t->questions = NULL;
		change(t, CANCELLED);
		mcp_task_wake(t->session, t->id);
	}
	mcp_reply(r, r->modern ? json_object() : details(t, false));
}

void mcp_tasks_update(struct mcp_request *r)
{
	json_t *inputs = json_object_get(r->params, "inputResponses"), *value;
	struct mcp_task *t = find(r);
	struct mcp_request *asker;
	const char *key;

	if (!t)
		return;
	if (!json_is_object(inputs)) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL, "tasks/update needs inputResponses, an object");
		return;
	}
	asker = t->questions ? t->request : NULL;
	json_object_foreach(inputs, key, value)
	{
		if (!asker || !json_object_get(t->questions, key) || !json_is_object(value))
			continue;
		json_object_set(asker->answers, key, value);
		json_object_del(t->questions, key);
	}
	mcp_reply(r, json_object());
	if (asker && !json_object_size(t->questions)) {
		json_decref(t->questions);
		t->questions = NULL;
		change(t, WORKING);
		t->on_answers(asker, asker->answers);
	}
}

static void reply_result(struct mcp_request *r, const struct mcp_task *t)
{
	json_t *result;

	if (!t->result) {
		mcp_fail(r,
			 t->error ? (int)json_integer_value(json_object_get(t->error, "code"))
				  : MCP_INVALID_PARAMS,
			 NULL, "%s",
			 t->error ? json_string_value(json_object_get(t->error, "message"))
				  : "the task was cancelled");
		return;
	}
	result = json_deep_copy(t->result);
	json_object_set_new(result, "_meta",
			    json_pack("{s:{s:s}}", "io.modelcontextprotocol/related-task", "taskId", t->id));
	mcp_reply(r, result);
}

/* Waits until there is one. */
void mcp_tasks_result(struct mcp_request *r)
{
	const struct mcp_task *t = find(r);

	if (t && !t->request)
		reply_result(r, t);
}

void mcp_task_wake(struct mcp_session *s, const char *id)
{
	const struct mcp_task *t = s->tasks;

	while (t && strcmp(t->id, id) != 0)
		t = t->next;
	for (struct mcp_request *r = s->requests, *next; t && r; r = next) {
		const char *wanted = json_string_value(json_object_get(r->params, "taskId"));

		next = r->next;
		if (r->method && !strcmp(r->method, "tasks/result") && wanted && !strcmp(wanted, id))
			reply_result(r, t);
	}
}

void mcp_tasks_list(struct mcp_request *r)
{
	json_t *list = json_array();

	tidy(r->session);
	for (const struct mcp_task *t = r->session->tasks; t; t = t->next)
		json_array_append_new(list, envelope(t, false));
	mcp_reply(r, json_pack("{s:o}", "tasks", list));
}
