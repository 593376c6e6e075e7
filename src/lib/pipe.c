/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts `aisbx rpc`, or connects to one, and transfers lines in both directions at once: neither side waits
 * for the other to read.
 */
#include "lib/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

/* An answer is not longer than what a run may write, twice over. */
#define MAX_LINE (256u << 20)
/* What was taken out of the buffer is moved away when it is at least so much. */
#define CHUNK 65536

extern char **environ;

/* Never one of the first three: where the program has these closed, what it prints would be told to aisbx. */
static int lift(int fd)
{
	int high = fd < 0 || fd > 2 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3), err = errno;

	if (high != fd)
		close(fd);
	errno = err;
	return high;
}

static int connect_to(const char *path, struct rpc_pipe *ret, struct aisbx_error *e)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(at.sun_path))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENAMETOOLONG,
				    "the path of the socket '%s' is too long", path);
	memcpy(at.sun_path, path, strlen(path) + 1);
	ret->fd = lift(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	if (ret->fd < 0 || connect(ret->fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "connect to '%s'", path);
	return 0;
}

static int start(const char *program, struct rpc_pipe *ret, struct aisbx_error *e)
{
	const char *told = getenv("AISBX"), *name = program ? program : told ? told : "aisbx";
	char *argv[] = { (char *)name, (char *)"rpc", NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make a socket for '%s rpc'", name);
	ret->fd = lift(fds[0]);
	fds[1] = lift(fds[1]);
	if (ret->fd < 0 || fds[1] < 0) {
		drop_fd(&fds[1]);
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make a socket for '%s rpc'", name);
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	r = posix_spawnp(&ret->pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (r) {
		ret->pid = 0;
		aisbx_fail(e, AISBX_AREA_USAGE, r, "start '%s rpc'", name);
		return aisbx_hint(e, "set AISBX to the path of aisbx");
	}
	return 0;
}

int rpc_pipe_open(const struct aisbx_options *options, struct rpc_pipe *ret, struct aisbx_error *e)
{
	int r;

	*ret = (struct rpc_pipe){ .fd = -1, .wake = lift(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) };
	if (ret->wake < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "set up the connection to aisbx");
	r = options && options->socket ? connect_to(options->socket, ret, e)
				       : start(options ? options->program : NULL, ret, e);
	if (r == 0 && fcntl(ret->fd, F_SETFL, O_NONBLOCK) < 0)
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "set up the connection to aisbx");
	return r;
}

void rpc_pipe_close(struct rpc_pipe *p)
{
	close_fd(&p->fd); /* the end of its input: it cancels what runs, and goes */
	while (p->pid && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close_fd(&p->wake);
	buf_finish(&p->in);
	buf_finish(&p->out);
}

void rpc_pipe_add(struct rpc_pipe *p, const char *line, size_t len)
{
	buf_add(&p->out, line, len);
	buf_add(&p->out, "\n", 1);
}

static int lost(struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, ECONNRESET,
			    "aisbx rpc has ended; see its standard error for the reason");
}

static int send_some(struct rpc_pipe *p, struct aisbx_error *e)
{
	ssize_t n = send(p->fd, p->out.data + p->out_at, p->out.len - p->out_at, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : lost(e);
	p->out_at += (size_t)n;
	if (p->out_at == p->out.len)
		p->out.len = p->out_at = 0;
	return 0;
}

static int read_some(struct rpc_pipe *p, struct aisbx_error *e)
{
	char room[CHUNK];
	ssize_t n = read(p->fd, room, sizeof(room));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return lost(e);
	buf_add(&p->in, room, (size_t)n);
	if (p->in.failed || p->in.len > MAX_LINE)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read from aisbx rpc");
	return 0;
}

void rpc_pipe_wake(struct rpc_pipe *p)
{
	const uint64_t one = 1;
	int saved = errno;

	if (write(p->wake, &one, sizeof(one)) < 0)
		errno = saved; /* it is full of calls already */
}

/* 1: there was a call. */
static int take_wake(struct rpc_pipe *p)
{
	uint64_t count;

	return read(p->wake, &count, sizeof(count)) == sizeof(count);
}

void rpc_pipe_forget_wake(struct rpc_pipe *p)
{
	take_wake(p);
}

/* Waits until something can be moved, and moves it; 1: it was woken. */
static int move_some(struct rpc_pipe *p, struct aisbx_error *e)
{
	struct pollfd at[] = { { .fd = p->fd, .events = (short)(POLLIN | (p->out.len ? POLLOUT : 0)) },
			       { .fd = p->wake, .events = POLLIN } };
	int r = 0;

	if (p->out.failed)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write to aisbx rpc");
	if (poll(at, 2, -1) < 0)
		return errno == EINTR ? 0 : aisbx_fail(e, AISBX_AREA_SYS, errno, "wait for aisbx rpc");
	if (at[0].revents & POLLOUT)
		r = send_some(p, e);
	if (r == 0 && at[0].revents & (POLLIN | POLLHUP | POLLERR))
		r = read_some(p, e);
	return r < 0 ? r : at[1].revents ? take_wake(p) : 0;
}

int rpc_pipe_next(struct rpc_pipe *p, const char **ret_line, size_t *ret_len, struct aisbx_error *e)
{
	size_t searched = 0;

	if (p->taken) { /* it has been dealt with */
		memmove(p->in.data, p->in.data + p->taken, p->in.len - p->taken);
		p->in.len -= p->taken;
		p->taken = 0;
	}
	for (;;) {
		const char *end = p->in.len > searched
					  ? memchr(p->in.data + searched, '\n', p->in.len - searched)
					  : NULL;
		int r;

		if (end) {
			*ret_line = p->in.data;
			*ret_len = (size_t)(end - p->in.data);
			p->taken = *ret_len + 1;
			return 1;
		}
		searched = p->in.len;
		r = move_some(p, e);
		if (r)
			return r < 0 ? r : 0;
	}
}
