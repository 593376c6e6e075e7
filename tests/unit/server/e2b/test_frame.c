/* SPDX-License-Identifier: Apache-2.0 */
/* Envelopes and parts: what is whole is found, what is not is refused. */
#include "support/test.h"

#include "server/e2b/frame.h"

static void envelopes(void **state)
{
	struct buf b = { 0 };
	const char *text;
	unsigned int flags;
	size_t at = 0, len;

	(void)state;
	frame_add(&b, 0, "{}", 2);
	frame_add(&b, FRAME_LAST, "", 0);
	assert_int_equal(b.len, 12);
	assert_int_equal(frame_next(b.data, b.len, &at, &flags, &text, &len), 1);
	assert_int_equal(len, 2);
	assert_memory_equal(text, "{}", 2);
	assert_int_equal(frame_next(b.data, b.len, &at, &flags, &text, &len), 1);
	assert_int_equal(flags, FRAME_LAST);
	assert_int_equal(len, 0);
	assert_int_equal(frame_next(b.data, b.len, &at, &flags, &text, &len), 0);
	for (size_t cut = 1; cut < 7; cut++) {
		at = 0;
		assert_int_equal(frame_next(b.data, cut, &at, &flags, &text, &len), -1);
	}
	b.data[0] = FRAME_COMPRESSED;
	at = 0;
	assert_int_equal(frame_next(b.data, b.len, &at, &flags, &text, &len), -1);
	buf_finish(&b);
	at = 0;
	assert_int_equal(frame_next("\0\xff\xff\xff\xff{}", 7, &at, &flags, &text, &len), -1);
}

static void boundaries(void **state)
{
	char b[72];

	(void)state;
	assert_true(part_boundary("multipart/form-data; boundary=abc", b));
	assert_string_equal(b, "abc");
	assert_true(part_boundary("Multipart/Form-Data; charset=\"a;b\"; boundary=\"x y\"", b));
	assert_string_equal(b, "x y");
	assert_false(part_boundary("multipart/form-data", b));
	assert_false(part_boundary("multipart/form-data; boundary=", b));
	assert_false(part_boundary("multipart/form-data; boundary=\"open", b));
	assert_false(part_boundary("application/json; boundary=a", b));
}

static const char form[] =
	"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a b.txt\"\r\nX: y\r\n\r\n"
	"one\r\n--\r\n--B\r\ncontent-disposition: form-data; name=file\r\n\r\n\r\n--B--\r\n";

static void parts(void **state)
{
	const size_t len = sizeof(form) - 1;
	struct part p;
	size_t at = 0;

	(void)state;
	assert_int_equal(part_next(form, len, "B", &at, &p), 1);
	assert_string_equal(p.name, "file");
	assert_string_equal(p.filename, "a b.txt");
	assert_int_equal(p.len, 7);
	assert_memory_equal(p.data, "one\r\n--", 7);
	assert_int_equal(part_next(form, len, "B", &at, &p), 1);
	assert_string_equal(p.filename, "");
	assert_int_equal(p.len, 0);
	assert_int_equal(part_next(form, len, "B", &at, &p), 0);
}

static void damaged_parts(void **state)
{
	struct part p;

	(void)state;
	/* Cut anywhere before its last mark it is not whole. */
	for (size_t cut = 0; cut < sizeof(form) - 1 - 4; cut++) {
		size_t at = 0;
		int r;

		do
			r = part_next(form, cut, "B", &at, &p);
		while (r == 1);
		assert_int_equal(r, -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(envelopes), cmocka_unit_test(boundaries),
					    cmocka_unit_test(parts), cmocka_unit_test(damaged_parts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
