/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a tree in which somebody goes on writing: it is like the tree at one moment, or there is none. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/layer.h"
#include "layer/name_list.h"
#include "layer/pin.h"

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-pin-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("top", 0755) < 0 || chdir("top") < 0 ||
	    mkdir("from", 0755) < 0 || mkdir("to", 0755) < 0)
		return -1;
	*state = strdup(dir);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "top", &e);

	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static bool holds(const char *path, const char *text)
{
	char data[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data) - 1);

	if (fd >= 0)
		close(fd);
	return n >= 0 && !strcmp(data, text);
}

/* Enough files that somebody is asked in between. */
static void fill(void)
{
	char path[64];

	assert_int_equal(mkdir("from/d", 0755), 0);
	for (int i = 0; i < 200; i++) {
		snprintf(path, sizeof(path), "from/d/%03d", i);
		put(path, "old");
	}
	assert_int_equal(mkdir("from/e", 0755) | mkdir("from/f", 0755), 0);
	put("from/e/same", "e");
	put("from/f/same", "f");
	put("from/edited", "old");
	put("from/gone", "old");
	put("from/twin", "old");
	assert_int_equal(link("from/twin", "from/d/twin"), 0);
	assert_int_equal(symlink("edited", "from/link"), 0);
	assert_int_equal(mkfifo("from/pipe", 0600), 0);
}

static int asked;

static bool change_once(void)
{
	if (++asked != 5)
		return false;
	put("from/edited", "new, and longer");
	put("from/twin", "new");
	put("from/d/added", "new");
	assert_int_equal(unlink("from/gone"), 0);
	assert_int_equal(rename("from/d/007", "from/moved"), 0);
	assert_int_equal(rename("from/e", "from/was") | rename("from/f", "from/e"),
			 0); /* with what is in it, as old as ever */
	assert_int_equal(unlink("from/link") | mkdir("from/link", 0700), 0);
	return false;
}

static bool change_always(void)
{
	static char text[] = "a";

	text[0] = (char)(text[0] == 'z' ? 'a' : text[0] + 1);
	put("from/edited", text);
	return false;
}

static bool give_up(void)
{
	return ++asked == 3;
}

static void test_changed_meanwhile(void **state)
{
	struct pin_how how = { .stops = change_once };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pin_count count;
	struct stat a, b;

	(void)state;
	fill();
	asked = 0;
	assert_int_equal(pin_copy("from", "to", &how, &count, &e), 0);
	assert_true(asked >= 5);
	assert_true(holds("to/edited", "new, and longer") && holds("to/twin", "new") &&
		    holds("to/d/twin", "new") && holds("to/d/added", "new"));
	assert_true(holds("to/e/same", "f") && holds("to/was/same", "e") && access("to/f", F_OK) < 0);
	assert_true(holds("to/moved", "old") && access("to/d/007", F_OK) < 0 && access("to/gone", F_OK) < 0);
	assert_true(stat("to/link", &a) == 0 && S_ISDIR(a.st_mode) && (a.st_mode & 07777) == 0700);
	assert_true(stat("to/pipe", &a) == 0 && S_ISFIFO(a.st_mode));
	assert_true(stat("to/twin", &a) == 0 && stat("to/d/twin", &b) == 0 && a.st_ino == b.st_ino &&
		    a.st_nlink == 2);
	assert_true(stat("from/d", &a) == 0 && stat("to/d", &b) == 0 &&
		    a.st_mtim.tv_nsec == b.st_mtim.tv_nsec);
	assert_true(access("to/.links", F_OK) < 0);
}

static void test_changed_all_the_time(void **state)
{
	struct pin_how how = { .stops = change_always };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pin_count count;

	(void)state;
	fill();
	assert_int_equal(pin_copy("from", "to", &how, &count, &e), -EAGAIN);
	assert_non_null(
		strstr(e.text, "'from' changes repeatedly while it is copied, most recently 'edited'"));
}

static void test_given_up(void **state)
{
	struct pin_how how = { .stops = give_up };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pin_count count;

	(void)state;
	fill();
	asked = 0;
	assert_int_equal(pin_copy("from", "to", &how, &count, &e), -EINTR);
}

/* Only root can make what its own user cannot read. */
static void test_unreadable(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pin_how how = { 0 };
	struct pin_count count;
	struct stat st;
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		return;
	put("from/theirs", "secret");
	put("from/open", "1");
	assert_int_equal(chmod("from/theirs", 0600) | mkdir("from/shut", 0700) | chown("to", 65534, 65534) |
				 chmod("..", 0755),
			 0);
	pid = fork();
	if (pid == 0) {
		bool fine = setgid(65534) == 0 && setuid(65534) == 0 &&
			    pin_copy("from", "to", &how, &count, &e) == 0 && count.unreadable >= 2;

		if (!fine)
			print_error("%s\n", e.text);
		_exit(fine ? 0 : 1);
	}
	assert_true(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(stat("to/theirs", &st) == 0 && !(st.st_mode & 0777) && st.st_size == 6 &&
		    !holds("to/theirs", "secret"));
	assert_true(stat("to/shut", &st) == 0 && S_ISDIR(st.st_mode) && !(st.st_mode & 0777));
	assert_true(holds("to/open", "1"));
}

static void test_names(void **state)
{
	scoped(name_list_finish) struct name_list n = { 0 };
	scoped(name_list_finish) struct name_list again = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	fill();
	assert_int_equal(mkdir("from/.git", 0755), 0);
	put("from/.git/HEAD", "ref: refs/heads/main\n");
	assert_int_equal(name_list_read_tree("from", 1, true, &n, &e), 0);
	assert_true(n.complete); /* some hundred are listed however long it takes */
	assert_string_equal(n.branch, "refs/heads/main");
	assert_true(name_list_find(&n, "d")->is_dir && name_list_find(&n, "")->is_dir &&
		    !name_list_find(&n, "d/199")->is_dir);
	assert_null(name_list_find(&n, ".git"));
	assert_null(name_list_find(&n, "d/200"));
	assert_int_equal(name_list_save(&n, "note", &e), 0);
	assert_int_equal(name_list_load("note", &again, &e), 0);
	assert_true(again.complete && again.n == n.n &&
		    name_list_find(&again, "d/000")->ino == name_list_find(&n, "d/000")->ino);
	assert_int_equal(truncate("note", 1000), 0);
	name_list_finish(&again);
	assert_int_equal(name_list_load("note", &again, &e), 0);
	assert_true(!again.complete && !again.n && !again.branch);
	assert_int_equal(name_list_load("nothing", &again, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_changed_meanwhile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_changed_all_the_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unreadable, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
