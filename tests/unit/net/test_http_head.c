/* SPDX-License-Identifier: Apache-2.0 */
/* Request heads: what clients send is read, and what servers are known to read in different ways is not. */
#include "support/test.h"

#include "net/http_head.h"

#define P(name) HTTP_PROBLEM_##name

/* In a block of the very size, so that a sanitizer sees one byte too many. */
static enum http_verdict read_exact(const char *data, size_t len, struct http_head *ret, char **ret_block)
{
	*ret_block = malloc(len ? len : 1);
	assert_non_null(*ret_block);
	memcpy(*ret_block, data, len);
	return http_head_read(*ret_block, len, ret);
}

static bool same(struct http_text t, const char *text)
{
	return t.len == strlen(text) && !memcmp(t.at, text, t.len);
}

static void good_heads(void **state)
{
	static const struct {
		const char *head, *method, *path, *host;
		uint16_t port;
		enum http_form form;
		bool no_host;
	} rows[] = {
		{ "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "GET", "/", "example.org", 0, HTTP_ORIGIN,
		  false },
		{ "GET /simple/?q=%20 HTTP/1.1\r\nUser-Agent: pip/23\r\nHOST:\t Example.ORG:8080 \r\nAccept: "
		  "\r\n\r\n",
		  "GET", "/simple/?q=%20", "example.org", 8080, HTTP_ORIGIN, false },
		{ "GET http://Example.org/a HTTP/1.1\r\nHost: example.org:80\r\n\r\n", "GET", "/a",
		  "example.org", 0, HTTP_ABSOLUTE, false },
		{ "GET HTTP://a.b:81?x HTTP/1.1\r\nHost: A.B.:81\r\n\r\n", "GET", "?x", "a.b", 81,
		  HTTP_ABSOLUTE, false },
		{ "GET http://a.b HTTP/1.0\r\n\r\n", "GET", "", "a.b", 0, HTTP_ABSOLUTE, true },
		{ "GET / HTTP/1.0\r\n\r\n", "GET", "/", "", 0, HTTP_ORIGIN, true },
		{ "OPTIONS * HTTP/1.1\r\nHost: a_b-c.d\r\n\r\n", "OPTIONS", "", "a_b-c.d", 0, HTTP_ASTERISK,
		  false },
		{ "CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n\r\n", "CONNECT", "", "a.b", 443,
		  HTTP_AUTHORITY, false },
		{ "CONNECT a.b:443 HTTP/1.1\r\nHost: a.b\r\n\r\n", "CONNECT", "", "a.b", 443, HTTP_AUTHORITY,
		  false },
		{ "M-SEARCH /x HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n", "M-SEARCH", "/x", "10.0.0.1", 0,
		  HTTP_ORIGIN, false },
		{ "GET / HTTP/1.1\r\nHost: [2001:DB8:0::1]:80\r\n\r\n", "GET", "/", "[2001:db8::1]", 80,
		  HTTP_ORIGIN, false },
		{ "GET / HTTP/1.1\r\nHost: a\r\nX: \xc3\xa4\t\"=\r\n\r\n", "GET", "/", "a", 0, HTTP_ORIGIN,
		  false },
		{ "GET //evil/ HTTP/1.1\r\nHost: 3com.example\r\n\r\n", "GET", "//evil/", "3com.example", 0,
		  HTTP_ORIGIN, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t len = strlen(rows[i].head);
		struct http_head h;
		char *block;

		if (read_exact(rows[i].head, len, &h, &block) != HTTP_OK)
			fail_msg("row %zu: %s", i, http_problem_text(h.problem));
		assert_true(same(h.method, rows[i].method));
		assert_true(same(h.path, rows[i].path));
		assert_string_equal(h.host, rows[i].host);
		assert_int_equal(h.port, rows[i].port);
		assert_int_equal(h.form, rows[i].form);
		assert_int_equal(h.no_host, rows[i].no_host);
		assert_int_equal(h.len, len);
		free(block);
		for (size_t n = 0; n < len; n++) {
			assert_int_equal(read_exact(rows[i].head, n, &h, &block), HTTP_MORE);
			free(block);
		}
	}
}

static void bodies_and_upgrades(void **state)
{
	struct http_head h;
	const char *text;

	(void)state;
	text = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0042\r\n\r\nbody";
	assert_int_equal(http_head_read(text, strlen(text), &h), HTTP_OK);
	assert_true(h.has_length && !h.chunked && h.content_length == 42);
	assert_int_equal(h.len, strlen(text) - 4);
	text = "POST / HTTP/1.1\r\nHost: a\r\ntransfer-ENCODING:chunked\r\n\r\n";
	assert_int_equal(http_head_read(text, strlen(text), &h), HTTP_OK);
	assert_true(!h.has_length && h.chunked);
	text = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
	assert_int_equal(http_head_read(text, strlen(text), &h), HTTP_OK);
	assert_true(h.upgrade && same(h.upgrade_to, "websocket"));
	/* Java's client sends this with every first request. */
	text = "GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nHost: a\r\nHTTP2-Settings: "
	       "AA\r\nUpgrade: "
	       "h2c\r\n\r\n";
	assert_int_equal(http_head_read(text, strlen(text), &h), HTTP_OK);
	assert_true(!h.upgrade && same(h.upgrade_to, "h2c"));
	text = "OPTIONS * HTTP/1.1\r\nHost: a\r\nUpgrade: TLS/1.0\r\n\r\n";
	assert_int_equal(http_head_read(text, strlen(text), &h), HTTP_OK);
	assert_false(h.upgrade);
}

struct bad {
	const char *head;
	size_t len; /* 0: of the text */
	enum http_problem problem;
};

static void check_bad(const struct bad *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = rows[i].len ? rows[i].len : strlen(rows[i].head);
		struct http_head h;
		char *block;
		enum http_verdict v = read_exact(rows[i].head, len, &h, &block);

		if (v != HTTP_BAD || h.problem != rows[i].problem)
			fail_msg("row %zu (%s): %d, %s", i, rows[i].head, (int)v,
				 http_problem_text(h.problem));
		free(block);
		for (size_t k = 0; k < len; k++) {
			v = read_exact(rows[i].head, k, &h, &block);
			assert_true(v == HTTP_MORE || v == HTTP_BAD);
			free(block);
		}
	}
}

#define ALL(rows) (rows), sizeof(rows) / sizeof(*(rows))
#define HOST      "Host: a\r\n"
#define BEGIN     "POST / HTTP/1.1\r\n" HOST

/* Where a body ends must not be a question of taste: CL.TE, TE.CL, TE.TE, and two lengths. */
static void smuggling(void **state)
{
	static const struct bad rows[] = {
		{ BEGIN "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n", 0, P(LENGTH_AND_CODING) },
		{ BEGIN "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n", 0, P(LENGTH_AND_CODING) },
		{ BEGIN "Transfer-Encoding: chunked\r\ncontent-length: 6\r\n\r\n", 0, P(LENGTH_AND_CODING) },
		{ BEGIN "Content-Length: 6\r\nTransfer-Encoding: identity\r\n\r\n", 0, P(LENGTH_AND_CODING) },
		{ BEGIN "Content-Length: 6\r\nTransfer_Encoding: chunked\r\n\r\n", 0, P(FIELD) },
		{ BEGIN "Content_Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n", 0, P(FIELD) },
		{ BEGIN "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: xchunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: Chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: chunked, chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: gzip, chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: chunked, identity\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: chunked,\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: ,chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: chunked;q=1\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: \"chunked\"\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: identity\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding:\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding:\vchunked\r\n\r\n", 0, P(VALUE) },
		{ BEGIN "Transfer-Encoding: chunked\x85\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Transfer-Encoding: \xa0"
			"chunked\r\n\r\n",
		  0, P(CODING) },
		{ BEGIN "Transfer-Encoding : chunked\r\n\r\n", 0, P(FIELD) },
		{ BEGIN "Transfer-Encoding\t: chunked\r\n\r\n", 0, P(FIELD) },
		{ BEGIN " Transfer-Encoding: chunked\r\n\r\n", 0, P(FOLDED) },
		{ BEGIN "\tTransfer-Encoding: chunked\r\n\r\n", 0, P(FOLDED) },
		{ BEGIN "Transfer-Encoding:\r\n chunked\r\n\r\n", 0, P(FOLDED) },
		{ BEGIN "X: y\r\n\tTransfer-Encoding: chunked\r\n\r\n", 0, P(FOLDED) },
		{ BEGIN "X: y\nTransfer-Encoding: chunked\r\n\r\n", 0, P(LINE_END) },
		{ BEGIN "X: y\rTransfer-Encoding: chunked\r\n\r\n", 0, P(LINE_END) },
		{ BEGIN "X: y\r\r\nTransfer-Encoding: chunked\r\n\r\n", 0, P(LINE_END) },
		{ BEGIN "X: y\0\r\n\r\n", sizeof(BEGIN) - 1 + 9, P(LINE_END) },
		{ "POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", 0, P(CODING) },
		{ BEGIN "Content-Length: 6\r\nContent-Length: 7\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: 6\r\nContent-Length: 6\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: 6, 6\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: +6\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: -6\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: 0x6\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: 6 6\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: 6;\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: \xb2\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length:\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length: 99999999999999999999\r\n\r\n", 0, P(LENGTH) },
		{ BEGIN "Content-Length\r\n\r\n", 0, P(FIELD) },
		{ BEGIN ": x\r\n\r\n", 0, P(FIELD) },
		{ BEGIN "X(y): x\r\n\r\n", 0, P(FIELD) },
		{ BEGIN "X\xc3\xa4: x\r\n\r\n", 0, P(FIELD) },
		{ BEGIN "X: a\x01"
			"b\r\n\r\n",
		  0, P(VALUE) },
		{ BEGIN "X: a\x7f\r\n\r\n", 0, P(VALUE) },
		{ BEGIN "\n\r\n", 0, P(LINE_END) },
	};

	(void)state;
	check_bad(ALL(rows));
}

#define GET(host) "GET / HTTP/1.1\r\nHost:" host "\r\n\r\n"

static void bad_hosts(void **state)
{
	static const struct bad rows[] = {
		{ "GET / HTTP/1.1\r\n\r\n", 0, P(NO_HOST) },
		{ "GET http://a/ HTTP/1.1\r\n\r\n", 0, P(NO_HOST) },
		{ "GET / HTTP/1.1\r\n" HOST "Host: b\r\n\r\n", 0, P(TWO_HOSTS) },
		{ "GET / HTTP/1.1\r\n" HOST "hOST: a\r\n\r\n", 0, P(TWO_HOSTS) },
		{ "GET / HTTP/1.0\r\n" HOST "Host: a\r\n\r\n", 0, P(TWO_HOSTS) },
		{ "GET / HTTP/1.1\r\n Host: b\r\n" HOST "\r\n", 0, P(FOLDED) },
		{ "GET / HTTP/1.1\r\nHost : b\r\n" HOST "\r\n", 0, P(FIELD) },
		{ "GET / HTTP/1.1\r\n" HOST " b\r\n\r\n", 0, P(FOLDED) },
		{ GET(""), 0, P(HOST) },
		{ GET("."), 0, P(HOST) },
		{ GET("a..b"), 0, P(HOST) },
		{ GET(".a"), 0, P(HOST) },
		{ GET("a.."), 0, P(HOST) },
		{ GET("a b"), 0, P(HOST) },
		{ GET("a,b"), 0, P(HOST) },
		{ GET("a/b"), 0, P(HOST) },
		{ GET("a@b"), 0, P(HOST) },
		{ GET("a?b"), 0, P(HOST) },
		{ GET("a#b"), 0, P(HOST) },
		{ GET("a\\b"), 0, P(HOST) },
		{ GET("a%2eb"), 0, P(HOST) },
		{ GET("a\xc3\xa4.b"), 0, P(HOST) },
		{ GET("http://a"), 0, P(HOST) },
		{ GET("a:"), 0, P(HOST) },
		{ GET("a:0"), 0, P(HOST) },
		{ GET("a:65536"), 0, P(HOST) },
		{ GET("a:000080"), 0, P(HOST) },
		{ GET("a:80:80"), 0, P(HOST) },
		{ GET("a:8o"), 0, P(HOST) },
		{ GET("a:+80"), 0, P(HOST) },
		{ GET("127.1"), 0, P(HOST) },
		{ GET("0x7f.1"), 0, P(HOST) },
		{ GET("0x7f000001"), 0, P(HOST) },
		{ GET("2130706433"), 0, P(HOST) },
		{ GET("0177.0.0.1"), 0, P(HOST) },
		{ GET("a.1"), 0, P(HOST) },
		{ GET("1.2.3.4.5"), 0, P(HOST) },
		{ GET("::1"), 0, P(HOST) },
		{ GET("[::1"), 0, P(HOST) },
		{ GET("[]"), 0, P(HOST) },
		{ GET("[::1]x"), 0, P(HOST) },
		{ GET("[::1]:"), 0, P(HOST) },
		{ GET("[fe80::1%25eth0]"), 0, P(HOST) },
		{ GET("[::1%lo]"), 0, P(HOST) },
		{ GET("[v1.a]"), 0, P(HOST) },
		{ GET("[1.2.3.4]"), 0, P(HOST) },
		{ GET("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b"), 0, P(HOST) },
		{ "GET http://b/ HTTP/1.1\r\n" HOST "\r\n", 0, P(HOST_DIFFERS) },
		{ "GET http://a:81/ HTTP/1.1\r\n" HOST "\r\n", 0, P(HOST_DIFFERS) },
		{ "GET http://a/ HTTP/1.1\r\nHost: a:81\r\n\r\n", 0, P(HOST_DIFFERS) },
		{ "GET http://a@b/ HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "CONNECT b:443 HTTP/1.1\r\n" HOST "\r\n", 0, P(HOST_DIFFERS) },
		{ "CONNECT a:443 HTTP/1.1\r\nHost: a:80\r\n\r\n", 0, P(HOST_DIFFERS) },
		{ "CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", 0, P(CONNECT) },
	};

	(void)state;
	check_bad(ALL(rows));
}

static void bad_requests(void **state)
{
	static const struct bad rows[] = {
		{ "GET  / HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET /a b HTTP/1.1\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / HTTP/1.1 \r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET /  HTTP/1.1\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET /\tHTTP/1.1\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET\t/ HTTP/1.1\r\n" HOST "\r\n", 0, P(METHOD) },
		{ "GET\v/ HTTP/1.1\r\n" HOST "\r\n", 0, P(METHOD) },
		{ "get / HTTP/1.1\r\n" HOST "\r\n", 0, P(METHOD) },
		{ "Get / HTTP/1.1\r\n" HOST "\r\n", 0, P(METHOD) },
		{ "G.T / http/1.1\r\n" HOST "\r\n", 0, P(METHOD) },
		{ "GETGETGETGETGETGETGETGETGETGETGETGET / HTTP/1.1\r\n", 0, P(METHOD) },
		{ "\r\nGET / HTTP/1.1\r\n" HOST "\r\n", 0, P(LINE_END) },
		{ "\nGET / HTTP/1.1\r\n" HOST "\r\n", 0, P(LINE_END) },
		{ " GET / HTTP/1.1\r\n" HOST "\r\n", 0, P(LINE_END) },
		{ "\x85GET / HTTP/1.1\r\n" HOST "\r\n", 0, P(LINE_END) },
		{ "GET / HTTP/1.1\n" HOST "\n", 0, P(LINE_END) },
		{ "GET /\r\n", 0, P(VERSION) },
		{ "GET / HTTP/0.9\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / HTTP/1.2\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / HTTP/2.0\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / HTTP/1.10\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / HTTP/01.1\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / http/1.1\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET / HTTPS/1.1\r\n" HOST "\r\n", 0, P(VERSION) },
		{ "GET /\x01 HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET /\xc2\xa0 HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET /#x HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET a HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET * HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET https://a/ HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET ftp://a/ HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET http:/a/ HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET http:///a HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "GET http://a\\@b/ HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "CONNECT a HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "CONNECT / HTTP/1.1\r\n" HOST "\r\n", 0, P(TARGET) },
		{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, P(HTTP2) },
		{ "PRI * HTTP/1.1\r\n" HOST "\r\n", 0, P(HTTP2) },
		{ "GET / HTTP/1.1\r\n" HOST "Upgrade: websocket, h2c\r\n\r\n", 0, P(UPGRADE) },
		{ "GET / HTTP/1.1\r\n" HOST "Upgrade: a\r\nUpgrade: b\r\n\r\n", 0, P(UPGRADE) },
		{ "GET / HTTP/1.1\r\n" HOST "Upgrade:\r\n\r\n", 0, P(UPGRADE) },
	};

	(void)state;
	check_bad(ALL(rows));
}

static void other_protocols(void **state)
{
	static const char *const texts[] = { "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
					     "\x16\x03\x01",
					     "*1\r\n$4\r\nPING\r\n",
					     "QUIT\r\n",
					     "a1 LOGIN x y\r\n",
					     "get key\r\n",
					     "AMQP\x01",
					     "{\"id\":1}",
					     "\xff\xfe" };
	struct http_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(http_head_read(texts[i], strlen(texts[i]), &h), HTTP_NOT_HTTP);
	assert_int_equal(http_head_read("\0\0\0\x8", 4, &h), HTTP_NOT_HTTP);
	assert_int_equal(http_head_read("", 0, &h), HTTP_MORE);
}

static void limits(void **state)
{
	static const char begin[] = "GET / HTTP/1.1\r\nHost: a\r\n";
	char *text = malloc(HTTP_HEAD_MAX + 100);
	size_t len = sizeof(begin) - 1;
	struct http_head h;

	(void)state;
	memset(text, 'x', HTTP_HEAD_MAX + 100);
	memcpy(text, begin, len);
	text[len + 1] = ':';
	assert_int_equal(http_head_read(text, HTTP_HEAD_MAX - 1, &h), HTTP_MORE);
	assert_int_equal(http_head_read(text, HTTP_HEAD_MAX, &h), HTTP_BAD);
	assert_int_equal(h.problem, P(TOO_LONG));
	memcpy(text + HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	assert_int_equal(http_head_read(text, HTTP_HEAD_MAX, &h), HTTP_OK);
	assert_int_equal(http_head_read(text, HTTP_HEAD_MAX + 100, &h), HTTP_OK);
	assert_int_equal(h.len, HTTP_HEAD_MAX);
	memcpy(text + HTTP_HEAD_MAX - 4, "x\r\n\r\n", 5);
	assert_int_equal(http_head_read(text, HTTP_HEAD_MAX + 100, &h), HTTP_BAD);
	assert_int_equal(h.problem, P(TOO_LONG));
	for (unsigned int fields = 1; fields <= HTTP_MAX_FIELDS + 1; fields++) {
		memcpy(text + len, "\r\n", 2);
		assert_int_equal(http_head_read(text, len + 2, &h),
				 fields <= HTTP_MAX_FIELDS ? HTTP_OK : HTTP_BAD);
		memcpy(text + len, "X: y\r\n", 6);
		len += 6;
	}
	assert_int_equal(h.problem, P(TOO_MANY));
	free(text);
}

static void status_of_an_answer(void **state)
{
	static const struct {
		const char *text;
		int status;
	} rows[] = {
		{ "HTTP/1.1 101 Switching\r\n", 101 },
		{ "HTTP/1.0 200", 200 },
		{ "HTTP/1.1 40", 0 },
		{ "HTT", 0 },
		{ "", 0 },
		{ "HTTP/2 200 OK", -1 },
		{ "HTTP/1.1  101", -1 },
		{ "HTTP/1.1 1x1", -1 },
		{ "HTTP/1.1 001", -1 },
		{ "SSH", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(http_status_read(rows[i].text, strlen(rows[i].text)), rows[i].status);
}

static void every_problem_has_a_text(void **state)
{
	(void)state;
	for (int p = 0; p < HTTP_PROBLEM_COUNT; p++)
		assert_true(strlen(http_problem_text((enum http_problem)p)) > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_heads),
		cmocka_unit_test(bodies_and_upgrades),
		cmocka_unit_test(smuggling),
		cmocka_unit_test(bad_hosts),
		cmocka_unit_test(bad_requests),
		cmocka_unit_test(other_protocols),
		cmocka_unit_test(limits),
		cmocka_unit_test(status_of_an_answer),
		cmocka_unit_test(every_problem_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
