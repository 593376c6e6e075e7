/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box whose inner walls an OCI runtime builds. The jail has made outer namespaces and the tree of the box
 * in them; the runtime is started there, with no more rights than those namespaces give, and starts the jail
 * once more as pid 1 of its container. Everything that the runtime leaves, mounts, state and processes, ends
 * with the outer pid 1.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/wire.h"
#include "sys/sys.h"

#define WORDS_MAX 32
/* Of what a runtime says when it fails. */
#define LOG_MAX    8192
#define WORDS_TOLD 500

/* Position of each descriptor that goes through the runtime. */
enum passed {
	PASS_CONTROL,
	PASS_INIT,
	PASS_PLAN,
	PASS_HANDOVER,
	PASS_STDIN,
	PASS_STDOUT,
	PASS_STDERR,
	PASS_OUTER_USER,
	PASSED
};
_Static_assert(PASSED == JAIL_RUNTIME_FDS, "as many as the runtime is told to pass on");
_Static_assert(PASS_CONTROL + 3 == JAIL_CONTROL_FD, "where the jail always has it");

/* What pid 1 of the container cannot find out: it comes when the runtime has done its work and is gone. */
struct handover {
	struct jail_plan_order order;
	uint64_t outside[WALL_COUNT];
	uint64_t outside_root;
	uint64_t own_bytes, own_inodes;
	uint64_t spent_us; /* processor time so far, which is not the command's */
	uint32_t shared;
};

static int write_bundle(struct jail *j, struct aisbx_error *e)
{
	const struct jail_plan_head *h = j->plan->head;
	scoped(drop_fd) int fd = -1;
	int r = sys_mkdir(j->staging, "bundle", 0700);

	if (r == 0)
		r = sys_mkdir(j->staging, "state", 0700);
	/* What a runtime that stays writes there is not the command's. */
	if (r == 0 && j->order.flags & JAIL_PLAN_GUEST)
		r = sys_mount("aisbx", JAIL_RUNTIME_STATE, "tmpfs", MS_NOSUID | MS_NODEV,
			      "size=16m,mode=0700");
	if (r == 0)
		r = fd = sys_open(j->staging, "bundle/config.json", O_CREAT | O_EXCL | O_WRONLY, 0600);
	if (r >= 0)
		r = sys_write_all(fd, j->plan->strings + h->config, h->config_len);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "write the bundle for the runtime") : 0;
}

/* The runtime reads about its own processes, so it needs the /proc of their namespace. */
static int own_proc(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int root = -1;
	int r = sys_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "mount /proc for the runtime");
	root = sys_open(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0);
	return root < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -root, "open the root")
			: jail_bound_watches(j, root, e);
}

const char *jail_runtime_name(const struct jail *j)
{
	const char *path = j->plan->strings + j->plan->head->runtime, *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * The descriptor is of a mount outside, which nobody can bind in here; a runtime that protects its program by
 * such a mount would copy it instead, on every start. The same file is found again by its path. Where it is
 * not, the descriptor serves.
 */
static void find_again(struct jail *j)
{
	scoped(drop_fd) int fd = sys_open(AT_FDCWD, j->plan->strings + j->plan->head->runtime, O_PATH, 0);
	struct stat here, there;

	if (fd < 0 || fstat(fd, &here) < 0 || fstat(j->runtime, &there) < 0 || here.st_dev != there.st_dev ||
	    here.st_ino != there.st_ino)
		return;
	close(j->runtime);
	j->runtime = take_fd(&fd);
}

_Noreturn void jail_exec_runtime(const struct jail *j)
{
	static char *env[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/",
			       "XDG_RUNTIME_DIR=" JAIL_RUNTIME_STATE, NULL };
	const char *at = j->plan->strings + j->plan->head->runtime, *end = at + j->plan->head->runtime_len;
	char *argv[WORDS_MAX + 1] = { NULL };

	for (size_t n = 0; at < end && n < WORDS_MAX; at += strlen(at) + 1)
		argv[n++] = (char *)at;
	syscall(SYS_execveat, j->runtime, "", argv, env, AT_EMPTY_PATH);
	dprintf(2, "cannot be executed: %s\n", strerror(errno));
	_exit(127);
}

/* Runs in the child: does not return. */
static _Noreturn void become_runtime(struct jail *j, const int pass[PASSED], int null_fd, int log_fd)
{
	int high[PASSED], last = 3 + PASSED;
	sigset_t none;

	/* First out of the way of where they belong, then there. */
	for (int i = 0; i < PASSED; i++)
		high[i] = fcntl(pass[i], F_DUPFD_CLOEXEC, last);
	j->runtime = fcntl(j->runtime, F_DUPFD_CLOEXEC, last);
	null_fd = fcntl(null_fd, F_DUPFD_CLOEXEC, last);
	log_fd = fcntl(log_fd, F_DUPFD_CLOEXEC, last);
	for (int i = 0; i < PASSED; i++)
		if (high[i] < 0 || dup2(high[i], 3 + i) < 0)
			_exit(126);
	if (dup2(null_fd, 0) < 0 || dup2(log_fd, 1) < 0 || dup2(log_fd, 2) < 0)
		_exit(126);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	jail_exec_runtime(j);
}

/* In its own words: of a log the last message, else the first line, before what programs print that crash. */
static void find_words(char *text, const char **ret, int *ret_len)
{
	char *at = NULL, *next = text;

	while ((next = strstr(next, "msg=\"")))
		at = next += strlen("msg=\"");
	*ret = at ? at : text + strspn(text, "\n ");
	*ret_len = (int)strcspn(*ret, "\n");
	if (at && *ret_len && at[*ret_len - 1] == '"')
		--*ret_len;
}

static int tell_failure(const struct jail *j, int log_fd, int status, struct aisbx_error *e)
{
	char text[LOG_MAX + 1];
	const char *name = jail_runtime_name(j), *words;
	ssize_t n = pread(log_fd, text, LOG_MAX, 0);
	int len;

	text[n < 0 ? 0 : n] = '\0';
	find_words(text, &words, &len);
	if (!len)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, ECANCELED,
				    "the runtime %s ended with %s %d and says nothing", name,
				    WIFSIGNALED(status) ? "signal" : "status",
				    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, ECANCELED, "%s: %.*s", name,
			    len < WORDS_TOLD ? len : WORDS_TOLD, words);
}

/* Nobody is left when there are no children: the container's pid 1 became ours when the runtime ended. */
static _Noreturn void outlive(void)
{
	sys_close_range(0, ~0U); /* also the control socket, which the container's pid 1 has */
	while (waitpid(-1, NULL, 0) >= 0 || errno == EINTR)
		;
	_exit(0);
}

/* Of this process and of those that it has waited for. */
static uint64_t spent_us(void)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	uint64_t us = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage u;

		if (getrusage(whose[i], &u) == 0)
			us += (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000u +
			      (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	}
	return us;
}

static int start_runtime(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int null_fd = sys_open(AT_FDCWD, "/dev/null", O_RDWR, 0);
	scoped(drop_fd) int log_fd = sys_open(j->staging, "log", O_CREAT | O_EXCL | O_RDWR | O_APPEND, 0600);
	scoped(drop_fd) int user = sys_open(AT_FDCWD, "/proc/self/ns/user", O_RDONLY, 0);
	struct handover h = { .order = j->order, .outside_root = j->outside_root, .shared = j->shared };
	int pair[2], status = 0, r = sys_pipe(pair);
	pid_t pid;

	if (r < 0 || null_fd < 0 || log_fd < 0 || user < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL,
				  r < 0         ? -r
				  : null_fd < 0 ? -null_fd
				  : log_fd < 0  ? -log_fd
						: -user,
				  "prepare the start of the runtime");
	pid = sys_fork(SIGCHLD);
	if (pid == 0)
		become_runtime(j,
			       (int[PASSED]){ [PASS_CONTROL] = j->control,
					      [PASS_INIT] = j->again,
					      [PASS_PLAN] = j->plan_fd,
					      [PASS_HANDOVER] = pair[0],
					      [PASS_STDIN] = 0,
					      [PASS_STDOUT] = 1,
					      [PASS_STDERR] = 2,
					      [PASS_OUTER_USER] = user },
			       null_fd, log_fd);
	close(pair[0]);
	if (pid < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -pid, "start the runtime");
	while ((r = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (r != pid || status != 0)
		return tell_failure(j, log_fd, status, e);
	r = jail_bound_staging(j, e); /* once more: what the runtime left there is not the command's */
	if (r < 0)
		return r;
	h.own_bytes = j->own_bytes;
	h.own_inodes = j->own_inodes;
	h.spent_us = spent_us();
	memcpy(h.outside, j->outside, sizeof(h.outside));
	r = sys_write_all(pair[1], &h, sizeof(h));
	close(pair[1]);
	if (r == -EPIPE) /* pid 1 of the container has gone, and said why if it could */
		return tell_failure(j, log_fd, 0, e);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "hand over to pid 1 of the container") : 0;
}

/*
 * No file of the host's can be reached as /proc/1/exe of the container. Nobody may read the copy, so pid 1
 * cannot be looked at from its first instruction on; and made out here it is the host's root's, where that
 * starts it.
 */
int jail_copy_itself(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int from = -1;
	struct stat st;
	ssize_t n = 1;

	if (!(j->order.flags & JAIL_PLAN_RUNTIME))
		return 0;
	from = sys_open(AT_FDCWD, "/proc/self/exe", O_RDONLY, 0);
	j->again = from < 0 ? from : sys_memfd("aisbx-jail");
	if (j->again < 0 || fstat(from, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, j->again < 0 ? -j->again : errno, "copy aisbx-jail");
	for (off_t at = 0; n > 0 && at < st.st_size;)
		n = sendfile(j->again, from, &at, (size_t)(st.st_size - at));
	if (n <= 0 || fchmod(j->again, 0111) < 0 || sys_memfd_seal(j->again) < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, n == 0 ? EIO : errno, "copy aisbx-jail");
	return 0;
}

int jail_prepare_runtime(struct jail *j, struct aisbx_error *e)
{
	int r;

	if (j->runtime < 0 || !j->plan->head->runtime_len)
		return aisbx_fail(e, AISBX_AREA_JAIL, ENOENT, "find the runtime");
	find_again(j);
	r = write_bundle(j, e);
	return r < 0 ? r : own_proc(j, e);
}

int jail_run_runtime(struct jail *j, struct aisbx_error *e)
{
	int r = jail_prepare_runtime(j, e);

	if (r == 0)
		r = start_runtime(j, e);
	if (r < 0)
		return r;
	outlive();
}

/*
 * A runtime wants to be root, and an ordinary user has one id to give: it is 0 around the container. In a
 * user namespace of its own pid 1 has the user's again, as in every other box. It gives up what rights it has
 * in it.
 */
int jail_container_ids(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int self = -1;
	bool image = j->order.flags & JAIL_PLAN_IMAGE; /* made for its own root */
	char map[32];
	int r;

	if (j->order.flags & JAIL_PLAN_SHIFT)
		return 0;
	r = sys_unshare(CLONE_NEWUSER);
	if (r == 0)
		r = self = sys_open(AT_FDCWD, "/proc/self", O_PATH | O_DIRECTORY, 0);
	snprintf(map, sizeof(map), "%u 0 1\n", image ? 0 : j->order.uid_host);
	if (r >= 0)
		r = sys_write_file(self, "uid_map", map);
	snprintf(map, sizeof(map), "%u 0 1\n", image ? 0 : j->order.gid_host);
	if (r >= 0)
		r = sys_write_file(self, "gid_map", map);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "map the user's id in the container") : 0;
}

void jail_take_name(char **argv)
{
	static const char name[] = "aisbx-jail";
	size_t room = strlen(argv[0]);

	prctl(PR_SET_NAME, name);
	memset(argv[1], 0, strlen(argv[1]));
	memset(argv[0], 0, room);
	memcpy(argv[0], name, room < sizeof(name) ? room : sizeof(name));
}

int jail_receive_handover(struct jail *j, struct aisbx_error *e)
{
	struct handover h;
	size_t have = 0;
	int r;

	for (int i = 0; i < 3; i++)
		if (dup2(3 + PASS_STDIN + i, i) < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, errno, "use descriptor %d", i);
	while (have < sizeof(h)) {
		ssize_t n = sys_read(3 + PASS_HANDOVER, (char *)&h + have, sizeof(h) - have);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			_exit(125); /* the runtime failed after all, and who waited for it says why */
		have += (size_t)n;
	}
	j->control = 3 + PASS_CONTROL;
	j->plan_fd = 3 + PASS_PLAN;
	j->outer_user = 3 + PASS_OUTER_USER;
	fcntl(j->outer_user, F_SETFD, FD_CLOEXEC);
	j->order = h.order;
	memcpy(j->outside, h.outside, sizeof(j->outside));
	j->outside_root = h.outside_root;
	j->own_bytes = h.own_bytes;
	j->own_inodes = h.own_inodes;
	j->spent_us = h.spent_us;
	j->shared = h.shared;
	j->nested = true;
	r = jail_load_plan(j, e);
	for (int i = PASS_INIT; i < PASS_OUTER_USER; i++) /* a command may be allowed few, and so may we */
		close(3 + i);
	j->plan_fd = -1;
	return r;
}
