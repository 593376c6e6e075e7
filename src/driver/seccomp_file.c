/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the seccomp file of a profile and has aisbx-seccomp translate it. The file says what is forbidden:
 * who can write to it could take that away, so it is held to the same rules as a profile.
 */
#include "driver/seccomp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "jail/plan.h"

#define HELPER   "aisbx-seccomp"
#define WITHOUT  "AISBX_WITHOUT"
#define MAX_SAID 512u /* of what the helper says */

static int open_file(const char *path, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "seccomp file '%s'", path);
	if (!S_ISREG(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "seccomp file '%s' is not a regular file", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "seccomp file '%s' belongs to somebody else (user %u), who could take "
				    "rules out of it; use a copy of your own",
				    path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "others can write to seccomp file '%s'; run 'chmod go-w %s'", path, path);
	*ret_fd = take_fd(&fd);
	return 0;
}

/* Its standard output and standard error are files in memory: neither can hold it up. RET: its status. */
static int run_helper(int in, int out, int err, int *ret, struct aisbx_error *e)
{
	const char *without = getenv(WITHOUT);
	const char *const env[] = { without && !strcmp(without, "landlock") ? WITHOUT "=landlock" : NULL,
				    NULL };
	const char *const argv[] = { HELPER, NULL };
	scoped(drop_fd) int program = -1;
	pid_t pid;
	int r = program_open(HELPER, &program, e);

	if (r < 0)
		return r;
	r = spawn_start(
		&(struct spawn){
			.exec_fd = program, .argv = argv, .env = env, .fds = { in, out, err }, .n_fds = 3 },
		&pid, e);
	if (r < 0)
		return r;
	while (waitpid(pid, ret, 0) < 0)
		if (errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_POLICY, errno, "wait for %s", HELPER);
	return 0;
}

static int read_back(int fd, size_t most, struct buf *ret, struct aisbx_error *e)
{
	int r = lseek(fd, 0, SEEK_SET) < 0 ? -errno : io_read_all(fd, most, ret);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_POLICY, -r, "read the answer of %s", HELPER) : 0;
}

static int tell_refusal(const char *path, int status, int err, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf said = { 0 };
	int r = read_back(err, MAX_SAID, &said, e);

	if (r < 0)
		return r;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && said.len)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "seccomp file '%s': %.*s",
				    path, (int)strcspn(said.data, "\n"), said.data);
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_POLICY, EPROTO,
			    "seccomp file '%s': %s ended with status %d; is the library libseccomp "
			    "installed?",
			    path, HELPER, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int seccomp_file_read(const char *path, struct buf *ret_code, struct aisbx_error *e)
{
	scoped(drop_fd) int in = -1;
	scoped(drop_fd) int out = memfd_create("aisbx-filter", MFD_CLOEXEC);
	scoped(drop_fd) int err = memfd_create("aisbx-said", MFD_CLOEXEC);
	int status = 0, r = open_file(path, &in, e);

	if (r == 0 && (out < 0 || err < 0))
		r = aisbx_fail(e, AISBX_AREA_POLICY, errno, "create a memfd for the filter");
	if (r == 0)
		r = run_helper(in, out, err, &status, e);
	if (r < 0)
		return r;
	if (status)
		return tell_refusal(path, status, err, e);
	r = read_back(out, JAIL_PLAN_MAX_FILTER * sizeof(struct sock_filter), ret_code, e);
	if (r == 0 && (!ret_code->len || ret_code->len % sizeof(struct sock_filter) ||
		       ret_code->len > JAIL_PLAN_MAX_FILTER * sizeof(struct sock_filter)))
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_POLICY, EPROTO,
				 "seccomp file '%s': %s gave an invalid answer", path, HELPER);
	return r;
}
