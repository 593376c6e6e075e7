/* SPDX-License-Identifier: Apache-2.0 */
/* A file that an image is written to: there whole or not at all, and never in place of another. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/scope.h"
#include "helpers/image/out_file.h"

static int in_dir(void **state)
{
	char dir[] = "/var/tmp/test-out-XXXXXX";
	int *fd = malloc(sizeof(*fd));

	if (!fd || !mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	*fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = fd;
	return *fd < 0 ? -1 : 0;
}

static size_t entries(void)
{
	int r = 0;
	scoped(drop_dir) DIR *d = dir_take(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &r);
	size_t n = 0;

	while (d && dir_next(d, &r))
		n++;
	return n;
}

static int out_dir(void **state)
{
	char dir[4096];
	bool empty = entries() == 0;

	close(*(int *)*state);
	free(*state);
	return empty && getcwd(dir, sizeof(dir)) && chdir("/") == 0 ? rmdir(dir) : -1;
}

static void whole(void **state)
{
	struct out_file o = OUT_FILE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stat st;

	assert_int_equal(out_file_begin(*(int *)*state, "a", &o, &e), 0);
	assert_int_equal(out_file_write(&o, "text", 4), 0);
	assert_int_equal(access("a", F_OK), -1);
	assert_int_equal(out_file_end(&o), 0);
	out_file_finish(&o);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_failed(out_file_begin(*(int *)*state, "a", &o, &e), EEXIST, e, "exists already");
	assert_int_equal(entries(), 1);
	assert_int_equal(unlink("a"), 0);
}

static void given_up(void **state)
{
	struct out_file o = OUT_FILE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_int_equal(out_file_begin(*(int *)*state, "a", &o, &e), 0);
	assert_int_equal(out_file_write(&o, "text", 4), 0);
	out_file_finish(&o);
	assert_int_equal(entries(), 0);
}

static void somebody_was_first(void **state)
{
	struct out_file o = OUT_FILE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct stat st;

	assert_int_equal(out_file_begin(*(int *)*state, "a", &o, &e), 0);
	assert_int_equal(out_file_write(&o, "text", 4), 0);
	assert_int_equal(mkdir("a", 0700), 0);
	assert_failed(out_file_end(&o), EEXIST, e, "exists already");
	out_file_finish(&o);
	assert_int_equal(stat("a", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(entries(), 1);
	assert_int_equal(rmdir("a"), 0);
}

static void removed_meanwhile(void **state)
{
	struct out_file o = OUT_FILE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_int_equal(out_file_begin(*(int *)*state, "a", &o, &e), 0);
	assert_int_equal(unlink(o.part), 0);
	assert_failed(out_file_end(&o), ENOENT, e, "name 'a'");
	out_file_finish(&o);
}

static void no_room(void **state)
{
	struct out_file o = OUT_FILE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct rlimit before;
	int r;

	assert_int_equal(out_file_begin(*(int *)*state, "a", &o, &e), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 2, before.rlim_max }), 0);
	r = out_file_write(&o, "text", 4);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_failed(r, EFBIG, e, "write 'a'");
	out_file_finish(&o);
	assert_int_equal(entries(), 0);
}

static void no_such_place(void **state)
{
	struct out_file o = OUT_FILE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;
	char name[300];

	assert_failed(out_file_begin(-1, "a", &o, &e), EBADF, e, "write 'a'");
	assert_failed(out_file_begin(*(int *)*state, "missing/a", &o, &e), ENOENT, e, "write 'missing/a'");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(out_file_begin(*(int *)*state, name, &o, &e), 0); /* only its end needs the name */
	assert_failed(out_file_end(&o), ENAMETOOLONG, e, "name 'nnn");
	out_file_finish(&o);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, in_dir, out_dir)
	const struct CMUnitTest tests[] = {
		T(whole),   T(given_up),     T(somebody_was_first), T(removed_meanwhile),
		T(no_room), T(no_such_place)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
