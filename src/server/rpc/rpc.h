/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON-RPC 2.0 as a state machine: texts of one peer go in, texts for it come out, calls run in between. It
 * knows no descriptor; docs/rpc.md describes the protocol.
 */
#ifndef SERVER_RPC_RPC_H
#define SERVER_RPC_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"

#define RPC_PROTOCOL 1
/* Calls of one peer at once; others wait. */
#define RPC_RUNNING 256u

struct calls;

struct rpc;

struct rpc_how {
	const char *cwd;        /* borrowed; default directory of calls */
	const char *const *env; /* borrowed */
	const char *owner;      /* borrowed; NULL: the person */
	struct calls *calls;    /* borrowed; of all peers of the server */
	/* NULL; or adds to the answer of rpc.hello what is particular here, or refuses its OWNER (NULL: it
	 * names none). */
	int (*hello)(void *ctx, const char *owner, json_t *result, struct aisbx_error *e);
	/* NULL: there are no data connections. Adds to the answer of rpc.hello where they are made. */
	int (*data)(void *ctx, json_t *result, struct aisbx_error *e);
	/* The one that has said TOKEN, the caller's from now on; -1: there is none. */
	int (*take_data)(void *ctx, const char *token);
	/* One text without a newline, for the peer. */
	void (*send)(void *ctx, const char *text, size_t len);
	/* After rpc_end(): no call is in progress any more. May be called from rpc_end() itself. */
	void (*idle)(void *ctx);
	void *ctx;
};

int rpc_new(const struct rpc_how *how, struct rpc **ret_rpc, struct aisbx_error *e);
/* No call may be under way. */
void rpc_destroy(struct rpc *r);

/* One text of the peer; whatever it is, it is answered as the protocol requires. */
void rpc_receive(struct rpc *r, const char *text, size_t len);
/* Tells the peer that its text could not be read at all. */
void rpc_refuse(struct rpc *r, const struct aisbx_error *e);
/* The peer does not keep up: reading the output of runs stops. */
void rpc_hold(struct rpc *r, bool hold);
/* The peer has closed its side: its calls are cancelled. */
void rpc_end(struct rpc *r);

#endif
