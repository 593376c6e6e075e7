/* SPDX-License-Identifier: Apache-2.0 */
/* Thin wrappers around system calls; see sys/sys.h. */
#include "sys/sys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/fault.h"

/* Runs EXPR unless a test wants this call to fail; folds -1/errno into -errno. */
#define CALL(name, expr)                                                                 \
	({                                                                               \
		int injected_ = fault_next(name);                                        \
		__typeof__(expr) result_ = injected_ ? (errno = injected_, -1) : (expr); \
		result_ < 0 ? (__typeof__(expr))-errno : result_;                        \
	})

pid_t sys_clone_process(const struct sys_clone *how)
{
	struct clone_args args = { .flags = how->flags, .exit_signal = (uint64_t)how->exit_signal };

	if (how->cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)how->cgroup;
	}
	return (pid_t)CALL("clone3", syscall(SYS_clone3, &args, sizeof(args)));
}

/* clone, not clone3: a filter that looks at flags knows only the former. */
pid_t sys_fork(int exit_signal)
{
	return (pid_t)CALL("clone", syscall(SYS_clone, (unsigned long)exit_signal, 0, 0, 0, 0));
}

int sys_openat2(int dir_fd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .mode = mode, .resolve = resolve };

	return (int)CALL("openat2", syscall(SYS_openat2, dir_fd, path, &how, sizeof(how)));
}

int sys_open(int dir_fd, const char *path, int flags, mode_t mode)
{
	return CALL("openat", openat(dir_fd, path, flags | O_CLOEXEC, mode));
}

int sys_mkdir(int dir_fd, const char *path, mode_t mode)
{
	return CALL("mkdirat", mkdirat(dir_fd, path, mode));
}

int sys_mknod(int dir_fd, const char *path, mode_t mode, dev_t dev)
{
	return CALL("mknodat", mknodat(dir_fd, path, mode, dev));
}

int sys_symlink(const char *target, int dir_fd, const char *path)
{
	return CALL("symlinkat", symlinkat(target, dir_fd, path));
}

int sys_unlink(int dir_fd, const char *path, int flags)
{
	return CALL("unlinkat", unlinkat(dir_fd, path, flags));
}

int sys_stat(int dir_fd, const char *path, struct stat *ret_st, int flags)
{
	return CALL("fstatat", fstatat(dir_fd, path, ret_st, flags));
}

ssize_t sys_getdents(int dir_fd, void *entries, size_t cap)
{
	return CALL("getdents64", syscall(SYS_getdents64, dir_fd, entries, cap));
}

ssize_t sys_read(int fd, void *data, size_t len)
{
	ssize_t n;

	do
		n = CALL("read", read(fd, data, len));
	while (n == -EINTR);
	return n;
}

int sys_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = CALL("write", write(fd, p, len));

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int sys_write_file(int dir_fd, const char *path, const char *text)
{
	scoped(drop_fd) int fd = sys_open(dir_fd, path, O_WRONLY, 0);

	return fd < 0 ? fd : sys_write_all(fd, text, strlen(text));
}

int sys_open_tree(int dir_fd, const char *path, unsigned int flags)
{
	return (int)CALL("open_tree", syscall(SYS_open_tree, dir_fd, path, flags | OPEN_TREE_CLOEXEC));
}

int sys_move_mount(int from_fd, int to_dir_fd, const char *to_path, unsigned int flags)
{
	return (int)CALL("move_mount", syscall(SYS_move_mount, from_fd, "", to_dir_fd, to_path,
					       flags | MOVE_MOUNT_F_EMPTY_PATH));
}

int sys_fsopen(const char *fs)
{
	return (int)CALL("fsopen", syscall(SYS_fsopen, fs, FSOPEN_CLOEXEC));
}

int sys_fsconfig_string(int fs_fd, const char *key, const char *value)
{
	return (int)CALL("fsconfig", syscall(SYS_fsconfig, fs_fd, FSCONFIG_SET_STRING, key, value, 0));
}

int sys_fsconfig_flag(int fs_fd, const char *key)
{
	return (int)CALL("fsconfig", syscall(SYS_fsconfig, fs_fd, FSCONFIG_SET_FLAG, key, NULL, 0));
}

int sys_fsconfig_create(int fs_fd)
{
	return (int)CALL("fsconfig", syscall(SYS_fsconfig, fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
}

int sys_fsmount(int fs_fd, unsigned int attrs)
{
	return (int)CALL("fsmount", syscall(SYS_fsmount, fs_fd, FSMOUNT_CLOEXEC, attrs));
}

void sys_fs_note(int fs_fd, char *ret_text, size_t cap)
{
	ssize_t n = read(fs_fd, ret_text, cap - 1);

	ret_text[n > 0 ? n : 0] = '\0';
	ret_text[strcspn(ret_text, "\n")] = '\0';
}

int sys_mount_setattr(int dir_fd, const char *path, unsigned int flags, uint64_t set, uint64_t clear,
		      uint64_t propagation, int userns_fd)
{
	struct mount_attr attr = { .attr_set = set,
				   .attr_clr = clear,
				   .propagation = propagation,
				   .userns_fd = userns_fd >= 0 ? (uint64_t)userns_fd : 0 };

	return (int)CALL("mount_setattr",
			 syscall(SYS_mount_setattr, dir_fd, path, flags, &attr, sizeof(attr)));
}

int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)CALL("pivot_root", syscall(SYS_pivot_root, new_root, put_old));
}

int sys_umount(const char *path, int flags)
{
	return CALL("umount2", umount2(path, flags));
}

bool sys_kernel_is_before(unsigned long major, unsigned long minor)
{
	unsigned long here[2];
	struct utsname uts;
	char *dot;

	if (uname(&uts) < 0)
		return false;
	here[0] = strtoul(uts.release, &dot, 10);
	here[1] = *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
	return here[0] < major || (here[0] == major && here[1] < minor);
}

int sys_mount(const char *source, const char *path, const char *fs, unsigned long flags, const char *options)
{
	return CALL("mount", mount(source, path, fs, flags, options));
}

int sys_landlock_abi(void)
{
	return (int)CALL("landlock_create_ruleset",
			 syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

int sys_landlock_create(uint64_t fs_access, uint64_t net_access, uint64_t scoped_access)
{
	/* The kernel's struct grows; the tail must be zero where it does not know it, so cut it there. */
	struct {
		uint64_t fs, net, scoped;
	} attr = { fs_access, net_access, scoped_access };
	size_t size = scoped_access ? sizeof(attr)
		      : net_access  ? sizeof(attr) - sizeof(attr.scoped)
				    : sizeof(attr.fs);

	return (int)CALL("landlock_create_ruleset", syscall(SYS_landlock_create_ruleset, &attr, size, 0));
}

int sys_landlock_allow(int ruleset_fd, int path_fd, uint64_t access)
{
	struct landlock_path_beneath_attr attr = { .allowed_access = access, .parent_fd = path_fd };

	return (int)CALL("landlock_add_rule",
			 syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &attr, 0));
}

int sys_landlock_enforce(int ruleset_fd)
{
	return (int)CALL("landlock_restrict_self", syscall(SYS_landlock_restrict_self, ruleset_fd, 0));
}

int sys_seccomp_load(const struct sock_filter *code, unsigned short count, int listener)
{
	struct sock_fprog prog = { .len = count, .filter = (struct sock_filter *)code };

	return (int)CALL("seccomp", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					    listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &prog));
}

int sys_prctl(int option, unsigned long a, unsigned long b)
{
	return CALL("prctl", prctl(option, a, b, 0, 0));
}

int sys_capset(uint64_t effective, uint64_t permitted, uint64_t inheritable)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ (uint32_t)effective, (uint32_t)permitted, (uint32_t)inheritable },
		{ (uint32_t)(effective >> 32), (uint32_t)(permitted >> 32), (uint32_t)(inheritable >> 32) },
	};

	return (int)CALL("capset", syscall(SYS_capset, &head, data));
}

int sys_setgroups_none(void)
{
	return (int)CALL("setgroups", syscall(SYS_setgroups, 0, NULL));
}

int sys_setgroups(const uint32_t *groups, size_t n)
{
	return (int)CALL("setgroups", syscall(SYS_setgroups, n, groups));
}

int sys_setids(uid_t uid, gid_t gid)
{
	int r = (int)CALL("setresgid", syscall(SYS_setresgid, gid, gid, gid));

	return r < 0 ? r : (int)CALL("setresuid", syscall(SYS_setresuid, uid, uid, uid));
}

int sys_rlimit(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit want = { .rlim_cur = soft, .rlim_max = hard };

	return CALL("setrlimit", setrlimit(resource, &want));
}

int sys_unshare(int flags)
{
	return CALL("unshare", unshare(flags));
}

int sys_sethostname(const char *name)
{
	return CALL("sethostname", sethostname(name, strlen(name)));
}

int sys_loopback_up(void)
{
	struct ifreq req = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	scoped(drop_fd) int fd = CALL("socket", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));

	return fd < 0 ? fd : CALL("ioctl", ioctl(fd, SIOCSIFFLAGS, &req));
}

int sys_close_range(unsigned int first, unsigned int last)
{
	return (int)CALL("close_range", syscall(SYS_close_range, first, last, 0));
}

int sys_close_later(unsigned int first)
{
	return (int)CALL("close_range", syscall(SYS_close_range, first, ~0U,
						1U << 2)); /* CLOSE_RANGE_CLOEXEC; musl has no name for it */
}

int sys_pidfd_open(pid_t pid)
{
	return (int)CALL("pidfd_open", syscall(SYS_pidfd_open, pid, 0));
}

int sys_pidfd_signal(int pidfd, int sig)
{
	return (int)CALL("pidfd_send_signal", syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0));
}

int sys_memfd(const char *name)
{
	return CALL("memfd_create", memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

#define ALL_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int sys_memfd_seal(int fd)
{
	return CALL("fcntl", fcntl(fd, F_ADD_SEALS, ALL_SEALS));
}

int sys_memfd_is_sealed(int fd)
{
	int seals = CALL("fcntl", fcntl(fd, F_GET_SEALS));

	return seals < 0 ? seals : (seals & ALL_SEALS) == ALL_SEALS;
}

int sys_socketpair(int type, int ret_fds[2])
{
	return CALL("socketpair", socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ret_fds));
}

int sys_pipe(int ret_fds[2])
{
	return CALL("pipe2", pipe2(ret_fds, O_CLOEXEC));
}

int sys_send(int fd, const void *data, size_t len, const int *fds, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(SYS_MAX_FDS * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (n_fds > SYS_MAX_FDS)
		return -EINVAL;
	if (n_fds) {
		struct cmsghdr *c;

		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	do
		n = CALL("sendmsg", sendmsg(fd, &msg, MSG_NOSIGNAL));
	while (n == -EINTR);
	return n < 0 ? (int)n : 0;
}

ssize_t sys_recv(int fd, void *data, size_t cap, int ret_fds[SYS_MAX_FDS], int flags)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(SYS_MAX_FDS * sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = data, .iov_len = cap };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.room,
			      .msg_controllen = sizeof(control.room) };
	ssize_t n;

	do
		n = CALL("recvmsg", recvmsg(fd, &msg, flags | MSG_CMSG_CLOEXEC));
	while (n == -EINTR);
	for (int i = 0; i < SYS_MAX_FDS; i++)
		ret_fds[i] = -1;
	if (n < 0)
		return n;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(ret_fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	return n;
}
