/* SPDX-License-Identifier: Apache-2.0 */
/* Trees: what was written is read again, and what is hostile is refused with a reason. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "fleet/content/tree.h"
#include "fleet/content/tree_wire.h"

static struct content_entry *add(struct content_tree *t, enum content_type type, const char *path)
{
	struct content_entry *n = content_tree_add(t);

	assert_non_null(n);
	n->type = type;
	n->path = strdup(path);
	n->mode = 0644;
	n->seconds = -5;
	n->nanoseconds = 999999999;
	if (type == CONTENT_LINK)
		n->target = strdup("/etc/passwd");
	return n;
}

static void add_chunk(struct content_entry *n, uint8_t id, uint32_t len)
{
	struct content_ref ref = { .len = len };

	memset(ref.id, id, sizeof(ref.id));
	assert_int_equal(content_entry_add_ref(n, &ref), 0);
}

static void good(struct content_tree *t)
{
	add(t, CONTENT_DIR, "");
	add(t, CONTENT_DIR, "a");
	add(t, CONTENT_FILE, "a/\xff\xfe");
	add_chunk(&t->entries[2], 7, 100);
	add_chunk(&t->entries[2], 0, CONTENT_HOLE_MOST);
	add_chunk(&t->entries[2], 8, CONTENT_CHUNK_MOST);
	add(t, CONTENT_DIR, "a/b");
	add(t, CONTENT_WHITEOUT, "a/b/gone");
	add(t, CONTENT_NAME, "a.name");
	t->entries[5].same = 2;
	add(t, CONTENT_LINK, "link");
	add(t, CONTENT_FIFO, "pipe");
	assert_int_equal(content_entry_add_xattr(&t->entries[3], "user.empty", "", 0), 0);
	assert_int_equal(content_entry_add_xattr(&t->entries[3], "user.overlay.opaque", "y", 1), 0);
}

/* Reads what T is written as. */
static int again(const struct content_tree *t, struct content_tree *ret, struct aisbx_error *e)
{
	struct buf text = { 0 };
	int r;

	assert_int_equal(content_tree_write(t, &text), 0);
	r = content_tree_read(text.data, text.len, ret, e);
	buf_finish(&text);
	return r;
}

static void comes_back(void **state)
{
	struct content_tree t = { 0 }, back = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	good(&t);
	/* "\xff" is a name after "b": names are bytes. */
	struct content_entry swap = t.entries[2];

	t.entries[2] = t.entries[3];
	t.entries[3] = t.entries[4];
	t.entries[4] = swap;
	t.entries[5].same = 4;
	assert_int_equal(again(&t, &back, &e), 0);
	assert_int_equal(back.n, t.n);
	assert_true(back.bytes == 100ull + CONTENT_HOLE_MOST + CONTENT_CHUNK_MOST);
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(back.entries[i].type, t.entries[i].type);
		assert_string_equal(back.entries[i].path, t.entries[i].path);
		assert_true(back.entries[i].seconds == -5 && back.entries[i].nanoseconds == 999999999);
		assert_int_equal(back.entries[i].n_refs, t.entries[i].n_refs);
	}
	assert_int_equal(back.entries[2].n_xattrs, 2);
	assert_string_equal(back.entries[2].xattrs[1].name, "user.overlay.opaque");
	assert_int_equal(back.entries[5].same, 4);
	assert_string_equal(back.entries[6].target, "/etc/passwd");
	content_tree_finish(&t);
	content_tree_finish(&back);
}

static void refuse(struct content_tree *t, const char *why)
{
	struct content_tree back = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_int_equal(again(t, &back, &e), -EBADMSG);
	if (!strstr(e.text, why))
		fail_msg("'%s' does not say '%s'", e.text, why);
	assert_null(back.entries);
	content_tree_finish(t);
}

static void hostile_names(void **state)
{
	static const char *const names[] = { "..", ".", "../x", "/etc", "a/../b", "a//b", "none/x", "x/" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct content_tree t = { 0 };

		add(&t, CONTENT_DIR, "");
		add(&t, CONTENT_FILE, names[i]);
		refuse(&t, "leads out of it, is no name, or is in no directory");
	}
}

static void what_is_in_the_way(void **state)
{
	static const enum content_type types[] = { CONTENT_LINK, CONTENT_FILE, CONTENT_FIFO,
						   CONTENT_WHITEOUT };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct content_tree t = { 0 };

		add(&t, CONTENT_DIR, "");
		add(&t, types[i], "x");
		add(&t, CONTENT_FILE, "x/passwd");
		refuse(&t, "in no directory");
	}
}

static void twice_or_unsorted(void **state)
{
	static const char *const pairs[][2] = { { "x", "x" }, { "y", "x" }, { "a.b", "a" } };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct content_tree t = { 0 };

		add(&t, CONTENT_DIR, "");
		add(&t, CONTENT_FILE, pairs[i][0]);
		add(&t, CONTENT_FILE, pairs[i][1]);
		refuse(&t, "twice, or is not in order");
	}
}

static void other_lies(void **state)
{
	struct content_tree t = { 0 };

	(void)state;
	add(&t, CONTENT_FILE, "");
	refuse(&t, "no directory");
	add(&t, CONTENT_DIR, "x");
	refuse(&t, "not its top");
	add(&t, CONTENT_DIR, "");
	add(&t, CONTENT_NAME, "x")->same = 1; /* itself */
	refuse(&t, "not one of a file before");
	add(&t, CONTENT_DIR, "");
	add(&t, CONTENT_NAME, "x")->same = 0; /* a directory */
	refuse(&t, "not one of a file before");
	add(&t, CONTENT_DIR, "");
	add(&t, CONTENT_FILE, "x")->size = 1;
	refuse(&t, "not its size");
	add(&t, CONTENT_DIR, "");
	add_chunk(add(&t, CONTENT_FILE, "x"), 1, CONTENT_CHUNK_MOST + 1);
	refuse(&t, "too large");
	add(&t, CONTENT_DIR, "")->mode = 010000;
	refuse(&t, "mode or time");
	add(&t, CONTENT_DIR, "")->nanoseconds = 1000000000;
	refuse(&t, "mode or time");
	add(&t, CONTENT_DIR, "");
	add(&t, (enum content_type)'b', "disk");
	refuse(&t, "unknown type");
	content_entry_add_xattr(add(&t, CONTENT_DIR, ""), "trusted.overlay.redirect", "/", 1);
	refuse(&t, "does not travel");
	content_entry_add_xattr(add(&t, CONTENT_DIR, ""), "user.x", "", 0);
	content_entry_add_xattr(&t.entries[0], "user.x", "", 0);
	refuse(&t, "attribute twice");
}

static void deep(void **state)
{
	struct content_tree t = { 0 };
	char path[2 * CONTENT_DEPTH_MOST + 16] = "";

	(void)state;
	add(&t, CONTENT_DIR, "");
	for (size_t i = 0; i < CONTENT_DEPTH_MOST + 1; i++) {
		strcat(path, i ? "/d" : "d");
		add(&t, CONTENT_DIR, path);
	}
	refuse(&t, "too deep");
}

/* Every shorter text is refused, and no count makes it take memory for what is not there. */
static void cut_short(void **state)
{
	struct content_tree t = { 0 }, back = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf text = { 0 };
	uint32_t many = UINT32_MAX;

	(void)state;
	add(&t, CONTENT_DIR, "");
	add_chunk(add(&t, CONTENT_FILE, "x"), 3, 9);
	assert_int_equal(content_tree_write(&t, &text), 0);
	for (size_t len = 0; len < text.len; len++)
		assert_int_equal(content_tree_read(text.data, len, &back, &e), -EBADMSG);
	buf_add(&text, "", 1);
	assert_int_equal(content_tree_read(text.data, text.len, &back, &e), -EBADMSG);
	memcpy(text.data + TREE_MAGIC_BYTES, &many, sizeof(many));
	assert_int_equal(content_tree_read(text.data, text.len, &back, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "more entries than there can be"));
	buf_finish(&text);
	content_tree_finish(&t);
}

static void order(void **state)
{
	static const char *const sorted[] = { "", "a", "a/b", "a/b/c", "a/c", "a\x01", "a.b", "aa", "b" };

	(void)state;
	for (size_t i = 0; i < sizeof(sorted) / sizeof(*sorted); i++)
		for (size_t k = 0; k < sizeof(sorted) / sizeof(*sorted); k++) {
			int found = content_path_compare(sorted[i], sorted[k]);

			assert_int_equal((found > 0) - (found < 0), (i > k) - (i < k));
		}
}

static void attributes(void **state)
{
	(void)state;
	assert_true(content_xattr_travels("user.x"));
	assert_true(content_xattr_travels("trusted.overlay.opaque"));
	assert_true(content_xattr_travels("security.capability"));
	assert_true(content_xattr_is_strong("security.capability"));
	assert_false(content_xattr_is_strong("user.x"));
	assert_false(content_xattr_travels("user."));
	assert_false(content_xattr_travels("user.overlay.metacopy"));
	assert_false(content_xattr_travels("trusted.x"));
	assert_false(content_xattr_travels("security.selinux"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),         cmocka_unit_test(hostile_names),
		cmocka_unit_test(what_is_in_the_way), cmocka_unit_test(twice_or_unsorted),
		cmocka_unit_test(other_lies),         cmocka_unit_test(deep),
		cmocka_unit_test(cut_short),          cmocka_unit_test(order),
		cmocka_unit_test(attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
