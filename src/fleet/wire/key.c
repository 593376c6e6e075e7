/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of claims and results, and sealed secrets. What is signed is a text in fixed order whose first
 * line says what it is, so that no signature is taken for another kind. */
#include "fleet/wire/key.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"

#define BASE64         sodium_base64_VARIANT_ORIGINAL
#define SIGNATURE_TEXT 88 /* 64 bytes in base64, without the NUL */
#define PUBLIC_TEXT    (KEY_TEXT - 1)

_Static_assert(sizeof(struct key_public) == crypto_sign_PUBLICKEYBYTES, "a public key");
_Static_assert(sizeof(((struct key *)NULL)->secret) == crypto_sign_SECRETKEYBYTES, "a secret key");
_Static_assert(KEY_TEXT == sodium_base64_ENCODED_LEN(32, sodium_base64_VARIANT_ORIGINAL),
	       "a public key as text");
_Static_assert(FLEET_SIGNATURE > SIGNATURE_TEXT, "a signature as text");
_Static_assert(FLEET_SEAL > PUBLIC_TEXT + SIGNATURE_TEXT, "a seal as text");

void key_finish(struct key *key)
{
	sodium_memzero(key, sizeof(*key));
}

void key_public_write(const struct key_public *public, char ret[KEY_TEXT])
{
	sodium_bin2base64(ret, KEY_TEXT, public->bytes, sizeof(public->bytes), BASE64);
}

/* TEXT is exactly LEN bytes, and nothing else. Not by libsodium: 1.0.18 takes byte 0xaf for '/', where no
 * more than one text may stand for a signature. */
static bool read_bytes(const char *text, size_t text_len, uint8_t *ret, size_t len)
{
	struct buf bytes = { 0 };
	bool ok = base64_read(&bytes, text, text_len) && !bytes.failed && bytes.len == len;

	if (ok)
		memcpy(ret, bytes.data, len);
	buf_finish(&bytes);
	return ok;
}

int key_public_read(const char *text, struct key_public *ret, struct aisbx_error *e)
{
	uint8_t curve[crypto_scalarmult_curve25519_BYTES];
	struct key_public public;

	/* One that is no point of the curve, or one of the few that everybody can sign for, converts to
	 * nothing. */
	if (sodium_init() < 0 || !read_bytes(text, strlen(text), public.bytes, sizeof(public.bytes)) ||
	    crypto_sign_ed25519_pk_to_curve25519(curve, public.bytes) != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "read a public key of the fleet: it is not an Ed25519 key in base64; "
				    "take the line that the other machine shows");
	*ret = public;
	return 0;
}

static int sign(const struct key *key, struct buf *text, char ret[FLEET_SIGNATURE])
{
	uint8_t signature[crypto_sign_BYTES];
	int r = sodium_init() < 0 ? -ENOSYS : text->failed ? -ENOMEM : 0;

	if (r == 0) {
		crypto_sign_detached(signature, NULL, (const uint8_t *)text->data, text->len, key->secret);
		sodium_bin2base64(ret, FLEET_SIGNATURE, signature, sizeof(signature), BASE64);
	}
	buf_finish(text);
	return r;
}

/* By one of N. */
static bool verify(const struct key_public *public, size_t n, struct buf *text, const char *said)
{
	uint8_t signature[crypto_sign_BYTES];
	bool readable = sodium_init() >= 0 && !text->failed &&
			strnlen(said, FLEET_SIGNATURE) == SIGNATURE_TEXT &&
			read_bytes(said, SIGNATURE_TEXT, signature, sizeof(signature));
	bool ok = false;

	for (size_t i = 0; i < n && readable && !ok; i++)
		ok = crypto_sign_verify_detached(signature, (const uint8_t *)text->data, text->len,
						 public[i].bytes) == 0;

	buf_finish(text);
	return ok;
}

/* Names hold no line breaks: no two claims have the same text. NODE: its key, as text. */
static bool write_claim(const struct key_claim *claim, const char *node, struct buf *ret)
{
	if (!fleet_is_name(claim->job) || !fleet_is_name(claim->tenant) || !fleet_is_name(claim->node))
		return false;
	buf_addf(ret, "aisbx fleet claim 1\n%s\n%s\n%s\n%.*s\n%llu\n%llu\n%u\n", claim->job, claim->tenant,
		 claim->node, PUBLIC_TEXT, node, (unsigned long long)claim->incarnation,
		 (unsigned long long)claim->epoch, claim->attempt);
	return true;
}

int key_sign_claim(const struct key *hub, const struct key_claim *claim, const struct key_public *node,
		   char ret[FLEET_SEAL])
{
	struct buf text = { 0 };

	key_public_write(node, ret);
	return write_claim(claim, ret, &text) ? sign(hub, &text, ret + PUBLIC_TEXT) : -EINVAL;
}

bool key_of_seal(const char *seal, struct key_public *ret_node)
{
	return strnlen(seal, FLEET_SEAL) == PUBLIC_TEXT + SIGNATURE_TEXT &&
	       read_bytes(seal, PUBLIC_TEXT, ret_node->bytes, sizeof(ret_node->bytes));
}

bool key_verify_claim(const struct key_public *hubs, size_t n, const struct key_claim *claim,
		      const char *seal, struct key_public *ret_node)
{
	struct buf text = { 0 };
	struct key_public node;

	if (!key_of_seal(seal, &node) || !write_claim(claim, seal, &text) ||
	    !verify(hubs, n, &text, seal + PUBLIC_TEXT))
		return false;
	*ret_node = node;
	return true;
}

/* The result is last: it may hold anything. */
static bool write_result(const char *job, const char *tenant, const struct fleet_record *record,
			 struct buf *ret)
{
	if (!fleet_is_name(job) || !fleet_is_name(tenant))
		return false;
	buf_addf(ret, "aisbx fleet result 1\n%s\n%s\n%llu\n%llu\n%u\n%s\n%s\n", job, tenant,
		 (unsigned long long)record->token.epoch, (unsigned long long)record->token.revision,
		 record->attempt, fleet_phase_name(record->phase), record->result ? "result" : "none");
	buf_add(ret, fleet_text_data(record->result), fleet_text_len(record->result));
	return true;
}

int key_sign_result(const struct key *node, const char *job, const char *tenant,
		    const struct fleet_record *record, char ret[FLEET_SIGNATURE])
{
	struct buf text = { 0 };

	return write_result(job, tenant, record, &text) ? sign(node, &text, ret) : -EINVAL;
}

bool key_verify_result(const struct key_public *node, const char *job, const char *tenant,
		       const struct fleet_record *record)
{
	struct buf text = { 0 };

	return write_result(job, tenant, record, &text) && verify(node, 1, &text, record->signature);
}

/* The body is last: it may hold anything. */
static void write_job(const struct fleet_job *job, struct buf *ret)
{
	buf_addf(ret, "%s\n%s\n%s\n%s\n%s\n%u\n%u\n%llu\n%llu\n%s\n%s\n%s\n", job->id, job->tenant,
		 job->class, job->submitter, fleet_effect_name(job->effect), job->priority, job->attempts,
		 (unsigned long long)job->deadline_wall_ms, (unsigned long long)job->run_ms, job->box,
		 job->content, job->body ? "body" : "none");
	buf_add(ret, fleet_text_data(job->body), fleet_text_len(job->body));
}

/* Everything of it that counts, also whom it is from: nothing can be sent a second time as something else. */
static bool write_message(const struct fleet_message *m, struct buf *ret)
{
	const bool offer = m->kind == FLEET_MSG_OFFER;

	if (!offer && m->kind != FLEET_MSG_MAY_I)
		return false;
	buf_addf(ret, "aisbx fleet %s 1\n%s\n%s\n%llu\n%llu\n%llu\n%llu\n%u\n", offer ? "offer" : "question",
		 offer ? m->to : m->from, offer ? m->offered.id : m->job, (unsigned long long)m->incarnation,
		 (unsigned long long)m->number, (unsigned long long)m->token.epoch,
		 (unsigned long long)m->token.revision, m->attempt);
	if (offer)
		write_job(&m->offered, ret);
	else
		buf_addf(ret, "%s\n", m->tenant);
	return true;
}

int key_sign_message(const struct key *key, const struct fleet_message *m, char ret[FLEET_SIGNATURE])
{
	struct buf text = { 0 };

	return write_message(m, &text) ? sign(key, &text, ret) : -EINVAL;
}

bool key_verify_message(const struct key_public *key, const struct fleet_message *m)
{
	struct buf text = { 0 };

	return write_message(m, &text) && verify(key, 1, &text, m->signature);
}

int key_seal(const struct key_public *node, const void *data, size_t len, struct buf *ret)
{
	uint8_t curve[crypto_scalarmult_curve25519_BYTES];
	scoped(drop_mem) uint8_t *sealed = NULL;
	scoped(drop_mem) char *text = NULL;
	size_t sealed_len, room;

	if (sodium_init() < 0 || len > SIZE_MAX / 4)
		return -EINVAL;
	sealed_len = len + crypto_box_SEALBYTES;
	room = sodium_base64_encoded_len(sealed_len, BASE64);
	sealed = malloc(sealed_len);
	text = malloc(room);
	if (!sealed || !text)
		return -ENOMEM;
	if (crypto_sign_ed25519_pk_to_curve25519(curve, node->bytes) != 0 ||
	    crypto_box_seal(sealed, data, len, curve) != 0)
		return -EINVAL;
	sodium_bin2base64(text, room, sealed, sealed_len, BASE64);
	buf_add(ret, text, room - 1);
	return ret->failed ? -ENOMEM : 0;
}

/* The node's key, as it is for sealed things. */
static bool open_sealed(const struct key *node, const uint8_t *sealed, size_t len, uint8_t *ret)
{
	uint8_t public[crypto_scalarmult_curve25519_BYTES], secret[crypto_scalarmult_curve25519_BYTES];
	bool ok = crypto_sign_ed25519_pk_to_curve25519(public, node->public.bytes) == 0 &&
		  crypto_sign_ed25519_sk_to_curve25519(secret, node->secret) == 0 &&
		  crypto_box_seal_open(ret, sealed, len, public, secret) == 0;

	sodium_memzero(secret, sizeof(secret));
	return ok;
}

int key_unseal(const struct key *node, const char *text, size_t len, struct buf *ret)
{
	struct buf sealed = { 0 };
	uint8_t *plain = NULL;
	int r = sodium_init() < 0 ? -ENOSYS : 0;

	if (r == 0 && (!base64_read(&sealed, text, len) || sealed.len < crypto_box_SEALBYTES))
		r = sealed.failed ? -ENOMEM : -EBADMSG;
	if (r == 0 && !(plain = malloc(sealed.len)))
		r = -ENOMEM;
	if (r == 0 && !open_sealed(node, (const uint8_t *)sealed.data, sealed.len, plain))
		r = -EBADMSG;
	if (r == 0) {
		buf_add(ret, plain, sealed.len - crypto_box_SEALBYTES);
		r = ret->failed ? -ENOMEM : 0;
	}
	if (plain)
		sodium_memzero(plain, sealed.len);
	free(plain);
	buf_finish(&sealed);
	return r;
}
