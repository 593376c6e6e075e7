/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a helper with vfork: the caller may be large, and its memory must not be copied for every run. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

/* Shares the parent's memory until exec: touches nothing but its own stack. */
static int child(const struct spawn *s, int *moved)
{
	/* First out of the way, then into place: a source may sit where another target belongs. */
	int exec_fd = fcntl(s->exec_fd, F_DUPFD_CLOEXEC, SPAWN_MAX_FDS);

	if (exec_fd < 0)
		return errno;
	for (int i = 0; i < s->n_fds; i++) {
		moved[i] = fcntl(s->fds[i], F_DUPFD_CLOEXEC, SPAWN_MAX_FDS);
		if (moved[i] < 0)
			return errno;
	}
	for (int i = 0; i < s->n_fds; i++)
		if (dup2(moved[i], i) < 0)
			return errno;
	if (syscall(SYS_close_range, (unsigned int)s->n_fds, ~0U, 1u << 2 /* CLOSE_RANGE_CLOEXEC */) < 0)
		return errno;
	syscall(SYS_execveat, exec_fd, "", s->argv, s->env, AT_EMPTY_PATH);
	return errno;
}

int spawn_start(const struct spawn *s, pid_t *ret_pid, struct aisbx_error *e)
{
	int moved[SPAWN_MAX_FDS];
	volatile int failed = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		failed = child(s, moved);
		_exit(127);
	}
	if (pid < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start %s", s->argv[0]);
	if (failed) {
		int status;

		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return aisbx_fail(e, AISBX_AREA_RUN, failed, "execute %s", s->argv[0]);
	}
	*ret_pid = pid;
	return 0;
}
