/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in results: as blocks beside the text, each checked, so many and no more bytes. */
#include "support/test.h"

#include "server/mcp/tools.h"

#define PNG "iVBORw0KGgoAAAANSUhEUg=="

static json_t *result_of(const struct op *op, json_t *given)
{
	json_t *r = tool_result(op, false, given, NULL, NULL, NULL, NULL);

	assert_non_null(r);
	json_decref(given);
	return r;
}

static size_t pictures_of(const json_t *r)
{
	const json_t *block;
	size_t i, n = 0;

	json_array_foreach(json_object_get(r, "content"), i, block) n +=
		!strcmp(json_string_value(json_object_get(block, "type")), "image");
	return n;
}

static const json_t *block_of(const json_t *r, size_t i, const char *name)
{
	return json_object_get(json_array_get(json_object_get(r, "content"), i), name);
}

static void a_file_is_shown(void **state)
{
	json_t *r = result_of(&op_file_read,
			      json_pack("{s:s, s:i, s:s, s:s, s:s}", "path", "/p/x.png", "size", 16, "media",
					"image/png", "encoding", "base64", "content", PNG));

	(void)state;
	assert_int_equal(pictures_of(r), 1);
	assert_string_equal(json_string_value(block_of(r, 0, "text")),
			    "[image/png, 16 bytes, as a picture]\n");
	assert_string_equal(json_string_value(block_of(r, 1, "data")), PNG);
	assert_string_equal(json_string_value(block_of(r, 1, "mimeType")), "image/png");
	assert_null(json_object_get(json_object_get(r, "structuredContent"), "content"));
	json_decref(r);
	/* who asks for bytes gets bytes */
	r = result_of(&op_file_read,
		      json_pack("{s:s, s:s, s:s}", "path", "/p/x.png", "encoding", "base64", "content", PNG));
	assert_int_equal(pictures_of(r), 0);
	assert_string_equal(json_string_value(block_of(r, 0, "text")), PNG);
	json_decref(r);
}

static json_t *charts(size_t n, const char *data)
{
	json_t *list = json_array();

	while (n--)
		json_array_append_new(list, json_string(data));
	return json_pack("{s:s, s:s, s:s, s:o}", "run", "r-1", "status", "ok", "stdout", "drawn\n", "charts",
			 list);
}

static void charts_are_shown(void **state)
{
	json_t *shown = json_pack("[{s:s, s:s}, {s:s, s:s}]", "text", "a", "png", PNG, "text", "b", "jpeg",
				  "/9j/AAAA");
	json_t *r = result_of(&op_run_code, charts(2, PNG));

	(void)state;
	assert_int_equal(pictures_of(r), 2);
	json_decref(r);
	r = result_of(&op_run_code, charts(11, PNG));
	assert_int_equal(pictures_of(r), TOOL_PICTURES);
	assert_string_equal(json_string_value(block_of(r, TOOL_PICTURES + 1, "text")),
			    "[3 more pictures are not shown: at most 8, of 768 KiB together]");
	json_decref(r);
	/* values in every form: a picture of each that has one, and none twice */
	r = result_of(&op_run_code, json_pack("{s:s, s:s, s:o, s:[s]}", "run", "r-1", "status", "ok",
					      "results", shown, "charts", PNG));
	assert_int_equal(pictures_of(r), 2);
	assert_string_equal(json_string_value(block_of(r, 2, "mimeType")), "image/jpeg");
	json_decref(r);
}

static void large_ones_are_told_of(void **state)
{
	const size_t len = TOOL_PICTURE_BYTES / 2 + 4;
	char *large = malloc(len + 1);
	json_t *r;

	(void)state;
	memset(large, 'A', len);
	memcpy(large, PNG, 11);
	large[len] = '\0';
	r = result_of(&op_run_code, charts(2, large));
	assert_int_equal(pictures_of(r), 1);
	assert_string_equal(json_string_value(block_of(r, 2, "text")),
			    "[1 more picture is not shown: at most 8, of 768 KiB together]");
	json_decref(r);
	free(large);
}

/* A program says what its pictures are. */
static void what_is_none_is_left_out(void **state)
{
	static const char *const wrong[] = {
		"",     "iVBORw0KGgo",      "iVBORw0KGgo\"", "iVBORw0KGg=A", "iVBORw0KG===",
		"AAAA", "PHN2Zz48L3N2Zz4=", "iVBORw0KGgo\n"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		json_t *r = result_of(&op_run_code, charts(1, wrong[i]));

		if (pictures_of(r))
			fail_msg("'%s' is a picture", wrong[i]);
		json_decref(r);
	}
	/* and only where programs draw */
	json_t *r = result_of(&op_run, charts(1, PNG));

	assert_int_equal(pictures_of(r), 0);
	json_decref(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_shown),
		cmocka_unit_test(charts_are_shown),
		cmocka_unit_test(large_ones_are_told_of),
		cmocka_unit_test(what_is_none_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
