/* SPDX-License-Identifier: Apache-2.0 */
/* Which argument is the box, and which the current box stands for. */
#include "op/line.h"
#include "support/test.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "box/box.h"
#include "box/current.h"

static char dir[PATH_MAX];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void add_box(struct box_state *s, const char *name)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_layer l = { 0 };
	struct store_box b = { .profile = "dev", .project = dir };

	box_new_id("l-", l.id);
	box_new_id("b-", b.id);
	snprintf(b.name, sizeof(b.name), "%s", name);
	memcpy(b.top, l.id, sizeof(b.top));
	if (store_begin(s->store, &e) < 0 || store_layer_add(s->store, &l, &e) < 0 ||
	    store_box_add(s->store, &b, &e) < 0 || store_commit(s->store, &e) < 0)
		fail_msg("%s", e.text);
}

/* A state directory with the boxes "now", the current one of DIR, and "old". */
static int make_boxes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct box_state s = { 0 };
	struct box_current c;
	char made[] = "/tmp/test-line-XXXXXX";

	(void)state;
	if (!mkdtemp(made) || !realpath(made, dir))
		return -1;
	setenv("XDG_STATE_HOME", dir, 1);
	setenv("HOME", "/nonexistent", 1);
	if (box_state_open(&s, &e) < 0)
		return -1;
	add_box(&s, "now");
	add_box(&s, "old");
	box_state_close(&s);
	return box_current_set(dir, "now", &c, &e);
}

static int remove_boxes(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* What becomes of GIVEN, arguments of OP as JSON; BEFORE: arguments before "--". NULL: it is refused. */
static void becomes(const struct op *op, const char *given, int before, const char *want)
{
	const char *env[] = { "HOME=/nonexistent", NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct op_context ctx = { .by.cwd = dir, .by.env = env };
	struct op_line l = { .before_dashes = before };
	json_t *args = json_loads(given, 0, NULL), *wanted = want ? json_loads(want, 0, NULL) : NULL;
	int r = op_line_begin(op, &ctx, args, &l, &e);

	if (want ? r < 0 || !json_equal(args, wanted) : r == 0)
		fail_msg("%s %s became %s (%s)", op->name, given, json_dumps(args, JSON_SORT_KEYS), e.text);
	assert_string_equal(l.box, want && strstr(want, "now") ? "now" : "");
	json_decref(args);
	json_decref(wanted);
	op_line_finish(&l);
}

static void options(void **state)
{
	(void)state;
	becomes(&op_run, "{\"command\": [\"a\"]}", -1, "{\"command\": [\"a\"], \"box\": \"now\"}");
	becomes(&op_run, "{\"command\": [\"a\"], \"box\": \"old\"}", -1,
		"{\"command\": [\"a\"], \"box\": \"old\"}");
	becomes(&op_run, "{\"command\": [\"a\"], \"box\": \"none\"}", -1,
		"{\"command\": [\"a\"], \"box\": \"none\"}");
	becomes(&op_run, "{\"command\": [\"a\"], \"fresh\": true}", -1, "{\"command\": [\"a\"]}");
	becomes(&op_run, "{\"command\": [\"a\"], \"fresh\": true, \"box\": \"old\"}", -1, NULL);
	becomes(&op_run, "{\"command\": [\"a\"], \"project\": \"/x\"}", -1,
		"{\"command\": [\"a\"], \"project\": \"/x\"}");
}

static void arguments(void **state)
{
	(void)state;
	becomes(&op_diff, "{}", -1, "{\"box\": \"now\"}");
	becomes(&op_diff, "{\"box\": \"@one\"}", -1, "{\"box\": \"now@one\"}");
	becomes(&op_diff, "{\"box\": \"old\"}", -1, "{\"box\": \"old\"}");
	becomes(&op_diff, "{\"box\": \"x\", \"other\": \"y\"}", -1, "{\"box\": \"x\", \"other\": \"y\"}");
	becomes(&op_show, "{\"box\": \"typo\"}", -1, "{\"box\": \"typo\"}");
	becomes(&op_snap, "{\"box\": \"before\"}", -1, "{\"box\": \"now\", \"name\": \"before\"}");
	becomes(&op_snap, "{\"box\": \"old\"}", -1, "{\"box\": \"old\"}");
	becomes(&op_promote, "{\"box\": \"a\", \"paths\": [\"b\"]}", -1,
		"{\"box\": \"now\", \"paths\": [\"a\", \"b\"]}");
	becomes(&op_promote, "{\"box\": \"old\", \"paths\": [\"b\"]}", -1,
		"{\"box\": \"old\", \"paths\": [\"b\"]}");
	becomes(&op_file_read, "{\"box\": \"p\"}", -1, "{\"box\": \"now\", \"path\": \"p\"}");
	becomes(&op_file_read, "{\"box\": \"typo\", \"path\": \"p\"}", -1,
		"{\"box\": \"typo\", \"path\": \"p\"}");
	becomes(&op_file_mv, "{\"box\": \"a\", \"path\": \"b\"}", -1,
		"{\"box\": \"now\", \"path\": \"a\", \"to\": \"b\"}");
	becomes(&op_file_mv, "{\"box\": \"a\", \"path\": \"b\", \"to\": \"c\"}", -1,
		"{\"box\": \"a\", \"path\": \"b\", \"to\": \"c\"}");
}

static void commands(void **state)
{
	(void)state;
	becomes(&op_exec, "{\"target\": \"old\", \"command\": [\"a\"]}", 0,
		"{\"target\": \"now\", \"command\": [\"old\", \"a\"]}");
	becomes(&op_exec, "{\"target\": \"ls\"}", 0, "{\"target\": \"now\", \"command\": [\"ls\"]}");
	becomes(&op_exec, "{\"target\": \"typo\", \"command\": [\"a\"]}", 1,
		"{\"target\": \"typo\", \"command\": [\"a\"]}");
	becomes(&op_exec, "{\"target\": \"ls\", \"command\": [\"a\"]}", -1,
		"{\"target\": \"now\", \"command\": [\"ls\", \"a\"]}");
	becomes(&op_exec, "{\"target\": \"r-12\", \"command\": [\"a\"]}", -1,
		"{\"target\": \"r-12\", \"command\": [\"a\"]}");
}

static void never_what_destroys(void **state)
{
	(void)state;
	becomes(&op_rm, "{}", -1, "{}");
	becomes(&op_rollback, "{\"box\": \"one\"}", -1, "{\"box\": \"one\"}");
}

/* Once told, it is forgotten. */
static void a_removed_one(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct box_state s = { 0 };
	struct store_box b = { 0 };

	(void)state;
	assert_int_equal(box_state_open(&s, &e), 0);
	assert_int_equal(store_box_find(s.store, "now", &b, &e), 0);
	assert_int_equal(store_begin(s.store, &e), 0);
	assert_int_equal(store_box_remove(s.store, b.id, &e), 0);
	assert_int_equal(store_commit(s.store, &e), 0);
	store_box_finish(&b);
	box_state_close(&s);
	becomes(&op_run, "{\"command\": [\"a\"], \"fresh\": true}", -1, "{\"command\": [\"a\"]}");
	becomes(&op_run, "{\"command\": [\"a\"]}", -1, NULL);
	becomes(&op_run, "{\"command\": [\"a\"]}", -1, "{\"command\": [\"a\"]}");
	becomes(&op_diff, "{}", -1, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(options), cmocka_unit_test(arguments),
					    cmocka_unit_test(commands), cmocka_unit_test(never_what_destroys),
					    cmocka_unit_test(a_removed_one) };

	return cmocka_run_group_tests(tests, make_boxes, remove_boxes);
}
