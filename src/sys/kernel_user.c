/* SPDX-License-Identifier: Apache-2.0 */
/* The privileges of this process, and the version of the kernel. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

/* The kernel numbers the namespaces it boots with by hand: PROC_USER_INIT_INO. */
#define FIRST_USERNS_INODE 0xEFFFFFFDu

bool sys_in_first_userns(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) < 0 || st.st_ino == FIRST_USERNS_INODE;
}

bool sys_is_real_root(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	const uint32_t need = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_SYS_ADMIN;

	if (geteuid() != 0 || !sys_in_first_userns())
		return false;
	/* Not to know counts as root: what then cannot be done fails aloud, while owners that are not shifted
	 * back would not. */
	return syscall(SYS_capget, &head, data) < 0 || (data[0].effective & need) == need;
}

bool sys_own_files(void)
{
	static bool tried;
	char uid[64], gid[64];

	if (tried || geteuid() == 0)
		return false;
	tried = true;
	snprintf(uid, sizeof(uid), "%u %u 1", geteuid(), geteuid());
	snprintf(gid, sizeof(gid), "%u %u 1", getegid(), getegid());
	return unshare(CLONE_NEWUSER) == 0 && sys_write_file(AT_FDCWD, "/proc/self/setgroups", "deny") == 0 &&
	       sys_write_file(AT_FDCWD, "/proc/self/uid_map", uid) == 0 &&
	       sys_write_file(AT_FDCWD, "/proc/self/gid_map", gid) == 0;
}

bool sys_tmpfs_keeps_xattrs(void)
{
	scoped(drop_fd) int fd = -1;

	if (!sys_kernel_is_before(6, 6))
		return true;           /* the jail will prove it */
	fd = sys_memfd("aisbx-xattr"); /* it lies on a tmpfs of the kernel's own */
	return fd < 0 || fsetxattr(fd, "user.aisbx", "", 0, 0) == 0;
}
