/* SPDX-License-Identifier: Apache-2.0 */
/* Characters are read whole or byte by byte, and the unseen ones are known. */
#include "support/test.h"

#include "base/unicode.h"

static void is(const char *text, uint32_t c, size_t len)
{
	size_t got;

	assert_int_equal(unicode_next(text, &got), c);
	assert_int_equal(got, len);
}

static void characters(void **state)
{
	(void)state;
	is("a", 'a', 1);
	is("\xc2\xad", 0xad, 2);
	is("\xe2\x80\x8b", 0x200b, 3);
	is("\xf3\xa0\x81\x81", 0xe0041, 4);
	is("\xe2\x80", 0xe2, 1);
	is("\xff", 0xff, 1);
	is("\xc0\xaf", 0xc0, 1);
	is("\xf5\x80\x80\x80", 0xf5, 1);
}

static void unseen(void **state)
{
	static const uint32_t hidden[] = { 0xad,   0x200b, 0x2028, 0x202e, 0x2066, 0xe0041,
					   0xfeff, 0x3164, 0x9b,   0xa0,   0x3000, 0xe000 };
	static const uint32_t seen[] = { 'a', ' ', 0xe4, 0x20ac, 0x4e2d, 0x1f600, 0x301 };

	(void)state;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		assert_true(unicode_is_hidden(hidden[i]));
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		assert_false(unicode_is_hidden(seen[i]));
	assert_false(unicode_is_ignorable(0xa0)); /* a space to everybody */
	assert_false(unicode_is_ignorable(
		0x600)); /* it is hidden, and two names that differ in it look different */
}

static void marks(void **state)
{
	static const uint32_t over[] = {
		0x300, 0x301, 0x36f, 0x483, 0x5bf, 0x20dd, 0xfe2f, 0x1e94a, 0xe01ef
	};
	static const uint32_t beside[] = { 'a', 0x2ff, 0x370, 0x482, 0x4e2d, 0x1f600, 0x10ffff };

	(void)state;
	for (size_t i = 0; i < sizeof(over) / sizeof(*over); i++)
		assert_true(unicode_is_mark(over[i]));
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++)
		assert_false(unicode_is_mark(beside[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(characters), cmocka_unit_test(unseen),
					    cmocka_unit_test(marks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
