/* SPDX-License-Identifier: Apache-2.0 */
/* What this process holds is seen, and who asks is told in time. */
#include "support/test.h"

#include <errno.h>

#include "base/asan.h"
#include "base/memory.h"

static void too_much_is_seen(void **state)
{
	size_t size = MEMORY_MAX;
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *held;
	int r = 0;

	(void)state;
	if (WITH_ASAN) /* then nobody asks */
		return;
	assert_false(memory_is_over(MEMORY_NAMES));
	assert_int_equal(memory_check(), 0);
	assert_false(memory_ran_out());
	held = malloc(size);
	assert_non_null(held);
	memset(held, 1, size);
	assert_true(held[size / 2] == 1 && memory_is_over(MEMORY_NAMES));
	for (int i = 0; i < 64 && r == 0; i++)
		r = memory_check();
	assert_int_equal(r, -ENOBUFS);
	assert_true(memory_ran_out());
	free(held);
	assert_int_equal(memory_refuse(&e, AISBX_AREA_LAYER), -ENOBUFS);
	assert_non_null(strstr(e.text, "64 MiB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(too_much_is_seen) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
