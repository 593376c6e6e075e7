/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data connections: a client connects here, says a token of its own choice, and names that token in a call;
 * the bytes of the call go over the connection as they are, straight to and from the call's process. The
 * socket lies in the state directory, for this user only.
 */
#ifndef SERVER_RPC_DATA_H
#define SERVER_RPC_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "server/core/loop.h"

/* Hexadecimal digits of a token, and what a client sends first: a token and a newline. */
#define DATA_TOKEN 32
#define DATA_HEAD  (DATA_TOKEN + 1)

/* What has come of a head. */
struct data_head {
	char text[DATA_HEAD + 1];
	size_t len;
};

/* How many bytes are still to come; what follows them is not for us. */
static inline size_t data_head_wants(const struct data_head *h)
{
	return DATA_HEAD - h->len;
}
/* Takes LEN bytes, at most as many as it wants. False: it is none, and never will be. */
bool data_head_add(struct data_head *h, const char *data, size_t len);
bool data_is_token(const char *text);

struct data_door;

/* Opens the door in the state directory; removes the doors of servers that were killed. */
int data_door_open(struct loop *l, struct data_door **ret_door, struct aisbx_error *e);
void data_door_close(struct data_door *d);
/* The absolute path of its socket. */
const char *data_door_path(const struct data_door *d);
/* The connection that has said TOKEN, without O_NONBLOCK; -1: there is none. */
int data_door_take(struct data_door *d, const char *token);

#endif
