/* SPDX-License-Identifier: Apache-2.0 */
/* By libsodium: keyed BLAKE2b to derive, X25519 to agree, XSalsa20-Poly1305 to seal. */
#include "fleet/wire/key_line.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>

#include "base/scope.h"

_Static_assert(KEY_LINE_MORE == crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES, "a nonce and a tag");
_Static_assert(sizeof(((struct key_line *)NULL)->to_node) == crypto_secretbox_KEYBYTES, "a key of one side");

/* TEXT is finished. */
static int derive(const uint8_t key[32], struct buf *text, uint8_t ret[32])
{
	int r = text->failed ? -ENOMEM : 0;

	if (r == 0 && crypto_generichash(ret, 32, (const uint8_t *)text->data, text->len, key, 32) != 0)
		r = -EINVAL;
	buf_finish(text);
	return r;
}

int key_of_job(const uint8_t master[KEY_MASTER], const char *tenant, const char *job, struct key *ret)
{
	struct buf text = { 0 };
	uint8_t seed[crypto_sign_SEEDBYTES];
	int r;

	if (sodium_init() < 0)
		return -ENOSYS;
	if (!fleet_is_name(tenant) || !fleet_is_name(job))
		return -EINVAL;
	buf_addf(&text, "aisbx fleet job 1\n%s\n%s\n", tenant, job);
	r = derive(master, &text, seed);
	if (r == 0)
		crypto_sign_seed_keypair(ret->public.bytes, ret->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	return r;
}

static int direction(const uint8_t shared[32], const char *which, const struct key_claim *claim,
		     uint8_t ret[32])
{
	struct buf text = { 0 };

	buf_addf(&text, "aisbx fleet line 1\n%s\n%s\n%s\n%s\n%llu\n%llu\n%u\n", which, claim->job,
		 claim->tenant, claim->node, (unsigned long long)claim->incarnation,
		 (unsigned long long)claim->epoch, claim->attempt);
	return derive(shared, &text, ret);
}

int key_line_make(const struct key *own, const struct key_public *other, const struct key_claim *claim,
		  struct key_line *ret)
{
	uint8_t public[crypto_box_PUBLICKEYBYTES], secret[crypto_box_SECRETKEYBYTES];
	uint8_t shared[crypto_box_BEFORENMBYTES];
	int r = -EINVAL;

	if (sodium_init() < 0)
		return -ENOSYS;
	if (fleet_is_name(claim->job) && fleet_is_name(claim->tenant) && fleet_is_name(claim->node) &&
	    crypto_sign_ed25519_pk_to_curve25519(public, other->bytes) == 0 &&
	    crypto_sign_ed25519_sk_to_curve25519(secret, own->secret) == 0 &&
	    crypto_box_beforenm(shared, public, secret) == 0)
		r = direction(shared, "to submitter", claim, ret->to_submitter);
	if (r == 0)
		r = direction(shared, "to node", claim, ret->to_node);
	sodium_memzero(secret, sizeof(secret));
	sodium_memzero(shared, sizeof(shared));
	return r;
}

void key_line_finish(struct key_line *line)
{
	sodium_memzero(line, sizeof(*line));
}

int key_line_seal(const uint8_t key[32], const void *data, size_t len, struct buf *ret)
{
	scoped(drop_mem) uint8_t *sealed = len < SIZE_MAX / 2 ? malloc(len + KEY_LINE_MORE) : NULL;

	if (!sealed)
		return -ENOMEM;
	randombytes_buf(sealed, crypto_secretbox_NONCEBYTES);
	crypto_secretbox_easy(sealed + crypto_secretbox_NONCEBYTES, data, len, sealed, key);
	buf_add(ret, sealed, len + KEY_LINE_MORE);
	return ret->failed ? -ENOMEM : 0;
}

int key_line_open(const uint8_t key[32], const void *data, size_t len, struct buf *ret)
{
	const uint8_t *sealed = data;
	uint8_t *plain;
	int r = 0;

	if (len < KEY_LINE_MORE)
		return -EBADMSG;
	plain = malloc(len);
	if (!plain)
		return -ENOMEM;
	if (crypto_secretbox_open_easy(plain, sealed + crypto_secretbox_NONCEBYTES,
				       len - crypto_secretbox_NONCEBYTES, sealed, key) != 0)
		r = -EBADMSG;
	else
		buf_add(ret, plain, len - KEY_LINE_MORE);
	free(plain);
	return ret->failed ? -ENOMEM : r;
}
