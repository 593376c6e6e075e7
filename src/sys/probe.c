/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries each ability in a child of its own, so that one failure does not hide another. Knows no walls and no
 * remedies: it reports the kernel's answer.
 */
#include "sys/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/probe_attempt.h"
#include "sys/sys.h"

const char *probe_name(enum probe_id id)
{
	static const char *const names[] = {
#define X(id, name) name,
		PROBES(X)
#undef X
	};

	return names[id];
}

/* Maps this user to himself, as an ordinary user can. */
static int map_self(uid_t uid, gid_t gid)
{
	char map[64];
	int r = sys_write_file(AT_FDCWD, "/proc/self/setgroups", "deny");

	snprintf(map, sizeof(map), "%u %u 1\n", (unsigned int)uid, (unsigned int)uid);
	if (r == 0)
		r = sys_write_file(AT_FDCWD, "/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1\n", (unsigned int)gid, (unsigned int)gid);
	return r == 0 ? sys_write_file(AT_FDCWD, "/proc/self/gid_map", map) : r;
}

struct attempt {
	enum probe_id id;
	uint64_t namespaces; /* the child's own */
	uint32_t needs;      /* PROBE_BIT()s without which there is nothing to learn */
	void (*run)(struct probe_item *item);
};

/* What is needed stands before what needs it. */
static const struct attempt attempts[] = {
	{ PROBE_USERNS, CLONE_NEWUSER, 0, probe_attempt_userns },
	{ PROBE_MOUNT, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS), probe_attempt_mount },
	{ PROBE_PID, CLONE_NEWUSER | CLONE_NEWPID, PROBE_BIT(USERNS), probe_attempt_pid },
	{ PROBE_NET, CLONE_NEWUSER | CLONE_NEWNET, PROBE_BIT(USERNS), probe_attempt_net },
	{ PROBE_IPC, CLONE_NEWUSER | CLONE_NEWIPC, PROBE_BIT(USERNS), probe_attempt_ipc },
	{ PROBE_UTS, CLONE_NEWUSER | CLONE_NEWUTS, PROBE_BIT(USERNS), probe_attempt_uts },
	{ PROBE_CGROUP, CLONE_NEWUSER | CLONE_NEWCGROUP, PROBE_BIT(USERNS), probe_attempt_cgroup },
	{ PROBE_ROOT, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS) | PROBE_BIT(MOUNT), probe_attempt_root },
	{ PROBE_LANDLOCK, 0, 0, probe_attempt_landlock },
	{ PROBE_CAPS, CLONE_NEWUSER, PROBE_BIT(USERNS), probe_attempt_caps },
	{ PROBE_NNP, 0, 0, probe_attempt_nnp },
	{ PROBE_FDS, 0, 0, probe_attempt_fds },
	{ PROBE_SECCOMP, 0, 0, probe_attempt_seccomp },
	{ PROBE_TMPFS, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS) | PROBE_BIT(MOUNT),
	  probe_attempt_tmpfs },
	{ PROBE_OVERLAY, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS) | PROBE_BIT(MOUNT),
	  probe_attempt_overlay },
	{ PROBE_PROCFS, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
	  PROBE_BIT(USERNS) | PROBE_BIT(MOUNT) | PROBE_BIT(PID), probe_attempt_procfs },
	{ PROBE_IDMAP, 0, PROBE_BIT(USERNS), probe_attempt_idmap },
};

static _Noreturn void child(const struct attempt *a, uid_t uid, gid_t gid, int report)
{
	struct probe_item item = { .needs = -1 };
	int r = a->namespaces ? map_self(uid, gid) : 0;

	if (r < 0)
		probe_attempt_say(&item, PROBE_MISSING, -r, "map own ids in a user namespace");
	else
		a->run(&item);
	_exit(sys_write_all(report, &item, sizeof(item)) < 0);
}

static void make(const struct attempt *a, struct probe_item *ret)
{
	struct sys_clone how = { .flags = a->namespaces, .exit_signal = SIGCHLD, .cgroup = -1 };
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int fds[2], status = 0;
	int r = sys_pipe(fds);
	ssize_t n;
	pid_t pid;

	if (r < 0) {
		probe_attempt_say(ret, PROBE_MISSING, -r, "not tried, no pipe");
		return;
	}
	if (a->namespaces)
		pid = sys_clone_process(&how);
	else if ((pid = fork()) < 0)
		pid = -errno;
	if (pid == 0)
		child(a, uid, gid, fds[1]);
	close(fds[1]);
	n = pid < 0 ? 0 : sys_read(fds[0], ret, sizeof(*ret));
	close(fds[0]);
	if (pid < 0) {
		probe_attempt_say(ret, PROBE_MISSING, -pid, "%s",
				  a->namespaces ? "create a process in new namespaces (clone3)" : "fork");
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(*ret)) /* a filter above us kills, say */
		probe_attempt_say(ret, PROBE_MISSING, 0, "the attempt was ended by signal %d",
				  WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void attempt_if_useful(const struct attempt *a, struct probe *p)
{
	struct probe_item *item = &p->items[a->id];

	item->needs = -1;
	if (a->id == PROBE_IDMAP && !p->facts.real_root) {
		probe_attempt_say(item, PROBE_UNUSED, 0, "only boxes of root shift ids");
		return;
	}
	for (int needed = 0; needed < PROBE_COUNT; needed++)
		if ((a->needs & (1u << needed)) && p->items[needed].status == PROBE_MISSING) {
			item->needs = needed;
			probe_attempt_say(item, PROBE_MISSING, 0, "not tried: it needs '%s'",
					  probe_name(needed));
			return;
		}
	make(a, item);
}

void probe_read(struct probe *ret)
{
	probe_facts_read(&ret->facts);
	memset(ret->items, 0, sizeof(ret->items));
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++)
		attempt_if_useful(&attempts[i], ret);
}
