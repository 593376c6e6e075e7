/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The staging tmpfs: one private, sized tmpfs for upper layers, scratch directories and the root of the box
 * while it is built; and the step from it into the finished root. One tmpfs, one disk limit.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

/* Where the staging tmpfs is attached until the pivot: nothing of the host's /sys is ever cloned. */
#define STAGE_AT "/sys"

/* A runtime looks for control groups in /sys, so for it only a part of it is covered. */
static const char *stage_at(const struct jail *j)
{
	return j->order.flags & JAIL_PLAN_RUNTIME ? JAIL_RUNTIME_AT : STAGE_AT;
}

int jail_staging_name(struct jail *j, char kind, char *ret_name, size_t cap)
{
	return snprintf(ret_name, cap, "%c%u", kind, j->made++);
}

static int mount_tmpfs(const struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int fs = sys_fsopen("tmpfs");
	scoped(drop_fd) int fd = -1;
	int r = fs < 0 ? fs : sys_fsconfig_string(fs, "source", "aisbx");

	if (r >= 0)
		r = sys_fsconfig_string(fs, "mode", "0755");
	if (r >= 0)
		r = sys_fsconfig_create(fs);
	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (r >= 0)
		r = sys_move_mount(fd, AT_FDCWD, stage_at(j), 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "mount the box's private file system");
	return take_fd(&fd);
}

/* A clone with an upper on the staging tmpfs. A plan for a kernel whose tmpfs is of no use for that has
 * layers on disk instead. */
static bool holds_uppers(const struct jail_plan *p)
{
	for (uint32_t i = 0; i < p->head->n_ops; i++)
		if (p->ops[i].kind == JAIL_PLAN_CLONE && (p->ops[i].flags & JAIL_PLAN_WRITABLE) &&
		    !p->ops[i].data_len)
			return true;
	return false;
}

int jail_make_staging(struct jail *j, struct aisbx_error *e)
{
	int r = sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, 0, 0, MS_PRIVATE, -1);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "detach the box's mounts from the host's");
	j->staging = mount_tmpfs(j, e);
	if (j->staging < 0)
		return j->staging;
	/* Overlayfs marks replaced directories with an xattr; without it `rm -r` in a box fails with EIO. */
	if (holds_uppers(j->plan) && setxattr(stage_at(j), "user.aisbx", "", 0, 0) < 0)
		return aisbx_fail(
			e, AISBX_AREA_JAIL, errno,
			"this kernel's tmpfs does not support user xattrs (Linux 6.6 or later is needed)");
	r = sys_mkdir(j->staging, "empty", 0755);
	if (r == 0)
		r = sys_mkdir(j->staging, "root", 0755);
	if (r == 0)
		r = j->empty = sys_open(j->staging, "empty", O_PATH | O_DIRECTORY, 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "prepare the box's private file system");
	return 0;
}

void jail_staging_use(uint64_t *ret_bytes, uint64_t *ret_inodes, const struct statfs *fs)
{
	*ret_bytes = (uint64_t)(fs->f_blocks - fs->f_bfree) * (uint64_t)fs->f_bsize;
	*ret_inodes = (uint64_t)(fs->f_files - fs->f_ffree);
}

/* What the box itself is made of is not the command's: its limits come on top of that. */
int jail_bound_staging(struct jail *j, struct aisbx_error *e)
{
	const struct jail_plan_head *h = j->plan->head;
	char options[80] = "";
	struct statfs fs;
	size_t n = 0;
	int r = 0;

	if (fstatfs(j->staging, &fs) < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, errno, "measure the box's private file system");
	jail_staging_use(&j->own_bytes, &j->own_inodes, &fs);
	if (h->disk_bytes)
		n = (size_t)snprintf(options, sizeof(options), "size=%llu",
				     (unsigned long long)h->disk_bytes + j->own_bytes);
	if (h->disk_inodes)
		snprintf(options + n, sizeof(options) - n, "%snr_inodes=%llu", n ? "," : "",
			 (unsigned long long)h->disk_inodes + j->own_inodes);
	if (options[0])
		r = sys_mount(NULL, stage_at(j), NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, options);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "limit the box's private file system") : 0;
}

int jail_pivot(struct jail *j, struct aisbx_error *e)
{
	int r;

	if (fchdir(j->root) < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, errno, "enter the root of the box");
	/* New root over old, then the old one, which is now below it, goes: no directory is needed for it. */
	r = sys_pivot_root(".", ".");
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "change the root");
	r = sys_umount(".", MNT_DETACH);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "unmount the real root");
	if (chdir("/") < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, errno, "enter the new root");
	close_fd(&j->root);
	close_fd(&j->staging);
	close_fd(&j->empty);
	close_fd(&j->layers);
	close_fd(&j->sync);
	close_fd(&j->plan_fd);
	return 0;
}
