/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's side: makes the socket, starts the process, hears its questions. */
#include "run/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "jail/plan.h"
#include "run/spec.h"
#include "sys/sys.h"

/* Waiting to be accepted. */
#define BACKLOG 16

void agents_init(struct agents *a)
{
	*a = (struct agents){ .control = -1 };
}

void agents_hide(struct agents *a)
{
	if (a->path)
		unlink(a->path);
	if (a->dir)
		rmdir(a->dir);
	free(a->path);
	free(a->dir);
	a->path = a->dir = NULL;
}

void agents_finish(struct agents *a)
{
	agents_hide(a);
	close_fd(&a->control);
	if (a->pid > 0) {
		kill(a->pid, SIGKILL);
		waitpid(a->pid, NULL, 0);
		a->pid = 0;
	}
}

/* In the person's own directory for sockets, or that for everybody: a shifted root has no way into the first.
 */
static int make_dir(struct agents *a, bool shifted, struct aisbx_error *e)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	bool own = !shifted && runtime && *runtime == '/' && strlen(runtime) < 64;
	const char *const places[] = { own ? runtime : "/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (asprintf(&a->dir, "%s/aisbx-agent-XXXXXX", places[i]) < 0) {
			a->dir = NULL;
			break;
		}
		if (mkdtemp(a->dir))
			return 0;
		free(a->dir);
		a->dir = NULL;
	}
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "make a directory for the socket of net:agent:ssh");
}

static int make_socket(struct agents *a, const struct jail_plan_order *order, int *ret_fd,
		       struct aisbx_error *e)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	scoped(drop_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = make_dir(a, order->flags & JAIL_PLAN_SHIFT, e);

	if (r < 0)
		return r;
	if (asprintf(&a->path, "%s/ssh", a->dir) < 0) {
		a->path = NULL;
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the socket of net:agent:ssh");
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", a->path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || chmod(a->path, 0600) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "make the socket '%s'", a->path);
	/* Else both would be somebody else's to a shifted root, who builds the box. */
	if (order->flags & JAIL_PLAN_SHIFT &&
	    (lchown(a->path, order->uid_host + order->uid, order->gid_host + order->gid) < 0 ||
	     lchown(a->dir, order->uid_host + order->uid, order->gid_host + order->gid) < 0))
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "give the socket '%s' to the box", a->path);
	*ret_fd = take_fd(&fd);
	return 0;
}

/* A run that cannot sign shall not find out at its end. */
static int check_agent(const char *real, struct aisbx_error *e)
{
	int fd;

	if (!real || !*real)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
				    "net:agent:ssh: you have no ssh-agent here, SSH_AUTH_SOCK is not set; "
				    "start one: eval \"$(ssh-agent)\" && ssh-add");
	fd = agent_connect(real);
	if (fd < 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, -fd,
				    "net:agent:ssh: your ssh-agent at '%.100s' (SSH_AUTH_SOCK) does not "
				    "answer: %s",
				    real, strerror(-fd));
	close(fd);
	return 0;
}

int agents_begin(struct agents *a, const struct jail_plan_order *order, struct aisbx_error *e)
{
	const char *real = getenv("SSH_AUTH_SOCK");
	scoped(drop_fd) int listener = -1;
	int pair[2], r = check_agent(real, e);

	if (r == 0)
		r = make_socket(a, order, &listener, e);
	if (r < 0)
		return r;
	r = sys_socketpair(SOCK_SEQPACKET, pair);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "create the control socket of net:agent:ssh");
	a->pid = fork();
	if (a->pid == 0)
		agent_relay(listener, pair[1], real);
	close(pair[1]);
	a->control = pair[0];
	if (a->pid < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start the process of net:agent:ssh");
	return 0;
}

bool agents_hear(struct agents *a, struct net_message *ret)
{
	int fds[SYS_MAX_FDS];
	ssize_t got;

	if (a->control < 0)
		return false;
	got = sys_recv(a->control, ret, sizeof(*ret), fds, MSG_DONTWAIT);
	for (int i = 0; got >= 0 && i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	if (got == sizeof(*ret) && ret->word == NET_ASK)
		return true;
	if (got != -EAGAIN) { /* without it nothing is signed */
		log_debug("the process of net:agent:ssh is gone");
		close_fd(&a->control);
	}
	return false;
}

void agents_answer(struct agents *a, uint32_t id, bool yes)
{
	const struct net_message m = { .word = NET_ANSWER, .id = id, .value = yes };

	/* Nobody waits for a process that does not listen: then it ends, and nothing is signed. */
	if (a->control >= 0 && send(a->control, &m, sizeof(m), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		close_fd(&a->control);
}
