/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STATE/pids/BOX names pid 1 of the run that uses the box: its id and, since ids are reused, its start time.
 * The lock cannot tell: the kernel closes the descriptors of pid 1 before it kills the other processes of its
 * namespace, and makes it a zombie only after that (exit_files, zap_pid_ns_processes in do_exit). So the
 * process itself is waited for.
 */
#include "box/last_init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

/* A namespace full of processes takes a moment to be emptied; one with a process that hangs in the kernel
 * takes for ever. */
#define LAST_PATIENCE_MS 10000

/* Of a process and when it was started, in ticks. All records are of one length, so that a shorter one leaves
 * no rest. */
#define RECORD "%10d %20llu\n"

static char *path_of(const struct box_state *s, const struct store_box *b)
{
	char *path;

	return asprintf(&path, "%s/pids/%s", s->dir, b->id) > 0 ? path : NULL;
}

/* 0: there is no such process. */
static unsigned long long started(int32_t pid)
{
	scoped(drop_fd) int fd = -1;
	char text[1024];
	const char *at;
	ssize_t n;

	snprintf(text, sizeof(text), "/proc/%d/stat", pid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	at = strrchr(text, ')'); /* field 2, its name, may hold anything; what is wanted is field 22 */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

int box_last_init_open(const struct box_state *s, const struct store_box *b, int *ret_fd,
		       struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_join(s->dir, "pids");
	scoped(drop_mem) char *path = path_of(s, b);
	int fd;

	if (!dir || !path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "record the process that runs in box '%s'",
				  b->name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == ENOENT &&
	    (mkdir(dir, 0700) == 0 || errno == EEXIST)) /* another run may be faster */
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno,
				  "record the process that runs in box '%s' in '%s'", b->name, path);
	*ret_fd = fd;
	return 0;
}

int box_last_init_write(int fd, int32_t pid, struct aisbx_error *e)
{
	char text[64];
	int n = snprintf(text, sizeof(text), RECORD, pid, started(pid));

	if (pwrite(fd, text, (size_t)n, 0) != n)
		return aisbx_fail(e, AISBX_AREA_BOX, errno ? errno : EIO,
				  "record the process that runs in the box");
	return 0;
}

void box_last_init_clear(int fd)
{
	if (ftruncate(fd, 0) < 0) /* then the next one looks for a process that is not there */
		return;
}

/* A descriptor of who was noted; -1: it is gone. */
static int find(int fd, int *ret_pid)
{
	scoped(drop_fd) int pidfd = -1;
	unsigned long long start;
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	if (sscanf(text, "%d %llu", ret_pid, &start) != 2 || *ret_pid <= 0 || !start)
		return -1;
	pidfd = (int)syscall(SYS_pidfd_open, *ret_pid, 0);
	return pidfd >= 0 && started(*ret_pid) == start ? take_fd(&pidfd) : -1;
}

int box_last_init_await(const struct box_state *s, const struct store_box *b, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_of(s, b);
	scoped(drop_fd) int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct pollfd p = { .fd = -1, .events = POLLIN };
	int pid, n;

	if (!path)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "lock box '%s'", b->name);
	p.fd = fd < 0 ? -1 : find(fd, &pid);
	if (p.fd < 0)
		return 0;
	do /* readable once it is a zombie: then its namespace is empty and its mounts are gone */
		n = poll(&p, 1, LAST_PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	close(p.fd);
	if (n == 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				    "the supervisor of the last run in box '%s' was killed, and its command "
				    "(process %d) has not ended since; try again, find out what it waits "
				    "for, or fork a snapshot of the box",
				    b->name, pid);
	box_last_init_clear(fd);
	return 0;
}

void box_last_init_drop(const struct box_state *s, const struct store_box *b)
{
	scoped(drop_mem) char *path = path_of(s, b);

	if (path)
		unlink(path);
}
