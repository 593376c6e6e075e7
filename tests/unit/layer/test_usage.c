/* SPDX-License-Identifier: Apache-2.0 */
/* What a layer takes: blocks, each once, and names, each of them; nested, closed and endless ones too. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"
#include "layer/layer.h"
#include "layer/usage.h"

static const struct usage_how all = { .most = { UINT64_MAX, UINT64_MAX } };

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-usage-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || chmod(".", 0755) < 0 || mkdir("l", 0755) < 0 ||
	    mkdir("l/project", 0755) < 0 || mkdir("l/project/up", 0777) < 0 ||
	    chmod("l/project/up", 0777) < 0)
		return -1;
	*state = strdup(dir);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "l", &e);

	if (r < 0)
		print_error("%s\n", e.text);
	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

static int count(const struct usage_how *how, struct usage *ret)
{
	scoped(drop_fd) int dir = open("l", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	return usage_count(dir, how, ret);
}

static void put(const char *path, size_t size)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	char block[4096] = { 1 };

	assert_true(fd >= 0);
	for (; size > 0; size -= sizeof(block))
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
}

static uint64_t blocks_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void test_blocks_and_names(void **state)
{
	struct usage got;
	uint64_t empty;

	(void)state;
	assert_int_equal(count(&all, &got), 0);
	assert_int_equal(got.inodes, 1);
	assert_int_equal(got.bytes, blocks_of("l/project/up"));
	empty = got.bytes;
	put("l/project/up/a", 1 << 20);
	assert_int_equal(link("l/project/up/a", "l/project/up/b"), 0);
	assert_int_equal(symlink("/", "l/project/up/c"), 0);
	put("l/window", 1 << 20);
	assert_int_equal(mkdir("l/project/blobs", 0755), 0);
	put("l/project/blobs/x", 1 << 20);
	/* A name elsewhere does not count. */
	assert_int_equal(link("l/project/up/a", "l/project/blobs/y"), 0);
	assert_int_equal(count(&all, &got), 0);
	assert_int_equal(got.inodes, 4);
	assert_int_equal(got.bytes, empty + blocks_of("l/project/up/a") + blocks_of("l/project/up/c"));
	assert_int_equal(truncate("l/project/up/a", 1LL << 40), 0);
	assert_int_equal(count(&all, &got), 0);
	assert_true(got.bytes < 2 << 20);
	/* A second tree of the same layer counts, too. */
	assert_int_equal(mkdir("l/root", 0755), 0);
	assert_int_equal(mkdir("l/root/up", 0755), 0);
	put("l/root/up/d", 4096);
	assert_int_equal(count(&all, &got), 0);
	assert_int_equal(got.inodes, 6);
}

static void test_stops_early(void **state)
{
	struct usage_how few = { .most = { UINT64_MAX, 10 } },
			 now = { .most = { UINT64_MAX, UINT64_MAX }, .until_us = 1 };
	struct usage got = { 7, 7 };
	char path[64];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "l/project/up/%d", i);
		put(path, 0);
	}
	assert_int_equal(count(&now, &got), -ETIME);
	assert_int_equal(got.inodes, 7);
	assert_int_equal(count(&few, &got), 0);
	assert_int_equal(got.inodes, 11);
	assert_int_equal(count(&all, &got), 0);
	assert_int_equal(got.inodes, 1001);
}

/* N directories one in the other, the current one is the last. WIDE: each from FROM on has so many more. */
static void nest(int n, int from, int wide)
{
	char name[16];

	for (int i = 0; i < n; i++) {
		assert_int_equal(mkdir("d", 0755), 0);
		assert_int_equal(chdir("d"), 0);
		for (int k = 0; i >= from && k < wide; k++) {
			snprintf(name, sizeof(name), "%d", k);
			assert_int_equal(mkdir(name, 0755), 0);
		}
	}
}

static void test_deep(void **state)
{
	struct usage got;

	assert_int_equal(chdir("l/project/up"), 0);
	nest(3000, 3000, 0);
	put("bottom", 4096);
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(count(&all, &got), 0);
	assert_int_equal(got.inodes, 3002);
}

static void test_deep_and_wide(void **state)
{
	struct usage got;

	assert_int_equal(chdir("l/project/up"), 0);
	nest(140, 100, 200);
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(count(&all, &got), -ELOOP);
}

/* In a process of its own, for sys_own_files() works once; as nobody, for root may read everything. */
static int closed_to_its_owner(void)
{
	struct usage_how own = all;
	struct usage got;

	own.own = true;
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0))
		return 1;
	if (mkdir("l/project/up/d", 0700) < 0)
		return 2;
	put("l/project/up/d/f", 4096);
	if (chmod("l/project/up/d", 0) < 0)
		return 3;
	if (count(&all, &got) != -EACCES)
		return 4;
	return count(&own, &got) == 0 && got.inodes == 3 ? 0 : 5;
}

static void test_closed_to_its_owner(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(closed_to_its_owner());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_blocks_and_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stops_early, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deep, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deep_and_wide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed_to_its_owner, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
