/* SPDX-License-Identifier: Apache-2.0 */
/* Wishes out of JSON and into it: nothing that was said is lost, and what cannot be read is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/run_options.h"

static int read_text(const char *text, struct run_options *ret, json_t **ret_from)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	*ret_from = json_loads(text, 0, NULL);
	assert_non_null(*ret_from);
	return run_options_read(*ret_from, ret, &e);
}

static void test_a_record_has_all_of_it(void **state)
{
	static const char text[] =
		"{\"box\":\"b\",\"profile\":\"strict\",\"cwd\":\"/"
		"\",\"net\":[\"npm\",\"a.example:443\"],\"seccomp\":\"c\","
		"\"ro\":[\"/a\"],\"hide\":[\"/b\",\"/c\"],\"without\":[\"landlock\"],\"command\":[\"true\"],"
		"\"no-net\":true,\"tty\":true,\"timeout\":1.5,\"mem\":4096,\"cpu\":0.5,\"pids\":7}";
	scoped(run_options_finish) struct run_options options = { 0 };
	json_t *from, *again;

	(void)state;
	assert_int_equal(read_text(text, &options, &from), 0);
	assert_int_equal(options.net.n, 2);
	assert_string_equal(options.net.items[1], "a.example:443");
	assert_int_equal(options.hide.n, 2);
	assert_true(options.no_net);
	assert_int_equal(options.limits[LIMIT_WALL_TIME], 1500);
	again = run_options_json(&options);
	assert_true(json_equal(from, again));
	json_decref(again);
	json_decref(from);
}

static void test_what_cannot_be_read_is_refused(void **state)
{
	static const char *const wrong[] = {
		"{\"net\":1}",       "{\"profile\":null}",    "{\"no-net\":\"true\"}",  "{\"tty\":1}",
		"{\"hide\":\"/a\"}", "{\"hide\":[\"/a\",1]}", "{\"timeout\":\"soon\"}", "{\"timeout\":true}",
		"{\"timeout\":-1}",  "{\"mem\":-1}",          "{\"mem\":1.5}",          "{\"pids\":[]}",
		"{\"cpu\":\"\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		scoped(run_options_finish) struct run_options options = { 0 };
		json_t *from;

		assert_true(read_text(wrong[i], &options, &from) < 0);
		json_decref(from);
	}
}

/* Records of runs from when it had one value. */
static void test_one_network_mode_is_a_list_of_one(void **state)
{
	scoped(run_options_finish) struct run_options options = { 0 };
	json_t *from;

	(void)state;
	assert_int_equal(read_text("{\"net\":\"loopback\"}", &options, &from), 0);
	assert_int_equal(options.net.n, 1);
	assert_string_equal(options.net.items[0], "loopback");
	json_decref(from);
}

static void test_names_that_nobody_knows_are_refused(void **state)
{
	char *some[] = { "some", NULL }, *none[] = { "none", NULL };
	const struct run_options net = { .net = { .items = some, .n = 1 } }, seccomp = { .seccomp = "some" },
				 fine = { .net = { .items = none, .n = 1 } };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct profile p = { 0 };

	(void)state;
	assert_true(run_profile_options(&net, &p, &e) < 0);
	assert_true(run_profile_options(&seccomp, &p, &e) < 0);
	assert_int_equal(run_profile_options(&fine, &p, &e), 0);
	assert_int_equal(p.net, NET_NONE);
}

/* Branches have names, and so has a profile that is learned: only `run` itself reads its name. */
static void test_a_name_is_another_s(void **state)
{
	static const char *const texts[] = { "{\"name\":[\"good\",\"bad\"]}", "{\"name\":\"learned\"}" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		scoped(run_options_finish) struct run_options options = { 0 };
		json_t *from;

		assert_int_equal(read_text(texts[i], &options, &from), 0);
		assert_null(options.name);
		json_decref(from);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_record_has_all_of_it),
		cmocka_unit_test(test_what_cannot_be_read_is_refused),
		cmocka_unit_test(test_one_network_mode_is_a_list_of_one),
		cmocka_unit_test(test_a_name_is_another_s),
		cmocka_unit_test(test_names_that_nobody_knows_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
