/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw system calls that libc does not wrap or that tests must be able to fail.
 * Each returns its result or a negative errno, and passes through sys/fault.h. No policy here.
 */
#ifndef SYS_SYS_H
#define SYS_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifndef OPEN_TREE_CLONE /* musl leaves the new mount API to the kernel's header, glibc brings it */
#include <linux/mount.h>
#endif

/* Log of fsopen and friends; "overlayfs: ..." explains an EINVAL better than strerror. */
#define SYS_FS_NOTE_MAX 200

struct sys_clone {
	uint64_t flags; /* CLONE_* */
	int exit_signal;
	int cgroup; /* directory of the group to start in; -1: the parent's */
};

/* Like fork, with namespaces: 0 in the child, a pid in the parent. */
pid_t sys_clone_process(const struct sys_clone *how);

/*
 * Fork with EXIT_SIGNAL at its end. Not SIGCHLD: then plain waits do not see the child, only __WCLONE does.
 */
pid_t sys_fork(int exit_signal);

int sys_openat2(int dir_fd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);
int sys_open(int dir_fd, const char *path, int flags, mode_t mode);
int sys_mkdir(int dir_fd, const char *path, mode_t mode);
int sys_mknod(int dir_fd, const char *path, mode_t mode, dev_t dev);
int sys_symlink(const char *target, int dir_fd, const char *path);
int sys_unlink(int dir_fd, const char *path, int flags);
/* A directory entry as the kernel writes it: C libraries differ in what they call it. */
struct sys_dirent {
	uint64_t d_ino;
	int64_t d_off;
	uint16_t d_reclen;
	uint8_t d_type;
	char d_name[];
};

/* One buffer of directory entries (struct sys_dirent), without the allocations of readdir. */
ssize_t sys_getdents(int dir_fd, void *entries, size_t cap);
int sys_stat(int dir_fd, const char *path, struct stat *ret_st, int flags);
ssize_t sys_read(int fd, void *data, size_t len);
int sys_write_all(int fd, const void *data, size_t len);
/* Opens, writes once, closes: for files of /proc and /sys that need the whole text in one write. */
int sys_write_file(int dir_fd, const char *path, const char *text);

int sys_open_tree(int dir_fd, const char *path, unsigned int flags);
int sys_move_mount(int from_fd, int to_dir_fd, const char *to_path, unsigned int flags);
int sys_fsopen(const char *fs);
int sys_fsconfig_string(int fs_fd, const char *key, const char *value);
int sys_fsconfig_flag(int fs_fd, const char *key);
int sys_fsconfig_create(int fs_fd);
int sys_fsmount(int fs_fd, unsigned int attrs);
/* The kernel's last message about a failed fsconfig; "" if there is none. */
void sys_fs_note(int fs_fd, char *ret_text, size_t cap);
int sys_mount_setattr(int dir_fd, const char *path, unsigned int flags, uint64_t set, uint64_t clear,
		      uint64_t propagation, int userns_fd);
int sys_pivot_root(const char *new_root, const char *put_old);
int sys_umount(const char *path, int flags);
int sys_mount(const char *source, const char *path, const char *fs, unsigned long flags, const char *options);

/*
 * By its own answer; for what cannot be asked otherwise without a trace, and only to choose between two ways
 * that both work.
 */
bool sys_kernel_is_before(unsigned long major, unsigned long minor);
/*
 * Whether an overlay can have its upper layer on a tmpfs here (since Linux 6.6), as far as is known without
 * mounting one.
 */
bool sys_tmpfs_keeps_xattrs(void);

int sys_landlock_abi(void);
/*
 * What is handled, and so refused unless a rule allows it: of files, of TCP (LANDLOCK_ACCESS_NET_*), and
 * outside its own domain.
 */
int sys_landlock_create(uint64_t fs_access, uint64_t net_access, uint64_t scoped_access);
int sys_landlock_allow(int ruleset_fd, int path_fd, uint64_t access);
int sys_landlock_enforce(int ruleset_fd);

struct sock_filter;
/* LISTENER: returns a descriptor for notifications instead of 0. */
int sys_seccomp_load(const struct sock_filter *code, unsigned short count, int listener);
int sys_prctl(int option, unsigned long a, unsigned long b);
int sys_capset(uint64_t effective, uint64_t permitted, uint64_t inheritable);
int sys_setgroups_none(void);
int sys_setgroups(const uint32_t *groups, size_t n);
int sys_setids(uid_t uid, gid_t gid);
int sys_rlimit(int resource, uint64_t soft, uint64_t hard);
int sys_unshare(int flags);
int sys_sethostname(const char *name);
int sys_loopback_up(void);
int sys_close_range(unsigned int first, unsigned int last);
/* From FIRST on, on exec. */
int sys_close_later(unsigned int first);

/* Not inside another user namespace. */
bool sys_in_first_userns(void);
/* Root that may map any id and shift any mount: in the first user namespace, with its capabilities. */
bool sys_is_real_root(void);

/*
 * Permissions that a box set on its files also bind its owner. After this returned true, a retry is not
 * bound: an ordinary user enters a user namespace of their own. False if that was done before, cannot be
 * done, or is not needed.
 */
bool sys_own_files(void);

int sys_pidfd_open(pid_t pid);
int sys_pidfd_signal(int pidfd, int sig);

int sys_memfd(const char *name);
/* No more growing, shrinking, writing or unsealing. */
int sys_memfd_seal(int fd);
int sys_memfd_is_sealed(int fd);

int sys_socketpair(int type, int ret_fds[2]);
int sys_pipe(int ret_fds[2]);
/* Descriptors one message can carry. */
#define SYS_MAX_FDS 24

/* One message with descriptors. */
int sys_send(int fd, const void *data, size_t len, const int *fds, size_t n_fds);
/* Returns the length; unused places of RET_FDS become -1. 0 is the end of the connection. */
ssize_t sys_recv(int fd, void *data, size_t cap, int ret_fds[SYS_MAX_FDS], int flags);

#endif
