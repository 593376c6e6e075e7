/* SPDX-License-Identifier: Apache-2.0 */
/* Who this process is to the kernel. */
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/sys.h"

/* The kernel numbers the namespaces it boots with by hand: PROC_USER_INIT_INO. */
#define FIRST_USERNS_INODE 0xEFFFFFFDu

bool sys_in_first_userns(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) == 0 && st.st_ino == FIRST_USERNS_INODE;
}

bool sys_is_real_root(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	const uint32_t need = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_SYS_ADMIN;

	return geteuid() == 0 && syscall(SYS_capget, &head, data) == 0 && (data[0].effective & need) == need &&
	       sys_in_first_userns();
}
