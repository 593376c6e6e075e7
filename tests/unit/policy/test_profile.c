/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped profiles: found by name, and each with limits that make a box possible and bounded. */
#include "support/test.h"

#include <linux/capability.h>

#include "policy/profile.h"

static void found_by_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < n_profiles; i++) {
		assert_ptr_equal(profile_by_name(profiles[i].name), &profiles[i]);
		assert_true(strlen(profiles[i].about) > 0);
	}
	assert_non_null(profile_by_name("dev"));
	assert_non_null(profile_by_name("strict"));
	assert_null(profile_by_name("lax"));
	assert_null(profile_by_name(""));
}

static void every_limit_is_set(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < n_profiles; i++) {
		const struct profile *p = &profiles[i];

		assert_true(p->timeout_ms > 0 && p->disk_bytes >= 1 << 20 && p->disk_inodes > 0);
		assert_true(p->pids >= 2 && p->files >= 16 && p->output_bytes > 0);
	}
}

static void strict_is_stricter(void **state)
{
	const struct profile *dev = profile_by_name("dev"), *strict = profile_by_name("strict");

	(void)state;
	assert_int_equal(strict->root_caps, 0);
	assert_int_equal(strict->net, NET_NONE);
	assert_int_equal(strict->env, ENV_MINIMAL);
	assert_false(strict->system_writable);
	assert_true(strict->timeout_ms < dev->timeout_ms && strict->disk_bytes < dev->disk_bytes &&
		    strict->pids < dev->pids && strict->files < dev->files);
}

static void no_profile_keeps_a_dangerous_capability(void **state)
{
	static const int never[] = { CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_SYS_MODULE, CAP_NET_ADMIN, CAP_NET_RAW,
				     CAP_MKNOD,	    CAP_SYS_CHROOT, CAP_SETPCAP,    CAP_BPF,	   CAP_DAC_READ_SEARCH };

	(void)state;
	for (unsigned int i = 0; i < n_profiles; i++)
		for (size_t c = 0; c < sizeof(never) / sizeof(*never); c++)
			assert_false(profiles[i].root_caps & (1ULL << never[c]));
}

static void net_modes(void **state)
{
	enum net_mode mode = NET_LOOPBACK;

	(void)state;
	assert_true(net_mode_by_name("none", &mode));
	assert_int_equal(mode, NET_NONE);
	assert_true(net_mode_by_name("loopback", &mode));
	assert_string_equal(net_mode_name(mode), "loopback");
	assert_false(net_mode_by_name("host", &mode));
	assert_int_equal(mode, NET_LOOPBACK);
}

static void capabilities_have_names(void **state)
{
	(void)state;
	assert_string_equal(cap_name(CAP_CHOWN), "chown");
	assert_string_equal(cap_name(CAP_SYS_ADMIN), "sys_admin");
	assert_string_equal(cap_name(CAP_LAST_CAP), "checkpoint_restore");
	assert_null(cap_name(CAP_LAST_CAP + 1));
	assert_null(cap_name(64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_name),      cmocka_unit_test(every_limit_is_set),
		cmocka_unit_test(strict_is_stricter), cmocka_unit_test(no_profile_keeps_a_dangerous_capability),
		cmocka_unit_test(net_modes),	      cmocka_unit_test(capabilities_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
