/* SPDX-License-Identifier: Apache-2.0 */
/* The option that names a secret: what is understood, and that no message repeats what may be a value. */
#include "support/test.h"

#include "secret/secret_spec.h"

static void reads(const char *text, const char *name, enum secret_source source, const char *from,
		  bool as_file, bool as_env)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct secret_spec s = { 0 };

	if (secret_spec_parse(text, &s, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	assert_string_equal(s.name, name);
	assert_int_equal(s.source, source);
	assert_string_equal(s.from, from);
	assert_int_equal(s.as_file, as_file);
	assert_int_equal(s.as_env, as_env);
	secret_spec_finish(&s);
}

static void test_good(void **state)
{
	(void)state;
	reads("TOKEN=env:MY_TOKEN", "TOKEN", SECRET_FROM_ENV, "MY_TOKEN", true, false);
	reads("db.pass-1=file:/a=b,c:d", "db.pass-1", SECRET_FROM_FILE, "/a=b,c:d", true, false);
	reads("T=cmd:pass show x,as=env", "T", SECRET_FROM_COMMAND, "pass show x", false, true);
	reads("T=env:X,as=both", "T", SECRET_FROM_ENV, "X", true, true);
	reads("T=env:X,as=file", "T", SECRET_FROM_ENV, "X", true, false);
	reads("T=cmd:echo ,as=env,as=file", "T", SECRET_FROM_COMMAND, "echo ,as=env", true, false);
}

static void refused(const char *text, const char *word)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct secret_spec s = { 0 };

	assert_failed(secret_spec_parse(text, &s, &e), EINVAL, e, word);
	assert_null(strstr(e.text, "hunter2"));
	assert_null(s.from);
}

static void test_bad(void **state)
{
	(void)state;
	refused("TOKEN", "TOKEN=env:VARIABLE");
	refused("TOKEN=", "is missing");
	refused("TOKEN=hunter2hunter2", "never the value itself");
	refused("TOKEN=env:", "is missing");
	refused("TOKEN=file:,as=env", "is missing");
	refused("=env:hunter2", "needs a name");
	refused("../x=file:hunter2", "needs a name");
	refused("a/b=env:X", "needs a name");
	refused(".x=env:X", "needs a name");
	refused("x y=env:X", "needs a name");
	refused("1X=env:X,as=env", "not a variable name");
	refused("a-b=env:X,as=both", "not a variable name");
	refused("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=env:X", "at most 64");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_bad) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
