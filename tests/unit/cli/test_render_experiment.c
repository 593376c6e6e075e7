/* SPDX-License-Identifier: Apache-2.0 */
/* Open experiments in words: where to work, and what to say when it is done. */
#include "support/hear.h"

#include "cli/cli.h"

#define OPEN                                                                                            \
	"{\"experiment\":\"x-1\",\"state\":\"open\",\"mode\":\"first\",\"winner\":null,\"project\":\"/" \
	"p\\u001b\",\"branches\":["                                                                     \
	"{\"name\":\"1\",\"state\":\"waiting\",\"box\":\"x-1-1\",\"why\":\"\"},"                        \
	"{\"name\":\"2\",\"state\":\"failed\",\"box\":\"x-1-2\",\"why\":\"the test\\n exited\"}]}"
#define ENDED                                                                                         \
	"{\"experiment\":\"x-1\",\"state\":\"won\",\"winner\":\"2\",\"box\":\"x-1-2\",\"branches\":[" \
	"{\"name\":\"2\",\"state\":\"winner\",\"rank\":1,\"box\":\"x-1-2\",\"why\":\"\"}]}"

static void an_open_one_says_where_and_what_next(void **state)
{
	static const char *const texts[] = { OPEN };
	struct said s;

	(void)state;
	hear(cli_render_experiment, texts, 1, &s);
	assert_non_null(strstr(s.out, "BRANCH    STATE    BOX    WHY\n1         waiting  x-1-1\n"
				      "2         failed   x-1-2  the test? exited\n"));
	assert_non_null(strstr(s.out, "aisbx experiment ready x-1 BRANCH"));
	assert_non_null(strstr(s.out, "aisbx experiment end x-1"));
}

static void one_that_ended_is_compared(void **state)
{
	static const char *const texts[] = { ENDED };
	struct said s;

	(void)state;
	hear(cli_render_experiment, texts, 1, &s);
	assert_int_equal(strncmp(s.out, "RANK  BRANCH", 12), 0);
	assert_non_null(strstr(s.out, "2 wins; it is in the box x-1-2\n"));
}

static void a_branch_is_judged(void **state)
{
	static const char *const texts[] = {
		"{\"branch\":\"1\",\"passed\":true,\"won\":false,\"why\":\"\",\"ended\":null}",
		"{\"branch\":\"2\",\"passed\":false,\"won\":false,\"why\":\"the test exited with "
		"1\",\"ended\":null}",
		"{\"branch\":\"2\",\"passed\":true,\"won\":true,\"why\":\"\",\"ended\":" ENDED "}",
	};
	struct said s;

	(void)state;
	hear(cli_render_experiment_ready, texts, 2, &s);
	assert_string_equal(s.out, "1 passed\n2 did not pass: the test exited with 1\n");
	hear(cli_render_experiment_ready, texts + 2, 1, &s);
	assert_non_null(strstr(s.out, "2 wins"));
}

static void they_are_listed(void **state)
{
	static const char *const texts[] = { "{\"experiments\":[" ENDED "," OPEN "]}" }, *const none[] = {
		"{\"experiments\":[]}"
	};
	struct said s;

	(void)state;
	hear(cli_render_experiments, texts, 1, &s);
	assert_non_null(strstr(s.out, "EXPERIMENT  STATE  MODE   BRANCHES  WINNER    PROJECT\n"));
	assert_non_null(strstr(s.out, "x-1         open   first         2  -         /p?\n"));
	hear(cli_render_experiments, none, 1, &s);
	assert_string_equal(s.out, "");
	assert_non_null(strstr(s.err, "no experiments"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_one_says_where_and_what_next),
		cmocka_unit_test(one_that_ended_is_compared),
		cmocka_unit_test(a_branch_is_judged),
		cmocka_unit_test(they_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
