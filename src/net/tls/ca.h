/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A certificate authority of one box: made at the start, only in memory, trusted by nobody but programs of
 * that box. And what is known of the real ones.
 */
#ifndef NET_TLS_CA_H
#define NET_TLS_CA_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "base/buf.h"
#include "net/tls/config.h"

#define CA_MAX_LEAVES 256u

struct ca {
	EVP_PKEY *key, *leaf_key; /* owned; one key for all leaves */
	X509 *cert;               /* owned */
	struct ca_leaf {
		char name[EGRESS_NAME_MAX];
		X509 *cert;   /* owned */
		int64_t made; /* seconds */
	} leaves[CA_MAX_LEAVES];
	size_t n_leaves;
};

bool ca_init(struct ca *ca);
void ca_finish(struct ca *ca);
/* Its certificate as PEM. */
bool ca_pem(const struct ca *ca, struct buf *ret);
/* A certificate for NAME; borrowed. NULL: it could not be made. */
X509 *ca_leaf(struct ca *ca, const char *name);

/*
 * The certificates that hosts are checked by: the system's (SSL_CERT_FILE and SSL_CERT_DIR, or the usual
 * files) and the configuration's. All are read now. NULL, and E says why.
 */
X509_STORE *ca_roots(const struct config *c, struct aisbx_error *e);

#endif
