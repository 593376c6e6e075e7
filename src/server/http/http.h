/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP for the protocols behind it: access (token, Origin, Host, size, number) is decided here, before a
 * protocol sees a request. In the loop, in its one thread, with libmicrohttpd.
 */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include <stddef.h>

#include "server/core/loop.h"
#include "server/http/rate.h"

struct http;
struct exchange; /* one request and its answer */

/* What may be asked for. */
struct http_place {
	const char *path;
	const char *allow; /* methods, as the header of that name has them: "GET, POST" */
	bool open;         /* also without a token */
	/* 0, or: it is handed over before its body, which comes in pieces, at most so many bytes of it */
	uint64_t streams;
};

/* One answered request, for a log: never its content or its token, only the name. */
struct http_record {
	const char *method, *path, *token, *trace_id;
	unsigned int status; /* 0: the client disconnected before there was an answer */
	double ms;
};

/* What a protocol with rules of its own for access says of a request when its head has come. */
enum http_admit {
	HTTP_NOT_MINE, /* the rules of this server hold */
	HTTP_MINE,     /* it may be collected, up to a size, and goes to `request` */
	HTTP_REFUSED,  /* it has been answered */
};

struct http_how {
	const char *address;    /* "127.0.0.1:0", "[::1]:8080" */
	const char *token_file; /* who has access; see http_token_file */
	/* anybody on this machine has access; a person chose it, and it is logged */
	bool no_token;
	struct rate rate;                /* of each token that has none of its own; n 0: no limit */
	const char *const *origins;      /* further allowed ones, ends with NULL; may be NULL */
	const char *const *hosts;        /* the same for Host */
	const struct http_place *places; /* ends with path NULL; NULL: `request` decides about everything */
	size_t max_body, max_connections, max_requests; /* 0: as customary */
	/* time limit for a client to send its request, or to read a part of the answer; 0: default */
	uint64_t client_ms;
	/* An accepted request, with its whole body. It must be answered, now or later. */
	void (*request)(void *ctx, struct exchange *x);
	/* NULL, or asked about each request before anything but its shape is checked */
	enum http_admit (*admit)(void *ctx, struct exchange *x, size_t *ret_max_body);
	void (*log)(void *ctx, const struct http_record *r); /* NULL: no log */
	void *ctx;
};

int http_open(struct loop *l, const struct http_how *how, struct http **ret_http, struct aisbx_error *e);
/* Clients that still wait are disconnected, and the ends of their exchanges reported. */
void http_close(struct http *h);
/* The address it listens on, with the actual port: "http://127.0.0.1:43210" */
const char *http_url(const struct http *h);
/* Only this machine can reach it. */
bool http_is_local(const struct http *h);

const char *exchange_method(const struct exchange *x);
const char *exchange_path(const struct exchange *x);
/* NULL: it has none. */
const char *exchange_header(const struct exchange *x, const char *name);
/* As it was written, with its escapes; NULL: it has none. */
const char *exchange_query(const struct exchange *x, const char *name);
/* Ends with a NUL that is not counted. */
const char *exchange_body(const struct exchange *x, size_t *ret_len);
/* The name of the token it came with: "default"; "" with no_token. */
const char *exchange_token(const struct exchange *x);
/* For `admit`: the token number N, and its name, both borrowed; NULL: there are no more. */
const char *exchange_known_token(const struct exchange *x, size_t n, const char **ret_name);
/* For `admit`: whose request it is. */
void exchange_set_token(struct exchange *x, const char *name);
/* It was `admit` that let it in. */
bool exchange_is_admitted(const struct exchange *x);
/* 32 hexadecimal digits: of the client's traceparent, or new. */
const char *exchange_trace(const struct exchange *x);

/* An argument of the address, as it was written; NULL: it has none. */
const char *exchange_query(const struct exchange *x, const char *name);
/*
 * Of a place that streams: TAKE gets each piece of the body, and NULL at its end. False: it has enough for
 * now; until exchange_more() no more comes than the connection holds already. The answer, if it is given
 * before the end, is sent after it.
 */
void exchange_on_body(struct exchange *x, bool (*take)(void *ctx, const char *data, size_t len), void *ctx);
void exchange_more(struct exchange *x);
/* FN is called when hardly anything of what was given to exchange_send is left. */
void exchange_on_room(struct exchange *x, void (*fn)(void *ctx), void *ctx);

/* Called once when the client has gone, or the answer is complete; X is freed after it. */
void exchange_on_end(struct exchange *x, void (*fn)(void *ctx), void *ctx);
/* For the answer; before it begins. */
void exchange_add_header(struct exchange *x, const char *name, const char *value);
/* The client may come back in so many milliseconds; as a header that is whole seconds. */
void exchange_add_retry(struct exchange *x, uint32_t ms);
/* The whole answer. TYPE NULL: no content. */
void exchange_reply(struct exchange *x, unsigned int status, const char *type, const char *body, size_t len);
/* Or in parts as they come, with status 200; each is sent at once. */
void exchange_begin(struct exchange *x, const char *type);
void exchange_send(struct exchange *x, const char *data, size_t len);
/* Bytes given to exchange_send that the client has not read. */
size_t exchange_waiting(const struct exchange *x);
void exchange_end(struct exchange *x);

/* Makes the file with a token named "default" if there is none; a line "NAME TOKEN" each. Heap, or NULL with
 * an error. */
char *http_token_file(struct aisbx_error *e);

#endif
