/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 by the examples of its standard, every length, and what is none. */
#include "support/test.h"

#include "base/base64.h"

static void test_examples(void **state)
{
	static const char *const pairs[][2] = { { "", "" },
						{ "f", "Zg==" },
						{ "fo", "Zm8=" },
						{ "foo", "Zm9v" },
						{ "foob", "Zm9vYg==" },
						{ "fooba", "Zm9vYmE=" },
						{ "foobar", "Zm9vYmFy" } };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct buf text = { 0 }, back = { 0 };

		base64_add(&text, pairs[i][0], strlen(pairs[i][0]));
		assert_string_equal(buf_str(&text), pairs[i][1]);
		assert_true(base64_read(&back, text.data, text.len));
		assert_string_equal(buf_str(&back), pairs[i][0]);
		buf_finish(&text);
		buf_finish(&back);
	}
}

static void test_every_byte(void **state)
{
	char all[256];

	(void)state;
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (char)i;
	for (size_t from = 0; from < 4; from++) {
		struct buf text = { 0 }, back = { 0 };

		base64_add(&text, all + from, sizeof(all) - from);
		assert_true(base64_read(&back, text.data, text.len));
		assert_int_equal(back.len, sizeof(all) - from);
		assert_memory_equal(back.data, all + from, back.len);
		buf_finish(&text);
		buf_finish(&back);
	}
}

static void test_what_is_none(void **state)
{
	static const char *const bad[] = { "Z",    "Zg",   "Zg=",  "Zg==Zg==", "Zm9v\n", "Zh==",
					   "Zm9=", "Z===", "====", "Zm9-",     "=Zm9" };
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "x", 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (base64_read(&b, bad[i], strlen(bad[i])))
			fail_msg("'%s' was read", bad[i]);
		assert_int_equal(b.len, 1);
	}
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples),
					    cmocka_unit_test(test_every_byte),
					    cmocka_unit_test(test_what_is_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
