/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what a stranger sent: size before memory; bytes that need not be UTF-8. */
#include "support/test.h"

#include "server/core/json.h"

static void refused(const char *text, size_t len, int err, const char *word)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_null(server_json_read(text, len, &e));
	assert_failed(e.code, err, e, word);
}

static void taken(const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *value = server_json_read(text, strlen(text), &e);

	if (!value)
		fail_msg("%s", e.text);
	json_decref(value);
}

/* N times TEXT, then TAIL. */
static char *repeat(const char *text, size_t n, const char *tail)
{
	const size_t len = strlen(text);
	char *all = malloc(n * len + strlen(tail) + 1);

	assert_non_null(all);
	for (size_t i = 0; i < n; i++)
		memcpy(all + i * len, text, len);
	memcpy(all + n * len, tail, strlen(tail) + 1);
	return all;
}

static void size_is_bounded(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *word;
	} large[] = { { "[", SERVER_JSON_DEPTH + 1, "nested deeper" },
		      { "{\"a\":", SERVER_JSON_DEPTH + 1, "nested deeper" },
		      { "[],", SERVER_JSON_VALUES / 2 + 1, "more than" },
		      { "1,", SERVER_JSON_VALUES + 1, "more than" } };

	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		char *text = repeat(large[i].text, large[i].n, "");

		refused(text, strlen(text), E2BIG, large[i].word);
		free(text);
	}
}

static void what_is_not_nested_is_not_counted(void **state)
{
	char *deep = repeat("[", SERVER_JSON_DEPTH, ""), *back = repeat("]", SERVER_JSON_DEPTH, ""), *text;
	char *brackets = repeat("[{,:", SERVER_JSON_VALUES, "\"]");

	(void)state;
	assert_true(asprintf(&text, "%s%s", deep, back) > 0);
	taken(text);
	free(text);
	assert_true(asprintf(&text, "[\"\\\"%s", brackets) >
		    0); /* all of it is one text, behind an escaped quote */
	taken(text);
	free(text);
	free(brackets);
	free(deep);
	free(back);
}

static void what_is_no_json(void **state)
{
	(void)state;
	refused("", 0, EBADMSG, "not valid JSON");
	refused("{\"a\":1,\"a\":2}", 13, EBADMSG, "not valid JSON at byte");
	refused("\"\xff\"", 3, EBADMSG, "not valid JSON");
	refused("\"abc\\", 5, EBADMSG, "not valid JSON");
	refused("{}x", 3, EBADMSG, "not valid JSON");
	refused("{}\0", 3, EBADMSG, "not valid JSON");
	taken("\"\\u0000\"");
	taken("1");
}

static void tails(void **state)
{
	static const struct {
		const char *text;
		size_t tail;
	} cases[] = { { "", 0 },
		      { "abc", 0 },
		      { "\xc3\xa4", 0 },
		      { "\xc3", 1 },
		      { "a\xe2\x82", 2 },
		      { "\xe2\x82\xac", 0 },
		      { "\xf0\x9f\x98", 3 },
		      { "\xf0\x9f\x98\x80", 0 },
		      { "\x80\x80\x80\x80", 0 },
		      { "\xff", 0 },
		      { "\xc0", 0 },
		      { "\xf5\x80", 0 },
		      { "\xe2\x82\xac\xe2", 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(server_utf8_tail(cases[i].text, strlen(cases[i].text)), cases[i].tail);
}

static void there_and_back(const char *data, size_t len, const char *coding)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *object = json_object();
	struct buf back = { 0 };

	assert_int_equal(server_json_set_bytes(object, data, len), 0);
	assert_string_equal(json_string_value(json_object_get(object, "encoding")), coding);
	assert_int_equal(server_json_get_bytes(object, &back, &e), 0);
	assert_int_equal(back.len, len);
	if (len)
		assert_memory_equal(back.data, data, len);
	buf_finish(&back);
	json_decref(object);
}

static void bytes(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *wrong = json_pack("{s:s, s:s}", "data", "a", "encoding", "rot13"),
	       *bad = json_pack("{s:s, s:s}", "data", "====", "encoding", "base64"), *none = json_object();
	struct buf back = { 0 };

	(void)state;
	there_and_back("", 0, "utf-8");
	there_and_back("a\0\xc3\xa4", 4, "utf-8");
	there_and_back("\xff\0", 2, "base64");
	there_and_back("\xed\xa0\x80", 3, "base64"); /* half a surrogate is no UTF-8 */
	assert_failed(server_json_get_bytes(wrong, &back, &e), EINVAL, e, "encoding");
	assert_failed(server_json_get_bytes(bad, &back, &e), EINVAL, e, "base64");
	assert_failed(server_json_get_bytes(none, &back, &e), EINVAL, e, "'data'");
	buf_finish(&back);
	json_decref(wrong);
	json_decref(bad);
	json_decref(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_bounded), cmocka_unit_test(what_is_not_nested_is_not_counted),
		cmocka_unit_test(what_is_no_json), cmocka_unit_test(tails),
		cmocka_unit_test(bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
