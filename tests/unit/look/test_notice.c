/* SPDX-License-Identifier: Apache-2.0 */
/* What a notification means: a call that only the filter refuses is never made, whatever its path says. */
#include "support/test.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "look/look.h"
#include "look/notice.h"

#define HOME "/home/somebody"

static struct look_notice read_call(int nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct seccomp_notif n = { .pid = (uint32_t)getpid(), .data = { .nr = nr, .args = { a, b, c, d } } };
	struct look_notice said;

	look_notice_read(&n, HOME, &said);
	return said;
}

static struct look_notice open_at(const char *path, int flags)
{
	return read_call(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path, (uint64_t)flags, 0);
}

static void test_writes_that_keep_nothing_go_on(void **state)
{
	static const char *const paths[] = { "/dev/null", "/dev/tty", "/dev/stderr", "/dev/fd/1",
					     "/proc/self/fd/2" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_int_equal(open_at(paths[i], O_WRONLY | O_CREAT | O_TRUNC).act, NOTICE_GO_ON);
}

static void test_a_write_needs_a_box(void **state)
{
	struct look_notice said = open_at("/srv/new", O_WRONLY | O_CREAT);

	(void)state;
	assert_int_equal(said.act, NOTICE_END);
	assert_string_equal(said.what, "to write '/srv/new'");
	said = open_at("/etc/passwd", O_WRONLY | O_APPEND);
	assert_int_equal(said.act, NOTICE_END);
	assert_int_equal(open_at(NULL, O_WRONLY).act, NOTICE_END); /* a path that cannot be read */
	said = read_call(SYS_mkdir, (uintptr_t) "/srv/new", 0755, 0, 0);
	assert_int_equal(said.act, NOTICE_END);
	assert_string_equal(said.what, "to make the directory '/srv/new'");
}

static void test_what_fails_anyhow_goes_on(void **state)
{
	(void)state;
	assert_int_equal(read_call(SYS_mkdir, (uintptr_t) "/usr", 0755, 0, 0).act, NOTICE_GO_ON);
	assert_int_equal(read_call(SYS_unlink, (uintptr_t) "/usr/no-such-file", 0, 0, 0).act, NOTICE_GO_ON);
	assert_int_equal(read_call(SYS_unlink, (uintptr_t) "/etc/passwd", 0, 0, 0).act, NOTICE_END);
}

static void test_caches_and_databases_are_refused_and_go_on(void **state)
{
	static const char *const paths[] = { HOME "/.cache/x/y", HOME "/.npm/_logs/z",
					     HOME "/.python_history", "/srv/a/__pycache__/b.pyc" };
	struct look_notice said;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		said = open_at(paths[i], O_WRONLY | O_CREAT);
		assert_true(said.act == NOTICE_SAY_NO && said.matters && said.error);
	}
	assert_int_equal(open_at(HOME "/.cached", O_WRONLY | O_CREAT).act, NOTICE_END);
	said = open_at("/etc/passwd", O_RDWR | O_CREAT);
	assert_true(said.act == NOTICE_GO_ON && said.matters); /* Landlock refuses it */
	assert_int_equal(open_at("/srv/new", O_RDWR | O_CREAT).act, NOTICE_END);
}

static void test_sockets(void **state)
{
	struct look_notice said =
		read_call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0);

	(void)state;
	assert_true(said.act == NOTICE_SAY_NO && !said.matters); /* libc asks for a name */
	said = read_call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0);
	assert_true(said.act == NOTICE_SAY_NO && said.matters);
	assert_string_equal(said.what, "a socket");
}

/* Those that Landlock judges are the only ones that may be made. */
static bool is_held(int nr)
{
	static const int held[] = { SYS_open,      SYS_openat, SYS_creat,    SYS_mkdir,   SYS_mkdirat,
				    SYS_rmdir,     SYS_unlink, SYS_unlinkat, SYS_rename,  SYS_renameat,
				    SYS_renameat2, SYS_link,   SYS_linkat,   SYS_symlink, SYS_symlinkat,
				    SYS_mknod,     SYS_mknodat };

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++)
		if (held[i] == nr)
			return true;
	return false;
}

static void test_what_only_the_filter_refuses_is_never_made(void **state)
{
	const uint64_t path = (uintptr_t) "/dev/null", none = (uintptr_t) "/no/such/file";

	(void)state;
	for (int nr = 0; nr < 600; nr++) {
		if (is_held(nr))
			continue;
		assert_int_not_equal(read_call(nr, path, path, path, path).act, NOTICE_GO_ON);
		assert_int_not_equal(read_call(nr, (uint64_t)AT_FDCWD, none, 0, none).act, NOTICE_GO_ON);
	}
	assert_int_not_equal(open_at("/dev/null", O_RDONLY | O_TRUNC).act, NOTICE_GO_ON);
	assert_int_not_equal(open_at("/dev/null", O_ACCMODE).act, NOTICE_GO_ON);
}

static void test_the_two_readings_of_the_filter(void **state)
{
	(void)state;
	for (int watched = 0; watched < 2; watched++) {
		unsigned short n = 0, told = 0, refused = 0;
		struct sock_filter *code = look_filter(watched, &n);

		assert_non_null(code);
		for (unsigned short i = 0; i < n; i++) {
			if (code[i].code != (BPF_RET | BPF_K))
				continue;
			assert_int_not_equal(code[i].k, SECCOMP_RET_LOG);
			told += code[i].k == SECCOMP_RET_USER_NOTIF;
			refused += code[i].k == (SECCOMP_RET_ERRNO | 1);
		}
		assert_true(watched ? told && !refused : refused && !told);
		free(code);
	}
	assert_string_equal(look_call_name(SYS_chmod), "chmod");
	assert_string_equal(look_call_name(100000), "?");
}

static void test_the_environment(void **state)
{
	static const char *const env[] = {
		"PATH=/bin", "GITHUB_TOKEN=x", "GIT_OPTIONAL_LOCKS=1", "odd", "=x", "HOME=/", NULL
	};
	const char **made = look_environment(env);

	(void)state;
	assert_non_null(made);
	assert_string_equal(made[0], "PATH=/bin");
	assert_string_equal(made[1], "HOME=/");
	assert_string_equal(made[2], "GIT_OPTIONAL_LOCKS=0");
	assert_string_equal(made[3], "PYTHONDONTWRITEBYTECODE=1");
	assert_null(made[4]);
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_that_keep_nothing_go_on),
		cmocka_unit_test(test_a_write_needs_a_box),
		cmocka_unit_test(test_what_fails_anyhow_goes_on),
		cmocka_unit_test(test_caches_and_databases_are_refused_and_go_on),
		cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_what_only_the_filter_refuses_is_never_made),
		cmocka_unit_test(test_the_two_readings_of_the_filter),
		cmocka_unit_test(test_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
