/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a tree: what a layer has, and what it hides. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "fleet/content/select.h"

static struct content_entry *add(struct content_tree *t, enum content_type type, const char *path)
{
	struct content_entry *n = content_tree_add(t);
	struct content_ref ref = { .len = 10 };

	assert_non_null(n);
	n->type = type;
	n->path = strdup(path);
	memset(ref.id, 1, sizeof(ref.id));
	if (type == CONTENT_FILE)
		assert_int_equal(content_entry_add_ref(n, &ref), 0);
	if (type == CONTENT_LINK)
		n->target = strdup("elsewhere");
	return n;
}

static void fill(struct content_tree *t)
{
	add(t, CONTENT_DIR, "");
	add(t, CONTENT_FILE, "alone");
	add(t, CONTENT_DIR, "dir");
	add(t, CONTENT_FILE, "dir/first");
	add(t, CONTENT_FILE, "dir/other");
	add(t, CONTENT_DIR, "gone");
	add(t, CONTENT_DIR, "gone/deep");
	add(t, CONTENT_LINK, "gone/deep/link");
	add(t, CONTENT_NAME, "name")->same = 1;
	add(t, CONTENT_DIR, "new");
	add(t, CONTENT_FILE, "new/below");
	add(t, CONTENT_NAME, "new/name")->same = 1;
	add(t, CONTENT_FILE, "newer");
}

static void make(const char *dir, const char *name, mode_t mode)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(S_ISDIR(mode) ? mkdir(path, 0700) : mknod(path, mode | 0600, 0), 0);
}

static void check(const struct content_tree *t, const char *const *expected)
{
	size_t n = 0;

	for (; expected[n]; n++) {
		assert_true(n < t->n);
		assert_string_equal(t->entries[n].path, expected[n]);
	}
	assert_int_equal(t->n, n);
}

static void a_part(void **state)
{
	static const char *const expected[] = { "",         "dir",       "dir/first",
						"gone",     "gone/deep", "gone/deep/link",
						"name",     "new",       "new/below",
						"new/name", NULL };
	char dir[] = "/tmp/select-XXXXXX", path[300];
	struct content_tree t = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_non_null(mkdtemp(dir));
	make(dir, "dir", S_IFDIR);
	make(dir, "dir/first", S_IFREG);
	make(dir, "gone", S_IFREG); /* a file, or a deletion: what was below it is hidden */
	make(dir, "name", S_IFREG);
	make(dir, "new", S_IFDIR);
	make(dir, "made", S_IFDIR);
	snprintf(path, sizeof(path), "%s/new", dir);
	assert_int_equal(setxattr(path, "user.overlay.opaque", "y", 1, 0), 0);
	fill(&t);
	assert_int_equal(content_tree_select(&t, dir, &e), 0);
	check(&t, expected);
	/* The file went, and two names of it stayed: the first is the file now. */
	assert_int_equal(t.entries[6].type, CONTENT_FILE);
	assert_int_equal(t.entries[6].n_refs, 1);
	assert_int_equal(t.entries[9].type, CONTENT_NAME);
	assert_int_equal(t.entries[9].same, 6);
	assert_int_equal(t.bytes, 30);
	content_tree_finish(&t);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

static void no_layer(void **state)
{
	struct content_tree t = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	fill(&t);
	assert_int_equal(content_tree_select(&t, "/nonsuch/layer", &e), -ENOENT);
	content_tree_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_part), cmocka_unit_test(no_layer) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
