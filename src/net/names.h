/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that the box has asked for and the addresses it was given for them. An address stays with its name
 * for as long as the broker lives, so that what was checked is what is dialled.
 */
#ifndef NET_NAMES_H
#define NET_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/loop.h"
#include "net/resolver.h"
#include "policy/egress.h"

#define NAMES_MAX           4096
#define NAMES_MAX_ADDRESSES 16

enum name_state {
	NAME_KNOWN = 1, /* has addresses */
	NAME_NONE,      /* the host's resolver has none */
	NAME_FORBIDDEN, /* all of them are the host's, the local network's or a cloud's metadata */
};

struct name_waiter;
/* Called when the name's state is known; frees or reuses the waiter itself. */
typedef void name_known_fn(struct name_waiter *w);

struct name {
	char text[EGRESS_NAME_MAX];
	enum name_state state; /* 0: not known yet */
	bool asking;
	struct egress_address real[NAMES_MAX_ADDRESSES]; /* checked */
	size_t n;
	struct egress_address shown; /* family 0: the real ones; else a made-up one, which stands for them */
	struct egress_address forbidden; /* an address that was refused, for the record */
	uint64_t asked_ms;
	struct name_waiter *waiters; /* borrowed; a list */
	uint32_t id;
};

struct name_waiter {
	struct name_waiter *next;
	struct name *name; /* borrowed */
	name_known_fn *known;
};

/* Who waits for records that are not addresses. */
struct record_waiter {
	struct record_waiter *next;
	uint32_t id;
	/* REPLY: what the host's resolver answered, as it came; LEN 0: nothing. Called once. */
	void (*known)(struct record_waiter *w, const uint8_t *reply, size_t len);
};

struct names {
	struct loop *loop; /* borrowed */
	struct source resolver;
	struct name **all; /* owned */
	size_t n;
	const struct egress_rule *rules; /* borrowed */
	size_t n_rules;
	void (*settled)(struct names *n,
			const struct name *m); /* NULL, or called when its addresses are known */
	struct record_waiter *records;         /* borrowed; a list */
	uint32_t n_records;                    /* asked for so far */
	bool proxied; /* what has no address here may have one where the upstream proxy is */
};

int names_init(struct names *n, struct loop *l, int resolver_fd);
/* Calls W->known now or later, once. -ENOSPC: too many names. */
int names_ask(struct names *n, const char *name, struct name_waiter *w);
/* The same for records of TYPE. -EAGAIN: the resolver has too much to do. */
int names_ask_records(struct names *n, const char *name, uint16_t type, struct record_waiter *w);
/* A name that may be allowed later: it gets a made-up address and is not looked up. NULL: too many names. */
struct name *names_invent(struct names *n, const char *name);
/* W waits no more. */
void names_forget(struct name_waiter *w);
/* The name I of those whose address, as the box sees it, is A; NULL behind the last. */
struct name *names_at(const struct names *n, const struct egress_address *a, size_t i);
/*
 * Whether M may be reached at A, one of its addresses, by this port: rules change while a name is kept, and
 * one that has a range has it for its own port.
 */
bool names_may_dial(const struct names *n, const struct name *m, const struct egress_address *a,
		    uint16_t port, bool udp);
bool name_has(const struct name *m, const struct egress_address *a);

#endif
