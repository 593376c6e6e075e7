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

static void injects(const char *text, const char *host, unsigned int port, const char *way,
		    const char *header, bool as_file, bool as_env)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct secret_spec s = { 0 };

	if (secret_spec_parse(text, &s, &e) != 0)
		fail_msg("%s: %s", text, e.text);
	assert_string_equal(s.from, "X");
	assert_string_equal(s.inject.host, host);
	assert_int_equal(s.inject.port, port);
	assert_string_equal(secret_way_name(s.inject.way), way);
	assert_string_equal(s.inject.header ? s.inject.header : "", header);
	assert_int_equal(s.as_file, as_file);
	assert_int_equal(s.as_env, as_env);
	secret_spec_finish(&s);
	assert_null(s.inject.host);
}

static void test_inject(void **state)
{
	(void)state;
	injects("T=env:X,inject=api.example.org", "api.example.org", 443, "header",
		"Authorization: Bearer {}", false, true);
	injects("T=env:X,inject=*.example.org:8443 basic", "*.example.org", 8443, "basic", "", false, true);
	injects("T=env:X,as=both,inject=a.b aws-sigv4", "a.b", 443, "aws-sigv4", "", true, true);
	injects("a-b=cmd:X,as=file,inject=a.b X-Key: a,as=env,inject={},b", "a.b", 443, "header",
		"X-Key: a,as=env,inject={},b", true, false);
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
	refused("T=env:,inject=a.b", "is missing");
	refused("T=hunter2,inject=a.b", "never the value itself");
	refused("T=env:X,inject=", "'inject' needs the host");
	refused("T=env:X,inject= basic", "'inject' needs the host");
	refused("T=env:X,inject=a.b:0", "'inject' needs the host");
	refused("T=env:X,inject=a.b:hunter2", "'inject' needs the host");
	refused("T=env:X,inject=a.b:65536", "'inject' needs the host");
	refused("T=env:X,inject=a.b Authorization: Bearer hunter2", "a header with {}");
	refused("T=env:X,inject=a.b {}: hunter2", "a header with {}");
	refused("T=env:X,inject=a.b A: {} {}", "a header with {}");
	refused("T=env:X,inject=a.b A B: {}", "a header with {}");
	refused("T=env:X,inject=a.b A: {}\r\nB: hunter2", "a header with {}");
	refused("T=env:X,inject=a.b Basic", "a header with {}");
	refused("a-b=env:X,inject=a.b", "',as=file' before ',inject='");
	refused("a.b=env:X,as=file,inject=a.b", "cannot have a '.'");
	refused("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=env:X", "at most 64");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_inject),
					    cmocka_unit_test(test_bad) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
