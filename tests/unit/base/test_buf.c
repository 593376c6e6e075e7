/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer: content, growth, and failures that stick. */
#include "support/test.h"

#include "base/buf.h"

static void empty_is_an_empty_string(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_string_equal(buf_str(&b), "");
	assert_int_equal(b.len, 0);
	buf_finish(&b);
	assert_null(b.data);
	buf_finish(&b); /* twice is fine */
}

static void bytes_stay_what_they_are(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "a\0b", 3);
	buf_add(&b, NULL, 0);
	buf_addf(&b, "%d-%s", 42, "z");
	assert_int_equal(b.len, 7);
	assert_memory_equal(buf_str(&b), "a\0b42-z", 8);
	buf_finish(&b);
}

static void grows_by_any_step(void **state)
{
	static const size_t steps[] = { 1, 255, 256, 257, 4096, 100000 };
	struct buf b = { 0 };
	char *chunk = malloc(100000);
	size_t total = 0;

	(void)state;
	memset(chunk, 'q', 100000);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		buf_add(&b, chunk, steps[i]);
		total += steps[i];
		assert_int_equal(b.len, total);
		assert_true(b.cap > total);
		assert_int_equal(strlen(buf_str(&b)), total);
	}
	buf_addf(&b, "%s", buf_str(&(struct buf){ .data = chunk, .cap = 100000, .len = 99999 }));
	assert_int_equal(b.len, total + 99999);
	free(chunk);
	buf_finish(&b);
}

static void a_failure_sticks(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "x", SIZE_MAX / 2 + 1);
	assert_true(b.failed);
	assert_null(buf_str(&b));
	buf_add(&b, "x", 1);
	buf_addf(&b, "%s", "more");
	assert_int_equal(b.len, 0);
	buf_finish(&b);
	assert_false(b.failed);
}

static void what_is_no_utf8_is_replaced(void **state)
{
	/* A lone byte, a cut sequence, an overlong one, a surrogate; and what is fine. */
	static const char bytes[] = "a\xff|\xc3|\xc0\xaf|\xed\xa0\x80|\xc3\xa9|\xf0\x9f\xa6\x8a|\0|\xe2\x82";
	static const char clean[] = "a\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|"
				    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xc3\xa9|\xf0\x9f\xa6\x8a|\0|"
				    "\xef\xbf\xbd\xef\xbf\xbd";
	struct buf b = { 0 };

	(void)state;
	buf_add_utf8(&b, bytes, sizeof(bytes) - 1);
	assert_int_equal(b.len, sizeof(clean) - 1);
	assert_memory_equal(b.data, clean, b.len);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_an_empty_string),    cmocka_unit_test(bytes_stay_what_they_are),
		cmocka_unit_test(grows_by_any_step),           cmocka_unit_test(a_failure_sticks),
		cmocka_unit_test(what_is_no_utf8_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
