/* SPDX-License-Identifier: Apache-2.0 */
/* Which paths of a system are obeyed without being asked, stay in a box, or are noise. */
#include "support/test.h"

#include <sys/stat.h>

#include "policy/system_trap.h"

static void test_traps(void **state)
{
	static const char *const traps[] = { "etc/sudoers",
					     "etc/sudoers.d/x",
					     "etc/SUDOERS.d/x",
					     "etc/cron.d/x",
					     "etc/crontab",
					     "etc/cron.daily/x",
					     "var/spool/cron/crontabs/root",
					     "etc/systemd/system/x.service",
					     "usr/lib/systemd/system-generators/x",
					     "etc/pam.d/sshd",
					     "usr/lib/x86_64-linux-gnu/security/pam_x.so",
					     "etc/ld.so.preload",
					     "etc/ld.so.conf.d/x.conf",
					     "etc/profile",
					     "etc/profile.d/x.sh",
					     "etc/bash.bashrc",
					     "etc/apt/apt.conf.d/99x",
					     "etc/apt/sources.list",
					     "etc/udev/rules.d/x.rules",
					     "usr/lib/udev/rules.d/x.rules",
					     "etc/passwd",
					     "etc/group",
					     "etc/ssh/sshd_config",
					     "etc/init.d/x",
					     "etc/rc.local",
					     "boot/vmlinuz",
					     "usr/lib/modules/6.1/x.ko",
					     "usr/lib/python3/dist-packages/x.pth",
					     "usr/lib/python3.11/sitecustomize.py",
					     "var/lib/dpkg/info/x.postinst",
					     "var/lib/dpkg/info/x.prerm",
					     "usr/share/polkit-1/rules.d/x.rules",
					     "etc/modprobe.d/x.conf",
					     "etc/hosts" };
	static const char *const none[] = { "usr/bin/hello",
					    "usr/share/doc/x/copyright",
					    "etc/plain",
					    "opt/x/bin/x",
					    "usr/lib/x86_64-linux-gnu/libx.so.1",
					    "etc/hello.conf",
					    "var/lib/dpkg/info/x.list" };

	(void)state;
	for (size_t i = 0; i < sizeof(traps) / sizeof(*traps); i++)
		if (!system_trap_of_name(traps[i]))
			fail_msg("'%s' is a trap", traps[i]);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (system_trap_of_name(none[i]))
			fail_msg("'%s' is no trap", none[i]);
	assert_non_null(system_trap_of_removal("etc/sudoers"));
	assert_non_null(system_trap_of_removal("etc/pam.d/login"));
	assert_null(system_trap_of_removal("etc/cron.d/x"));
	assert_true(system_trap_is_command("usr/local/bin/ls"));
	assert_false(system_trap_is_command("usr/local/bin/d/ls"));
	assert_false(system_trap_is_command("usr/lib/ls"));
}

static void test_places(void **state)
{
	(void)state;
	assert_non_null(system_stays("etc/shadow"));
	assert_non_null(system_stays("etc/gshadow-"));
	assert_null(system_stays("etc/shadows"));
	assert_null(system_stays("etc/passwd"));
	assert_true(system_is_package_db("var/lib/dpkg/status"));
	assert_true(system_is_package_db("lib/apk/db/installed"));
	assert_false(system_is_package_db("var/lib/dpkg/info/x.list"));
	assert_true(system_is_left_behind("var/log/dpkg.log"));
	assert_true(system_is_left_behind("var/cache/apt/archives/x.deb"));
	assert_false(system_is_left_behind("var/lib/dpkg/status"));
	assert_true(system_is_noise("etc/ld.so.cache"));
	assert_true(system_is_noise("usr/lib/python3/x/__pycache__/a.cpython-311.pyc"));
	assert_true(system_is_noise("etc/shadow"));
	assert_false(system_is_noise("etc/hosts"));
	assert_false(system_is_noise("usr/bin/hello"));
}

static void test_owners(void **state)
{
	(void)state;
	assert_non_null(system_trap_of_owner("etc/x", 0, 0, S_IFREG | 0666, 0));
	assert_non_null(system_trap_of_owner("usr/local/bin", S_IFDIR | 0755, 0, S_IFDIR | 0777, 0));
	assert_null(system_trap_of_owner("var/x", 0, 0, S_IFDIR | 01777, 0));
	assert_null(system_trap_of_owner("etc/x", S_IFREG | 0666, 0, S_IFREG | 0666, 0));
	assert_null(system_trap_of_owner("etc/l", 0, 0, S_IFLNK | 0777, 0));
	assert_non_null(system_trap_of_owner("usr/bin/x", 0, 0, S_IFREG | 0755, 1000));
	assert_non_null(system_trap_of_owner("usr/bin/x", S_IFREG | 0755, 0, S_IFREG | 0755, 1000));
	assert_null(system_trap_of_owner("usr/bin/x", S_IFREG | 0755, 1000, S_IFREG | 0755, 1000));
	assert_null(system_trap_of_owner("var/lib/x", 0, 0, S_IFREG | 0644, 1000));
	assert_null(system_trap_of_owner("usr/bin/x", 0, 0, S_IFREG | 0755, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_traps), cmocka_unit_test(test_places),
					    cmocka_unit_test(test_owners) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
