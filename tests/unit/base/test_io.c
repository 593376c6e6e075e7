/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing all there is. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/io.h"
#include "base/scope.h"

static void there_and_back(void **state)
{
	scoped(drop_fd) int fd = memfd_create("test", MFD_CLOEXEC);
	scoped(buf_finish) struct buf got = { 0 };
	scoped(buf_finish) struct buf part = { 0 };
	char *data = malloc(100000);

	(void)state;
	assert_non_null(data);
	memset(data, 'x', 100000);
	assert_int_equal(io_write_all(fd, data, 100000), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read_all(fd, 200000, &got), 0);
	assert_int_equal(got.len, 100000);
	assert_memory_equal(got.data, data, 100000);
	assert_int_equal(got.data[100000], '\0');
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(io_read_all(fd, 50000, &part), 0);
	assert_true(part.len > 50000 && part.len < 100000);
	free(data);
}

static void empty(void **state)
{
	scoped(drop_fd) int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	scoped(buf_finish) struct buf got = { 0 };

	(void)state;
	assert_int_equal(io_write_all(fd, "", 0), 0);
	assert_int_equal(io_read_all(fd, 10, &got), 0);
	assert_string_equal(got.data, "");
}

static void errors(void **state)
{
	scoped(drop_fd) int reads = open("/dev/null", O_RDONLY | O_CLOEXEC);
	scoped(buf_finish) struct buf got = { 0 };

	(void)state;
	assert_int_equal(io_write_all(reads, "x", 1), -EBADF);
	assert_int_equal(io_read_all(open("/nowhere/at/all", O_RDONLY), 10, &got), -ENOENT);
}

static void digits(void **state)
{
	char text[9];

	(void)state;
	io_hex((const uint8_t[]){ 0x00, 0x0f, 0xa5, 0xff }, 4, text);
	assert_string_equal(text, "000fa5ff");
	io_hex(NULL, 0, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(empty),
		cmocka_unit_test(errors),
		cmocka_unit_test(digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
