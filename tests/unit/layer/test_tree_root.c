/* SPDX-License-Identifier: Apache-2.0 */
/* A tree by descriptors: no link, no "..", no other mount and no swapped directory leads out of it. */
#include "support/test.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/layer.h"
#include "layer/tree_root.h"

static void write_file(const char *path, const char *text)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* "top/tree" is the tree; what lies beside it is outside. */
static int setup(void **state)
{
	char dir[] = "/var/tmp/test-place-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("top", 0755) < 0 || mkdir("top/outside", 0755) < 0 ||
	    mkdir("top/tree", 0755) < 0 || mkdir("top/tree/d", 0755) < 0 || mkdir("top/tree/d/e", 0755) < 0)
		return -1;
	write_file("top/outside/secret", "secret");
	write_file("top/tree/f", "f");
	write_file("top/tree/d/g", "g");
	write_file("top/tree/d/e/h", "h");
	*state = strdup(dir);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "top", &e);

	if (r < 0)
		print_error("%s\n", e.text);
	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

static struct tree_root tree(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tree_root p = TREE_ROOT_INIT;

	assert_int_equal(tree_root_open("top/tree", &p, &e), 0);
	return p;
}

static void test_open(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tree_root p = TREE_ROOT_INIT;

	(void)state;
	assert_failed(tree_root_open("top/missing", &p, &e), ENOENT, e, "top/missing");
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	assert_failed(tree_root_open("top/tree/f", &p, &e), ENOTDIR, e, "top/tree/f");
	assert_int_equal(p.root, -1); /* untouched */
	tree_root_close(&p);
}

static void test_paths(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	struct stat st, want;
	const char *name;

	(void)state;
	assert_int_equal(tree_root_stat(&p, "f", &st), 1);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(tree_root_stat(&p, "d/e/h", &st), 1);
	assert_int_equal(stat("top/tree/d/e/h", &want), 0);
	assert_int_equal(st.st_ino, want.st_ino);
	assert_int_equal(tree_root_stat(&p, "d/g", &st), 1); /* and back to another directory */
	assert_int_equal(stat("top/tree/d/g", &want), 0);
	assert_int_equal(st.st_ino, want.st_ino);
	assert_int_equal(stat("top/tree", &want), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tree_root_stat(&p, i ? "." : "", &st), 1);
		assert_int_equal(st.st_ino, want.st_ino);
	}
	assert_int_equal(tree_root_parent(&p, "f", &name), p.root);
	assert_string_equal(name, "f");
	assert_int_equal(tree_root_parent(&p, "", &name), p.root);
	assert_string_equal(name, ".");
	assert_true(tree_root_parent(&p, "d/e/h", &name) >= 0);
	assert_string_equal(name, "h");
}

/* A directory whose name begins like the one remembered is another one. */
static void test_one_is_remembered(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	const char *name;
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkdir("top/tree/dd", 0755), 0);
	assert_int_equal(mkdir("top/tree/d/ee", 0755), 0);
	fd = tree_root_parent(&p, "d/e/h", &name);
	assert_true(fd >= 0);
	assert_int_equal(tree_root_parent(&p, "d/e/other", &name), fd);
	assert_int_equal(tree_root_stat(&p, "dd/e/h", &st), 0);
	assert_int_equal(tree_root_stat(&p, "d/ee/h", &st), 0);
	assert_int_equal(tree_root_stat(&p, "d/g", &st), 1);
	assert_int_equal(tree_root_stat(&p, "d/h", &st), 0);
}

static void test_nothing_there(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	struct stat st;

	(void)state;
	assert_int_equal(tree_root_stat(&p, "missing", &st), 0);
	assert_int_equal(tree_root_stat(&p, "d/missing", &st), 0);
	assert_int_equal(tree_root_stat(&p, "missing/below", &st), 0);
	assert_int_equal(tree_root_stat(&p, "f/below", &st), 0); /* a file is no directory */
	assert_int_equal(tree_root_stat(&p, "d/g/below/it", &st), 0);
	assert_int_equal(tree_root_stat(&p, "f/below", &st), 0);
}

static void test_links(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	const char *name;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("d", "top/tree/inside"), 0);
	assert_int_equal(symlink("../outside", "top/tree/out"), 0);
	assert_int_equal(symlink("/etc", "top/tree/absolute"), 0);
	assert_int_equal(symlink("../../outside", "top/tree/d/out"), 0);
	assert_int_equal(symlink("loop", "top/tree/loop"), 0);
	/* The link itself is there and is a link; nothing is below it, wherever it points. */
	assert_int_equal(tree_root_stat(&p, "out", &st), 1);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(tree_root_stat(&p, "inside/g", &st), 0);
	assert_int_equal(tree_root_stat(&p, "out/secret", &st), 0);
	assert_int_equal(tree_root_stat(&p, "absolute/passwd", &st), 0);
	assert_int_equal(tree_root_stat(&p, "d/out/secret", &st), 0);
	assert_int_equal(tree_root_stat(&p, "inside/e/h", &st), 0);
	assert_int_equal(tree_root_stat(&p, "loop/x", &st), 0);
	/* To whom writes, it is an error. */
	assert_true(tree_root_parent(&p, "out/secret", &name) < 0);
	assert_int_equal(tree_root_parent(&p, "inside/g", &name), -ELOOP);
	assert_int_equal(tree_root_parent(&p, "d/out/x/y", &name), -ELOOP);
}

static void test_dots(void **state)
{
	static const char *const ways[] = { "../outside/secret",           "d/../../outside/secret",
					    "d/e/../../../outside/secret", "../tree/f",
					    "./../outside/secret",         "/etc/passwd",
					    "/etc/../etc/passwd" };
	scoped(tree_root_close) struct tree_root p = tree();
	const char *name;
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		assert_true(tree_root_parent(&p, ways[i], &name) < 0);
		assert_true(tree_root_stat(&p, ways[i], &st) <= 0);
	}
	assert_true(tree_root_stat(&p, "/passwd", &st) <= 0);
}

/* Also as the last name. */
static void test_dots_at_the_end(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	const char *name;
	struct stat st;

	(void)state;
	assert_true(tree_root_parent(&p, "..", &name) < 0);
	assert_true(tree_root_stat(&p, "..", &st) <= 0);
	assert_true(tree_root_parent(&p, "d/..", &name) < 0);
}

static void test_swapped_parent(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	struct stat st, want;
	const char *name;
	int fd;

	(void)state;
	assert_int_equal(stat("top/tree/d/g", &want), 0);
	fd = tree_root_parent(&p, "d/g", &name);
	assert_true(fd >= 0);
	/* Somebody moves it away and puts a link to the outside in its place. */
	assert_int_equal(rename("top/tree/d", "top/tree/moved"), 0);
	assert_int_equal(symlink("../outside", "top/tree/d"), 0);
	write_file("top/outside/g", "not this one");
	/* What was opened stays what it was. */
	assert_int_equal(tree_root_stat(&p, "d/g", &st), 1);
	assert_int_equal(st.st_ino, want.st_ino);
	/* And what is opened now is not the outside. */
	tree_root_forget(&p);
	assert_int_equal(tree_root_parent(&p, "d/g", &name), -ELOOP);
	assert_int_equal(tree_root_stat(&p, "d/g", &st), 0);
	assert_int_equal(tree_root_stat(&p, "d/secret", &st), 0);
	/* Nor after another directory, which would be forgotten. */
	assert_int_equal(tree_root_stat(&p, "moved/g", &st), 1);
	assert_int_equal(tree_root_stat(&p, "d/secret", &st), 0);
	assert_int_equal(tree_root_stat(&p, "moved/g", &st), 1);
}

static void test_swapped_tree(void **state)
{
	scoped(tree_root_close) struct tree_root p = tree();
	struct stat st, want;

	(void)state;
	assert_int_equal(stat("top/tree/f", &want), 0);
	assert_int_equal(rename("top/tree", "top/moved"), 0);
	assert_int_equal(symlink("outside", "top/tree"), 0);
	assert_int_equal(tree_root_stat(&p, "f", &st), 1);
	assert_int_equal(st.st_ino, want.st_ino);
	assert_int_equal(tree_root_stat(&p, "secret", &st), 0);
}

static void test_other_file_systems(void **state)
{
	scoped(tree_root_close) struct tree_root p = TREE_ROOT_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *name;
	struct stat st;

	(void)state;
	assert_int_equal(tree_root_open("/", &p, &e), 0);
	assert_int_equal(tree_root_parent(&p, "proc/self", &name), -EXDEV);
	assert_int_equal(tree_root_stat(&p, "proc/self", &st), -EXDEV);
	assert_int_equal(tree_root_stat(&p, "proc/self/root/etc", &st), -EXDEV);
	assert_int_equal(tree_root_stat(&p, "proc", &st), 1); /* the place it is mounted on is in the tree */
	assert_int_equal(tree_root_stat(&p, "etc/passwd", &st), 1);
}

/* In a process of its own, since the mount is to be gone afterwards. Its exit status says which line. */
static int with_mount(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct tree_root p = TREE_ROOT_INIT;
	const char *name;
	struct stat st;
	int failed = 0;

	if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 1;
	if (tree_root_open("top/tree", &p, &e) < 0 || tree_root_stat(&p, "d/e/h", &st) != 1)
		return 2;
	tree_root_forget(&p);
	/* Of the same file system, but another mount: a rename would not cross it, and it may
	 * lead anywhere. */
	if (mount("top/outside", "top/tree/d/e", NULL, MS_BIND, NULL) < 0)
		return 3;
	if (tree_root_parent(&p, "d/e/secret", &name) != -EXDEV)
		failed = 4;
	else if (tree_root_stat(&p, "d/e/secret", &st) != -EXDEV)
		failed = 5;
	else if (tree_root_stat(&p, "d/e/h", &st) != -EXDEV) /* not "nothing there": it is hidden */
		failed = 6;
	else if (tree_root_stat(&p, "d/g", &st) != 1)
		failed = 7;
	tree_root_close(&p);
	return failed;
}

static void test_other_mounts(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(with_mount());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_is_remembered, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dots, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dots_at_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_swapped_parent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_swapped_tree, setup, teardown),
		cmocka_unit_test(test_other_file_systems),
		cmocka_unit_test_setup_teardown(test_other_mounts, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
