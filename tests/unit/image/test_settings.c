/* SPDX-License-Identifier: Apache-2.0 */
/* The config of an image: what it says about running it, and what is refused. */
#include "support/test.h"

#include "image/settings.h"

static struct image_settings s;
static struct aisbx_error e;

static int reset(void **state)
{
	(void)state;
	image_settings_finish(&s);
	s = (struct image_settings){ 0 };
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

static void all_of_it(void **state)
{
	(void)state;
	assert_int_equal(
		image_settings_read("{\"architecture\":\"amd64\",\"config\":{\"Entrypoint\":[\"a\",\"b c\"],"
				    "\"Cmd\":[\"d\"],\"Env\":[\"A=1\",\"B=\",\"C=x=y\"],\"User\":\"u:g\","
				    "\"WorkingDir\":\"/w/./x/..\",\"Labels\":{\"x\":1}}}",
				    &s, &e),
		0);
	assert_int_equal(s.entrypoint.n, 2);
	assert_string_equal(s.entrypoint.items[1], "b c");
	assert_string_equal(s.command.items[0], "d");
	assert_int_equal(s.env.n, 3);
	assert_string_equal(s.user, "u:g");
	assert_string_equal(s.cwd, "/w");
}

static void nothing(void **state)
{
	static const char *const empty[] = {
		"{}", "{\"config\":null}", "{\"config\":{}}",
		"{\"config\":{\"Cmd\":null,\"Env\":null,\"User\":null,\"WorkingDir\":\"\"}}"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		reset(NULL);
		assert_int_equal(image_settings_read(empty[i], &s, &e), 0);
		assert_int_equal(s.entrypoint.n + s.command.n + s.env.n, 0);
		assert_string_equal(s.user, "");
		assert_string_equal(s.cwd, "/");
	}
}

static void a_policy(void **state)
{
	(void)state;
	assert_int_equal(image_settings_read("{\"config\":{\"Labels\":{\"aisbx.pseudo.policy\":"
					     "\"{\\\"caps\\\":[\\\"CHOWN\\\"],\\\"net\\\":\\\"none\\\"}\"}}}",
					     &s, &e),
			 0);
	assert_true(s.policy.has_caps);
	assert_string_equal(s.policy.caps.items[0], "CHOWN");
	assert_string_equal(s.policy.net, "none");
	assert_null(s.policy.seccomp);
	reset(NULL);
	assert_int_equal(image_settings_read("{\"config\":{\"Labels\":null}}", &s, &e), 0);
	assert_false(s.policy.has_caps);
}

/* A relative directory is the root's; what leads out of it ends there. */
static void directories(void **state)
{
	static const char *const pairs[][2] = {
		{ "work", "/work" }, { "../../etc", "/etc" }, { "/", "/" }, { "//a//b/", "/a/b" }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		char text[128];

		reset(NULL);
		snprintf(text, sizeof(text), "{\"config\":{\"WorkingDir\":\"%s\"}}", pairs[i][0]);
		assert_int_equal(image_settings_read(text, &s, &e), 0);
		assert_string_equal(s.cwd, pairs[i][1]);
	}
}

static void refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"{\"config\":{\"Labels\":[]}}",
		"{\"config\":{\"Labels\":{\"aisbx.pseudo.policy\":{}}}}",
		"{\"config\":{\"Labels\":{\"aisbx.pseudo.policy\":\"\"}}}",
		"{\"config\":{\"Labels\":{\"aisbx.pseudo.policy\":\"{'net':1}\"}}}",
		"[]",
		"{",
		"{\"config\":[]}",
		"{\"config\":{\"Cmd\":\"sh\"}}",
		"{\"config\":{\"Cmd\":[1]}}",
		"{\"config\":{\"Entrypoint\":{}}}",
		"{\"config\":{\"Env\":[\"A\"]}}",
		"{\"config\":{\"Env\":[\"=1\"]}}",
		"{\"config\":{\"User\":0}}",
		"{\"config\":{\"WorkingDir\":[]}}",
		"{\"config\":{\"User\":\"a\\u0000b\"}}",
		"{\"config\":{},\"config\":{}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		reset(NULL);
		if (image_settings_read(wrong[i], &s, &e) == 0)
			fail_msg("'%s' was read", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_of_it, reset, reset),
		cmocka_unit_test_setup_teardown(nothing, reset, reset),
		cmocka_unit_test_setup_teardown(a_policy, reset, reset),
		cmocka_unit_test_setup_teardown(directories, reset, reset),
		cmocka_unit_test_setup_teardown(refused, reset, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
