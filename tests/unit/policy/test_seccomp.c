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
	code = seccomp_code(&n);
	assert_true(n > 10 && n <= BPF_MAXINSNS);
	assert_int_equal(BPF_CLASS(code[n - 1].code), BPF_RET);
}

static void calls_have_names_and_reasons(void **state)
{
	(void)state;
	assert_string_equal(seccomp_call_name(SYS_mount), "mount");
	assert_true(strlen(seccomp_call_reason(SYS_mount)) > 0);
	assert_string_not_equal(seccomp_call_reason(SYS_mount), seccomp_call_reason(SYS_ptrace));
	assert_string_equal(seccomp_call_name(99999), "?");
	assert_string_equal(seccomp_call_reason(99999), "not on the allowlist");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_a_filter_the_kernel_would_take),
		cmocka_unit_test(calls_have_names_and_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
