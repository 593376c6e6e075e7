/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries each ability the way aisbx-jail uses it, one child per ability, so that one refusal hides no
 * other. Knows no walls and no remedies: it reports what the kernel said.
 */
#include "sys/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

#ifndef MOUNT_ATTR_IDMAP
#define MOUNT_ATTR_IDMAP 0x00100000
#endif

/* As for the jail's stage: in a mount namespace of our own nobody misses it. */
#define STAGE_AT "/sys"
/* Ids nobody has; enough to see whether a shifted mount is possible. */
#define SHIFT_BASE 1879048192u

const char *probe_name(enum probe_id id)
{
	static const char *const names[] = {
#define X(id, name) name,
		PROBES(X)
#undef X
	};

	return names[id];
}

static void say(struct probe_item *item, enum probe_status status, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ERR is a positive errno, whose text is added, or 0. */
static void say(struct probe_item *item, enum probe_status status, int err, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	item->status = status;
	item->err = err;
	va_start(ap, fmt);
	vsnprintf(item->detail, sizeof(item->detail), fmt, ap);
	va_end(ap);
	n = strlen(item->detail);
	if (err)
		snprintf(item->detail + n, sizeof(item->detail) - n, ": %s", strerror(err));
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

static void try_userns(struct probe_item *item)
{
	say(item, PROBE_OK, 0, "a user namespace with its own ids");
}

static void try_mount(struct probe_item *item)
{
	int r = sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, 0, 0, MS_PRIVATE, -1);

	if (r < 0)
		say(item, PROBE_MISSING, -r, "mount_setattr in a mount namespace of its own");
	else
		say(item, PROBE_OK, 0, "a mount namespace, detached from the host's");
}

static void try_pid(struct probe_item *item)
{
	if (getpid() != 1)
		say(item, PROBE_MISSING, 0, "a new pid namespace began with pid %d", (int)getpid());
	else
		say(item, PROBE_OK, 0, "a pid namespace with its own pid 1");
}

static void try_net(struct probe_item *item)
{
	struct sockaddr_in nowhere = { .sin_family = AF_INET, .sin_port = htons(9) };
	scoped(drop_fd) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, "192.0.2.1", &nowhere.sin_addr); /* TEST-NET-1; a datagram socket sends nothing here */
	if (fd < 0)
		say(item, PROBE_MISSING, errno, "a socket in a network namespace of its own");
	else if (connect(fd, (struct sockaddr *)&nowhere, sizeof(nowhere)) == 0 || errno != ENETUNREACH)
		say(item, PROBE_MISSING, 0, "a new network namespace has a route out");
	else
		say(item, PROBE_OK, 0, "a network namespace without a route");
}

static void try_ipc(struct probe_item *item)
{
	say(item, PROBE_OK, 0, "an IPC namespace");
}

static void try_uts(struct probe_item *item)
{
	int r = sys_sethostname("aisbx-doctor");

	if (r < 0)
		say(item, PROBE_MISSING, -r, "sethostname in a UTS namespace of its own");
	else
		say(item, PROBE_OK, 0, "a UTS namespace with its own host name");
}

static void try_cgroup(struct probe_item *item)
{
	say(item, PROBE_OK, 0, "a cgroup namespace");
}

/* Root of a new tmpfs attached at STAGE_AT, or -1 with the reason in ITEM. */
static int make_stage(struct probe_item *item)
{
	scoped(drop_fd) int fs = sys_fsopen("tmpfs");
	scoped(drop_fd) int fd = -1;
	int r = fs < 0 ? fs : sys_fsconfig_create(fs);

	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (r >= 0)
		r = sys_move_mount(fd, AT_FDCWD, STAGE_AT, 0);
	if (r >= 0)
		return take_fd(&fd);
	say(item, PROBE_MISSING, -r, "mount a tmpfs (fsopen, fsmount, move_mount)");
	return -1;
}

static void try_tmpfs(struct probe_item *item)
{
	scoped(drop_fd) int stage = make_stage(item);

	if (stage < 0)
		return;
	if (setxattr(STAGE_AT, "user.aisbx", "", 0, 0) < 0)
		say(item, PROBE_MISSING, errno, "set a user xattr on a tmpfs");
	else
		say(item, PROBE_OK, 0, "a tmpfs that keeps user xattrs");
}

/* An overlay over three directories of STAGE, with the options the jail uses. */
static int make_overlay(int stage, int fs)
{
	static const char *const layers[] = { "lowerdir", "upperdir", "workdir" };
	char path[64];
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++) {
		r = sys_mkdir(stage, layers[i], 0755);
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", stage, layers[i]);
		if (r == 0)
			r = sys_fsconfig_string(fs, layers[i], path);
	}
	if (r == 0)
		r = sys_mkdir(stage, "lowerdir/d", 0755);
	if (r == 0)
		r = sys_fsconfig_flag(fs, "userxattr");
	if (r == 0)
		r = sys_fsconfig_string(fs, "redirect_dir", "nofollow");
	if (r == 0)
		r = sys_fsconfig_string(fs, "metacopy", "off");
	if (r == 0)
		r = sys_fsconfig_create(fs);
	return r == 0 ? sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) : r;
}

static void try_overlay(struct probe_item *item)
{
	scoped(drop_fd) int fs = sys_fsopen("overlay");
	scoped(drop_fd) int stage = -1;
	scoped(drop_fd) int fd = -1;
	char note[SYS_FS_NOTE_MAX] = "";
	int r = fs;

	if (r < 0) {
		say(item, PROBE_MISSING, -r, "fsopen overlay in a user namespace");
		return;
	}
	stage = make_stage(item);
	if (stage < 0)
		return;
	r = fd = make_overlay(stage, fs);
	if (r < 0) {
		sys_fs_note(fs, note, sizeof(note));
		say(item, PROBE_MISSING, -r, "mount an overlay in a user namespace%s%s", *note ? " - " : "", note);
		return;
	}
	/* A directory that replaces one of the lower gets the opaque mark: an xattr of the user's kind. */
	r = sys_unlink(fd, "d", AT_REMOVEDIR);
	if (r == 0)
		r = sys_mkdir(fd, "d", 0755);
	if (r < 0)
		say(item, PROBE_MISSING, -r, "replace a directory in an overlay");
	else
		say(item, PROBE_OK, 0, "an overlay with its upper on a tmpfs (userxattr)");
}

static void try_procfs(struct probe_item *item)
{
	scoped(drop_fd) int fs = sys_fsopen("proc");
	scoped(drop_fd) int fd = -1;
	int r = fs < 0 ? fs : sys_fsconfig_create(fs);

	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (r < 0)
		say(item, PROBE_MISSING, -r, "mount a procfs for a new pid namespace");
	else
		say(item, PROBE_OK, 0, "a procfs of a new pid namespace");
}

/* By mount(2), so that this says something about pivot_root also where fsopen is forbidden. */
static void try_root(struct probe_item *item)
{
	int r = mount("aisbx", STAGE_AT, "tmpfs", MS_NOSUID | MS_NODEV, NULL) < 0 ? -errno : 0;

	if (r < 0) {
		say(item, PROBE_MISSING, -r, "mount a tmpfs to become the root");
		return;
	}
	if (chdir(STAGE_AT) < 0)
		r = -errno;
	if (r == 0)
		r = sys_pivot_root(".", ".");
	if (r == 0)
		r = sys_umount(".", MNT_DETACH);
	if (r < 0)
		say(item, PROBE_MISSING, -r, "pivot_root");
	else
		say(item, PROBE_OK, 0, "pivot_root, and the old root is gone");
}

/* LANDLOCK_ACCESS_FS_*: every ABI knows the first 13. */
#define LANDLOCK_FIRST_RIGHTS ((1ULL << 13) - 1)
/* From 6 on also signals and abstract sockets are scoped; the jail uses nothing later. */
#define LANDLOCK_WANTED_ABI 6

static void try_landlock(struct probe_item *item)
{
	int abi = sys_landlock_abi();
	int r = abi;
	scoped(drop_fd) int rules = -1;

	if (r >= 0)
		r = rules = sys_landlock_create(LANDLOCK_FIRST_RIGHTS, 0);
	if (r >= 0)
		r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	if (r >= 0)
		r = sys_landlock_enforce(rules);
	if (r < 0)
		say(item, PROBE_MISSING, -r, "%s", abi < 0 ? "ask for Landlock's version" : "enforce a Landlock ruleset");
	else if (abi < LANDLOCK_WANTED_ABI)
		say(item, PROBE_LIMITED, 0, "Landlock ABI %d: %ssignals and abstract sockets are not scoped", abi,
		    abi < 5 ? "ioctl on devices is not covered, " : "");
	else
		say(item, PROBE_OK, 0, "Landlock ABI %d", abi);
}

static void try_caps(struct probe_item *item)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { .effective = 1 } };
	int r = sys_prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0);

	if (r == 0)
		r = sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);
	if (r == 0)
		r = sys_capset(0, 0, 0);
	if (r < 0)
		say(item, PROBE_MISSING, -r, "drop capabilities");
	else if (syscall(SYS_capget, &head, data) < 0 || data[0].effective || data[0].permitted)
		say(item, PROBE_MISSING, 0, "capabilities were dropped but, read back, are still there");
	else
		say(item, PROBE_OK, 0, "every capability dropped");
}

static void try_nnp(struct probe_item *item)
{
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (r == 0 && sys_prctl(PR_GET_NO_NEW_PRIVS, 0, 0) != 1)
		r = -EPERM;
	if (r < 0)
		say(item, PROBE_MISSING, -r, "prctl PR_SET_NO_NEW_PRIVS");
	else
		say(item, PROBE_OK, 0, "no new privileges");
}

static void try_fds(struct probe_item *item)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD, 100);
	int r = fd < 0 ? -errno : sys_close_range((unsigned int)fd, (unsigned int)fd);

	if (r == 0 && fcntl(fd, F_GETFD) >= 0)
		r = -EPERM;
	if (r < 0)
		say(item, PROBE_MISSING, -r, "close_range");
	else
		say(item, PROBE_OK, 0, "close_range");
}

static void try_seccomp(struct probe_item *item)
{
	static const struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (r == 0)
		r = sys_seccomp_load(allow, 1, 1);
	if (r >= 0) {
		say(item, PROBE_OK, 0, "a filter with a listener (user-notify)");
		return;
	}
	say(item, PROBE_MISSING, -r, "load a filter with a listener%s",
	    sys_seccomp_load(allow, 1, 0) == 0 ? " (one without can be loaded)" : "");
}

/* Pid of a child that does nothing in a user namespace of its own until it is killed. */
static pid_t sleep_in_userns(void)
{
	struct sys_clone how = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	pid_t pid = sys_clone_process(&how);

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void try_idmap(struct probe_item *item)
{
	scoped(drop_fd) int userns = -1;
	scoped(drop_fd) int tree = -1;
	char path[64], map[64];
	pid_t pid = sleep_in_userns();
	int r = pid < 0 ? pid : 0;

	snprintf(map, sizeof(map), "0 %u 65536\n", SHIFT_BASE);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	if (r == 0)
		r = sys_write_file(AT_FDCWD, path, map);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", (int)pid);
	if (r == 0)
		r = sys_write_file(AT_FDCWD, path, map);
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	if (r == 0)
		r = userns = sys_open(AT_FDCWD, path, O_RDONLY, 0);
	if (r >= 0)
		r = tree = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE);
	if (r >= 0)
		r = sys_mount_setattr(tree, "", AT_EMPTY_PATH, MOUNT_ATTR_IDMAP, 0, 0, userns);
	if (r < 0)
		say(item, PROBE_MISSING, -r, "shift the ids of '/' (mount_setattr with MOUNT_ATTR_IDMAP)");
	else
		say(item, PROBE_OK, 0, "the root file system with shifted ids");
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

struct attempt {
	enum probe_id id;
	uint64_t namespaces; /* the child's own */
	uint32_t needs;	     /* PROBE_BIT()s without which there is nothing to learn */
	void (*run)(struct probe_item *item);
};

/* What is needed stands before what needs it. */
static const struct attempt attempts[] = {
	{ PROBE_USERNS, CLONE_NEWUSER, 0, try_userns },
	{ PROBE_MOUNT, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS), try_mount },
	{ PROBE_PID, CLONE_NEWUSER | CLONE_NEWPID, PROBE_BIT(USERNS), try_pid },
	{ PROBE_NET, CLONE_NEWUSER | CLONE_NEWNET, PROBE_BIT(USERNS), try_net },
	{ PROBE_IPC, CLONE_NEWUSER | CLONE_NEWIPC, PROBE_BIT(USERNS), try_ipc },
	{ PROBE_UTS, CLONE_NEWUSER | CLONE_NEWUTS, PROBE_BIT(USERNS), try_uts },
	{ PROBE_CGROUP, CLONE_NEWUSER | CLONE_NEWCGROUP, PROBE_BIT(USERNS), try_cgroup },
	{ PROBE_ROOT, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS) | PROBE_BIT(MOUNT), try_root },
	{ PROBE_LANDLOCK, 0, 0, try_landlock },
	{ PROBE_CAPS, CLONE_NEWUSER, PROBE_BIT(USERNS), try_caps },
	{ PROBE_NNP, 0, 0, try_nnp },
	{ PROBE_FDS, 0, 0, try_fds },
	{ PROBE_SECCOMP, 0, 0, try_seccomp },
	{ PROBE_TMPFS, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS) | PROBE_BIT(MOUNT), try_tmpfs },
	{ PROBE_OVERLAY, CLONE_NEWUSER | CLONE_NEWNS, PROBE_BIT(USERNS) | PROBE_BIT(MOUNT), try_overlay },
	{ PROBE_PROCFS, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
	  PROBE_BIT(USERNS) | PROBE_BIT(MOUNT) | PROBE_BIT(PID), try_procfs },
	{ PROBE_IDMAP, 0, PROBE_BIT(USERNS), try_idmap },
};

static _Noreturn void child(const struct attempt *a, uid_t uid, gid_t gid, int report)
{
	struct probe_item item = { .needs = -1 };
	int r = a->namespaces ? map_self(uid, gid) : 0;

	if (r < 0)
		say(&item, PROBE_MISSING, -r, "map own ids in a user namespace");
	else
		a->run(&item);
	_exit(sys_write_all(report, &item, sizeof(item)) < 0);
}

static void attempt(const struct attempt *a, struct probe_item *ret)
{
	struct sys_clone how = { .flags = a->namespaces, .exit_signal = SIGCHLD };
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int fds[2], status = 0;
	int r = sys_pipe(fds);
	ssize_t n;
	pid_t pid;

	if (r < 0) {
		say(ret, PROBE_MISSING, -r, "not tried, no pipe");
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
		say(ret, PROBE_MISSING, -pid, "%s", a->namespaces ? "create a process in new namespaces (clone3)" : "fork");
		return;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(*ret)) /* a filter above us kills, say */
		say(ret, PROBE_MISSING, 0, "the attempt was ended by signal %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void attempt_if_useful(const struct attempt *a, struct probe *p)
{
	struct probe_item *item = &p->items[a->id];

	item->needs = -1;
	if (a->id == PROBE_IDMAP && !p->facts.real_root) {
		say(item, PROBE_UNUSED, 0, "only boxes of root shift ids");
		return;
	}
	for (int needed = 0; needed < PROBE_COUNT; needed++)
		if ((a->needs & (1u << needed)) && p->items[needed].status == PROBE_MISSING) {
			item->needs = needed;
			say(item, PROBE_MISSING, 0, "not tried: it needs '%s'", probe_name(needed));
			return;
		}
	attempt(a, item);
}

void probe_read(struct probe *ret)
{
	probe_facts_read(&ret->facts);
	memset(ret->items, 0, sizeof(ret->items));
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++)
		attempt_if_useful(&attempts[i], ret);
}
