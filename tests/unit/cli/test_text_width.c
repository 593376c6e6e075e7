/* SPDX-License-Identifier: Apache-2.0 */
/* Text in columns: letters of one and two columns, cutting by characters, nothing that moves the cursor. */
#include "support/test.h"

#include "cli/text_width.h"

static const struct {
	const char *text, *whole;
	int width;
} shown[] = {
	{ "", "", 0 },
	{ "plain", "plain", 5 },
	{ "Grüße", "Grüße", 5 },
	{ "日本語", "日本語", 6 },
	{ "한글 ok", "한글 ok", 7 },
	{ "✓ ✗ …", "✓ ✗ …", 5 },
	{ "✅", "✅", 2 },
	{ "🚀", "🚀", 2 },
	{ "a\033[2Jb", "a?[2Jb", 6 },
	{ "a\r\n\t\b\ab", "a?????b", 7 },
	{ "\x7f", "?", 1 },
	{ "\xC2\x9B"
	  "31m",
	  "?31m", 4 },                  /* C1: the one-character CSI */
	{ "x\xE2\x80\xAEy", "x?y", 3 }, /* right-to-left override */
	{ "x\xE2\x80\x8By", "x?y", 3 }, /* zero width space */
	{ "e\xCC\x81", "e?", 2 },       /* a combining accent: terminals differ about it */
	{ "\xE2\x82", "??", 2 },        /* cut off in the middle */
	{ "\xFF\xC0\xAF", "???", 3 },   /* no UTF-8 */
	{ "\xF4\x90\x80\x80", "?", 1 }, /* beyond Unicode */
	{ "\xED\xA0\x80", "?", 1 },     /* half of a pair */
	{ "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80", "👩?🚀",
	  5 }, /* joined: one picture here, two there */
};

static char *added(const char *text, int width, bool pad, bool right)
{
	struct buf b = { 0 };

	text_width_add(&b, text, width, pad, right);
	assert_non_null(buf_str(&b));
	return b.data;
}

static void text_is_measured_as_it_is_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		char *text = added(shown[i].text, 40, false, false);

		assert_string_equal(text, shown[i].whole);
		assert_int_equal(text_width(shown[i].text), shown[i].width);
		free(text);
	}
}

/* Whatever the width: never more columns than that, and all of them when it is padded. */
static void no_width_is_too_small(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		for (int width = 0; width < 12; width++) {
			char *loose = added(shown[i].text, width, false, false),
			     *left = added(shown[i].text, width, true, false),
			     *right = added(shown[i].text, width, true, true);

			assert_true(text_width(loose) <= width);
			assert_int_equal(text_width(left), width);
			assert_true(text_width(right) <= width);
			free(loose);
			free(left);
			free(right);
		}
}

static void cut_texts_say_so(void **state)
{
	static const struct {
		const char *text;
		int width;
		bool pad, right;
		const char *want;
	} cases[] = {
		{ "abcdef", 4, false, false, "abc…" }, { "abcdef", 6, false, false, "abcdef" },
		{ "abcdef", 1, false, false, "…" },    { "abcdef", 0, false, false, "" },
		{ "Grüße", 4, false, false, "Grü…" },  { "日本語", 5, true, false, "日本…" },
		{ "日本語", 4, true, false, "日… " },  { "ab", 4, true, false, "ab  " },
		{ "ab", 4, true, true, "  ab" },       { "abcdef", 4, true, true, "abc…" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = added(cases[i].text, cases[i].width, cases[i].pad, cases[i].right);

		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_measured_as_it_is_shown),
		cmocka_unit_test(no_width_is_too_small),
		cmocka_unit_test(cut_texts_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
