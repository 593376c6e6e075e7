/* SPDX-License-Identifier: Apache-2.0 */
/* Names of boxes that nobody named: free ones, however many there are. */
#include "box/naming.h"
#include "support/test.h"

#include <ftw.h>
#include <unistd.h>

#include "store/store.h"

static char dir[64];
static struct store *s;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int open_store(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	strcpy(dir, "/tmp/test-naming-XXXXXX");
	return mkdtemp(dir) && store_open(dir, &s, &e) == 0 ? 0 : -1;
}

static int close_store(void **state)
{
	(void)state;
	store_close(s);
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void add(const char *owner, const char *name)
{
	static int n;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_layer l = { 0 };
	struct store_box b = { .profile = "dev" };

	snprintf(l.id, sizeof(l.id), "l-%016x", ++n);
	snprintf(b.id, sizeof(b.id), "b-%016x", n);
	snprintf(b.name, sizeof(b.name), "%s", name);
	snprintf(b.owner, sizeof(b.owner), "%s", owner);
	memcpy(b.top, l.id, sizeof(b.top));
	if (store_begin(s, &e) < 0 || store_layer_add(s, &l, &e) < 0 || store_box_add(s, &b, &e) < 0)
		fail_msg("%s", e.text);
	store_commit(s, &e);
}

static void next_is(const char *of, const char *want)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char name[STORE_NAME_MAX + 1];
	uint64_t number = 0;

	assert_int_equal(box_name_next(s, "", of, &number, name, &e), 0);
	assert_string_equal(name, want);
}

static void of_forks(void **state)
{
	(void)state;
	next_is("brave-otter", "brave-otter-2");
	add("", "brave-otter-2");
	add("ann", "brave-otter-3");
	next_is("brave-otter", "brave-otter-3");
	next_is("brave-otter-2", "brave-otter-3");
	next_is("brave-otter-7", "brave-otter-8");
	next_is("v1", "v1-2");
	next_is("a-0", "a-0-2");
	next_is("a-01", "a-01-2");
	next_is("a-1234567890", "a-1234567890-2");
	next_is("-5", "-5-2");
	next_is("x", "x-2");
}

static void one_after_the_other(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char name[STORE_NAME_MAX + 1];
	uint64_t number = 0;

	(void)state;
	add("", "a-3");
	for (int i = 0; i < 3; i++)
		assert_int_equal(box_name_next(s, "", "a", &number, name, &e), 0);
	assert_string_equal(name, "a-5");
}

static void of_long_names(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char longest[STORE_NAME_MAX + 1], name[STORE_NAME_MAX + 1];
	uint64_t number = 0;

	(void)state;
	memset(longest, 'x', STORE_NAME_MAX);
	longest[STORE_NAME_MAX] = '\0';
	assert_int_equal(box_name_next(s, "", longest, &number, name, &e), 0);
	assert_true(strlen(name) < STORE_NAME_MAX);
	assert_string_equal(name + strlen(name) - 3, "x-2");
}

static void new_ones(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char name[STORE_NAME_MAX + 1];
	bool taken;

	(void)state;
	for (int i = 0; i < 50; i++) {
		assert_int_equal(box_name_new(s, "", name, &e), 0);
		assert_non_null(strchr(name, '-'));
		assert_int_equal(store_box_has_name(s, "", name, &taken, &e), 0);
		assert_false(taken);
		add("", name);
		assert_int_equal(store_box_has_name(s, "", name, &taken, &e), 0);
		assert_true(taken);
		assert_int_equal(store_box_has_name(s, "ann", name, &taken, &e), 0);
		assert_false(taken);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_forks, open_store, close_store),
		cmocka_unit_test_setup_teardown(one_after_the_other, open_store, close_store),
		cmocka_unit_test_setup_teardown(of_long_names, open_store, close_store),
		cmocka_unit_test_setup_teardown(new_ones, open_store, close_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
