/* SPDX-License-Identifier: Apache-2.0 */
/* The spellings of some bytes, read back. */
#include "support/test.h"

#include "base/lens.h"

/* All symbols that TEXT gives. */
static size_t read_text(enum lens l, const char *text, uint8_t *ret)
{
	struct lens_state s = { 0 };
	struct lens_symbol symbols[LENS_MAX_SYMBOLS];
	size_t n = 0;

	for (uint64_t i = 0; text[i]; i++) {
		size_t k = lens_step(l, &s, (uint8_t)text[i], i, symbols);

		for (size_t j = 0; k != LENS_SKIP && j < k; j++) {
			assert_true(symbols[j].from < symbols[j].to && symbols[j].to <= i + 1);
			ret[n++] = symbols[j].byte;
		}
	}
	return n;
}

static void same(enum lens l, const char *text, const char *bytes)
{
	uint8_t got[512] = { 0 };
	size_t n = read_text(l, text, got);

	assert_int_equal(n, strlen(bytes));
	assert_memory_equal(got, bytes, n);
}

static void test_spellings(void **state)
{
	(void)state;
	same(LENS_RAW, "a%41\\n", "a%41\\n");
	same(LENS_BASE64, "ab-_\r\n  +/", "ab+/+/");
	same(LENS_HEX, "DE:ad be-EF\\x01\n23", "deadbeef0123");
	same(LENS_PERCENT, "a%2Fb%zz%4%41 +%20", "a/b%zz%4A+++");
	same(LENS_ESCAPE, "\\\"\\n\\/\\\\\\u00e9\\x41\\101\\q\\u12x", "\"\n/\\\xc3\xa9" "AA\\q\\u12x");
	same(LENS_ESCAPE, "\\ud83d\\ude00\\ud83dx\\$", "\xf0\x9f\x98\x80\\ud83dx$");
}

static void test_symbols(void **state)
{
	uint8_t room[LENS_ROOM(9)];

	(void)state;
	/* base64 of "topsecret", and behind one and two letters "x": what "topsecret" alone decides */
	assert_int_equal(lens_symbols(LENS_BASE64, 0, "topsecret", 9, room), 12);
	assert_memory_equal(room, "dG9wc2VjcmV0", 12);
	assert_int_equal(lens_symbols(LENS_BASE64, 1, "topsecret", 9, room), 11);
	assert_memory_equal(room, "RvcHNlY3JldA", 11);
	assert_int_equal(lens_symbols(LENS_BASE64, 2, "topsecret", 9, room), 11);
	assert_memory_equal(room, "0b3BzZWNyZXQ", 11);
	assert_int_equal(lens_symbols(LENS_BASE64, 3, "topsecret", 9, room), 0);
	assert_int_equal(lens_symbols(LENS_HEX, 0, "\x01\xff", 2, room), 4);
	assert_memory_equal(room, "01ff", 4);
	assert_int_equal(lens_symbols(LENS_PERCENT, 0, "a b", 3, room), 3);
	assert_memory_equal(room, "a+b", 3);
	assert_int_equal(lens_symbols(LENS_RAW, 1, "a b", 3, room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_spellings), cmocka_unit_test(test_symbols) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
