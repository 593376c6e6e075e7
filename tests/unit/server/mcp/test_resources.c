/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to operations: exactly those that are meant, decoded once. */
#include "support/test.h"

#include "server/mcp/resources.h"

static void check(const char *uri, const char *method, const char *args)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct resource r;
	json_t *want = json_loads(args, 0, NULL);

	if (resource_open(uri, &r, &e) < 0)
		fail_msg("%s: %s", uri, e.text);
	assert_string_equal(r.op->method, method);
	if (!json_equal(r.args, want))
		fail_msg("%s: %s", uri, json_dumps(r.args, 0));
	json_decref(want);
	resource_finish(&r);
}

static void addresses(void **state)
{
	(void)state;
	check("aisbx://boxes", "box.ls", "{}");
	check("aisbx://boxes/try1/diff", "box.diff", "{\"box\": \"try1\", \"patch\": true}");
	check("aisbx://boxes/a%40b/diff", "box.diff", "{\"box\": \"a@b\", \"patch\": true}");
	check("aisbx://boxes/%2525/diff", "box.diff", "{\"box\": \"%25\", \"patch\": true}");
	check("aisbx://runs/r-1/stdout", "run.logs", "{\"run\": \"r-1\"}");
	check("aisbx://runs/r-1/stderr", "run.logs", "{\"run\": \"r-1\"}");
	check("aisbx://runs/r-1/result", "run.history", "{\"run\": \"r-1\", \"full\": true}");
}

static void what_there_is_not(void **state)
{
	static const char *const bad[] = { "",
					   "aisbx://",
					   "aisbx:/boxes",
					   "http://boxes",
					   "file:///etc/passwd",
					   "aisbx://boxes/",
					   "aisbx://boxes//diff",
					   "aisbx://boxes/a/b/diff",
					   "aisbx://boxes/a/diff/",
					   "aisbx://boxes/a%/diff",
					   "aisbx://boxes/a%0/diff",
					   "aisbx://boxes/a%00/diff",
					   "aisbx://boxes/%ff/diff",
					   "aisbx://boxes/a%zz/diff",
					   "aisbx://runs/r-1",
					   "aisbx://runs/r-1/stdin",
					   "aisbx://boxes/a/files",
					   "aisbx://boxesx" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct resource r;

		if (resource_open(bad[i], &r, &e) == 0)
			fail_msg("'%s' is a resource", bad[i]);
		assert_int_equal(e.code, -ENOENT);
		resource_finish(&r);
	}
}

/* Whatever a path looks like, it goes to the box's own file operation as it is. */
static void paths_go_to_the_box(void **state)
{
	static const char *const paths[][2] = { { "src/main.c", "src/main.c" },
						{ "/etc/passwd", "/etc/passwd" },
						{ "..%2f..%2fetc/passwd", "../../etc/passwd" },
						{ "a%252fb", "a%2fb" },
						{ "with%20space", "with space" } };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct resource r;
		char uri[256];

		snprintf(uri, sizeof(uri), "aisbx://boxes/b/files/%s", paths[i][0]);
		assert_int_equal(resource_open(uri, &r, &e), 0);
		assert_string_equal(r.op->method, "file.read");
		assert_string_equal(json_string_value(json_object_get(r.args, "path")), paths[i][1]);
		assert_string_equal(json_string_value(json_object_get(r.args, "box")), "b");
		resource_finish(&r);
	}
}

static const char *text_of(const json_t *contents)
{
	return json_string_value(json_object_get(json_array_get(contents, 0), "text"));
}

static void bytes_as_what_they_are(void **state)
{
	static const struct {
		const char *content, *media, *how, *value, *mime;
	} cases[] = {
		{ "aGk=", NULL, "text", "hi", "text/plain" },
		{ "aGk=", "text/csv", "text", "hi", "text/csv" },
		{ "AGk=", NULL, "blob", "AGk=", "application/octet-stream" },
		{ "/w==", "image/png", "blob", "/w==", "image/png" },
		{ "", NULL, "text", "", "text/plain" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		json_t *result = json_pack("{s:s, s:s?, s:n}", "content", cases[i].content, "media",
					   cases[i].media, "next_offset");
		json_t *c = NULL, *one;
		struct resource r;

		assert_int_equal(resource_open(i % 2 ? "aisbx://artifacts/a" : "aisbx://boxes/b/files/f", &r,
					       &e),
				 0);
		assert_int_equal(resource_contents(&r, result, &c, &e), 0);
		one = json_array_get(c, 0);
		assert_string_equal(json_string_value(json_object_get(one, cases[i].how)), cases[i].value);
		assert_string_equal(json_string_value(json_object_get(one, "mimeType")), cases[i].mime);
		json_decref(c);
		json_object_set_new(result, "next_offset", json_integer(9));
		assert_failed(resource_contents(&r, result, &c, &e), EFBIG, e, "in parts");
		json_decref(result);
		resource_finish(&r);
	}
}

static void contents(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *result = json_pack("{s:s, s:s}", "patch", "+x\n", "project", "/p"), *c = NULL;
	json_t *one = json_pack("{s:s, s:s}", "stream", "stdout", "data", "one "),
	       *two = json_pack("{s:s, s:s}", "stream", "stderr", "data", "two");
	struct resource r;

	(void)state;
	assert_int_equal(resource_open("aisbx://boxes/b/diff", &r, &e), 0);
	assert_int_equal(resource_contents(&r, result, &c, &e), 0);
	assert_string_equal(text_of(c), "+x\n");
	json_decref(c);
	assert_failed(resource_contents(&r, NULL, &c, &e), EPROTO, e, "cannot be represented");
	resource_finish(&r);
	assert_int_equal(resource_open("aisbx://runs/r-1/stdout", &r, &e), 0);
	assert_true(resource_item(&r, one));
	assert_true(resource_item(&r, two));
	assert_true(resource_item(&r, one));
	assert_int_equal(resource_contents(&r, NULL, &c, &e), 0);
	assert_string_equal(text_of(c), "one one ");
	json_decref(c);
	resource_finish(&r);
	json_decref(one);
	json_decref(two);
	json_decref(result);
}

/* A log may be longer than a message. */
static void endless_output_has_an_end(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *item = json_pack("{s:s, s:o}", "stream", "stdout", "data", json_sprintf("%65536s", ""));
	json_t *contents = NULL;
	const char *text;
	struct resource r;
	size_t n = 0;

	(void)state;
	assert_int_equal(resource_open("aisbx://runs/r-1/stdout", &r, &e), 0);
	while (n < 1000 && resource_item(&r, item))
		n++;
	assert_int_equal(n, 128);
	assert_int_equal(resource_contents(&r, NULL, &contents, &e), 0);
	text = json_string_value(json_object_get(json_array_get(contents, 0), "text"));
	assert_non_null(strstr(text, "more: aisbx://runs/r-1/stdout?from=8388608"));
	json_decref(contents);
	resource_finish(&r);
	/* And from there on: not a byte twice, none left out. */
	assert_int_equal(resource_open("aisbx://runs/r-1/stdout?from=8388608", &r, &e), 0);
	assert_string_equal(json_string_value(json_object_get(r.args, "run")), "r-1");
	for (n = 0; n < 130; n++)
		assert_true(resource_item(&r, item));
	assert_int_equal(r.text.len, 2 * 65536);
	resource_finish(&r);
	json_decref(item);
}

static void listed_ones_can_be_read(void **state)
{
	json_t *boxes = json_loads("{\"boxes\": [{\"name\": \"a\"}, {\"name\": \"b c/d\"}]}", 0, NULL), *list,
	       *item;
	const json_t *results[] = { boxes, NULL };
	size_t i;

	(void)state;
	list = resources_list(results, 2);
	assert_int_equal(json_array_size(list), 3);
	json_array_foreach(list, i, item)
	{
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct resource r;

		if (resource_open(json_string_value(json_object_get(item, "uri")), &r, &e) < 0)
			fail_msg("%s", e.text);
		if (i == 2)
			assert_string_equal(json_string_value(json_object_get(r.args, "box")), "b c/d");
		resource_finish(&r);
	}
	json_decref(list);
	list = resource_templates();
	assert_true(json_array_size(list) >= 4);
	json_decref(list);
	json_decref(boxes);
	assert_string_equal(resources_source(0)->method, "box.ls");
}

static void what_changes_when(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *args = json_pack("{s:s}", "box", "b"), *watch_args = NULL;
	const struct op *op = NULL;

	(void)state;
	assert_true(resource_touched("aisbx://boxes", &op_create, NULL));
	assert_false(resource_touched("aisbx://boxes", &op_ls, NULL));
	assert_true(resource_touched("aisbx://boxes/b/diff", &op_run, args));
	assert_false(resource_touched("aisbx://boxes/c/diff", &op_run, args));
	assert_true(resource_touched("aisbx://boxes/b-0123/diff", &op_run, args));
	assert_false(resource_touched("aisbx://boxes/b/diff", &op_diff, args));
	assert_true(resources_touched(&op_fork));
	assert_false(resources_touched(&op_run));
	assert_int_equal(resource_watch("aisbx://runs/r-1/stdout", &op, &watch_args, &e), 0);
	assert_string_equal(op->method, "run.logs");
	assert_true(json_is_true(json_object_get(watch_args, "follow")));
	json_decref(watch_args);
	assert_failed(resource_watch("aisbx://boxes", &op, &watch_args, &e), EOPNOTSUPP, e,
		      "cannot be watched");
	json_decref(args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(what_there_is_not),
		cmocka_unit_test(paths_go_to_the_box),
		cmocka_unit_test(contents),
		cmocka_unit_test(bytes_as_what_they_are),
		cmocka_unit_test(endless_output_has_an_end),
		cmocka_unit_test(listed_ones_can_be_read),
		cmocka_unit_test(what_changes_when),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
