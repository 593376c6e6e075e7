/* SPDX-License-Identifier: Apache-2.0 */
/* How shells are started so that their prompt says which box they are in. */
#include "support/test.h"

#include "base/scope.h"
#include "box/shell_start.h"

static void each_has_its_way(void **state)
{
	static const struct {
		const char *path;
		size_t words;
		const char *first, *env;
	} shells[] = {
		{ "/bin/bash", 1, "/bin/bash", "PROMPT_COMMAND=case $PS1 in" },
		{ "/usr/bin/zsh", 4, "/bin/sh", "AISBX_SHELL=" },
		{ "/usr/bin/fish", 3, "/usr/bin/fish", "AISBX_SHELL=" },
		{ "/bin/dash", 1, "/bin/dash", "PS1=[$AISBX_BOX] # " },
		{ "/usr/bin/nu", 1, "/usr/bin/nu", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		scoped(strlist_finish) struct strlist argv = { 0 }, env = { 0 };

		shell_start_words(shells[i].path, true, NULL, &argv, &env);
		assert_int_equal(argv.n, shells[i].words);
		assert_string_equal(argv.items[0], shells[i].first);
		assert_int_equal(env.n, shells[i].env ? 1 : 0);
		if (shells[i].env)
			assert_memory_equal(env.items[0], shells[i].env, strlen(shells[i].env));
	}
}

static void a_prompt_command_stays(void **state)
{
	scoped(strlist_finish) struct strlist argv = { 0 }, env = { 0 };

	(void)state;
	shell_start_words("/bin/bash", false, "mine", &argv, &env);
	assert_non_null(strstr(env.items[0], "esac; mine"));
}

static void what_is_no_shell(void **state)
{
	(void)state;
	assert_true(shell_is_usable("/bin/bash"));
	assert_false(shell_is_usable(NULL));
	assert_false(shell_is_usable("bash"));
	assert_false(shell_is_usable("/usr/sbin/nologin"));
	assert_false(shell_is_usable("/bin/false"));
	assert_false(shell_is_usable("/bin/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_has_its_way),
					    cmocka_unit_test(a_prompt_command_stays),
					    cmocka_unit_test(what_is_no_shell) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
