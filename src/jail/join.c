/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that joins a live box. Its keeper is a child of pid 1, so it is behind the same walls, and
 * verifies them again; it cannot build anything differently.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/keep.h"
#include "sys/fault.h"
#include "sys/sys.h"

/* All that lose their parent come to us: so nobody leaves the family. A session of its own, for
 * its terminal. */
static int adopt(struct jail *j, struct aisbx_error *e)
{
	int r = sys_prctl(PR_SET_CHILD_SUBREAPER, 1, 0);

	(void)j;
	setsid();
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "become the parent process of a command") : 0;
}

/* What others in the box made of that place is not followed; a file that is there already stays. */
static int put_secrets(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int dir = -1;
	struct statfs fs;
	/* the user of an image reads them; nobody else is in there (driver/clone.c) */
	const mode_t mode = j->plan->head->user.set ? 0755 : 0700;
	int r = j->plan->head->n_ops ? sys_mkdir(AT_FDCWD, JAIL_PLAN_SECRETS, mode) : 0;

	if (!j->plan->head->n_ops)
		return 0;
	if (r == 0 || r == -EEXIST)
		r = dir = sys_open(AT_FDCWD, JAIL_PLAN_SECRETS, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	/* Where an image has a link at /run, a box can put something else in its place, which may be kept. */
	if (r >= 0 && (fstatfs(dir, &fs) < 0 || fs.f_type != TMPFS_MAGIC))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_JAIL, EPERM,
				    "'%s' is not the box's own any more, so no secret is put there",
				    JAIL_PLAN_SECRETS);
	for (uint32_t i = 0; r >= 0 && i < j->plan->head->n_ops; i++) {
		const struct jail_plan_op *op = &j->plan->ops[i];
		scoped(drop_fd) int fd = -1;

		r = fd = sys_open(dir, jail_plan_string(j->plan, op->dst) + sizeof(JAIL_PLAN_SECRETS),
				  O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, op->mode);
		r = r == -EEXIST ? 0
		    : r < 0      ? r
				 : sys_write_all(fd, j->plan->strings + op->data, op->data_len);
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "put a secret into '%s'", JAIL_PLAN_SECRETS) : 0;
}

static const struct jail_step steps[] = {
	{ "plan", jail_receive_joined },     { "keeper", adopt },
	{ "secrets", put_secrets },          { "terminal", jail_terminal },
	{ "descriptors", jail_descriptors }, { "measure", jail_measure },
};

/* Nothing of the family may outlive us. If it does, our own unnatural end makes pid 1 end the box. */
static _Noreturn void leave(struct keep *k, bool tell)
{
	if (!keep_end_family(k)) {
		kill(getpid(), SIGKILL);
		__builtin_trap();
	}
	if (tell)
		keep_say_end(k, 0);
	_exit(0);
}

static void obey(struct keep *k)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(k->j->control, &m, sizeof(m), fds, 0);

	if (n <= 0)
		leave(k, false); /* whom it belongs to is gone */
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	if (n != sizeof(m))
		return;
	if (m.word == JAIL_END)
		leave(k, true);
	if (m.value <= 0 || m.value >= NSIG)
		return;
	if (m.word == JAIL_SIGNAL)
		keep_signal(k, m.value);
	else if (m.word == JAIL_SIGNAL_ALL)
		keep_signal_family(k, m.value);
}

static _Noreturn void keep_command(struct jail *j)
{
	static struct keep k;
	struct pollfd polls[2] = { { .fd = j->control, .events = POLLIN }, { .events = POLLIN } };
	struct jail_message go;

	keep_report(&k, j);
	go = keep_wait(&k);
	keep_go(&k, &go);
	polls[1].fd = k.signals;
	for (;;) {
		long long left = k.deadline ? k.deadline - keep_now_ms() : -1;
		struct signalfd_siginfo info;

		if (k.deadline && left <= 0)
			leave(&k, true);
		if (poll(polls, 2, (int)left) < 0) {
			if (errno != EINTR)
				leave(&k, false); /* who cannot wait cannot keep a deadline either */
			continue;
		}
		if (polls[0].revents)
			obey(&k);
		while (read(polls[1].fd, &info, sizeof(info)) > 0)
			;
		keep_reap(&k);
		if (!k.command)
			leave(&k, true);
	}
}

static _Noreturn void become_keeper(struct jail *j, int fds[])
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	fault_program("keeper");
	close(j->control);
	jail_close_guards(
		j); /* before the first command goes pid 1 has them still, and they are not ours to report */
	j->control = fds[JAIL_JOIN_CONTROL];
	j->plan_fd = fds[JAIL_JOIN_PLAN];
	close_fd(&j->tty_slave);
	for (int i = 0; i < 3; i++)
		if (dup2(fds[JAIL_JOIN_STDIN + i], i) < 0) {
			aisbx_fail(&e, AISBX_AREA_JAIL, errno, "use descriptor %d", i);
			jail_die(j, "descriptors", &e);
		}
	/* Landlock can be measured only by who may mount, and cannot be taken off: what pid 1
	 * has, we have. */
	j->measured &= WALL_BIT(LANDLOCK);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i].run(j, &e) < 0)
			jail_die(j, steps[i].name, &e);
	keep_command(j);
}

/* Pid 1 has no 0-2 of its own: what came may lie there, in the way of where it belongs. */
static int lift(int fds[])
{
	for (int i = 0; i < JAIL_JOIN_FDS; i++) {
		int high;

		if (fds[i] < 0)
			return -EBADMSG;
		if (fds[i] > STDERR_FILENO)
			continue;
		high = fcntl(fds[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (high < 0)
			return -errno;
		close(fds[i]);
		fds[i] = high;
	}
	return 0;
}

void join_start(struct keep *k, const struct jail_message *m, int fds[])
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct jail_message answer = { .word = JAIL_FAILED, .step = "join" };
	int r = lift(fds);
	pid_t pid = -1;

	if (r == -EBADMSG || k->empty)
		return; /* not even somebody to tell; or the box is about to end, which the end of the
			   connection says */
	if (r == 0 && k->n_keepers == JAIL_MAX_JOINED)
		r = -EUSERS;
	if (r == 0 && box_is_frozen())
		r = -EBUSY;
	if (r == 0 && k->j->guest) /* we are outside of the box, and so would it be */
		r = -EOPNOTSUPP;
	if (r == 0)
		pid = sys_fork(KEEPER_SIGNAL);
	if (pid == 0)
		become_keeper(k->j, fds);
	if (pid < 0) {
		aisbx_fail(&e, AISBX_AREA_JAIL, r < 0 ? -r : -pid, "start another command in the box");
		if (pid == -EAGAIN)
			aisbx_hint(&e, "the box has reached its limit of processes");
		answer.error = e;
		sys_send(fds[JAIL_JOIN_CONTROL], &answer, sizeof(answer), NULL, 0);
		return;
	}
	k->keepers[k->n_keepers] = pid;
	k->service[k->n_keepers] = m->value != JAIL_JOIN_COMMAND;
	k->n_services += m->value != JAIL_JOIN_COMMAND;
	k->watcher[k->n_keepers] = m->value == JAIL_JOIN_WATCHER;
	k->n_watchers += m->value == JAIL_JOIN_WATCHER;
	k->overdue[k->n_keepers++] = m->timeout_ms && m->timeout_ms < INT32_MAX
					     ? keep_now_ms() + (long long)m->timeout_ms + JOIN_OVERDUE_MS
					     : 0;
}
