/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the history: values are parameters, whatever they are. */
#include "support/test.h"

#include "fleet/collect/where.h"

static void asks(const char *text, const char *sql, const char *params)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf all = { 0 };
	struct where w;

	if (where_parse(text, &w, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	for (size_t i = 0; i < w.params.n; i++)
		buf_addf(&all, "%s|", w.params.items[i]);
	assert_string_equal(w.sql.data, sql);
	assert_string_equal(buf_str(&all), params);
	buf_finish(&all);
	where_finish(&w);
}

static void questions(void **state)
{
	(void)state;
	asks("", "true", "");
	asks("node=a", "true AND node = $1::text", "a|");
	asks("  node=a\tkind!=run ", "true AND node = $1::text AND kind IS DISTINCT FROM $2::text", "a|run|");
	asks("node=\"a b\" status~x", "true AND node = $1::text AND position($2 in body->>'status') > 0",
	     "a b|x|");
	asks("command=\"say \\\"hi\\\" \\\\\"", "true AND body->>'command' = $1::text", "say \"hi\" \\|");
	asks("sequence>=7", "true AND sequence >= $1::bigint", "7|");
	asks("since=1d", "true AND at >= now() - $1::bigint * interval '1 millisecond'", "86400000|");
	asks("until=2026-11-18T10:00:00Z", "true AND at < $1::timestamptz", "2026-11-18T10:00:00Z|");
	asks("box=", "true AND box = $1::text", "|");
	asks("box==x", "true AND box = $1::text", "=x|");
}

/* None of it reaches the text of the statement. */
static void hostile_values(void **state)
{
	(void)state;
	asks("node=');DROP", "true AND node = $1::text", "');DROP|");
	asks("node=\"$1; SELECT 1 --\"", "true AND node = $1::text", "$1; SELECT 1 --|");
	asks("tenant=%s%n", "true AND tenant = $1::text", "%s%n|");
}

static void refused(void **state)
{
	static const char *const texts[] = { "nodes=a",    "node",        "=a",
					     "node=\"a",   "node=\"a\"b", "node<a",
					     "sequence=x", "sequence=",   "sequence=9223372036854775808",
					     "sequence~1", "since<1d",    "since!=1d",
					     "node=\xff",  "NODE=a",      "n\0de=a" };
	struct aisbx_error e;
	struct where w;
	char many[1024] = "";

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (where_parse(texts[i], &w, &e) != -EINVAL)
			fail_msg("%s", texts[i]);
	}
	for (int i = 0; i <= WHERE_TERMS_MAX; i++)
		strcat(many, "node=a ");
	assert_failed(where_parse(many, &w, &e), E2BIG, e, "more than");
	assert_failed(where_parse("nodes=a", &w, &e), EINVAL, e, "tenant");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(questions), cmocka_unit_test(hostile_values),
					    cmocka_unit_test(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
