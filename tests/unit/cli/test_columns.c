/* SPDX-License-Identifier: Apache-2.0 */
/* A table in windows of every width: what shrinks, what goes, and that no line is ever wider
 * than the window. */
#include "support/test.h"

#include "cli/text_width.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static void name(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "name"));
}

static void number(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%lld", (long long)number_of(row, "number"));
}

static void note(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "note"));
}

static void nothing(const json_t *row, char *text, size_t cap)
{
	(void)row;
	snprintf(text, cap, "%s", "");
}

static const char *red(const json_t *row)
{
	return number_of(row, "number") > 5 ? RED : "";
}

static const struct column columns[] = {
	{ .head = "NAME", .least = 5, .shrinks = true, .text = name },
	{ .head = "N", .least = 3, .goes = 1, .right = true, .text = number, .colour = red },
	{ .head = "EMPTY", .goes = 3, .optional = true, .text = nothing },
	{ .head = "NOTE", .least = 6, .goes = 2, .shrinks = true, .optional = true, .text = note },
	{ .head = NULL },
};

static json_t *two_rows(void)
{
	return json_pack("[{s:s, s:i, s:s}, {s:s, s:i, s:s}]", "name", "first", "number", 5, "note",
			 "a note of some length", "name", "the second", "number", 1000, "note", "Grüße");
}

/* Head and rows, a line each. */
static char *drawn(int width, bool colour)
{
	json_t *rows = two_rows();
	struct buf b = { 0 };
	struct column_table g;
	size_t i;
	json_t *row;

	columns_lay(&g, columns, rows, width, colour);
	columns_head(&g, &b);
	json_array_foreach(rows, i, row)
	{
		buf_add(&b, "\n", 1);
		columns_row(&g, row, &b);
	}
	json_decref(rows);
	assert_non_null(buf_str(&b));
	return b.data;
}

static void windows_of_every_kind(void **state)
{
	static const struct {
		int width;
		const char *want;
	} cases[] = {
		{ 0, "NAME           N  NOTE\nfirst          5  a note of some length\nthe second  1000  "
		     "Grüße" },
		{ 39, "NAME           N  NOTE\nfirst          5  a note of some length\nthe second  1000  "
		      "Grüße" },
		{ 30, "NAME           N  NOTE\nfirst          5  a note of s…\nthe second  1000  Grüße" },
		{ 16, "NAME           N\nfirst          5\nthe second  1000" },
		{ 11, "NAME      N\nfirst     5\nthe …  1000" },
		{ 10, "NAME\nfirst\nthe second" },
		{ 3, "NA…\nfi…\nth…" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = drawn(cases[i].width, false);

		assert_string_equal(text, cases[i].want);
		free(text);
	}
}

static void no_line_is_wider_than_the_window(void **state)
{
	(void)state;
	for (int width = 1; width < 60; width++) {
		char *text = drawn(width, false), *save = NULL;

		for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			assert_true(text_width(line) <= width);
			assert_true(line[strlen(line) - 1] != ' ');
		}
		free(text);
	}
}

static void colour_is_around_a_cell(void **state)
{
	char *text = drawn(0, true);

	(void)state;
	assert_non_null(strstr(text, "the second  " RED "1000" PLAIN "  Grüße"));
	assert_non_null(strstr(text, "first          5  a note"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_every_kind),
		cmocka_unit_test(no_line_is_wider_than_the_window),
		cmocka_unit_test(colour_is_around_a_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
