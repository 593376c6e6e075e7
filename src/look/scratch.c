/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that the supervisor makes in the place of a command, below one directory and nowhere else. */
#include "look/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
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
#include "look/notice.h"
#include "sys/sys.h"

#define NONE 6 /* no argument */

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* Which arguments hold the directory or descriptor, the path, and the value. */
static const struct {
	long nr;
	unsigned int dir, path, value, flags;
	int act;
} calls[] = {
	{ SYS_chmod, NONE, 0, 1, NONE, SCRATCH_MODE }, { SYS_fchmod, 0, NONE, 1, NONE, SCRATCH_MODE },
	{ SYS_fchmodat, 0, 1, 2, NONE, SCRATCH_MODE }, { SYS_fchmodat2, 0, 1, 2, 3, SCRATCH_MODE },
	{ SYS_utimensat, 0, 1, 2, 3, SCRATCH_TIMES },  { SYS_truncate, NONE, 0, 1, NONE, SCRATCH_CUT },
};

static int read_times(const struct seccomp_notif *n, uint64_t at, struct scratch_call *ret)
{
	struct timespec times[2];

	ret->now = !at;
	if (!at)
		return 0;
	if (!look_read_memory((pid_t)n->pid, at, times, sizeof(times)))
		return -EFAULT;
	for (int i = 0; i < 2; i++) {
		ret->times[2 * i] = times[i].tv_sec;
		ret->times[2 * i + 1] = times[i].tv_nsec;
	}
	return 0;
}

static void read_call(const struct seccomp_notif *n, size_t row, struct scratch_call *ret)
{
	const __u64 *args = n->data.args;
	unsigned int dir = calls[row].dir, path = calls[row].path;
	unsigned int flags = calls[row].flags == NONE ? 0 : (unsigned int)args[calls[row].flags];

	ret->act = calls[row].act;
	ret->link = flags & AT_SYMLINK_NOFOLLOW;
	ret->path = look_find_path(n, dir == NONE ? AT_FDCWD : (int)args[dir], path == NONE ? 0 : args[path]);
	if (ret->act == SCRATCH_MODE)
		ret->mode = (unsigned int)args[calls[row].value] &
			    0777; /* nobody gets rights by a file of a box */
	else if (ret->act == SCRATCH_CUT)
		ret->size = (long long)args[calls[row].value];
	else
		ret->error = read_times(n, args[calls[row].value], ret);
	if (ret->error) {
		ret->act = SCRATCH_NO;
		ret->error = -ret->error;
	}
}

void scratch_read(const struct seccomp_notif *n, struct scratch_call *ret)
{
	struct look_notice said;
	int type = (int)n->data.args[1] & 0xf;

	*ret = (struct scratch_call){ .act = SCRATCH_NO, .error = EPERM };
	/* A pair that is connected reaches nobody else, unless it sends datagrams; this is in registers. */
	if (n->data.nr == SYS_socketpair && (int)n->data.args[0] == AF_UNIX &&
	    (type == SOCK_STREAM || type == SOCK_SEQPACKET)) {
		ret->act = SCRATCH_GO_ON;
		return;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].nr == n->data.nr) {
			ret->error = 0;
			read_call(n, i, ret);
			return;
		}
	look_notice_read(n, NULL, &said);
	ret->error = said.error ? said.error : EPERM;
}

static int change_times(const struct scratch_call *c, const char *name)
{
	const struct timespec times[2] = { { c->times[0], (long)c->times[1] },
					   { c->times[2], (long)c->times[3] } };

	return utimensat(AT_FDCWD, name, c->now ? NULL : times, 0) < 0 ? -errno : 0;
}

int scratch_do(const struct scratch_call *c, const char *dir, int fd)
{
	const char *below = c->path ? path_below(c->path, dir) : NULL;
	scoped(drop_fd) int file = -1;
	char name[32];
	struct stat st;

	if (!below)
		return -EPERM;
	/* Whatever it becomes meanwhile, it is opened below DIR, and what is opened is changed. */
	file = sys_openat2(fd, *below ? below : ".", O_PATH | O_CLOEXEC | (c->link ? O_NOFOLLOW : 0), 0,
			   RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
	if (file < 0)
		return file == -EXDEV ? -EPERM : file;
	if (fstat(file, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return c->act == SCRATCH_TIMES ? 0 : -EOPNOTSUPP; /* times of a link: nobody misses them */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	if (c->act == SCRATCH_MODE)
		return chmod(name, c->mode) < 0 ? -errno : 0;
	if (c->act == SCRATCH_CUT)
		return truncate(name, c->size) < 0 ? -errno : 0;
	return change_times(c, name);
}
