/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that work whatever permissions a box set on its owner's files: an ordinary user repeats them in a
 * user namespace of their own, and if that is not enough in one with their subordinate ids (sys/subids.h),
 * which files of a box can belong to. Each returns its result or a negative errno. This does not help with
 * files of another group.
 */
#ifndef SYS_OWNER_H
#define SYS_OWNER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

int sys_own_openat(int at, const char *name, int flags);
int sys_own_openat2(int at, const char *path, uint64_t flags, uint64_t resolve);
int sys_own_lstatat(int at, const char *name, struct stat *ret);
ssize_t sys_own_readlinkat(int at, const char *name, char *ret, size_t cap);
int sys_own_renameat2(int from, const char *name, int to, const char *new_name, unsigned int flags);
ssize_t sys_own_fgetxattr(int fd, const char *name, void *ret, size_t cap);
int sys_own_fsetxattr(int fd, const char *name, const void *value, size_t len);
int sys_own_fremovexattr(int fd, const char *name);

/*
 * Calls ACT where all files of our subordinate ids are ours to read and change, and ids are as outside. It
 * shares memory and descriptors with the caller, who waits for it. Its result, or a negative
 * errno; -EOPNOTSUPP: there are no such ids. Signals are blocked meanwhile.
 */
long sys_own_all(long (*act)(void *ctx), void *ctx);

#endif
