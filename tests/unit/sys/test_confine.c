/* SPDX-License-Identifier: Apache-2.0 */
/* What a helper that has confined itself can no longer do. Each is tried before, too: then it works. */
#include "support/test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/confine.h"
#include "sys/sys.h"

static char top[] = "/tmp/aisbx-confine-XXXXXX";
static struct sockaddr_in listener = { .sin_family = AF_INET };

static int finish(int r)
{
	return r < 0 ? errno : 0;
}

static int write_to(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	return fd < 0 ? errno : finish(close(fd));
}

static int try_write_inside(void)
{
	return write_to("in/file");
}

static int try_remove_inside(void)
{
	return try_write_inside() || finish(unlink("in/file"));
}

static int try_read(void)
{
	int fd = open("file", O_RDONLY);

	return fd < 0 ? errno : finish(close(fd));
}

static int try_write(void)
{
	return write_to("file");
}

static int try_create(void)
{
	int r = write_to("new");

	unlink("new");
	return r;
}

static int try_remove(void)
{
	return finish(unlink("victim"));
}

static int try_mkdir_inside(void)
{
	int r = finish(mkdir("in/directory", 0700));

	rmdir("in/directory");
	return r;
}

static int try_link_inside(void)
{
	int r = finish(symlink("/etc/passwd", "in/link"));

	unlink("in/link");
	return r;
}

static int try_truncate(void)
{
	return finish(truncate("file", 0));
}

static int try_exec(void)
{
	static char *const words[] = { "true", NULL };
	int status = 0, r;
	pid_t pid;

	r = posix_spawn(&pid, "/bin/true", NULL, NULL, words, words + 1);
	if (r == 0)
		waitpid(pid, &status, 0);
	return r ? r : status;
}

static int try_connect(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return finish(connect(fd, (struct sockaddr *)&listener, sizeof(listener)));
}

static int try_signal(void)
{
	return finish(kill(getppid(), 0));
}

/* Works whenever the kernel's Landlock is older than ABI; 0: always. */
static const struct attempt {
	const char *what;
	int (*act)(void);
	int forbidden_since;
} attempts[] = {
	{ "read", try_read, 0 },
	{ "write inside", try_write_inside, 0 },
	{ "remove inside", try_remove_inside, 0 },
	{ "write", try_write, 1 },
	{ "create", try_create, 1 },
	{ "remove", try_remove, 1 },
	{ "make a directory inside", try_mkdir_inside, 1 },
	{ "make a link inside", try_link_inside, 1 },
	{ "start a program", try_exec, 1 },
	{ "truncate", try_truncate, 3 },
	{ "connect", try_connect, 4 },
	{ "signal", try_signal, 6 },
};

/* In a child, which gives the error as its exit status. */
static int in_child(int (*act)(void), const char *const *writable)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (writable &&
		    (confine_self(writable, &e) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1))
			_exit(255);
		_exit(act());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void each_wall_holds(void **state)
{
	static const char *const writable[] = { "in", NULL };
	int abi = sys_landlock_abi();

	(void)state;
	assert_true(abi >= 1);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		const struct attempt *a = &attempts[i];
		bool is_allowed = !a->forbidden_since || abi < a->forbidden_since;
		int r;

		close(open("victim", O_CREAT | O_WRONLY, 0600));
		if (in_child(a->act, NULL) != 0)
			fail_msg("%s does not work without the wall either", a->what);
		close(open("victim", O_CREAT | O_WRONLY, 0600));
		r = in_child(a->act, writable);
		if (is_allowed ? r != 0 : r != EACCES && r != EPERM)
			fail_msg("%s: %s", a->what, r ? strerror(r) : "it works");
	}
}

static void a_place_that_is_not_there(void **state)
{
	static const char *const writable[] = { "nowhere", NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_failed(confine_self(writable, &e), ENOENT, e, "'nowhere'");
}

static void prepare(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(listener);

	listener.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(mkdtemp(top) && chdir(top) == 0);
	assert_int_equal(mkdir("in", 0700), 0);
	assert_int_equal(write_to("file"), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&listener, len), 0);
	assert_int_equal(listen(fd, 64), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&listener, &len), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wall_holds),
		cmocka_unit_test(a_place_that_is_not_there),
	};
	static const char *const left[] = { "victim", "file", "in/file", NULL };
	int r;

	prepare();
	r = cmocka_run_group_tests_name("confine", tests, NULL, NULL);
	for (const char *const *name = left; *name; name++)
		unlink(*name);
	rmdir("in");
	rmdir(top);
	return r;
}
