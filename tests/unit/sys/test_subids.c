/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines of /etc/subuid give somebody ids, and which do not. */
#include "support/test.h"

#include <unistd.h>

#include "sys/subids.h"

#define OF(line) sys_subids_of_line(line, "ann", 1000, 1000)

static void lines_that_give(void **state)
{
	(void)state;
	assert_int_equal(OF("ann:100000:65536"), 100000);
	assert_int_equal(OF("1000:100000:65535"), 100000);
	assert_int_equal(OF("ann:1001:4000000000"), 1001);
	assert_int_equal(OF("ann:4294901760:65535"), 4294901760u);
}

static void lines_that_do_not(void **state)
{
	static const char *const lines[] = {
		"",
		"ann",
		"ann:",
		"ann:100000",
		"ann:100000:",
		"ann::65536",
		":100000:65536",
		"anna:100000:65536",
		"an:100000:65536",
		"bob:100000:65536",
		"10000:100000:65536",
		"ann:100000:65534",
		"ann:0:65536",          /* root */
		"ann:1000:65536",       /* the user */
		"ann:1:65536",          /* likewise */
		"ann:4294901761:65535", /* ends beyond the last id */
		"ann:-1:65536",
		"ann:+100000:65536",
		"ann: 100000:65536",
		"ann:100000:65536 ",
		"ann:100000:0x10000",
		"ann:100000:65536:1",
		"ann:18446744073709651616:65536",
		"ann:100000:99999999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (OF(lines[i]))
			fail_msg("'%s' is taken", lines[i]);
	/* Who has no name is no empty one. */
	assert_int_equal(sys_subids_of_line(":100000:65536", "", 1000, 1000), 0);
}

static void texts(void **state)
{
	static const char *const wrong[] = { "",    "1",     "1:",           ":1",  "0:1",
					     "1:0", "1:2:3", "1:4294967296", "a:1", "1:2 " };
	struct sys_subids ids = { 100000, 200000 }, got;
	char text[SYS_SUBIDS_TEXT];

	(void)state;
	sys_subids_text(&ids, text);
	assert_string_equal(text, "100000:200000");
	assert_true(sys_subids_parse(text, &got));
	assert_memory_equal(&got, &ids, sizeof(ids));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (sys_subids_parse(wrong[i], &got))
			fail_msg("'%s' is taken", wrong[i]);
}

static void not_for_root(void **state)
{
	struct sys_subids ids = { 1, 1 };
	char why[200];

	(void)state;
	if (geteuid() != 0)
		return;
	assert_false(sys_subids_find(&ids, why, sizeof(why)));
	assert_int_equal(ids.uid, 0);
	assert_non_null(strstr(why, "ordinary users"));
	assert_int_equal(sys_subids_namespace(), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_give),
		cmocka_unit_test(lines_that_do_not),
		cmocka_unit_test(texts),
		cmocka_unit_test(not_for_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
