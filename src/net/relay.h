/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of the box to a host, as the files relay*.c see it. Inside net/ only. */
#ifndef NET_RELAY_H
#define NET_RELAY_H

#include "net/broker.h"
#include "net/http_follow.h"

/* Bytes of a client that may have to be looked at together. */
#define RELAY_HEAD_MAX (HTTP_HEAD_MAX + 1024)
/* How long a connection may be silent, a host take to answer, and a client to say what it wants. */
#define RELAY_IDLE_MS  (2 * 3600 * 1000ULL)
#define RELAY_DIAL_MS  10000
#define RELAY_HELLO_MS 30000

struct conn;

struct side {
	struct source source;
	struct conn *conn; /* borrowed */
	bool ended;        /* nothing more comes from it */
	bool shut;         /* nothing more goes to it */
};

enum { UP, DOWN }; /* from the box to the host, and back */

/* What still lies between two sockets. */
struct stretch {
	int pipe[2]; /* -1: none at the moment */
	size_t len;
};

enum conn_state {
	CONN_NAMES, /* which name is meant is being found out */
	CONN_ASKED, /* the person is being asked */
	CONN_DIAL,
	CONN_PROXY, /* the upstream proxy is asked */
	CONN_OPEN,
};

struct conn {
	struct conn *next, *before;
	struct broker *broker; /* borrowed */
	enum conn_state state;
	struct side client, server;
	struct stretch stretches[2];
	struct egress_address to; /* as the box sees it */
	uint16_t port;
	uint16_t dial_port;
	struct egress_address dials[NAMES_MAX_ADDRESSES]; /* checked; tried in this order */
	size_t n_dials, dial_at;
	bool incoming;  /* to a published port */
	bool by_range;  /* the rule has the address, so names do not matter */
	bool by_proxy;  /* the upstream proxy finds the address */
	bool checked;   /* what the client says may pass */
	bool following; /* plain HTTP: each request is checked */
	bool ends_tls;  /* aisbx-tls gets it when the host is reached */
	bool unsure;    /* what came so far may still become a request of HTTP */
	bool peeking;   /* what is in head is still to be read */
	bool dead;
	struct http_follow follow;
	char *head; /* owned; bytes of the client that have not passed */
	size_t head_len, head_pass;
	size_t early; /* of head: has passed already; see relay_hurry */
	char *answer; /* owned; of the upstream proxy */
	size_t answer_len;
	struct name_waiter waiter;
	uint32_t question;          /* of CONN_ASKED */
	size_t rule_at;             /* next rule whose name is to be asked for */
	char name[EGRESS_NAME_MAX]; /* "": not known */
	char rule[EGRESS_RULE_MAX]; /* that allows it; "": none yet */
	unsigned int woken;         /* for nothing */
	uint64_t sent, received;
	uint64_t touched_ms, begun_ms, resume_ms; /* resume: of one that its rule's rate holds */
};

/* relay.c */
struct conn *relay_create(struct broker *b, int client_fd);
/* Ends it at once: the client sees a reset. Counts it as refused or broken. */
void relay_refuse(struct conn *c, enum net_reason reason);
/* Ends it; what it did is counted. */
void relay_end(struct conn *c);

/* relay_names.c: finds the name of an address, then dials. */
void relay_find(struct conn *c);
/* The client's TLS or HTTP names HOST: whether that is what it is connected to. */
bool relay_is_named(struct conn *c, const char *host);

/* asking.c: asks the person about it, once for each name and port. */
void asking_begin(struct conn *c);

/* ended.c: passes it to aisbx-tls; C is gone then. */
void ended_pass(struct conn *c);
/* relay.c: C is gone, its sockets live on elsewhere; nothing is counted. */
void relay_forget(struct conn *c);

/* relay_dial.c */
void relay_dial(struct conn *c);
void relay_dialled(struct conn *c);
/* The upstream proxy has said something. */
void relay_proxy_ready(struct conn *c, uint32_t events);

/* relay_check.c: looks at the first bytes of the client; later at each request of plain HTTP. */
void relay_look(struct conn *c);

/* relay_flow.c */
void relay_ready(struct source *s, uint32_t events);
/* Waits for what is due now. */
void relay_want(struct conn *c);
/* Bytes that count against the rule; false: it has none left. */
bool relay_count(struct conn *c, int way, size_t n);
void relay_release(struct conn *c);
/*
 * A client that waits for an answer to half a line gets its bytes through: no server obeys a request before
 * its line is complete, and that will be looked at.
 */
void relay_hurry(struct conn *c);

#endif
