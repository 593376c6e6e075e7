/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a progress bar in windows of every width, and what becomes of it as the room shrinks. */
#include "support/test.h"

#include "base/scope.h"
#include "cli/bar.h"
#include "cli/text_width.h"

static void check(const struct meter *m, int width, const char *wanted)
{
	scoped(buf_finish) struct buf line = { 0 };

	bar_line(m, m->began_ms + 2000, width, &line);
	assert_non_null(buf_str(&line));
	assert_string_equal(line.data, wanted);
}

static void test_lines(void **state)
{
	const struct meter half = { "promoting", 5000, 10000, 0, 77 },
			   some = { "comparing", 1234567, 0, 0, 77 },
			   copy = { "copying", 10, 40, 3 << 20, 77 };

	(void)state;
	check(&half, 80, "promoting  [############------------]   50%  2 s left  5,000 of 10,000  2,500/s");
	check(&half, 40, "promoting   50%  2 s left  2,500/s");
	check(&half, 12, "promoting");
	check(&some, 80, "comparing  1,234,567  617,283/s");
	check(&copy, 80, "copying  [#######-----------------------]   25%  6 s left  10 of 40  5/s  3 MiB");
}

static void test_no_line_is_too_wide(void **state)
{
	const struct meter m = { "removing what nobody needs", 123456, 99999999, 1ull << 40, 0 };

	(void)state;
	for (int width = 1; width < 200; width++) {
		scoped(buf_finish) struct buf line = { 0 };

		bar_line(&m, 123456789, width, &line);
		assert_non_null(buf_str(&line));
		assert_true(text_width(line.data) <= (width > 1 ? width - 1 : 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines),
					    cmocka_unit_test(test_no_line_is_too_wide) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
