/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a helper: exactly its descriptors, its own environment, and errors where they happen. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/spawn.h"

static const char *const no_env[] = { NULL };

static int open_shell(void)
{
	int fd = open("/bin/sh", O_PATH | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void finish(pid_t pid, int expected)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected);
}

static void exactly_its_descriptors(void **state)
{
	/* Descriptor 1 is a pipe, 3 a file; 4 and whatever this program has open must not be there. */
	static const char *const argv[] = { "sh", "-c",
					    "[ -e /proc/self/fd/3 ] && for i in 4 5 6 7 8 9 20 21; do [ ! -e "
					    "/proc/$$/fd/$i ] || exit 1; done; echo $X",
					    NULL };
	static const char *const env[] = { "X=from-env", NULL };
	int null_fd = open("/dev/null", O_RDWR), leaked = fcntl(null_fd, F_DUPFD, 20), pipe_fds[2];
	struct spawn s = { .exec_fd = open_shell(), .argv = argv, .env = env, .n_fds = 4 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char said[64] = "";
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	s.fds[0] = s.fds[2] = s.fds[3] = null_fd;
	s.fds[1] = pipe_fds[1];
	assert_int_equal(spawn_start(&s, &pid, &e), 0);
	close(pipe_fds[1]);
	finish(pid, 0);
	assert_true(read(pipe_fds[0], said, sizeof(said) - 1) > 0);
	assert_string_equal(said, "from-env\n");
	close(pipe_fds[0]);
	close(leaked);
	close(null_fd);
	close(s.exec_fd);
}

static void sources_may_sit_where_targets_belong(void **state)
{
	static const char *const argv[] = { "sh", "-c", "echo out; echo err >&2", NULL };
	struct spawn s = { .exec_fd = open_shell(), .argv = argv, .env = no_env, .n_fds = 3 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int a[2], b[2], saved[3];
	char said[16] = "";
	pid_t pid;
	int r;

	(void)state;
	assert_int_equal(pipe(a) | pipe(b), 0);
	for (int i = 0; i < 3; i++)
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 30);
	/* The child's 1 is our 2 and its 2 is our 1. */
	dup2(a[1], 2);
	dup2(b[1], 1);
	s.fds[0] = saved[0];
	s.fds[1] = 2;
	s.fds[2] = 1;
	r = spawn_start(&s, &pid, &e);
	for (int i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(r, 0);
	finish(pid, 0);
	assert_int_equal(read(a[0], said, sizeof(said)), 4);
	assert_memory_equal(said, "out\n", 4);
	assert_int_equal(read(b[0], said, sizeof(said)), 4);
	assert_memory_equal(said, "err\n", 4);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
	close(s.exec_fd);
}

static void what_cannot_be_executed_is_an_error_here(void **state)
{
	static const char *const argv[] = { "null", NULL };
	struct spawn s = { .exec_fd = open("/dev/null", O_PATH | O_CLOEXEC), .argv = argv, .env = no_env };
	struct aisbx_error e = AISBX_ERROR_INIT;
	pid_t pid = -7;

	(void)state;
	assert_failed(spawn_start(&s, &pid, &e), EACCES, e, "execute null");
	assert_int_equal(pid, -7);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody left */
	assert_int_equal(errno, ECHILD);
	close(s.exec_fd);
}

static void bad_descriptors_are_errors(void **state)
{
	static const char *const argv[] = { "sh", NULL };
	struct spawn s = { .exec_fd = open_shell(), .argv = argv, .env = no_env, .n_fds = 1, .fds = { 999 } };
	struct aisbx_error e = AISBX_ERROR_INIT;
	pid_t pid;

	(void)state;
	assert_failed(spawn_start(&s, &pid, &e), EBADF, e, "execute sh");
	close(s.exec_fd);
	s.exec_fd = 999;
	assert_failed(spawn_start(&s, &pid, &e), EBADF, e, "execute sh");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_its_descriptors),
		cmocka_unit_test(sources_may_sit_where_targets_belong),
		cmocka_unit_test(what_cannot_be_executed_is_an_error_here),
		cmocka_unit_test(bad_descriptors_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
