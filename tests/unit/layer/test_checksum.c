/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of contents: the same for the same, within a budget. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "layer/layer.h"
#include "layer/checksum.h"

static void put(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void the_content_alone(void **state)
{
	char one[CHECKSUM_MAX], two[CHECKSUM_MAX];

	(void)state;
	put("a", "text");
	put("b", "text");
	assert_int_equal(checksum_of_file(AT_FDCWD, "a", S_IFREG, one), 0);
	assert_int_equal(checksum_of_file(AT_FDCWD, "b", S_IFREG, two), 0);
	assert_string_equal(one, two);
	assert_int_equal(strlen(one), CHECKSUM_MAX - 1);
	put("b", "texT");
	assert_int_equal(checksum_of_file(AT_FDCWD, "b", S_IFREG, two), 0);
	assert_string_not_equal(one, two);
}

static void links(void **state)
{
	char one[CHECKSUM_MAX], two[CHECKSUM_MAX];

	(void)state;
	assert_true(symlink("there", "l") == 0 && symlink("here", "m") == 0);
	assert_int_equal(checksum_of_file(AT_FDCWD, "l", S_IFLNK, one), 0);
	assert_int_equal(checksum_of_file(AT_FDCWD, "m", S_IFLNK, two), 0);
	assert_string_not_equal(one, two);
}

static void a_budget(void **state)
{
	struct stat st;
	char sum[CHECKSUM_MAX];
	uint64_t budget = 1000;

	(void)state;
	put("c", "text");
	assert_int_equal(lstat("c", &st), 0);
	checksum_within(AT_FDCWD, "c", &st, &budget, sum);
	assert_true(sum[0] && budget == 1000 - 516);
	checksum_within(AT_FDCWD, "c", &st, &budget, sum);
	assert_true(!sum[0] && budget == 1000 - 516);
	budget = 10000;
	checksum_within(AT_FDCWD, "none", &st, &budget, sum);
	assert_string_equal(sum, "");
}

/* Files closed to their owner, as an ordinary user has them. */
static void closed_files(void **state)
{
	char one[CHECKSUM_MAX], two[CHECKSUM_MAX];

	(void)state;
	put("open", "text");
	put("closed", "text");
	assert_int_equal(chmod("closed", 0), 0);
	assert_int_equal(checksum_of_file(AT_FDCWD, "open", S_IFREG, one), 0);
	assert_int_equal(checksum_of_file(AT_FDCWD, "closed", S_IFREG, two), 0);
	assert_string_equal(one, two);
}

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-sum-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("top", 0700) < 0 || chdir("top") < 0)
		return -1;
	*state = strdup(dir);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "top", &e);

	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_content_alone), cmocka_unit_test(links),
					    cmocka_unit_test(a_budget), cmocka_unit_test(closed_files) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
