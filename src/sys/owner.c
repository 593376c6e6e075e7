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
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sys/owner.h"
#include "sys/subids.h"
#include "sys/sys.h"

#define STACK (1u << 20)

struct order {
	long nr, args[6];
	long (*act)(void *ctx); /* instead of the call, if it is not NULL */
	void *ctx;
	long result; /* of the call, or a negative errno */
	int into;    /* a namespace to enter; -1: it is in a new one, and maps itself there */
	char uid[64], gid[64];
};

static bool enter(const struct order *o)
{
	if (o->into >= 0)
		return setns(o->into, CLONE_NEWUSER) == 0;
	return sys_write_file(AT_FDCWD, "/proc/self/setgroups", "deny") == 0 &&
	       sys_write_file(AT_FDCWD, "/proc/self/uid_map", o->uid) == 0 &&
	       sys_write_file(AT_FDCWD, "/proc/self/gid_map", o->gid) == 0;
}

static int make_call(void *arg)
{
	struct order *o = arg;

	if (!enter(o))
		_exit(1);
	if (o->act) {
		o->result = o->act(o->ctx);
		_exit(0);
	}
	o->result = syscall(o->nr, o->args[0], o->args[1], o->args[2], o->args[3], o->args[4], o->args[5]);
	if (o->result < 0)
		o->result = -errno;
	_exit(0);
}

/*
 * The process itself must stay where it is: in a namespace that knows one id, the lists of who else may read
 * a file could neither be read nor written. The child has our memory and our descriptors, and we wait for it.
 */
static long do_inside(struct order *o, void *stack_end)
{
	int flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | (o->into < 0 ? CLONE_NEWUSER : 0), pid;
	sigset_t all, before;

	o->result = -EACCES;
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &before) < 0)
		return -EACCES;
	pid = clone(make_call, stack_end, flags, o);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		continue;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -EACCES : o->result;
}

/* First as the user alone; if that is not enough, with the user's subordinate ids, where there are any. */
static long as_owner(long nr, const long args[6])
{
	_Alignas(16) char stack[65536]; /* not static: a program that has us as a library may have threads */
	struct order o = { .nr = nr, .into = -1 };
	long r;

	if (geteuid() == 0)
		return -EACCES;
	for (int i = 0; i < 6; i++)
		o.args[i] = args[i];
	snprintf(o.uid, sizeof(o.uid), "%u %u 1", geteuid(), geteuid());
	snprintf(o.gid, sizeof(o.gid), "%u %u 1", getegid(), getegid());
	r = do_inside(&o, stack + sizeof(stack));
	if (r != -EACCES && r != -EPERM)
		return r;
	o.into = sys_subids_namespace();
	return o.into < 0 ? r : do_inside(&o, stack + sizeof(stack));
}

long sys_own_all(long (*act)(void *ctx), void *ctx)
{
	struct order o = { .act = act, .ctx = ctx, .into = sys_subids_namespace() };
	char *stack;
	long r;

	if (o.into < 0)
		return o.into;
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return -ENOMEM;
	r = do_inside(&o, stack + STACK);
	munmap(stack, STACK);
	return r;
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
