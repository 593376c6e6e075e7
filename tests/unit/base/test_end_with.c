/* SPDX-License-Identifier: Apache-2.0 */
/* A process that asks to end with its parent does, also if that ended before it could ask. */
#include "support/test.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/end_with.h"

/* Says what it was told, and lives for ever if its parent is said to be there. */
static void be_grandchild(pid_t parent, bool late, int said)
{
	char c;

	while (late && getppid() == parent)
		usleep(1000);
	c = end_with(parent, SIGKILL) ? 'y' : 'n';
	if (write(said, &c, 1) == 1 && c == 'y')
		pause();
	_exit(0);
}

/* A child with a child of its own, that asks when its parent has ended (LATE) or before. */
static pid_t start_family(bool late, int *ret_said)
{
	int pipe_fds[2];
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (child == 0) {
		const pid_t parent = getpid();

		close(pipe_fds[0]);
		if (fork() == 0)
			be_grandchild(parent, late, pipe_fds[1]);
		if (late)
			_exit(0);
		close(pipe_fds[1]);
		pause();
	}
	close(pipe_fds[1]);
	assert_true(child > 0);
	*ret_said = pipe_fds[0];
	return child;
}

static int next_byte(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c;

	assert_int_equal(poll(&p, 1, 30000), 1);
	return read(fd, &c, 1) == 1 ? c : 0;
}

static void a_parent_that_ends_later(void **state)
{
	int said, status;
	const pid_t child = start_family(false, &said);

	(void)state;
	assert_int_equal(next_byte(said), 'y');
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(next_byte(said), 0); /* the grandchild's end of the pipe is closed: it is gone */
	close(said);
}

static void a_parent_that_has_ended(void **state)
{
	int said, status;
	const pid_t child = start_family(true, &said);

	(void)state;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(next_byte(said), 'n');
	assert_int_equal(next_byte(said), 0);
	close(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parent_that_ends_later),
		cmocka_unit_test(a_parent_that_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
