/* SPDX-License-Identifier: Apache-2.0 */
/* What a client says first on a data connection. */
#include "support/test.h"

#include "server/rpc/data.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static void test_token(void **state)
{
	(void)state;
	assert_true(data_is_token(TOKEN));
	assert_false(data_is_token(""));
	assert_false(data_is_token("0123456789abcdef0123456789abcde"));
	assert_false(data_is_token(TOKEN "0"));
	assert_false(data_is_token("0123456789ABCDEF0123456789ABCDEF"));
	assert_false(data_is_token("0123456789abcdef0123456789abcde\n"));
}

static void test_head(void **state)
{
	struct data_head h = { 0 };

	(void)state;
	assert_true(data_head_add(&h, TOKEN, 10));
	assert_int_equal(data_head_wants(&h), DATA_HEAD - 10);
	assert_true(data_head_add(&h, &(TOKEN "\n")[10], DATA_HEAD - 10));
	assert_int_equal(data_head_wants(&h), 0);
	assert_string_equal(h.text, TOKEN);
	assert_false(data_head_add(&h, "x", 1));
}

static void test_none(void **state)
{
	static const char *const others[] = { "\n", "GET /", "0123 ", TOKEN "0", TOKEN "\r", "{\"jsonrpc\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct data_head h = { 0 };

		assert_false(data_head_add(&h, others[i], strlen(others[i])));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_token), cmocka_unit_test(test_head),
					    cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
