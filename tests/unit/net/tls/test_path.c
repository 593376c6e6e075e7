/* SPDX-License-Identifier: Apache-2.0 */
/* Paths: one form, and what has none. */
#include "support/test.h"

#include "net/tls/path.h"
#include "policy/egress.h"

static void is(const char *target, const char *want)
{
	char made[300];
	const char *why = path_normalise(target, made);

	if (!want)
		assert_non_null(why);
	else
		assert_null(why);
	if (want)
		assert_string_equal(made, want);
}

static void test_one_form(void **state)
{
	(void)state;
	is("/", "/");
	is("/a/b?c=../..//%2f", "/a/b");
	is("/%61%2Db%7e", "/a-b~");
	is("/a%3fb%c3%A9", "/a%3Fb%C3%A9");
	is("/...", "/...");
	is("/.a/..b/c.", "/.a/..b/c.");
	is("/a%25", "/a%25");
	is("/a%25zz", "/a%25zz");
}

static void test_no_form(void **state)
{
	static const char *const bad[] = {
		"",        "a",     "*",           "//",        "/a//b",   "/.",    "/..",    "/a/../b",
		"/a/./b",  "/%2e",  "/a/%2E%2e/b", "/a/.%2e",   "/..;x/b", "/.;/b", "/a%2fb", "/a%2Fb",
		"/a%5cb",  "/a\\b", "/a%00",       "/a%0a",     "/a%",     "/a%4",  "/a%4g",  "/a%252e",
		"/a%2541", "/a b",  "/a#b",        "/\xc3\xa9", "/a\tb",   "/a%7f"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is(bad[i], NULL);
}

static void test_match(void **state)
{
	(void)state;
	assert_true(path_matches("/a/b", ""));
	assert_true(path_matches("/a/b", "/a/*"));
	assert_true(path_matches("/a/", "/a/*"));
	assert_false(path_matches("/a", "/a/*"));
	assert_true(path_matches("/a", "/a"));
	assert_false(path_matches("/a/b", "/a"));
	assert_false(path_matches("/ab", "/a"));
	assert_true(path_matches("/ab", "/a*"));
}

static void test_method(void **state)
{
	(void)state;
	assert_int_equal(path_method("GET"), EGRESS_GET);
	assert_int_equal(path_method("OPTIONS"), EGRESS_OPTIONS);
	assert_int_equal(path_method("get"), 0);
	assert_int_equal(path_method("GETX"), 0);
	assert_int_equal(path_method(""), 0);
}

static void test_target_and_unescape(void **state)
{
	char made[32];

	(void)state;
	assert_true(path_is_target("/a?b=%2f"));
	assert_true(path_is_target("*"));
	assert_false(path_is_target("https://a/b"));
	assert_false(path_is_target("/a b"));
	assert_false(path_is_target("/a#b"));
	assert_int_equal(path_unescape("a%41%4%zz%00b", made), 9);
	assert_memory_equal(made, "aA%4%zz\0b", 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_form),
		cmocka_unit_test(test_no_form),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_method),
		cmocka_unit_test(test_target_and_unescape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
