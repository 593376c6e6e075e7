/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent says how long its lease lasts. When that time passes, or the agent says no more, everything below
 * is killed. This process has one thread, no network and no disk: nothing that could make it hang.
 */
#include "fleet/agent/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/error.h"
#include "base/program.h"
#include "base/scope.h"

#define FAILED 125
/* How often it looks whether all that was killed is gone. */
#define LOOK_MS 5

static void become_server(pid_t parent)
{
	char *const words[] = { "aisbx-serve", "rpc", "{}", NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	sigset_t none;
	int program;

	if (!end_with(parent, SIGKILL))
		_exit(FAILED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (program_open("aisbx-serve", &program, &e) == 0) {
		fexecve(program, words, environ);
		fprintf(stderr, "aisbx-fleet: start aisbx-serve: %s\n", strerror(errno));
	} else
		fprintf(stderr, "aisbx-fleet: %s\n", e.text);
	_exit(FAILED);
}

/* Those that its own parents left are ours, too: this process is their reaper. */
static void kill_children(void)
{
	char path[64];
	FILE *list;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	list = fopen(path, "re");
	while (list && fscanf(list, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (list)
		fclose(list);
}

/* Until nothing is left. */
static void kill_all(pid_t server)
{
	kill(server, SIGKILL);
	for (;;) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		kill_children();
		poll(NULL, 0, LOOK_MS);
	}
}

/* False: the agent is gone. */
static bool take_lease(int timer)
{
	uint64_t until[16];
	ssize_t n = read(WATCHDOG_LEASE, until, sizeof(until));
	struct itimerspec at = { 0 };

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n < (ssize_t)sizeof(until[0]))
		return false;
	n = n / (ssize_t)sizeof(until[0]) - 1;
	at.it_value.tv_sec = (time_t)(until[n] / 1000u);
	at.it_value.tv_nsec = (long)(until[n] % 1000u) * 1000000L + 1; /* zero would disarm it */
	return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

/* Whether the server itself has ended; others that were left to us are reaped. */
static bool server_ended(int signals, pid_t server)
{
	struct signalfd_siginfo info;
	bool ended = false;
	pid_t pid;

	while (read(signals, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		ended = ended || pid == server;
	return ended;
}

static int attend(pid_t server, int signals, int timer)
{
	struct pollfd p[] = { { .fd = WATCHDOG_LEASE, .events = POLLIN },
			      { .fd = timer, .events = POLLIN },
			      { .fd = signals, .events = POLLIN } };

	for (;;) {
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents || (p[0].revents && !take_lease(timer)))
			break;
		if (p[2].revents && server_ended(signals, server))
			break;
	}
	kill_all(server);
	return 0;
}

int watchdog_main(void)
{
	scoped(drop_fd) int signals = -1, timer = -1, nothing = -1;
	const pid_t self = getpid();
	sigset_t set;
	pid_t server;

	setsid(); /* Ctrl-C at the agent's terminal is for the agent */
	prctl(PR_SET_NAME, "aisbx-watchdog");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (signals < 0 || timer < 0 || nothing < 0 || fcntl(WATCHDOG_LEASE, F_SETFD, FD_CLOEXEC) < 0 ||
	    fcntl(WATCHDOG_LEASE, F_SETFL, O_NONBLOCK) < 0)
		return FAILED;
	server = fork();
	if (server == 0)
		become_server(self);
	if (server < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0)
		return FAILED;
	return attend(server, signals, timer);
}
