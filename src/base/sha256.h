/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, as in FIPS 180-4. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

struct sha256 {
	uint32_t state[8];
	uint64_t len;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_end(struct sha256 *s, uint8_t ret[SHA256_BYTES]);

/* HMAC-SHA-256, as in RFC 2104. */
void sha256_hmac(const uint8_t key[SHA256_BYTES], const void *data, size_t len, uint8_t ret[SHA256_BYTES]);

/* N blocks of 64 bytes, as any processor can: what the faster way, where there is one, must agree with. */
void sha256_mix_plainly(uint32_t state[8], const uint8_t *blocks, size_t n);

#endif
