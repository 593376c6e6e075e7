/* SPDX-License-Identifier: Apache-2.0 */
/* All spellings that some file system takes for one name become one. */
#include "base/casefold.h"
#include "support/test.h"

#include "policy/trap.h"

static void is(const char *path, const char *folded)
{
	char got[64];

	casefold_path(path, got, sizeof(got));
	assert_string_equal(got, folded);
}

static void spellings(void **state)
{
	(void)state;
	is("A/b.C", "a/b.c");
	is("a. ./b .", "a/b");
	is(".", ".");
	is("..", "..");
	is(".../x", ".../x");
	is("a::$DATA/b", "a/b");
	is("::$x", "::$x");
	is("a:b", "a:b");
	is("\xe2\x84\xaa\xc5\xbf\xef\xac\x83", "ksffi");
	is("a\xf3\xa0\x81\x81"
	   "b\xc2\xad"
	   "c\xef\xb8\x8f",
	   "abc");
	is("\xc3\x84", "\xc3\x84");         /* other letters stay */
	is("\xff\xe2\x80", "\xff\xe2\x80"); /* and what is no UTF-8 */
	is("", "");
}

static void a_long_one_is_cut(void **state)
{
	char room[8];

	(void)state;
	casefold_path("abcdefghijkl", room, sizeof(room));
	assert_true(strlen(room) < sizeof(room));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(spellings),
					    cmocka_unit_test(a_long_one_is_cut) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
