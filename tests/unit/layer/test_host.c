/* SPDX-License-Identifier: Apache-2.0 */
/* What of this machine can be cloned: on any machine these must hold. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "layer/host.h"

static void special_places(void **state)
{
	(void)state;
	assert_true(host_is_special("/proc"));
	assert_true(host_is_special("/proc/1"));
	assert_true(host_is_special("/home/u"));
	assert_true(host_is_special("/tmp"));
	assert_false(host_is_special("/"));
	assert_false(host_is_special("/usr"));
	assert_false(host_is_special("/homes"));
	assert_false(host_is_special("/var/tmp"));
}

static bool listed(const struct host_view *v, const char *path)
{
	for (size_t i = 0; i < v->n_entries; i++)
		if (!strcmp(v->entries[i].path, path))
			return true;
	return false;
}

static void top_directories(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct host_view v = { 0 };

	(void)state;
	assert_int_equal(host_view_read(false, false, &v, &e), 0);
	assert_true(v.n_entries > 3);
	assert_false(listed(&v, "/proc") || listed(&v, "/home") || listed(&v, "/tmp") || listed(&v, "/"));
	for (size_t i = 0; i < v.n_entries; i++) {
		struct stat st;

		assert_true(path_is_clean(v.entries[i].path));
		assert_false(host_is_special(v.entries[i].path));
		assert_int_equal(lstat(v.entries[i].path, &st), 0);
		if (v.entries[i].kind == HOST_LINK)
			assert_true(S_ISLNK(st.st_mode) && v.entries[i].target && *v.entries[i].target);
		else
			assert_true(v.entries[i].kind == HOST_FILE ? S_ISREG(st.st_mode)
								   : S_ISDIR(st.st_mode));
	}
	host_view_finish(&v);
	assert_int_equal(v.n_entries, 0);
	host_view_finish(&v);
}

static void whole_lists_only_mounts(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct host_view v = { 0 };

	(void)state;
	assert_int_equal(host_view_read(true, true, &v, &e), 0);
	assert_int_equal(v.n_entries, 0);
	for (size_t i = 0; i < v.n_mounts; i++)
		assert_true(path_is_clean(v.mounts[i]) && !host_is_special(v.mounts[i]));
	host_view_finish(&v);
}

/* What host_view_read makes of HOME; "" for none. */
static void check_home(const char *home, const char *expected)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct host_view v = { 0 };

	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	assert_int_equal(host_view_read(true, true, &v, &e), 0);
	assert_string_equal(v.home ? v.home : "", expected);
	host_view_finish(&v);
}

static void homes(void **state)
{
	char dir[] = "/tmp/test-host-XXXXXX", link[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink(dir, link), 0);
	check_home(dir, dir);
	check_home(link, dir); /* the real one is what must be hidden */
	check_home(NULL, "");
	check_home("", "");
	check_home("relative", "");
	check_home("/", "");
	check_home("/usr/share", "");
	check_home("/nowhere/at/all", "");
	unlink(link);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(special_places),
		cmocka_unit_test(top_directories),
		cmocka_unit_test(whole_lists_only_mounts),
		cmocka_unit_test(homes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
