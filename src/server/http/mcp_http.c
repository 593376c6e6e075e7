/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which session a request belongs to, and how sessions start and end; the streams of answers are in
 * mcp_stream.c.
 */
#include "server/http/mcp_http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/io.h"
#include "base/time.h"
#include "server/core/json.h"
#include "server/mcp/serve.h"
#include "server/http/mcp_stream.h"

#define MAX_CLIENTS 256
#define IDLE_MS     1800000
/* How often it is looked for who has gone, and waiting clients hear that we live. */
#define HOUSEKEEPING_MS 10000

static void refuse(struct exchange *x, unsigned int status, const json_t *id, int code, const char *text)
{
	json_t *error = mcp_error_message(id, code, text, NULL);
	char *dump = json_dumps(error, JSON_COMPACT);

	exchange_reply(x, status, "application/json", dump ? dump : "{}", dump ? strlen(dump) : 2);
	free(dump);
	json_decref(error);
}

static struct mcp_client *add_client(struct mcp_http *h, const char *token, bool stateless)
{
	struct mcp_client *c = calloc(1, sizeof(*c));
	char owner[MCP_OWNER_MAX];
	uint8_t bytes[16];

	if (!c || getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) || strlen(token) >= sizeof(c->token)) {
		free(c);
		return NULL;
	}
	strcpy(c->token, token);
	mcp_owner_of_token(token, !stateless, owner);
	if (!stateless)
		io_hex(bytes, sizeof(bytes), c->id);
	c->session = mcp_session_new(h->mcp, h->share ? NULL : owner, stateless);
	if (!c->session) {
		free(c);
		return NULL;
	}
	c->used_ms = time_ms();
	c->next = h->clients;
	if (c->next)
		c->next->prev = c;
	h->clients = c;
	h->n_clients++;
	return c;
}

static void end_client(struct mcp_http *h, struct mcp_client *c)
{
	mcp_session_end(c->session);
	mcp_streams_end(c);
	if (c->next)
		c->next->prev = c->prev;
	if (c->prev)
		c->prev->next = c->next;
	else
		h->clients = c->next;
	h->n_clients--;
	free(c);
}

/* By the session it names and the token it came with: another's session is not there. */
static struct mcp_client *find_client(const struct mcp_http *h, const char *id, const char *token)
{
	for (struct mcp_client *c = h->clients; c; c = c->next)
		if (!strcmp(c->id, id) && !strcmp(c->token, token))
			return c;
	return NULL;
}

/* Room for one more: whoever has been idle longest goes. */
static bool make_room(struct mcp_http *h)
{
	struct mcp_client *oldest = NULL;

	if (h->n_clients < MAX_CLIENTS)
		return true;
	for (struct mcp_client *c = h->clients; c; c = c->next)
		if (!mcp_session_is_busy(c->session) && (!oldest || c->used_ms < oldest->used_ms))
			oldest = c;
	if (oldest)
		end_client(h, oldest);
	return oldest;
}

static void keep_house(void *ctx)
{
	struct mcp_http *h = ctx;
	uint64_t now = time_ms();

	for (struct mcp_client *c = h->clients, *next; c; c = next) {
		next = c->next;
		mcp_streams_tend(c, now);
		if (mcp_session_is_busy(c->session))
			c->used_ms = now;
		else if (now - c->used_ms > IDLE_MS)
			end_client(h, c);
	}
	timer_set(h->timer, HOUSEKEEPING_MS);
}

/* Whether a client that says what it takes takes that. */
static bool accepts(const struct exchange *x, const char *type)
{
	const char *accept = exchange_header(x, "Accept");

	return !accept || strcasestr(accept, type) || strstr(accept, "*/*");
}

/* The session that the request names; NULL: it has been refused. */
static struct mcp_client *named_client(struct mcp_http *h, struct exchange *x, const json_t *id)
{
	const char *name = exchange_header(x, "Mcp-Session-Id");
	struct mcp_client *c = name && *name ? find_client(h, name, exchange_token(x)) : NULL;

	if (!name)
		refuse(x, 400, id, MCP_INVALID_REQUEST,
		       "this needs the header Mcp-Session-Id of a session, which initialize opens; or "
		       "MCP-Protocol-Version: " MCP_MODERN);
	else if (!c)
		refuse(x, 404, id, MCP_INVALID_REQUEST,
		       "the session does not exist, or has ended; open another with initialize");
	else
		c->used_ms = time_ms();
	return c;
}

static struct mcp_client *new_client(struct mcp_http *h, struct exchange *x, bool stateless)
{
	struct mcp_client *c = stateless ? find_client(h, "", exchange_token(x)) : NULL;

	if (!c && make_room(h))
		c = add_client(h, exchange_token(x), stateless);
	if (!c) {
		exchange_add_header(x, "Retry-After", "10");
		refuse(x, 503, NULL, MCP_INTERNAL, "too many sessions; end one");
		return NULL;
	}
	c->used_ms = time_ms();
	return c;
}

/* Whoever says another version than those with sessions, in the header or in the message, asks
 * without one. */
static bool is_stateless(const struct exchange *x, const json_t *message)
{
	const char *version = exchange_header(x, "MCP-Protocol-Version");

	return mcp_is_modern(message) || (version && !mcp_is_legacy_version(version));
}

static void post(struct mcp_http *h, struct exchange *x, const json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *id = json_object_get(message, "id");
	const bool stateless = is_stateless(x, message),
		   opens = !stateless && method && !strcmp(method, "initialize") && id;
	struct mcp_client *c = stateless || opens ? new_client(h, x, stateless) : named_client(h, x, id);
	struct mcp_stream *s;

	if (!c)
		return;
	if (mcp_kind(message) == MCP_NOTIFICATION || mcp_kind(message) == MCP_RESPONSE) {
		mcp_receive(c->session, NULL, message);
		exchange_reply(x, 202, NULL, NULL, 0);
		return;
	}
	s = mcp_stream_new(c, x, stateless, accepts(x, "text/event-stream"));
	if (!s) {
		refuse(x, 500, id, MCP_INTERNAL, "out of memory");
		return;
	}
	mcp_receive(c->session, &s->channel, message);
	if (opens && !mcp_session_is_open(c->session))
		end_client(h, c);
}

static void take_post(struct mcp_http *h, struct exchange *x)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *message;
	const char *body;
	size_t len;

	if (!accepts(x, "application/json") && !accepts(x, "text/event-stream")) {
		refuse(x, 406, NULL, MCP_INVALID_REQUEST,
		       "the client must accept both application/json and text/event-stream");
		return;
	}
	body = exchange_body(x, &len);
	message = server_json_read(body, len, &e);
	if (!message) {
		refuse(x, 400, NULL, MCP_PARSE_ERROR, e.text);
		return;
	}
	if (mcp_kind(message) == MCP_NOTHING)
		refuse(x, 400, NULL, MCP_INVALID_REQUEST,
		       "the body must be one JSON-RPC 2.0 message: a request, a notification or a response");
	else
		post(h, x, message);
	json_decref(message);
}

/* A standing stream for what belongs to no request, or one that broke off. */
static void take_get(struct mcp_http *h, struct exchange *x)
{
	const char *last = exchange_header(x, "Last-Event-ID");
	struct mcp_client *c;

	if (!exchange_header(x, "Mcp-Session-Id")) {
		exchange_add_header(x, "Allow", "POST");
		refuse(x, 405, NULL, MCP_INVALID_REQUEST, "without a session only POST is supported");
		return;
	}
	if (!accepts(x, "text/event-stream")) {
		refuse(x, 406, NULL, MCP_INVALID_REQUEST,
		       "events are sent as text/event-stream; the client must accept that");
		return;
	}
	c = named_client(h, x, NULL);
	if (!c || (last && mcp_stream_resume(c, x, last)))
		return;
	if (!mcp_stream_stand(c, x))
		refuse(x, 500, NULL, MCP_INTERNAL, "out of memory");
}

static void take_delete(struct mcp_http *h, struct exchange *x)
{
	struct mcp_client *c = named_client(h, x, NULL);

	if (!c)
		return;
	end_client(h, c);
	exchange_reply(x, 204, NULL, NULL, 0);
}

void mcp_http_request(struct mcp_http *h, struct exchange *x)
{
	const char *method = exchange_method(x);

	if (h->stopping) {
		refuse(x, 503, NULL, MCP_INTERNAL, "the server is shutting down");
	} else if (!strcmp(method, "POST")) {
		take_post(h, x);
	} else if (!strcmp(method, "GET")) {
		take_get(h, x);
	} else if (!strcmp(method, "DELETE")) {
		take_delete(h, x);
	} else {
		exchange_add_header(x, "Allow", "POST, GET, DELETE");
		refuse(x, 405, NULL, MCP_INVALID_REQUEST, "this path supports POST, GET and DELETE");
	}
}

int mcp_http_open(struct loop *l, const struct mcp_how *how, bool share, struct mcp_http **ret_http,
		  struct aisbx_error *e)
{
	struct mcp_http *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "set up the server");
	h->share = share;
	r = mcp_open(l, how, &h->mcp, e);
	if (r == 0)
		r = timer_add(l, keep_house, h, &h->timer, e);
	if (r < 0) {
		mcp_http_close(h);
		return r;
	}
	timer_set(h->timer, HOUSEKEEPING_MS);
	*ret_http = h;
	return 0;
}

void mcp_http_stop(struct mcp_http *h, void (*stopped)(void *ctx), void *ctx)
{
	h->stopping = true;
	timer_end(&h->timer);
	while (h->clients)
		end_client(h, h->clients);
	mcp_stop(h->mcp, stopped, ctx);
}

void mcp_http_close(struct mcp_http *h)
{
	if (!h)
		return;
	timer_end(&h->timer);
	mcp_close(h->mcp);
	free(h);
}
