/* SPDX-License-Identifier: Apache-2.0 */
/* What aisbx-tls is told: rules, secrets and roots, read from the bytes that net/tls_control.h describes.
 * Pure. */
#ifndef NET_TLS_CONFIG_H
#define NET_TLS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "net/tls_control.h"
#include "policy/egress.h"
#include "secret/redact.h"

#define CONFIG_IDLE_MS 300000u
/* What a finder puts in place of a placeholder; in no request by accident. */
#define CONFIG_FOUND "\001aisbx found it\001"

enum secret_how { SECRET_HEADER, SECRET_BASIC, SECRET_AWS };

/* Texts are borrowed from the configuration's own copy of its bytes. */
struct tls_secret {
	const char *name;
	const char *host; /* "name" or "*.name" */
	uint16_t port;    /* 0: every port */
	enum secret_how how;
	char *header;                /* owned; lower case; of which it is a part */
	const char *before, *behind; /* of the template: around "{}" */
	size_t before_len;
	const char *placeholder, *value;
	struct redactor *finder; /* owned; finds the placeholder, however it is encoded */
};

struct config {
	unsigned int users;        /* who holds it; the last one frees it */
	char *bytes;               /* owned */
	struct egress_rule *rules; /* owned */
	size_t n_rules;
	struct tls_secret secrets[TLS_MAX_SECRETS];
	size_t n_secrets;
	const char *roots; /* PEM, or NULL */
	bool only_roots;
	uint64_t idle_ms;
};

/* Reads LEN bytes at DATA, which are copied. The caller holds *RET. */
int config_read(const char *data, size_t len, struct config **ret, struct aisbx_error *e);
/* Overwrites secrets before memory is given back. C may be NULL. */
void config_drop(struct config *c);
static inline void drop_config(struct config **c)
{
	config_drop(*c);
}

/* Whether the secret belongs to this host. */
bool config_secret_is_of(const struct tls_secret *s, const char *name, uint16_t port);
/* Whether any secret does. */
bool config_has_secret(const struct config *c, const char *name, uint16_t port);

#endif
