/* SPDX-License-Identifier: Apache-2.0 */
/* Where registries may send us, and who may learn a password. */
#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "helpers/image/place.h"

static struct place read_place(const char *url)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct place p = { 0 };

	assert_int_equal(place_read(url, &p, &e), 0);
	return p;
}

static void test_read(void **state)
{
	struct place p = read_place("https://Registry.Example.com/v2/");

	(void)state;
	assert_string_equal(p.host, "registry.example.com");
	assert_int_equal(p.port, 443);
	assert_false(p.is_plain);
	p = read_place("http://[::1]:5000/");
	assert_string_equal(p.host, "::1");
	assert_int_equal(p.port, 5000);
	assert_true(p.is_plain);
	/* Other ways to write 127.0.0.1 are the same place. */
	assert_string_equal(read_place("http://127.1/").host, "127.0.0.1");
	assert_string_equal(read_place("http://0x7f000001/").host, "127.0.0.1");
	assert_string_equal(read_place("http://2130706433/").host, "127.0.0.1");
}

static void test_refused_urls(void **state)
{
	static const char *const bad[] = {
		"ftp://a/",
		"file:///etc/passwd",
		"https://user:pw@a/",
		"https://user@a/",
		"gopher://a",
		"https://",
		"",
		"/relative",
		"https://a b/",
		"unix:/run/x",
		"data:text/x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct place p;

		if (place_read(bad[i], &p, &e) != -EPERM)
			fail_msg("taken: '%s'", bad[i]);
	}
}

static void test_resolve(void **state)
{
	static const char *const rows[][3] = {
		{ "https://a/v2/x", "/y?z=1", "https://a/y?z=1" },
		{ "https://a/v2/x", "https://b/y", "https://b/y" },
		{ "https://a/v2/x", "//c/y", "https://c/y" },
		{ "https://a/v2/x", "y#part", "https://a/v2/y" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *got = place_resolve(rows[i][0], rows[i][1]);

		assert_non_null(got);
		assert_string_equal(got, rows[i][2]);
		free(got);
	}
}

static void test_same(void **state)
{
	struct place a = read_place("https://a/"), b = read_place("https://a:443/x"),
		     c = read_place("http://a:443/"), d = read_place("https://a:444/"),
		     f = read_place("https://b/");

	(void)state;
	assert_true(place_is_same(&a, &b));
	assert_false(place_is_same(&a, &c));
	assert_false(place_is_same(&a, &d));
	assert_false(place_is_same(&a, &f));
}

static void test_kin(void **state)
{
	static const struct {
		const char *registry, *realm;
		bool is_kin;
	} rows[] = {
		{ "registry-1.docker.io", "auth.docker.io", true },
		{ "registry.gitlab.com", "gitlab.com", true },
		{ "ghcr.io", "ghcr.io", true },
		{ "127.0.0.1", "127.0.0.1", true },
		{ "registry.example.com", "auth.example.org", false },
		{ "registry.example.com", "example.com.evil.net", false },
		{ "registry.example.com", "notexample.com", false },
		{ "a.co.uk", "b.co.uk", false },
		{ "registry.a.co.uk", "auth.a.co.uk", true },
		{ "registry.a.co.uk", "auth.b.co.uk", false },
		{ "127.0.0.1", "127.0.0.2", false },
		{ "1.2.0.1", "9.9.0.1", false },
		{ "localhost", "otherhost", false },
		{ "registry.com", "auth.com", false },
		{ "::1", "::2", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (place_is_kin(rows[i].registry, rows[i].realm) != rows[i].is_kin ||
		    place_is_kin(rows[i].realm, rows[i].registry) != rows[i].is_kin)
			fail_msg("%s and %s", rows[i].registry, rows[i].realm);
}

static void test_reach(void **state)
{
	static const struct {
		const char *host;
		enum reach reach;
	} rows[] = {
		{ "127.0.0.1", REACH_LOOPBACK },
		{ "127.255.0.9", REACH_LOOPBACK },
		{ "0.0.0.0", REACH_LOOPBACK },
		{ "::1", REACH_LOOPBACK },
		{ "::", REACH_LOOPBACK },
		{ "::ffff:127.0.0.1", REACH_LOOPBACK },
		{ "64:ff9b::7f00:1", REACH_LOOPBACK },
		{ "localhost", REACH_LOOPBACK },
		{ "x.localhost", REACH_LOOPBACK },
		{ "169.254.169.254", REACH_LINK },
		{ "fe80::1", REACH_LINK },
		{ "2002:a9fe:a9fe::1", REACH_LINK },
		{ "10.1.2.3", REACH_PRIVATE },
		{ "172.16.0.1", REACH_PRIVATE },
		{ "172.31.255.255", REACH_PRIVATE },
		{ "192.168.1.1", REACH_PRIVATE },
		{ "100.64.0.1", REACH_PRIVATE },
		{ "198.18.0.1", REACH_PRIVATE },
		{ "224.0.0.1", REACH_PRIVATE },
		{ "255.255.255.255", REACH_PRIVATE },
		{ "0.1.2.3", REACH_PRIVATE },
		{ "fd00:ec2::254", REACH_PRIVATE },
		{ "ff02::1", REACH_PRIVATE },
		{ "172.32.0.1", REACH_PUBLIC },
		{ "172.15.0.1", REACH_PUBLIC },
		{ "100.128.0.1", REACH_PUBLIC },
		{ "192.0.2.1", REACH_PUBLIC },
		{ "8.8.8.8", REACH_PUBLIC },
		{ "2001:4860::1", REACH_PUBLIC },
		{ "registry.example.com", REACH_PUBLIC },
		{ "localhost.example.com", REACH_PUBLIC },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sockaddr_in four = { .sin_family = AF_INET };
		struct sockaddr_in6 six = { .sin6_family = AF_INET6 };

		if (place_reach_of_name(rows[i].host) != rows[i].reach)
			fail_msg("name %s", rows[i].host);
		if (inet_pton(AF_INET, rows[i].host, &four.sin_addr) == 1)
			assert_int_equal(place_reach((struct sockaddr *)&four), rows[i].reach);
		if (inet_pton(AF_INET6, rows[i].host, &six.sin6_addr) == 1)
			assert_int_equal(place_reach((struct sockaddr *)&six), rows[i].reach);
	}
}

/* Outward always; inward never; to a link only from that link. */
static void test_may_lead(void **state)
{
	static const bool may[4][4] = {
		/* to: public, private, link, loopback */
		[REACH_PUBLIC] = { true, false, false, false },
		[REACH_PRIVATE] = { true, true, false, false },
		[REACH_LINK] = { true, false, true, false },
		[REACH_LOOPBACK] = { true, true, false, true },
	};

	(void)state;
	for (size_t from = 0; from < 4; from++)
		for (size_t to = 0; to < 4; to++)
			assert_int_equal(place_may_lead((enum reach)from, (enum reach)to), may[from][to]);
}

static int step(const char *from, const char *to)
{
	static const char *const plain[] = { "plain.example", "[fd00::1]:5000", "ports.example:8080" };
	struct place a = read_place(from), b = read_place(to);
	struct aisbx_error e = AISBX_ERROR_INIT;

	return place_check_step(&a, &b, plain, 3, &e);
}

static void test_steps(void **state)
{
	(void)state;
	assert_int_equal(step("https://a/", "https://b/"), 0);
	assert_int_equal(step("http://plain.example/", "https://b/"), 0);
	assert_int_equal(step("https://a/", "http://a/"), -EPERM);
	assert_int_equal(step("https://a/", "http://plain.example/"), -EPERM);
	assert_int_equal(step("https://a/", "http://localhost/"), -EPERM);
	assert_int_equal(step("http://plain.example/", "http://b/"), -EPERM);
	assert_int_equal(step("http://plain.example/", "http://plain.example/x"), 0);
	assert_int_equal(step("http://plain.example/", "http://ports.example:8080/"), 0);
	assert_int_equal(step("http://plain.example/", "http://ports.example/"), -EPERM);
	assert_int_equal(step("http://plain.example/", "http://[fd00::1]:5000/"), 0);
	assert_int_equal(step("http://localhost/", "http://127.0.0.1:99/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),     cmocka_unit_test(test_refused_urls),
		cmocka_unit_test(test_resolve),  cmocka_unit_test(test_same),
		cmocka_unit_test(test_kin),      cmocka_unit_test(test_reach),
		cmocka_unit_test(test_may_lead), cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
