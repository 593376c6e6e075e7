/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box whose runtime brings a kernel of its own (gVisor). Nothing of the jail can run inside: that kernel
 * passes no sockets. So pid 1 of the outer namespaces is the keeper, the runtime is its command, and the
 * command is the runtime's. The runtime stops at a hook when its sandbox is there and nothing runs in it: the
 * keeper measures the sandbox from outside, and lets it go when the supervisor says so.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/ns.h"
#include "sys/sys.h"

/* Names in the bundle. */
#define READY "ready"
#define GO    "go"
/* Of what the runtime logs. */
#define LOG_MAX 8192

/* The program of the hook, and by what it and the keeper wait for each other. */
static int write_hook(const struct jail *j, int bundle, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = sys_open(bundle, JAIL_GUEST_HOOK, O_CREAT | O_EXCL | O_WRONLY, 0700);
	struct stat st;
	ssize_t n = fd < 0 || fstat(j->again, &st) < 0 ? -1 : 1;

	for (off_t at = 0; n > 0 && at < st.st_size;)
		n = sendfile(fd, j->again, &at, (size_t)(st.st_size - at));
	if (n <= 0 || mkfifoat(bundle, READY, 0600) < 0 || mkfifoat(bundle, GO, 0600) < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, n == 0 ? EIO : errno, "write the hook of the runtime");
	return 0;
}

/* Runs in the child: does not return. 0 to 2 are the command's. */
static _Noreturn void become_guest(const struct jail *j)
{
	sigset_t none;

	setpgid(0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		_exit(126);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	jail_exec_runtime(j);
}

static int tell_end(const struct jail *j, int status, struct aisbx_error *e)
{
	static const char mark[] = "\"msg\":\"";
	scoped(drop_fd) int log = sys_open(AT_FDCWD, JAIL_GUEST_LOG, O_RDONLY, 0);
	char text[LOG_MAX + 1];
	ssize_t n = log < 0 ? 0 : sys_read(log, text, LOG_MAX);
	const char *at;

	text[n < 0 ? 0 : n] = '\0';
	at = strstr(text, mark);
	if (at)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, ECANCELED, "%s: %.*s",
				    jail_runtime_name(j), (int)strcspn(at + sizeof(mark) - 1, "\"\n"),
				    at + sizeof(mark) - 1);
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, ECANCELED,
			    "the runtime %s ended with %s %d before the command could start",
			    jail_runtime_name(j), WIFSIGNALED(status) ? "signal" : "status",
			    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Until the hook says which process the sandbox is, or the runtime has ended. */
static int await_hook(struct jail *j, int ready, struct aisbx_error *e)
{
	scoped(drop_fd) int end = (int)syscall(SYS_pidfd_open, j->guest, 0);
	struct pollfd polls[] = { { .fd = ready, .events = POLLIN }, { .fd = end, .events = POLLIN } };
	char text[16] = "";
	int status = 0;

	if (end < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, errno, "watch the runtime");
	while (poll(polls, 2, -1) < 0)
		if (errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_JAIL, errno, "wait for the runtime");
	if (!polls[0].revents) {
		waitpid(j->guest, &status, 0);
		return tell_end(j, status, e);
	}
	if (sys_read(ready, text, sizeof(text) - 1) > 0)
		j->sandbox = (pid_t)strtol(text, NULL, 10);
	if (j->sandbox <= 1)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPROTO,
				    "the runtime %s does not say which process its sandbox is",
				    jail_runtime_name(j));
	return 0;
}

int jail_start_guest(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int bundle = -1, ready = -1;
	int r = jail_prepare_runtime(j, e);

	if (r < 0)
		return r;
	bundle = sys_open(j->staging, "bundle", O_PATH | O_DIRECTORY, 0);
	r = bundle < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -bundle, "open the bundle")
		       : write_hook(j, bundle, e);
	if (r < 0)
		return r;
	ready = sys_open(bundle, READY, O_RDWR, 0); /* both ways: nobody waits for the other to open it */
	j->go = sys_open(bundle, GO, O_RDWR, 0);
	if (ready < 0 || j->go < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, ready < 0 ? -ready : -j->go, "prepare the runtime");
	j->guest = sys_fork(SIGCHLD);
	if (j->guest == 0)
		become_guest(j);
	if (j->guest < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -j->guest, "start the runtime");
	r = await_hook(j, ready, e);
	return r < 0 ? r : jail_bound_staging(j, e); /* once more: the bundle is not the command's */
}

int jail_release_guest(const struct jail *j)
{
	return sys_write_all(j->go, "g", 1);
}

/* What is called by the runtime: the state of the container, with the number of its process, is its input. */
_Noreturn void jail_hook(void)
{
	static const char key[] = "\"pid\":";
	char text[4096];
	size_t have = 0;
	ssize_t n;
	const char *at;
	scoped(drop_fd) int ready = -1, go = -1;

	while (have < sizeof(text) - 1 && (n = read(0, text + have, sizeof(text) - 1 - have)) > 0)
		have += (size_t)n;
	text[have] = '\0';
	at = strstr(text, key);
	ready = open(JAIL_RUNTIME_BUNDLE "/" READY, O_WRONLY | O_CLOEXEC);
	go = open(JAIL_RUNTIME_BUNDLE "/" GO, O_RDONLY | O_CLOEXEC);
	if (ready < 0 || go < 0)
		_exit(1);
	snprintf(text, 16, "%ld\n", at ? strtol(at + sizeof(key) - 1, NULL, 10) : 0L);
	if (write(ready, text, strlen(text)) < 0 || read(go, text, 1) != 1)
		_exit(1);
	_exit(0);
}

/* The file of a process of the box's. */
static int stat_of(pid_t pid, const char *name, struct stat *ret)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return sys_stat(AT_FDCWD, path, ret, 0);
}

static bool has_no_new_privs(pid_t pid)
{
	static const char key[] = "\nNoNewPrivs:\t";
	char path[32], text[4096];
	scoped(drop_fd) int fd = -1;
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = sys_open(AT_FDCWD, path, O_RDONLY, 0);
	n = fd < 0 ? fd : sys_read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return false;
	text[n] = '\0';
	at = strstr(text, key);
	return at && at[sizeof(key) - 1] == '1';
}

/*
 * From outside: which namespaces the sandbox is in, what it has as its root, and that it is the runtime's own
 * program which will run the command, not the command itself.
 */
int jail_measure_guest(struct jail *j, struct aisbx_error *e)
{
	struct stat st, program;
	int r;

	for (size_t i = 0; i < jail_n_namespaces; i++)
		if (stat_of(j->sandbox, jail_namespaces[i].link + strlen("/proc/self/"), &st) == 0 &&
		    st.st_ino != j->outside[jail_namespaces[i].wall])
			j->measured |= 1u << jail_namespaces[i].wall;
	if (!j->unreachable)
		j->measured &= ~WALL_BIT(NET);
	if (stat_of(j->sandbox, "root/", &st) == 0 && st.st_dev != j->outside_root)
		j->measured |= WALL_BIT(ROOT);
	if (has_no_new_privs(j->sandbox))
		j->measured |= WALL_BIT(NNP);
	if (stat_of(j->sandbox, "exe", &st) < 0 || fstat(j->runtime, &program) < 0 ||
	    st.st_dev != program.st_dev || st.st_ino != program.st_ino)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPERM,
				    "the command would not run in the kernel of %s", jail_runtime_name(j));
	r = jail_require_walls(j, e);
	if (r < 0)
		return r;
	close_fd(&j->runtime);
	return 0;
}
