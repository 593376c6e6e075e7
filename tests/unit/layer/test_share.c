/* SPDX-License-Identifier: Apache-2.0 */
/* Equal files of layers: what becomes one, what never does, and that nothing else changes. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"
#include "layer/layer.h"
#include "layer/share.h"

static const char *const ids[] = { "l-1", "l-2", "l-3" };

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-share-XXXXXX";

	umask(022);
	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("layers", 0711) < 0)
		return -1;
	for (size_t i = 0; i < 3; i++) {
		char path[64];

		for (size_t k = 0; k < 3; k++) {
			snprintf(path, sizeof(path), "layers/%s%s", ids[i],
				 ((const char *const[]){ "", "/root", "/root/up" })[k]);
			if (mkdir(path, 0755) < 0)
				return -1;
		}
	}
	*state = strdup(dir);
	return 0;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "layers", &e);

	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

static const char *in(size_t layer, const char *rel)
{
	static char path[4][128];
	static int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "layers/%s/root/up/%s", ids[layer], rel);
	return p;
}

static void put(size_t layer, const char *rel, const char *text)
{
	scoped(drop_fd) int fd = open(in(layer, rel), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(futimens(fd, (struct timespec[]){ { 1, 0 }, { 2, 3 } }), 0);
}

static struct stat look(size_t layer, const char *rel)
{
	struct stat st;

	assert_int_equal(lstat(in(layer, rel), &st), 0);
	return st;
}

static struct share_report share(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct share_report report = { 0 };

	if (layer_share("layers", ids, 3, &report, &e) < 0)
		fail_msg("%s", e.text);
	return report;
}

static void test_equal_files(void **state)
{
	struct stat before, after;
	char text[16] = "";
	scoped(drop_fd) int fd = -1;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(mkdir(in(i, "d"), 0755), 0);
		put(i, "d/f", "content");
	}
	before = look(1, "d");
	assert_int_equal(share().files, 2);
	assert_int_equal(look(0, "d/f").st_ino, look(1, "d/f").st_ino);
	assert_int_equal(look(0, "d/f").st_ino, look(2, "d/f").st_ino);
	assert_int_equal(look(2, "d/f").st_mtim.tv_sec, 2);
	assert_int_equal(look(2, "d/f").st_mtim.tv_nsec, 3);
	after = look(1, "d");
	assert_int_equal(time_compare(before.st_mtim, after.st_mtim), 0);
	fd = open(in(2, "d/f"), O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_string_equal(text, "content");
	assert_int_equal(share().files, 0);
	assert_int_equal(access("layers/l-2/.share", F_OK), -1);
}

/* A later layer joins those that are one already. */
static void test_one_more(void **state)
{
	(void)state;
	put(0, "f", "content");
	put(1, "f", "content");
	assert_int_equal(share().files, 1);
	put(2, "f", "content");
	assert_int_equal(share().files, 1);
	assert_int_equal(look(2, "f").st_nlink, 3);
}

static void test_different(void **state)
{
	(void)state;
	put(0, "content", "one");
	put(1, "content", "two");
	put(0, "mode", "x");
	put(1, "mode", "x");
	assert_int_equal(chmod(in(1, "mode"), 0600), 0);
	put(0, "time", "x");
	put(1, "time", "x");
	assert_int_equal(utimensat(AT_FDCWD, in(1, "time"), (struct timespec[]){ { 1, 0 }, { 2, 4 } }, 0), 0);
	put(0, "attr", "x");
	put(1, "attr", "x");
	assert_int_equal(setxattr(in(1, "attr"), "user.a", "b", 1, 0), 0);
	put(0, "value", "x");
	put(1, "value", "x");
	assert_int_equal(setxattr(in(0, "value"), "user.a", "a", 1, 0), 0);
	assert_int_equal(setxattr(in(1, "value"), "user.a", "b", 1, 0), 0);
	put(0, "path", "x");
	put(1, "other", "x");
	put(0, "empty", "");
	put(1, "empty", "");
	assert_int_equal(symlink("a", in(0, "link")), 0);
	assert_int_equal(symlink("a", in(1, "link")), 0);
	assert_int_equal(mkfifo(in(0, "fifo"), 0600), 0);
	assert_int_equal(mkfifo(in(1, "fifo"), 0600), 0);
	assert_int_equal(mkdir(in(0, "kind"), 0755), 0);
	put(1, "kind", "x");
	assert_int_equal(share().files, 0);
}

/* Names of one file in its layer stay names of one file, and others do not become so. */
static void test_links(void **state)
{
	(void)state;
	put(0, "a", "x");
	assert_int_equal(link(in(0, "a"), in(0, "b")), 0);
	put(1, "a", "x");
	put(1, "b", "x");
	put(2, "a", "x");
	assert_int_equal(link(in(2, "a"), in(2, "b")), 0);
	share();
	assert_int_equal(look(0, "a").st_ino, look(0, "b").st_ino);
	assert_int_not_equal(look(1, "a").st_ino, look(1, "b").st_ino);
	assert_int_equal(look(2, "a").st_ino, look(2, "b").st_ino);
}

/* A box cannot lead it elsewhere. */
static void test_link_for_directory(void **state)
{
	(void)state;
	assert_int_equal(mkdir("outside", 0755), 0);
	assert_int_equal(mkdir(in(0, "d"), 0755), 0);
	assert_int_equal(symlink("../../../../outside", in(1, "d")), 0);
	put(0, "d/f", "x");
	assert_int_equal(rename(in(0, "d/f"), "outside/f"), 0);
	put(0, "d/f", "x");
	assert_int_equal(share().files, 0);
	assert_int_equal(unlink("outside/f") | rmdir("outside"), 0);
}

static void test_left_by_a_crash(void **state)
{
	(void)state;
	put(0, "f", "content");
	put(1, "f", "content");
	assert_int_equal(link(in(0, "f"), "layers/l-2/.share"), 0);
	share();
	assert_int_equal(access("layers/l-2/.share", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_equal_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_more, setup, teardown),
		cmocka_unit_test_setup_teardown(test_different, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link_for_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_left_by_a_crash, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
