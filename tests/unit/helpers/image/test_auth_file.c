/* SPDX-License-Identifier: Apache-2.0 */
/* Files of passwords as docker and podman write them, and broken ones. */
#include "support/test.h"

#include <errno.h>

#include "helpers/image/auth_file.h"

static json_t *file(const char *text)
{
	json_t *f = json_loads(text, 0, NULL);

	assert_non_null(f);
	return f;
}

static struct credentials find(const char *text, const char *host, const char *repository, int expected)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct credentials c = { 0 };
	json_t *f = file(text);

	assert_int_equal(auth_file_find(f, host, repository, &c, &e), expected);
	assert_null(strstr(e.text, "secret"));
	json_decref(f);
	return c;
}

static void check(const char *text, const char *host, const char *repository, const char *user,
		  const char *password)
{
	struct credentials c = find(text, host, repository, 0);

	if (user)
		assert_string_equal(c.user, user);
	else
		assert_null(c.user);
	if (password)
		assert_string_equal(c.password, password);
	else
		assert_null(c.password);
	credentials_finish(&c);
}

/* bTpw = m:pw, bjpw = n:pw, bzpw = o:pw */
static void test_keys(void **state)
{
	(void)state;
	check("{\"auths\":{\"r.example\":{\"auth\":\"bTpw\"}}}", "r.example", "x", "m", "p");
	check("{\"auths\":{\"https://r.example\":{\"auth\":\"bTpw\"}}}", "r.example", "x", "m", "p");
	check("{\"auths\":{\"https://r.example/v2/\":{\"auth\":\"bTpw\"}}}", "r.example", "x", "m", "p");
	check("{\"auths\":{\"R.Example\":{\"auth\":\"bTpw\"}}}", "r.example", "x", "m", "p");
	check("{\"auths\":{\"r.example:5000\":{\"auth\":\"bTpw\"}}}", "r.example:5000", "x", "m", "p");
	check("{\"auths\":{\"r.example:5000\":{\"auth\":\"bTpw\"}}}", "r.example", "x", NULL, NULL);
	check("{\"auths\":{\"r.example\":{\"auth\":\"bTpw\"}}}", "r.example.evil", "x", NULL, NULL);
	check("{\"auths\":{\"r.example.evil\":{\"auth\":\"bTpw\"}}}", "r.example", "x", NULL, NULL);
	check("{\"auths\":{\"https://index.docker.io/v1/\":{\"auth\":\"bTpw\"}}}", "docker.io", "library/x",
	      "m", "p");
	check("{\"auths\":{\"docker.io\":{\"auth\":\"bTpw\"}}}", "docker.io", "library/x", "m", "p");
	check("{\"auths\":{\"r.example\":{\"username\":\"u\",\"password\":\"v\"}}}", "r.example", "x", "u",
	      "v");
	check("{\"auths\":{\"r.example\":{}}}", "r.example", "x", NULL, NULL);
	check("{\"auths\":[]}", "r.example", "x", NULL, NULL);
	check("{}", "r.example", "x", NULL, NULL);
}

/* As podman has it: the nearest name counts. */
static void test_repositories(void **state)
{
	const char *text =
		"{\"auths\":{\"r.example\":{\"auth\":\"bTpw\"},\"r.example/team\":{\"auth\":\"bjpw\"},"
		"\"r.example/team/tool\":{\"auth\":\"bzpw\"}}}";

	(void)state;
	check(text, "r.example", "other", "m", "p");
	check(text, "r.example", "team/else", "n", "p");
	check(text, "r.example", "team/tool", "o", "p");
	check(text, "r.example", "team/tool/part", "o", "p");
	check(text, "r.example", "teammate", "m", "p");
}

static void test_tokens(void **state)
{
	struct credentials c = find("{\"auths\":{\"r\":{\"auth\":\"bTpw\",\"identitytoken\":\"tok\","
				    "\"registrytoken\":\"reg\"}}}",
				    "r", "x", 0);

	(void)state;
	assert_string_equal(c.identity_token, "tok");
	assert_string_equal(c.registry_token, "reg");
	credentials_finish(&c);
	assert_null(c.identity_token);
}

/* The password may have colons; neither may have line breaks, for they go into a header. */
static void test_pairs(void **state)
{
	struct credentials c;

	(void)state;
	check("{\"auths\":{\"r\":{\"auth\":\"bTphOmI6Yw==\"}}}", "r", "x", "m", "a:b:c");
	c = find("{\"auths\":{\"r\":{\"auth\":\"!!!\"}}}", "r", "x", -EINVAL);
	credentials_finish(&c);
	c = find("{\"auths\":{\"r\":{\"auth\":\"bm9jb2xvbg==\"}}}", "r", "x", -EINVAL);
	credentials_finish(&c);
	c = find("{\"auths\":{\"r\":{\"identitytoken\":\"secret\\r\\nX: y\"}}}", "r", "x", -EINVAL);
	credentials_finish(&c);
}

static int helper(const char *text, const char *host, char *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *f = file(text);
	int r = auth_file_helper(f, host, ret, 64, &e);

	json_decref(f);
	return r;
}

static void test_helpers(void **state)
{
	char name[64];

	(void)state;
	assert_int_equal(helper("{\"credHelpers\":{\"r\":\"ecr-login\"},\"credsStore\":\"pass\"}", "r", name),
			 0);
	assert_string_equal(name, "ecr-login");
	assert_int_equal(helper("{\"credHelpers\":{\"r\":\"ecr-login\"},\"credsStore\":\"pass\"}", "s", name),
			 0);
	assert_string_equal(name, "pass");
	assert_int_equal(helper("{\"credHelpers\":{\"https://index.docker.io/v1/\":\"hub\"}}", "docker.io",
				name),
			 0);
	assert_string_equal(name, "hub");
	assert_int_equal(helper("{}", "r", name), 0);
	assert_string_equal(name, "");
	assert_int_equal(helper("{\"credsStore\":\"../../bin/sh\"}", "r", name), -EPERM);
	assert_int_equal(helper("{\"credsStore\":\"a b\"}", "r", name), -EPERM);
	assert_int_equal(helper("{\"credsStore\":\"X\"}", "r", name), -EPERM);
	assert_int_equal(helper("{\"credsStore\":"
				"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}",
				"r", name),
			 -EPERM);
}

static int answer(const char *text, struct credentials *c)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = auth_file_answer(text, strlen(text), c, &e);

	assert_null(strstr(e.text, "secret"));
	return r;
}

static void test_answers(void **state)
{
	struct credentials c = { 0 };

	(void)state;
	assert_int_equal(answer("{\"ServerURL\":\"r\",\"Username\":\"u\",\"Secret\":\"s\"}", &c), 0);
	assert_string_equal(c.user, "u");
	assert_string_equal(c.password, "s");
	credentials_finish(&c);
	assert_int_equal(answer("{\"Username\":\"<token>\",\"Secret\":\"s\"}", &c), 0);
	assert_null(c.user);
	assert_string_equal(c.identity_token, "s");
	credentials_finish(&c);
	assert_int_equal(answer("secret", &c), -EPROTO);
	assert_int_equal(answer("{\"Username\":\"u\"}", &c), -EPROTO);
	assert_int_equal(answer("{\"Username\":\"u\",\"Secret\":\"secret\\n\"}", &c), -EINVAL);
	credentials_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),    cmocka_unit_test(test_repositories),
		cmocka_unit_test(test_tokens),  cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_helpers), cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
