/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures: those that Amazon's documentation and test suite give for the same requests. */
#include "support/test.h"

#include "net/tls/sigv4.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const struct sigv4_key suite = { "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", NULL };
static const struct sigv4_key s3 = { "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
				     NULL };

static void add(struct message *m, const char *name, const char *value)
{
	assert_true(message_add(m, name, strlen(name), value, strlen(value)));
}

static void begin(struct message *m, const char *method, const char *target, const char *host)
{
	assert_true(message_set(&m->method, method, strlen(method)) &&
		    message_set(&m->target, target, strlen(target)) &&
		    message_set(&m->authority, host, strlen(host)));
}

static void check(struct message *m, const struct sigv4_key *key, const char *hash, const char *want)
{
	const char *why, *got;

	assert_int_equal(sigv4_sign(m, key, hash, &why), SIGV4_DONE);
	got = message_get(m, "authorization");
	if (!strstr(got, want))
		fail_msg("%s is not in %s", want, got);
	message_finish(m);
}

static void vanilla(const char *method, const char *target, const char *want)
{
	struct message m = { 0 };

	begin(&m, method, target, "example.amazonaws.com");
	add(&m, "X-Amz-Date", "20150830T123600Z");
	add(&m, "Authorization",
	    "AWS4-HMAC-SHA256 Credential=PLACEHOLDER/20150830/us-east-1/service/aws4_request, "
	    "SignedHeaders=host;x-amz-date, Signature=00");
	check(&m, &suite, EMPTY, want);
}

static void test_suite(void **state)
{
	(void)state;
	vanilla("GET", "/", "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
	vanilla("GET", "/?Param2=value2&Param1=value1",
		"Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
	vanilla("POST", "/", "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
	vanilla("GET", "/",
		"Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
		"SignedHeaders=host;x-amz-date,");
}

static void s3_get(struct message *m)
{
	begin(m, "GET", "/test.txt", "examplebucket.s3.amazonaws.com");
	add(m, "range", "bytes=0-9");
	add(m, "x-amz-content-sha256", EMPTY);
	add(m, "x-amz-date", "20130524T000000Z");
	add(m, "authorization",
	    "AWS4-HMAC-SHA256 "
	    "Credential=P/20130524/us-east-1/s3/"
	    "aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=00");
}

static void test_s3(void **state)
{
	struct message m = { 0 };

	(void)state;
	s3_get(&m);
	check(&m, &s3, NULL, "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void test_token(void **state)
{
	const struct sigv4_key key = { s3.id, s3.secret, "the-real-token" };
	struct message m = { 0 };
	const char *why;

	(void)state;
	s3_get(&m);
	add(&m, "X-Amz-Security-Token", "the-placeholder");
	assert_int_equal(sigv4_sign(&m, &key, NULL, &why), SIGV4_DONE);
	assert_string_equal(message_get(&m, "x-amz-security-token"), "the-real-token");
	assert_non_null(strstr(message_get(&m, "authorization"), "x-amz-date;x-amz-security-token,"));
	assert_int_equal(sigv4_sign(&m, &s3, NULL, &why), SIGV4_DONE); /* the other way round */
	assert_null(message_get(&m, "x-amz-security-token"));
	assert_non_null(strstr(message_get(&m, "authorization"),
			       "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
	message_finish(&m);
}

static void test_needs_body_and_refusals(void **state)
{
	static const char *const bad[] = {
		"Basic x",
		"AWS4-HMAC-SHA256 Credential=P/20150830/r/s, SignedHeaders=host, Signature=0",
		"AWS4-HMAC-SHA256 Credential=P/20150831/r/s/aws4_request, SignedHeaders=host, Signature=0",
		"AWS4-HMAC-SHA256 Credential=P/20150830/r/s/aws4_request",
	};
	struct message m = { 0 };
	const char *why;

	(void)state;
	begin(&m, "POST", "/", "example.amazonaws.com");
	add(&m, "X-Amz-Date", "20150830T123600Z");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		message_remove(&m, "authorization");
		add(&m, "authorization", bad[i]);
		assert_int_equal(sigv4_sign(&m, &suite, EMPTY, &why), SIGV4_REFUSED);
	}
	message_remove(&m, "authorization");
	add(&m, "authorization",
	    "AWS4-HMAC-SHA256 Credential=P/20150830/r/s/aws4_request, SignedHeaders=host, Signature=0");
	assert_int_equal(sigv4_sign(&m, &suite, NULL, &why), SIGV4_NEEDS_BODY);
	add(&m, "x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
	assert_int_equal(sigv4_sign(&m, &suite, NULL, &why), SIGV4_REFUSED);
	message_finish(&m);
}

static void test_shows(void **state)
{
	(void)state;
	assert_true(sigv4_shows("AWS4-HMAC-SHA256 Credential=ABC/2015", "ABC", 3));
	assert_false(sigv4_shows("AWS4-HMAC-SHA256 Credential=ABCD/2015", "ABC", 3));
	assert_false(sigv4_shows("AWS4-HMAC-SHA256 Credential=AB", "ABC", 3));
	assert_false(sigv4_shows("Bearer Credential=ABC/2015", "ABC", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suite), cmocka_unit_test(test_s3),
		cmocka_unit_test(test_token), cmocka_unit_test(test_needs_body_and_refusals),
		cmocka_unit_test(test_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
