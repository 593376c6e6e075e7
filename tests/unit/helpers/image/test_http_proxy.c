/* SPDX-License-Identifier: Apache-2.0 */
/* Which proxy is asked for a registry, and for which none. */
#include "support/test.h"

#include "helpers/image/http_part.h"

struct surroundings {
	const char *http, *https, *https_capitals, *but, *but_capitals;
};

static void put(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static const char *proxy(const struct surroundings *s, const char *host, unsigned int port, bool is_plain)
{
	struct place p = { .port = port, .is_plain = is_plain };

	snprintf(p.host, sizeof(p.host), "%s", host);
	put("http_proxy", s->http);
	put("https_proxy", s->https);
	put("HTTPS_PROXY", s->https_capitals);
	put("no_proxy", s->but);
	put("NO_PROXY", s->but_capitals);
	put("HTTP_PROXY", "http://never.example");
	return http_proxy_for(&p);
}

static void variables(void **state)
{
	const struct surroundings none = { 0 }, small = { .http = "http://h", .https = "http://s" },
				  capitals = { .https_capitals = "http://c" },
				  both = { .https = "", .https_capitals = "http://c" };

	(void)state;
	assert_null(proxy(&none, "r.example", 443, false));
	assert_null(proxy(&none, "r.example", 80, true)); /* not by HTTP_PROXY */
	assert_string_equal(proxy(&small, "r.example", 80, true), "http://h");
	assert_string_equal(proxy(&small, "r.example", 443, false), "http://s");
	assert_string_equal(proxy(&capitals, "r.example", 443, false), "http://c");
	assert_string_equal(proxy(&both, "r.example", 443, false), "http://c");
	assert_null(proxy(&small, "127.0.0.1", 5000, true));
	assert_null(proxy(&small, "localhost", 5000, false));
}

static void exceptions(void **state)
{
	static const struct {
		const char *but, *host;
		unsigned int port;
		bool direct;
	} cases[] = {
		{ "r.example", "r.example", 443, true },
		{ "R.Example", "r.example", 443, true },
		{ ".example", "r.example", 443, true },
		{ "example", "r.example", 443, true },
		{ "example", "rexample", 443, false },
		{ "r.example", "example", 443, false },
		{ "other.example, r.example", "r.example", 443, true },
		{ "other.example\tr.example", "r.example", 443, true },
		{ "r.example:443", "r.example", 443, true },
		{ "r.example:5000", "r.example", 443, false },
		{ "2001:db8::1", "2001:db8::1", 443, true },
		{ "*", "r.example", 443, true },
		{ "*:80", "r.example", 443, false },
		{ ".", "r.example", 443, false },
		{ ", ,", "r.example", 443, false },
		{ "", "r.example", 443, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int capitals = 0; capitals < 2; capitals++) {
			struct surroundings s = { .https = "http://s",
						  .but = capitals ? NULL : cases[i].but,
						  .but_capitals = capitals ? cases[i].but : NULL };

			if ((proxy(&s, cases[i].host, cases[i].port, false) == NULL) != cases[i].direct)
				fail_msg("'%s' for '%s'", cases[i].but, cases[i].host);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(variables), cmocka_unit_test(exceptions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
