/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a user namespace subordinate ids. A part of its own: the jail needs no more. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/group.h"
#include "sys/subids.h"
#include "sys/sys.h"

/* PROGRAM PID INSIDE OWN 1 INSIDE FIRST COUNT, and what it says about it. */
static int run_mapper(const char *program, pid_t pid, uint32_t own, uint32_t first, enum sys_subids_view view)
{
	char who[16], me[16], root[16], from[16], at[16], count[16];
	char *const args[] = { (char *)program, who, root, me, "1", at, from, count, NULL };
	int status = 0;
	pid_t child;

	snprintf(who, sizeof(who), "%d", (int)pid);
	snprintf(me, sizeof(me), "%u", own);
	snprintf(root, sizeof(root), "%u", view == SYS_SUBIDS_BOX ? 0 : own);
	snprintf(from, sizeof(from), "%u", first);
	snprintf(at, sizeof(at), "%u", view == SYS_SUBIDS_BOX ? 1 : first);
	snprintf(count, sizeof(count), "%u", SYS_SUBIDS_COUNT - 1);
	child = sys_fork(SIGCHLD);
	if (child == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
			_exit(127);
		execve(program, args, (char *const[]){ NULL });
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return child < 0 ? child : status ? -EPERM : 0;
}

int sys_subids_map(pid_t pid, const struct sys_subids *ids, enum sys_subids_view view)
{
	int r = run_mapper(SYS_NEWUIDMAP, pid, geteuid(), ids->uid, view);

	return r < 0 ? r : run_mapper(SYS_NEWGIDMAP, pid, getegid(), ids->gid, view);
}
