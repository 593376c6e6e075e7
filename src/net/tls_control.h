/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between the broker of a box and aisbx-tls, which reads the connections that cannot be judged from
 * outside: rules with a method or a path, and hosts that get a secret. One struct tls_message per packet,
 * both ways.
 */
/*
 * The configuration is a sealed memfd: records, each a word and its arguments, each of these with its NUL:
 *   rule TEXT                                            as egress_rule_parse reads it; of the names that are
 * ended, also those without method and path secret NAME HOST PORT HOW TEMPLATE PLACEHOLDER VALUE HOST is a
 * name or "*.name", PORT 0 is every port roots PEM                                            certificates
 * beside those of the system only-roots PEM                                       instead of those of the
 * system idle MILLISECONDS                                    of a connection; 0: the default HOW is one of:
 *   header     TEMPLATE is "Name: text {} text"; the box sends the placeholder in that header
 *   basic      TEMPLATE is ""; the placeholder is the user or the password of "Authorization: Basic"
 *   aws-sigv4  TEMPLATE is ""; VALUE is "KEY-ID:SECRET" or "KEY-ID:SECRET:SESSION-TOKEN", and PLACEHOLDER,
 * too VALUE and PLACEHOLDER have the same length and differ (net/placeholder.h makes one).
 */
#ifndef NET_TLS_CONTROL_H
#define NET_TLS_CONTROL_H

#include <stdint.h>

#include "aisbx/error.h"
#include "net/control.h"

/* The descriptor with which aisbx-tls is started. */
#define TLS_CONTROL_FD 3

#define TLS_CONFIG_MAX  (16u << 20) /* bytes of a configuration */
#define TLS_MAX_SECRETS 64
#define TLS_MAX_CONNS   1024
#define TLS_TEXT_MAX    4096

enum tls_word {
	/* To aisbx-tls. */
	TLS_SETUP = 1, /* the first message; carries the configuration */
	TLS_CONFIG,    /* carries a configuration that replaces rules and secrets (not the roots); answered by
			  TLS_READY */
	TLS_CONNECTION, /* id, name, port; carries the client's and the host's socket, in this order */
	TLS_CUT,        /* id: end this connection now */
	TLS_END,        /* end all of them, say TLS_ROW of each, then TLS_BYE, and exit */
	/* From aisbx-tls. */
	TLS_READY,  /* of TLS_SETUP: text is the certificate of the box's own authority, as PEM */
	TLS_FAILED, /* error: what was asked is not done, and why */
	TLS_ROW,    /* id, row: something was refused; count is 1 and bytes are 0 */
	TLS_BYTES,  /* id, row: sent and received since the last of these, when there is some more of it */
	TLS_CLOSED, /* id, row: the connection is over; verdict, and bytes since the last TLS_BYTES */
	TLS_BYE,
};

struct tls_message {
	uint32_t word;
	uint32_t id; /* of a connection: the broker's own */
	uint16_t port, pad;
	char name[EGRESS_NAME_MAX];
	struct net_row row; /* act is NET_TCP; rule is the smallest that would allow what was refused */
	struct aisbx_error error;
	char text[TLS_TEXT_MAX];
};

#endif
