/* SPDX-License-Identifier: Apache-2.0 */
/* Where links of an image at /run and /tmp lead, and which are followed. */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "image/inside.h"
#include "layer/layer.h"

static const char *const ups[] = { "all/new", "all/old" };

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-inside-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("all", 0755) < 0 || mkdir("all/new", 0755) < 0 ||
	    mkdir("all/old", 0755) < 0 || mkdir("all/old/var", 0755) < 0 ||
	    mkdir("all/old/var/run", 0755) < 0 || mkdir("all/old/var/volatile", 0755) < 0 ||
	    mkdir("all/old/etc", 0755) < 0)
		return -1;
	*state = strdup(dir);
	return 0;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "all", &e);

	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

static const char *place(const char *name)
{
	static char found[PATH_MAX];

	image_place(ups, 2, name, found);
	return found;
}

static void followed(void **state)
{
	static const char *const links[] = { "var/run", "/var/run", "./var//run/", "../../var/run",
					     "/etc/../var/run" };

	(void)state;
	assert_string_equal(place("run"), "");
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		assert_int_equal(symlink(links[i], "all/old/run"), 0);
		assert_string_equal(place("run"), "/var/run");
		unlink("all/old/run");
	}
	assert_int_equal(symlink("var/tmp", "all/old/tmp"), 0);
	assert_int_equal(symlink("volatile", "all/old/var/tmp"), 0);
	assert_string_equal(place("tmp"), "/var/volatile");
}

static void not_followed(void **state)
{
	static const char *const links[] = {
		"etc",    "/",   "/var",        "/var/",   "/proc/self/root", "var/none",
		"../etc", "tmp", "/var/../etc", "/var/up", "/var/way/x",      "/var/file"
	};

	(void)state;
	assert_int_equal(symlink("..", "all/old/var/up"), 0);
	assert_int_equal(symlink("../etc", "all/old/var/way"), 0);
	assert_int_equal(mknod("all/old/var/file", S_IFREG | 0600, 0), 0);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		assert_int_equal(symlink(links[i], "all/old/tmp"), 0);
		if (*place("tmp"))
			fail_msg("'%s' was followed to '%s'", links[i], place("tmp"));
		unlink("all/old/tmp");
	}
	assert_int_equal(mkdir("all/old/tmp", 0755), 0);
	assert_string_equal(place("tmp"), "");
}

/* What a newer layer says counts. */
static void layers(void **state)
{
	(void)state;
	assert_int_equal(symlink("var/run", "all/old/run"), 0);
	assert_int_equal(mkdir("all/new/run", 0755), 0);
	assert_string_equal(place("run"), "");
	assert_int_equal(rmdir("all/new/run"), 0);
	assert_string_equal(place("run"), "/var/run");
	assert_int_equal(mkdir("all/new/var", 0755), 0);
	assert_string_equal(place("run"), "/var/run");
	assert_int_equal(setxattr("all/new/var", "user.overlay.opaque", "y", 1, 0), 0);
	assert_string_equal(place("run"), "");
	assert_int_equal(rmdir("all/new/var"), 0);
	assert_int_equal(mknod("all/new/run", S_IFCHR, makedev(0, 0)), 0);
	assert_string_equal(place("run"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(followed, setup, teardown),
		cmocka_unit_test_setup_teardown(not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(layers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
