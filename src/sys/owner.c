/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One system call as the owner of a file regardless of its permissions: made in a user namespace by a
 * short-lived child.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sys/owner.h"
#include "sys/sys.h"

struct order {
	long nr, args[6];
	long result; /* of the call, or a negative errno */
	char uid[64], gid[64];
};

static int make_call(void *arg)
{
	struct order *o = arg;

	if (sys_write_file(AT_FDCWD, "/proc/self/setgroups", "deny") < 0 ||
	    sys_write_file(AT_FDCWD, "/proc/self/uid_map", o->uid) < 0 ||
	    sys_write_file(AT_FDCWD, "/proc/self/gid_map", o->gid) < 0)
		_exit(1);
	o->result = syscall(o->nr, o->args[0], o->args[1], o->args[2], o->args[3], o->args[4], o->args[5]);
	if (o->result < 0)
		o->result = -errno;
	_exit(0);
}

/*
 * The process itself must stay where it is: in a namespace that knows one id, the lists of who else may read
 * a file could neither be read nor written. The child has our memory and our descriptors, and we wait for it.
 */
static long as_owner(long nr, const long args[6])
{
	_Alignas(16) char stack[65536]; /* not static: a program that has us as a library may have threads */
	struct order o = { .nr = nr, .result = -EACCES };
	sigset_t all, before;
	int pid;

	if (geteuid() == 0)
		return -EACCES;
	for (int i = 0; i < 6; i++)
		o.args[i] = args[i];
	snprintf(o.uid, sizeof(o.uid), "%u %u 1", geteuid(), geteuid());
	snprintf(o.gid, sizeof(o.gid), "%u %u 1", getegid(), getegid());
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &before) < 0)
		return -EACCES;
	pid = clone(make_call, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_NEWUSER,
		    &o);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		continue;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -EACCES : o.result;
}

#define AS_OWNER(nr, ...) as_owner(nr, (const long[6]){ __VA_ARGS__ })

int sys_own_openat(int at, const char *name, int flags)
{
	int fd = openat(at, name, flags);

	if (fd >= 0 || errno != EACCES)
		return fd < 0 ? -errno : fd;
	return (int)AS_OWNER(SYS_openat, at, (long)name, flags);
}

int sys_own_openat2(int at, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };
	int fd = sys_openat2(at, path, flags, 0, resolve);

	return fd != -EACCES ? fd : (int)AS_OWNER(SYS_openat2, at, (long)path, (long)&how, sizeof(how));
}

int sys_own_lstatat(int at, const char *name, struct stat *ret)
{
	if (fstatat(at, name, ret, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return errno != EACCES
		       ? -errno
		       : (int)AS_OWNER(SYS_newfstatat, at, (long)name, (long)ret, AT_SYMLINK_NOFOLLOW);
}

ssize_t sys_own_readlinkat(int at, const char *name, char *ret, size_t cap)
{
	ssize_t n = readlinkat(at, name, ret, cap);

	if (n >= 0 || errno != EACCES)
		return n < 0 ? -errno : n;
	return AS_OWNER(SYS_readlinkat, at, (long)name, (long)ret, (long)cap);
}

int sys_own_renameat2(int from, const char *name, int to, const char *new_name, unsigned int flags)
{
	if (renameat2(from, name, to, new_name, flags) == 0)
		return 0;
	return errno != EACCES ? -errno
			       : (int)AS_OWNER(SYS_renameat2, from, (long)name, to, (long)new_name, flags);
}

ssize_t sys_own_fgetxattr(int fd, const char *name, void *ret, size_t cap)
{
	ssize_t n = fgetxattr(fd, name, ret, cap);

	if (n >= 0 || errno != EACCES)
		return n < 0 ? -errno : n;
	return AS_OWNER(SYS_fgetxattr, fd, (long)name, (long)ret, (long)cap);
}

int sys_own_fsetxattr(int fd, const char *name, const void *value, size_t len)
{
	if (fsetxattr(fd, name, value, len, 0) == 0)
		return 0;
	return errno != EACCES ? -errno
			       : (int)AS_OWNER(SYS_fsetxattr, fd, (long)name, (long)value, (long)len, 0);
}

int sys_own_fremovexattr(int fd, const char *name)
{
	if (fremovexattr(fd, name) == 0)
		return 0;
	return errno != EACCES ? -errno : (int)AS_OWNER(SYS_fremovexattr, fd, (long)name);
}
