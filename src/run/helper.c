/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a command join our own box: a service, or a readiness check. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/scope.h"
#include "run/service.h"
#include "sys/sys.h"

/* The box's ends; ours goes into H. */
static int open_output(struct helper *h, const struct box_side *box, int child[3], struct aisbx_error *e)
{
	const struct jail_plan_order *o = &box->order;
	int fds[2], r = sys_pipe(fds);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "create a pipe");
	h->output = fds[0];
	child[1] = fds[1];
	child[2] = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
	/* Else a shifted root could not open /dev/stderr: to it the pipe would be somebody else's. */
	if (o->flags & JAIL_PLAN_SHIFT && fchown(fds[0], o->uid_host + o->uid, o->gid_host + o->gid) < 0)
		log_debug("give a pipe to the box: %s", strerror(errno));
	return child[2] < 0 || fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0
		       ? aisbx_fail(e, AISBX_AREA_RUN, errno, "prepare a pipe")
		       : 0;
}

int helper_start(struct helper *h, const struct box_side *box, int plan_fd, bool keep_output,
		 struct aisbx_error *e)
{
	struct jail_message m = { .word = JAIL_JOIN, .value = JAIL_JOIN_SERVICE };
	int child[3] = { -1, -1, -1 }, pair[2], r = sys_socketpair(SOCK_SEQPACKET, pair);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "create a control socket");
	h->control = pair[0];
	if (keep_output)
		r = open_output(h, box, child, e);
	for (int i = 0; r == 0 && i < 3; i++)
		if (child[i] < 0 && (child[i] = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
			r = aisbx_fail(e, AISBX_AREA_RUN, errno, "open /dev/null");
	if (r == 0) {
		const int fds[JAIL_JOIN_FDS] = { pair[1], plan_fd, child[0], child[1], child[2] };

		r = sys_send(box->control, &m, sizeof(m), fds, JAIL_JOIN_FDS);
		if (r < 0)
			aisbx_fail(e, AISBX_AREA_RUN, -r, "connect to pid 1 of the box");
	}
	for (int i = 0; i < 3; i++)
		drop_fd(&child[i]);
	close(pair[1]);
	if (r < 0)
		helper_drop(h);
	return r;
}

void helper_drop(struct helper *h)
{
	close_fd(&h->control);
	close_fd(&h->output);
}

/* It is a child of pid 1 and can have no other walls; what can be measured is compared all the same. */
static enum helper_news let_go(const struct helper *h, const struct box_side *box,
			       const struct jail_message *m, struct aisbx_error *e)
{
	struct jail_message go = { .word = JAIL_GO, .value = 1 };
	int r;

	if (m->walls != box->walls) {
		aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
			     "its walls are different from those of the box");
		return HELPER_REFUSED;
	}
	r = sys_send(h->control, &go, sizeof(go), NULL, 0);
	if (r == 0 || r == -EPIPE || r == -ECONNRESET) /* if it is gone, we hear that next */
		return HELPER_NOTHING;
	aisbx_fail(e, AISBX_AREA_RUN, -r, "let it start");
	return HELPER_REFUSED;
}

enum helper_news helper_hear(struct helper *h, const struct box_side *box, int *ret_value,
			     struct aisbx_error *e)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(h->control, &m, sizeof(m), fds, MSG_DONTWAIT);

	if (n == -EAGAIN || n == -ECONNRESET)
		return HELPER_NOTHING;
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	*ret_value = SIGKILL; /* as a wait status: that is how a keeper ends that says nothing */
	if (n != sizeof(m))
		return HELPER_ENDED;
	*ret_value = m.value;
	switch (m.word) {
	case JAIL_READY:
		return let_go(h, box, &m, e);
	case JAIL_STARTED:
		return HELPER_STARTED;
	case JAIL_EXEC_FAILED:
		return HELPER_EXEC_FAILED;
	case JAIL_EXITED:
		return HELPER_ENDED;
	case JAIL_FAILED:
		*e = m.error;
		e->text[sizeof(e->text) - 1] = '\0';
		return HELPER_REFUSED;
	default:
		return HELPER_NOTHING;
	}
}

/* The kernel lists those that listen before the others: a box full of connections costs nothing here. */
static bool listed(int proc, const char *path, uint16_t port)
{
	scoped(drop_fd) int fd = openat(proc, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	scoped(drop_file) FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[512];
	unsigned int local, state;

	if (f)
		take_fd(&fd);                    /* it is the stream's */
	if (!f || !fgets(line, sizeof(line), f)) /* the head */
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &local, &state) != 2 ||
		    state != 0x0A)
			return false;
		if (local == port)
			return true;
	}
	return false;
}

bool port_is_open(int proc, uint16_t port)
{
	return listed(proc, "1/net/tcp", port) || listed(proc, "1/net/tcp6", port);
}
