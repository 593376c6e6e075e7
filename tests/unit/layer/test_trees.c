/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a layer as directories of one, and back; what is none is refused. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layer/layer.h"
#include "layer/trees.h"

#define SYSTEM "m0123456789abcdef"
#define CACHE  "cfedcba9876543210"

static struct aisbx_error e;

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-trees-XXXXXX";

	e = (struct aisbx_error)AISBX_ERROR_INIT;
	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("layers", 0711) < 0 || mkdir("layers/l", 0711) < 0)
		return -1;
	*state = strdup(dir);
	return 0;
}

static int teardown(void **state)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "layers", &ignored);

	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

/* A directory below the layer, and those above it. */
static void make(const char *path)
{
	char at[256] = "layers/l/";

	for (const char *end = path; *end; end++) {
		end += strcspn(end + 1, "/") + 1;
		snprintf(at + 9, sizeof(at) - 9, "%.*s", (int)(end - path), path);
		assert_true(mkdir(at, 0755) == 0 || errno == EEXIST);
		if (!*end)
			break;
	}
}

static void put(const char *path)
{
	char at[256];
	int fd;

	snprintf(at, sizeof(at), "layers/l/%s", path);
	fd = open(at, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static bool there(const char *path)
{
	char at[256];

	snprintf(at, sizeof(at), "layers/l/%s", path);
	return access(at, F_OK) == 0;
}

static void there_and_back(void **state)
{
	bool system = true;

	(void)state;
	make("home/up");
	make(CACHE "/up");
	put("home/up/x");
	put("draft");
	assert_int_equal(layer_gather("layers", "l", 0, &system, &e), 0);
	assert_false(system);
	assert_true(there("root/up/home/x") && there("root/up/" CACHE) && !there("home/up"));
	teardown(state);
	setup(state);
	make("home/up");
	make(SYSTEM "/up");
	make("project/up");
	put(SYSTEM "/up/x");
	assert_int_equal(chmod("layers/l/home/up", 0500), 0); /* a box may do that */
	assert_int_equal(layer_gather("layers", "l", 0, &system, &e), 0);
	assert_true(system && there("root/up/" SYSTEM "/x") && !there("root/up/project"));
	make("new");
	assert_int_equal(rename("layers/l/root", "layers/l/new/root"), 0);
	assert_int_equal(rename("layers/l/new", "layers/new"), 0);
	assert_int_equal(layer_spread("layers", "new", true, &e), 0);
	assert_int_equal(access("layers/new/" SYSTEM "/up/x", F_OK), 0);
	assert_int_equal(access("layers/new/home/up", F_OK), 0);
	assert_int_not_equal(access("layers/new/root", F_OK), 0);
}

static void what_is_none(void **state)
{
	static const char *const names[] = {
		"project", "root", "up", "draft", "home2", "m", "c01", ".links", "m0123456789abcdeF", SYSTEM
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char path[64];

		snprintf(path, sizeof(path), "root/up/%s", names[i]);
		make("root/up/home");
		make(path);
		assert_int_equal(layer_spread("layers", "l", false, &e), -EBADMSG);
		assert_true(there("root/up/home"));
		teardown(state);
		setup(state);
	}
	make("root/up");
	assert_int_equal(symlink("/etc", "layers/l/root/up/home"), 0);
	assert_int_equal(layer_spread("layers", "l", true, &e), -EBADMSG);
	assert_int_equal(unlink("layers/l/root/up/home"), 0);
	put("root/up/home");
	assert_int_equal(layer_spread("layers", "l", true, &e), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(there_and_back, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
