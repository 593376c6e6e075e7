/* SPDX-License-Identifier: Apache-2.0 */
/* One value of a git configuration, as git reads it. */
#include "support/test.h"

#include <stdlib.h>

#include "policy/git_config.h"

static void values_of_sections(void **state)
{
	static const struct {
		const char *text, *value;
	} cases[] = {
		{ "[remote \"origin\"]\n\turl = a\n", "a" },
		{ "[Remote \"origin\"] URL=a b # c\n", "a b" },
		{ "[remote \"origin\"]\nurl = a\nurl = \"b ; c\"\n", "b ; c" },
		{ "[remote \"origin\"]\nurl = a\n[remote \"origin\"]\nurl = b", "b" },
		{ "[remote \"origin\"]\nurl = a\\\nb\n", "ab" },
		{ "[remote \"origin\"]\nfetch = a\\\nurl = b\n", NULL },
		{ "[remote \"origin\"]\npushurl = a\nurl\n", NULL },
		{ "[remote \"Origin\"]\nurl = a\n", NULL },
		{ "[remote \"origin2\"]\nurl = a\n", NULL },
		{ "[remote]\nurl = a\n", NULL },
		{ "[remotes \"origin\"]\nurl = a\n", NULL },
		{ "[remote \"origin\"]\n[core]\nurl = a\n", NULL },
		{ "[remote \"origin\nurl = a\n", NULL },
		{ "url = a\n[remote \"origin\"", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *value = NULL;

		assert_true(git_config_value(cases[i].text, "remote", "origin", "url", &value));
		if (cases[i].value)
			assert_string_equal(value, cases[i].value);
		else
			assert_null(value);
		free(value);
	}
}

static void what_is_not_said_stays(void **state)
{
	char *value = strdup("old");

	(void)state;
	assert_true(git_config_value("[user \"x\"]\nname = a\n[users]\nname = b\n", "user", NULL, "name",
				     &value));
	assert_string_equal(value, "old");
	assert_true(git_config_value("[ user ]\nname = new\n", "user", NULL, "name", &value));
	assert_string_equal(value, "new");
	free(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_sections),
		cmocka_unit_test(what_is_not_said_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
