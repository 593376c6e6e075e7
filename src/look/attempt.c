/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a command behind the glass and supervises it: streams, refused calls, time. One poll loop in the
 * caller's own process, which becomes the reaper of all processes that the command leaves behind, so that no
 * process is left after an attempt.
 */
#include "look/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/env.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/time.h"
#include "look/look.h"
#include "look/notice.h"
#include "look/scratch.h"
#include "sys/sys.h"

enum { LISTENER, OUT, ERR, INPUT, FEED, CHILD, WATCHES };

struct attempt {
	const struct look_attempt *how;
	struct look_outcome *outcome;
	struct pollfd watch[WATCHES]; /* -1: over */
	int scratch;                  /* -1, or the directory that it may change */
	int input, feed;              /* -1, or the caller's pipe and where what comes from it goes */
	pid_t pid;
	bool shown;        /* what was held back is out */
	bool measured;     /* the first call told of was the command's own proof that sockets are refused */
	bool matters;      /* something was refused that may be why it fails */
	int unwritten;     /* errno: what was shown could not be written */
	uint64_t written;  /* of both streams */
	uint64_t held_ms;  /* since when something is held back; 0: nothing is */
	uint64_t until_ms; /* 0: no end */
	const char *home;  /* borrowed */
};

void look_outcome_finish(struct look_outcome *o)
{
	buf_finish(&o->out[0]);
	buf_finish(&o->out[1]);
	buf_finish(&o->input);
}

struct pipes {
	int in[2], out[2], err[2], control[2];
};

static void close_pipes(struct pipes *p)
{
	int *all = (int *)p;

	for (size_t i = 0; i < sizeof(*p) / sizeof(int); i++)
		close_fd(&all[i]);
}

/* The error, whose code is 0 when there is none, and the listener if there is one. */
static int send_start(int control, const struct aisbx_error *error, int listener)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { 0 };
	struct iovec text = { .iov_base = (void *)error, .iov_len = sizeof(*error) };
	struct msghdr m = { .msg_iov = &text, .msg_iovlen = 1 };

	if (listener >= 0) {
		struct cmsghdr *c;

		m.msg_control = u.room;
		m.msg_controllen = sizeof(u.room);
		c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
				       .cmsg_type = SCM_RIGHTS,
				       .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(c), &listener, sizeof(int));
	}
	return sendmsg(control, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(*error) ? 0 : -errno;
}

static int receive_start(int control, struct aisbx_error *ret_error, int *ret_listener)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { 0 };
	struct iovec text = { .iov_base = ret_error, .iov_len = sizeof(*ret_error) };
	struct msghdr m = {
		.msg_iov = &text, .msg_iovlen = 1, .msg_control = u.room, .msg_controllen = sizeof(u.room)
	};
	const struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(control, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*ret_error))
		return n < 0 ? -errno : -ECHILD;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(ret_listener, CMSG_DATA(c), sizeof(int));
	return 0;
}

/* Whether a socket is refused is asked last, of the supervisor, who knows that this is the first call it
 * hears of. */
static bool is_socket_refused(void)
{
	scoped(drop_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0;
}

static int input_of(const struct look_attempt *a, const struct pipes *p)
{
	if (p->in[0] >= 0)
		return p->in[0];
	return a->stdin_fd >= 0 ? a->stdin_fd : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool hears(const struct look_attempt *a)
{
	return a->watched || a->scratch;
}

__attribute__((noreturn)) static void become(const struct look_attempt *a, struct pipes *p, pid_t parent)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *const *env = a->bare ? a->env : look_environment(a->env);
	int listener = -1, in = input_of(a, p), r;
	sigset_t none;

	if (!end_with(parent, SIGKILL))
		_exit(125);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(a->cwd) < 0)
		r = aisbx_fail(&e, AISBX_AREA_RUN, errno, "change to '%.200s'", a->cwd);
	else if (!env || dup2(in, STDIN_FILENO) < 0 || dup2(p->out[1], STDOUT_FILENO) < 0 ||
		 dup2(p->err[1], STDERR_FILENO) < 0)
		r = aisbx_fail(&e, AISBX_AREA_RUN, env ? errno : ENOMEM, "start '%.200s'", a->argv[0]);
	else
		r = a->bare ? 0 : look_enter(a->env, a->scratch, hears(a) ? &listener : NULL, &e);
	send_start(p->control[1], &e, listener);
	if (r < 0 || (hears(a) && !is_socket_refused()))
		_exit(125);
	execvpe(a->argv[0], a->argv, (char *const *)env);
	r = errno;
	dprintf(STDERR_FILENO, "aisbx: run '%.200s': %s\n", a->argv[0], strerror(r));
	_exit(r == ENOENT ? 127 : 126);
}

static void pass_on(struct attempt *a, int which, const char *data, size_t n)
{
	int r = a->unwritten ? 0 : io_write_all(a->how->out_fds[which], data, n);

	if (r < 0 && r != -EPIPE) /* who reads may leave */
		a->unwritten = -r;
}

/* From here on its output goes where it belongs, and it cannot be run again. */
static void show(struct attempt *a)
{
	if (a->shown || a->how->out_fds[0] < 0)
		return;
	a->shown = true;
	for (int i = 0; i < 2; i++) {
		pass_on(a, i, a->outcome->out[i].data, a->outcome->out[i].len);
		a->outcome->out[i].len = 0;
	}
}

static void take_output(struct attempt *a, int which, const char *data, size_t n)
{
	struct look_outcome *o = a->outcome;
	size_t room = LOOK_KEPT_BYTES - o->out[which].len;

	a->written += n;
	if (a->shown) {
		pass_on(a, which, data, n);
		return;
	}
	buf_add(&o->out[which], data, n < room ? n : room);
	o->cut[which] += n < room ? 0 : n - room;
	if (!a->held_ms)
		a->held_ms = time_ms();
	if (o->out[0].len + o->out[1].len > LOOK_HELD_BYTES)
		show(a);
	if (!a->shown && a->how->out_fds[0] < 0 && a->written > LOOK_WRITTEN_BYTES)
		kill(a->pid, SIGXFSZ); /* it would be in memory, all of it */
}

/* False: there is nothing more, now or ever. */
static bool read_output(struct attempt *a, int which)
{
	char chunk[65536];
	ssize_t n = read(a->watch[OUT + which].fd, chunk, sizeof(chunk));

	if (n > 0)
		take_output(a, which, chunk, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(&a->watch[OUT + which].fd);
	return n > 0;
}

/* Either there is room for more, and we wait for something to come, or we wait for room. */
static void watch_input(struct attempt *a, bool has_room)
{
	a->watch[INPUT].fd = has_room ? a->input : -1;
	a->watch[FEED].fd = has_room ? -1 : a->feed;
}

/*
 * A pipe cannot be read twice: what is taken from it is remembered as long as the command may be run again.
 * Waits for who reads only in poll: the reader may itself be waiting for an answer of ours.
 */
static void pass_input(struct attempt *a)
{
	char chunk[PIPE_BUF];
	ssize_t n = read(a->input, chunk, sizeof(chunk));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0) {
		if (!a->shown)
			buf_add(&a->outcome->input, chunk, (size_t)n);
		io_write_all(a->feed, chunk, (size_t)n); /* there is room for as much */
		if (a->outcome->input.len > LOOK_INPUT_BYTES)
			show(a);
		watch_input(a, false);
	} else {
		watch_input(a, false);
		a->watch[FEED].fd = -1;
		close_fd(&a->feed);
	}
}

static void end_all(const struct attempt *a)
{
	char path[64], pids[4096];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)syscall(SYS_gettid));
	for (;;) { /* who is orphaned by this is ours next time */
		scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, pids, sizeof(pids) - 1);
		char *at = pids, *end;

		pids[n > 0 ? n : 0] = '\0';
		for (long pid; (pid = strtol(at, &end, 10)) > 0 && end != at; at = end)
			kill((pid_t)pid, SIGKILL);
		if (n < 0)
			kill(a->pid, SIGKILL);
		if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
			return;
	}
}

static void answer(const struct attempt *a, const struct seccomp_notif *n, const struct look_notice *said)
{
	struct seccomp_notif_resp resp = { .id = n->id };

	if (said->act == NOTICE_GO_ON)
		resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		resp.error = -said->error;
	ioctl(a->watch[LISTENER].fd, SECCOMP_IOCTL_NOTIF_SEND, &resp); /* who asked may be gone */
}

/* A command that may change a directory: what the filter refused, if it is about that. */
static void hear_scratch(struct attempt *a)
{
	struct seccomp_notif n = { 0 };
	struct seccomp_notif_resp resp = { 0 };
	struct scratch_call call;

	if (ioctl(a->watch[LISTENER].fd, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return;
	scratch_read(&n, &call);
	resp.id = n.id;
	/* What was read is of who asked only if that one still waits. */
	if (ioctl(a->watch[LISTENER].fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n.id) == 0) {
		if (call.act == SCRATCH_GO_ON)
			resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		else
			resp.error = call.act == SCRATCH_NO ? -call.error
							    : scratch_do(&call, a->how->scratch, a->scratch);
		ioctl(a->watch[LISTENER].fd, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	}
	free(call.path);
}

/* True: the command needs a box. */
static bool hear(struct attempt *a)
{
	struct seccomp_notif n = { 0 };
	struct look_notice said;

	if (ioctl(a->watch[LISTENER].fd, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return false;
	look_notice_read(&n, a->home, &said);
	if (ioctl(a->watch[LISTENER].fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n.id) < 0)
		return false; /* it was somebody else's memory, maybe */
	if (!a->measured) {
		a->measured = n.data.nr == SYS_socket;
		said = (struct look_notice){ .act = NOTICE_SAY_NO, .error = EPERM };
	}
	if (said.matters || said.act == NOTICE_END) {
		a->matters = true;
		if (!a->outcome->what[0])
			memcpy(a->outcome->what, said.what, sizeof(said.what));
	}
	if (said.act == NOTICE_END && !a->shown) {
		memcpy(a->outcome->what, said.what, sizeof(said.what));
		return true;
	}
	answer(a, &n, &said);
	return false;
}

/* What a program says when it was refused something that nobody hears of, above all a secret. */
static bool says_refused(const struct buf *b)
{
	static const char *const words[] = { "ermission denied", "not permitted", "Read-only file system",
					     "EACCES", "EPERM" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (b->len && memmem(b->data, b->len, words[i], strlen(words[i])))
			return true;
	return false;
}

static int wait_ms(const struct attempt *a)
{
	uint64_t now = time_ms(), until = a->until_ms;

	if (!a->shown && a->held_ms && a->how->out_fds[0] >= 0 &&
	    (!until || a->held_ms + LOOK_HELD_MS < until))
		until = a->held_ms + LOOK_HELD_MS;
	if (!until)
		return -1;
	return until <= now ? 0 : until - now < INT_MAX ? (int)(until - now) : INT_MAX;
}

/* What came from one of those that are watched. True: it is over. */
static bool take_turn(struct attempt *a)
{
	for (int i = 0; i < 2; i++)
		if (a->watch[OUT + i].revents)
			read_output(a, i);
	if (a->watch[FEED].revents & POLLERR) { /* nobody reads it any more */
		watch_input(a, false);
		a->watch[FEED].fd = -1;
	} else if (a->watch[FEED].revents) {
		watch_input(a, true);
	} else if (a->watch[INPUT].revents) {
		pass_input(a);
	}
	if (a->watch[LISTENER].revents & POLLIN && a->how->scratch) {
		hear_scratch(a);
	} else if (a->watch[LISTENER].revents & POLLIN && hear(a)) {
		a->outcome->refused = true;
		return true;
	}
	if (a->watch[LISTENER].revents & POLLHUP)
		close_fd(&a->watch[LISTENER].fd);
	return a->watch[CHILD].revents;
}

/* Until the command ended, needs a box, or has no more time. */
static void attend(struct attempt *a)
{
	for (;;) {
		int r = poll(a->watch, WATCHES, wait_ms(a));

		if ((r < 0 && errno != EINTR) || (r > 0 && take_turn(a)))
			return;
		if (a->held_ms && time_ms() >= a->held_ms + LOOK_HELD_MS)
			show(a);
		if (a->until_ms && time_ms() >= a->until_ms) {
			a->outcome->timed_out = true;
			kill(a->pid, SIGKILL);
			return;
		}
	}
}

/* It failed, as it seems for something that only looking does not allow, and nobody saw it yet. */
static bool was_refused(const struct attempt *a)
{
	const struct look_outcome *o = a->outcome;

	return a->how->watched && !o->refused && !a->shown && !o->timed_out && o->wait_status != 0 &&
	       (a->matters || says_refused(&o->out[1]));
}

static void conclude(struct attempt *a)
{
	struct look_outcome *o = a->outcome;

	if (!o->refused)
		while (waitpid(a->pid, &o->wait_status, 0) < 0 && errno == EINTR)
			;
	end_all(a);
	for (int i = 0; i < 2; i++)
		while (a->watch[OUT + i].fd >= 0 && read_output(a, i))
			;
	if (was_refused(a)) {
		o->refused = true;
		if (!o->what[0])
			snprintf(o->what, sizeof(o->what), "something that is not read-only");
	}
	if (!o->refused)
		show(a);
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static bool open_pipes(struct pipes *p, bool relay)
{
	return pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->err, O_CLOEXEC) == 0 &&
	       (!relay || pipe2(p->in, O_CLOEXEC) == 0) &&
	       socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, p->control) == 0;
}

static int start(struct attempt *a, struct pipes *p, struct aisbx_error *e)
{
	struct aisbx_error said = AISBX_ERROR_INIT;
	bool relay = a->how->watched && is_pipe(a->how->stdin_fd);
	const pid_t parent = getpid();
	int r;

	if (!open_pipes(p, relay))
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start '%.200s'", a->how->argv[0]);
	fflush(NULL);
	a->pid = fork();
	if (a->pid < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start '%.200s'", a->how->argv[0]);
	if (a->pid == 0)
		become(a->how, p, parent);
	close_fd(&p->control[1]);
	r = receive_start(p->control[0], &said, &a->watch[LISTENER].fd);
	if (r == 0 && said.code)
		*e = said;
	if (r < 0 || said.code || (hears(a->how) && a->watch[LISTENER].fd < 0)) {
		end_all(a);
		return said.code ? said.code
				 : aisbx_fail(e, AISBX_AREA_RUN, r < 0 ? -r : EPROTO, "start '%.200s'",
					      a->how->argv[0]);
	}
	a->watch[OUT].fd = take_fd(&p->out[0]);
	a->watch[ERR].fd = take_fd(&p->err[0]);
	fcntl(a->watch[OUT].fd, F_SETFL, O_NONBLOCK);
	fcntl(a->watch[ERR].fd, F_SETFL, O_NONBLOCK);
	a->watch[CHILD].fd = sys_pidfd_open(a->pid);
	if (relay) {
		a->input = a->how->stdin_fd;
		a->feed = take_fd(&p->in[1]);
		watch_input(a, false);
	}
	return 0;
}

int look_attempt_run(const struct look_attempt *how, struct look_outcome *ret, struct aisbx_error *e)
{
	struct attempt a = { .how = how,
			     .outcome = ret,
			     .scratch = -1,
			     .input = -1,
			     .feed = -1,
			     .home = env_dir(how->env, "HOME") };
	struct pipes p = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old[3];
	static const int signals[3] = { SIGINT, SIGQUIT, SIGPIPE };
	int r;

	*ret = (struct look_outcome){ 0 };
	for (int i = 0; i < WATCHES; i++)
		a.watch[i] = (struct pollfd){ .fd = -1, .events = i == FEED ? POLLOUT : POLLIN };
	a.until_ms = how->timeout_ms ? time_ms() + how->timeout_ms : 0;
	if (how->scratch && (a.scratch = open(how->scratch, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open '%.200s'", how->scratch);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	r = start(&a, &p, e);
	close_pipes(&p);
	if (r == 0) {
		for (int i = 0; i < 3;
		     i++) /* a key at the terminal is for the command; a reader who left is its matter too */
			sigaction(signals[i], &ignore, &old[i]);
		attend(&a);
		conclude(&a);
		for (int i = 0; i < 3; i++)
			sigaction(signals[i], &old[i], NULL);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	a.watch[INPUT].fd = a.watch[FEED].fd = -1; /* the caller's, and closed by its other name */
	close_fd(&a.feed);
	close_fd(&a.scratch);
	for (int i = 0; i < WATCHES; i++)
		close_fd(&a.watch[i].fd);
	if (r == 0 && (ret->out[0].failed || ret->out[1].failed || ret->input.failed))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "store the output of '%.200s'", how->argv[0]);
	else if (r == 0 && a.unwritten)
		r = aisbx_fail(e, AISBX_AREA_RUN, a.unwritten,
			       "write the output of '%.200s'; the rest of it is lost", how->argv[0]);
	if (r < 0)
		look_outcome_finish(ret);
	return r;
}
