/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside half of the broker: a process in the box's user namespace with a network namespace of its own,
 * the gateway. It opens sockets there and in the box, passes them out, and never reads a byte from any.
 */
#ifndef NET_INSIDE_H
#define NET_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "policy/egress.h"

enum inside_word {
	INSIDE_TCP = 1, /* listens on `port` of the gateway, for every address */
	INSIDE_UDP,     /* the same for datagrams; with an `address`: for that alone */
	INSIDE_BOX_TCP, /* listens on `address` and `port` in the box */
	INSIDE_BOX_UDP,
	INSIDE_CONNECT, /* a socket of the box, not connected yet; `address` has the family */
};

struct inside_question {
	uint32_t word;
	uint16_t port, pad;
	struct egress_address address;
};

/* As the box sees it. */
#define INSIDE_BOX           \
	{                    \
		192, 0, 0, 2 \
	}
#define INSIDE_GATEWAY       \
	{                    \
		192, 0, 0, 1 \
	}

/* GATEWAY: whether there is one; otherwise the box has no way out, and sockets are of the box alone. */
int inside_start(int userns, int netns, bool gateway, int *ret_fd, struct aisbx_error *e);
/* Asks for one socket: the descriptor, or a negative errno. It takes microseconds; the caller waits. */
int inside_ask(int fd, const struct inside_question *q);

#endif
