/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up names as any program of the host does: hosts, resolv.conf, whatever nsswitch.conf says. A process
 * of its own, for the broker sees no files; one child for each look-up, so that none waits for another.
 */
#ifndef NET_RESOLVER_H
#define NET_RESOLVER_H

#include <stddef.h>
#include <stdint.h>

#include "policy/egress.h"

#define RESOLVER_MAX_ADDRESSES 16
#define RESOLVER_MAX_REPLY     4096

struct resolver_question {
	uint32_t id;
	uint16_t record; /* 0: addresses; else a type of DNS, whose answer is returned as it came */
	char name[EGRESS_NAME_MAX];
};

struct resolver_answer {
	uint32_t id;
	uint16_t record;
	uint16_t n; /* addresses */
	struct egress_address addresses[RESOLVER_MAX_ADDRESSES];
	uint32_t reply_len;
	uint8_t reply[RESOLVER_MAX_REPLY];
};

/* Starts it; *RET_FD is where questions go and answers come from, one struct per packet. */
int resolver_start(int *ret_fd);

#endif
