/* SPDX-License-Identifier: Apache-2.0 */
/* State of a connection that speaks HTTP/1.1. */
#ifndef NET_TLS_H1_H
#define NET_TLS_H1_H

#include "net/tls/conn.h"
#include "net/tls/head.h"

struct h1 {
	struct place place; /* of the request */
	struct message request, answer;
	struct head rq, an;
	enum { RQ_HEAD, RQ_HOLD, RQ_BODY, RQ_DONE } rq_at;
	enum { AN_NONE, AN_HEAD, AN_BODY, AN_DONE } an_at;
	struct verdict v;
	struct swap swap;
	struct body_scan scan;
	struct buf hold; /* a body that is hashed before it is sent */
	unsigned int exchanges;
	bool swapping, chunk_out, close, tunnel;
};

#endif
