/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of sandboxes and signatures of addresses. */
#include "support/test.h"

#include "server/e2b/internal.h"

static void tokens(void **state)
{
	char a[ACCESS_MAX], b[ACCESS_MAX];

	(void)state;
	access_token("key-one", "iabc", ACCESS_FILES, a);
	assert_int_equal(strlen(a), 64);
	access_token("key-one", "iabc", ACCESS_FILES, b);
	assert_true(access_same(a, b));
	access_token("key-one", "iabd", ACCESS_FILES, b);
	assert_false(access_same(a, b));
	access_token("key-two", "iabc", ACCESS_FILES, b);
	assert_false(access_same(a, b));
	access_token("key-one", "iabc", ACCESS_TRAFFIC, b);
	assert_false(access_same(a, b));
	assert_false(access_same(a, ""));
	assert_false(access_same("", "a"));
}

/* As the clients make them: sha256 of "path:operation:user:token[:expiration]". */
static void signatures(void **state)
{
	char s[ACCESS_MAX];

	(void)state;
	access_signature("a.txt", "read", "", "secret", "", s);
	assert_string_equal(s, "v1_SfWJHbXY99JC+ykKjWo0lq7bU479AzrT7YKGB2EKKss");
	access_signature("a.txt", "write", "user", "secret", "1700000000", s);
	assert_string_equal(s, "v1_3R4qFqGl9ggoGeX+GtlUvtYBR/I/+OzEpBCN69+ASpU");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tokens), cmocka_unit_test(signatures) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
