/* SPDX-License-Identifier: Apache-2.0 */
/* The person's terminal is made raw, and always given back as it was. */
#include "support/test.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run/terminal.h"

static bool is_raw(int fd)
{
	struct termios t;

	assert_int_equal(tcgetattr(fd, &t), 0);
	return !(t.c_lflag & (ICANON | ECHO | ISIG));
}

static void raw_while_attached(void **state)
{
	struct winsize size = { .ws_row = 33, .ws_col = 77 }, seen = { 0 };
	int person[2], box[2];
	struct terminal t;

	(void)state;
	assert_int_equal(openpty(&person[0], &person[1], NULL, NULL, &size), 0);
	assert_int_equal(openpty(&box[0], &box[1], NULL, NULL, NULL), 0);
	terminal_init(&t);
	terminal_attach(&t, person[1], box[0]);
	assert_true(is_raw(person[1]));
	assert_false(is_raw(box[1]));
	assert_int_equal(ioctl(box[1], TIOCGWINSZ, &seen), 0);
	assert_int_equal(seen.ws_row, 33);
	assert_int_equal(seen.ws_col, 77);
	size.ws_col = 10;
	ioctl(person[0], TIOCSWINSZ, &size);
	terminal_resize(&t);
	ioctl(box[1], TIOCGWINSZ, &seen);
	assert_int_equal(seen.ws_col, 10);
	terminal_suspend(&t);
	assert_false(is_raw(person[1]));
	terminal_resume(&t);
	assert_true(is_raw(person[1]));
	terminal_restore(&t);
	assert_false(is_raw(person[1]));
	assert_int_equal(fcntl(box[0], F_GETFD), -1); /* it was given away */
	terminal_restore(&t);
	close(box[1]);
	close(person[0]);
	close(person[1]);
}

/* A process that attached is killed: somebody else gives the terminal back. MEANWHILE: as a shell would, to
 * its own. */
static void kill_attached(const struct termios *meanwhile, struct termios *ret)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int person[2], told[2];
	char byte;
	pid_t pid;

	assert_int_equal(openpty(&person[0], &person[1], NULL, NULL, NULL), 0);
	assert_int_equal(pipe(told), 0);
	pid = fork();
	if (pid == 0) {
		int box[2];
		struct terminal t;

		terminal_init(&t);
		if (openpty(&box[0], &box[1], NULL, NULL, NULL) == 0)
			terminal_attach(&t, person[1], box[0]);
		if (write(told[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(told[1]);
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_true(is_raw(person[1]));
	if (meanwhile)
		assert_int_equal(tcsetattr(person[1], TCSANOW, meanwhile), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(read(told[0], &byte, 1),
			 0); /* the other process holds it no more, but the terminal: wait for that */
	for (int i = 0; !meanwhile && i < 30000 && is_raw(person[1]); i++)
		nanosleep(&moment, NULL);
	assert_int_equal(tcgetattr(person[1], ret), 0);
	close(told[0]);
	close(person[0]);
	close(person[1]);
}

static void given_back_when_killed(void **state)
{
	struct termios fresh, after, own;
	int other[2];

	(void)state;
	assert_int_equal(openpty(&other[0], &other[1], NULL, NULL, NULL), 0);
	tcgetattr(other[1], &fresh);
	kill_attached(NULL, &after);
	assert_true(after.c_iflag == fresh.c_iflag && after.c_oflag == fresh.c_oflag &&
		    after.c_cflag == fresh.c_cflag);
	assert_int_equal(after.c_lflag, fresh.c_lflag);
	assert_memory_equal(after.c_cc, fresh.c_cc, sizeof(fresh.c_cc));
	own = fresh;
	own.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	kill_attached(&own, &after);
	assert_int_equal(after.c_lflag, own.c_lflag);
	close(other[0]);
	close(other[1]);
}

static void no_terminal_no_harm(void **state)
{
	int box[2], null_fd = open("/dev/null", O_RDWR);
	struct terminal t;

	(void)state;
	assert_int_equal(openpty(&box[0], &box[1], NULL, NULL, NULL), 0);
	terminal_init(&t);
	terminal_resize(&t);
	terminal_resume(&t);
	terminal_restore(&t);
	terminal_attach(&t, null_fd, box[0]);
	terminal_resize(&t);
	terminal_suspend(&t);
	terminal_resume(&t);
	assert_false(t.raw);
	terminal_restore(&t);
	close(box[1]);
	close(null_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_while_attached),
		cmocka_unit_test(given_back_when_killed),
		cmocka_unit_test(no_terminal_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
