/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning a session; settling those that ended without keeping a server from its clients. */
#include "op/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "box/sessions.h"

int op_session_begin(const char *owner)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int fd = -1;

	if (!owner || !box_is_session(owner))
		return -1;
	if (box_session_begin(owner, &fd, &e) < 0)
		log_debug("%s",
			  e.text); /* then its boxes stay; and where nothing can be written it makes none */
	return fd;
}

void op_sessions_settle(void)
{
	pid_t child = fork();

	if (child == 0) { /* whose own child has no parent that would have to wait for it */
		struct aisbx_error e = AISBX_ERROR_INIT;
		size_t n = 0;
		int null_fd;

		if (fork() != 0)
			_exit(0);
		/* Nothing of the server's, above all no locks of sessions and no pipe that somebody reads to
		 * its end. */
		null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd < 3 && null_fd >= 0; fd++)
			dup2(null_fd, fd);
		syscall(SYS_close_range, 3U, ~0U, 0);
		box_sessions_settle(&n, &e); /* what cannot be done now the next does */
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}
