/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One poll loop over the pipes of the members, their ends and the parent's signals. A message is its length
 * and its bytes. As server/call.c does for one call of a protocol, but for a parent that waits for all of
 * them.
 */
#include "flow/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/end_with.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"

/*
 * A command that is cancelled may put a little in order: the first signal goes to it, the second ends its
 * box.
 */
#define AGAIN_MS 200
/* Then it is clearing up, which is better than what a killed one leaves behind. */
#define LAST_MS 2000
#define CHUNK   65536

struct worker {
	pid_t pid;        /* 0: none, or waited for */
	int pipe, exited; /* owned; -1: none, or ended */
	int status;
	struct buf heard;
	unsigned int cancelled; /* how often it was told to go */
	uint64_t next_ms;       /* when it is told again */
	bool started, told;
};

/* ---- in the child ---- */

static void write_all(int fd, const char *at, size_t len)
{
	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno != EINTR)
			_exit(1); /* the parent is gone */
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
}

void worker_say(struct worker_link *up, const void *data, size_t len)
{
	const uint32_t head = (uint32_t)len;

	write_all(up->fd, (const char *)&head, sizeof(head));
	write_all(up->fd, data, len);
}

static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

static void be_member(const struct workers *c, size_t i, worker_fn *work, void *work_ctx, int fd,
		      pid_t parent)
{
	struct worker_link up = { fd };
	sigset_t mask = c->old_mask;

	/*
	 * With the parent its workers end, however it ends; and a key pressed at its terminal is not meant
	 * for them.
	 */
	if (!end_with(parent, SIGKILL))
		_exit(1);
	setpgid(0, 0);
	for (size_t k = 0; k < c->n; k++)
		if (c->members[k].started) {
			drop_fd(&c->members[k].pipe);
			drop_fd(&c->members[k].exited);
		}
	close(c->signals);
	/* By these it is told to end, whatever our caller does with them. */
	for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++) {
		signal(ends[k], SIG_DFL);
		sigdelset(&mask, ends[k]);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	work(work_ctx, i, &up);
	_exit(0);
}

/* ---- in the parent ---- */

int workers_init(struct workers *c, size_t n, const struct worker_events *events, void *ctx,
		 struct aisbx_error *e)
{
	sigset_t mask;

	*c = (struct workers){ .n = n, .events = *events, .ctx = ctx, .signals = -1 };
	c->members = calloc(n, sizeof(*c->members));
	if (!c->members)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "allocate memory for %zu processes", n);
	for (size_t i = 0; i < n; i++)
		c->members[i].pipe = c->members[i].exited = -1;
	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaddset(&mask, ends[i]);
	c->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->signals < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "watch for signals");
	sigprocmask(SIG_BLOCK, &mask, &c->old_mask);
	return 0;
}

bool workers_is_live(const struct workers *c, size_t i)
{
	return c->members[i].started && !c->members[i].told;
}

int workers_start(struct workers *c, size_t i, worker_fn *work, void *work_ctx, struct aisbx_error *e)
{
	struct worker *m = &c->members[i];
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make a pipe for process %zu of %zu", i + 1,
				  c->n);
	m->pid = fork();
	if (m->pid == 0) {
		close(fds[0]);
		be_member(c, i, work, work_ctx, fds[1], parent);
	}
	close(fds[1]);
	if (m->pid < 0) {
		m->pid = 0;
		close(fds[0]);
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "start process %zu of %zu", i + 1, c->n);
	}
	m->started = true;
	m->pipe = fds[0];
	fcntl(m->pipe, F_SETFL, O_NONBLOCK);
	c->live++;
	m->exited = (int)syscall(SYS_pidfd_open, m->pid, 0);
	return m->exited < 0 ? aisbx_fail(e, AISBX_AREA_SYS, errno, "watch process %zu of %zu", i + 1, c->n)
			     : 0;
}

void workers_cancel(struct workers *c, size_t i)
{
	struct worker *m = &c->members[i];

	if (!m->pid || m->cancelled)
		return;
	kill(m->pid, SIGTERM);
	m->cancelled = 1;
	m->next_ms = time_ms() + AGAIN_MS;
}

void workers_end(struct workers *c, size_t i)
{
	struct worker *m = &c->members[i];

	if (!m->pid || m->cancelled >= 2)
		return;
	kill(m->pid, SIGTERM);
	kill(m->pid, SIGINT); /* another: two of a kind may arrive as one */
	m->cancelled = 2;
	m->next_ms = time_ms() + LAST_MS;
}

/* Those who were told to go and are still there. */
static void press(struct workers *c)
{
	const uint64_t now = time_ms();

	for (size_t i = 0; i < c->n; i++) {
		struct worker *m = &c->members[i];

		if (!m->pid || !m->cancelled || m->next_ms > now)
			continue;
		kill(m->pid, m->cancelled++ < 2 ? SIGTERM : SIGKILL);
		m->next_ms = now + LAST_MS;
	}
}

static void hear(struct workers *c, size_t i)
{
	struct worker *m = &c->members[i];
	char room[CHUNK];
	ssize_t n = read(m->pipe, room, sizeof(room));
	uint32_t len;
	size_t at = 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_fd(&m->pipe);
		return;
	}
	buf_add(&m->heard, room, (size_t)n);
	while (!m->heard.failed && m->heard.len - at >= sizeof(len)) {
		memcpy(&len, m->heard.data + at, sizeof(len));
		if (m->heard.len - at - sizeof(len) < len)
			break;
		c->events.said(c->ctx, i, m->heard.data + at + sizeof(len), len);
		at += sizeof(len) + len;
	}
	if (at) {
		memmove(m->heard.data, m->heard.data + at, m->heard.len - at);
		m->heard.len -= at;
	}
}

/*
 * A descriptor that a grandchild still has must not keep us: what was written before the end is read, then
 * it is the end.
 */
static void see_end(struct workers *c, size_t i)
{
	struct worker *m = &c->members[i];

	if (!m->pid || waitpid(m->pid, &m->status, WNOHANG) != m->pid)
		return;
	m->pid = 0;
	close_fd(&m->exited);
	for (size_t before = SIZE_MAX; m->pipe >= 0 && before != m->heard.len;) {
		before = m->heard.len;
		hear(c, i);
	}
	close_fd(&m->pipe);
	m->told = true;
	c->live--;
	c->events.ended(c->ctx, i, m->status);
}

static void see_signal(struct workers *c)
{
	struct signalfd_siginfo info;

	while (read(c->signals, &info, sizeof(info)) == sizeof(info))
		if (!c->interrupted)
			c->interrupted = (int)info.ssi_signo;
}

static int patience(const struct workers *c, uint64_t timeout_ms)
{
	const uint64_t now = time_ms();
	uint64_t until = now + timeout_ms;

	for (size_t i = 0; i < c->n; i++) {
		const struct worker *m = &c->members[i];

		if (m->pid && m->cancelled && m->next_ms < until)
			until = m->next_ms;
	}
	return until <= now ? 0 : until - now > 60000 ? 60000 : (int)(until - now);
}

int workers_wait(struct workers *c, uint64_t timeout_ms, struct aisbx_error *e)
{
	scoped(drop_mem) struct pollfd *fds = calloc(2 * c->n + 1, sizeof(*fds));

	if (!fds)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "wait for %zu processes", c->live);
	for (size_t i = 0; i < c->n; i++) { /* below 0: poll leaves it out */
		fds[2 * i] = (struct pollfd){ .fd = c->members[i].pipe, .events = POLLIN };
		fds[2 * i + 1] = (struct pollfd){ .fd = c->members[i].exited, .events = POLLIN };
	}
	fds[2 * c->n] = (struct pollfd){ .fd = c->signals, .events = POLLIN };
	if (poll(fds, 2 * c->n + 1, patience(c, timeout_ms)) < 0 && errno != EINTR)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "wait for %zu processes", c->live);
	if (fds[2 * c->n].revents)
		see_signal(c);
	for (size_t i = 0; i < c->n; i++) {
		if (fds[2 * i].revents && c->members[i].pipe >= 0)
			hear(c, i);
		if (fds[2 * i + 1].revents)
			see_end(c, i);
	}
	press(c);
	return 0;
}

void workers_finish(struct workers *c)
{
	for (size_t i = 0; c->members && i < c->n; i++) {
		struct worker *m = &c->members[i];

		if (m->pid) {
			kill(m->pid, SIGKILL);
			waitpid(m->pid, NULL, 0);
		}
		close_fd(&m->pipe);
		close_fd(&m->exited);
		buf_finish(&m->heard);
	}
	free(c->members);
	c->members = NULL;
	if (c->signals >= 0) {
		see_signal(c); /* those that came are not delivered as well */
		close_fd(&c->signals);
		sigprocmask(SIG_SETMASK, &c->old_mask, NULL);
	}
}
