/* SPDX-License-Identifier: Apache-2.0 */
/* Digests as text, and chains of them. */
#include "image/digest.h"

#include <string.h>

#include "base/io.h"

static bool is_hex(const char *text, size_t n)
{
	return strspn(text, "0123456789abcdef") == n && !text[n];
}

bool digest_is_sha256(const char *text)
{
	return text && !strncmp(text, "sha256:", 7) && is_hex(text + 7, 64);
}

bool digest_is_valid(const char *text)
{
	return digest_is_sha256(text) || (text && !strncmp(text, "sha512:", 7) && is_hex(text + 7, 128));
}

const char *digest_hex(const char *text)
{
	return text + 7;
}

void digest_write(const uint8_t sum[SHA256_BYTES], char ret[DIGEST_CAP])
{
	memcpy(ret, "sha256:", 7);
	io_hex(sum, SHA256_BYTES, ret + 7);
}

void digest_of(const void *data, size_t len, char ret[DIGEST_CAP])
{
	struct sha256 s;
	uint8_t sum[SHA256_BYTES];

	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_end(&s, sum);
	digest_write(sum, ret);
}

bool digest_chain(const char *parent, const char *diff_id, char ret[DIGEST_CAP])
{
	char both[2 * DIGEST_CAP];

	if (!digest_is_sha256(diff_id))
		return false;
	if (!parent || !*parent) {
		memmove(ret, diff_id, DIGEST_CAP);
		return true;
	}
	if (!digest_is_sha256(parent))
		return false;
	memcpy(both, parent, DIGEST_SHA256_LEN);
	both[DIGEST_SHA256_LEN] = ' ';
	memcpy(both + DIGEST_CAP, diff_id, DIGEST_SHA256_LEN);
	digest_of(both, DIGEST_CAP + DIGEST_SHA256_LEN, ret);
	return true;
}
