/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of boxes in the store, and in a store that an older aisbx made. */
#include "support/test.h"

#include <ftw.h>
#include <sqlite3.h>
#include <unistd.h>

#include "store/metadata.h"

static char dir[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test-metadata-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct store *opened(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = NULL;

	if (store_open(dir, &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

static void add(struct store *s, const char *id)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_layer l = { 0 };
	struct store_box b = { .profile = "dev" };

	snprintf(l.id, sizeof(l.id), "l-%s", id);
	snprintf(b.id, sizeof(b.id), "b-%s", id);
	snprintf(b.name, sizeof(b.name), "%s", id);
	memcpy(b.top, l.id, sizeof(b.top));
	if (store_begin(s, &e) < 0 || store_layer_add(s, &l, &e) < 0 || store_box_add(s, &b, &e) < 0 ||
	    store_commit(s, &e) < 0)
		fail_msg("%s", e.text);
}

static void check(struct store *s, const char *box, size_t want, const char *first, const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_metadata *list = NULL;
	size_t n = 0;

	assert_int_equal(store_metadata_list(s, box, &list, &n, &e), 0);
	assert_int_equal(n, want);
	if (want) {
		assert_string_equal(list[0].box, first);
		assert_string_equal(list[0].text, text);
	}
	store_metadata_finish(list, n);
}

static void kept_and_listed(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();

	(void)state;
	add(s, "2");
	add(s, "1");
	add(s, "3");
	check(s, NULL, 0, NULL, NULL);
	assert_int_equal(store_metadata_set(s, "b-2", "{\"a\":\"1\"}", &e), 0);
	assert_int_equal(store_metadata_set(s, "b-1", "{\"b\":\"'\"}", &e), 0);
	check(s, NULL, 2, "b-1", "{\"b\":\"'\"}");
	check(s, "b-2", 1, "b-2", "{\"a\":\"1\"}");
	check(s, "b-3", 0, NULL, NULL);
	check(s, "b-4", 0, NULL, NULL);
	store_close(s);
	s = opened();
	check(s, NULL, 2, "b-1", "{\"b\":\"'\"}");
	assert_int_equal(store_metadata_set(s, "b-1", "", &e), 0);
	check(s, NULL, 1, "b-2", "{\"a\":\"1\"}");
	assert_int_equal(store_box_remove(s, "b-2", &e), 0);
	check(s, NULL, 0, NULL, NULL);
	store_close(s);
}

/* The store as it was before step 12. */
static void in_an_older_store(void **state)
{
	static const char older[] = "DROP INDEX boxes_with_metadata; ALTER TABLE boxes DROP COLUMN metadata;"
				    "PRAGMA user_version=11;";
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	char path[96];
	sqlite3 *db;

	(void)state;
	add(s, "1");
	store_close(s);
	snprintf(path, sizeof(path), "%s/store.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, older, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	s = opened();
	check(s, NULL, 0, NULL, NULL);
	assert_int_equal(store_metadata_set(s, "b-1", "{}", &e), 0);
	check(s, "b-1", 1, "b-1", "{}");
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kept_and_listed, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(in_an_older_store, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
