/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of an environment; times and directories that are looked at in one way only. */
#include "support/test.h"

#include <fcntl.h>

#include "base/dir.h"
#include "base/env.h"
#include "base/scope.h"
#include "base/time.h"

static void variables(void **state)
{
	static const char *const env[] = { "HOMELY=/x", "HOME=/home/a", "EMPTY=",
					   "REL=a/b",   "HOME=/other",  NULL };

	(void)state;
	assert_string_equal(env_find(env, "HOME"), "/home/a");
	assert_string_equal(env_find(env, "EMPTY"), "");
	assert_null(env_find(env, "HOM"));
	assert_null(env_find(NULL, "HOME"));
	assert_string_equal(env_dir(env, "HOME"), "/home/a");
	assert_null(env_dir(env, "REL"));
	assert_null(env_dir(env, "EMPTY"));
	assert_null(env_dir(env, "NONE"));
}

static void times(void **state)
{
	const struct timespec a = { 5, 10 }, b = { 5, 11 }, c = { 6, 0 };

	(void)state;
	assert_int_equal(time_compare(a, a), 0);
	assert_true(time_compare(a, b) < 0 && time_compare(b, a) > 0);
	assert_true(time_compare(b, c) < 0 && time_compare(c, b) > 0);
}

static void directories(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), r = 0;
	scoped(drop_dir) DIR *d = dir_take(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);

	(void)state;
	assert_non_null(d);
	assert_int_equal(r, 0);
	assert_non_null(dir_next(d, &r));
	assert_null(dir_take(-ENOENT, &r));
	assert_int_equal(r, -ENOENT);
	assert_null(dir_take(fd, &r));
	assert_int_equal(r, -ENOTDIR);
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* it was closed */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables),
		cmocka_unit_test(times),
		cmocka_unit_test(directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
