/* SPDX-License-Identifier: Apache-2.0 */
/* A request from its start to its one answer, with progress and questions in between. */
#include "server/mcp/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "server/mcp/envelope.h"

static const char *const levels[] = { "debug", "info",     "notice", "warning",
				      "error", "critical", "alert",  "emergency" };

int mcp_level_of(const char *name)
{
	for (int i = 0; i < MCP_SILENT; i++)
		if (!strcmp(levels[i], name))
			return i;
	return -1;
}

json_t *mcp_error_message(const json_t *id, int code, const char *text, json_t *data)
{
	json_t *error = json_pack("{s:i, s:s}", "code", code, "message", text);

	if (data)
		json_object_set_new(error, "data", data);
	return json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, "error", error);
}

static void end(struct mcp_request *r)
{
	struct mcp_session *s = r->session;
	struct mcp_channel *ch = r->channel;

	if (r->job)
		r->job->request = NULL;
	if (r->next)
		r->next->prev = r->prev;
	if (r->prev)
		r->prev->next = r->next;
	else
		s->requests = r->next;
	s->n_requests--;
	timer_end(&r->timer);
	if (r->free_own)
		r->free_own(r->own);
	json_decref(r->id);
	json_decref(r->params);
	json_decref(r->answers);
	json_decref(r->asked);
	free(r);
	if (ch && ch->done)
		ch->done(ch);
}

static void send_message(struct mcp_request *r, json_t *message)
{
	if (message && r->channel)
		r->channel->send(r->channel, message);
	json_decref(message);
}

/* What the client was asked and need not answer any more. */
static void take_back(struct mcp_request *r)
{
	const char *id;
	json_t *key;

	json_object_foreach(r->asked, id, key) if (r->channel)
		send_message(r, json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method",
					  "notifications/cancelled", "params", "requestId",
					  (json_int_t)strtoll(id, NULL, 10)));
}

void mcp_cancel(struct mcp_request *r)
{
	if (r->job)
		mcp_job_drop(r->job);
	take_back(r);
	end(r);
}

void mcp_reply(struct mcp_request *r, json_t *result)
{
	if (!result) {
		mcp_fail(r, MCP_INTERNAL, NULL, "out of memory");
		return;
	}
	if (r->task) {
		mcp_task_settle(r, result, NULL);
		end(r);
		return;
	}
	mcp_envelope_result(r, result);
	send_message(r, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", r->id, "result", result));
	end(r);
}

void mcp_fail(struct mcp_request *r, int code, json_t *data, const char *fmt, ...)
{
	scoped(buf_finish) struct buf clean = { 0 };
	char text[600];
	json_t *message;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	buf_add_utf8(&clean, text, strlen(text)); /* a character may have been cut */
	message = mcp_error_message(r->id, code, buf_str(&clean) ? clean.data : "out of memory", data);
	if (r->task) {
		mcp_task_settle(r, NULL, json_incref(json_object_get(message, "error")));
		json_decref(message);
	} else {
		send_message(r, message);
	}
	end(r);
}

void mcp_fail_about(struct mcp_request *r, int code, const char *uri, const struct aisbx_error *e)
{
	json_t *data = call_error_json(e),
	       *words = tool_said(NULL, r->session->mcp->how.all_tools,
				  json_string_value(json_object_get(data, "text")));

	json_object_set(data, "text", words);
	if (uri)
		json_object_set_new(data, "uri", json_string(uri));
	if (r->retry_ms)
		json_object_set_new(data, "retry_after_ms", json_integer(r->retry_ms));
	mcp_fail(r, r->retry_ms ? MCP_INTERNAL : code, data, "%s",
		 words ? json_string_value(words) : "out of memory");
	json_decref(words);
}

void mcp_fail_error(struct mcp_request *r, int code, const struct aisbx_error *e)
{
	mcp_fail_about(r, code, NULL, e);
}

void mcp_notify(struct mcp_request *r, const char *method, json_t *params)
{
	send_message(r, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

static bool is_full(const struct mcp_request *r)
{
	return !r->channel || (r->channel->full && r->channel->full(r->channel));
}

void mcp_progress(struct mcp_request *r, double progress, double total, const char *message)
{
	json_t *params;

	if (!r->progress_token || progress <= r->progress || is_full(r))
		return;
	r->progress = progress;
	params = json_pack("{s:O, s:f}", "progressToken", r->progress_token, "progress", progress);
	if (total > 0)
		json_object_set_new(params, "total", json_real(total));
	if (message)
		json_object_set_new(params, "message", json_string(message));
	mcp_notify(r, "notifications/progress", params);
}

bool mcp_is_told(const struct mcp_request *r, enum mcp_level level)
{
	return level >= r->level && !is_full(r);
}

void mcp_log(struct mcp_request *r, enum mcp_level level, json_t *data)
{
	if (mcp_is_told(r, level))
		mcp_notify(r, "notifications/message",
			   json_pack("{s:s, s:s, s:o}", "level", levels[level], "logger", "aisbx", "data",
				     data));
	else
		json_decref(data);
}

static void on_time(void *ctx)
{
	struct mcp_request *r = ctx;

	r->on_timer(r);
}

int mcp_later(struct mcp_request *r, uint64_t ms, mcp_fn fn)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (!r->timer && timer_add(r->session->mcp->loop, on_time, r, &r->timer, &e) < 0)
		return e.code;
	r->on_timer = fn;
	timer_set(r->timer, ms ? ms : 1);
	return 0;
}

bool mcp_can(const struct mcp_request *r, const char *capability)
{
	const json_t *can = json_object_get(r->caps, capability);

	/* Questions of ours are forms; who only opens addresses cannot be asked. */
	return json_is_object(can) && (json_object_get(can, "form") || !json_object_get(can, "url"));
}

bool mcp_can_tasks(const struct mcp_request *r)
{
	return r->modern && json_object_get(json_object_get(r->caps, "extensions"), MCP_TASKS);
}

static const char *capability_of(const char *method)
{
	return !strcmp(method, "elicitation/create")       ? "elicitation"
	       : !strcmp(method, "sampling/createMessage") ? "sampling"
							   : "roots";
}

/* What the client cannot do of it: an object of capabilities, or NULL. */
static json_t *missing_capabilities(const struct mcp_request *r, json_t *questions)
{
	json_t *missing = NULL, *question;
	const char *key;

	json_object_foreach(questions, key, question)
	{
		const char *capability =
			capability_of(json_string_value(json_object_get(question, "method")));

		if (!mcp_can(r, capability)) {
			if (!missing)
				missing = json_object();
			json_object_set_new(missing, capability, json_object());
		}
	}
	return missing;
}

static void forget_answered(const struct mcp_request *r, json_t *questions)
{
	const char *key;
	json_t *answer;

	json_object_foreach(r->answers, key, answer) json_object_del(questions, key);
}

/* The client asks anew, with its answers and with what we give it to keep. */
static void ask_by_result(struct mcp_request *r, json_t *questions)
{
	json_t *state = mcp_seal(r, "state", json_incref(r->answers));

	mcp_reply(r, json_pack("{s:s, s:o, s:o*}", "resultType", "input_required", "inputRequests", questions,
			       "requestState", state));
}

static void ask_by_request(struct mcp_request *r, json_t *questions, mcp_answers_fn fn)
{
	const char *key;
	json_t *question;

	if (!r->asked)
		r->asked = json_object();
	r->on_answers = fn;
	json_object_foreach(questions, key, question)
	{
		uint64_t id = ++r->session->last_ask;
		char text[24];

		snprintf(text, sizeof(text), "%llu", (unsigned long long)id);
		json_object_set_new(r->asked, text, json_string(key));
		send_message(r, json_pack("{s:s, s:I, s:O, s:O}", "jsonrpc", "2.0", "id", (json_int_t)id,
					  "method", json_object_get(question, "method"), "params",
					  json_object_get(question, "params")));
	}
	json_decref(questions);
}

void mcp_ask(struct mcp_request *r, json_t *questions, bool asked_only, mcp_answers_fn fn)
{
	json_t *missing = missing_capabilities(r, questions);

	if (missing) {
		json_decref(questions);
		mcp_fail(r, MCP_NO_CAPABILITY, json_pack("{s:o}", "requiredCapabilities", missing),
			 "this needs a capability that the client did not declare");
		return;
	}
	if (!r->answers)
		r->answers = json_object();
	if (asked_only && r->modern && !r->answered)
		json_object_clear(r->answers);
	forget_answered(r, questions);
	if (!json_object_size(questions)) {
		json_decref(questions);
		fn(r, r->answers);
	} else if (r->task) {
		mcp_task_park(r, questions, fn);
	} else if (r->modern) {
		ask_by_result(r, questions);
	} else {
		ask_by_request(r, questions, fn);
	}
}

bool mcp_take_answer(struct mcp_request *r, const json_t *id, const json_t *message)
{
	const json_t *key, *result = json_object_get(message, "result");
	char text[24];

	if (!r->asked || !json_is_integer(id))
		return false;
	snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(id));
	key = json_object_get(r->asked, text);
	if (!key)
		return false;
	/* An error is as good as a person who did not answer. */
	json_object_set_new(r->answers, json_string_value(key),
			    json_is_object(result) ? json_deep_copy(result)
						   : json_pack("{s:s}", "action", "cancel"));
	json_object_del(r->asked, text);
	if (!json_object_size(r->asked))
		r->on_answers(r, r->answers);
	return true;
}
