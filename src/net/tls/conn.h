/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: two ends, and the version of HTTP between them. */
#ifndef NET_TLS_CONN_H
#define NET_TLS_CONN_H

#include "net/tls/check.h"
#include "net/tls/end.h"

struct conn;
struct tls;

/* Versions of HTTP. */
struct protocol {
	/* Both are ready. False: no memory. */
	bool (*open)(struct conn *c);
	/* Moves what can be moved from what was read to what is to be written. True: something was. */
	bool (*step)(struct conn *c);
	void (*close)(struct conn *c);
};
extern const struct protocol protocol_h1, protocol_h2;

enum conn_state {
	CONN_HELLO,  /* the client's first message is awaited */
	CONN_HOST,   /* shaking hands with the host */
	CONN_CLIENT, /* and with the client */
	CONN_RUN,
	CONN_OVER,
};

struct conn {
	struct conn *next; /* owned; the list of tls.h */
	struct tls *tls;   /* borrowed */
	uint32_t id;
	char name[EGRESS_NAME_MAX];
	uint16_t port;
	enum conn_state state;
	struct end client, host;
	bool hello_seen;
	bool offers_h2, offers_h1; /* the client */
	bool h2;                   /* what is spoken */
	char host_error[512];      /* the host cannot be used; requests are answered with that */
	const struct protocol *protocol;
	void *data; /* owned; the protocol's */
	uint64_t deadline;
	bool lingering;                    /* the deadline stands */
	uint64_t told_sent, told_received; /* of the bytes of the client's end */
	bool again;                        /* there is more to do without waiting */
	enum net_verdict verdict;
	enum net_reason reason;
};

/* Where requests go, judged by the configuration of this moment, which RET holds until place_drop(). */
void conn_place(struct conn *c, struct place *ret);
void place_drop(struct place *p);
/* All is said to the client; what it still sends is read for a moment, so that it gets to read its answer. */
void conn_linger(struct conn *c);
/* An end is not used any more; epoll forgets it first, for somebody else may hold the same socket. */
void conn_drop(struct conn *c, struct end *e);
/* Says what was refused. */
void conn_refused(struct conn *c, const struct verdict *v);
/* The end of everything, at the next turn. */
void conn_over(struct conn *c);
/* A name for the status of an answer that aisbx gives. */
const char *conn_status_text(unsigned int status);

#endif
