/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces: which, with which ids, and what is set up in them first. */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/ns.h"
#include "sys/group.h"
#include "sys/subids.h"
#include "sys/sys.h"

const struct jail_namespace jail_namespaces[] = {
	{ WALL_USERNS, "/proc/self/ns/user", CLONE_NEWUSER },
	{ WALL_MOUNT, "/proc/self/ns/mnt", CLONE_NEWNS },
	{ WALL_PID, "/proc/self/ns/pid", CLONE_NEWPID },
	{ WALL_NET, "/proc/self/ns/net", CLONE_NEWNET },
	{ WALL_IPC, "/proc/self/ns/ipc", CLONE_NEWIPC },
	{ WALL_UTS, "/proc/self/ns/uts", CLONE_NEWUTS },
	{ WALL_CGROUP, "/proc/self/ns/cgroup", CLONE_NEWCGROUP },
};
const size_t jail_n_namespaces = sizeof(jail_namespaces) / sizeof(*jail_namespaces);

uint64_t jail_namespace_flags(uint32_t walls)
{
	uint64_t flags = 0;

	for (size_t i = 0; i < jail_n_namespaces; i++)
		if (walls & (1u << jail_namespaces[i].wall))
			flags |= jail_namespaces[i].clone_flag;
	return flags & ~(uint64_t)CLONE_NEWCGROUP; /* see jail_enter_groups */
}

/*
 * The view of the groups begins where the box is when it is made, so the box comes in first. A thread that
 * moves itself into a group of v1 does not wait for all other processes of the machine, as moving another one
 * does (10 ms).
 */
int jail_enter_groups(struct jail *j, struct aisbx_error *e)
{
	int r = 0;

	for (int i = 0; r == 0 && i < JAIL_MAX_DOORS; i++) {
		if (j->doors[i] < 0)
			continue;
		r = sys_write_all(j->doors[i], "0", 1);
		close_fd(&j->doors[i]);
	}
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "enter the control group of the box");
	close_fd(&j->group);
	if (j->order.walls & WALL_BIT(CGROUP))
		r = sys_unshare(CLONE_NEWCGROUP);
	if (r == 0)
		return 0;
	aisbx_fail(e, AISBX_AREA_JAIL, -r, "hide the machine's control groups");
	return r == -ENOSPC || r == -EUSERS
		       ? aisbx_hint(e, "a limit in /proc/sys/user/max_*_namespaces is 0 or used up")
		       : r;
}

int jail_remember_namespaces(struct jail *j, struct aisbx_error *e)
{
	struct stat root;
	int err = sys_stat(AT_FDCWD, "/", &root, 0);

	if (err < 0) /* the wall 'root' is measured against it */
		return aisbx_fail(e, AISBX_AREA_JAIL, -err, "inspect the real root");
	j->outside_root = root.st_dev;
	for (size_t i = 0; i < jail_n_namespaces; i++) {
		struct stat st;
		int r = sys_stat(AT_FDCWD, jail_namespaces[i].link, &st, 0);

		/* A namespace the kernel does not have is caught by clone; here it is just not there. */
		if (r < 0 && r != -ENOENT)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "inspect %s", jail_namespaces[i].link);
		j->outside[jail_namespaces[i].wall] = r < 0 ? 0 : st.st_ino;
	}
	return 0;
}

int jail_write_maps(const struct jail *j, int proc_fd, struct aisbx_error *e)
{
	const struct jail_plan_order *o = &j->order;
	bool shift = o->flags & JAIL_PLAN_SHIFT;
	char map[64];
	int r = 0;

	/* An ordinary user may write a gid map only after giving up setgroups. */
	if (!shift)
		r = sys_write_file(proc_fd, "setgroups", "deny");
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "write setgroups of the box");
	snprintf(map, sizeof(map), "%u %u %u\n", shift ? 0 : o->uid, o->uid_host, o->id_count);
	r = sys_write_file(proc_fd, "uid_map", map);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "write uid_map of the box");
	if (o->group) /* two lines are beyond an ordinary user: see jail_map_groups */
		return 0;
	snprintf(map, sizeof(map), "%u %u %u\n", shift ? 0 : o->gid, o->gid_host, o->id_count);
	r = sys_write_file(proc_fd, "gid_map", map);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "write gid_map of the box");
	return 0;
}

/* By the program that obeys /etc/subgid, from outside, when pid 1 says that it has given up setgroups. */
int jail_map_groups(struct jail *j, pid_t pid, struct aisbx_error *e)
{
	const struct jail_plan_order *o = &j->order;
	char who[16], own[16], other[16];
	char *const args[] = { "newgidmap", who, own, own, "1", other, other, "1", NULL };
	int fds[SYS_MAX_FDS], status = 0;
	pid_t child;
	char word;

	snprintf(who, sizeof(who), "%d", (int)pid);
	snprintf(own, sizeof(own), "%u", o->gid);
	snprintf(other, sizeof(other), "%u", o->group);
	if (sys_recv(j->sync, &word, 1, fds, 0) != 1)
		_exit(125); /* pid 1 has reported why */
	child = sys_fork(SIGCHLD);
	if (child == 0) {
		execve(SYS_NEWGIDMAP, args, (char *const[]){ NULL });
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPERM,
			"'" SYS_NEWGIDMAP
			" %s %s %s 1 %s %s 1' failed; without the line for group %s in /etc/subgid "
			"the box runs without that group",
			who, own, own, other, other, other);
	return sys_send(j->sync, "", 1, NULL, 0) < 0
		       ? aisbx_fail(e, AISBX_AREA_JAIL, EPIPE, "wake pid 1 of the box")
		       : 0;
}

int jail_map_subordinates(struct jail *j, pid_t pid, struct aisbx_error *e)
{
	const struct jail_plan_order *o = &j->order;
	const struct sys_subids ids = { o->sub_uid, o->sub_gid };
	int r = sys_subids_map(pid, &ids, SYS_SUBIDS_BOX);

	if (r < 0)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, -r,
			"newuidmap or newgidmap gave the box no ids from %u and %u on: "
			"'newuidmap %d 0 %u 1 1 %u %u' must work; see /etc/subuid and /etc/subgid",
			ids.uid, ids.gid, (int)pid, o->uid_host, ids.uid, o->id_count - 1);
	r = sys_send(j->sync, "", 1, NULL, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "wake pid 1 of the box") : 0;
}

/* The other end of it. */
static int await_groups(struct jail *j, struct aisbx_error *e)
{
	int fds[SYS_MAX_FDS];
	char go;

	if (sys_send(j->sync, "", 1, NULL, 0) < 0 || sys_recv(j->sync, &go, 1, fds, 0) != 1)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPIPE,
				    "the outer process died before the groups were mapped");
	return 0;
}

int jail_enter_ids(struct jail *j, struct aisbx_error *e)
{
	const struct jail_plan_order *o = &j->order;
	int r;

	if (!(o->walls & WALL_BIT(USERNS))) {
		r = sys_setgroups_none();
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "drop supplementary groups");
	} else if (jail_plan_many_ids(o)) {
		int fds[SYS_MAX_FDS];
		char go;

		if (sys_recv(j->sync, &go, 1, fds, 0) != 1)
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPIPE,
					    "the outer process died before the ids were mapped");
		r = sys_setgroups_none();
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "drop supplementary groups");
		r = sys_setids(o->uid, o->gid);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "become uid %u of the box", o->uid);
	} else {
		int self = sys_open(AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY, 0);

		if (self < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -self, "open /proc/self");
		r = jail_write_maps(j, self, e);
		close(self);
		if (r == 0 && o->group)
			r = await_groups(j, e);
		if (r < 0)
			return r;
	}
	/* After the ids: changing them clears it. The control socket's end is the second tripwire. */
	r = sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "tie the box's life to its supervisor's");
	setsid();
	return 0;
}

int jail_host_name(struct jail *j, struct aisbx_error *e)
{
	int r;

	if (!(j->order.walls & WALL_BIT(UTS)))
		return 0;
	r = sys_sethostname(jail_plan_string(j->plan, j->plan->head->hostname));
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "set the host name of the box") : 0;
}

/*
 * Who watches files takes from what all programs of the same user share: for each a quarter at most. The
 * kernel counts for the box's namespace and for the one around it; what is written here is the limit of the
 * first.
 */
static int bound_watches(int root, const char *all, const char *own)
{
	scoped(drop_fd) int fd =
		sys_openat2(root, all, O_RDONLY | O_CLOEXEC, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	scoped(drop_fd) int to = -1;
	char text[24] = "";
	ssize_t n = fd < 0 ? fd : sys_read(fd, text, sizeof(text) - 1);
	unsigned long quarter;

	if (n == -ENOENT) /* a kernel that cannot watch */
		return 0;
	if (n < 0)
		return (int)n;
	text[n] = '\0';
	quarter = strtoul(text, NULL, 10) / 4;
	to = sys_openat2(root, own, O_WRONLY | O_CLOEXEC, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	n = snprintf(text, sizeof(text), "%lu", quarter ? quarter : 1);
	return to < 0 ? to : sys_write_all(to, text, (size_t)n);
}

int jail_bound_watches(const struct jail *j, int root, struct aisbx_error *e)
{
	int r;

	if (!(j->order.walls & WALL_BIT(USERNS)))
		return 0; /* it would be the host's own limit */
	r = bound_watches(root, "proc/sys/fs/inotify/max_user_instances",
			  "proc/sys/user/max_inotify_instances");
	if (r == 0)
		r = bound_watches(root, "proc/sys/fs/inotify/max_user_watches",
				  "proc/sys/user/max_inotify_watches");
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "limit the number of files that the box may watch")
		     : 0;
}

int jail_network(struct jail *j, struct aisbx_error *e)
{
	int r;

	if (!(j->order.walls & WALL_BIT(NET)) || !(j->order.flags & JAIL_PLAN_LOOPBACK))
		return 0;
	r = sys_loopback_up();
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "bring up the box's loopback") : 0;
}
