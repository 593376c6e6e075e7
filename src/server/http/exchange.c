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

/* What is refused is still read to its end up to this, or the client, who is writing, would not come to read
 * why. */
#define MAX_DRAINED (1u << 20)
/* A client that does not take its answer, and whose handler does not look. */
#define MAX_WAITING (64u << 20)
#define BLOCK       16384
/* So much of a body that streams is progress: a client that is slower than this in its time is too slow. */
#define PROGRESS 65536
/* So little is left that more should come. */
#define ROOM (256u << 10)

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

	if (exchange_check_shape(x) && exchange_check_access(x))
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
	const size_t most = exchange_max_body(x);

	x->counted += len;
	if (x->response) /* it is refused */
		return x->counted > most + MAX_DRAINED ? MHD_NO : MHD_YES;
	if (x->counted > most || x->http->body_bytes + len > MAX_BODIES) {
		x->http->body_bytes -= x->body.len;
		buf_finish(&x->body);
		exchange_refuse(x, MHD_HTTP_CONTENT_TOO_LARGE, "limit", "a body%s may have at most %zu bytes",
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
		return exchange_streams(x) && !x->queued ? hand_over_early(x) : MHD_YES;
	}
	if (exchange_streams(x) && x->handed && !x->complete) {
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
