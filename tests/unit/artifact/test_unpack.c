/* SPDX-License-Identifier: Apache-2.0 */
/* A pack comes out of a box: what is wrong with it is noticed before anything is done with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "box/files.h"
#include "artifact/unpack.h"

static void add(struct buf *b, uint32_t type, const char *name, const char *target, uint64_t size)
{
	struct file_entry e = { .type = type,
				.mode = 0644,
				.size = size,
				.name_len = (uint32_t)strlen(name),
				.target_len = (uint32_t)strlen(target) };

	buf_add(b, &e, sizeof(e));
	buf_add(b, name, strlen(name));
	buf_add(b, target, strlen(target));
}

/* How many entries it has; -1: it is refused. Contents are skipped. */
static int count(const struct buf *b)
{
	static struct unpack p;
	struct aisbx_error e = AISBX_ERROR_INIT;
	int fd = memfd_create("pack", 0), n = 0, r;

	assert_true(fd >= 0 && write(fd, b->data, b->len) == (ssize_t)b->len);
	p = (struct unpack){ .fd = fd, .end = b->len };
	while ((r = unpack_next(&p, &e)) > 0) {
		uint64_t left = p.e.type == FILE_IS_FILE ? p.e.size : 0;
		char room[3];
		size_t got;

		while (left && r > 0)
			r = unpack_read(&p, &left, room, sizeof(room), &got, &e) < 0 ? -1 : 1;
		assert_true(r > 0);
		n++;
	}
	close(fd);
	assert_true((r < 0) == (e.code != 0));
	return r < 0 ? -1 : n;
}

static void test_whole(void **state)
{
	struct buf b = { 0 };

	(void)state;
	add(&b, FILE_IS_DIR, "", "", 0);
	add(&b, FILE_IS_FILE, "a", "", 5);
	buf_add(&b, "12345", 5);
	add(&b, FILE_IS_DIR, "d", "", 0);
	add(&b, FILE_IS_LINK, "d/..x", "../../etc", 0);
	assert_int_equal(count(&b), 4);
	for (size_t n = b.len;
	     n-- > 0;) { /* cut anywhere, it is fewer or refused, and nothing behind the end is read */
		struct buf cut = { .data = b.data, .len = n };

		assert_true(count(&cut) < 4);
	}
	buf_finish(&b);
}

static void test_names_that_lead_out(void **state)
{
	static const char *const bad[] = { "..", "../x", "/etc/passwd", "a/../../b", "a//b",
					   "a/", ".",    "./a",         "a/.",       "" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct buf b = { 0 };

		add(&b, FILE_IS_DIR, "", "", 0);
		add(&b, FILE_IS_DIR, bad[i], "", 0);
		assert_int_equal(count(&b), -1);
		buf_finish(&b);
	}
}

static void test_nonsense(void **state)
{
	struct file_entry nul = { .type = FILE_IS_DIR, .name_len = 3 },
			  huge = { .type = FILE_IS_FILE, .size = UINT64_MAX },
			  far = { .type = FILE_IS_DIR, .name_len = UINT32_MAX },
			  odd = { .type = FILE_IS_OTHER };
	const struct file_entry *const heads[] = { &nul, &huge, &far, &odd };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct buf b = { 0 };

		if (i == 0)
			add(&b, FILE_IS_DIR, "", "", 0);
		buf_add(&b, heads[i], sizeof(**heads));
		buf_add(&b, "a\0b", 3);
		assert_int_equal(count(&b), -1);
		buf_finish(&b);
	}
	assert_int_equal(count(&(struct buf){ .data = "", .len = 0 }), -1);
}

static void test_entries_of_a_list(void **state)
{
	struct buf b = { 0 };
	struct file_entry e;
	const char *name, *target;
	size_t at = 0;

	(void)state;
	add(&b, FILE_IS_LINK, "name", "to", 0);
	assert_true(box_file_entry(b.data, b.len, &at, &e, &name, &target));
	assert_memory_equal(name, "name", 4);
	assert_memory_equal(target, "to", 2);
	assert_int_equal(at, b.len);
	assert_false(box_file_entry(b.data, b.len, &at, &e, &name, &target));
	for (size_t n = 0; n < b.len; n++) {
		at = 0;
		assert_false(box_file_entry(b.data, n, &at, &e, &name, &target));
	}
	memset(b.data + offsetof(struct file_entry, target_len), 0xff, 4);
	at = 0;
	assert_false(box_file_entry(b.data, b.len, &at, &e, &name, &target));
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whole),
					    cmocka_unit_test(test_names_that_lead_out),
					    cmocka_unit_test(test_nonsense),
					    cmocka_unit_test(test_entries_of_a_list) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
