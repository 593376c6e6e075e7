/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of history as messages: what was encoded is decoded, and nothing else. */
#include "support/test.h"

#include "fleet/history/row.h"

#define DIGEST "0123456789abcdef0123456789abcdef"
#define OTHER  "ffffffffffffffffffffffffffffffff"
#define FROM   "aisbx.history.n1"

static const char row[] =
	"{\"kind\":\"run\",\"time\":1700000000000,\"tenant\":\"t\",\"box\":\"b-1\",\"run\":\"r-1\","
	"\"digest\":\"" DIGEST "\",\"body\":{\"status\":\"ok\"}}";

/* A message with parts in place of the good ones; NULL: the good one. */
static int decode(const char *head, const char *at, const char *rows, struct aisbx_error *e)
{
	struct history_batch b = { .n = 0 };
	char text[8192];
	int r;

	snprintf(text, sizeof(text), "{%s,\"at\":%s,\"rows\":%s}",
		 head ? head : "\"v\":1,\"node\":\"n1\",\"incarnation\":\"" DIGEST "\",\"first\":7",
		 at ? at : "{\"runs\":[12,\"" DIGEST "\"]}", rows ? rows : "[]");
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	r = history_batch_decode(FROM, text, strlen(text), &b, e);
	if (r == 0)
		history_batch_finish(&b);
	return r;
}

static int decode_rows(const char *one, struct aisbx_error *e)
{
	char rows[4096];

	snprintf(rows, sizeof(rows), "[%s]", one);
	return decode(NULL, NULL, rows, e);
}

static void there_and_back(void **state)
{
	struct history_row rows[2] = {
		{ .time_ms = 5, .kind = "run", .tenant = "é", .box = "b-1", .run = "r-1" },
		{ .time_ms = 0, .kind = "box.created" }
	};
	struct history_batch b = { .node = "n1", .incarnation = DIGEST, .first = 3, .rows = rows, .n = 2 },
			     back;
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		memcpy(rows[i].digest, i ? OTHER : DIGEST, HISTORY_DIGEST);
		rows[i].body = json_pack("{s:I}", "n", (json_int_t)9007199254740993 + (json_int_t)i);
	}
	b.at[1].number = 12;
	memcpy(b.at[1].digest, OTHER, HISTORY_DIGEST);
	assert_int_equal(history_batch_encode(&b, &text), 0);
	assert_int_equal(history_batch_decode(FROM, text.data, text.len, &back, &e), 0);
	assert_string_equal(back.node, "n1");
	assert_string_equal(back.incarnation, DIGEST);
	assert_int_equal(back.first, 3);
	assert_int_equal(back.n, 2);
	assert_int_equal(back.at[0].number, 0);
	assert_int_equal(back.at[1].number, 12);
	assert_string_equal(back.at[1].digest, OTHER);
	assert_string_equal(back.rows[0].tenant, "é");
	assert_string_equal(back.rows[0].digest, DIGEST);
	assert_int_equal(json_integer_value(json_object_get(back.rows[1].body, "n")), 9007199254740994);
	history_batch_finish(&back);
	/* From another node's subject it is a forgery. */
	assert_failed(history_batch_decode("aisbx.history.n2", text.data, text.len, &back, &e), EACCES, e,
		      "n1");
	assert_failed(history_batch_decode("aisbx.history.n1.x", text.data, text.len, &back, &e), EACCES, e,
		      "n1");
	buf_finish(&text);
	json_decref(rows[0].body);
	json_decref(rows[1].body);
}

static void other_versions(void **state)
{
	struct aisbx_error e;

	(void)state;
	assert_int_equal(decode_rows(row, &e), 0);
	assert_failed(decode("\"v\":2,\"node\":\"n1\"", NULL, NULL, &e), EPROTONOSUPPORT, e, "newer");
	assert_failed(decode("\"w\":1,\"node\":\"n1\"", NULL, NULL, &e), EPROTONOSUPPORT, e, "newer");
}

#define HEAD(node, incarnation, first) \
	"\"v\":1,\"node\":" node ",\"incarnation\":" incarnation ",\"first\":" first

static void bad_heads(void **state)
{
	static const char *const heads[] = {
		HEAD("\"n1\"", "\"" DIGEST "\"", "0"),
		HEAD("\"n1\"", "\"" DIGEST "\"", "-1"),
		HEAD("\"n1\"", "\"" DIGEST "\"", "9007199254740992"),
		HEAD("\"n1\"", "\"" DIGEST "\"", "\"1\""),
		HEAD("\"n1\"", "\"" DIGEST "\"", "1.5"),
		HEAD("\"n1\"", "\"" DIGEST "0\"", "1"),
		HEAD("\"n1\"", "\"ABCDEF6789abcdef0123456789abcdef\"", "1"),
		HEAD("\"n1\"", "7", "1"),
		HEAD("\"n.1\"", "\"" DIGEST "\"", "1"),
		HEAD("\"\"", "\"" DIGEST "\"", "1"),
		HEAD("null", "\"" DIGEST "\"", "1"),
		HEAD("\"n1\"", "\"" DIGEST "\"", "1,\"first\":2"),
	};
	char rows[1024];
	struct aisbx_error e;

	(void)state;
	snprintf(rows, sizeof(rows), "[%s]", row);
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (decode(heads[i], NULL, rows, &e) != -EBADMSG)
			fail_msg("%s", heads[i]);
	assert_int_equal(decode(NULL, "[]", rows, &e), -EBADMSG);
	assert_int_equal(decode(NULL, "{\"runs\":[0,\"" DIGEST "\"]}", rows, &e), -EBADMSG);
	assert_int_equal(decode(NULL, "{\"runs\":[1]}", rows, &e), -EBADMSG);
	assert_int_equal(decode(NULL, "{\"runs\":7}", rows, &e), -EBADMSG);
	assert_int_equal(decode(NULL, "{\"runs\":[9007199254740993,\"" DIGEST "\"]}", rows, &e), -EBADMSG);
	assert_int_equal(decode(NULL, "{\"newer\":7}", rows, &e), 0);
	assert_int_equal(decode(NULL, NULL, "[]", &e), -EBADMSG);
	assert_int_equal(decode(NULL, NULL, "{}", &e), -EBADMSG);
	assert_int_equal(decode(NULL, NULL, "[7]", &e), -EBADMSG);
}

/* ROW with TO in place of FROM. */
static int decode_changed(const char *from, const char *to, struct aisbx_error *e)
{
	const char *at = strstr(row, from);
	char changed[2048];

	assert_non_null(at);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - row), row, to, at + strlen(from));
	return decode_rows(changed, e);
}

static void bad_rows(void **state)
{
	static const char *const changes[][2] = {
		{ "\"run\",\"time\"", "\"\",\"time\"" },
		{ "\"run\",\"time\"", "\"Run\",\"time\"" },
		{ "\"run\",\"time\"", "\"a-kind-that-is-longer-than-any-other\",\"time\"" },
		{ "1700000000000", "-1" },
		{ "1700000000000", "253402300800000" },
		{ "1700000000000", "1.5" },
		{ "\"t\"", "\"a\\nb\"" },
		{ "\"t\"", "\"\\u0000\"" },
		{ "\"t\"", "\"t\",\"tenant\":\"u\"" },
		{ "\"b-1\"", "\"../b\"" },
		{ "\"b-1\"", "null" },
		{ "\"r-1\"", "\"r-0123456789abcdef0123456789\"" },
		{ DIGEST, "0" },
		{ "{\"status\":\"ok\"}", "[]" },
		{ "{\"status\":\"ok\"}", "null" },
	};
	struct aisbx_error e;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (decode_changed(changes[i][0], changes[i][1], &e) != -EBADMSG)
			fail_msg("%s for %s", changes[i][1], changes[i][0]);
	assert_int_equal(decode_changed("\"t\"", "\"t\",\"newer\":7", &e), 0);
}

static void too_much(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct history_batch b;
	char *text = calloc(1, HISTORY_MAX + 1);
	char deep[256];

	(void)state;
	assert_non_null(text);
	memset(text, ' ', HISTORY_MAX + 1);
	assert_failed(history_batch_decode(FROM, text, HISTORY_MAX + 1, &b, &e), EMSGSIZE, e, "bytes");
	free(text);
	/* The message, its rows and the row are three; the body is the rest. */
	for (int levels = HISTORY_DEPTH - 4; levels <= HISTORY_DEPTH - 3; levels++) {
		memset(deep, 0, sizeof(deep));
		strcpy(deep, "{\"x\":");
		memset(deep + strlen(deep), '[', (size_t)levels);
		memset(deep + strlen(deep), ']', (size_t)levels);
		strcat(deep, "}");
		assert_int_equal(decode_changed("{\"status\":\"ok\"}", deep, &e),
				 levels == HISTORY_DEPTH - 4 ? 0 : -EBADMSG);
	}
}

static void digests(void **state)
{
	char a[HISTORY_DIGEST], b[HISTORY_DIGEST];

	(void)state;
	history_digest(a, "ab", "c", NULL);
	history_digest(b, "a", "bc", NULL);
	assert_true(history_is_digest(a) && history_is_digest(b));
	assert_string_not_equal(a, b);
	history_digest(b, "ab", "c", NULL);
	assert_string_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(other_versions),
		cmocka_unit_test(bad_heads),      cmocka_unit_test(bad_rows),
		cmocka_unit_test(too_much),       cmocka_unit_test(digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
