/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a layer in windows of every width; what a helper says of it is a stranger's text. */
#include "support/test.h"

#include "base/scope.h"
#include "cli/layer_bars.h"
#include "cli/text_width.h"

#define LAYER "sha256:3f2a9c81d0e25566778899aabbccddeeff00112233445566778899aabbccddee"

static void check(const char *what, const char *layer, json_int_t done, json_int_t total, int width,
		  const char *wanted)
{
	scoped(buf_finish) struct buf line = { 0 };
	json_auto_t *p =
		json_pack("{s:s, s:s, s:I, s:I}", "what", what, "layer", layer, "done", done, "total", total);

	layer_bars_line(p, width, &line);
	assert_non_null(buf_str(&line));
	if (wanted)
		assert_string_equal(line.data, wanted);
	assert_true(text_width(line.data) <= width);
	assert_null(strchr(line.data, '\033'));
}

static void test_lines(void **state)
{
	(void)state;
	check("download", LAYER, 5 << 20, 10 << 20, 90,
	      "3f2a9c81d0e2  download  [###############---------------]   49%  5 MiB of 10 MiB");
	check("unpack", LAYER, 0, 10 << 20, 60,
	      "3f2a9c81d0e2  unpack    [-------------]    0%  0 B of 10 MiB");
	check("unpack", LAYER, 10 << 20, 10 << 20, 40, "3f2a9c81d0e2  unpack    100%  10 MiB");
	check("upload", LAYER, 3 << 20, 0, 80, "3f2a9c81d0e2  upload    3 MiB");
}

static void test_no_line_is_too_wide(void **state)
{
	(void)state;
	for (int width = 1; width < 120; width++) {
		check("download", LAYER, 1ll << 40, 1ll << 41, width, NULL);
		check("\033[2Jword word word word word", "\033]0;x\a and more", 5, 3, width, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines),
					    cmocka_unit_test(test_no_line_is_too_wide) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
