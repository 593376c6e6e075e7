/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request: checked, collected, handled, answered. While we have nothing to send, the library does not
 * watch its connection (it is suspended), so a client that disconnects meanwhile is noticed here.
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/time.h"
#include "server/http/http_check.h"
#include "server/http/internal.h"

/* Of a body that does not say how long it will be. */
#define MAX_UNTOLD (4u << 20)
/* Of all bodies that have not been answered. */
#define MAX_BODIES (64u << 20)
/* What is refused is still read to its end up to this, or the client, who is writing, would not come to read
 * why. */
#define MAX_DRAINED (1u << 20)
/* A client that does not take its answer, and whose handler does not look. */
#define MAX_WAITING (64u << 20)
#define BLOCK       16384
/* When all places are taken. */
#define BUSY_MS 1000
/* So much of a body that streams is progress: a client that is slower than this in its time is too slow. */
#define PROGRESS 65536
/* So little is left that more should come. */
#define ROOM (256u << 10)

struct exchange {
	struct http *http;
	struct MHD_Connection *c;
	struct peer *peer;
	const char *method, *path; /* borrowed of the library */
	char token[TOKEN_NAME_MAX], trace[33];
	double began_us;
	struct buf body;
	size_t counted; /* bytes of the body that came */
	bool untold;    /* how many will come */
	bool admitted;  /* by a protocol with rules of its own */
	size_t most;    /* of the body, of that */
	bool last;      /* of its connection: what follows may not be what it seems */

	unsigned int status;           /* of the answer */
	struct MHD_Response *response; /* owned; until it is queued */
	struct strlist headers;        /* name, value, name ... */
	struct buf out;                /* of a stream: what has not been taken */
	size_t out_at;
	bool handed, suspended, queued, gone, ended;

	const struct http_place *place;
	bool (*take)(void *ctx, const char *data, size_t len);
	void *take_ctx;
	void (*room)(void *ctx);
	void *room_ctx;
	size_t noticed; /* of counted: when its time began again */
	bool complete;  /* its body */

	void (*on_end)(void *ctx);
	void *ctx;
	struct exchange *prev, *next;
};

struct exchange *exchange_next(struct exchange *x)
{
	return x->next;
}

static void resume(struct exchange *x)
{
	if (!x->suspended)
		return;
	x->suspended = false;
	MHD_resume_connection(x->c);
	http_wake(x->http);
}

void exchange_drop(struct exchange *x)
{
	x->gone = true;
	resume(x);
}

void exchange_drop_suspended(struct exchange *x)
{
	if (x->suspended)
		exchange_drop(x);
}

static void suspend(struct exchange *x)
{
	/* Nobody would wake it, or nobody is waiting for it. */
	if (x->http->closing || x->peer->half || !x->peer->watch)
		x->gone = true;
	if (x->gone || x->suspended) /* the library may give what it has of a body, all the same */
		return;
	MHD_suspend_connection(x->c);
	x->suspended = true;
}

void exchange_add_header(struct exchange *x, const char *name, const char *value)
{
	strlist_add(&x->headers, name);
	strlist_add(&x->headers, value);
}

/* A page that may ask may also read the answer. */
static void add_cors(struct exchange *x)
{
	const char *origin = exchange_header(x, "Origin");

	if (!origin || !http_check_origin(origin, x->http->how.origins))
		return;
	MHD_add_response_header(x->response, "Access-Control-Allow-Origin", origin);
	MHD_add_response_header(x->response, "Access-Control-Expose-Headers",
				"Mcp-Session-Id, Retry-After, WWW-Authenticate");
	MHD_add_response_header(x->response, "Vary", "Origin");
}

static void prepare(struct exchange *x, unsigned int status, const char *type)
{
	x->status = status;
	if (!x->response) {
		exchange_drop(x);
		return;
	}
	if (type)
		MHD_add_response_header(x->response, "Content-Type", type);
	MHD_add_response_header(x->response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(x->response, "Cache-Control", "no-store");
	add_cors(x);
	for (size_t i = 0; i + 1 < x->headers.n; i += 2)
		MHD_add_response_header(x->response, x->headers.items[i], x->headers.items[i + 1]);
	resume(x);
}

void exchange_reply(struct exchange *x, unsigned int status, const char *type, const char *body, size_t len)
{
	if (x->response || x->queued)
		return;
	x->response = MHD_create_response_from_buffer(type ? len : 0, type ? (void *)body : (void *)"",
						      MHD_RESPMEM_MUST_COPY);
	prepare(x, status, type);
}

/* Called by the library whenever the client could take more. */
static ssize_t give(void *cls, uint64_t pos, char *room, size_t cap)
{
	struct exchange *x = cls;
	size_t n = exchange_waiting(x);

	(void)pos;
	if (x->gone || x->out.failed)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (n) {
		n = n < cap ? n : cap;
		memcpy(room, x->out.data + x->out_at, n);
		x->out_at += n;
		if (x->room && exchange_waiting(x) < ROOM)
			x->room(x->room_ctx);
		return (ssize_t)n;
	}
	if (x->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	buf_finish(&x->out);
	x->out_at = 0;
	suspend(x);
	return x->gone ? MHD_CONTENT_READER_END_WITH_ERROR : 0;
}

void exchange_begin(struct exchange *x, const char *type)
{
	if (x->response || x->queued)
		return;
	x->response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, give, x, NULL);
	prepare(x, MHD_HTTP_OK, type);
}

void exchange_send(struct exchange *x, const char *data, size_t len)
{
	if (x->gone || x->ended)
		return;
	if (x->out_at > BLOCK && x->out_at > x->out.len / 2) {
		memmove(x->out.data, x->out.data + x->out_at, x->out.len - x->out_at);
		x->out.len -= x->out_at;
		x->out_at = 0;
	}
	buf_add(&x->out, data, len);
	if (x->out.failed || exchange_waiting(x) > MAX_WAITING)
		exchange_drop(x);
	else
		resume(x);
}

size_t exchange_waiting(const struct exchange *x)
{
	return x->out.len - x->out_at;
}

void exchange_end(struct exchange *x)
{
	x->ended = true;
	resume(x);
}

const char *exchange_method(const struct exchange *x)
{
	return x->method;
}

const char *exchange_path(const struct exchange *x)
{
	return x->path;
}

const char *exchange_header(const struct exchange *x, const char *name)
{
	return MHD_lookup_connection_value(x->c, MHD_HEADER_KIND, name);
}

const char *exchange_query(const struct exchange *x, const char *name)
{
	return MHD_lookup_connection_value(x->c, MHD_GET_ARGUMENT_KIND, name);
}

const char *exchange_body(const struct exchange *x, size_t *ret_len)
{
	*ret_len = x->body.len;
	return x->body.len ? x->body.data : "";
}

const char *exchange_token(const struct exchange *x)
{
	return x->token;
}

const char *exchange_known_token(const struct exchange *x, size_t n, const char **ret_name)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if ((!n && tokens_refresh(&x->http->tokens, &e) < 0) || n >= x->http->tokens.n)
		return NULL;
	*ret_name = x->http->tokens.items[n].name;
	return x->http->tokens.items[n].text;
}

void exchange_set_token(struct exchange *x, const char *name)
{
	snprintf(x->token, sizeof(x->token), "%s", name);
}

bool exchange_is_admitted(const struct exchange *x)
{
	return x->admitted;
}

const char *exchange_trace(const struct exchange *x)
{
	return x->trace;
}

void exchange_on_end(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->on_end = fn;
	x->ctx = ctx;
}

void exchange_on_body(struct exchange *x, bool (*take)(void *ctx, const char *data, size_t len), void *ctx)
{
	x->take = take;
	x->take_ctx = ctx;
}

void exchange_more(struct exchange *x)
{
	x->peer->since_ms = time_ms(); /* that it waited was not its own doing */
	if (!x->complete || x->response)
		resume(x);
}

void exchange_on_room(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->room = fn;
	x->room_ctx = ctx;
}

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

/* An answer that says no, to be sent when the request has been read; false, so that a check can return it. */
static __attribute__((format(printf, 4, 5))) bool refuse(struct exchange *x, unsigned int status,
							 const char *kind, const char *fmt, ...)
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
static bool check_shape(struct exchange *x)
{
	const char *coding = exchange_header(x, "Transfer-Encoding");
	struct counts n = { 0 };

	MHD_get_connection_values(x->c, MHD_HEADER_KIND, count, &n);
	x->untold = n.coding;
	x->last = true;
	if (n.odd)
		return refuse(x, MHD_HTTP_BAD_REQUEST, "usage", "a header has an invalid name or value");
	if (n.length > 1 || n.coding > 1 || n.host > 1 || n.origin > 1 || n.authorization > 1 || n.type > 1)
		return refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
			      "a header that may occur only once is repeated");
	if (n.length && n.coding)
		return refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
			      "Content-Length and Transfer-Encoding cannot be used together");
	if (coding && strcasecmp(coding, "chunked") != 0)
		return refuse(x, MHD_HTTP_BAD_REQUEST, "usage",
			      "the only supported transfer encoding is chunked");
	/* The library loses a header that is continued on a second line; it might have been the one that
	 * tells of a body. */
	x->last = !n.length && !n.coding;
	if (x->last && !strcmp(x->method, "POST"))
		return refuse(x, MHD_HTTP_LENGTH_REQUIRED, "usage", "Content-Length is missing");
	return true;
}

static bool check_origin(struct exchange *x)
{
	const char *origin = exchange_header(x, "Origin");

	if (origin && !http_check_origin(origin, x->http->how.origins))
		return refuse(x, MHD_HTTP_FORBIDDEN, "denied",
			      "pages of '%.100s' may not access this server; --origin allows an origin",
			      origin);
	return true;
}

static bool check_host(struct exchange *x)
{
	const char *host = exchange_header(x, "Host");
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);

	getsockname(x->peer->fd, (struct sockaddr *)&local, &len);
	if (!host || !http_check_host(host, &local, x->http->how.hosts))
		return refuse(x, MHD_HTTP_FORBIDDEN, "denied",
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
		return refuse(x, MHD_HTTP_UNAUTHORIZED, "denied",
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
	return refuse(
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
		return refuse(x, MHD_HTTP_NOT_FOUND, "not_found", "nothing found at '%.200s'", x->path);
	if (http_check_has_word(place->allow, x->method))
		return true;
	exchange_add_header(x, "Allow", place->allow);
	return refuse(x, MHD_HTTP_METHOD_NOT_ALLOWED, "usage", "'%s' supports %s, not %.20s", place->path,
		      place->allow, x->method);
}

static bool streams(const struct exchange *x)
{
	return x->place && x->place->streams;
}

static size_t max_body(const struct exchange *x)
{
	const size_t most = x->http->how.max_body;

	if (x->admitted)
		return x->most;
	if (streams(x))
		return x->place->streams;
	return x->untold && most > MAX_UNTOLD ? MAX_UNTOLD : most;
}

static bool check_size(struct exchange *x)
{
	const char *length = exchange_header(x, "Content-Length");
	uint64_t told = 0;

	if (length && (!str_to_u64(length, &told) || told > max_body(x)))
		return refuse(x, MHD_HTTP_CONTENT_TOO_LARGE, "limit",
			      "a body may have at most %zu bytes, this one has %.20s", max_body(x), length);
	if ((!streams(x) && x->http->body_bytes + told > MAX_BODIES) ||
	    x->http->n_handed >= x->http->how.max_requests)
		return refuse_for_now(x, MHD_HTTP_SERVICE_UNAVAILABLE, BUSY_MS,
				      "too many requests are in progress");
	return true;
}

static bool check_body(struct exchange *x)
{
	const char *type = exchange_header(x, "Content-Type");

	if (!strcmp(x->method, "POST") && (!type || !http_check_is_json(type)))
		return refuse(x, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "usage",
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
static bool check_access(struct exchange *x)
{
	const struct http_how *how = &x->http->how;
	const enum http_admit said =
		how->admit && !is_preflight(x) ? how->admit(how->ctx, x, &x->most) : HTTP_NOT_MINE;

	x->admitted = said == HTTP_MINE;
	if (said == HTTP_NOT_MINE)
		return check_host(x) && check_place(x) && check_body(x);
	return x->admitted && check_origin(x) && check_rate_of_owner(x) && check_size(x);
}

static void set_trace(struct exchange *x)
{
	const char *parent = exchange_header(x, "traceparent");
	unsigned char bytes[16];

	if (parent && http_check_trace(parent, x->trace))
		return;
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort(); /* cannot fail for 16 bytes since Linux 3.17 */
	io_hex(bytes, sizeof(bytes), x->trace);
}

static struct exchange *begin(struct http *h, struct MHD_Connection *c, const char *path, const char *method)
{
	struct peer *peer = http_peer(c);
	struct exchange *x = peer ? calloc(1, sizeof(*x)) : NULL;

	if (!x)
		return NULL;
	*x = (struct exchange){ .http = h,
				.c = c,
				.peer = peer,
				.method = method,
				.path = path,
				.began_us = (double)time_us(),
				.next = h->exchanges };
	if (h->exchanges)
		h->exchanges->prev = x;
	h->exchanges = x;
	peer->exchange = x;
	set_trace(x);
	return x;
}

static enum MHD_Result answer(struct exchange *x)
{
	enum MHD_Result r;

	if (x->last)
		MHD_add_response_header(x->response, "Connection", "close");
	r = MHD_queue_response(x->c, x->status, x->response);
	MHD_destroy_response(x->response);
	x->response = NULL;
	x->queued = true;
	x->peer->answering = true;
	return r;
}

/* The head of a request. One that is refused is heard to its end if that is near, else the client would write
 * to nobody. */
static enum MHD_Result check(struct exchange *x)
{
	const char *length = exchange_header(x, "Content-Length");
	uint64_t told = 0;

	if (check_shape(x) && check_access(x))
		return MHD_YES;
	if (!x->response)
		return MHD_NO;
	if (!x->last && length && str_to_u64(length, &told) && told <= MAX_DRAINED &&
	    !exchange_header(x, "Expect"))
		return MHD_YES;
	x->last = true;
	return answer(x);
}

static enum MHD_Result collect(struct exchange *x, const char *data, size_t len)
{
	const size_t most = max_body(x);

	x->counted += len;
	if (x->response) /* it is refused */
		return x->counted > most + MAX_DRAINED ? MHD_NO : MHD_YES;
	if (x->counted > most || x->http->body_bytes + len > MAX_BODIES) {
		x->http->body_bytes -= x->body.len;
		buf_finish(&x->body);
		refuse(x, MHD_HTTP_CONTENT_TOO_LARGE, "limit", "a body%s may have at most %zu bytes",
		       x->untold ? " without Content-Length" : "", most);
		return MHD_YES;
	}
	buf_add(&x->body, data, len);
	if (x->body.failed)
		return MHD_NO;
	x->http->body_bytes += len;
	return MHD_YES;
}

static enum MHD_Result hand_over(struct exchange *x)
{
	if (!x->response && !x->handed) {
		x->handed = true;
		x->http->n_handed++;
		x->peer->answering = true;
		if (!buf_str(&x->body))
			return MHD_NO;
		x->http->how.request(x->http->how.ctx, x);
	}
	if (!x->response && !x->gone)
		suspend(x);
	if (x->gone)
		return MHD_NO;
	return x->response ? answer(x) : MHD_YES;
}

/* Before its body; of one that is answered at once the body is not wanted. */
static enum MHD_Result hand_over_early(struct exchange *x)
{
	if (x->response) /* it is refused */
		return MHD_YES;
	x->handed = true;
	x->http->n_handed++;
	x->http->how.request(x->http->how.ctx, x);
	if (x->gone)
		return MHD_NO;
	if (!x->response)
		return MHD_YES;
	x->last = true;
	return answer(x);
}

/* A piece of a body, or its end. An answer that is there before the end is heard by who has written all. */
static enum MHD_Result pass_on(struct exchange *x, const char *data, size_t len)
{
	x->counted += len;
	if (x->counted > x->place->streams || x->gone)
		return MHD_NO;
	if (x->counted - x->noticed >= PROGRESS) {
		x->noticed = x->counted;
		x->peer->since_ms = time_ms();
	}
	if (!x->response && x->take && !x->take(x->take_ctx, data, len) && len && !x->response)
		suspend(x);
	return x->gone ? MHD_NO : MHD_YES;
}

enum MHD_Result exchange_serve(void *cls, struct MHD_Connection *c, const char *url, const char *method,
			       const char *version, const char *data, size_t *len, void **ctx)
{
	struct exchange *x = *ctx;
	size_t n = *len;

	(void)version;
	if (!x) {
		*ctx = x = begin(cls, c, url, method);
		if (!x || check(x) != MHD_YES)
			return MHD_NO;
		return streams(x) && !x->queued ? hand_over_early(x) : MHD_YES;
	}
	if (streams(x) && x->handed && !x->complete) {
		*len = 0;
		x->complete = !n;
		if (pass_on(x, n ? data : NULL, n) != MHD_YES)
			return MHD_NO;
		if (n)
			return MHD_YES;
		x->peer->answering = true;
	}
	if (!n)
		return hand_over(x);
	*len = 0;
	return collect(x, data, n);
}

static void tell(const struct exchange *x)
{
	const struct http_how *how = &x->http->how;
	const struct http_record r = { .method = x->method,
				       .path = x->path,
				       .token = x->token,
				       .trace_id = x->trace,
				       .status = x->queued ? x->status : 0,
				       .ms = ((double)time_us() - x->began_us) / 1000 };

	if (how->log)
		how->log(how->ctx, &r);
}

void exchange_done(void *cls, struct MHD_Connection *c, void **ctx, enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *ctx;

	(void)cls;
	(void)c;
	(void)why;
	if (!x)
		return;
	*ctx = NULL;
	x->peer->exchange = NULL;
	tell(x);
	x->gone = true; /* what on_end still says goes nowhere */
	if (x->on_end)
		x->on_end(x->ctx);
	x->peer->asking = x->peer->answering = false;
	x->peer->since_ms = time_ms();
	x->http->body_bytes -= x->body.len;
	if (x->handed)
		x->http->n_handed--;
	if (x->next)
		x->next->prev = x->prev;
	if (x->prev)
		x->prev->next = x->next;
	else
		x->http->exchanges = x->next;
	if (x->response)
		MHD_destroy_response(x->response);
	strlist_finish(&x->headers);
	buf_finish(&x->body);
	buf_finish(&x->out);
	free(x);
}
