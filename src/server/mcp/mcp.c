/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, and how a message is handled: its protocol version, whether it is accepted, its handler. */
#include "server/mcp/mcp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/sessions.h"
#include "server/mcp/envelope.h"
#include "server/mcp/offer.h"
#include "server/mcp/request.h"

#define ANSWER_WITHIN_MS 45000

enum { LEGACY = 1, MODERN = 2, BOTH = LEGACY | MODERN };

static void initialize(struct mcp_request *r);
static void discover(struct mcp_request *r);
static void ping(struct mcp_request *r);
static void set_level(struct mcp_request *r);

static const struct method {
	const char *name;
	int eras;
	mcp_fn handle;
} methods[] = {
	{ "initialize", LEGACY, initialize },
	{ "ping", LEGACY, ping },
	{ "logging/setLevel", LEGACY, set_level },
	{ "server/discover", MODERN, discover },
	{ "tools/list", BOTH, mcp_tools_list },
	{ "tools/call", BOTH, mcp_tools_call },
	{ "resources/list", BOTH, mcp_resources_list },
	{ "resources/templates/list", BOTH, mcp_resources_templates },
	{ "resources/read", BOTH, mcp_resources_read },
	{ "resources/subscribe", LEGACY, mcp_subscribe },
	{ "resources/unsubscribe", LEGACY, mcp_unsubscribe },
	{ "subscriptions/listen", MODERN, mcp_listen },
	{ "prompts/list", BOTH, mcp_prompts_list },
	{ "prompts/get", BOTH, mcp_prompts_get },
	{ "completion/complete", BOTH, mcp_complete },
	{ "tasks/get", BOTH, mcp_tasks_get },
	{ "tasks/cancel", BOTH, mcp_tasks_cancel },
	{ "tasks/update", MODERN, mcp_tasks_update },
	{ "tasks/result", LEGACY, mcp_tasks_result },
	{ "tasks/list", LEGACY, mcp_tasks_list },
};

/* The newest first; it is offered to a client that asks for one we do not know. */
static const char *const legacy_versions[] = { MCP_LEGACY, "2025-06-18", "2025-03-26", "2024-11-05" };

bool mcp_is_legacy_version(const char *version)
{
	for (size_t i = 0; i < sizeof(legacy_versions) / sizeof(legacy_versions[0]); i++)
		if (!strcmp(version, legacy_versions[i]))
			return true;
	return false;
}

int mcp_open(struct loop *l, const struct mcp_how *how, struct mcp **ret_mcp, struct aisbx_error *e)
{
	struct mcp *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "set up the server");
	m->loop = l;
	m->how = *how;
	if (!m->how.answer_within_ms)
		m->how.answer_within_ms = ANSWER_WITHIN_MS;
	if (getrandom(m->key, sizeof(m->key), 0) != sizeof(m->key)) {
		free(m);
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "generate a key");
	}
	r = calls_new(l, MCP_RUNNING, !how->elsewhere, &m->calls, e);
	if (r < 0) {
		free(m);
		return r;
	}
	if (m->how.sessions) /* of a server that was killed */
		box_sessions_settle_aside();
	*ret_mcp = m;
	return 0;
}

void mcp_stop(struct mcp *m, void (*stopped)(void *ctx), void *ctx)
{
	while (m->sessions)
		mcp_session_end(m->sessions);
	if (!m->jobs) {
		stopped(ctx);
		return;
	}
	m->stopped = stopped;
	m->stopped_ctx = ctx;
}

void mcp_close(struct mcp *m)
{
	if (!m)
		return;
	explicit_bzero(m->key, sizeof(m->key));
	json_decref(m->tools[0]);
	json_decref(m->tools[1]);
	calls_destroy(m->calls);
	free(m);
}

struct mcp_session *mcp_session_new(struct mcp *m, const char *owner, bool stateless)
{
	struct mcp_session *s = calloc(1, sizeof(*s));

	if (!s || (owner && !(s->owner = strdup(owner))) || !(s->calls = calls_enter(m->calls))) {
		if (s)
			free(s->owner);
		free(s);
		return NULL;
	}
	s->mcp = m;
	s->alive = m->how.sessions ? box_session_hold(owner) : -1;
	s->stateless = stateless;
	s->level = MCP_SILENT;
	s->next = m->sessions;
	if (s->next)
		s->next->prev = s;
	m->sessions = s;
	return s;
}

void mcp_session_end(struct mcp_session *s)
{
	mcp_listeners_end(s);
	s->channel = NULL;
	mcp_tasks_end(s);
	while (s->requests)
		mcp_cancel(s->requests);
	for (struct mcp_job *j = s->mcp->jobs; j; j = j->next)
		if (j->session == s)
			mcp_job_drop(j);
	if (s->next)
		s->next->prev = s->prev;
	if (s->prev)
		s->prev->next = s->next;
	else
		s->mcp->sessions = s->next;
	mcp_long_result_end(s);
	if (s->alive >= 0) {
		close_fd(&s->alive);
		box_sessions_settle_aside();
	}
	calls_part(s->calls);
	json_decref(s->caps);
	free(s->owner);
	free(s);
}

void mcp_session_set_channel(struct mcp_session *s, struct mcp_channel *ch)
{
	s->channel = ch;
}

bool mcp_session_is_open(const struct mcp_session *s)
{
	return s->version[0];
}

bool mcp_session_can_resume(const struct mcp_session *s)
{
	return !strcmp(s->version, MCP_LEGACY);
}

bool mcp_session_is_busy(const struct mcp_session *s)
{
	return s->requests || s->n_jobs || s->channel;
}

void mcp_gone(struct mcp_session *s, const struct mcp_channel *ch)
{
	if (s->channel == ch)
		s->channel = NULL;
	for (struct mcp_request *r = s->requests, *next; r; r = next) {
		next = r->next;
		if (r->channel == ch) {
			r->channel = NULL;
			mcp_cancel(r);
			next = s->requests; /* what it ended may have been the next one */
		}
	}
}

static json_t *server_capabilities(const struct mcp_request *r)
{
	const bool changes = r->session->mcp->how.fixtures; /* ours stay as they are */
	json_t *caps = json_pack("{s:{s:b}, s:{s:b}, s:{s:b, s:b}, s:{}, s:{}}", "tools", "listChanged",
				 changes, "prompts", "listChanged", changes, "resources", "subscribe", 1,
				 "listChanged", 1, "completions", "logging");

	json_object_set_new(caps, "experimental",
			    json_pack("{s:{s:i, s:i, s:i}}", "aisbx/limits", "requests", (int)MCP_REQUESTS,
				      "calls", (int)MCP_RUNNING, "waiting_bytes", (int)CALLS_BYTES));
	if (r->modern)
		json_object_set_new(caps, "extensions", json_pack("{s:{}}", "io.modelcontextprotocol/tasks"));
	else if (!strcmp(r->session->version, MCP_LEGACY))
		json_object_set_new(caps, "tasks",
				    json_pack("{s:{}, s:{}, s:{s:{s:{}}}}", "list", "cancel", "requests",
					      "tools", "call"));
	return caps;
}

static void initialize(struct mcp_request *r)
{
	struct mcp_session *s = r->session;
	const char *version = json_string_value(json_object_get(r->params, "protocolVersion"));
	const json_t *caps = json_object_get(r->params, "capabilities");

	if (!version || !json_is_object(caps)) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL,
			 "initialize needs 'protocolVersion', a string, and 'capabilities', an object");
		return;
	}
	if (s->version[0]) {
		mcp_fail(r, MCP_INVALID_REQUEST, NULL, "this session is already open; open another");
		return;
	}
	strcpy(s->version, mcp_is_legacy_version(version) ? version : MCP_LEGACY);
	s->caps = json_deep_copy(caps);
	mcp_reply(r, json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", s->version, "capabilities",
			       server_capabilities(r), "serverInfo", mcp_server_info(), "instructions",
			       offer_instructions));
}

static void discover(struct mcp_request *r)
{
	mcp_reply(r, json_pack("{s:[s], s:o, s:s}", "supportedVersions", MCP_MODERN, "capabilities",
			       server_capabilities(r), "instructions", offer_instructions));
}

static void ping(struct mcp_request *r)
{
	mcp_reply(r, json_object());
}

static void set_level(struct mcp_request *r)
{
	const char *name = json_string_value(json_object_get(r->params, "level"));
	int level = name ? mcp_level_of(name) : -1;

	if (level < 0) {
		mcp_fail(r, MCP_INVALID_PARAMS, NULL,
			 "level must be one of debug, info, notice, warning, error, critical, alert, "
			 "emergency");
		return;
	}
	r->session->level = (enum mcp_level)level;
	mcp_reply(r, json_object());
}

static bool is_id(const json_t *id)
{
	return json_is_string(id) || json_is_integer(id);
}

enum mcp_kind mcp_kind(const json_t *message)
{
	const json_t *id = json_object_get(message, "id");
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	const json_t *params = json_object_get(message, "params");

	if (!version || strcmp(version, "2.0") != 0 || (params && !json_is_object(params)))
		return MCP_NOTHING;
	if (json_is_string(json_object_get(message, "method")))
		return !id ? MCP_NOTIFICATION : is_id(id) ? MCP_REQUEST : MCP_NOTHING;
	if (is_id(id) && (json_object_get(message, "result") || json_object_get(message, "error")))
		return MCP_RESPONSE;
	return MCP_NOTHING;
}

bool mcp_is_modern(const json_t *message)
{
	return json_object_get(json_object_get(json_object_get(message, "params"), "_meta"),
			       MCP_META_VERSION);
}

static void refuse(struct mcp_channel *ch, json_t *error)
{
	ch->send(ch, error);
	json_decref(error);
	if (ch->done)
		ch->done(ch);
}

static struct mcp_request *find_request(const struct mcp_session *s, const json_t *id)
{
	for (struct mcp_request *r = s->requests; r; r = r->next)
		if (r->id && json_equal(r->id, id))
			return r;
	return NULL;
}

/* The method of that name in that era; the nearest in *RET_NEAR when there is none. */
static const struct method *find_method(const char *name, bool modern, const char **ret_near)
{
	const char *names[sizeof(methods) / sizeof(methods[0])];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (!(methods[i].eras & (modern ? MODERN : LEGACY)))
			continue;
		if (!strcmp(methods[i].name, name))
			return &methods[i];
		names[n++] = methods[i].name;
	}
	*ret_near = str_nearest(name, names, n);
	return NULL;
}

static void fill_meta(struct mcp_request *r)
{
	const json_t *meta = json_object_get(r->params, "_meta"),
		     *token = json_object_get(meta, "progressToken");
	const char *level = json_string_value(json_object_get(meta, MCP_META_LEVEL));

	r->progress_token = json_is_string(token) || json_is_integer(token) ? token : NULL;
	r->progress = -1;
	r->level = r->modern ? MCP_SILENT : r->session->level;
	r->version = r->modern ? MCP_MODERN : r->session->version;
	r->caps = r->modern ? json_object_get(meta, MCP_META_CAPS) : r->session->caps;
	if (r->modern && level && mcp_level_of(level) >= 0)
		r->level = (enum mcp_level)mcp_level_of(level);
}

static struct mcp_request *new_request(struct mcp_session *s, struct mcp_channel *ch, const json_t *message,
				       bool modern)
{
	struct mcp_request *r = calloc(1, sizeof(*r));
	json_t *params = json_object_get(message, "params");

	if (!r)
		return NULL;
	r->session = s;
	r->channel = ch;
	r->modern = modern;
	r->id = json_incref(json_object_get(message, "id"));
	r->params = params ? json_incref(params) : json_object();
	fill_meta(r);
	r->next = s->requests;
	if (r->next)
		r->next->prev = r;
	s->requests = r;
	s->n_requests++;
	return r;
}

static json_t *too_many(const struct mcp_session *s, const json_t *id)
{
	const uint32_t ms = calls_retry_ms(s->calls);
	char text[128];

	snprintf(text, sizeof(text), "%u requests are in progress, which is the limit; try again in %u ms",
		 MCP_REQUESTS, ms);
	return mcp_error_message(id, MCP_INTERNAL, text,
				 json_pack("{s:s, s:I}", "kind", "limit", "retry_after_ms", (json_int_t)ms));
}

/* NULL: it may be handled. */
static json_t *refusal(const struct mcp_session *s, struct mcp_channel *ch, const json_t *message,
		       bool modern)
{
	const json_t *id = json_object_get(message, "id");
	const char *method = json_string_value(json_object_get(message, "method"));

	if (!s->stateless && find_request(s, id))
		return mcp_error_message(id, MCP_INVALID_REQUEST, "a request with this id is in progress",
					 NULL);
	if (s->n_requests >= MCP_REQUESTS)
		return too_many(s, id);
	if (modern)
		return mcp_envelope_check(s->mcp, message, ch);
	if (s->stateless)
		return mcp_error_message(id, MCP_INVALID_REQUEST,
					 "this needs a session; open one with initialize", NULL);
	if (!s->version[0] && !str_is_one_of(method, "initialize|ping"))
		return mcp_error_message(id, MCP_INVALID_REQUEST,
					 "call initialize first; or say in params._meta which version you "
					 "speak, as " MCP_MODERN " describes",
					 NULL);
	return NULL;
}

static void take_request(struct mcp_session *s, struct mcp_channel *ch, const json_t *message)
{
	const char *name = json_string_value(json_object_get(message, "method")), *near = NULL;
	bool modern = mcp_is_modern(message) || s->stateless;
	const struct method *method;
	struct mcp_request *r;
	json_t *error = refusal(s, ch, message, modern);

	if (error) {
		refuse(ch, error);
		return;
	}
	r = new_request(s, ch, message, modern);
	if (!r || !r->params) {
		if (r)
			mcp_cancel(r);
		return;
	}
	method = find_method(name, modern, &near);
	if (!method) {
		mcp_fail(r, MCP_NO_METHOD, NULL, "there is no method '%.100s'%s%s%s", name, near ? "; '" : "",
			 near ? near : "", near ? "' is similar" : "");
		return;
	}
	r->method = method->name;
	if (modern && !mcp_envelope_answers(r))
		return;
	method->handle(r);
}

static void take_notification(struct mcp_session *s, const json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *params = json_object_get(message, "params");
	struct mcp_request *r;

	/* Among clients that do not know of each other an id means nothing; they hang up instead. */
	if (strcmp(method, "notifications/cancelled") != 0 || s->stateless)
		return;
	r = find_request(s, json_object_get(params, "requestId"));
	if (r && (!r->method || strcmp(r->method, "initialize") != 0))
		mcp_cancel(r);
}

static void take_response(struct mcp_session *s, const json_t *message)
{
	const json_t *id = json_object_get(message, "id");

	for (struct mcp_request *r = s->requests; r; r = r->next)
		if (mcp_take_answer(r, id, message))
			return;
}

void mcp_receive(struct mcp_session *s, struct mcp_channel *ch, const json_t *message)
{
	const json_t *id = json_object_get(message, "id");

	switch (mcp_kind(message)) {
	case MCP_REQUEST:
		take_request(s, ch, message);
		break;
	case MCP_NOTIFICATION:
		take_notification(s, message);
		break;
	case MCP_RESPONSE:
		take_response(s, message);
		break;
	case MCP_NOTHING:
		refuse(ch, mcp_error_message(is_id(id) ? id : NULL, MCP_INVALID_REQUEST,
					     json_is_array(message)
						     ? "batches are not supported; send one message at a time"
						     : "this is not a JSON-RPC 2.0 message: a request, a "
						       "notification or a response",
					     NULL));
		break;
	}
}
