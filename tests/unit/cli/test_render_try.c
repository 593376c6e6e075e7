/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments in words where there is no terminal: a line per change of state, then the comparison. */
#include "support/hear.h"

#include "cli/cli.h"

static void a_line_for_each_change_of_state(void **state)
{
	static const char *const items[] = {
		"{\"branch\":\"a\",\"state\":\"running\",\"wall_ms\":1}",
		"{\"branch\":\"a\",\"state\":\"running\",\"wall_ms\":300}",
		"{\"branch\":\"b\",\"state\":\"waiting\"}",
		"{\"branch\":\"a\",\"state\":\"passed\",\"wall_ms\":1200,\"tests\":{\"passed\":3,\"failed\":"
		"0}}",
		"{\"branch\":\"b\",\"state\":\"failed\",\"wall_ms\":80,\"why\":\"exit \\u001b[2J\\nstatus "
		"1\"}",
	};
	struct said s;

	(void)state;
	hear(cli_try_item, items, 5, &s);
	assert_string_equal(s.out, "");
	assert_string_equal(s.err,
			    "aisbx: a: running\naisbx: b: waiting\naisbx: a: passed after 1.2 s, tests 3/3\n"
			    "aisbx: b: failed after 80 ms: exit ?[2J?status 1\n");
}

static void stages_are_told_after_the_board(void **state)
{
	static const char *const items[] = {
		"{\"branch\":\"a\",\"state\":\"winner\",\"wall_ms\":1200}",
		"{\"pipeline\":\"pipe-1\",\"stage\":\"verified\",\"state\":\"passed\",\"why\":\"\"}",
	};
	struct said s;

	(void)state;
	hear(cli_try_item, items, 2, &s);
	assert_string_equal(s.err, "aisbx: a: winner after 1.2 s\n");
	assert_non_null(strstr(s.out, "passed       verified\n"));
}

#define BRANCHES                                                                                            \
	"\"branches\":["                                                                                    \
	"{\"name\":\"patch\",\"state\":\"winner\",\"rank\":1,\"wall_ms\":410,\"cpu_ms\":90.4,\"mem_peak\":" \
	"8388608,"                                                                                          \
	"\"tests\":{\"passed\":4,\"failed\":0,\"skipped\":1},\"changes\":{\"created\":1,\"modified\":2,"    \
	"\"deleted\":0},"                                                                                   \
	"\"score\":0.41,\"passed_of\":\"3/3\",\"why\":\"\"},"                                               \
	"{\"name\":\"revert\",\"state\":\"failed\",\"rank\":null,\"wall_ms\":380,\"cpu_ms\":80,\"mem_"      \
	"peak\":null,"                                                                                      \
	"\"tests\":{\"passed\":3,\"failed\":1,\"skipped\":0},\"changes\":{\"created\":0,\"modified\":0,"    \
	"\"deleted\":0},"                                                                                   \
	"\"score\":null,\"passed_of\":\"0/3\",\"why\":\"exit \\u001bstatus "                                \
	"1\",\"stderr_tail\":\"1\\n2\\n3\\n4\\n5\\nE \\u001b[2J\\n\"}]"

static void branches_are_compared(void **state)
{
	static const char *const won[] = {
		"{" BRANCHES ",\"state\":\"won\",\"winner\":\"patch\",\"box\":\"x-1-patch\",\"differs\":"
		"[{\"branch\":\"patch\",\"against\":\"other\",\"files\":[\"a.py\",\"b\\nc\"],\"more\":3},"
		"{\"branch\":\"patch\",\"against\":\"same\",\"files\":[],\"more\":0}]}"
	};
	struct said s;

	(void)state;
	hear(cli_render_try, won, 1, &s);
	assert_string_equal(s.err, "");
	assert_non_null(
		strstr(s.out,
		       "RANK  BRANCH    STATE   TESTS  RUNS    TIME    CPU  MEMORY  CHANGES  SCORE  WHY\n"
		       "   1  patch     winner    4/4   3/3  410 ms  90 ms   8 MiB  +1 ~2     0.41\n"
		       "   -  revert    failed    3/4   0/3  380 ms  80 ms          none            exit "
		       "?status 1\n"));
	assert_non_null(strstr(s.out, "patch and other differ in:\n    a.py\n    b?c\n    … 3 more\n"));
	assert_non_null(strstr(s.out, "patch and same made the same changes\n"));
	assert_non_null(strstr(s.out, "patch wins; it is in the box x-1-patch\n"));
	assert_non_null(strstr(s.out, "aisbx promote x-1-patch"));
	assert_null(strstr(s.out, "last output"));
}

static void what_became_of_the_winner_is_told(void **state)
{
	static const char *const staged[] = {
		"{" BRANCHES
		",\"state\":\"won\",\"winner\":\"patch\",\"box\":\"x-1-2\",\"pipeline\":{\"pipeline\":"
		"\"pipe-1\",\"state\":\"waiting\",\"stages\":[{\"stage\":\"far\",\"state\":\"pending\"}]}}"
	};
	static const char *const promoted[] = {
		"{" BRANCHES
		",\"state\":\"won\",\"winner\":\"patch\",\"box\":\"x-1-2\",\"promotion\":{\"changes\":["
		"{\"kind\":\"modified\",\"type\":\"file\",\"path\":\"a\"}],\"applied\":true,\"target\":\"/"
		"p\","
		"\"promotion\":\"p-1\",\"summary\":{\"modified\":1}}}"
	};
	struct said s;

	(void)state;
	hear(cli_render_try, staged, 1, &s);
	assert_non_null(strstr(s.out, "not touched: far\n"));
	assert_non_null(strstr(s.out, "aisbx approve pipe-1"));
	assert_null(strstr(s.out, "aisbx promote"));
	hear(cli_render_try, promoted, 1, &s);
	assert_non_null(strstr(s.out, "promoted to /p as p-1"));
	assert_null(strstr(s.out, "aisbx promote"));
}

static void without_a_winner_the_last_words_are_shown(void **state)
{
	static const char *const texts[] = {
		"{" BRANCHES ",\"state\":\"none\",\"winner\":null,\"box\":null,\"differs\":[]}",
		"{" BRANCHES ",\"state\":\"budget\",\"winner\":null}",
		"{" BRANCHES ",\"state\":\"interrupted\",\"winner\":null}",
		"{" BRANCHES ",\"state\":\"compared\",\"winner\":null}"
	};
	struct said s;

	(void)state;
	hear(cli_render_try, texts, 1, &s);
	assert_non_null(strstr(s.out, "last output of revert:\n    2\n    3\n    4\n    5\n    E ?[2J\n"));
	assert_non_null(strstr(s.out, "\nno branch passed\n"));
	hear(cli_render_try, texts + 1, 1, &s);
	assert_non_null(strstr(s.out, "\nthe budget was used up before a branch passed\n"));
	hear(cli_render_try, texts + 2, 1, &s);
	assert_non_null(strstr(s.out, "\nit was interrupted\n"));
	hear(cli_render_try, texts + 3, 1, &s);
	assert_non_null(strstr(s.out, "comparison only, no winner\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_for_each_change_of_state),
		cmocka_unit_test(stages_are_told_after_the_board),
		cmocka_unit_test(branches_are_compared),
		cmocka_unit_test(what_became_of_the_winner_is_told),
		cmocka_unit_test(without_a_winner_the_last_words_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
