/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is decided about a request, and what is done to it: rules, placeholders where they do not belong,
 * secrets where they do. The same for every version of HTTP. Does no I/O.
 */
#ifndef NET_TLS_CHECK_H
#define NET_TLS_CHECK_H

#include "net/control.h"
#include "net/tls/config.h"
#include "net/tls/message.h"
#include "net/tls/swap.h"

#define CHECK_BODY_SCAN 65536u /* so much of a body is looked at */
#define CHECK_BODY_HOLD \
	1048576u /* a body that must be known before the request can be signed has at most so much */

struct place {
	struct config *config; /* borrowed */
	const char *name;      /* borrowed; canonical */
	uint16_t port;
};

struct verdict {
	unsigned int status;            /* of the answer in the host's place; 0: the request goes on */
	enum net_reason reason;         /* and what is recorded; NET_NO_REASON: nothing */
	char text[768];                 /* for who sent it */
	char rule[EGRESS_RULE_MAX];     /* that would allow it; "": none */
	const struct tls_secret *signs; /* check_sign() follows when the body is known */
};

/*
 * Judges the request M and puts secrets into it. What comes back is to go through SWAP. The answer is
 * V->status == 0.
 */
bool check_request(const struct place *p, struct message *m, struct swap *swap, struct verdict *v);
/* Where V->signs: HASH is that of the whole body, in hexadecimal digits. */
bool check_sign(struct message *m, const char *hash, struct verdict *v);
/*
 * Fields that come back: no secret is left in them, and of a host that got one no cookie, for that would be
 * as good as the secret (and would not be sent, anyway).
 */
void check_answer(struct message *m, const struct swap *swap);
/* Trailing fields of a request: no credentials in them, and no placeholders that do not belong there. */
bool check_trailers(const struct place *p, struct message *m, struct verdict *v);

/* Looks for placeholders in a body. */
struct body_scan {
	struct body_scan_one {
		struct redact stream;
		const struct tls_secret *of;
	} * ones; /* owned */
	size_t n_ones;
	size_t left;
};
/* False: no memory. */
bool body_scan_init(struct body_scan *s, const struct place *p, const struct message *m);
void body_scan_finish(struct body_scan *s);
/* False: one is in it, V tells which. Data are passed on by the caller. */
bool body_scan_feed(struct body_scan *s, const struct place *p, const char *data, size_t len, bool last,
		    struct verdict *v);

/* Inject.c: puts the host's secrets in and takes all other credentials out. False: V says why not. */
bool inject_secrets(const struct place *p, struct message *m, struct swap *swap, struct verdict *v);
/* A field that says who somebody is; of this host, if P is given. */
bool inject_is_credential(const struct place *p, const char *name);

bool verdict_refuse(struct verdict *v, unsigned int status, enum net_reason reason, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
