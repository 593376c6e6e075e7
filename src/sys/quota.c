/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrappers around the calls of project quotas; see sys/quota.h. */
#include "sys/quota.h"

#include <errno.h>
#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/fault.h"

/* As in sys.c. */
#define CALL(name, expr)                                                                 \
	({                                                                               \
		int injected_ = fault_next(name);                                        \
		__typeof__(expr) result_ = injected_ ? (errno = injected_, -1) : (expr); \
		result_ < 0 ? (__typeof__(expr))-errno : result_;                        \
	})

static int quotactl_fd(int fd, unsigned int cmd, uint32_t id, void *data)
{
	return (int)CALL("quotactl_fd", syscall(SYS_quotactl_fd, fd, QCMD(cmd, PRJQUOTA), id, data));
}

int sys_project_get(int fd, uint32_t *ret_id, bool *ret_inherit)
{
	struct fsxattr x = { 0 };
	int r = CALL("ioctl", ioctl(fd, FS_IOC_FSGETXATTR, &x));

	if (r < 0)
		return r;
	*ret_id = x.fsx_projid;
	*ret_inherit = x.fsx_xflags & FS_XFLAG_PROJINHERIT;
	return 0;
}

int sys_project_set(int fd, uint32_t id)
{
	struct fsxattr x = { 0 };
	int r = CALL("ioctl", ioctl(fd, FS_IOC_FSGETXATTR, &x));

	if (r < 0)
		return r;
	x.fsx_projid = id;
	x.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	return CALL("ioctl", ioctl(fd, FS_IOC_FSSETXATTR, &x));
}

int sys_quota_enforced(int fd, bool *ret)
{
	struct fs_quota_statv state = { .qs_version = FS_QSTATV_VERSION1 };
	int r = quotactl_fd(fd, Q_XGETQSTATV, 0, &state);

	if (r == 0)
		*ret = state.qs_flags & FS_QUOTA_PDQ_ENFD;
	return r;
}

int sys_quota_get(int fd, uint32_t project, struct sys_quota *ret)
{
	struct if_dqblk q = { 0 };
	int r = quotactl_fd(fd, Q_GETQUOTA, project, &q);

	if (r < 0)
		return r;
	ret->bytes = q.dqb_curspace;
	ret->inodes = q.dqb_curinodes;
	ret->bytes_max = q.dqb_bhardlimit * QIF_DQBLKSIZE;
	ret->inodes_max = q.dqb_ihardlimit;
	return 0;
}

int sys_quota_limit(int fd, uint32_t project, uint64_t bytes_max, uint64_t inodes_max)
{
	struct if_dqblk q = { .dqb_bhardlimit = bytes_max / QIF_DQBLKSIZE,
			      .dqb_ihardlimit = inodes_max,
			      .dqb_valid = QIF_LIMITS };

	return quotactl_fd(fd, Q_SETQUOTA, project, &q);
}
