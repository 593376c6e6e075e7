/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may ask for what: shape, token, rate, Host, Origin, place and size of a request, before anything of it
 * is used.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/time.h"
#include "server/http/http_check.h"
#include "server/http/internal.h"

/* Of a body that does not say how long it will be. */
#define MAX_UNTOLD (4u << 20)
/* When all places are taken. */
#define BUSY_MS 1000

/* DATA: a reference to keep. */
static bool refuse_with(struct exchange *x, unsigned int status, const char *raw, json_t *data)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_mem) char *body = NULL;
	json_t *j;

	buf_add_utf8(&text, raw, strlen(raw)); /* it may quote what the client sent */
	j = json_pack("{s:s, s:n, s:{s:i, s:s, s:o}}", "jsonrpc", "2.0", "id", "error", "code", -32000,
		      "message", buf_str(&text) ? text.data : "", "data", data);
	body = j ? json_dumps(j, JSON_COMPACT) : NULL;
	json_decref(j);
	exchange_reply(x, status, "application/json", body ? body : "{}", body ? strlen(body) : 2);
	return false;
}

bool exchange_refuse(struct exchange *x, unsigned int status, const char *kind, const char *fmt, ...)
{
	char raw[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	return refuse_with(x, status, raw, json_pack("{s:s}", "kind", kind));
}

void exchange_add_retry(struct exchange *x, uint32_t ms)
{
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%u", ms / 1000 + (ms % 1000 != 0));
	exchange_add_header(x, "Retry-After", seconds);
}

/* Not now: the client may come back. */
static bool refuse_for_now(struct exchange *x, unsigned int status, uint32_t ms, const char *why)
{
	char text[128];

	snprintf(text, sizeof(text), "%s; try again in %u ms", why, ms);
	exchange_add_retry(x, ms);
	return refuse_with(x, status, text,
			   json_pack("{s:s, s:I}", "kind", "limit", "retry_after_ms", (json_int_t)ms));
}

static bool check_rate(struct exchange *x, const struct rate *rate, struct bucket *bucket)
{
	const uint32_t ms = bucket_take(bucket, rate->n ? rate : &x->http->how.rate, time_ms());

	return !ms || refuse_for_now(x, MHD_HTTP_TOO_MANY_REQUESTS, ms, "too many requests with this token");
}

/* How often each header is there of those that say one thing. */
struct counts {
	unsigned int length, coding, host, origin, authorization, type;
	bool odd; /* a name or a value that is none */
};

static enum MHD_Result count(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct counts *n = cls;
	const struct {
		const char *name;
		unsigned int *count;
	} once[] = { { "Content-Length", &n->length },
		     { "Transfer-Encoding", &n->coding },
		     { "Host", &n->host },
		     { "Origin", &n->origin },
		     { "Authorization", &n->authorization },
		     { "Content-Type", &n->type } };

	(void)kind;
	n->odd |= !http_check_header(name, value ? value : "");
	for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++)
		if (!strcasecmp(name, once[i].name))
			++*once[i].count;
	return MHD_YES;
}

/* What two readers could read in two ways is not read at all: with a proxy in front that is how a request is
 * smuggled. */
bool exchange_check_shape(struct exchange *x)
{
	const char *coding = exchange_header(x, "Transfer-Encoding");
	struct counts n = { 0 };

	MHD_get_connection_values(x->c, MHD_HEADER_KIND, count, &n);
	x->untold = n.coding;
	x->last = true;
	if (n.odd)
		return exchange_refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
				       "a header has an invalid name or value");
	if (n.length > 1 || n.coding > 1 || n.host > 1 || n.origin > 1 || n.authorization > 1 || n.type > 1)
		return exchange_refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
				       "a header that may occur only once is repeated");
	if (n.length && n.coding)
		return exchange_refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
				       "Content-Length and Transfer-Encoding cannot be used together");
	if (coding && strcasecmp(coding, "chunked") != 0)
		return exchange_refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
				       "the only supported transfer encoding is chunked");
	/* The library loses a header that is continued on a second line; it might have been the one that
	 * tells of a body. */
	x->last = !n.length && !n.coding;
	if (x->last && !strcmp(x->method, "POST"))
		return exchange_refuse(x, MHD_HTTP_LENGTH_REQUIRED, "usage", "Content-Length is missing");
	return true;
}

static bool check_origin(struct exchange *x)
{
	const char *origin = exchange_header(x, "Origin");

	if (origin && !http_check_origin(origin, x->http->how.origins))
		return exchange_refuse(
			x, MHD_HTTP_FORBIDDEN, "denied",
			"pages of '%.100s' may not access this server; --origin allows an origin", origin);
	return true;
}

static bool check_host(struct exchange *x)
{
	const char *host = exchange_header(x, "Host");
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);

	getsockname(x->peer->fd, (struct sockaddr *)&local, &len);
	if (!host || !http_check_host(host, &local, x->http->how.hosts))
		return exchange_refuse(x, MHD_HTTP_FORBIDDEN, "denied",
				       "the Host '%.100s' is not a name of this server; --host adds one",
				       host ? host : "");
	return check_origin(x);
}

static const struct http_place *find_place(const struct exchange *x)
{
	const struct http_place *p = x->http->how.places;

	while (p && p->path && strcmp(p->path, x->path) != 0)
		p++;
	return p && p->path ? p : NULL;
}

/* A browser asks whether a page may ask, and without the token. */
static bool is_preflight(const struct exchange *x)
{
	return !strcmp(x->method, "OPTIONS") && exchange_header(x, "Origin") &&
	       exchange_header(x, "Access-Control-Request-Method");
}

static bool check_token(struct exchange *x)
{
	static const char bearer[] = "Bearer ";
	const char *given = exchange_header(x, "Authorization");
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct token *token = NULL;

	if (tokens_refresh(&x->http->tokens, &e) < 0) {
		exchange_add_header(x, "WWW-Authenticate", "Bearer realm=\"aisbx\"");
		return exchange_refuse(x, MHD_HTTP_UNAUTHORIZED, "denied",
				       "access denied: the token file cannot be used");
	}
	if (given && !strncasecmp(given, bearer, sizeof(bearer) - 1)) {
		given += sizeof(bearer) - 1;
		token = tokens_find(&x->http->tokens, given + strspn(given, " "));
	}
	if (token) {
		memcpy(x->token, token->name, sizeof(x->token));
		return check_rate(x, &token->rate, &token->bucket);
	}
	exchange_add_header(x, "WWW-Authenticate",
			    given ? "Bearer realm=\"aisbx\", error=\"invalid_token\""
				  : "Bearer realm=\"aisbx\"");
	return exchange_refuse(
		x, MHD_HTTP_UNAUTHORIZED, "denied",
		given ? "unknown token; `aisbx serve --show-token` prints the right one"
		      : "a request needs 'Authorization: Bearer TOKEN'; `aisbx serve --show-token` prints "
			"the token");
}

static bool check_caller(struct exchange *x)
{
	return x->http->how.no_token ? check_rate(x, &x->http->how.rate, &x->http->bucket) : check_token(x);
}

static bool check_place(struct exchange *x)
{
	const struct http_place *place = find_place(x);

	x->place = place;
	if (is_preflight(x)) {
		exchange_add_header(x, "Access-Control-Allow-Methods",
				    place ? place->allow : "GET, POST, PUT, DELETE");
		exchange_add_header(x, "Access-Control-Allow-Headers",
				    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, "
				    "Mcp-Protocol-Version, "
				    "Mcp-Method, Mcp-Name, Traceparent");
		exchange_add_header(x, "Access-Control-Max-Age", "600");
		exchange_reply(x, MHD_HTTP_NO_CONTENT, NULL, NULL, 0);
		return false;
	}
	if (!(place && place->open) && !check_caller(x))
		return false;
	if (!x->http->how.places)
		return true;
	if (!place)
		return exchange_refuse(x, MHD_HTTP_NOT_FOUND, "not_found", "nothing found at '%.200s'",
				       x->path);
	if (http_check_has_word(place->allow, x->method))
		return true;
	exchange_add_header(x, "Allow", place->allow);
	return exchange_refuse(x, MHD_HTTP_METHOD_NOT_ALLOWED, "usage", "'%s' supports %s, not %.20s",
			       place->path, place->allow, x->method);
}

bool exchange_streams(const struct exchange *x)
{
	return x->place && x->place->streams;
}

size_t exchange_max_body(const struct exchange *x)
{
	const size_t most = x->http->how.max_body;

	if (x->admitted)
		return x->most;
	if (exchange_streams(x))
		return x->place->streams;
	return x->untold && most > MAX_UNTOLD ? MAX_UNTOLD : most;
}

static bool check_size(struct exchange *x)
{
	const char *length = exchange_header(x, "Content-Length");
	uint64_t told = 0;

	if (length && (!str_to_u64(length, &told) || told > exchange_max_body(x)))
		return exchange_refuse(x, MHD_HTTP_CONTENT_TOO_LARGE, "limit",
				       "a body may have at most %zu bytes, this one has %.20s",
				       exchange_max_body(x), length);
	if ((!exchange_streams(x) && x->http->body_bytes + told > MAX_BODIES) ||
	    x->http->n_handed >= x->http->how.max_requests)
		return refuse_for_now(x, MHD_HTTP_SERVICE_UNAVAILABLE, BUSY_MS,
				      "too many requests are in progress");
	return true;
}

static bool check_body(struct exchange *x)
{
	const char *type = exchange_header(x, "Content-Type");

	if (!strcmp(x->method, "POST") && (!type || !http_check_is_json(type)))
		return exchange_refuse(x, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "usage",
				       "the body must be application/json, not '%.100s'", type ? type : "");
	return check_size(x);
}

/* That of the token whose request it is, by the word of `admit`. */
static bool check_rate_of_owner(struct exchange *x)
{
	for (size_t i = 0; i < x->http->tokens.n; i++) {
		struct token *token = &x->http->tokens.items[i];

		if (!strcmp(token->name, x->token))
			return check_rate(x, &token->rate, &token->bucket);
	}
	return true;
}

/* By the rules of the protocol that says it is its own, else by ours. */
bool exchange_check_access(struct exchange *x)
{
	const struct http_how *how = &x->http->how;
	const enum http_admit said =
		how->admit && !is_preflight(x) ? how->admit(how->ctx, x, &x->most) : HTTP_NOT_MINE;

	x->admitted = said == HTTP_MINE;
	if (said == HTTP_NOT_MINE)
		return check_host(x) && check_place(x) && check_body(x);
	return x->admitted && check_origin(x) && check_rate_of_owner(x) && check_size(x);
}
