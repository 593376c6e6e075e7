/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock and no-new-privs for a process that only reads, as far as the kernel supports it. */
#include "sys/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>

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
#define IN_ALL_ABI    (ACCESS_REFER - 1)

static int allow(int ruleset, const char *path, uint64_t access, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = sys_open(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : sys_landlock_allow(ruleset, fd, access);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "allow a helper to use '%s'", path) : 0;
}

int confine_self(const char *const *writable, struct aisbx_error *e)
{
	int abi = sys_landlock_abi(), r;
	uint64_t late = (abi >= 2 ? ACCESS_REFER : 0) | (abi >= 3 ? ACCESS_TRUNCATE : 0) |
			(abi >= 5 ? ACCESS_IOCTL_DEV : 0);
	scoped(drop_fd) int ruleset = -1;

	if (abi < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -abi, "ask for Landlock");
	ruleset = sys_landlock_create(IN_ALL_ABI | late, abi >= 4 ? NET_TCP : 0, abi >= 6 ? SCOPE_ALL : 0);
	if (ruleset < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -ruleset, "create a Landlock ruleset");
	if (allow(ruleset, "/", READ, e) < 0)
		return e->code;
	for (; *writable; writable++)
		if (allow(ruleset, *writable, READ | WRITE | (late & ACCESS_TRUNCATE), e) < 0)
			return e->code;
	r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	if (r == 0)
		r = sys_landlock_enforce(ruleset);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "enforce Landlock") : 0;
}
