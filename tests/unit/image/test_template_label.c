/* SPDX-License-Identifier: Apache-2.0 */
/* The label of a template: what it says, and what is refused. */
#include "support/test.h"

#include <stdlib.h>

#include "image/template_label.h"

#define LOCK "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct template_label l;
static struct aisbx_error e;

static int reset(void **state)
{
	(void)state;
	template_label_finish(&l);
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

static int take(const char *text)
{
	reset(NULL);
	return template_label_read(text, strlen(text), &l, &e);
}

static void all_of_it(void **state)
{
	static const char text[] = "{\"autosnap\":true,\"lock\":\"" LOCK
				   "\",\"machine\":\"x86_64\",\"name\":\"t.1\",\"net\":[\"a:443\",\"p\"],"
				   "\"no-caches\":true,\"os\":\"debian 13\",\"profile\":\"dev\","
				   "\"recipe\":\"r\",\"system\":true,\"version\":1}";
	char *written;

	(void)state;
	assert_int_equal(take(text), 0);
	assert_string_equal(l.name, "t.1");
	assert_string_equal(l.os, "debian 13");
	assert_string_equal(l.machine, "x86_64");
	assert_true(l.system && l.no_caches && l.autosnap);
	assert_string_equal(l.profile, "dev");
	assert_int_equal(l.net.n, 2);
	assert_string_equal(l.recipe, "r");
	assert_string_equal(l.lock, LOCK);
	written = template_label_write(&l);
	assert_string_equal(written, text);
	free(written);
}

static void the_least(void **state)
{
	(void)state;
	assert_int_equal(take("{\"version\":1,\"name\":\"t\"}"), 0);
	assert_null(l.os);
	assert_null(l.profile);
	assert_false(l.system || l.no_caches || l.autosnap);
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{}",
		"{\"name\":\"t\"}",
		"{\"version\":\"1\",\"name\":\"t\"}",
		"{\"version\":2,\"name\":\"t\"}",
		"{\"version\":1}",
		"{\"version\":1,\"name\":\"\"}",
		"{\"version\":1,\"name\":\"-t\"}",
		"{\"version\":1,\"name\":\"a/b\"}",
		"{\"version\":1,\"name\":\"t\\u0000x\"}",
		"{\"version\":1,\"name\":\"t\",\"profile\":\"/x\"}",
		"{\"version\":1,\"name\":\"t\",\"profile\":null}",
		"{\"version\":1,\"name\":\"t\",\"net\":{}}",
		"{\"version\":1,\"name\":\"t\",\"net\":[1]}",
		"{\"version\":1,\"name\":\"t\",\"net\":[\"\\u001b\"]}",
		"{\"version\":1,\"name\":\"t\",\"no-caches\":1}",
		"{\"version\":1,\"name\":\"t\",\"os\":\"x\"}",
		"{\"version\":1,\"name\":\"t\",\"machine\":\"x\"}",
		"{\"version\":1,\"name\":\"t\",\"system\":true}",
		"{\"version\":1,\"name\":\"t\",\"recipe\":\"r\"}",
		"{\"version\":1,\"name\":\"t\",\"recipe\":\"r\",\"lock\":\"00\"}",
		"{\"version\":1,\"name\":\"t\",\"owner\":\"\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(take(bad[i]), -EBADMSG);
		assert_true(e.text[0]);
	}
}

static void in_a_config(void **state)
{
	bool found = true;

	(void)state;
	assert_int_equal(template_label_find("{\"config\":null}", &l, &found, &e), 0);
	assert_false(found);
	assert_int_equal(template_label_find("{\"config\":{\"Labels\":{\"aisbx.template\":"
					     "\"{\\\"version\\\":1,\\\"name\\\":\\\"t\\\"}\"}}}",
					     &l, &found, &e),
			 0);
	assert_true(found);
	assert_string_equal(l.name, "t");
	reset(NULL);
	assert_int_equal(template_label_find("{\"config\":{\"Labels\":{\"aisbx.template\":1}}}", &l, &found,
					     &e),
			 -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_of_it, reset, reset),
		cmocka_unit_test_setup_teardown(the_least, reset, reset),
		cmocka_unit_test_setup_teardown(refused, reset, reset),
		cmocka_unit_test_setup_teardown(in_a_config, reset, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
