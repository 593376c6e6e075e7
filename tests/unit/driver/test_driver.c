/* SPDX-License-Identifier: Apache-2.0 */
/* The registry, results that were never filled, and helper programs found beside the running one only. */
#include "support/test.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/driver.h"
#include "driver/program.h"

static void drivers_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(driver_by_name("native"), &driver_native);
	assert_null(driver_by_name("docker"));
	assert_null(driver_by_name(""));
}

static void results_finish_in_any_state(void **state)
{
	struct driver_result r = { 0 };

	(void)state;
	driver_result_finish(&r);
	r.violations = calloc(2, sizeof(*r.violations));
	r.n_violations = 2;
	r.violations[0].what = strdup("x"); /* the second was never filled */
	driver_result_finish(&r);
	assert_int_equal(r.n_violations, 0);
	driver_result_finish(&r);
}

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
		cmocka_unit_test(drivers_by_name),
		cmocka_unit_test(results_finish_in_any_state),
		cmocka_unit_test(programs_are_found_beside_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
