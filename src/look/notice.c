/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a notification: which file, which action, and whether the command can do without it. */
#include "look/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scope.h"
#include "look/look.h"

#define NO_DIR 6 /* no argument of a call: its path counts from the working directory */

/*
 * Calls that name a file, with the arguments that hold the directory, the path and the flags. HELD: Landlock
 * judges the call as well, so that it may be made whatever the path turns out to be; the others are never
 * made.
 */
static const struct {
	int nr;
	unsigned int dir, path, flags;
	const char *what;
	bool held;
} files[] = {
	{ SYS_open, NO_DIR, 0, 1, "to write", true },
	{ SYS_openat, 0, 1, 2, "to write", true },
	{ SYS_creat, NO_DIR, 0, NO_DIR, "to write", true },
	{ SYS_truncate, NO_DIR, 0, NO_DIR, "to cut", false },
	{ SYS_mkdir, NO_DIR, 0, NO_DIR, "to make the directory", true },
	{ SYS_mkdirat, 0, 1, NO_DIR, "to make the directory", true },
	{ SYS_rmdir, NO_DIR, 0, NO_DIR, "to remove", true },
	{ SYS_unlink, NO_DIR, 0, NO_DIR, "to remove", true },
	{ SYS_unlinkat, 0, 1, NO_DIR, "to remove", true },
	{ SYS_rename, NO_DIR, 0, NO_DIR, "to rename", true },
	{ SYS_renameat, 0, 1, NO_DIR, "to rename", true },
	{ SYS_renameat2, 0, 1, NO_DIR, "to rename", true },
	{ SYS_link, NO_DIR, 1, NO_DIR, "to make", true },
	{ SYS_linkat, 2, 3, NO_DIR, "to make", true },
	{ SYS_symlink, NO_DIR, 1, NO_DIR, "to make", true },
	{ SYS_symlinkat, 1, 2, NO_DIR, "to make", true },
	{ SYS_mknod, NO_DIR, 0, NO_DIR, "to make", true },
	{ SYS_mknodat, 0, 1, NO_DIR, "to make", true },
	{ SYS_chmod, NO_DIR, 0, NO_DIR, "to change the mode of", false },
	{ SYS_fchmodat, 0, 1, NO_DIR, "to change the mode of", false },
	{ SYS_chown, NO_DIR, 0, NO_DIR, "to change the owner of", false },
	{ SYS_lchown, NO_DIR, 0, NO_DIR, "to change the owner of", false },
	{ SYS_fchownat, 0, 1, NO_DIR, "to change the owner of", false },
	{ SYS_utimensat, 0, 1, NO_DIR, "to change the times of", false },
	{ SYS_setxattr, NO_DIR, 0, NO_DIR, "to change attributes of", false },
};
#define N_FILES (sizeof(files) / sizeof(*files))

/* Refused, and programs get by: they ask services that may not be there, tune themselves, or look for a
 * faster way. */
static const int dispensable[] = { SYS_ioctl,
				   SYS_fcntl,
				   SYS_setpriority,
				   SYS_ioprio_set,
				   SYS_sched_setparam,
				   SYS_sched_setattr,
				   SYS_sched_setaffinity,
				   SYS_prlimit64,
				   SYS_io_setup,
				   SYS_sched_setscheduler,
				   SYS_perf_event_open,
				   SYS_userfaultfd,
				   SYS_keyctl,
				   SYS_personality,
				   SYS_name_to_handle_at,
				   SYS_process_vm_readv,
				   SYS_kcmp,
				   SYS_syslog,
				   SYS_bpf,
				   SYS_pidfd_getfd };

/* Where they always may: nothing is kept there. */
static const char *const open_to_all[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", NULL };
/* Below the home: what programs keep for themselves, so as to be faster, or to remember what was typed. */
static const char *const in_home[] = {
	".cache",           ".npm",     ".config/go/telemetry", ".node_repl_history",
	".python_history",  ".lesshst", ".sqlite_history",      ".config/configstore",
	".local/share/man", ".java",    ".local/state",         NULL
};
static const char *const caches[] = { "/var/cache", "/var/lib/apt/lists", NULL };

bool look_read_memory(int pid, unsigned long long at, void *ret, size_t n)
{
	scoped(drop_fd) int fd = -1;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && pread(fd, ret, n, (off_t)at) == (ssize_t)n;
}

/* In pieces that do not cross a page: the next one may not be there. */
static bool read_text(pid_t pid, uint64_t at, char *ret, size_t cap)
{
	for (size_t have = 0; have < cap;) {
		size_t n = 256 - (size_t)((at + have) % 256);

		n = n < cap - have ? n : cap - have;
		if (!look_read_memory(pid, at + have, ret + have, n))
			return false;
		if (memchr(ret + have, '\0', n))
			return true;
		have += n;
	}
	return false;
}

char *look_find_path(const struct seccomp_notif *n, int at, unsigned long long path)
{
	char text[PATH_MAX] = "", link[64], dir[PATH_MAX] = "/";
	ssize_t len;

	if (path && !read_text((pid_t)n->pid, path, text, sizeof(text)))
		return NULL;
	if (at == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%u/cwd", n->pid);
	else
		snprintf(link, sizeof(link), "/proc/%u/fd/%d", n->pid, at);
	len = text[0] == '/' ? 0 : readlink(link, dir, sizeof(dir) - 1);
	if (len < 0)
		return NULL;
	if (len > 0)
		dir[len] = '\0';
	return text[0] ? path_resolve(dir, text) : dir[0] == '/' ? strdup(dir) : NULL;
}

/* The whole path, by what the caller's directories are. Heap, or NULL. */
static char *find_path(const struct seccomp_notif *n, size_t row)
{
	int at = files[row].dir == NO_DIR ? AT_FDCWD : (int)n->data.args[files[row].dir];

	return look_find_path(n, at, n->data.args[files[row].path]);
}

static bool is_one_of(const char *path, const char *const *list)
{
	for (; *list; list++)
		if (path_is_within(path, *list))
			return true;
	return false;
}

/* A descriptor it has already, or its terminal. */
static bool is_own(const char *path)
{
	return is_one_of(path, open_to_all) || !strncmp(path, "/dev/std", 8) ||
	       !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/pts/", 9) ||
	       (!strncmp(path, "/proc/", 6) && strstr(path, "/fd/"));
}

static bool is_dispensable(const char *path, const char *home)
{
	const char *below = home ? path_below(path, home) : NULL, *name = strrchr(path, '/');

	for (size_t i = 0; below && in_home[i]; i++) {
		size_t n = strlen(in_home[i]);

		if (!strncmp(below, in_home[i], n) && (!below[n] || strchr("/.-", below[n])))
			return true;
	}
	return is_one_of(path, caches) || !strncmp(path, "/tmp/hsperfdata_", 16) ||
	       strstr(path, "/__pycache__") || (name && !strncmp(name, "/.nfs", 5));
}

/* The flags of an open; -1 for other calls. */
static long open_flags(const struct seccomp_notif *n, size_t row)
{
	return files[row].flags == NO_DIR ? -1 : (long)(int)n->data.args[files[row].flags];
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Of calls that fail by themselves: there is nothing to remove, or it is there already. */
static bool fails_anyhow(int nr, const char *path)
{
	if (nr == SYS_mkdir || nr == SYS_mkdirat || nr == SYS_link || nr == SYS_linkat || nr == SYS_symlink ||
	    nr == SYS_symlinkat)
		return is_there(path);
	if (nr == SYS_unlink || nr == SYS_unlinkat || nr == SYS_rmdir || nr == SYS_rename ||
	    nr == SYS_renameat || nr == SYS_renameat2)
		return !is_there(path);
	return false;
}

/* What an open with FLAGS that write may do all the same, on a file that is there. */
static bool is_harmless_open(const char *path, long flags, bool *ret_matters)
{
	bool tries = (flags & O_ACCMODE) == O_RDWR && !(flags & (O_EXCL | O_TRUNC));
	bool makes = (flags & O_CREAT) && !(flags & (O_ACCMODE | O_TRUNC));

	if ((!tries && !makes) || !is_there(path))
		return false;
	*ret_matters |= tries; /* databases try, and then only read */
	return true;
}

static void read_file_call(const struct seccomp_notif *n, size_t row, const char *home,
			   struct look_notice *ret)
{
	scoped(drop_mem) char *path = find_path(n, row);
	long flags = open_flags(n, row);
	bool opens = flags >= 0, writes = flags & (O_ACCMODE | O_CREAT | O_TRUNC);

	snprintf(ret->what, sizeof(ret->what), "%s '%.250s'", files[row].what,
		 path ? path_tail(path, 250) : "?");
	if (!files[row].held ||
	    (opens && ((flags & O_ACCMODE) == O_ACCMODE || (flags & (O_ACCMODE | O_TRUNC)) == O_TRUNC)))
		return;
	if (opens && !writes) {
		ret->act = NOTICE_GO_ON;
	} else if (!path) {
		return;
	} else if (is_own(path) || fails_anyhow(n->data.nr, path)) {
		ret->act = NOTICE_GO_ON;
	} else if (is_dispensable(path, home)) {
		ret->act = NOTICE_SAY_NO;
		ret->error = EACCES;
		ret->matters = true;
	} else if (opens && is_harmless_open(path, flags, &ret->matters)) {
		ret->act = NOTICE_GO_ON;
	}
}

static void read_socket(const struct seccomp_notif *n, struct look_notice *ret)
{
	int family = (int)n->data.args[0];

	snprintf(ret->what, sizeof(ret->what),
		 family == AF_UNIX ? "to connect to a service of the machine" : "a socket");
	ret->error = family == AF_UNIX ? EACCES : EPERM;
	ret->act = NOTICE_SAY_NO; /* many only ask whether there could be one; who cannot do without fails,
				     there as in a box */
	/* So libc asks for names of users, at every start of a shell; without an answer it looks them up
	 * itself. */
	ret->matters =
		family != AF_UNIX || (int)n->data.args[1] != (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
}

void look_notice_read(const struct seccomp_notif *n, const char *home, struct look_notice *ret)
{
	*ret = (struct look_notice){ .act = NOTICE_END, .error = EPERM };
	for (size_t i = 0; i < N_FILES; i++)
		if (files[i].nr == n->data.nr) {
			read_file_call(n, i, home, ret);
			return;
		}
	if (n->data.nr == SYS_socket) {
		read_socket(n, ret);
		return;
	}
	snprintf(ret->what, sizeof(ret->what), "the system call %s", look_call_name(n->data.nr));
	for (size_t i = 0; i < sizeof(dispensable) / sizeof(*dispensable); i++)
		if (dispensable[i] == n->data.nr) {
			ret->act = NOTICE_SAY_NO;
			ret->error = n->data.nr == SYS_ioctl ? ENOTTY : EPERM;
			ret->matters = n->data.nr != SYS_ioctl;
			return;
		}
}
