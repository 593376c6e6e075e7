/* SPDX-License-Identifier: Apache-2.0 */
/* The table behind the filter. What the filter does is tests/sys/test_seccomp_matrix.c's matter. */
#include "support/test.h"

#include <linux/filter.h>
#include <sys/syscall.h>

#include "policy/seccomp.h"

static void there_is_a_filter_the_kernel_would_take(void **state)
{
	const struct sock_filter *code;
	size_t n = 0;

	(void)state;
	code = seccomp_code(0, &n);
	assert_true(n > 10 && n <= BPF_MAXINSNS);
	assert_int_equal(BPF_CLASS(code[n - 1].code), BPF_RET);
}

static void calls_have_names_and_reasons(void **state)
{
	(void)state;
	assert_string_equal(seccomp_call_name(SYS_mount), "mount");
	assert_true(strlen(seccomp_call_reason(0, SYS_mount)) > 0);
	assert_string_not_equal(seccomp_call_reason(0, SYS_mount), seccomp_call_reason(0, SYS_ptrace));
	assert_string_equal(seccomp_call_name(99999), "?");
	assert_string_equal(seccomp_call_reason(0, 99999), "not on the allowlist");
}

static void presets_have_names(void **state)
{
	unsigned int found = 99, n = 0;

	(void)state;
	for (; seccomp_preset_names[n]; n++) {
		size_t count = 0;

		assert_true(seccomp_preset_by_name(seccomp_preset_names[n], &found));
		assert_int_equal(found, n);
		assert_string_equal(seccomp_preset_name(n), seccomp_preset_names[n]);
		assert_non_null(seccomp_code(n, &count));
		assert_true(count > 10 && count < 1000); /* it is loaded at every start */
	}
	assert_int_equal(n, 9);
	assert_string_equal(seccomp_preset_name(0), "default"); /* what a profile that names none has */
	found = 99;
	assert_false(seccomp_preset_by_name("pyhton", &found));
	assert_int_equal(found, 99);
}

static void a_preset_says_whether_it_is_why(void **state)
{
	unsigned int python;

	(void)state;
	assert_true(seccomp_preset_by_name("python", &python));
	assert_true(seccomp_preset_is_why(python, SYS_shmget));      /* default has it */
	assert_true(seccomp_preset_is_why(python, SYS_personality)); /* default has it for some arguments */
	assert_false(seccomp_preset_is_why(python, SYS_mount));      /* nobody has it */
	assert_false(seccomp_preset_is_why(python, SYS_ioctl)); /* both have it, but for some arguments */
	assert_false(seccomp_preset_is_why(0, SYS_shmget));
	assert_false(seccomp_preset_is_why(python, 99999));
	assert_string_equal(seccomp_call_reason(python, SYS_mount), seccomp_call_reason(0, SYS_mount));
	assert_string_not_equal(seccomp_call_reason(python, SYS_shmget), seccomp_call_reason(0, SYS_shmget));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_a_filter_the_kernel_would_take),
		cmocka_unit_test(calls_have_names_and_reasons),
		cmocka_unit_test(presets_have_names),
		cmocka_unit_test(a_preset_says_whether_it_is_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
