/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the configuration of aisbx-tls: whatever it is, it is read or refused, and what was read keeps its
 * promises. */
#include <stdint.h>
#include <string.h>

#include "net/tls/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct config *c = NULL;

	if (config_read((const char *)data, len, &c, &e) < 0) {
		must(e.code < 0 && e.text[0]);
		return 0;
	}
	must(c->n_secrets <= TLS_MAX_SECRETS && c->n_rules <= EGRESS_MAX_RULES && c->idle_ms);
	for (size_t i = 0; i < c->n_secrets; i++) {
		const struct tls_secret *s = &c->secrets[i];

		must(s->header && s->finder && strlen(s->value) == strlen(s->placeholder));
		must(!strchr(s->value, '\n') && strlen(s->value) >= SECRET_MIN);
		must(!config_secret_is_of(s, "", 1));
	}
	config_drop(c);
	return 0;
}
