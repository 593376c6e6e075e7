/* SPDX-License-Identifier: Apache-2.0 */
/* Templates in the store: each owner's own, the person's for everybody; their layers are kept. */
#include "support/test.h"

#include <ftw.h>
#include <unistd.h>

#include "store/store.h"

#define L1 "l-0000000000000001"

static char dir[64];
static struct store *s;
static struct aisbx_error e;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int close_store(void **state)
{
	(void)state;
	store_close(s);
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void good(int r)
{
	if (r < 0)
		fail_msg("%s", e.text);
}

static int open_store(void **state)
{
	struct store_layer l = { .id = L1, .frozen = true };

	(void)state;
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	strcpy(dir, "/tmp/test-template-XXXXXX");
	return mkdtemp(dir) && store_open(dir, &s, &e) == 0 && store_layer_add(s, &l, &e) == 0 ? 0 : -1;
}

static int add(const char *owner, const char *name, const char *recipe)
{
	struct store_template t = {
		.layer = L1, .profile = "default", .created_ms = 3, .image = "i-1", .recipe = (char *)recipe
	};

	strcpy(t.owner, owner);
	strcpy(t.name, name);
	return store_template_add(s, &t, &e);
}

static void is(const char *owner, const char *name, const char *recipe)
{
	struct store_template t = { 0 };
	int r = store_template_find(s, owner, name, &t, &e);

	if (!recipe) {
		assert_int_equal(r, -ENOENT);
		return;
	}
	good(r);
	assert_string_equal(t.recipe, recipe);
	assert_string_equal(t.layer, L1);
	assert_string_equal(t.image, "i-1");
	assert_string_equal(t.profile, "default");
	assert_string_equal(t.settings, "");
	assert_null(t.project);
	assert_int_equal(t.created_ms, 3);
	store_template_finish(&t);
}

static void by_owner(void **state)
{
	struct store_template *list = NULL;
	size_t n;

	(void)state;
	good(add("", "a", "person's"));
	good(add("ann", "a", "ann's"));
	good(add("bob", "b", "bob's"));
	assert_int_equal(add("ann", "a", ""), -EEXIST);
	is("", "a", "person's");
	is("ann", "a", "ann's");
	is("bob", "a", "person's");
	is("ann", "b", NULL);
	is("", "b", NULL);
	good(store_template_list(s, "ann", &list, &n, &e));
	assert_int_equal(n, 2);
	store_template_list_finish(list, n);
	good(store_template_list(s, NULL, &list, &n, &e));
	assert_int_equal(n, 3);
	store_template_list_finish(list, n);
}

static void removed(void **state)
{
	char(*ids)[STORE_ID_MAX] = NULL;
	size_t n = 9;

	(void)state;
	good(add("", "a", "x"));
	assert_int_equal(store_template_remove(s, "ann", "a", &e), -ENOENT); /* may use it, not remove it */
	good(store_layer_collect(s, &ids, &n, &e));
	assert_int_equal(n, 0);
	good(store_template_remove(s, "", "a", &e));
	is("", "a", NULL);
	good(store_layer_collect(s, &ids, &n, &e));
	assert_int_equal(n, 1);
	free(ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_owner, open_store, close_store),
		cmocka_unit_test_setup_teardown(removed, open_store, close_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
