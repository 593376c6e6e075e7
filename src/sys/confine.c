/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock and no-new-privs for a process that only reads, as far as the kernel supports it. */
#include "sys/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

/* By Landlock's version; later headers than Debian 12's name the last ones. */
#define ACCESS_REFER     (1ULL << 13) /* 2 */
#define ACCESS_TRUNCATE  (1ULL << 14) /* 3 */
#define ACCESS_IOCTL_DEV (1ULL << 15) /* 5 */
#define NET_TCP          3ULL         /* 4: bind and connect */
#define SCOPE_ALL        3ULL         /* 6: abstract sockets and signals */

#define CREATE_REMOVE (LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE)
#define READ          (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE         (LANDLOCK_ACCESS_FS_WRITE_FILE | CREATE_REMOVE)
/* Without block devices; the only character devices that the kernel lets a process without CAP_MKNOD make are
 * whiteouts. */
#define MAKE_ANY                                                                                     \
	(LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_SYM | \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_CHAR)
#define IN_ALL_ABI (ACCESS_REFER - 1)

static int allow(int ruleset, const char *path, uint64_t access, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = sys_open(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : sys_landlock_allow(ruleset, fd, access);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "allow a helper to use '%s'", path) : 0;
}

static uint64_t late_access(int abi)
{
	return (abi >= 2 ? ACCESS_REFER : 0) | (abi >= 3 ? ACCESS_TRUNCATE : 0) |
	       (abi >= 5 ? ACCESS_IOCTL_DEV : 0);
}

static int create_ruleset(int abi, bool is_client, struct aisbx_error *e)
{
	int ruleset;

	if (abi < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -abi, "ask for Landlock");
	ruleset = sys_landlock_create(IN_ALL_ABI | late_access(abi), abi >= 4 && !is_client ? NET_TCP : 0,
				      abi >= 6 ? SCOPE_ALL : 0);
	return ruleset < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -ruleset, "create a Landlock ruleset") : ruleset;
}

static int enforce(int ruleset, struct aisbx_error *e)
{
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (r == 0)
		r = sys_landlock_enforce(ruleset);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "enforce Landlock") : 0;
}

static int confine(const char *const *writable, bool is_client, struct aisbx_error *e)
{
	int abi = sys_landlock_abi();
	scoped(drop_fd) int ruleset = create_ruleset(abi, is_client, e);

	if (ruleset < 0 || allow(ruleset, "/", READ, e) < 0)
		return e->code;
	for (; *writable; writable++)
		if (allow(ruleset, *writable,
			  READ | WRITE | (late_access(abi) & (ACCESS_TRUNCATE | ACCESS_REFER)), e) < 0)
			return e->code;
	return enforce(ruleset, e);
}

int confine_self(const char *const *writable, struct aisbx_error *e)
{
	return confine(writable, false, e);
}

int confine_client(const char *const *writable, struct aisbx_error *e)
{
	return confine(writable, true, e);
}

int confine_to_trees(const char *const *readable, const char *const *writable, struct aisbx_error *e)
{
	int abi = sys_landlock_abi();
	uint64_t late = late_access(abi) & (ACCESS_REFER | ACCESS_TRUNCATE);
	scoped(drop_fd) int ruleset = create_ruleset(abi, false, e);

	if (ruleset < 0)
		return e->code;
	for (; *readable; readable++)
		if (allow(ruleset, *readable, READ, e) < 0)
			return e->code;
	for (; *writable; writable++)
		if (allow(ruleset, *writable, READ | WRITE | MAKE_ANY | late, e) < 0)
			return e->code;
	return enforce(ruleset, e);
}

int confine_caps(uint64_t keep, struct aisbx_error *e)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2];
	uint64_t have;
	int r;

	if (syscall(SYS_capget, &header, now) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "ask for capabilities");
	have = (now[0].permitted | (uint64_t)now[1].permitted << 32) & keep;
	r = sys_capset(have, have, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "give capabilities back") : 0;
}
