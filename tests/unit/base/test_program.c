/* SPDX-License-Identifier: Apache-2.0 */
/* Helper programs are found beside the running one, and not by PATH. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/program.h"

static void programs_are_found_beside_us(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stat a, b;
	int fd = -7;

	(void)state;
	setenv("PATH", "/bin:/usr/bin", 1);
	assert_failed(program_open("sh", &fd, &e), ENOENT, e, "install aisbx again");
	assert_int_equal(fd, -7);
	assert_int_equal(program_open(program_invocation_short_name, &fd, &e), 0);
	assert_int_equal(fstat(fd, &a) | stat("/proc/self/exe", &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_found_beside_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
