/* SPDX-License-Identifier: Apache-2.0 */
/* Signature version 4 of Amazon's services: a request that was signed with a placeholder is signed anew. Does
 * no I/O. */
#ifndef NET_TLS_SIGV4_H
#define NET_TLS_SIGV4_H

#include <stdbool.h>

#include "net/tls/message.h"

#define SIGV4_HASH 65 /* of hexadecimal digits, with its NUL */

struct sigv4_key {
	const char *id, *secret, *token; /* borrowed; token may be NULL */
};

enum sigv4_result { SIGV4_DONE, SIGV4_NEEDS_BODY, SIGV4_REFUSED };

/* Whether an Authorization field shows the key ID (ID_LEN bytes). */
bool sigv4_shows(const char *authorization, const char *id, size_t id_len);
/*
 * Signs again: what is in the field "authorization" decides region, service, date and which fields are signed
 * (those that are still there, and the token). HASH is that of the body; NULL: it is in x-amz-content-sha256,
 * or SIGV4_NEEDS_BODY. *RET_WHY: why it is refused.
 */
enum sigv4_result sigv4_sign(struct message *m, const struct sigv4_key *key, const char *hash,
			     const char **ret_why);

#endif
