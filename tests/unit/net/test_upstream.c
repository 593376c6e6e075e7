/* SPDX-License-Identifier: Apache-2.0 */
/* The upstream proxy: what the environment says, whom it serves, what is asked and answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "net/upstream.h"

static int read_environment(const char *proxy, const char *none, struct upstream *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	unsetenv("HTTPS_PROXY");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
	unsetenv("NO_PROXY");
	unsetenv("https_proxy");
	unsetenv("no_proxy");
	if (proxy)
		setenv("https_proxy", proxy, 1);
	if (none)
		setenv("no_proxy", none, 1);
	return upstream_init(ret, &e);
}

static void test_no_proxy(void **state)
{
	struct upstream u;

	(void)state;
	assert_int_equal(read_environment(NULL, NULL, &u), 0);
	assert_false(u.any);
	assert_false(upstream_serves(&u, "example.org", 443));
}

static void test_variables(void **state)
{
	static const struct {
		const char *text, *host, *credentials;
		uint16_t port;
	} rows[] = {
		{ "http://127.0.0.1:3128", "127.0.0.1", "", 3128 },
		{ "127.0.0.1:8080", "127.0.0.1", "", 8080 },
		{ "http://127.0.0.1/", "127.0.0.1", "", 80 },
		{ "http://me:pass@127.0.0.1:3128/", "127.0.0.1", "bWU6cGFzcw==", 3128 },
		{ "http://me:p%40ss@127.0.0.1:3128", "127.0.0.1", "bWU6cEBzcw==", 3128 },
		{ "http://me@127.0.0.1:3128", "127.0.0.1", "bWU6", 3128 },
		{ "HTTP://127.0.0.1:3128", "127.0.0.1", "", 3128 },
	};
	struct upstream u;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(read_environment(rows[i].text, NULL, &u), 0);
		assert_true(u.any);
		assert_string_equal(u.host, rows[i].host);
		assert_string_equal(u.credentials, rows[i].credentials);
		assert_int_equal(u.port, rows[i].port);
		assert_int_equal(u.n, 1);
	}
}

static void test_wrong_variables(void **state)
{
	static const char *const rows[] = {
		"socks5://127.0.0.1:1080", "https://127.0.0.1:443",  "http://",
		"http://127.0.0.1:0",      "http://127.0.0.1:99999", "http://127.0.0.1:8x"
	};
	struct upstream u;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(read_environment(rows[i], NULL, &u) < 0);
		assert_false(u.any);
	}
}

static void test_whom_it_serves(void **state)
{
	static const struct {
		const char *none, *name;
		bool serves;
	} rows[] = {
		{ "", "example.org", true },
		{ "*", "example.org", false },
		{ "example.org", "example.org", false },
		{ "example.org", "www.example.org", false },
		{ "example.org", "badexample.org", true },
		{ ".example.org", "www.example.org", false },
		{ "*.example.org", "www.example.org", false },
		{ "a.test, example.org", "example.org", false },
		{ "a.test,b.test", "example.org", true },
		{ "EXAMPLE.org", "example.org", false },
		{ ".", "example.org", true },
	};
	struct upstream u;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(read_environment("http://127.0.0.1:3128", rows[i].none, &u), 0);
		assert_int_equal(upstream_serves(&u, rows[i].name, 443), rows[i].serves);
	}
}

static void test_request(void **state)
{
	struct upstream u;
	char text[512];
	size_t n;

	(void)state;
	assert_int_equal(read_environment("http://me:pass@127.0.0.1:3128", NULL, &u), 0);
	n = upstream_request(&u, "example.org", 443, text, sizeof(text));
	assert_int_equal(n, strlen(text));
	assert_string_equal(text, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n"
				  "Proxy-Authorization: Basic bWU6cGFzcw==\r\n\r\n");
	assert_int_equal(upstream_request(&u, "example.org", 443, text, 20), 0);
}

static int answer(const char *text)
{
	return upstream_answer(text, strlen(text));
}

static void test_answers(void **state)
{
	static char endless[20000] = "HTTP/1.1 200 ";

	(void)state;
	assert_int_equal(answer(""), 0);
	assert_int_equal(answer("HTTP/1.1 200"), 0);
	assert_int_equal(answer("HTTP/1.1 200 OK\r\n\r\n"), 19);
	assert_int_equal(answer("HTTP/1.0 200 OK\r\nA: b\r\n\r\nrest"), 25);
	assert_int_equal(answer("HTTP/1.1 407 No\r\n\r\n"), -1);
	assert_int_equal(answer("SSH-2.0-x"), -1);
	memset(endless + strlen(endless), 'x', sizeof(endless) - 1 - strlen(endless));
	assert_int_equal(answer(endless), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_proxy),        cmocka_unit_test(test_variables),
		cmocka_unit_test(test_wrong_variables), cmocka_unit_test(test_whom_it_serves),
		cmocka_unit_test(test_request),         cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
