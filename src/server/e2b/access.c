/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of sandboxes and the signatures of addresses, made from the caller's own token, so that nothing
 * has to be remembered: HMAC-SHA-256 of the sandbox's id.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/io.h"
#include "base/sha256.h"
#include "server/e2b/internal.h"

void access_token(const char *key, const char *id, enum access_kind kind, char ret[ACCESS_MAX])
{
	uint8_t secret[SHA256_BYTES], sum[SHA256_BYTES];
	char text[ROUTE_ID_MAX + 32];
	struct sha256 s;

	sha256_init(&s); /* tokens have any length */
	sha256_add(&s, key, strlen(key));
	sha256_end(&s, secret);
	snprintf(text, sizeof(text), "aisbx e2b %s %s", kind == ACCESS_FILES ? "envd" : "traffic", id);
	sha256_hmac(secret, text, strlen(text), sum);
	io_hex(sum, sizeof(sum), ret);
	explicit_bzero(secret, sizeof(secret));
}

/* As long as what was given, however much of it is right. */
bool access_same(const char *expected, const char *given)
{
	const size_t have = strlen(expected), n = strlen(given);
	unsigned int differ = have != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned int)(unsigned char)given[i] ^ (unsigned char)expected[i < have ? i : 0];
	return !differ;
}

void access_signature(const char *path, const char *operation, const char *user, const char *token,
		      const char *expires, char ret[ACCESS_MAX])
{
	const char *const parts[] = { path, operation, user, token, expires };
	struct buf coded = { 0 };
	uint8_t sum[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (i && *parts[i] | (i < 4))
			sha256_add(&s, ":", 1);
		sha256_add(&s, parts[i], strlen(parts[i]));
	}
	sha256_end(&s, sum);
	base64_add(&coded, (const char *)sum, sizeof(sum));
	while (coded.len && coded.data[coded.len - 1] == '=')
		coded.len--;
	snprintf(ret, ACCESS_MAX, "v1_%.*s", (int)coded.len, coded.len ? coded.data : "");
	buf_finish(&coded);
}
