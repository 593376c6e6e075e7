/* SPDX-License-Identifier: Apache-2.0 */
/* What registries put into WWW-Authenticate, and what they should not. */
#include "support/test.h"

#include "helpers/image/challenge.h"

static struct challenge read_all(const char *const *lines, size_t n)
{
	struct challenge c = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_true(challenge_read(lines[i], strlen(lines[i]), &c));
	return c;
}

static struct challenge read_one(const char *line)
{
	return read_all(&line, 1);
}

static void test_bearer(void **state)
{
	struct challenge c =
		read_one("Bearer realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\","
			 "scope=\"repository:library/busybox:pull\"");

	(void)state;
	assert_int_equal(c.scheme, CHALLENGE_BEARER);
	assert_string_equal(c.realm, "https://auth.docker.io/token");
	assert_string_equal(c.service, "registry.docker.io");
}

static void test_basic(void **state)
{
	(void)state;
	assert_int_equal(read_one("Basic realm=\"Registry Realm\"").scheme, CHALLENGE_BASIC);
	assert_int_equal(read_one("BASIC").scheme, CHALLENGE_BASIC);
	assert_int_equal(read_one("bAsIc realm=x , charset=\"UTF-8\"").scheme, CHALLENGE_BASIC);
}

/* Bearer goes first, wherever it stands; of two the first counts. */
static void test_several(void **state)
{
	static const char *const lines[] = { "Basic realm=\"a\"", "Bearer realm=\"https://t/1\"",
					     "Bearer realm=\"https://t/2\"" };

	(void)state;
	assert_string_equal(read_all(lines, 3).realm, "https://t/1");
	assert_string_equal(
		read_one("Basic realm=\"a\", Bearer realm=\"https://t/3\" , service = \"s\"").realm,
		"https://t/3");
	assert_string_equal(read_one("Bearer realm=\"https://t/4\", Basic realm=\"a\"").realm, "https://t/4");
	assert_int_equal(read_one("Negotiate YIIabc==, Basic realm=\"b\"").scheme, CHALLENGE_BASIC);
	assert_int_equal(read_one("Negotiate, NTLM").scheme, CHALLENGE_NONE);
	assert_int_equal(read_one("").scheme, CHALLENGE_NONE);
}

/* Nothing can be asked of a token server that is not named. */
static void test_bearer_without_realm(void **state)
{
	(void)state;
	assert_int_equal(read_one("Bearer service=\"s\"").scheme, CHALLENGE_NONE);
	assert_int_equal(read_one("Bearer realm=\"\", Basic realm=\"x\"").scheme, CHALLENGE_BASIC);
}

static void test_quotes(void **state)
{
	struct challenge c = read_one("Bearer realm=\"https://t/a\\\"b\",service=\"x, Basic realm=y\"");

	(void)state;
	assert_string_equal(c.realm, "https://t/a\"b");
	assert_string_equal(c.service, "x, Basic realm=y");
	assert_int_equal(c.scheme, CHALLENGE_BEARER);
}

static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"Bearer realm=\"https://t",
		"Bearer realm=\"https://t\\",
		"Bearer realm=\"https://t\r\nX: y\"",
		"Bearer realm=\"a\",realm=\"b\"",
		"\"Bearer\"",
		"=",
		"Bearer realm=\"a\" ; x",
	};
	struct challenge before = { .scheme = CHALLENGE_BASIC, .realm = "kept" };
	static char huge[3000];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct challenge c = before;

		if (challenge_read(bad[i], strlen(bad[i]), &c))
			fail_msg("taken: %s", bad[i]);
		assert_memory_equal(&c, &before, sizeof(c));
	}
	memset(huge, 'a', sizeof(huge));
	memcpy(huge, "Bearer realm=\"", 14);
	huge[sizeof(huge) - 1] = '"';
	assert_false(challenge_read(huge, sizeof(huge), &before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bearer),  cmocka_unit_test(test_basic),
		cmocka_unit_test(test_several), cmocka_unit_test(test_bearer_without_realm),
		cmocka_unit_test(test_quotes),  cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
