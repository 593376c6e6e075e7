/* SPDX-License-Identifier: Apache-2.0 */
/* What the helper says comes over as it was, whatever bytes are in it; what it cannot have
 * said is refused. */
#include "support/test.h"

#include "scan/core/wire.h"

static int take(const char *line, struct facts *l)
{
	return wire_take(line, strlen(line), l);
}

static void there_and_back(void **state)
{
	char *args[] = { "a\"\\\n\t", FACT_NOT_KNOWN, "\xff\xfe", "\xc3\xa9", "" }, *from[] = { "open" };
	struct fact f = { .kind = FACT_COMMAND,
			  .flags = FACT_INDIRECT | FACT_NESTED,
			  .line = 1,
			  .column = 2,
			  .end_line = 3,
			  .end_column = 4,
			  .name = "rm\x1b[2J",
			  .args = { .items = args, .n = 5 },
			  .from = { .items = from, .n = 1 } };
	struct facts l = { 0 };
	struct buf b = { 0 };

	(void)state;
	wire_put_fact(&b, &f);
	assert_int_equal(wire_take(b.data, b.len - 1, &l), 1);
	assert_int_equal(l.list[0].kind, FACT_COMMAND);
	assert_int_equal(l.list[0].flags, FACT_INDIRECT | FACT_NESTED);
	assert_int_equal(l.list[0].end_column, 4);
	assert_string_equal(l.list[0].name, f.name);
	assert_int_equal(l.list[0].args.n, 5);
	assert_string_equal(l.list[0].args.items[0], args[0]);
	assert_string_equal(l.list[0].args.items[1], FACT_NOT_KNOWN);
	assert_string_equal(l.list[0].args.items[2], "\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(l.list[0].args.items[3], args[3]);
	assert_string_equal(l.list[0].from.items[0], "open");
	b.len = 0;
	l.dropped = 7;
	wire_put_end(&b, &l);
	l.dropped = 0;
	assert_int_equal(wire_take(b.data, b.len - 1, &l), 0);
	assert_int_equal(l.dropped, 7);
	buf_finish(&b);
	facts_finish(&l);
}

static void lies(void **state)
{
	static const char *const lines[] = {
		"",
		"null",
		"[]",
		"{",
		"{\"end\":1,\"dropped\":0}", /* there were none */
		"{\"end\":-1}",
		"{\"kind\":\"module\",\"flags\":0,\"at\":[1,1,1,1],\"name\":\"x\"}", /* no reader's to say */
		"{\"kind\":\"no\",\"flags\":0,\"at\":[1,1,1,1],\"name\":\"x\"}",
		"{\"kind\":\"text\",\"flags\":0,\"at\":[0,1,1,1],\"name\":\"x\"}",
		"{\"kind\":\"text\",\"flags\":0,\"at\":[1,1,1],\"name\":\"x\"}",
		"{\"kind\":\"text\",\"flags\":0,\"at\":[1,1,1,99999999999],\"name\":\"x\"}",
		"{\"kind\":\"text\",\"flags\":0,\"at\":[1,1,1,1]}",
		"{\"kind\":\"text\",\"flags\":0,\"at\":[1,1,1,1],\"name\":\"x\",\"args\":[1]}",
		"{\"kind\":\"text\",\"flags\":0,\"at\":[1,1,1,1],\"name\":\"x\",\"name\":\"y\"}",
	};
	struct facts l = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (take(lines[i], &l) != -EBADMSG)
			fail_msg("taken: %s", lines[i]);
	assert_int_equal(l.n, 0);
}

static void too_many_arguments(void **state)
{
	struct facts l = { 0 };
	struct buf b = { 0 };

	(void)state;
	buf_addf(&b, "{\"kind\":\"text\",\"flags\":0,\"at\":[1,1,1,1],\"name\":\"x\",\"args\":[\"\"");
	for (size_t i = 0; i < FACT_MAX_ARGS; i++)
		buf_addf(&b, ",\"\"");
	buf_addf(&b, "]}");
	assert_int_equal(wire_take(b.data, b.len, &l), -EBADMSG);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(there_and_back), cmocka_unit_test(lies),
					    cmocka_unit_test(too_many_arguments) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
