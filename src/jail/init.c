/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pid 1 of the box, behind the same walls as the command: starts it, reaps everybody, passes signals
 * on, and ends the box when the command ends, the deadline passes or the supervisor is gone.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/wire.h"
#include "sys/fault.h"
#include "sys/sys.h"

/* The supervisor ends the box at the deadline; this is for when it cannot. */
#define DEADLINE_GRACE_MS 500

static char **strings_of(const struct plan *p, const uint32_t *at, uint32_t n)
{
	char **list = calloc((size_t)n + 1, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++)
		list[i] = (char *)plan_string(p, at[i]);
	return list;
}

/* Runs on the parent's memory, which waits until exec: writes nothing but the answer. */
static int become_command(const struct jail *j, char **argv, char **env)
{
	sigset_t none;

	setpgid(0, 0);
	if (j->tty_slave >= 0) {
		tcsetpgrp(j->tty_slave, getpid());
		for (int fd = 0; fd < 3; fd++)
			dup2(j->tty_slave, fd);
	}
	if (chdir(plan_string(j->plan, j->plan->head->cwd)) < 0)
		return -errno; /* negative: it was the directory, not the program */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	environ = env; /* where execvp finds PATH */
	execvp(argv[0], argv);
	return errno;
}

static pid_t start_command(const struct jail *j)
{
	char **argv = strings_of(j->plan, j->plan->args, j->plan->head->n_args);
	char **env = strings_of(j->plan, j->plan->env, j->plan->head->n_env);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct jail_message m = { .word = JAIL_EXEC_FAILED };
	volatile int failed = 0;
	pid_t pid = -1;

	if (!argv || !env)
		errno = ENOMEM;
	else
		pid = vfork();
	if (pid == 0) {
		failed = become_command(j, argv, env);
		_exit(127);
	}
	if (pid < 0) {
		aisbx_fail(&e, AISBX_AREA_JAIL, errno, "start the command");
		jail_die(j, "exec", &e);
	}
	if (failed) {
		m.value = failed;
		sys_send(j->control, &m, sizeof(m), NULL, 0);
		_exit(0);
	}
	return pid; /* argv and env stay: the command set environ in this very memory, and getenv looks there */
}

static void say_ready(const struct jail *j)
{
	struct jail_message m = { .word = JAIL_READY, .walls = j->measured, .caps = j->caps };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const int have[] = { j->notify, j->tty_master };
	int fds[2 + PLAN_MAX_WATCHED], r;
	size_t n = 0;

	for (int i = 0; i < 2; i++)
		if (have[i] >= 0) {
			m.fds |= 1u << i;
			fds[n++] = have[i];
		}
	m.decoys = j->n_decoys;
	memcpy(fds + n, j->decoys, j->n_decoys * sizeof(*fds));
	n += j->n_decoys;
	r = sys_send(j->control, &m, sizeof(m), fds, n);
	if (r < 0) {
		aisbx_fail(&e, AISBX_AREA_JAIL, -r, "report to the supervisor");
		jail_die(j, "report", &e);
	}
}

/* The supervisor has its guards up, and has seen the walls, before a first instruction of the command. */
static void wait_for_go(const struct jail *j)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(j->control, &m, sizeof(m), fds, 0);

	if (n < 0) {
		aisbx_fail(&e, AISBX_AREA_JAIL, (int)-n, "hear from the supervisor");
		jail_die(j, "go", &e);
	}
	if (n != sizeof(m) || m.word != JAIL_GO)
		_exit(125); /* the supervisor is gone */
}

static _Noreturn void command_ended(const struct jail *j, int status)
{
	struct jail_message m = { .word = JAIL_EXITED, .value = status };
	struct statfs sf;

	if (statfs("/tmp", &sf) == 0) /* part of the stage, so its numbers are the stage's */
		m.disk = (uint64_t)(sf.f_blocks - sf.f_bfree) * (uint64_t)sf.f_bsize;
	sys_send(j->control, &m, sizeof(m), NULL, 0);
	_exit(0); /* the kernel kills whoever is left */
}

static void reap(const struct jail *j, pid_t command)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (WIFSTOPPED(status)) {
			struct jail_message m = { .word = JAIL_STOPPED };

			if (pid == command && j->tty_slave >= 0)
				sys_send(j->control, &m, sizeof(m), NULL, 0);
		} else if (pid == command) {
			command_ended(j, status);
		}
	}
}

static void obey(const struct jail *j, pid_t command)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(j->control, &m, sizeof(m), fds, 0);

	if (n <= 0)
		_exit(125); /* the supervisor is gone */
	for (int i = 0; i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	if (n != sizeof(m) || m.value <= 0 || m.value >= NSIG)
		return;
	if (m.word == JAIL_SIGNAL)
		kill(-command, m.value);
	else if (m.word == JAIL_SIGNAL_ALL)
		kill(-1, m.value);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

_Noreturn void jail_init(struct jail *j)
{
	uint64_t timeout = j->plan->head->timeout_ms;
	long long deadline = timeout && timeout < INT32_MAX ? now_ms() + (long long)timeout + DEADLINE_GRACE_MS : 0;
	struct pollfd polls[2] = { { .fd = j->control, .events = POLLIN }, { .events = POLLIN } };
	sigset_t child;
	pid_t command;

	/* Nobody inside may look into pid 1: not its memory, not /proc/1/exe (CVE-2019-5736). */
	prctl(PR_SET_DUMPABLE, 0);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	polls[1].fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	say_ready(j);
	wait_for_go(j);
	close_fd(&j->notify);
	for (unsigned int i = 0; i < j->n_decoys; i++)
		close_fd(&j->decoys[i]);
	close_fd(&j->tty_master);
	command = start_command(j);
	/* 0-2 are the command's now; holding them would keep its readers waiting after it is gone. */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	for (;;) {
		long long left = deadline ? deadline - now_ms() : -1;
		struct signalfd_siginfo info;

		if (deadline && left <= 0)
			_exit(124);
		if (poll(polls, 2, (int)left) < 0)
			continue;
		if (polls[0].revents)
			obey(j, command);
		while (read(polls[1].fd, &info, sizeof(info)) > 0)
			;
		reap(j, command);
	}
}
