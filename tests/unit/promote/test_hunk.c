/* SPDX-License-Identifier: Apache-2.0 */
/* Hunks: all of them give the new text, none the old one, each subset what it says, in any order of parts. */
#include "support/test.h"

#include <unistd.h>

#include "base/scope.h"
#include "promote/hunk.h"

static const char base[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
static const char patch[] = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
			    "@@ -1,9 +1,10 @@ some function\n"
			    " 1\n-2\n+two\n 3\n 4\n 5\n+five and a half\n 6\n 7\n-8\n-9\n+8 9\n+ten\n";

static char *applied(const char *of, const char *text, const char *which)
{
	scoped(hunk_list_finish) struct hunk_list l = { 0 };
	struct buf made = { 0 };
	bool accepted[8] = { 0 };

	assert_int_equal(hunk_list_read(text, strlen(text), &l), 0);
	assert_int_equal(l.n, strlen(which));
	for (size_t i = 0; i < l.n; i++)
		accepted[i] = which[i] == 'y';
	assert_int_equal(hunk_list_apply(&l, accepted, of, strlen(of), &made), 0);
	return buf_str(&made);
}

static void check(const char *of, const char *text, const char *which, const char *wanted)
{
	scoped(drop_mem) char *made = applied(of, text, which);

	assert_string_equal(made, wanted);
}

static void test_some_of_the_parts(void **state)
{
	(void)state;
	check(base, patch, "nnn", base);
	check(base, patch, "yyy", "1\ntwo\n3\n4\n5\nfive and a half\n6\n7\n8 9\nten\n");
	check(base, patch, "nyn", "1\n2\n3\n4\n5\nfive and a half\n6\n7\n8\n9\n");
	check(base, patch, "yny", "1\ntwo\n3\n4\n5\n6\n7\n8 9\nten\n");
}

static void test_a_part_is_a_hunk_of_its_own(void **state)
{
	scoped(hunk_list_finish) struct hunk_list l = { 0 };
	scoped(buf_finish) struct buf one = { 0 };
	scoped(buf_finish) struct buf whole = { 0 };

	(void)state;
	assert_int_equal(hunk_list_read(patch, strlen(patch), &l), 0);
	assert_int_equal(l.n_hunks, 1);
	hunk_print_part(&l, 1, &one);
	assert_string_equal(buf_str(&one), "@@ -3,5 +3,6 @@\n 3\n 4\n 5\n+five and a half\n 6\n 7\n");
	hunk_print(&l, 0, &whole);
	assert_string_equal(buf_str(&whole), "@@ -1,9 +1,10 @@\n 1\n-2\n+two\n 3\n 4\n 5\n+five and a half\n"
					     " 6\n 7\n-8\n-9\n+8 9\n+ten\n");
}

static void test_lines_without_an_end(void **state)
{
	static const char gains[] = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n";
	static const char loses[] = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n";

	(void)state;
	check("a\nb", gains, "y", "a\nb\n");
	check("a\nb", gains, "n", "a\nb");
	check("a\nb", loses, "y", "A\nb");
	check("", "@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n", "y", "x\ny");
	check("x\n", "@@ -1 +0,0 @@\n-x\n", "y", "");
}

static void test_what_is_no_patch(void **state)
{
	static const char *const bad[] = {
		"@@ -1,2 +1,2 @@\n a\n",                      /* it ends too soon */
		"@@ -1 +1 @@\n-a\n+b\nmore\n",                /* something behind it */
		"@@ -1 +1 @@\n-a\n+b",                        /* a line without its end */
		"@@ -x +1 @@\n-a\n+b\n",                      /* no number */
		"@@ -99999999999999999999999 +1 @@\n-a",      /* too large a number */
		"@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-c\n+d\n", /* not in order */
		"@@ -1 +1 @@\n-a\n-b\n",                      /* more lines than it says */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct hunk_list l = { 0 };

		assert_int_equal(hunk_list_read(bad[i], strlen(bad[i]), &l), -EBADMSG);
		assert_int_equal(l.n, 0);
	}
}

static void test_a_patch_of_another_text(void **state)
{
	scoped(hunk_list_finish) struct hunk_list l = { 0 };
	scoped(buf_finish) struct buf made = { 0 };
	bool all[3] = { true, true, true };

	(void)state;
	assert_int_equal(hunk_list_read(patch, strlen(patch), &l), 0);
	assert_int_equal(hunk_list_apply(&l, all, "1\nx\n3\n", 6, &made), -EBADMSG);
	assert_int_equal(hunk_list_apply(&l, all, "", 0, &made), -EBADMSG);
}

/* Few different lines, so that diff finds many ways. */
static void write_random(const char *file, struct buf *ret, const struct buf *like)
{
	FILE *f = fopen(file, "w");
	size_t at = 0;

	assert_non_null(f);
	for (int i = rand() % 40; i > 0; i--) {
		if (like && at < like->len && rand() % 5) { /* a line as it is there */
			size_t n = strcspn(like->data + at, "\n");

			n += like->data[at + n] == '\n';
			buf_add(ret, like->data + at, n);
			at += n;
		} else {
			buf_addf(ret, "line %d\n", rand() % 6);
		}
	}
	if (ret->len && ret->data[ret->len - 1] == '\n' && rand() % 4 == 0)
		ret->len--;
	assert_non_null(buf_str(ret));
	fwrite(ret->data, 1, ret->len, f);
	assert_int_equal(fclose(f), 0);
}

static void read_all(FILE *f, struct buf *ret)
{
	char chunk[4096];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(ret, chunk, n);
	assert_non_null(buf_str(ret));
}

/* All is the new text, none the old one; and a choice and the rest of it, one after the other, is all. */
static void check_random(const char *dir)
{
	scoped(buf_finish) struct buf old = { 0 };
	scoped(buf_finish) struct buf now = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	scoped(buf_finish) struct buf all = { 0 };
	scoped(buf_finish) struct buf none = { 0 };
	scoped(hunk_list_finish) struct hunk_list l = { 0 };
	char names[2][128], command[400];
	bool accepted[128] = { 0 };
	FILE *f;

	snprintf(names[0], sizeof(names[0]), "%s/old", dir);
	snprintf(names[1], sizeof(names[1]), "%s/new", dir);
	write_random(names[0], &old, NULL);
	write_random(names[1], &now, &old);
	snprintf(command, sizeof(command), "diff -U%d %s %s", rand() % 4, names[0], names[1]);
	f = popen(command, "r");
	assert_non_null(f);
	read_all(f, &text);
	pclose(f);
	assert_int_equal(hunk_list_read(text.data, text.len, &l), 0);
	assert_true(l.n < 128);
	assert_int_equal(hunk_list_apply(&l, accepted, old.data, old.len, &none), 0);
	assert_int_equal(none.len, old.len);
	assert_string_equal(buf_str(&none), old.data);
	memset(accepted, true, sizeof(accepted));
	assert_int_equal(hunk_list_apply(&l, accepted, old.data, old.len, &all), 0);
	assert_int_equal(all.len, now.len);
	assert_string_equal(buf_str(&all), now.data);
	unlink(names[0]);
	unlink(names[1]);
}

static void test_random_texts(void **state)
{
	char dir[] = "/tmp/aisbx-hunk-XXXXXX";

	(void)state;
	srand(18);
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 200; i++)
		check_random(dir);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_of_the_parts),
		cmocka_unit_test(test_a_part_is_a_hunk_of_its_own),
		cmocka_unit_test(test_lines_without_an_end),
		cmocka_unit_test(test_what_is_no_patch),
		cmocka_unit_test(test_a_patch_of_another_text),
		cmocka_unit_test(test_random_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
