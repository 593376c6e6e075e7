/* SPDX-License-Identifier: Apache-2.0 */
/* One short question of those in probe.c: whether user namespaces can be made at all. */
#include "sys/probe.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/sys.h"

int probe_userns(void)
{
	const struct sys_clone how = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD, .cgroup = -1 };
	pid_t pid = sys_clone_process(&how);

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return -pid;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return 0;
}
