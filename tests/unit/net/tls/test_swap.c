/* SPDX-License-Identifier: Apache-2.0 */
/* Replacing in a stream, however it is cut. */
#include "support/test.h"

#include "net/tls/swap.h"

static void check(const char *in, const char *want, size_t piece)
{
	struct swap s = { 0 };
	struct buf out = { 0 };
	size_t len = strlen(in);

	assert_true(swap_add(&s, "secret-1", "holder-1", 8));
	assert_true(swap_add(&s, "secretary", "placehold", 9));
	assert_true(swap_add(&s, "aaab", "XXXX", 4));
	for (size_t at = 0; at < len; at += piece)
		swap_feed(&s, in + at, len - at < piece ? len - at : piece, &out);
	swap_end(&s, &out);
	assert_string_equal(buf_str(&out) ? out.data : "", want);
	buf_finish(&out);
	swap_finish(&s);
}

static void test_cut_anywhere(void **state)
{
	static const char *const rows[][2] = {
		{ "secret-1", "holder-1" },
		{ "x secret-1 secretary secret-", "x holder-1 placehold secret-" },
		{ "secretsecret-1", "secretholder-1" },
		{ "aaaab", "aXXXX" },
		{ "aaaaaab aaaa", "aaaXXXX aaaa" },
		{ "secretarsecretary", "secretarplacehold" },
		{ "nothing", "nothing" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t piece = 1; piece < 20; piece++)
			check(rows[i][0], rows[i][1], piece);
}

static void test_nothing_is_held_longer_than_needed(void **state)
{
	struct swap s = { 0 };
	struct buf out = { 0 };

	(void)state;
	assert_true(swap_add(&s, "secret-1", "holder-1", 8));
	swap_feed(&s, "abc secre", 9, &out);
	assert_int_equal(out.len, 4);
	swap_feed(&s, "x", 1, &out);
	assert_int_equal(out.len, 10);
	buf_finish(&out);
	swap_finish(&s);
}

static void test_text_and_limits(void **state)
{
	struct swap s = { 0 };
	char text[] = "secret-1 and secret-1", name[2] = "a";

	(void)state;
	assert_true(swap_add(&s, "secret-1", "holder-1", 8));
	assert_true(swap_add(&s, "secret-1", "holder-2", 8)); /* the first one stays */
	swap_text(&s, text);
	assert_string_equal(text, "holder-1 and holder-1");
	assert_true(swap_add(&s, "", "", 0));
	for (size_t i = 1; i < SWAP_MAX; i++, name[0]++)
		assert_true(swap_add(&s, name, "-", 1));
	assert_false(swap_add(&s, "one too many", "one too many", 12));
	swap_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_nothing_is_held_longer_than_needed),
		cmocka_unit_test(test_text_and_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
