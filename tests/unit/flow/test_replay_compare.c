/* SPDX-License-Identifier: Apache-2.0 */
/* How two lines, and two texts, differ: what a person would say, and never that different ones
 * are the same. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "flow/replay_compare.h"

static const struct {
	const char *was, *is, *kind;
} lines[] = {
	{ "2026-11-15 17:30:00", "2026-11-16 08:01:59", "time" },
	{ "2026-11-15T17:30:00Z ok", "2027-01-02T03:04:05Z ok", "time" },
	{ "Sun Nov 15 17:56:16 UTC 2026", "Mon Nov 16 01:02:03 UTC 2026", "time" },
	{ "15 Nov 17:30:00", "2 Dec 17:30:00", "time" },
	{ "[12:30:59.123] up", "[01:02:03.4] up", "time" },
	{ "1794765376.966977294", "1794765377.8", "time" },
	{ "1794765376966", "1794765377827", "time" },
	{ "5 passed in 0.03s", "5 passed in 12.5s", "time" },
	{ "took 5 ms", "took 17 ms", "time" },
	{ "Finished in 3 seconds", "Finished in 4 seconds", "time" },
	{ "pid 12", "pid 4711", "number" },
	{ "5 passed", "6 passed", "number" },
	{ "version 1.2", "version 1.3", "number" },
	{ "<object at 0x7f0011223344>", "<object at 0x55aa>", "address" },
	{ "/tmp/tmpabc123/out", "/tmp/tmpzzz999x/out", "temporary name" },
	{ "wrote /var/tmp/a.XyZ", "wrote /var/tmp/b.QQQ", "temporary name" },
	{ "tmp8x_k2lq", "tmpqqqqqqq", "temporary name" },
	{ "{'a', 'b', 'c'}", "{'c', 'a', 'b'}", "order" },
	{ "12:30:59 at 0x7fff01", "12:31:00 at 0x7fff02", "mixed" },
	{ "pid 7 at 0x7fffab", "pid 8 at 0x7fffcd", "mixed" },
	{ "yes", "no", "content" },
	{ "", "x", "content" },
	{ "abc 1", "abd 1", "content" },
	{ "0x", "0y", "content" },
	{ "sunday", "monday", "time" },
	{ "marble", "aprble", "content" },
	{ "a b", "a  b", "content" },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *a = lines[i].was, *b = lines[i].is;

		if (strcmp(replay_line_kind(a, strlen(a), b, strlen(b)), lines[i].kind) != 0)
			fail_msg("'%s' and '%s': %s, not %s", a, b,
				 replay_line_kind(a, strlen(a), b, strlen(b)), lines[i].kind);
		assert_string_equal(replay_line_kind(b, strlen(b), a, strlen(a)), lines[i].kind);
	}
}

static const struct {
	const char *was, *is, *kind;
	size_t n;
} texts[] = {
	{ "", "", "", 0 },
	{ "a\nb\n", "a\nb\n", "", 0 },
	{ "a\nb\nc\n", "c\na\nb\n", "order", 3 },
	{ "a\n1\n", "a\n2\n", "number", 1 },
	{ "1\n12:00:00\n", "2\n12:00:01\n", "mixed", 2 },
	{ "1\nx\n", "2\ny\n", "content", 2 },
	{ "a\n", "a\nb\n", "content", 1 },
	{ "a\n", "a", "content", 0 },
	{ "", "a\n", "content", 1 },
	{ "1 2\n3 4\n", "2 1\n4 3\n", "order", 2 },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct replay_text t;

		replay_compare_text(texts[i].was, strlen(texts[i].was), texts[i].is, strlen(texts[i].is), &t);
		assert_string_equal(t.kind, texts[i].kind);
		assert_int_equal(t.n_lines, texts[i].n);
		assert_int_equal(t.same, !strcmp(texts[i].was, texts[i].is));
	}
}

static void test_bytes(void **state)
{
	struct replay_text t;

	(void)state;
	replay_compare_text("a\0b", 3, "a\0c", 3, &t);
	assert_false(t.same);
	assert_string_equal(t.kind, "bytes");
	replay_compare_text("a\0b", 3, "a\0b", 3, &t);
	assert_true(t.same);
}

/* The first twenty are told, all are looked at. */
static void test_many(void **state)
{
	char a[4096] = "", b[4096] = "";
	struct replay_text t;

	(void)state;
	for (int i = 0; i < 100; i++) {
		strcat(a, "1\n");
		strcat(b, i < 99 ? "2\n" : "x\n");
	}
	replay_compare_text(a, strlen(a), b, strlen(b), &t);
	assert_int_equal(t.n_lines, REPLAY_LINES);
	assert_int_equal(t.lines[19].number, 20);
	assert_string_equal(t.kind, "content");
}

/* Whatever the bytes: no kind for what is the same, some kind for what is not, nothing read
 * behind the end. */
static void test_any_bytes(void **state)
{
	static const char alphabet[] = "0123:-. /xtmpTZams\n";

	(void)state;
	srandom(7);
	for (int round = 0; round < 20000; round++) {
		size_t n[2] = { (size_t)random() % 12, (size_t)random() % 12 };
		char *text[2];
		struct replay_text t;

		for (int k = 0; k < 2; k++) {
			text[k] = malloc(n[k] ? n[k] : 1);
			for (size_t i = 0; i < n[k]; i++)
				text[k][i] = alphabet[(size_t)random() % (sizeof(alphabet) - 1)];
		}
		replay_compare_text(text[0], n[0], text[1], n[1], &t);
		assert_int_equal(t.same, n[0] == n[1] && !memcmp(text[0], text[1], n[0]));
		assert_int_equal(t.same, !*t.kind);
		free(text[0]);
		free(text[1]);
	}
}

static void test_temporary(void **state)
{
	(void)state;
	assert_true(replay_is_temporary("d/tmpabcd1234"));
	assert_true(replay_is_temporary("x.tmp.4711"));
	assert_false(replay_is_temporary("tmp"));
	assert_false(replay_is_temporary("template.c/x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),     cmocka_unit_test(test_texts),
		cmocka_unit_test(test_bytes),     cmocka_unit_test(test_many),
		cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_temporary)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
