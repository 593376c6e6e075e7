/* SPDX-License-Identifier: Apache-2.0 */
/* Which directories are one's own, and what is said of those that are not. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/private_dir.h"

static char top[] = "/tmp/aisbx-own-XXXXXX";

static const char *at(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static int make_all(void **state)
{
	(void)state;
	if (!mkdtemp(top) || mkdir(at("dir"), 0700) < 0 || mkdir(at("dir/in"), 0711) < 0 ||
	    mkdir(at("open"), 0700) < 0 || chmod(at("open"), 0777) < 0 || mkdir(at("open/in"), 0700) < 0 ||
	    mkdir(at("sticky"), 0700) < 0 || chmod(at("sticky"), 01777) < 0 ||
	    mkdir(at("sticky/in"), 0700) < 0 || mkdir(at("group"), 0700) < 0 ||
	    chmod(at("group"), 0775) < 0 || mkdir(at("group/in"), 0700) < 0 ||
	    symlink("dir", at("link")) < 0 || symlink("loop", at("loop")) < 0 ||
	    symlink("../dir/in", at("dir/up")) < 0 || mkfifo(at("fifo"), 0600) < 0)
		return -1;
	return 0;
}

static int remove_all(void **state)
{
	static const char *const names[] = { "dir/up", "link", "loop", "fifo" }, *const dirs[] = {
		"dir/made", "dir/in", "dir", "open/in", "open", "sticky/in", "sticky", "group/in", "group"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(at(names[i]));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		rmdir(at(dirs[i]));
	return rmdir(top);
}

static void paths(void **state)
{
	static const struct {
		const char *name;
		int r;
		const char *words;
	} cases[] = {
		{ "dir", 0, NULL },
		{ "dir/in", 0, NULL },
		{ "dir/../dir//in/.", 0, NULL },
		{ "link", 0, NULL },
		{ "link/in", 0, NULL },
		{ "dir/up", 0, NULL },
		{ "sticky/in", 0, NULL },
		{ "group/in", 0, NULL },
		{ "none", -ENOENT, NULL },
		{ "dir/none/x", -ENOENT, NULL },
		{ "open", -EPERM, "others than you can write" },
		{ "group", -EPERM, "others than you can write" },
		{ "sticky", -EPERM, "others than you can write" },
		{ "open/in", -EPERM, "everybody can write" },
		{ "fifo", -ENOTDIR, "is a FIFO" },
		{ "fifo/x", -ENOTDIR, "is a FIFO" },
		{ "loop", -ELOOP, "loop" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		int fd = private_dir_open(at(cases[i].name), "do so", &e);

		if (fd >= 0)
			close(fd);
		if ((fd < 0 ? fd : 0) != cases[i].r)
			fail_msg("%s: %d, %s", cases[i].name, fd, e.text);
		if (cases[i].words && !strstr(e.text, cases[i].words))
			fail_msg("%s: %s", cases[i].name, e.text);
		if (fd >= 0 || fd == -ENOENT)
			assert_int_equal(e.code, 0);
	}
}

/* What is root's on the way is fine; at the end it is a stranger's, unless one is root. */
static void of_somebody_else(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	bool root = geteuid() == 0;
	int fd;

	(void)state;
	if (root)
		assert_int_equal(seteuid(65534), 0);
	fd = private_dir_open("/usr", "do so", &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(fd, -EPERM);
	assert_non_null(strstr(e.text, "'/usr' belongs to user "));
	assert_non_null(strstr(e.text, "do so"));
	if (!root)
		return;
	assert_int_equal(chown(at("dir"), 65534, 65534), 0);
	fd = private_dir_open(at("dir/in"), "do so", &e);
	assert_int_equal(chown(at("dir"), 0, 0), 0);
	assert_int_equal(fd, -EPERM);
	assert_non_null(strstr(e.text, "on the path to"));
	assert_int_equal(lchown(at("link"), 65534, 65534), 0);
	fd = private_dir_open(at("link/in"), "do so", &e);
	assert_int_equal(fd, -EPERM);
}

static void shared(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(private_dir_check_shared(at("sticky"), "do so", &e), 0);
	assert_int_equal(private_dir_check_shared(at("dir"), "do so", &e), 0);
	assert_int_equal(private_dir_check_shared(at("open"), "do so", &e), -EPERM);
	assert_int_equal(private_dir_check_shared(at("none"), "do so", &e), -ENOENT);
}

static void below(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int dir = open(at("dir"), O_RDONLY | O_DIRECTORY), top_fd = open(top, O_RDONLY | O_DIRECTORY), fd;
	struct stat st;

	(void)state;
	assert_int_equal(private_dir_open_at(dir, "d", "made", 0, &e), -ENOENT);
	fd = private_dir_open_at(dir, "d", "made", 0700, &e);
	assert_true(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0700);
	close(fd);
	assert_int_equal(private_dir_open_at(dir, "d", "up", 0700, &e), -ELOOP);
	assert_non_null(strstr(e.text, "'d/up' is a symbolic link"));
	assert_int_equal(private_dir_open_at(top_fd, "t", "open", 0700, &e), -EPERM);
	assert_int_equal(private_dir_open_at(top_fd, "t", "fifo", 0700, &e), -ENOTDIR);
	assert_int_equal(private_dir_check_entries(dir, "d", &e), -ELOOP);
	assert_int_equal(unlink(at("dir/up")), 0);
	assert_int_equal(private_dir_check_entries(dir, "d", &e), 0);
	assert_int_equal(fchmodat(dir, "made", 0720, 0), 0);
	assert_int_equal(private_dir_check_entries(dir, "d", &e), -EPERM);
	close(dir);
	close(top_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(of_somebody_else),
		cmocka_unit_test(shared),
		cmocka_unit_test(below),
	};

	return cmocka_run_group_tests(tests, make_all, remove_all);
}
