/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers that do more than call: descriptors in messages, whole writes, sealed memory, folded errors. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

static void errors_are_negative(void **state)
{
	struct stat st;
	char byte;

	(void)state;
	assert_int_equal(sys_open(AT_FDCWD, "/nowhere/at/all", O_RDONLY, 0), -ENOENT);
	assert_int_equal(sys_stat(AT_FDCWD, "/nowhere", &st, 0), -ENOENT);
	assert_int_equal(sys_read(-1, &byte, 1), -EBADF);
	assert_int_equal(sys_write_all(-1, "x", 1), -EBADF);
	assert_int_equal(sys_write_file(AT_FDCWD, "/nowhere", "x"), -ENOENT);
	assert_int_equal(sys_mkdir(AT_FDCWD, "/", 0755), -EEXIST);
	assert_int_equal(sys_openat2(AT_FDCWD, "/", O_RDONLY, 0, ~0ULL), -EINVAL);
	assert_int_equal(sys_memfd_is_sealed(-1), -EBADF);
	assert_int_equal(sys_fsopen("no-such-fs") < 0, 1);
}

static void messages_carry_descriptors(void **state)
{
	int pair[2], sent[2], got[SYS_MAX_FDS], many[SYS_MAX_FDS + 1] = { 0 };
	char text[8] = "";
	struct stat a, b;

	(void)state;
	assert_int_equal(sys_socketpair(SOCK_SEQPACKET, pair), 0);
	sent[0] = open("/dev/null", O_RDONLY);
	sent[1] = open("/dev/zero", O_RDONLY);
	assert_int_equal(sys_send(pair[0], "hi", 2, sent, 2), 0);
	assert_int_equal(sys_recv(pair[1], text, sizeof(text), got, 0), 2);
	assert_string_equal(text, "hi");
	assert_true(got[0] >= 0 && got[1] >= 0);
	assert_int_equal(got[2], -1);
	assert_int_equal(fstat(sent[1], &a) | fstat(got[1], &b), 0);
	assert_int_equal(a.st_rdev, b.st_rdev);
	assert_true(fcntl(got[0], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(sys_send(pair[0], "", 1, NULL, 0), 0);
	for (int i = 0; i < 2; i++) {
		close(got[i]);
		close(sent[i]);
	}
	assert_int_equal(sys_recv(pair[1], text, sizeof(text), got, 0), 1);
	assert_int_equal(got[0], -1);
	assert_int_equal(sys_send(pair[0], "", 1, many, SYS_MAX_FDS + 1), -EINVAL);
	assert_int_equal(sys_recv(pair[1], text, sizeof(text), got, MSG_DONTWAIT), -EAGAIN);
	close(pair[0]);
	assert_int_equal(sys_recv(pair[1], text, sizeof(text), got, 0), 0);
	assert_int_equal(sys_send(pair[1], "", 1, NULL, 0), -EPIPE); /* and no SIGPIPE */
	close(pair[1]);
}

static void seals_hold(void **state)
{
	int fd = sys_memfd("test");

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(sys_memfd_is_sealed(fd), 0);
	assert_int_equal(sys_write_all(fd, "abc", 3), 0);
	assert_int_equal(sys_memfd_seal(fd), 0);
	assert_int_equal(sys_memfd_is_sealed(fd), 1);
	assert_int_equal(sys_write_all(fd, "d", 1), -EPERM);
	assert_int_equal(sys_memfd_seal(fd), -EPERM);
	close(fd);
}

static void processes_by_descriptor(void **state)
{
	int fd = sys_pidfd_open(getpid());

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(sys_pidfd_signal(fd, 0), 0);
	assert_int_equal(sys_pidfd_signal(-1, 0), -EBADF);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_negative),
		cmocka_unit_test(messages_carry_descriptors),
		cmocka_unit_test(seals_hold),
		cmocka_unit_test(processes_by_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
