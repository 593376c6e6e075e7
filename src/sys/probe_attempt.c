/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attempts of sys/probe.c: each does what aisbx-jail does for one wall, no more, and reports the kernel's
 * answer. Their processes are discarded, so nothing is undone here.
 */
#include "sys/probe_attempt.h"

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
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/scope.h"
#include "sys/sys.h"

#ifndef MOUNT_ATTR_IDMAP
#define MOUNT_ATTR_IDMAP 0x00100000
#endif

/* As for the jail's stage: in a mount namespace of our own nobody misses it. */
#define STAGE_AT "/sys"
/* Ids nobody has; enough to see whether a shifted mount is possible. */
#define SHIFT_BASE 1879048192u

void probe_attempt_say(struct probe_item *item, enum probe_status status, int err, const char *fmt, ...)
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

void probe_attempt_userns(struct probe_item *item)
{
	probe_attempt_say(item, PROBE_OK, 0, "a user namespace with its own ids");
}

void probe_attempt_mount(struct probe_item *item)
{
	int r = sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, 0, 0, MS_PRIVATE, -1);

	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "mount_setattr in a mount namespace of its own");
	else
		probe_attempt_say(item, PROBE_OK, 0, "a mount namespace, detached from the host's");
}

void probe_attempt_pid(struct probe_item *item)
{
	if (getpid() != 1)
		probe_attempt_say(item, PROBE_MISSING, 0, "a new pid namespace began with pid %d",
				  (int)getpid());
	else
		probe_attempt_say(item, PROBE_OK, 0, "a pid namespace with its own pid 1");
}

void probe_attempt_net(struct probe_item *item)
{
	struct sockaddr_in nowhere = { .sin_family = AF_INET, .sin_port = htons(9) };
	scoped(drop_fd) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, "192.0.2.1",
		  &nowhere.sin_addr); /* TEST-NET-1; a datagram socket sends nothing here */
	if (fd < 0)
		probe_attempt_say(item, PROBE_MISSING, errno, "a socket in a network namespace of its own");
	else if (connect(fd, (struct sockaddr *)&nowhere, sizeof(nowhere)) == 0 || errno != ENETUNREACH)
		probe_attempt_say(item, PROBE_MISSING, 0, "a new network namespace has a route out");
	else
		probe_attempt_say(item, PROBE_OK, 0, "a network namespace without a route");
}

void probe_attempt_ipc(struct probe_item *item)
{
	probe_attempt_say(item, PROBE_OK, 0, "an IPC namespace");
}

void probe_attempt_uts(struct probe_item *item)
{
	int r = sys_sethostname("aisbx-doctor");

	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "sethostname in a UTS namespace of its own");
	else
		probe_attempt_say(item, PROBE_OK, 0, "a UTS namespace with its own host name");
}

void probe_attempt_cgroup(struct probe_item *item)
{
	probe_attempt_say(item, PROBE_OK, 0, "a cgroup namespace");
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
	probe_attempt_say(item, PROBE_MISSING, -r, "mount a tmpfs (fsopen, fsmount, move_mount)");
	return -1;
}

void probe_attempt_tmpfs(struct probe_item *item)
{
	scoped(drop_fd) int staging = make_stage(item);

	if (staging < 0)
		return;
	if (setxattr(STAGE_AT, "user.aisbx", "", 0, 0) < 0)
		probe_attempt_say(
			item, PROBE_MISSING, errno,
			"set a user xattr on a tmpfs (if that fails on Linux before 6.6, changes are "
			"stored in the state directory)");
	else
		probe_attempt_say(item, PROBE_OK, 0, "a tmpfs that supports user xattrs");
}

/* An overlay over three directories of STAGE, with the options the jail uses. */
static int make_overlay(int staging, int fs)
{
	static const char *const layers[] = { "lowerdir", "upperdir", "workdir" };
	char path[64];
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++) {
		r = sys_mkdir(staging, layers[i], 0755);
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", staging, layers[i]);
		if (r == 0)
			r = sys_fsconfig_string(fs, layers[i], path);
	}
	if (r == 0)
		r = sys_mkdir(staging, "lowerdir/d", 0755);
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

void probe_attempt_overlay(struct probe_item *item)
{
	scoped(drop_fd) int fs = sys_fsopen("overlay");
	scoped(drop_fd) int staging = -1;
	scoped(drop_fd) int fd = -1;
	char note[SYS_FS_NOTE_MAX] = "";
	int r = fs;

	if (r < 0) {
		probe_attempt_say(item, PROBE_MISSING, -r, "fsopen overlay in a user namespace");
		return;
	}
	staging = make_stage(item);
	if (staging < 0)
		return;
	r = fd = make_overlay(staging, fs);
	if (r < 0) {
		sys_fs_note(fs, note, sizeof(note));
		probe_attempt_say(item, PROBE_MISSING, -r, "mount an overlay in a user namespace%s%s",
				  *note ? " - " : "", note);
		return;
	}
	/* A directory that replaces one of the lower gets the opaque mark: an xattr of the user's kind. */
	r = sys_unlink(fd, "d", AT_REMOVEDIR);
	if (r == 0)
		r = sys_mkdir(fd, "d", 0755);
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "replace a directory in an overlay on a tmpfs");
	else
		probe_attempt_say(item, PROBE_OK, 0, "an overlay with its upper on a tmpfs (userxattr)");
}

void probe_attempt_procfs(struct probe_item *item)
{
	scoped(drop_fd) int fs = sys_fsopen("proc");
	scoped(drop_fd) int fd = -1;
	int r = fs < 0 ? fs : sys_fsconfig_create(fs);

	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "mount a procfs for a new pid namespace");
	else
		probe_attempt_say(item, PROBE_OK, 0, "a procfs of a new pid namespace");
}

/* By mount(2), so that this says something about pivot_root also where fsopen is forbidden. */
void probe_attempt_root(struct probe_item *item)
{
	int r = mount("aisbx", STAGE_AT, "tmpfs", MS_NOSUID | MS_NODEV, NULL) < 0 ? -errno : 0;

	if (r < 0) {
		probe_attempt_say(item, PROBE_MISSING, -r, "mount a tmpfs to become the root");
		return;
	}
	if (chdir(STAGE_AT) < 0)
		r = -errno;
	if (r == 0)
		r = sys_pivot_root(".", ".");
	if (r == 0)
		r = sys_umount(".", MNT_DETACH);
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "pivot_root");
	else
		probe_attempt_say(item, PROBE_OK, 0, "pivot_root, and the old root is gone");
}

/* LANDLOCK_ACCESS_FS_*: every ABI knows the first 13. */
#define LANDLOCK_FIRST_RIGHTS ((1ULL << 13) - 1)
/* From 6 on also signals and abstract sockets are scoped; the jail uses nothing later. */
#define LANDLOCK_WANTED_ABI 6

void probe_attempt_landlock(struct probe_item *item)
{
	int abi = sys_landlock_abi();
	int r = abi;
	scoped(drop_fd) int rules = -1;

	if (r >= 0)
		r = rules = sys_landlock_create(LANDLOCK_FIRST_RIGHTS, 0, 0);
	if (r >= 0)
		r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	if (r >= 0)
		r = sys_landlock_enforce(rules);
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "%s",
				  abi < 0 ? "ask for Landlock's version" : "enforce a Landlock ruleset");
	else if (abi < LANDLOCK_WANTED_ABI)
		probe_attempt_say(item, PROBE_LIMITED, 0,
				  "Landlock ABI %d: %ssignals and abstract sockets are not scoped", abi,
				  abi < 5 ? "ioctl on devices is not covered, " : "");
	else
		probe_attempt_say(item, PROBE_OK, 0, "Landlock ABI %d", abi);
}

void probe_attempt_caps(struct probe_item *item)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { .effective = 1 } };
	int r = sys_prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0);

	if (r == 0)
		r = sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);
	if (r == 0)
		r = sys_capset(0, 0, 0);
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "drop capabilities");
	else if (syscall(SYS_capget, &head, data) < 0 || data[0].effective || data[0].permitted)
		probe_attempt_say(item, PROBE_MISSING, 0,
				  "capabilities were dropped, but a check shows that they are still there");
	else
		probe_attempt_say(item, PROBE_OK, 0, "every capability dropped");
}

void probe_attempt_nnp(struct probe_item *item)
{
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (r == 0 && sys_prctl(PR_GET_NO_NEW_PRIVS, 0, 0) != 1)
		r = -EPERM;
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "prctl PR_SET_NO_NEW_PRIVS");
	else
		probe_attempt_say(item, PROBE_OK, 0, "no new privileges");
}

void probe_attempt_fds(struct probe_item *item)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD, 100);
	int r = fd < 0 ? -errno : sys_close_range((unsigned int)fd, (unsigned int)fd);

	if (r == 0 && fcntl(fd, F_GETFD) >= 0)
		r = -EPERM;
	if (r < 0)
		probe_attempt_say(item, PROBE_MISSING, -r, "close_range");
	else
		probe_attempt_say(item, PROBE_OK, 0, "close_range");
}

void probe_attempt_seccomp(struct probe_item *item)
{
	static const struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (r == 0)
		r = sys_seccomp_load(allow, 1, 1);
	if (r >= 0) {
		probe_attempt_say(item, PROBE_OK, 0, "a filter with a listener (user-notify)");
		return;
	}
	probe_attempt_say(item, PROBE_MISSING, -r, "load a filter with a listener%s",
			  sys_seccomp_load(allow, 1, 0) == 0 ? " (one without can be loaded)" : "");
}

/* Pid of a child that does nothing in a user namespace of its own until it is killed. */
static pid_t sleep_in_userns(void)
{
	struct sys_clone how = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD, .cgroup = -1 };
	const pid_t parent = getpid();
	pid_t pid = sys_clone_process(&how);

	if (pid == 0) {
		while (end_with(parent, SIGKILL))
			pause();
		_exit(1);
	}
	return pid;
}

void probe_attempt_idmap(struct probe_item *item)
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
		probe_attempt_say(item, PROBE_MISSING, -r,
				  "shift the ids of '/' (mount_setattr with MOUNT_ATTR_IDMAP)");
	else
		probe_attempt_say(item, PROBE_OK, 0, "the root file system with shifted ids");
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}
