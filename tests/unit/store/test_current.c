/* SPDX-License-Identifier: Apache-2.0 */
/* Current boxes in the store: one for each project and owner, whatever the project is called. */
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
	strcpy(dir, "/tmp/test-current-XXXXXX");
	return mkdtemp(dir) && store_open(dir, &s, &e) == 0 ? 0 : -1;
}

static int close_store(void **state)
{
	(void)state;
	store_close(s);
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void set(const char *owner, const char *project, struct store_place place, const char *box)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (store_current_set(s, owner, project, &place, box, "name", 5, &e) < 0)
		fail_msg("%s", e.text);
}

static void is(const char *owner, const char *project, struct store_place place, const char *box)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_current c;

	assert_int_equal(store_current_find(s, owner, project, &place, &c, &e), 0);
	assert_string_equal(c.box, box);
	assert_string_equal(c.name, *box ? "name" : "");
}

#define PLACE(d, i, b) ((struct store_place){ .dev = (d), .ino = (i), .born = (b) })
#define NOWHERE        PLACE(0, 0, 0)

static void one_each(void **state)
{
	(void)state;
	set("", "/a", PLACE(1, 10, 100), "b-1");
	set("", "/b", PLACE(1, 20, 200), "b-2");
	set("ann", "/a", PLACE(1, 10, 100), "b-3");
	is("", "/a", PLACE(1, 10, 100), "b-1");
	is("", "/b", PLACE(1, 20, 200), "b-2");
	is("ann", "/a", PLACE(1, 10, 100), "b-3");
	is("bob", "/a", PLACE(1, 10, 100), "");
	is("", "/c", PLACE(1, 30, 300), "");
	set("", "/a", PLACE(1, 10, 100), "b-4");
	is("", "/a", PLACE(1, 10, 100), "b-4");
	is("ann", "/a", PLACE(1, 10, 100), "b-3");
}

/* Moved: by its place. Not there any more: by its name. A new inode may be an old one's number. */
static void by_name_and_place(void **state)
{
	(void)state;
	set("", "/a", PLACE(1, 10, 100), "b-1");
	set("", "/no-births", PLACE(1, 11, 0), "b-2");
	is("", "/moved", PLACE(2, 10, 100), "b-1");
	is("", "/moved", PLACE(1, 10, 101), "");
	is("", "/moved", PLACE(1, 11, 0), "b-2");
	is("", "/moved", PLACE(2, 11, 0), "");
	is("", "/a", NOWHERE, "b-1");
	is("", "/a", PLACE(1, 12, 120), "b-1");
	is("", "/a", PLACE(1, 11, 0), "b-2"); /* what is there now counts more than what it is called */
	is("", "/other", NOWHERE, "");
}

static void forgotten(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	set("", "/a", PLACE(1, 10, 100), "b-1");
	set("", "/b", PLACE(1, 20, 200), "b-2");
	set("ann", "/a", PLACE(1, 10, 100), "b-3");
	assert_int_equal(store_current_forget(s, "", "/moved", &PLACE(1, 10, 100), &e), 0);
	is("", "/a", PLACE(1, 10, 100), "");
	is("", "/b", PLACE(1, 20, 200), "b-2");
	is("ann", "/a", PLACE(1, 10, 100), "b-3");
	assert_int_equal(store_current_forget(s, "", "/c", &NOWHERE, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_each, open_store, close_store),
		cmocka_unit_test_setup_teardown(by_name_and_place, open_store, close_store),
		cmocka_unit_test_setup_teardown(forgotten, open_store, close_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
