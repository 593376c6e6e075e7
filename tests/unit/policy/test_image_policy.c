/* SPDX-License-Identifier: Apache-2.0 */
/* Settings about images: what is right is read as it is meant, what is wrong is refused with its place. */
#include "support/test.h"

#include "policy/image_policy.h"

static int parse(const char *text, struct image_policy *p, struct aisbx_error *e)
{
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return image_policy_parse(text, strlen(text), "images.yaml", p, e);
}

static void test_everything(void **state)
{
	struct image_policy p = { 0 };
	struct aisbx_error e;

	(void)state;
	assert_int_equal(
		parse("require_signature: true\nkeys: [~/a.pub, /b.pub]\nplain_http: ['[::1]:5000']\n"
		      "mirrors:\n  docker.io: [https://one.example, http://two.example:80]\n  b.example: "
		      "[]\n",
		      &p, &e),
		0);
	assert_true(p.require_signature);
	assert_int_equal(p.keys.n, 2);
	assert_string_equal(p.keys.items[1], "/b.pub");
	assert_string_equal(p.plain_http.items[0], "[::1]:5000");
	assert_int_equal(p.n_mirrors, 2);
	assert_string_equal(p.mirrors[0].host, "docker.io");
	assert_string_equal(p.mirrors[0].urls.items[1], "http://two.example:80");
	image_policy_finish(&p);
}

/* A second file adds, and cannot take back what the first requires. */
static void test_two_files(void **state)
{
	struct image_policy p = { 0 };
	struct aisbx_error e;

	(void)state;
	assert_int_equal(parse("require_signature: true\nkeys: [/a]\n", &p, &e), 0);
	assert_int_equal(parse("require_signature: false\nkeys: [/b]\n", &p, &e), 0);
	assert_int_equal(parse("", &p, &e), 0);
	assert_true(p.require_signature);
	assert_int_equal(p.keys.n, 2);
	image_policy_finish(&p);
}

static void test_mistakes(void **state)
{
	static const char *const bad[][2] = {
		{ "require_signatures: true\n", "require_signature" },
		{ "require_signature: maybe\n", "images.yaml:1" },
		{ "keys: /a\n", "list" },
		{ "keys: [[a]]\n", "images.yaml:1" },
		{ "mirrors: [a]\n", "mapping" },
		{ "mirrors: {a: b}\n", "list" },
		{ "mirrors: {a: [b], a: [c]}\n", "images.yaml:1" },
		{ "plain_http: ['']\n", "1 to 1024" },
		{ "keys: [a\n", "images.yaml" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct image_policy p = { 0 };
		struct aisbx_error e;

		if (parse(bad[i][0], &p, &e) == 0)
			fail_msg("taken: %s", bad[i][0]);
		if (!strstr(e.text, bad[i][1]))
			fail_msg("'%s' is not in '%s'", bad[i][1], e.text);
		image_policy_finish(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_everything),
					    cmocka_unit_test(test_two_files),
					    cmocka_unit_test(test_mistakes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
