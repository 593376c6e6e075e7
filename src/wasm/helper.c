/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and starts aisbx-wasm. */
#include "wasm/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/spawn.h"

#define PROGRAM "aisbx-wasm"
#define ENGINE  "libwasmtime.so"

static int open_it(int *ret_fd, struct aisbx_error *e)
{
	if (program_open(PROGRAM, ret_fd, e) == 0)
		return 0;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			    "this aisbx was built without WebAssembly: there is no " PROGRAM
			    "; install one built with "
			    "-Dwasm=enabled, or use --driver native");
}

int wasm_helper_find(char **ret_program, char **ret_engine, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	char link[64], path[PATH_MAX];
	char *slash;
	ssize_t n;
	int r = open_it(&fd, e);

	if (r < 0)
		return r;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "find " PROGRAM);
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (asprintf(ret_program, "%s", path) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find " PROGRAM);
	/* A distribution has it among its libraries: those the box shows anyway. */
	if (asprintf(ret_engine, "%.*s/" ENGINE, (int)(slash - path), path) < 0) {
		free(*ret_program);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "find " PROGRAM);
	}
	if (access(*ret_engine, R_OK) < 0) {
		free(*ret_engine);
		*ret_engine = NULL;
	}
	return 0;
}

/* The last line that it said. */
static void tell(int errors, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char *line;

	if (lseek(errors, 0, SEEK_SET) < 0 || io_read_all(errors, 65536, &text) < 0 || !text.len) {
		aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO, PROGRAM " failed without a word");
		return;
	}
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	line = strrchr(text.data, '\n');
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EBADMSG, "%.400s", line ? line + 1 : text.data);
}

int wasm_helper_run(const char *const *words, int in_fd, int out_fd, struct aisbx_error *e)
{
	static const char *const env[] = { "LC_ALL=C.UTF-8", NULL };
	scoped(drop_fd) int program = -1;
	scoped(drop_fd) int errors = memfd_create("aisbx-errors", MFD_CLOEXEC);
	const char *argv[8] = { PROGRAM };
	struct spawn s = { .argv = argv, .env = env, .fds = { in_fd, out_fd, errors }, .n_fds = 3 };
	pid_t pid;
	int status, r = errors < 0 ? aisbx_fail(e, AISBX_AREA_RUN, errno, "start " PROGRAM)
				   : open_it(&program, e);

	for (size_t i = 0; words[i] && i + 2 < sizeof(argv) / sizeof(*argv); i++)
		argv[i + 1] = words[i];
	s.exec_fd = program;
	if (r == 0)
		r = spawn_start(&s, &pid, e);
	if (r < 0)
		return r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return aisbx_fail(e, AISBX_AREA_RUN, errno, "wait for " PROGRAM);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EIO,
				    PROGRAM " was ended by signal %d", WTERMSIG(status));
	tell(errors, e);
	return e->code;
}
