/* SPDX-License-Identifier: Apache-2.0 */
/* Which piece of a file is meant, and what comes of an answer that has margins. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "box/file_act.h"

static int settle(const struct box_window *w, struct file_request *head)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	*head = (struct file_request){ 0 };
	return box_window_settle(w, head, &e);
}

static void windows(void **state)
{
	struct box_window w = BOX_WINDOW_INIT;
	struct file_request head;

	(void)state;
	assert_int_equal(settle(&w, &head), 0);
	assert_int_equal(head.offset, 0);
	assert_int_equal(head.limit, BOX_WINDOW_BYTES);
	w.has_lines = true;
	w.from = 3;
	w.count = 2;
	assert_int_equal(settle(&w, &head), 0);
	assert_true(head.flags & FILE_LINES);
	assert_int_equal(head.offset, 2);
	assert_int_equal(head.limit, 2);
	w.has_offset = true;
	assert_int_equal(settle(&w, &head), -EINVAL);
	w.has_offset = false;
	w.from = 0;
	assert_int_equal(settle(&w, &head), -EINVAL);
	w = (struct box_window)BOX_WINDOW_INIT;
	w.limit = 0;
	assert_int_equal(settle(&w, &head), -EINVAL);
	w.limit = FILE_MAX_DATA + 1ull;
	assert_int_equal(settle(&w, &head), -EINVAL);
	w.limit = 1;
	w.offset = UINT64_MAX;
	assert_int_equal(settle(&w, &head), -EINVAL);
}

static void modes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct file_request head = { 0 };

	(void)state;
	assert_int_equal(box_act_mode(NULL, &head, &e), 0);
	assert_int_equal(head.flags, 0);
	assert_int_equal(box_act_mode("0755", &head, &e), 0);
	assert_int_equal(head.mode, 0755);
	assert_true(head.flags & FILE_SET_MODE);
	assert_int_equal(box_act_mode("", &head, &e), -EINVAL);
	assert_int_equal(box_act_mode("888", &head, &e), -EINVAL);
	assert_int_equal(box_act_mode("4755", &head, &e), -EINVAL);
}

/* BEFORE and BEHIND: bytes around what was asked for. */
static struct box_content read_piece(const char *text, size_t before, size_t behind, bool whole)
{
	struct box_act a = { .reply.head = { .before = before,
					     .behind = behind,
					     .data_len = strlen(text),
					     .offset = before,
					     .next = strlen(text) - behind },
			     .path = strdup("/file") };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct box_content c = { 0 };

	a.reply.data = strdup(text);
	assert_int_equal(box_act_content(&a, whole, &c, &e), 0);
	assert_non_null(buf_str(&c.data));
	free(a.reply.data);
	free(a.path);
	return c;
}

static void pieces(void **state)
{
	struct box_content c = read_piece("abcdef", 0, 0, true);

	(void)state;
	assert_string_equal(c.data.data, "abcdef");
	assert_false(c.more);
	assert_false(c.redacted);
	box_content_finish(&c);
	c = read_piece("ab\ncdef", 1, 3, true);
	assert_string_equal(c.data.data, "b\nc");
	assert_true(c.more);
	assert_int_equal(c.next_offset, 4);
	assert_int_equal(c.next_line, 0); /* it goes on in the middle of a line */
	box_content_finish(&c);
	c = read_piece("ab\ncd", 0, 2, true);
	assert_int_equal(c.next_line, 2);
	box_content_finish(&c);
}

static void a_letter_that_goes_on(void **state)
{
	struct box_content c = read_piece("a\xc3\xa4", 0, 1, true);

	(void)state;
	assert_string_equal(c.data.data, "a"); /* the rest is read with the next piece */
	assert_int_equal(c.next_offset, 1);
	box_content_finish(&c);
	c = read_piece("a\xc3\xa4", 0, 1, false);
	assert_string_equal(c.data.data, "a\xc3");
	assert_int_equal(c.next_offset, 2);
	box_content_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(modes),
		cmocka_unit_test(pieces),
		cmocka_unit_test(a_letter_that_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
