/* SPDX-License-Identifier: Apache-2.0 */
/* Words of other tools: each is answered, and none of them is a word of ours. */
#include "support/test.h"

#include "cli/foreign.h"
#include "op/op.h"

static void options_are_answered(void **state)
{
	static const char *const cases[][3] = {
		{ "run", "-v", "--ro HOST" },
		{ "run", "-v/a:/b", "--ro HOST" },
		{ "run", "--volume=/a:/b", "--ro" },
		{ "run", "--rm", "not needed" },
		{ "run", "-w", "-C DIR" },
		{ "run", "--network", "--net" },
		{ "run", "--unshare-all", "walls" },
		{ "rm", "-rf", "not needed" },
		{ "kill", "-9", "--signal KILL" },
		{ "ls", "-la", "aisbx file ls" },
		{ "commit", "-am", "aisbx commit" },
		{ "create", "--name", "aisbx create NAME" },
		{ "promote", "--force", "--conflict" },
		{ "promote", "-p", "--review" },
		{ "run", "--hostname", "aisbx create NAME" },
		{ "create", "--gpus", "aisbx run --gpu" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *ours = foreign_option(cases[i][0], cases[i][1]);

		if (!ours || !strstr(ours, cases[i][2]))
			fail_msg("%s %s: %s", cases[i][0], cases[i][1], ours ? ours : "nothing");
	}
	assert_null(foreign_option("run", "--frobnicate"));
	assert_null(foreign_option("run", "-"));
	assert_null(foreign_option("run", "--"));
}

static void operations_are_answered(void **state)
{
	static const char *const words[] = { "images", "build",    "pull",   "push",   "stop",
					     "start",  "inspect",  "cp",     "volume", "compose",
					     "status", "checkout", "branch", "merge",  "stash",
					     "reset",  "log",      "revert", "switch", "worktree" };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!foreign_operation(words[i]))
			fail_msg("%s is not answered", words[i]);
	assert_null(foreign_operation("frobnicate"));
	assert_null(foreign_operation(""));
}

/* An answer to a word of ours would never be read. */
static void ours_are_not_foreign(void **state)
{
	(void)state;
	for (size_t i = 0; ops[i]; i++)
		if (foreign_operation(ops[i]->name))
			fail_msg("%s is ours", ops[i]->name);
}

static void programs(void **state)
{
	(void)state;
	setenv("PATH", "/nowhere:/bin:/usr/bin", 1);
	assert_true(foreign_is_program("sh"));
	assert_true(foreign_is_program("/bin/sh"));
	assert_false(foreign_is_program("no-such-program"));
	assert_false(foreign_is_program(""));
	unsetenv("PATH");
	assert_false(foreign_is_program("sh"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_answered),
		cmocka_unit_test(operations_are_answered),
		cmocka_unit_test(ours_are_not_foreign),
		cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
