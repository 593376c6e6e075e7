/* SPDX-License-Identifier: Apache-2.0 */
/* The spellings of some bytes, read back. */
#include "support/test.h"

#include "base/encoding.h"

/* All symbols that TEXT gives. */
static size_t read_text(enum encoding l, const char *text, uint8_t *ret)
{
	struct encoding_state s = { 0 };
	struct encoding_symbol symbols[ENCODING_MAX_SYMBOLS];
	size_t n = 0;

	for (uint64_t i = 0; text[i]; i++) {
		size_t k = encoding_step(l, &s, (uint8_t)text[i], i, symbols);

		for (size_t j = 0; k != ENCODING_SKIP && j < k; j++) {
			assert_true(symbols[j].from < symbols[j].to && symbols[j].to <= i + 1);
			ret[n++] = symbols[j].byte;
		}
	}
	return n;
}

static void same(enum encoding l, const char *text, const char *bytes)
{
	uint8_t got[512] = { 0 };
	size_t n = read_text(l, text, got);

	assert_int_equal(n, strlen(bytes));
	assert_memory_equal(got, bytes, n);
}

static void test_spellings(void **state)
{
	(void)state;
	same(ENCODING_RAW, "a%41\\n", "a%41\\n");
	same(ENCODING_BASE64, "ab-_\r\n  +/", "ab+/+/");
	same(ENCODING_HEX, "DE:ad be-EF\\x01\n23", "deadbeef0123");
	same(ENCODING_PERCENT, "a%2Fb%zz%4%41 +%20", "a/b%zz%4A+++");
	same(ENCODING_ESCAPE, "\\\"\\n\\/\\\\\\u00e9\\x41\\101\\q\\u12x",
	     "\"\n/\\\xc3\xa9"
	     "AA\\q\\u12x");
	same(ENCODING_PERCENT, "%2541%252f", "%41%2f");
	same(ENCODING_WIDE, "ab", "ab");
	same(ENCODING_NUMBERS, "83, 51, 0x63,\n 0X72, -1, 7]\n",
	     "\x15\x23\x13\x23\x16\x23\x17\x22\x1f\x2f\x10\x27");
	same(ENCODING_NUMBERS, "300 1234 a", "\xff\xff\xff");
	same(ENCODING_DUMP, "53 33 63  72 33 |S3cr3|\n00000010  74 2d                |t-|\n",
	     "533363723374"
	     "2d");
	same(ENCODING_DUMP, "5333 6372  S3cr\n00000010: 742d  t-\n", "53336372742d");
	same(ENCODING_DUMP, "53 33\n0000020 63 72\n0000040\n", "53336372");
	same(ENCODING_DUMP, "5333 6372\n\t0x0010:  742D 4b\n", "53336372742d4b");
	same(ENCODING_DUMP, "53 33\n63 72\n", "53336372");
	same(ENCODING_ESCAPE, "\\ud83d\\ude00\\ud83dx\\$", "\xf0\x9f\x98\x80\\ud83dx$");
}

static void test_symbols(void **state)
{
	uint8_t room[ENCODING_ROOM(9)];

	(void)state;
	/* base64 of "topsecret", and behind one and two letters "x": what "topsecret" alone decides */
	assert_int_equal(encoding_symbols(ENCODING_BASE64, 0, "topsecret", 9, room), 12);
	assert_memory_equal(room, "dG9wc2VjcmV0", 12);
	assert_int_equal(encoding_symbols(ENCODING_BASE64, 1, "topsecret", 9, room), 11);
	assert_memory_equal(room, "RvcHNlY3JldA", 11);
	assert_int_equal(encoding_symbols(ENCODING_BASE64, 2, "topsecret", 9, room), 11);
	assert_memory_equal(room, "0b3BzZWNyZXQ", 11);
	/* once more over */
	assert_int_equal(encoding_symbols(ENCODING_BASE64, 3, "topsecret", 9, room), 16);
	assert_memory_equal(room, "ZEc5d2MyVmpjbVYw", 16);
	assert_int_equal(encoding_symbols(ENCODING_BASE64, 12, "topsecret", 9, room), 0);
	assert_int_equal(encoding_symbols(ENCODING_BASE64, ENCODING_VARIANTS, "topsecret", 9, room), 0);
	assert_int_equal(encoding_symbols(ENCODING_DUMP, 1, "abcd", 4, room), 8);
	assert_memory_equal(room, "62616463", 8);
	assert_int_equal(encoding_symbols(ENCODING_DUMP, 2, "abcd", 4, room), 4);
	assert_memory_equal(room, "6362", 4);
	assert_int_equal(encoding_symbols(ENCODING_WIDE, 0, "a\xe2\x82\xac", 4, room), 3);
	assert_memory_equal(room, "a\xac\x20", 3);
	assert_int_equal(encoding_symbols(ENCODING_WIDE, 1, "a\xe2\x82\xac\xff", 5, room), 4);
	assert_memory_equal(room, "a\x20\xac\xff", 4);
	assert_int_equal(encoding_symbols(ENCODING_HEX, 0, "\x01\xff", 2, room), 4);
	assert_memory_equal(room, "01ff", 4);
	assert_int_equal(encoding_symbols(ENCODING_PERCENT, 0, "a b", 3, room), 3);
	assert_memory_equal(room, "a+b", 3);
	assert_int_equal(encoding_symbols(ENCODING_PERCENT, 1, "a/b", 3, room), 9);
	assert_memory_equal(room, "%61%2F%62", 9);
	assert_int_equal(encoding_symbols(ENCODING_PERCENT, 4, "a/b", 3, room), 5);
	assert_memory_equal(room, "a%2fb", 5);
	assert_int_equal(encoding_symbols(ENCODING_RAW, 1, "a b", 3, room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_spellings),
					    cmocka_unit_test(test_symbols) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
