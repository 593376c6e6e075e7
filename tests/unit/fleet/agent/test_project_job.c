/* SPDX-License-Identifier: Apache-2.0 */
/* What a job may say of its project: one tree, and a directory that is in it. */
#include "support/test.h"

#include "fleet/agent/project_job.h"

#define TREE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static int wish(const char *operation, const char *text, const char *arguments)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *said = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	json_t *args = json_loads(arguments, 0, NULL);
	struct project_wish found;
	int r;

	assert_non_null(said);
	assert_non_null(args);
	r = project_wish_read(operation, said, args, &found, &e);
	if (r == 0)
		assert_string_equal(found.tree, TREE);
	else
		assert_true(e.text[0]);
	json_decref(said);
	json_decref(args);
	return r;
}

static void good_ones(void **state)
{
	(void)state;
	assert_int_equal(wish("run", "{\"tree\": \"" TREE "\", \"at\": \"\"}", "{}"), 0);
	assert_int_equal(wish("run", "{\"tree\": \"" TREE "\", \"at\": \"a/..b/c.\"}", "{}"), 0);
}

static void what_leads_elsewhere(void **state)
{
	static const char *const bad[] = { "/",   "/etc",  "..",   "../x", "a/..",      "a/../..",
					   "./a", "a/./b", "a//b", "a/",   "a\\u0000b", "." };
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "{\"tree\": \"" TREE "\", \"at\": \"%s\"}", bad[i]);
		if (wish("run", text, "{}") == 0)
			fail_msg("'%s' was taken", bad[i]);
	}
}

static void what_is_no_project(void **state)
{
	static const char *const bad[] = { "1",
					   "\"" TREE "\"",
					   "{}",
					   "{\"tree\": \"" TREE "\"}",
					   "{\"tree\": 1, \"at\": \"\"}",
					   "{\"tree\": \"../../etc\", \"at\": \"\"}",
					   "{\"tree\": \"" TREE "0\", \"at\": \"\"}",
					   "{\"tree\": \"" TREE "\", \"at\": 1}",
					   "{\"tree\": \"" TREE "\", \"at\": \"\", \"more\": 1}" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (wish("run", bad[i], "{}") == 0)
			fail_msg("%s was taken", bad[i]);
	assert_int_not_equal(wish("rm", "{\"tree\": \"" TREE "\", \"at\": \"\"}", "{}"), 0);
	assert_int_not_equal(wish("run", "{\"tree\": \"" TREE "\", \"at\": \"\"}", "{\"box\": \"b\"}"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_ones),
		cmocka_unit_test(what_leads_elsewhere),
		cmocka_unit_test(what_is_no_project),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
