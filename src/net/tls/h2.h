/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a connection that speaks HTTP/2: a server's session towards the client, a client's towards the
 * host, and a stream of one for each of the other. Windows are opened as bytes go on, so a slow end holds up
 * the other.
 */
#ifndef NET_TLS_H2_H
#define NET_TLS_H2_H

#include <nghttp2/nghttp2.h>

#include "net/tls/conn.h"

#define H2_STREAMS 128u
#define H2_WINDOW  (256u << 10) /* of a stream */
#define H2_ALL     (1u << 20)   /* of all of them: so much is held at most, each way */
#define H2_RESETS  200u         /* that a client may send at once, and then so many in a second */
#define H2_RATE    50u

/* One direction of a stream. */
struct h2_flow {
	struct buf data;
	size_t at;
	size_t owed; /* bytes that came and for which no window was opened again */
	bool eof, deferred;
	struct message *trailers; /* owned */
};

struct h2_stream {
	struct h2_stream *next, **at;
	struct conn *conn;
	int32_t client_id, host_id; /* -1: none */
	bool client_closed, host_closed;
	bool answered; /* a final head went to the client */
	bool refused;  /* what the client still sends is not heard */
	bool holding;  /* the body is collected, to be hashed */
	bool too_big;
	bool head_only; /* the method is HEAD */
	struct place place;
	struct message
		*coming; /* owned; a head, or trailers, whose fields come in: of the client, of the host */
	struct message *coming_back;
	struct message *request; /* owned; waits for its body */
	struct verdict v;
	struct swap swap;
	bool swapping;
	struct body_scan scan;
	struct h2_flow up, down;
};

struct h2 {
	nghttp2_session *client, *host; /* owned; host may be NULL: it cannot be used */
	struct h2_stream *streams;      /* owned */
	size_t n_streams;
	bool leaving; /* the client was told that nothing new is taken */
	bool bad;     /* no memory, or worse */
	uint64_t resets, since;
};

/* H2_stream.c */
struct h2_stream *h2_stream_create(struct conn *c, int32_t client_id);
void h2_stream_destroy(struct h2_stream *s);
/* When both sides are done with it. */
void h2_stream_release(struct h2_stream *s);
/* The head of a request is complete; LAST: nothing follows. */
void h2_stream_ask(struct h2_stream *s, bool last);
/* Bytes of the request's body; LAST: those were all. */
void h2_stream_body(struct h2_stream *s, const char *data, size_t len, bool last);
void h2_stream_trailers(struct h2_stream *s);
/* A head came back from the host, or what follows a body. */
void h2_stream_answer(struct h2_stream *s, bool last);
void h2_stream_answer_body(struct h2_stream *s, const char *data, size_t len, bool last);
/* An answer of aisbx's own: s->v. */
void h2_stream_refuse(struct h2_stream *s);

#endif
