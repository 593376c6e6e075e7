/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders have the shape of their secrets, and nothing else of them. */
#include "support/test.h"

#include "net/placeholder.h"

static const uint8_t dice[256] = { 7, 201, 33, 90, 14, 250, 61, 128, 77, 3,  19, 222, 145, 9,  88, 41,
				   5, 66,  17, 99, 54, 31,  72, 180, 23, 11, 2,  139, 240, 57, 81, 100 };

static void keeps(const char *secret, const char *beginning)
{
	char made[300];

	assert_true(placeholder_make(secret, strlen(secret), dice, made));
	assert_true(placeholder_fits(secret, made));
	assert_memory_equal(made, beginning, strlen(beginning));
	assert_string_not_equal(made, secret);
}

static void test_shapes(void **state)
{
	(void)state;
	keeps("ghp_aBcDeF0123456789aBcDeF0123456789aBcD", "ghp_");
	keeps("github_pat_11AAAAAAA0abcdefghijklm_nopqrstuvwxyz", "github_pat_");
	keeps("sk-ant-api03-abcdefghijklmnop", "sk-ant-api03-");
	keeps("xoxb-123456789012-abcdefghijkl", "xoxb-");
	keeps("AKIAIOSFODNN7EXAMPLE", "AKIA");
	keeps("plain text with spaces: 12345678", "");
	keeps("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "");
}

static void test_hexadecimal_stays(void **state)
{
	const char *secret = "0123456789abcdef0123456789abcdef";
	char made[40];

	(void)state;
	assert_true(placeholder_make(secret, strlen(secret), dice, made));
	assert_int_equal(strspn(made, "0123456789abcdef"), 32);
}

static void test_json_web_token(void **state)
{
	const char *secret = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.aBcDeFgHiJkLmNoP-_";
	char made[80];

	(void)state;
	keeps(secret, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.");
	assert_true(placeholder_make(secret, strlen(secret), dice, made));
	assert_string_not_equal(strrchr(made, '.'), strrchr(secret, '.'));
}

static void test_chance(void **state)
{
	uint8_t other[256];
	char one[64], two[64];

	(void)state;
	memset(other, 200, sizeof(other));
	assert_true(placeholder_make("abcdefghijkl", 12, dice, one));
	assert_true(placeholder_make("abcdefghijkl", 12, other, two));
	assert_string_not_equal(one, two);
	assert_true(placeholder_make("abcdefghijkl", 12, dice, two));
	assert_string_equal(one, two);
}

static void test_too_little_chance(void **state)
{
	char made[64];

	(void)state;
	assert_false(placeholder_make("ghp_abc", 7, dice, made));
	assert_false(placeholder_make("........---...", 14, dice, made));
	assert_false(placeholder_make("abcdefgh\nijkl", 13, dice, made));
	assert_false(placeholder_make("", 0, dice, made));
}

static void test_fits(void **state)
{
	(void)state;
	assert_false(placeholder_fits("abc", "abcd"));
	assert_false(placeholder_fits("abc", "abc"));
	assert_false(placeholder_fits("abc", "ab1"));
	assert_false(placeholder_fits("a-c", "a_c"));
	assert_true(placeholder_fits("a-c1", "b-x9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_hexadecimal_stays),
		cmocka_unit_test(test_json_web_token),
		cmocka_unit_test(test_chance),
		cmocka_unit_test(test_too_little_chance),
		cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
