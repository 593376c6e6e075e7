/* SPDX-License-Identifier: Apache-2.0 */
/* Users of images: looked up in the layers, through whiteouts and opaque directories, and through no link. */
#include "support/test.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "image/user.h"

static char dir[64], newer[96], older[96];
static const char *const ups[] = { newer, older };
static struct aisbx_error e;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static void put(const char *up, const char *rel, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/etc", up);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s", up, rel);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make(void **state)
{
	(void)state;
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	strcpy(dir, "/tmp/test-user-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(newer, sizeof(newer), "%s/newer", dir);
	snprintf(older, sizeof(older), "%s/older", dir);
	mkdir(newer, 0755);
	mkdir(older, 0755);
	put(older, "etc/passwd",
	    "root:x:0:0:root:/root:/bin/sh\n\nnobody\nbad:x:y:1::/:\napp:x:1000:1001:an "
	    "app:/home/app:/bin/sh\n"
	    "70k:x:70000:1::/:\n7:x:70:71::/seven:\nlast:x:9:9::/last:/bin/sh");
	put(older, "etc/group",
	    "root:x:0:\napp:x:1001:\nmore:x:50:x,app,root\nhuge:x:99999:app\nappx:x:51:appx\n1001:x:5:\n");
	return 0;
}

static int clean(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void is(const char *user, int uid, int gid, const char *home)
{
	struct image_user u;
	int r;

	e = (struct aisbx_error)AISBX_ERROR_INIT;
	r = image_user_find(ups, 2, user, &u, &e);
	if (uid < 0) {
		if (r == 0)
			fail_msg("'%s' is %u", user, u.uid);
		return;
	}
	if (r < 0)
		fail_msg("%s", e.text);
	assert_int_equal(u.uid, uid);
	assert_int_equal(u.gid, gid);
	assert_string_equal(u.home, home);
}

static void names_and_numbers(void **state)
{
	struct image_user u;

	(void)state;
	is("", 0, 0, "/root");
	is("root", 0, 0, "/root");
	is("app", 1000, 1001, "/home/app");
	is("1000", 1000, 1001, "/home/app");
	is("app:more", 1000, 50, "/home/app");
	is("app:", 1000, 1001, "/home/app");
	is("1000:7", 1000, 7, "/home/app");
	is("12:13", 12, 13, "");
	is("12", 12, 0, "");
	is(":50", 0, 50, "/root");
	is("7", 70, 71, "/seven"); /* a name of digits is a name */
	is("app:1001", 1000, 5, "/home/app");
	is("last", 9, 9, "/last");
	assert_int_equal(image_user_find(ups, 2, "app", &u, &e), 0);
	assert_int_equal(u.n_groups, 1);
	assert_int_equal(u.groups[0], 50);
}

static void unknown(void **state)
{
	static const char *const names[] = { "nobody",
					     "bad",
					     "70k",
					     "who",
					     "app:who",
					     "65536",
					     "1:65536",
					     "4294967296",
					     "-1",
					     "app:-1",
					     "ap",
					     "app ",
					     "99999999999999999999" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		is(names[i], -1, 0, "");
}

static void newer_layers_win(void **state)
{
	(void)state;
	put(newer, "etc/passwd", "app:x:1:2::/other:\n");
	is("app", 1, 2, "/other");
	is("root", -1, 0, "");
	is("1:0", 1, 0, "/other");
}

static void path_in(const char *up, const char *rel, char ret[256])
{
	snprintf(ret, 256, "%s/%s", up, rel);
}

/* Removed there, hidden by an opaque directory, or by something else in the place. */
static void hidden(void **state)
{
	char path[256];

	(void)state;
	path_in(newer, "etc", path);
	assert_int_equal(mkdir(path, 0755), 0);
	is("app", 1000, 1001, "/home/app");
	assert_int_equal(setxattr(path, "user.overlay.opaque", "y", 1, 0), 0);
	is("app", -1, 0, "");
	assert_int_equal(removexattr(path, "user.overlay.opaque"), 0);
	path_in(newer, "etc/passwd", path);
	assert_int_equal(mknod(path, S_IFCHR, makedev(0, 0)), 0);
	is("app", -1, 0, "");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0); /* and nobody waits */
	is("app", -1, 0, "");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	is("root:x", -1, 0, "");
	is("app", -1, 0, "");
	is("5:5", 5, 5, "");
}

/* The machine's own files, by a link on the way. */
static void no_link_is_followed(void **state)
{
	char path[256];
	struct buf text = { 0 };

	(void)state;
	path_in(newer, "etc", path);
	assert_int_equal(symlink("/etc", path), 0);
	assert_int_equal(image_file_read(ups, 2, "etc/passwd", 1 << 20, &text), -ENOENT);
	is("app", -1, 0, "");
	assert_false(image_has(ups, 1, "etc/passwd"));
	assert_true(image_has(ups, 1, "etc"));
	assert_true(image_has(ups, 2, "etc/passwd"));
	buf_finish(&text);
}

static void too_long(void **state)
{
	struct buf text = { 0 };

	(void)state;
	assert_int_equal(image_file_read(ups, 2, "etc/passwd", 10, &text), -EFBIG);
	buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_and_numbers, make, clean),
		cmocka_unit_test_setup_teardown(unknown, make, clean),
		cmocka_unit_test_setup_teardown(newer_layers_win, make, clean),
		cmocka_unit_test_setup_teardown(hidden, make, clean),
		cmocka_unit_test_setup_teardown(no_link_is_followed, make, clean),
		cmocka_unit_test_setup_teardown(too_long, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
