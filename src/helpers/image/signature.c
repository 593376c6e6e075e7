/* SPDX-License-Identifier: Apache-2.0 */
/* Whether one of the given keys signed this image. Everything that is not clearly a yes is a no. */
#include "helpers/image/signature.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "image/reference.h"

#define MAX_KEYS 64u

static void drop_key(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
}

static void drop_context(EVP_MD_CTX **c)
{
	EVP_MD_CTX_free(*c);
}

static void drop_json(json_t **it)
{
	json_decref(*it);
}

bool signature_wanted(const json_t *keys)
{
	return keys && !json_is_null(keys) && !(json_is_array(keys) && !json_array_size(keys));
}

static int refuse(struct aisbx_error *e, const char *digest, const char *why)
{
	aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EKEYREJECTED,
		     "the image %s is not signed as the policy asks: %s", digest, why);
	return aisbx_hint(e, "have it signed with one of the keys (cosign sign --key), or change the keys");
}

int signature_missing(const char *digest, struct aisbx_error *e)
{
	return refuse(e, digest, "there is no signature of it");
}

/* Kinds of keys that are strong enough; their signatures are of SHA-256, Ed25519 has its own hash. */
static const EVP_MD *hash_for(EVP_PKEY *key, bool *ret_ok)
{
	int kind = EVP_PKEY_get_base_id(key);

	*ret_ok = kind == EVP_PKEY_ED25519 || (kind == EVP_PKEY_EC && EVP_PKEY_get_bits(key) >= 256) ||
		  (kind == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) >= 2048);
	return kind == EVP_PKEY_ED25519 ? NULL : EVP_sha256();
}

/* -1: this key cannot be used; 0: not by this key; 1: by this key. */
static int by_key(const char *pem, const void *data, size_t len, const struct buf *signature)
{
	BIO *from = pem ? BIO_new_mem_buf(pem, -1) : NULL;
	scoped(drop_key) EVP_PKEY *key = from ? PEM_read_bio_PUBKEY(from, NULL, NULL, NULL) : NULL;
	scoped(drop_context) EVP_MD_CTX *c = EVP_MD_CTX_new();
	const EVP_MD *hash;
	bool ok = false;

	BIO_free(from);
	if (!key || !c)
		return -1;
	hash = hash_for(key, &ok);
	if (!ok || EVP_DigestVerifyInit(c, NULL, hash, NULL, key) != 1)
		return -1;
	return EVP_DigestVerify(c, (const unsigned char *)signature->data, signature->len, data, len) == 1;
}

static int check_keys(const char *payload, size_t len, const struct buf *signature,
		      const struct signature_want *want, struct aisbx_error *e)
{
	size_t n = json_array_size(want->keys), good = 0;
	int r = 0;

	if (!json_is_array(want->keys) || !n || n > MAX_KEYS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "the keys for signatures are no list of 1 to %u PEM texts", MAX_KEYS);
	for (size_t i = 0; i < n; i++) {
		int by = by_key(json_string_value(json_array_get(want->keys, i)), payload, len, signature);

		if (by < 0)
			r = aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				"key %zu for signatures is no public key in PEM (ECDSA P-256, RSA of at "
				"least 2048 bits, or Ed25519)",
				i + 1);
		good += by == 1;
	}
	if (r < 0)
		return r;
	return good ? 0 : refuse(e, want->digest, "none of the keys made its signature");
}

/* "busybox" and "docker.io/library/busybox" are the same repository; what is no reference is nothing. */
static bool same_repository(const char *a, const char *b)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(reference_finish) struct reference x = { 0 };
	scoped(reference_finish) struct reference y = { 0 };

	return a && reference_parse(a, &x, &ignored) == 0 && reference_parse(b, &y, &ignored) == 0 &&
	       !strcmp(x.host, y.host) && !strcmp(x.repository, y.repository);
}

static int check_payload(const char *payload, size_t len, const struct signature_want *want,
			 struct aisbx_error *e)
{
	scoped(drop_json) json_t *document = NULL;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const char *digest, *type, *repository;

	if (oci_json(payload, len, "a signature", &document, &ignored) < 0 ||
	    json_unpack(document, "{s:{s:{s:s},s:s,s:{s:s}}}", "critical", "image", "docker-manifest-digest",
			&digest, "type", &type, "identity", "docker-reference", &repository) < 0)
		return refuse(e, want->digest, "what is signed names no image");
	if (strcmp(type, "cosign container image signature") != 0 &&
	    strcmp(type, "atomic container signature") != 0)
		return refuse(e, want->digest, "what is signed is no statement about an image");
	if (strcmp(digest, want->digest) != 0)
		return refuse(e, want->digest, "what is signed is another image");
	if (want->repository && !same_repository(repository, want->repository))
		return refuse(e, want->digest, "what is signed is an image of another repository");
	return 0;
}

int signature_check(const char *payload, size_t len, const char *signature, const struct signature_want *want,
		    struct aisbx_error *e)
{
	scoped(buf_finish) struct buf bytes = { 0 };
	int r;

	if (!len || len > SIGNATURE_MAX_PAYLOAD)
		return refuse(e, want->digest, "its signature has no text, or too much of it");
	if (!signature || strlen(signature) > SIGNATURE_MAX_PAYLOAD ||
	    !base64_read(&bytes, signature, strlen(signature)) || !bytes.len)
		return refuse(e, want->digest, "its signature is not valid base64");
	r = check_keys(payload, len, &bytes, want, e);
	return r == 0 ? check_payload(payload, len, want, e) : r;
}

void signature_tag(const char *digest, char ret[SIGNATURE_TAG_CAP])
{
	snprintf(ret, SIGNATURE_TAG_CAP, "sha256-%.64s.sig", digest_hex(digest));
}

static int check_one(const struct oci_descriptor *d, oci_load_fn *load, void *ctx,
		     const struct signature_want *want, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf payload = { 0 };
	char found[DIGEST_CAP];
	int r;

	if (d->size > SIGNATURE_MAX_PAYLOAD)
		return refuse(e, want->digest, "its signature has too much text");
	r = load(ctx, d, &payload, e);
	if (r < 0)
		return r;
	digest_of(payload.data, payload.len, found);
	if (strcmp(found, d->digest) != 0)
		return refuse(e, want->digest, "the text of its signature was changed");
	return signature_check(buf_str(&payload), payload.len, oci_annotation(d, SIGNATURE_ANNOTATION), want,
			       e);
}

int signature_check_manifest(const char *text, size_t len, oci_load_fn *load, void *ctx,
			     const struct signature_want *want, struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	int r = oci_artifact_read(text, len, &m, e);
	size_t looked = 0;

	if (r < 0)
		return r;
	r = signature_missing(want->digest, e);
	for (size_t i = 0; i < m.n_layers && looked < SIGNATURE_MAX; i++) {
		if (strcmp(m.layers[i].media_type, SIGNATURE_MEDIA_TYPE) != 0 ||
		    !oci_annotation(&m.layers[i], SIGNATURE_ANNOTATION))
			continue;
		looked++;
		r = check_one(&m.layers[i], load, ctx, want, e);
		if (r == 0) {
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			return 0;
		}
	}
	return r;
}
