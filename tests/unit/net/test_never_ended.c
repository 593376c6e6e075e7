/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are only passed on. */
#include "support/test.h"

#include "net/never_ended.h"

static void test_table(void **state)
{
	(void)state;
	assert_non_null(net_never_ended("courier.push.apple.com", NULL));
	assert_null(net_never_ended("push.apple.com", NULL));
	assert_null(net_never_ended("xpush.apple.com", NULL));
	assert_null(net_never_ended("api.github.com", NULL));
}

static void test_own(void **state)
{
	const char *const own[] = { "pinned.example", "*.bank.example", NULL };

	(void)state;
	assert_non_null(net_never_ended("pinned.example", own));
	assert_non_null(net_never_ended("www.bank.example", own));
	assert_null(net_never_ended("bank.example", own));
	assert_null(net_never_ended("www.pinned.example", own));
}

static void test_matches(void **state)
{
	(void)state;
	assert_true(net_name_matches("a.b", "a.b"));
	assert_true(net_name_matches("x.a.b", "*.a.b"));
	assert_true(net_name_matches("y.x.a.b", "*.a.b"));
	assert_false(net_name_matches("a.b", "*.a.b"));
	assert_false(net_name_matches("xa.b", "*.a.b"));
	assert_false(net_name_matches("", "*.a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
