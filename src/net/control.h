/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between a supervisor and aisbx-net, the broker of its box: one struct per packet. The broker hears
 * nothing else, and what it says is checked like anything that comes from behind a wall.
 */
#ifndef NET_CONTROL_H
#define NET_CONTROL_H

#include <stdint.h>

#include "aisbx/error.h"
#include "policy/egress.h"

/* The descriptor with which the broker is started. */
#define NET_CONTROL_FD 3

/* Different rows of the record that are kept; beyond that they are only counted. */
#define NET_MAX_ROWS 1024

enum net_word {
	/* To the broker. */
	NET_SETUP = 1, /* the first message; carries enum net_setup_fd */
	NET_RULES,     /* carries a sealed memfd: rules that replace those it has; answered by NET_READY */
	NET_ANSWER,    /* id, value: 1 allowed, 0 not, -1 nobody could be asked: of NET_ASK */
	NET_LISTEN,    /* port, flags: a port that programs of the box are about to connect to; answered by
			  NET_READY */
	NET_PUBLISH,   /* port: of the box; carries a listener of the host, whose connections go there */
	NET_END,       /* say all rows, then NET_BYE, and exit */
	/* From the broker. */
	NET_READY,  /* what was asked is done */
	NET_FAILED, /* error: it is not, and why */
	NET_ROW,    /* row: when the first of its kind happens, and again with its sums at the end */
	NET_NAME,   /* row: a name and an address that the box was given for it; may be lost */
	NET_ASK,    /* id, row: a name that no rule has; what is asked there waits */
	NET_BYE,    /* value: rows that were not kept */
};

/* Descriptors of NET_SETUP, all of them. */
enum net_setup_fd {
	NET_FD_USERNS, /* namespaces of the box */
	NET_FD_NETNS,
	NET_FD_RULES, /* sealed memfd: rules, each a text that egress_rule_parse reads, each with its NUL;
			 behind "ends " one whose connections aisbx-tls reads, whatever the other rules say */
	NET_SETUP_FDS,
	NET_FD_TLS = NET_SETUP_FDS, /* only if there is one: where aisbx-tls gets its connections from */
};

enum net_flag {
	NET_FLAG_ASK = 1 << 0,   /* ask before a name is refused */
	NET_FLAG_UDP = 1 << 1,   /* of NET_LISTEN */
	NET_FLAG_PORTS = 1 << 2, /* of NET_SETUP: only for NET_PUBLISH; nothing gets out */
};

/* What was done with what the box wanted. */
enum net_verdict {
	NET_ALLOWED = 1,
	NET_REFUSED, /* by rule, see enum net_reason */
	NET_BROKEN,  /* allowed, but the other side could not be reached */
};

enum net_reason {
	NET_NO_REASON,
	NET_NO_RULE,      /* no rule has this name, address or port */
	NET_BAD_NAME,     /* not a name that can be looked up */
	NET_NOT_PUBLIC,   /* the name leads to an address of the host, the local network or a cloud's metadata
			   */
	NET_WRONG_SNI,    /* TLS names another host, or none */
	NET_HIDDEN_SNI,   /* the name is encrypted */
	NET_WRONG_HOST,   /* HTTP names another host */
	NET_BAD_HTTP,     /* a request that servers read in different ways */
	NET_NO_ADDRESS,   /* the host's resolver has none */
	NET_UNREACHED,    /* it does not answer */
	NET_OVER_BUDGET,  /* bytes of the rule are used up */
	NET_QUIC,         /* UDP to a port that only TCP is allowed to */
	NET_WRONG_METHOD, /* rules with a path: method or path is not of the rule */
	NET_WRONG_SECRET, /* a placeholder was sent to where its secret does not belong */
	NET_TOO_MANY,     /* connections */
	NET_DENIED,       /* by the person who was asked */
	NET_NOBODY,       /* there was no person who could be asked */
	NET_REASONS
};

enum net_act {
	NET_LOOKUP = 1, /* a name was asked for */
	NET_TCP,        /* a connection */
	NET_UDP,        /* datagrams */
	NET_IN,         /* a connection from the host to a published port */
	NET_AGENT, /* a signature by the person's ssh-agent; name: of the key; of NET_ASK, rule: what for */
};

/* Everything of one kind: same act, name, address, port and verdict. */
struct net_row {
	uint32_t act, verdict, reason;
	uint32_t record;         /* of a look-up: the type that was asked for */
	uint64_t count;          /* how often */
	uint64_t sent, received; /* bytes, seen from the box */
	struct egress_address to;
	uint16_t port;
	char name[EGRESS_NAME_MAX]; /* "": not known */
	char rule[EGRESS_RULE_MAX]; /* "": none */
};

struct net_message {
	uint32_t word;
	int32_t value;
	uint32_t flags;
	uint32_t id;
	uint16_t port, pad[3];
	struct net_row row;
	struct aisbx_error error;
};

#endif
