/* SPDX-License-Identifier: Apache-2.0 */
/* Path arithmetic, with the paths an attacker would choose. */
#include "support/test.h"

#include <limits.h>

#include "base/path.h"

static void clean_paths(void **state)
{
	static const char *const good[] = { "/",    "/a",  "/a/b",   "/...", "/..a",
					    "/a..", "/.a", "/a b\n", "/\xff" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(path_is_clean(good[i]));
}

static void unclean_paths(void **state)
{
	static const char *const bad[] = { "",   "a",   "./a",  "//",    "/a/",   "//a",  "/a//b",
					   "/.", "/..", "/a/.", "/a/..", "/../a", "/./a", "/a/../b" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (path_is_clean(bad[i]))
			fail_msg("'%s' is taken for clean", bad[i]);
}

static void lengths_have_limits(void **state)
{
	char name[NAME_MAX + 3] = "/", path[PATH_MAX + 2] = "";

	(void)state;
	memset(name + 1, 'n', NAME_MAX);
	assert_true(path_is_clean(name));
	name[NAME_MAX + 1] = 'n';
	name[NAME_MAX + 2] = '\0';
	assert_false(path_is_clean(name));
	for (size_t i = 0; i < PATH_MAX; i += 2)
		memcpy(path + i, "/p", 2);
	path[PATH_MAX - 1] = '\0'; /* ends in a slash */
	assert_false(path_is_clean(path));
	path[PATH_MAX - 2] = '\0';
	assert_true(path_is_clean(path));
	path[PATH_MAX - 2] = '/';
	path[PATH_MAX - 1] = 'p';
	path[PATH_MAX] = '\0';
	assert_false(path_is_clean(path));
}

static void below(void **state)
{
	(void)state;
	assert_string_equal(path_below("/a/b/c", "/a"), "b/c");
	assert_string_equal(path_below("/a", "/a"), "");
	assert_string_equal(path_below("/a/b", "/"), "a/b");
	assert_string_equal(path_below("/", "/"), "");
	assert_null(path_below("/ab", "/a"));
	assert_null(path_below("/a", "/a/b"));
	assert_null(path_below("/", "/a"));
	assert_true(path_is_within("/x/y", "/x"));
	assert_false(path_is_within("/xy", "/x"));
}

static void resolve(void **state)
{
	static const char *const cases[][3] = {
		{ "/w", "a", "/w/a" },
		{ "/w", ".", "/w" },
		{ "/w", "", "/w" },
		{ "/w", "/x/y", "/x/y" },
		{ "/w", "../x", "/x" },
		{ "/w", "../../../x", "/x" },
		{ "/", "..", "/" },
		{ "/w", "a//b/./c", "/w/a/b/c" },
		{ "/w", "a/b/../c/", "/w/a/c" },
		{ "/w", "/..//../", "/" },
		{ "/w/v", "..", "/w" },
		{ "/", "a", "/a" },
		{ "/w", "...", "/w/..." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *got = path_resolve(cases[i][0], cases[i][1]);

		assert_string_equal(got, cases[i][2]);
		assert_true(path_is_clean(got));
		free(got);
	}
}

static void join(void **state)
{
	char *a = path_join("/", "x"), *b = path_join("/d", "x/y");

	(void)state;
	assert_string_equal(a, "/x");
	assert_string_equal(b, "/d/x/y");
	free(a);
	free(b);
}

static void tail(void **state)
{
	(void)state;
	assert_string_equal(path_tail("/a/b.yaml", 9), "/a/b.yaml");
	assert_string_equal(path_tail("/long/b.yaml", 6), "b.yaml");
	assert_string_equal(path_tail("", 6), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_paths),
		cmocka_unit_test(unclean_paths),
		cmocka_unit_test(lengths_have_limits),
		cmocka_unit_test(below),
		cmocka_unit_test(resolve),
		cmocka_unit_test(join),
		cmocka_unit_test(tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
