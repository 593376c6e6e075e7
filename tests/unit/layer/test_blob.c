/* SPDX-License-Identifier: Apache-2.0 */
/* Contents that are kept: what comes out is what went in, whether it was small, large, empty or a link, and
 * whoever took it over. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/blob.h"
#include "layer/layer.h"

/* At the border between small and large, and of a piece that is written. */
static const off_t sizes[] = { 5, 0, 65536, 65537, 1, 300000, 0, 65535, 17 };

#define N (sizeof(sizes) / sizeof(*sizes))

static char *content(size_t i)
{
	char *text = test_malloc((size_t)sizes[i] + 1);

	for (off_t k = 0; k < sizes[i]; k++)
		text[k] = (char)(k * 31 + (off_t)i);
	return text;
}

static int open_tree(const char *name)
{
	int fd;

	assert_true(mkdir(name, 0700) == 0 || errno == EEXIST);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void keep_all(struct blob_files *b, char names[N][BLOB_NAME_MAX])
{
	for (size_t i = 0; i < N; i++) {
		scoped(drop_fd) int fd = open("source", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		char *text = content(i);
		struct stat st;

		assert_true(write(fd, text, (size_t)sizes[i]) == sizes[i] && fstat(fd, &st) == 0 &&
			    lseek(fd, 0, SEEK_SET) == 0);
		assert_int_equal(blobs_keep_file(b, fd, &st, names[i]), 0);
		test_free(text);
	}
}

static void is_content(const char *tree, const char *name, size_t i)
{
	char *file = NULL, *want = content(i), *have = test_malloc((size_t)sizes[i] + 1);
	int fd;

	assert_int_equal(blob_file(tree, name, &file), 0);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, have, (size_t)sizes[i] + 1), sizes[i]);
	assert_memory_equal(have, want, (size_t)sizes[i]);
	close(fd);
	free(file);
	test_free(want);
	test_free(have);
}

static void what_went_in(void **state)
{
	scoped(drop_fd) int tree = open_tree("one");
	scoped(drop_fd) int other = open_tree("two");
	scoped(drop_fd) int third = open_tree("three");
	scoped(blobs_finish) struct blob_files b = BLOBS_INIT;
	scoped(blobs_finish) struct blob_files few = BLOBS_INIT;
	char names[N][BLOB_NAME_MAX];

	(void)state;
	assert_int_equal(blobs_open(tree, &b), 0);
	keep_all(&b, names);
	assert_int_equal(blobs_write(&b), 0);
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < N; i++)
			is_content("one", names[i], i);
	assert_int_equal(blobs_take(tree, other), 0);
	assert_int_equal(blobs_open(third, &few), 0);
	for (size_t i = 0; i < N; i++) {
		is_content("two", names[i], i);
		assert_int_equal(blobs_take_one(&few, "two", names[i]), 0);
		is_content("three", names[i], i);
	}
}

static void a_link(void **state)
{
	scoped(drop_fd) int tree = open_tree("links");
	scoped(blobs_finish) struct blob_files b = BLOBS_INIT;
	scoped(drop_mem) char *file = NULL;
	char name[BLOB_NAME_MAX], target[32] = "";

	(void)state;
	assert_int_equal(symlink("to there", "link"), 0);
	assert_int_equal(blobs_open(tree, &b), 0);
	assert_int_equal(blobs_keep_link(&b, AT_FDCWD, "link", name), 0);
	assert_int_equal(blob_file("links", name, &file), 0);
	assert_int_equal(readlink(file, target, sizeof(target) - 1), 8);
	assert_string_equal(target, "to there");
}

/* A record may outlive what it names only on a disk that lost it: then there is no content, not
 * another one. */
static void a_torn_pack(void **state)
{
	scoped(drop_fd) int tree = open_tree("torn");
	scoped(blobs_finish) struct blob_files b = BLOBS_INIT;
	char names[N][BLOB_NAME_MAX], pack[64], *file = NULL;

	(void)state;
	assert_int_equal(blobs_open(tree, &b), 0);
	keep_all(&b, names);
	assert_int_equal(blobs_write(&b), 0);
	snprintf(pack, sizeof(pack), "torn/blobs/%.16s", names[0]);
	assert_int_equal(truncate(pack, 100), 0);
	is_content("torn", names[0], 0);
	assert_int_equal(blob_file("torn", names[2], &file), -EBADMSG);
	assert_int_equal(blob_file("torn", "0123456789abcdef+0.1", &file), -ENOENT);
	assert_int_equal(blob_file("torn", "0123456789abcdef+0.1x", &file), -EBADMSG);
	assert_int_equal(blob_file("torn", "0123456789abcdef+0", &file), -EBADMSG);
	assert_null(file);
}

/* It became shorter while it was read: it is not kept, and those behind it are right. */
static void one_that_shrinks(void **state)
{
	scoped(drop_fd) int tree = open_tree("shrinks");
	scoped(drop_fd) int fd = open("short", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	scoped(blobs_finish) struct blob_files b = BLOBS_INIT;
	char names[N][BLOB_NAME_MAX], name[BLOB_NAME_MAX];
	struct stat st;

	(void)state;
	assert_true(write(fd, "abc", 3) == 3 && fstat(fd, &st) == 0);
	st.st_size = 4;
	assert_int_equal(blobs_open(tree, &b), 0);
	assert_int_equal(blobs_keep_file(&b, fd, &st, name), -EBUSY);
	keep_all(&b, names);
	assert_int_equal(blobs_write(&b), 0);
	for (size_t i = 0; i < N; i++)
		is_content("shrinks", names[i], i);
}

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-sum-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("top", 0700) < 0 || chdir("top") < 0)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_went_in),
		cmocka_unit_test(a_link),
		cmocka_unit_test(a_torn_pack),
		cmocka_unit_test(one_that_shrinks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
