/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that prepare an interpreter: what a client names stays a text in them. */
#include "support/test.h"

#include "server/e2b/code.h"

static void languages(void **state)
{
	(void)state;
	assert_string_equal(code_language(NULL), "python");
	assert_string_equal(code_language("js"), "javascript");
	assert_string_equal(code_language("bash"), "shell");
	assert_null(code_language("r"));
	assert_null(code_language("java"));
}

static void values_stay_texts(void **state)
{
	json_t *env = json_pack("{s:s, s:s}", "A", "'\"\\\n$(id)\xc3\xbc", "B C; id", "x");
	char *text = code_set("shell", env);

	(void)state;
	/* A name that is none is left out. */
	assert_string_equal(text, "export A=''\\''\"\\\n$(id)\xc3\xbc'\n:\n");
	free(text);
	text = code_set("python", env);
	assert_non_null(strstr(text, ".loads(\"{\\\"A\\\":\\\"'\\\\\\\"\\\\\\\\\\\\n$(id)\\\\u00FC\\\""));
	free(text);
	text = code_restore("shell", env);
	assert_string_equal(text, "unset A\n:\n");
	free(text);
	text = code_prepare("shell", "/h u", "/home/user", "/a'b", env);
	assert_non_null(strstr(text, "ln -sn -- '/h u' /home/user"));
	assert_non_null(strstr(text, "cd -- '/a'\\''b'\n"));
	free(text);
	json_decref(env);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(languages),
					    cmocka_unit_test(values_stay_texts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
