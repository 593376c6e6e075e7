/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: one by a key that is given, of this very image, and nothing else. */
#include "support/test.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/base64.h"
#include "helpers/image/signature.h"

#define HEX    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST "sha256:" HEX
#define OTHER  "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define PAYLOAD(digest, type, repository)                                            \
	"{\"critical\":{\"identity\":{\"docker-reference\":\"" repository            \
	"\"},\"image\":{\"docker-manifest-digest\":\"" digest "\"},\"type\":\"" type \
	"\"},\"optional\":null}"
#define COSIGN "cosign container image signature"

static const char good[] = PAYLOAD(DIGEST, COSIGN, "example.com/a/b");

/* Made once: keys take their time. */
static EVP_PKEY *p256, *stranger, *rsa, *weak, *ed;

static json_t *pem_of(EVP_PKEY *key)
{
	BIO *to = BIO_new(BIO_s_mem());
	json_t *text;
	char *data;
	long len;

	assert_int_equal(PEM_write_bio_PUBKEY(to, key), 1);
	len = BIO_get_mem_data(to, &data);
	text = json_stringn(data, (size_t)len);
	BIO_free(to);
	return text;
}

static void sign(EVP_PKEY *key, const char *payload, struct buf *ret)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	unsigned char signature[1024];
	size_t len = sizeof(signature);

	buf_finish(ret);
	*ret = (struct buf){ 0 };
	assert_int_equal(EVP_DigestSignInit(c, NULL, key == ed ? NULL : EVP_sha256(), NULL, key), 1);
	assert_int_equal(EVP_DigestSign(c, signature, &len, (const unsigned char *)payload, strlen(payload)),
			 1);
	base64_add(ret, (const char *)signature, len);
	assert_non_null(buf_str(ret));
	EVP_MD_CTX_free(c);
}

static int check(const char *payload, const char *signature, json_t *keys, const char *repository,
		 struct aisbx_error *e)
{
	struct signature_want want = { .keys = keys, .digest = DIGEST, .repository = repository };
	int r;

	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	r = signature_check(payload, strlen(payload), signature, &want, e);
	json_decref(keys);
	return r;
}

static json_t *one(EVP_PKEY *key)
{
	return json_pack("[o]", pem_of(key));
}

static void test_kinds_of_keys(void **state)
{
	EVP_PKEY *const keys[] = { p256, rsa, ed };
	struct aisbx_error e;
	struct buf s = { 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		sign(keys[i], good, &s);
		assert_int_equal(check(good, s.data, one(keys[i]), NULL, &e), 0);
		assert_int_equal(check(good, s.data, json_pack("[oo]", pem_of(stranger), pem_of(keys[i])),
				       NULL, &e),
				 0);
		assert_failed(check(good, s.data, one(stranger), NULL, &e), EKEYREJECTED, e,
			      "none of the keys");
		assert_int_equal(e.kind, AISBX_KIND_DENIED);
		assert_non_null(strstr(e.text, "cosign sign"));
	}
	sign(weak, good, &s);
	assert_failed(check(good, s.data, one(weak), NULL, &e), EINVAL, e, "2048");
	buf_finish(&s);
}

static void test_what_is_signed(void **state)
{
	static const struct {
		const char *payload, *word;
	} rows[] = {
		{ PAYLOAD(OTHER, COSIGN, "example.com/a/b"), "another image" },
		{ PAYLOAD("", COSIGN, "example.com/a/b"), "another image" },
		{ PAYLOAD(DIGEST, "something", "example.com/a/b"), "no statement" },
		{ PAYLOAD(DIGEST, COSIGN, "example.com/a/c"), "another repository" },
		{ PAYLOAD(DIGEST, COSIGN, "other.com/a/b"), "another repository" },
		{ PAYLOAD(DIGEST, COSIGN, ""), "another repository" },
		{ "{}", "names no image" },
		{ "x", "names no image" },
		{ "{\"critical\":{\"image\":{\"docker-manifest-digest\":\"" DIGEST
		  "\",\"docker-manifest-digest\":\"" OTHER "\"}}}",
		  "names no image" },
	};
	struct aisbx_error e;
	struct buf s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) { /* each truly signed */
		sign(p256, rows[i].payload, &s);
		assert_failed(check(rows[i].payload, s.data, one(p256), "example.com/a/b", &e), EKEYREJECTED,
			      e, rows[i].word);
	}
	sign(p256, good, &s);
	assert_int_equal(check(good, s.data, one(p256), "example.com/a/b:tag", &e), 0);
	/* One byte of the text, or of the signature. */
	assert_failed(check(PAYLOAD(DIGEST, COSIGN, "example.com/a/c"), s.data, one(p256), NULL, &e),
		      EKEYREJECTED, e, "none of the keys");
	s.data[20] = s.data[20] == 'A' ? 'B' : 'A';
	assert_failed(check(good, s.data, one(p256), NULL, &e), EKEYREJECTED, e, "none of the keys");
	buf_finish(&s);
}

static void test_what_is_no_signature(void **state)
{
	static const char *const bad[] = { "", "?", "AAAA=", "QUJD\n" };
	struct aisbx_error e;
	struct buf s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_failed(check(good, bad[i], one(p256), NULL, &e), EKEYREJECTED, e, "base64");
	assert_failed(check(good, NULL, one(p256), NULL, &e), EKEYREJECTED, e, "base64");
	assert_failed(check("", "QUJD", one(p256), NULL, &e), EKEYREJECTED, e, "no text");
	/* Keys that are none are a mistake to be told, beside a good one, too. */
	sign(p256, good, &s);
	assert_failed(check(good, s.data, json_pack("[s]", "x"), NULL, &e), EINVAL, e, "key 1");
	assert_failed(check(good, s.data, json_pack("[oi]", pem_of(p256), 7), NULL, &e), EINVAL, e, "key 2");
	assert_failed(check(good, s.data, json_pack("[]"), NULL, &e), EINVAL, e, "no list");
	assert_failed(check(good, s.data, json_string("x"), NULL, &e), EINVAL, e, "no list");
	buf_finish(&s);
}

static void test_wanted(void **state)
{
	json_t *keys = json_pack("[[],n,[s],s]", "k", "odd");

	(void)state;
	assert_false(signature_wanted(NULL));
	assert_false(signature_wanted(json_array_get(keys, 0)));
	assert_false(signature_wanted(json_array_get(keys, 1)));
	assert_true(signature_wanted(json_array_get(keys, 2)));
	assert_true(signature_wanted(json_array_get(keys, 3))); /* to be refused, not overlooked */
	json_decref(keys);
}

/* The payload that is loaded: given by the test. */
static int load(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e)
{
	(void)d;
	(void)e;
	buf_add(ret, ctx, strlen(ctx));
	return 0;
}

static char *signature_manifest(const char *first, const char *second)
{
	char digest[DIGEST_CAP];
	struct buf b = { 0 };

	digest_of(good, strlen(good), digest);
	buf_addf(&b, "{\"schemaVersion\":2,\"config\":{\"mediaType\":\"" OCI_CONFIG "\",\"digest\":\"" DIGEST
		     "\",\"size\":1},\"layers\":[");
	for (int i = 0; i < 2; i++)
		buf_addf(&b,
			 "%s{\"mediaType\":\"" SIGNATURE_MEDIA_TYPE
			 "\",\"digest\":\"%s\",\"size\":%zu,\"annotations\":{\"" SIGNATURE_ANNOTATION
			 "\":\"%s\"}}",
			 i ? "," : "", digest, strlen(good), i ? second : first);
	buf_addf(&b, "]}");
	return buf_str(&b);
}

static void test_manifest(void **state)
{
	json_t *keys = one(p256);
	struct signature_want want = { .keys = keys, .digest = DIGEST };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf by_us = { 0 }, by_them = { 0 };
	char tag[SIGNATURE_TAG_CAP], *text;

	(void)state;
	sign(p256, good, &by_us);
	sign(stranger, good, &by_them);
	text = signature_manifest(by_them.data, by_us.data); /* one of them suffices */
	assert_int_equal(signature_check_manifest(text, strlen(text), load, (void *)good, &want, &e), 0);
	assert_int_equal(e.code, 0);
	assert_failed(signature_check_manifest(text, strlen(text), load, "x", &want, &e), EKEYREJECTED, e,
		      "changed");
	free(text);
	text = signature_manifest(by_them.data, by_them.data);
	assert_failed(signature_check_manifest(text, strlen(text), load, (void *)good, &want, &e),
		      EKEYREJECTED, e, "none of the keys");
	free(text);
	text = strdup("{\"schemaVersion\":2,\"config\":{\"digest\":\"" DIGEST
		      "\",\"size\":1},\"layers\":[]}");
	assert_failed(signature_check_manifest(text, strlen(text), load, (void *)good, &want, &e),
		      EKEYREJECTED, e, "no signature");
	free(text);
	signature_tag(DIGEST, tag);
	assert_string_equal(tag, "sha256-" HEX ".sig");
	buf_finish(&by_us);
	buf_finish(&by_them);
	json_decref(keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_keys),
		cmocka_unit_test(test_what_is_signed),
		cmocka_unit_test(test_what_is_no_signature),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_manifest),
	};
	EVP_PKEY **const all[] = { &p256, &stranger, &rsa, &weak, &ed };
	int r;

	p256 = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	stranger = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	rsa = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
	weak = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024);
	ed = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		EVP_PKEY_free(*all[i]);
	return r;
}
