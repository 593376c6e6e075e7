/* SPDX-License-Identifier: Apache-2.0 */
/* The whole of aisbx-tls: its connections, what it says to the broker, its walls. */
#ifndef NET_TLS_TLS_H
#define NET_TLS_TLS_H

#include "net/tls/ca.h"
#include "net/tls/conn.h"
#include "net/tls_control.h"

struct tls {
	int control; /* owned */
	int poll;    /* owned */
	bool ending;
	struct config *config; /* held */
	struct ca ca;
	SSL_CTX *for_client, *for_host; /* owned */
	struct conn *conns;             /* owned */
	size_t n_conns;
	struct said { /* what could not be said yet */
		struct said *next;
		size_t len;
		char bytes[];
	} * queue, **queue_end;
	size_t n_queue;
};

/* Control.c. Says M, now or later. Less important messages are dropped where the broker does not listen. */
void control_say(struct tls *t, const struct tls_message *m);
/* Says what waits; false: the broker is gone. */
bool control_flush(struct tls *t);
/* Hears one message and does what it says; false: the end. */
bool control_hear(struct tls *t);
/* The first message. */
int control_setup(struct tls *t, struct aisbx_error *e);

/* Shake.c. Contexts of both sides. */
bool shake_contexts(struct tls *t, X509_STORE *roots);
/* Begins TLS on both sockets of C. */
bool shake_begin(struct conn *c);
/* Goes on with it as far as possible; True: something happened. */
bool shake_step(struct conn *c);

/* Conn.c. Takes both descriptors. NULL: no memory. */
struct conn *conn_create(struct tls *t, uint32_t id, const char *name, uint16_t port, int client, int host);
/* Does what can be done now. */
void conn_step(struct conn *c);
/* Waits for what it needs. */
void conn_arm(struct conn *c);
/* Says how it was and frees it. */
void conn_destroy(struct conn *c);

/* Walls.c. No files, no new sockets, no other processes: only memory, time and what is open. */
int walls_build(struct aisbx_error *e);

#endif
