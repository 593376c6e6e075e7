/* SPDX-License-Identifier: Apache-2.0 */
/* What a request says of itself, judged. */
#include <netinet/in.h>
#include <string.h>

#include "server/http/http_check.h"
#include "support/test.h"

static struct sockaddr_storage at(const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct sockaddr_storage a;
	socklen_t len;

	assert_int_equal(http_check_address(text, &a, &len, &e), 0);
	return a;
}

static void addresses(void **state)
{
	static const struct {
		const char *text, *same;
		bool loopback;
	} good[] = { { "127.0.0.1:80", "127.0.0.1:80", true },
		     { "localhost:0", "127.0.0.1:0", true },
		     { "8080", "127.0.0.1:8080", true },
		     { "[::1]:9", "[::1]:9", true },
		     { "0.0.0.0:80", "0.0.0.0:80", false },
		     { "[::]:80", "[::]:80", false },
		     { "127.255.0.9:65535", "127.255.0.9:65535", true },
		     { "10.0.0.1:80", "10.0.0.1:80", false },
		     { "[::ffff:10.0.0.1]:80", "10.0.0.1:80", false } };
	static const char *const bad[] = {
		"",      ":80",           "127.0.0.1",      "127.0.0.1:", "127.0.0.1:65536", "::1:80",
		"[::1]", "[::1:80",       "example.org:80", "127.1:80",   "0x7f.0.0.1:80",   "-1",
		"80x",   "[127.0.0.1]:80"
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct sockaddr_storage a = at(good[i].text);
		char room[80];

		http_check_address_text(&a, room, sizeof(room));
		assert_string_equal(room, good[i].same);
		assert_int_equal(http_check_is_loopback(&a), good[i].loopback);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct sockaddr_storage a;
		socklen_t len;

		assert_true(http_check_address(bad[i], &a, &len, &e) < 0);
		assert_non_null(strstr(e.text, bad[i]));
	}
	(void)state;
}

static void hosts(void **state)
{
	static const char *const extra[] = { "box.example", "proxy.example:443", NULL };
	static const char *const good[] = { "127.0.0.1:8080",   "localhost:8080", "LOCALHOST:8080",
					    "box.example",      "box.example:1",  "Box.Example:80",
					    "proxy.example:443" };
	static const char *const bad[] = { "",
					   "localhost",
					   "127.0.0.1",
					   "localhost:80",
					   "evil.example:8080",
					   "proxy.example",
					   "127.0.0.1:80",
					   "localhost:8080.",
					   "localhost.:8080",
					   "[::1]:8080",
					   "127.0.0.2:8080",
					   "xbox.example",
					   "localhost:8080@evil.example",
					   "evil.example:8080:8080" };
	struct sockaddr_storage v4 = at("127.0.0.1:8080"), v6 = at("[::1]:8080");

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(http_check_host(good[i], &v4, extra));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(http_check_host(bad[i], &v4, extra));
	assert_true(http_check_host("[::1]:8080", &v6, NULL));
	assert_false(http_check_host("127.0.0.1:8080", &v6, NULL));
	(void)state;
}

static void origins(void **state)
{
	static const char *const extra[] = { "https://app.example", NULL };
	static const char *const good[] = { "http://localhost", "http://localhost:3000",
					    "https://127.0.0.1:1", "http://[::1]:80", "https://app.example" };
	static const char *const bad[] = { "",
					   "null",
					   "http://evil.example",
					   "http://localhost.evil.example",
					   "http://127.0.0.1x",
					   "file://localhost",
					   "http://localhost:80x",
					   "http://localhost:1:2",
					   "localhost",
					   "http://app.example",
					   "https://app.example.evil.example",
					   "http://localhost/",
					   "http://localhost:",
					   "http://x@localhost",
					   "http://127.0.0.10" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(http_check_origin(good[i], extra));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(http_check_origin(bad[i], extra));
	assert_false(http_check_origin("https://app.example", NULL));
	(void)state;
}

static void kinds_and_words(void **state)
{
	assert_true(http_check_is_json("application/json"));
	assert_true(http_check_is_json("Application/JSON; charset=utf-8"));
	assert_false(http_check_is_json("application/jsonp"));
	assert_false(http_check_is_json("text/plain; application/json"));
	assert_false(http_check_is_json(""));
	assert_true(http_check_has_word("GET, POST", "POST"));
	assert_true(http_check_has_word("GET", "GET"));
	assert_false(http_check_has_word("GET, POST", "POS"));
	assert_false(http_check_has_word("GET, POST", ""));
	assert_false(http_check_has_word("GET, POST", "GET, POST"));
	(void)state;
}

static void headers(void **state)
{
	assert_true(http_check_header("Content-Length", "5"));
	assert_true(http_check_header("x_y.z~1", "a\tb \xc3\xa4"));
	assert_true(http_check_header("X", ""));
	assert_false(http_check_header("", "a"));
	assert_false(http_check_header("Transfer-Encoding ", "chunked"));
	assert_false(http_check_header("X:Y", "a"));
	assert_false(http_check_header("X\xc3\xa4", "a"));
	assert_false(http_check_header("X", "a\rb"));
	assert_false(http_check_header("X", "\x0b"
					    "a"));
	assert_false(http_check_header("X", "a\x7f"));
	(void)state;
}

static void traces(void **state)
{
	char id[33] = "";

	assert_true(http_check_trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", id));
	assert_string_equal(id, "0af7651916cd43dd8448eb211c80319c");
	assert_false(http_check_trace("00-00000000000000000000000000000000-b7ad6b7169203331-01", id));
	assert_false(http_check_trace("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", id));
	assert_false(http_check_trace("00-0af7651916cd43dd8448eb211c80319-bb7ad6b7169203331-01", id));
	assert_false(http_check_trace("", id));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),       cmocka_unit_test(hosts),   cmocka_unit_test(origins),
		cmocka_unit_test(kinds_and_words), cmocka_unit_test(headers), cmocka_unit_test(traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
