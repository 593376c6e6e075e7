/* SPDX-License-Identifier: Apache-2.0 */
/* The life of one command and of its family, inside the box. */
#include "jail/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/family.h"
#include "sys/sys.h"

/* A family that is not gone by then never will be: somebody works against us. */
#define END_MS 5000
/* First stop, then kill: what is stopped makes no more children, and takes room from those that would. */
#define STOP_MS 1000

static char **strings_of(const struct jail_plan *p, const uint32_t *at, uint32_t n)
{
	char **list = calloc((size_t)n + 1, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++)
		list[i] = (char *)jail_plan_string(p, at[i]);
	return list;
}

/* Added to the errno of a second filter that the kernel does not take, and of an id that cannot be had. */
#define FILTER_FAILED 65536
#define USER_FAILED   131072

/* execvp() without what some C libraries add: a file that is no program is not given to a shell. */
static int exec_by_path(char **argv, char **env)
{
	const char *rest = NULL;
	char path[PATH_MAX];
	int failed = ENOENT;

	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, env);
		return errno;
	}
	for (char **v = env; *v && !rest; v++)
		rest = !strncmp(*v, "PATH=", 5) ? *v + 5 : NULL;
	for (rest = rest ? rest : "/usr/local/bin:/bin:/usr/bin"; rest;
	     rest = strchr(rest, ':') ? strchr(rest, ':') + 1 : NULL) {
		int n = (int)strcspn(rest, ":");

		if (!argv[0][0] || snprintf(path, sizeof(path), "%.*s%s%s", n, rest, n ? "/" : "", argv[0]) >=
					   (int)sizeof(path))
			continue;
		execve(path, argv, env);
		if (errno == EACCES)
			failed = EACCES;
		else if (errno != ENOENT && errno != ENOTDIR)
			return errno;
	}
	return failed;
}

/* For good: without capabilities, and behind no-new-privs, there is no way back. */
static int become_user(const struct jail_plan_user *u)
{
	int r;

	if (!u->set)
		return 0;
	r = sys_setgroups(u->groups, u->n_groups);
	return r < 0 ? r : sys_setids(u->uid, u->gid);
}

/* Runs on the parent's memory, which waits until exec: writes nothing but the answer. */
static int become_command(const struct jail *j, char **argv, char **env)
{
	const char *cwd = jail_plan_string(j->plan, j->plan->head->cwd);
	sigset_t none;
	int r, there;

	setpgid(0, 0);
	if (j->tty_slave >= 0) {
		tcsetpgrp(j->tty_slave, getpid());
		if (j->plan->head->user.set) /* its own, to open again */
			(void)!fchown(j->tty_slave, j->plan->head->user.uid, (gid_t)-1);
		for (int fd = 0; fd < 3; fd++)
			dup2(j->tty_slave, fd);
	}
	there = chdir(cwd) < 0 ? -errno : 0;
	r = become_user(&j->plan->head->user);
	if (r < 0)
		return USER_FAILED - r;
	if (there < 0 && j->plan->head->user.set) /* one that only its user may enter */
		there = chdir(cwd) < 0 ? -errno : 0;
	if (there < 0)
		return there; /* negative: it was the directory, not the program */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	r = jail_seccomp_command(j); /* the last step before the program: it may forbid any other */
	if (r < 0)
		return FILTER_FAILED - r;
	return exec_by_path(argv, env);
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
	if (failed > USER_FAILED) {
		aisbx_fail(&e, AISBX_AREA_JAIL, failed - USER_FAILED, "become user %u of the image",
			   j->plan->head->user.uid);
		jail_die(j, "user", &e);
	}
	if (failed > FILTER_FAILED) {
		aisbx_fail(&e, AISBX_AREA_JAIL, failed - FILTER_FAILED,
			   "load the filter of the profile's seccomp file");
		jail_die(j, "seccomp", &e);
	}
	if (failed) {
		m.value = failed;
		sys_send(j->control, &m, sizeof(m), NULL, 0);
		_exit(0);
	}
	free(argv);
	free(env);
	return pid;
}

/* A runtime that waits with the command: it is told to go on, and is the command to us. */
static pid_t release_guest(const struct jail *j)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = jail_release_guest(j);

	if (r < 0) {
		aisbx_fail(&e, AISBX_AREA_JAIL, -r, "start the command");
		jail_die(j, "exec", &e);
	}
	return j->guest;
}

/* Where the staging tmpfs can be seen: a box has it as its /tmp, who stays outside of it at its place. */
static const char *staging_of(const struct jail *j)
{
	return j->guest ? JAIL_RUNTIME_AT : "/tmp";
}

/*
 * What other processes of this user have sent and not yet received counts against our limit of open files,
 * which is the command's by now and may be small: then the kernel refuses (unix(7), ETOOMANYREFS) until they
 * have.
 */
static int send_in_turn(int to, const struct jail_message *m, const int *fds, size_t n)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int r, tries = 5000;

	while ((r = sys_send(to, m, sizeof(*m), fds, n)) == -ETOOMANYREFS && tries-- > 0)
		nanosleep(&pause, NULL);
	return r;
}

static void say_ready(const struct jail *j)
{
	struct jail_message m = { .word = JAIL_READY,
				  .walls = j->measured,
				  .caps = j->caps,
				  .disk = j->own_bytes,
				  .inodes = j->own_inodes };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct rlimit files, size;
	struct timespec spent;
	/* Of a command that joins, its box's supervisor has it. */
	bool first = getpid() == 1, own_ipc = first && j->order.walls & WALL_BIT(IPC);
	scoped(drop_fd) int proc = first ? sys_open(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY, 0) : -1;
	scoped(drop_fd) int staging = first ? sys_open(AT_FDCWD, staging_of(j), O_PATH | O_DIRECTORY, 0) : -1;
	/* Whose segments it lists is settled when it is opened. */
	scoped(drop_fd) int sysv = own_ipc ? sys_open(AT_FDCWD, "/proc/sysvipc/shm", O_RDONLY, 0) : -1;
	const int have[] = { j->notify, j->tty_master, proc, staging, sysv };
	int fds[5 + JAIL_PLAN_MAX_WATCHED], r;
	size_t n = 0;

	if (first && (proc < 0 || staging < 0 ||
		      (own_ipc && sysv < 0 && sysv != -ENOENT))) { /* who watches would see less */
		aisbx_fail(&e, AISBX_AREA_JAIL,
			   proc < 0      ? -proc
			   : staging < 0 ? -staging
					 : -sysv,
			   "open the watched files of the box");
		jail_die(j, "report", &e);
	}
	for (int i = 0; i < 5; i++)
		if (have[i] >= 0) {
			m.fds |= 1u << i;
			fds[n++] = have[i];
		}
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		m.files = files.rlim_max;
		m.files_soft = files.rlim_cur;
	}
	m.file_size =
		getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY ? size.rlim_cur : 0;
	if (j->guest) { /* what its own kernel was told */
		const struct jail_plan_rlimit *l = j->plan->head->rlimits;

		m.files = l[RLIMIT_NOFILE].hard;
		m.files_soft = l[RLIMIT_NOFILE].soft;
		m.file_size = l[RLIMIT_FSIZE].set ? l[RLIMIT_FSIZE].soft : 0;
	}
	if (j->nested && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) == 0)
		m.cpu_us = j->spent_us + (uint64_t)spent.tv_sec * 1000000u + (uint64_t)spent.tv_nsec / 1000u;
	m.decoys = j->n_decoys;
	memcpy(fds + n, j->decoys, j->n_decoys * sizeof(*fds));
	n += j->n_decoys;
	r = send_in_turn(j->control, &m, fds, n);
	if (r < 0) {
		aisbx_fail(&e, AISBX_AREA_JAIL, -r, "send a message to the supervisor");
		jail_die(j, "report", &e);
	}
}

ssize_t keep_hear(const struct keep *k, struct jail_message *m, int fds[])
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	ssize_t n = sys_recv(k->j->control, m, sizeof(*m), fds, 0);

	if (n < 0 && !k->started) {
		aisbx_fail(&e, AISBX_AREA_JAIL, (int)-n, "receive a message from the supervisor");
		jail_die(k->j, "go", &e);
	}
	return n;
}

/* The supervisor has its guards up, and has seen the walls, before a first instruction of the command. */
struct jail_message keep_wait(const struct keep *k)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = keep_hear(k, &m, fds);

	if (n != sizeof(m) || m.word != JAIL_GO)
		_exit(125); /* the supervisor is gone */
	return m;
}

long long keep_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

void keep_report(struct keep *k, struct jail *j)
{
	uint64_t timeout = j->plan->head->timeout_ms;
	sigset_t ends;

	k->j = j;
	k->deadline = timeout && timeout < INT32_MAX ? keep_now_ms() + (long long)timeout + KEEP_GRACE_MS : 0;
	/* Nobody inside may look into us: not our memory, not /proc/1/exe (CVE-2019-5736). */
	prctl(PR_SET_DUMPABLE, 0);
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigaddset(&ends, KEEPER_SIGNAL);
	k->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	say_ready(j);
}

void keep_go(struct keep *k, const struct jail_message *m)
{
	struct jail_message started = { .word = JAIL_STARTED };
	struct jail *j = k->j;
	int r;

	jail_close_guards(j);
	k->command = j->guest ? release_guest(j) : start_command(j);
	k->started = true;
	/* 0-2 are the command's now; holding them would keep its readers waiting after it is gone. */
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	r = m->value ? sys_send(j->control, &started, sizeof(started), NULL, 0) : 0;
	if (r < 0 && r != -EPIPE &&
	    r != -ECONNRESET) /* who asked would wait for ever: so the box ends, see reap_keepers */
		kill(getpid(), SIGKILL);
}

void jail_close_guards(struct jail *j)
{
	close_fd(&j->notify);
	for (unsigned int i = 0; i < j->n_decoys; i++)
		close_fd(&j->decoys[i]);
	j->n_decoys = 0;
	close_fd(&j->tty_master);
}

/*
 * Nobody counts what the limit on processes refuses, but what it would refuse now it did refuse. Whoever was
 * refused and has made room since was one of so many at least: numbers are given one after the other.
 */
static bool box_is_full(uint32_t *ret_made)
{
	pid_t pid = sys_fork(SIGCHLD);

	if (pid == 0)
		_exit(0);
	if (pid > 0) {
		*ret_made = (uint32_t)pid - 1;
		waitpid(pid, NULL, 0);
	}
	return pid == -EAGAIN;
}

/* Part of the staging tmpfs, so its numbers are those of the tmpfs. */
static void measure_staging(const struct jail *j, struct jail_message *m)
{
	struct statfs sf;

	if (statfs(staging_of(j), &sf) < 0)
		return;
	jail_staging_use(&m->disk, &m->inodes, &sf);
	m->disk -= j->own_bytes < m->disk ? j->own_bytes : m->disk;
	m->inodes -= j->own_inodes < m->inodes ? j->own_inodes : m->inodes;
}

void keep_say_measured(const struct keep *k)
{
	struct jail_message m = { .word = JAIL_MEASURED };

	measure_staging(k->j, &m);
	sys_send(k->j->control, &m, sizeof(m), NULL, 0);
}

void keep_say_end(struct keep *k, uint32_t joined)
{
	struct jail_message m = { .word = JAIL_EXITED,
				  .value = k->status,
				  .joined = joined,
				  .cpu_us = k->cpu_us,
				  .mem_peak = k->mem_peak };

	if (k->status != 0)
		m.full = box_is_full(&m.made);
	measure_staging(k->j, &m);
	sys_send(k->j->control, &m, sizeof(m), NULL, 0);
	k->told = true;
}

static void add_usage(struct keep *k, const struct rusage *u)
{
	k->cpu_us += (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000u +
		     (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
	if ((uint64_t)u->ru_maxrss * 1024u > k->mem_peak)
		k->mem_peak = (uint64_t)u->ru_maxrss * 1024u;
}

int keep_reap(struct keep *k)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | (k->ending || box_is_frozen() ? 0 : WUNTRACED), &usage)) >
	       0) {
		if (WIFSTOPPED(status)) {
			struct jail_message m = { .word = JAIL_STOPPED };

			if (pid == k->command && k->j->tty_slave >= 0)
				sys_send(k->j->control, &m, sizeof(m), NULL, 0);
			continue;
		}
		add_usage(k, &usage);
		if (pid == k->command) {
			k->command = 0;
			k->status = status;
		}
	}
	return pid < 0 ? -errno : 0;
}

void keep_signal(const struct keep *k, int sig)
{
	if (k->command && kill(-k->command, sig) < 0 && errno == EPERM)
		family_signal(k->command,
			      sig); /* it has become another user, as a database started by root does */
}

/* Everybody, each with the one who keeps it: us, a keeper, or for a keeper's own census only us. */
static int look(const struct keep *k, struct census *c)
{
	pid_t roots[JAIL_MAX_JOINED + 1];

	memcpy(roots, k->keepers, k->n_keepers * sizeof(*roots));
	roots[k->n_keepers] = getpid();
	return census_take(c, roots, k->n_keepers + 1);
}

static bool is_ours(const struct keep *k, const struct process *p)
{
	if (p->family != getpid())
		return false;
	for (size_t i = 0; i < k->n_keepers; i++)
		if (k->keepers[i] == p->pid)
			return false;
	return true;
}

/*
 * A group is reached in one go, with the children its members are just making: so the common fork bomb ends
 * here. It never spans two families, for it lies in one session, and a session in the family of its leader.
 * Ours may have been joined from below.
 */
static void stop_groups(const struct keep *k, const struct census *c)
{
	pid_t last = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct process *p = &c->list[i];

		if (p->group <= 1 || p->group == last || p->group == getpgrp() || process_rests(p) ||
		    !is_ours(k, p))
			continue;
		kill(-p->group, SIGSTOP);
		last = p->group;
	}
}

/* Parents stop before, and go on after, their children: none sees a child stopped that it did not stop. */
static void signal_members(const struct keep *k, const struct census *c, int sig)
{
	if (sig == SIGSTOP)
		stop_groups(k, c);
	for (size_t i = 0; i < c->n; i++) {
		const struct process *p = &c->list[sig == SIGCONT ? c->n - 1 - i : i];

		if (is_ours(k, p) && !(sig == SIGSTOP && process_rests(p)))
			family_signal(p->pid, sig);
	}
}

void keep_signal_family(const struct keep *k, int sig)
{
	scoped(census_finish) struct census c = { 0 };

	if (look(k, &c) == 0)
		signal_members(k, &c, sig);
}

static bool all_rest(const struct keep *k, const struct census *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_ours(k, &c->list[i]) && !process_rests(&c->list[i]) && c->list[i].state != 'D')
			return false; /* one that waits in the kernel makes no child before it wakes */
	return true;
}

/*
 * That the family is gone is not read from /proc, where one could slip by: a process without children has no
 * descendants, for all that lose their parent come to it. That is what ECHILD says.
 */
bool keep_end_family(struct keep *k)
{
	scoped(census_finish) struct census c = { 0 };
	const struct timespec pause = { .tv_nsec = 200000 };
	long long began = keep_now_ms();

	k->ending = true;
	keep_signal(k, SIGSTOP); /* at once: with thousands that run, our next turn may be seconds away */
	while (keep_reap(k) != -ECHILD) {
		long long passed = keep_now_ms() - began;

		if (passed > END_MS)
			return false;
		if (look(k, &c) == 0)
			signal_members(k, &c, all_rest(k, &c) || passed > STOP_MS ? SIGKILL : SIGSTOP);
		nanosleep(&pause, NULL);
	}
	return true;
}
