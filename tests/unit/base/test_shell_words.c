/* SPDX-License-Identifier: Apache-2.0 */
/* Words as a person types them: what a shell would read as something else is quoted, and a long line is cut.
 */
#include "support/test.h"

#include "base/shell_words.h"

static void is(char *const *words, size_t n, size_t cap, const char *want)
{
	char got[200];

	shell_words(words, n, got, cap);
	assert_string_equal(got, want);
}

static void quotes(void **state)
{
	(void)state;
	is((char *[]){ "ls", "-la" }, 2, 200, "ls -la");
	is((char *[]){ "ls | head" }, 1, 200, "'ls | head'");
	is((char *[]){ "echo", "it's", "", "$A" }, 4, 200, "echo 'it'\\''s' '' '$A'");
	is((char *[]){ "'" }, 1, 200, "''\\'''");
	is(NULL, 0, 200, "");
}

static void cuts(void **state)
{
	(void)state;
	is((char *[]){ "one", "two", "three" }, 3, 13, "one two ...");
	is((char *[]){ "one", "two three" }, 2, 12, "one ...");
	is((char *[]){ "abcdefghijk" }, 1, 8, "...");
	for (size_t cap = 6; cap < 40; cap++) {
		char got[64];

		memset(got, 'x', sizeof(got));
		shell_words((char *[]){ "a b", "c'd", "efghijkl" }, 3, got, cap);
		assert_true(strlen(got) < cap);
	}
}

static void special(void **state)
{
	(void)state;
	assert_true(shell_is_special("a|b", false));
	assert_false(shell_is_special("a b", false));
	assert_true(shell_is_special("a b", true));
	assert_false(shell_is_special("./a-b_c.py", true));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(quotes), cmocka_unit_test(cuts),
					    cmocka_unit_test(special) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
