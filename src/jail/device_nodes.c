/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device nodes of the box. A node of the host in a box is still the host's file: its watchers see when others
 * open it, and locks affect others. So real root makes new nodes for each box. The kernel lets nobody else
 * make any: an ordinary user's box has the host's, on mounts that do not update times.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

static const struct {
	const char *name;
	unsigned int major, minor;
} nodes[] = {
	{ "null", 1, 3 },   { "zero", 1, 5 },    { "full", 1, 7 },
	{ "random", 1, 8 }, { "urandom", 1, 9 }, { "tty", 5, 0 },
};

#define N_NODES (sizeof(nodes) / sizeof(*nodes))

/* Outside: a small file system with nothing but the nodes in it. -EPERM where not even root may, as in some
 * containers. */
int jail_make_nodes(struct aisbx_error *e)
{
	scoped(drop_fd) int fs = sys_fsopen("tmpfs");
	scoped(drop_fd) int fd = -1;
	int r = fs < 0 ? fs : sys_fsconfig_string(fs, "source", "aisbx");

	if (r >= 0)
		r = sys_fsconfig_string(fs, "nr_inodes", "16");
	if (r >= 0)
		r = sys_fsconfig_create(fs);
	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID);
	for (size_t i = 0; r >= 0 && i < N_NODES; i++) {
		r = sys_mknod(fd, nodes[i].name, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor));
		if (r == 0 && fchmodat(fd, nodes[i].name, 0666, 0) < 0) /* whatever the umask is */
			r = -errno;
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "make device nodes for the box") : take_fd(&fd);
}

/* As it was judged: *RET is what the plan says, and FD is that. */
static int check_device(const struct jail *j, const struct jail_plan_op *op, int fd,
			struct jail_plan_device *ret)
{
	struct stat st;
	int r = sys_stat(fd, "", &st, AT_EMPTY_PATH);

	memcpy(ret, j->plan->strings + op->data, sizeof(*ret));
	if (r < 0)
		return r;
	return S_ISCHR(st.st_mode) && st.st_rdev == makedev(ret->major, ret->minor) ? 0 : -ESTALE;
}

/* Whoever is in the box may use it: that the caller may was checked. */
int jail_make_device(const struct jail *j, const struct jail_plan_op *op, struct aisbx_error *e)
{
	const char *src = jail_plan_string(j->plan, op->src);
	scoped(drop_fd) int fs = sys_fsopen("tmpfs");
	scoped(drop_fd) int host = sys_open(AT_FDCWD, src, O_PATH | O_NOFOLLOW, 0);
	scoped(drop_fd) int fd = -1;
	struct jail_plan_device is;
	int r = host < 0 ? host : check_device(j, op, host, &is);

	if (r >= 0)
		r = fs < 0 ? fs : sys_fsconfig_string(fs, "source", "aisbx");
	if (r >= 0)
		r = sys_fsconfig_string(fs, "nr_inodes", "4");
	if (r >= 0)
		r = sys_fsconfig_create(fs);
	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID);
	if (r >= 0)
		r = sys_mknod(fd, "device", S_IFCHR | 0666, makedev(is.major, is.minor));
	if (r >= 0 && fchmodat(fd, "device", 0666, 0) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "make the device '%s' for the box", src)
		     : take_fd(&fd);
}

static int take_node(int own, const char *path, const char *name)
{
	return own >= 0 ? sys_open_tree(own, name, OPEN_TREE_CLONE)
			: sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE);
}

static int show_node(struct jail *j, int own, const char *name, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	char path[32], to[64];
	int r;

	snprintf(path, sizeof(path), "/dev/%s", name);
	snprintf(to, sizeof(to), "%.40s/%s", dst, name);
	r = fd = take_node(own, path, name);
	/* Read-only is the mount: its times, owner and mode. What is written to a device is none of its
	 * business. */
	if (r >= 0)
		r = sys_mount_setattr(fd, "", AT_EMPTY_PATH, MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY, 0, 0, -1);
	if (r >= 0)
		r = jail_attach(j, fd, to, false);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "show the device '%s'", path) : 0;
}

int jail_show_nodes(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int own = j->order.flags & JAIL_PLAN_SHIFT ? jail_take_tree(j, e) : -ENOENT;

	(void)op;
	if (own < 0 && own != -ENOENT)
		return own;
	for (size_t i = 0; i < N_NODES; i++)
		if (show_node(j, own, nodes[i].name, dst, e) < 0)
			return e->code;
	return 0;
}

int jail_show_device(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	const char *src = jail_plan_string(j->plan, op->src);
	scoped(drop_fd) int own = j->order.flags & JAIL_PLAN_SHIFT ? jail_take_tree(j, e) : -ENOENT;
	scoped(drop_fd) int fd = -1;
	struct jail_plan_device is;
	int r;

	if (own < 0 && own != -ENOENT)
		return own;
	r = fd = take_node(own, src, "device");
	if (r >= 0)
		r = check_device(j, op, fd, &is);
	if (r >= 0)
		r = sys_mount_setattr(fd, "", AT_EMPTY_PATH, MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY, 0, 0, -1);
	if (r >= 0)
		r = jail_attach(j, fd, dst, false);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "show the device '%s'", src) : 0;
}
