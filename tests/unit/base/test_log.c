/* SPDX-License-Identifier: Apache-2.0 */
/* Debug lines: silent unless asked for, one line each, cut when long. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/log.h"

/* What log_debug writes to stderr for TEXT. */
static char *logged(const char *text)
{
	char path[] = "/tmp/test-log-XXXXXX";
	int file = mkstemp(path), saved = dup(STDERR_FILENO);
	char *seen = calloc(1, 2048);

	assert_true(file >= 0 && saved >= 0 && seen);
	fflush(stderr);
	dup2(file, STDERR_FILENO);
	log_debug("%s", text);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	assert_true(pread(file, seen, 2047, 0) >= 0);
	close(file);
	close(saved);
	unlink(path);
	return seen;
}

static void silent_unless_asked(void **state)
{
	char *seen;

	(void)state;
	unsetenv("AISBX_DEBUG");
	seen = logged("hello");
	assert_string_equal(seen, "");
	free(seen);
}

static void one_line_with_a_time(void **state)
{
	char big[1000], *seen;

	(void)state;
	setenv("AISBX_DEBUG", "1", 1);
	seen = logged("hello");
	assert_memory_equal(seen, "aisbx: debug ", 13);
	assert_non_null(strstr(seen, ": hello\n"));
	free(seen);
	memset(big, 'y', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	seen = logged(big);
	assert_true(strlen(seen) < 600);
	assert_int_equal(seen[strlen(seen) - 1], '\n');
	free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_unless_asked),
		cmocka_unit_test(one_line_with_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
