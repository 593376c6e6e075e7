/* SPDX-License-Identifier: Apache-2.0 */
/* What http.c (the listener and its connections), exchange.c (the requests) and access.c (what they may)
 * share. */
#ifndef SERVER_HTTP_INTERNAL_H
#define SERVER_HTTP_INTERNAL_H

#include <microhttpd.h>

#include "base/buf.h"
#include "base/str.h"
#include "server/http/http.h"
#include "server/http/token.h"

/* A connection. */
struct peer {
	struct http *http;
	int fd;                    /* borrowed */
	uint64_t since_ms;         /* when it connected, started a request, or got its last answer */
	bool asking;               /* a request has begun to come */
	bool answering;            /* and has arrived completely, so it is our turn */
	bool sent_away;            /* it only has to be noticed */
	bool half;                 /* the client has closed its side */
	struct watch *watch;       /* for that */
	struct exchange *exchange; /* borrowed; the request that has its turn */
	struct peer *prev, *next;
};

struct http {
	struct loop *loop;   /* borrowed */
	struct http_how how; /* its texts: borrowed; numbers: as they are used */
	struct tokens tokens;
	struct bucket bucket; /* of everybody, where there is no token */
	struct MHD_Daemon *daemon;
	struct watch *watch;
	/* owned; readable: the library has something to do that it does not notice by itself */
	int wake_fd;
	struct watch *wake;
	bool woken;
	struct timer *timer; /* of the library */
	struct timer *sweep; /* of slow clients */
	struct peer *peers;  /* owned */
	size_t n_peers;
	struct exchange *exchanges; /* owned */
	size_t n_handed;            /* requests that somebody is answering */
	size_t body_bytes;          /* of all requests */
	bool running;               /* the library is calling us */
	bool closing;
	bool local; /* nobody else can reach it */
	char url[96];
};

/* Of all bodies that have not been answered. */
#define MAX_BODIES (64u << 20)

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

/* access.c: by the head of a request. False: it has its answer, which says no. */
bool exchange_check_shape(struct exchange *x);
bool exchange_check_access(struct exchange *x);
/* What its body may have. */
size_t exchange_max_body(const struct exchange *x);
/* It is handed over before its body. */
bool exchange_streams(const struct exchange *x);
/* An answer that says no, to be sent when the request has been read; false, so that a check can return it. */
__attribute__((format(printf, 4, 5))) bool exchange_refuse(struct exchange *x, unsigned int status,
							   const char *kind, const char *fmt, ...);

/* exchange.c: the callbacks of a request; CLS is the http. */
enum MHD_Result exchange_serve(void *cls, struct MHD_Connection *c, const char *url, const char *method,
			       const char *version, const char *data, size_t *len, void **x);
void exchange_done(void *cls, struct MHD_Connection *c, void **x, enum MHD_RequestTerminationCode why);
/* Its client has gone. */
void exchange_drop(struct exchange *x);
void exchange_drop_suspended(struct exchange *x);
struct exchange *exchange_next(struct exchange *x);
/* Soon, but not from here: the caller is in the middle of something, and the library may call it back. */
void http_wake(struct http *h);
struct peer *http_peer(struct MHD_Connection *c);

#endif
