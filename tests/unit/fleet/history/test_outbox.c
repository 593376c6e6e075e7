/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a store on their way out: in order, as many as a message takes, and recognised when the store was
 * put back. */
#include "support/test.h"

#include <ftw.h>
#include <unistd.h>

#include "fleet/history/outbox.h"

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
	strcpy(dir, "/tmp/test-outbox-XXXXXX");
	return mkdtemp(dir) && store_open(dir, &s, &e) == 0 ? 0 : -1;
}

static int close_store(void **state)
{
	(void)state;
	store_close(s);
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void run(const char *id, int64_t at, char *command, char *result)
{
	struct store_run r = {
		.status = "ok", .started_ms = at, .command = command, .result = result, .owner = "team"
	};
	struct aisbx_error e = AISBX_ERROR_INIT;

	snprintf(r.id, sizeof(r.id), "%s", id);
	assert_int_equal(store_run_note(dir, &r, &e), 0);
	if (store_run_import(s, &e) < 0)
		fail_msg("%s", e.text);
}

static void event(const char *kind, const char *what)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (store_event_add(s, kind, "b-1", NULL, &e, "%s", what) < 0)
		fail_msg("%s", e.text);
}

static struct history_batch collect(const struct history_mark at[HISTORY_SOURCES])
{
	static const struct history_mark nothing[HISTORY_SOURCES];
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch b;

	if (outbox_collect(s, "", NULL, at ? at : nothing, &b, &e) < 0)
		fail_msg("%s", e.text);
	return b;
}

static const char *text_in(const struct history_row *row, const char *key)
{
	return json_string_value(json_object_get(row->body, key));
}

static void all_sources(void **state)
{
	struct store_promotion p = { .id = "p-0000000000000001",
				     .box = "b-1",
				     .box_name = "x",
				     .target = (char *)"/srv/shop",
				     .state = "done",
				     .changes = 3,
				     .owner = "team" };
	struct store_approval a = { .snapshot = "s-1",
				    .approved = true,
				    .uid = 7,
				    .name = "eve",
				    .way = "approve",
				    .note = (char *)"fine",
				    .time_ms = 4000000000000 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch b, more;

	(void)state;
	run("r-1", 1, (char *)"true", (char *)"{\"usage\":{\"wall_ms\":1}}");
	assert_int_equal(store_promotion_put(s, &p, &e), 0);
	event("promotion.applied", "{\"promotion\":\"p-0000000000000001\"}");
	assert_int_equal(store_approval_add(s, "pl-1", 2, &a, &e), 0);
	b = collect(NULL);
	assert_int_equal(b.n, 3);
	assert_string_equal(b.rows[0].kind, "run");
	assert_string_equal(b.rows[0].run, "r-1");
	assert_string_equal(b.rows[0].tenant, "team");
	assert_string_equal(text_in(&b.rows[0], "command"), "true");
	assert_non_null(json_object_get(json_object_get(b.rows[0].body, "result"), "usage"));
	assert_string_equal(b.rows[1].kind, "promotion.applied");
	assert_string_equal(text_in(&b.rows[1], "target"), "/srv/shop");
	assert_string_equal(b.rows[1].tenant, "team");
	assert_string_equal(b.rows[2].kind, "approval");
	assert_string_equal(text_in(&b.rows[2], "note"), "fine");
	assert_true(json_is_true(json_object_get(b.rows[2].body, "approved")));
	more = collect(b.at);
	assert_int_equal(more.n, 0);
	history_batch_finish(&b);
	history_batch_finish(&more);
}

/* The row is undone later: that is another event, and what was sent of the first one stays the same. */
static void a_later_change(void **state)
{
	struct store_promotion p = { .id = "p-0000000000000001", .target = (char *)"/srv", .state = "done" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch before, after;

	(void)state;
	assert_int_equal(store_promotion_put(s, &p, &e), 0);
	event("promotion.applied", "{\"promotion\":\"p-0000000000000001\"}");
	before = collect(NULL);
	strcpy(p.state, "undone");
	assert_int_equal(store_promotion_put(s, &p, &e), 0);
	event("promotion.undone", "{\"promotion\":\"p-0000000000000001\"}");
	after = collect(NULL);
	assert_int_equal(before.n, 1);
	assert_int_equal(after.n, 2);
	assert_string_equal(before.rows[0].digest, after.rows[0].digest);
	assert_true(json_equal(before.rows[0].body, after.rows[0].body));
	history_batch_finish(&before);
	history_batch_finish(&after);
}

static void many_rows(void **state)
{
	struct history_batch b = { .n = 0 };
	size_t all = 0, messages = 0;
	struct history_mark at[HISTORY_SOURCES] = { 0 };
	char id[24];

	(void)state;
	for (int i = 0; i < 600; i++) {
		struct store_run r = { .status = "ok", .started_ms = 600 - i, .command = (char *)"x" };
		struct aisbx_error e = AISBX_ERROR_INIT;

		snprintf(r.id, sizeof(r.id), "r-%d", i);
		assert_int_equal(store_run_note(dir, &r, &e), 0);
	}
	run("r-last", 0, (char *)"x", NULL);
	do {
		history_batch_finish(&b);
		b = collect(at);
		memcpy(at, b.at, sizeof(at));
		for (size_t i = 0; i < b.n; i++, all++) { /* by number, not by time */
			snprintf(id, sizeof(id), "r-%zu", all);
			assert_string_equal(b.rows[i].run, all == 600 ? "r-last" : id);
		}
		messages++;
	} while (b.n);
	history_batch_finish(&b);
	assert_int_equal(all, 601);
	assert_int_equal(messages, 4);
}

/* A message never gets too long, and a row that is too long for one loses its longest parts only. */
static void long_rows(void **state)
{
	const size_t len = 900000;
	char *command = calloc(1, len + 1);
	struct buf text = { 0 };
	struct history_batch b;

	(void)state;
	assert_non_null(command);
	memset(command, 'x', len);
	run("r-1", 1, command, NULL);
	command[100000] = '\0';
	for (int i = 0; i < 8; i++) {
		char id[24];

		snprintf(id, sizeof(id), "r-long-%d", i);
		run(id, 2, command, NULL);
	}
	b = collect(NULL);
	assert_int_equal(b.n, 1);
	assert_string_equal(text_in(&b.rows[0], "status"), "ok");
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(b.rows[0].body, "command"), "bytes")),
			 len + 2);
	assert_int_equal(history_batch_encode(&b, &text), 0);
	history_batch_finish(&b);
	b = collect((struct history_mark[HISTORY_SOURCES]){ { .number = 1 } });
	assert_int_equal(b.n, 2);
	assert_int_equal(strlen(text_in(&b.rows[0], "command")), 100000);
	history_batch_finish(&b);
	buf_finish(&text);
	free(command);
}

/* What is no JSON, no UTF-8, or too deep is told as text; it holds nobody back. */
static void odd_rows(void **state)
{
	static const char *const whats[] = { "no JSON", "[]", "{\"x\":\"\\u0000\"}", "{\"x\":\"\xff\"}" };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch b, back;
	struct buf text = { 0 };
	char deep[256] = "{\"x\":";

	(void)state;
	for (size_t i = 0; i < sizeof(whats) / sizeof(*whats); i++)
		event("box.created", whats[i]);
	memset(deep + strlen(deep), '[', 60);
	memset(deep + strlen(deep), ']', 60);
	strcat(deep, "}");
	event("box.created", deep);
	event("Odd Kind!", "{}");
	b = collect(NULL);
	assert_int_equal(b.n, 6);
	assert_string_equal(text_in(&b.rows[0], "text"), "no JSON");
	assert_string_equal(text_in(&b.rows[1], "unreadable"), "[]");
	assert_non_null(text_in(&b.rows[2], "unreadable"));
	assert_non_null(text_in(&b.rows[3], "x"));
	assert_non_null(text_in(&b.rows[4], "unreadable"));
	assert_string_equal(b.rows[5].kind, "unknown");
	snprintf(b.node, sizeof(b.node), "n1");
	memset(b.incarnation, 'a', HISTORY_DIGEST - 1);
	b.first = 1;
	assert_int_equal(history_batch_encode(&b, &text), 0);
	if (history_batch_decode("aisbx.history.n1", text.data, text.len, &back, &e) < 0)
		fail_msg("%s", e.text);
	history_batch_finish(&back);
	history_batch_finish(&b);
	buf_finish(&text);
}

/* Another row of the same number: the store was put back, and went on. */
static void a_store_that_was_put_back(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch b;
	bool has = false;

	run("r-1", 1, (char *)"true", NULL);
	run("r-2", 2, (char *)"true", NULL);
	b = collect(NULL);
	assert_int_equal(outbox_has(s, b.at, &has, &e), 0);
	assert_true(has);
	close_store(state);
	assert_int_equal(open_store(state), 0);
	run("r-1", 1, (char *)"true", NULL);
	assert_int_equal(outbox_has(s, b.at, &has, &e), 0);
	assert_false(has);
	run("r-3", 2, (char *)"true", NULL);
	assert_int_equal(outbox_has(s, b.at, &has, &e), 0);
	assert_false(has);
	history_batch_finish(&b);
}

static void positions(void **state)
{
	struct history_position p, back;
	struct aisbx_error e = AISBX_ERROR_INIT;
	char path[128];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/fleet/outbox.json", dir);
	assert_int_equal(history_position_load(path, &back, &e), -ENOENT);
	assert_int_equal(history_position_begin(NULL, &p, &e), 0);
	p.sequence = 5;
	p.at[2].number = 9;
	memset(p.at[2].digest, 'b', HISTORY_DIGEST - 1);
	p.stream_ns = 1795024682922123456;
	p.stream_sequence = 77;
	assert_int_equal(history_position_save(path, &p, &e), 0);
	assert_int_equal(history_position_load(path, &back, &e), 0);
	assert_memory_equal(&back, &p, sizeof(p));
	f = fopen(path, "we");
	assert_non_null(f);
	fputs("{\"v\":1,", f); /* torn */
	fclose(f);
	assert_int_equal(history_position_load(path, &back, &e), -ENOENT);
	assert_int_equal(history_position_begin(p.at, &back, &e), 0);
	assert_string_not_equal(back.incarnation, p.incarnation);
	assert_int_equal(back.sequence, 0);
	assert_int_equal(back.at[2].number, 9);
}

#define test_with_store(f) cmocka_unit_test_setup_teardown(f, open_store, close_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_with_store(all_sources), test_with_store(a_later_change),
		test_with_store(many_rows),   test_with_store(long_rows),
		test_with_store(odd_rows),    test_with_store(a_store_that_was_put_back),
		test_with_store(positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
