/* SPDX-License-Identifier: Apache-2.0 */
/* The public half of an nkey. libnats signs with a seed but wants to be told whose it is: 32 bytes of Ed25519
 * behind a prefix and before a checksum (CRC-16/XMODEM), in base32 without padding. */
#include <errno.h>
#include <sodium.h>
#include <stdint.h>
#include <string.h>

#include "fleet/bus/parts.h"

#define SEED_CHARS   58
#define SEED_BYTES   36 /* two of prefix, the seed, two of checksum */
#define PUBLIC_BYTES 35
#define PREFIX_SEED  (18 << 3) /* S */
#define PREFIX_USER  (20 << 3) /* U */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static uint16_t checksum(const uint8_t *data, size_t len)
{
	uint16_t crc = 0;

	for (size_t i = 0; i < len; i++) {
		crc = (uint16_t)(crc ^ (data[i] << 8));
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
	}
	return crc;
}

static bool decode(const char *text, size_t chars, uint8_t *ret)
{
	uint32_t bits = 0;
	unsigned n = 0;

	for (size_t i = 0; i < chars; i++) {
		const char *at = text[i] ? strchr(alphabet, text[i]) : NULL;

		if (!at)
			return false;
		bits = bits << 5 | (uint32_t)(at - alphabet);
		n += 5;
		if (n >= 8) {
			n -= 8;
			*ret++ = (uint8_t)(bits >> n);
		}
	}
	return true;
}

/* LEN is a multiple of 5. */
static void encode(const uint8_t *data, size_t len, char *ret)
{
	uint32_t bits = 0;
	unsigned n = 0;

	for (size_t i = 0; i < len; i++) {
		bits = bits << 8 | data[i];
		for (n += 8; n >= 5; n -= 5)
			*ret++ = alphabet[bits >> (n - 5) & 31];
	}
	*ret = '\0';
}

int nkey_public(const char *seed, char ret[NKEY_LEN])
{
	uint8_t raw[SEED_BYTES + 1], secret[crypto_sign_SECRETKEYBYTES], public[PUBLIC_BYTES];
	uint16_t sum;
	int r = -EINVAL;

	if (strnlen(seed, SEED_CHARS + 1) != SEED_CHARS || !decode(seed, SEED_CHARS, raw) ||
	    sodium_init() < 0)
		goto out;
	sum = (uint16_t)(raw[SEED_BYTES - 2] | raw[SEED_BYTES - 1] << 8);
	if (sum != checksum(raw, SEED_BYTES - 2) || (raw[0] & 0xf8) != PREFIX_SEED ||
	    ((raw[0] & 7) << 5 | (raw[1] & 0xf8) >> 3) != PREFIX_USER)
		goto out;
	public[0] = PREFIX_USER;
	crypto_sign_seed_keypair(public + 1, secret, raw + 2);
	sum = checksum(public, PUBLIC_BYTES - 2);
	public[PUBLIC_BYTES - 2] = (uint8_t)sum;
	public[PUBLIC_BYTES - 1] = (uint8_t)(sum >> 8);
	encode(public, PUBLIC_BYTES, ret);
	r = 0;
out:
	sodium_memzero(raw, sizeof(raw));
	sodium_memzero(secret, sizeof(secret));
	return r;
}
