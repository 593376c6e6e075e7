/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanup at the end of a scope: what is dropped, what is taken out, and that nothing is done twice. */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/scope.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void scopes_close_what_they_hold(void **state)
{
	int fd, dir_fd, file_fd;

	(void)state;
	{
		scoped(drop_fd) int a = open("/dev/null", O_RDONLY | O_CLOEXEC);
		scoped(drop_fd) int none = -1;
		scoped(drop_dir) DIR *dir = opendir("/");
		scoped(drop_dir) DIR *no_dir = NULL;
		scoped(drop_file) FILE *file = fopen("/dev/null", "re");
		scoped(drop_file) FILE *no_file = NULL;
		scoped(drop_mem) char *memory = malloc(10);
		scoped(drop_mem) char *no_memory = NULL;

		assert_non_null(memory);
		assert_null(no_memory);
		assert_null(no_dir);
		assert_null(no_file);
		assert_int_equal(none, -1);
		fd = a;
		dir_fd = dirfd(dir);
		file_fd = fileno(file);
		assert_true(is_open(fd) && is_open(dir_fd) && is_open(file_fd));
	}
	assert_false(is_open(fd) || is_open(dir_fd) || is_open(file_fd));
}

static void what_is_taken_stays(void **state)
{
	char *memory = NULL;
	int fd = -1;

	(void)state;
	{
		scoped(drop_fd) int a = open("/dev/null", O_RDONLY | O_CLOEXEC);
		scoped(drop_mem) char *m = strdup("m");

		fd = take_fd(&a);
		memory = take_mem(&m);
		assert_int_equal(a, -1);
		assert_null(m);
	}
	assert_true(is_open(fd));
	assert_string_equal(memory, "m");
	free(memory);
	close_fd(&fd);
	assert_int_equal(fd, -1);
	close_fd(&fd); /* a second time closes nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_close_what_they_hold),
		cmocka_unit_test(what_is_taken_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
