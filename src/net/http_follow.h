/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way from client to server of a plain HTTP connection that is kept: what may pass, and where the next
 * head begins, so that each is checked. Pure: no system calls, no allocation, no buffer of its own.
 */
#ifndef NET_HTTP_FOLLOW_H
#define NET_HTTP_FOLLOW_H

#include "net/http_head.h"

#define HTTP_LINE_MAX    4096  /* of a chunk's size with its extensions, and of a trailer */
#define HTTP_TRAILER_MAX 16384 /* of all trailers of a request */

enum http_follow_state {
	HTTP_FOLLOW_HEAD,  /* a head comes next */
	HTTP_FOLLOW_CHECK, /* it was shown and waits for http_follow_accept */
	HTTP_FOLLOW_HEAD_PASS,
	HTTP_FOLLOW_BODY,
	HTTP_FOLLOW_SIZE,
	HTTP_FOLLOW_CHUNK,
	HTTP_FOLLOW_CHUNK_END,
	HTTP_FOLLOW_TRAILER,
	HTTP_FOLLOW_WAIT,
	HTTP_FOLLOW_ALL,
	HTTP_FOLLOW_BROKEN,
};

/* Follows what a client sends on one connection, from its first byte on. Begins as zeroes. */
struct http_follow {
	enum http_follow_state state;
	enum http_problem problem;
	uint64_t left; /* bytes of the head, body or chunk that may still pass */
	size_t looked; /* bytes of the data that are known to be incomplete */
	size_t trailers;
	uint64_t requests; /* that were accepted */
	uint64_t content_length;
	bool chunked, upgrade;
	int switched; /* 0: not known; 1: yes; -1: no */
};

enum http_step {
	HTTP_STEP_MORE,  /* pass on what may pass, keep the rest, come back with more bytes */
	HTTP_STEP_CHECK, /* a head: judge it, then http_follow_accept, or end the connection; come back with
			    the rest */
	HTTP_STEP_WAIT,  /* for http_follow_answered; nothing passes until then */
	HTTP_STEP_ALL,   /* everything passes, now and later: need not be asked again */
	HTTP_STEP_BAD,   /* end the connection; f->problem says why */
};

/*
 * Looks at DATA: all bytes that came and have not passed yet. The first *ret_pass of them may go to the
 * server at once, whatever is returned, and are not to be given again; with HTTP_STEP_CHECK the head lies
 * right behind them, and *ret_head is set. The caller must be able to keep HTTP_HEAD_MAX bytes. CONNECT is
 * bad here. Only an upgrade in the first request is waited for, since only the first answer surely belongs to
 * its request; after one in a later request comes a request, too, or something bad.
 */
enum http_step http_follow_feed(struct http_follow *f, const char *data, size_t len, size_t *ret_pass,
				struct http_head *ret_head);
/* The head that was shown last may pass. */
void http_follow_accept(struct http_follow *f);
/* Whether the server answered the first request with status 101. To be told when that request had upgrade. */
void http_follow_answered(struct http_follow *f, bool switched);

#endif
