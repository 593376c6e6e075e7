/* SPDX-License-Identifier: Apache-2.0 */
/* Heads and bodies of HTTP/1.1, in pieces. What is refused is in tests/unit/net/test_http_head.c. */
#include "support/test.h"

#include "net/tls/head.h"

static void test_request(void **state)
{
	static const char text[] =
		"POST /a?b HTTP/1.1\r\nHost: h\r\nConnection: x-hop, close\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
		"X-Stays:  v \r\nContent-Length: 5\r\n\r\nhello";
	struct message m = { 0 };
	struct head h;
	const char *why;

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 6; n++) {
		assert_int_equal(head_read_request(text, n, &m, &h, &why), 0);
		message_finish(&m);
	}
	assert_int_equal(head_read_request(text, sizeof(text) - 1, &m, &h, &why), sizeof(text) - 6);
	assert_string_equal(m.method, "POST");
	assert_string_equal(m.target, "/a?b");
	assert_string_equal(m.authority, "h");
	assert_string_equal(message_get(&m, "x-stays"), "v");
	assert_null(message_get(&m, "x-hop"));
	assert_null(message_get(&m, "keep-alive"));
	assert_null(message_get(&m, "connection"));
	assert_true(h.close && h.body.kind == BODY_LENGTH && h.body.left == 5);
	message_finish(&m);
}

static void answer(const char *text, bool no_body, int status, enum body_kind kind)
{
	struct message m = { 0 };
	struct head h;
	const char *why;
	int r = head_read_answer(text, strlen(text), no_body, &m, &h, &why);

	if (status < 0) {
		assert_int_equal(r, -EBADMSG);
		assert_non_null(why);
	} else {
		assert_int_equal(r, strlen(text));
		assert_int_equal(m.status, status);
		assert_int_equal(h.body.kind, kind);
	}
	message_finish(&m);
}

static void test_answer(void **state)
{
	(void)state;
	answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", false, 200, BODY_LENGTH);
	answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", true, 200, BODY_NONE);
	answer("HTTP/1.1 200\r\n\r\n", false, 200, BODY_TO_END);
	answer("HTTP/1.0 200 \r\n\r\n", false, 200, BODY_TO_END);
	answer("HTTP/1.1 304 Not\r\nContent-Length: 3\r\n\r\n", false, 304, BODY_NONE);
	answer("HTTP/1.1 204 No\r\n\r\n", false, 204, BODY_NONE);
	answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", false, 200,
	       BODY_CHUNKED);
	answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", false, -1, BODY_NONE);
	answer("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n", false, -1, BODY_NONE);
	answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", false, -1, BODY_NONE);
	answer("HTTP/1.1 2000 OK\r\n\r\n", false, -1, BODY_NONE);
	answer("HTTP/2 200 OK\r\n\r\n\r\n", false, -1, BODY_NONE);
	answer("HTTP/1.1 200 OK\r\nX : y\r\n\r\n", false, -1, BODY_NONE);
	answer("HTTP/1.1 200 OK\r\n folded\r\n\r\n", false, -1, BODY_NONE);
}

/* Reads TEXT in pieces of PIECE; what came out, or the error. */
static int chunks(const char *text, size_t piece, struct buf *out, size_t *ret_used)
{
	struct body b = { .kind = BODY_CHUNKED };
	size_t at = 0, end = 0, len = strlen(text);
	int r = 0;

	while (r == 0 && end < len) {
		size_t used;

		end = end + piece < len ? end + piece : len;
		r = body_read(&b, text + at, end - at, 1000, out, &used);
		at += used;
	}
	*ret_used = at;
	body_finish(&b);
	return r;
}

static void test_chunks(void **state)
{
	static const char text[] = "5\r\nhello\r\n0A; x=y\r\n, worlds!!\r\n0\r\nX: 1\r\n\r\nGET";

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		struct buf out = { 0 };
		size_t used;

		assert_int_equal(chunks(text, piece, &out, &used), 1);
		assert_string_equal(buf_str(&out), "hello, worlds!!");
		assert_int_equal(used, sizeof(text) - 4);
		buf_finish(&out);
	}
}

static void test_bad_chunks(void **state)
{
	static const char *const bad[] = { "x\r\n",           "5\nhello",         "\r\n",
					   "1\r\nab\r\n",     "-1\r\n",           "0x1\r\na\r\n",
					   "1 \r\na\r\n",     "0\r\n: y\r\n\r\n", "0\r\nX : y\r\n\r\n",
					   "0\r\nno\r\n\r\n", "0\r\nX: y\n\r\n",  "fffffffffffffffff\r\n",
					   "1;\rx\r\na\r\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf out = { 0 };
		size_t used;

		assert_int_equal(chunks(bad[i], 100, &out, &used), -EBADMSG);
		buf_finish(&out);
	}
}

static void test_most(void **state)
{
	struct body b = { .kind = BODY_CHUNKED };
	struct buf out = { 0 };
	size_t used;

	(void)state;
	assert_int_equal(body_read(&b, "5\r\nhello\r\n", 10, 2, &out, &used), 0);
	assert_int_equal(out.len, 2);
	assert_int_equal(used, 5);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request), cmocka_unit_test(test_answer),
		cmocka_unit_test(test_chunks),  cmocka_unit_test(test_bad_chunks),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
