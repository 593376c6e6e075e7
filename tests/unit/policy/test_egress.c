/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of egress: what is read as what, what is refused and how it is told, and what matches. */
#include "support/test.h"

#include "base/scope.h"
#include "policy/egress.h"
#include "policy/egress_presets.h"

#define COUNT_OF(x) (sizeof(x) / sizeof(*(x)))

/* A rule and its one true form. */
static const struct {
	const char *text, *canonical;
} right[] = {
	{ "net:egress:github.com:443", "net:egress:github.com:443" },
	{ "github.com:443", "net:egress:github.com:443" },
	{ "github.com", "net:egress:github.com:443" },
	{ "GitHub.COM.:443", "net:egress:github.com:443" },
	{ "  github.com:443  ", "net:egress:github.com:443" },
	{ "github.com:443/tcp", "net:egress:github.com:443" },
	{ "github.com:00443", "net:egress:github.com:443" },
	{ "db:5432", "net:egress:db:5432" },
	{ "_srv.example.org:1", "net:egress:_srv.example.org:1" },
	{ "github.com:*", "net:egress:github.com:*" },
	{ "*.example.org:443", "net:egress:*.example.org:443" },
	{ "*.Example.org", "net:egress:*.example.org:443" },
	{ "*:443", "net:egress:*:443" },
	{ "*:*", "net:egress:*:*" },
	{ "xn--bcher-kva.example:443", "net:egress:xn--bcher-kva.example:443" },
	{ "dns.example.org:53/udp", "net:egress:dns.example.org:53/udp" },
	{ "example.org:5222 records", "net:egress:example.org:5222 records" },
	{ "mirror.corp.example:443 private", "net:egress:mirror.corp.example:443 private" },
	{ "*.corp.example private", "net:egress:*.corp.example:443 private" },
	{ "dns.corp.example:53/udp private", "net:egress:dns.corp.example:53/udp private" },
	{ "a.corp.example bytes=1m private private records",
	  "net:egress:a.corp.example:443 records private bytes=1m" },
	{ "https://api.corp.example/v1/* private GET", "https://api.corp.example/v1/* GET private" },
	{ "pypi.org:443 rate=1M bytes=1024k", "net:egress:pypi.org:443 bytes=1m rate=1m" },
	{ "pypi.org:443 bytes=1000", "net:egress:pypi.org:443 bytes=1000" },
	{ "10.0.0.0/8:5432", "net:egress:10.0.0.0/8:5432" },
	{ "10.0.0.7:5432", "net:egress:10.0.0.7:5432" },
	{ "10.0.0.7/32:5432", "net:egress:10.0.0.7:5432" },
	{ "8.8.8.8:53/udp", "net:egress:8.8.8.8:53/udp" },
	{ "0.0.0.0/0:443", "net:egress:0.0.0.0/0:443" },
	{ "[2001:db8::]/32:443", "net:egress:[2001:db8::]/32:443" },
	{ "2001:DB8::/32:443", "net:egress:[2001:db8::]/32:443" },
	{ "[2001:db8::1]:443", "net:egress:[2001:db8::1]:443" },
	{ "[fd00::]/8:*", "net:egress:[fd00::]/8:*" },
	{ "[::ffff:10.1.2.3]:80", "net:egress:10.1.2.3:80" },
	{ "::/0:443", "net:egress:[::]/0:443" },
	{ "169.254.0.0/16:80", "net:egress:169.254.0.0/16:80" },
	{ "https://api.example.org", "net:egress:api.example.org:443" },
	{ "http://example.org", "net:egress:example.org:80" },
	{ "https://api.example.org/v1/*", "https://api.example.org/v1/*" },
	{ "HTTPS://API.example.org:443/v1/* get", "https://api.example.org/v1/* GET" },
	{ "https://api.example.org:8443/v1/* POST,GET", "https://api.example.org:8443/v1/* GET,POST" },
	{ "https://api.example.org/* read", "https://api.example.org/* GET,HEAD" },
	{ "https://*.example.org/a%7eb%2a", "https://*.example.org/a~b%2A" },
	{ "api.example.org:443 GET,HEAD", "net:egress:api.example.org:443 GET,HEAD" },
	{ "net:host:5432", "net:host:5432" },
	{ "net:host:5432 bytes=1g", "net:host:5432 bytes=1g" },
	{ "net:unix:/run/user/1000/bus", "net:unix:/run/user/1000/bus" },
	{ "net:agent:ssh", "net:agent:ssh" },
	{ "net:agent:gpg", "net:agent:gpg" },
};

static bool same(const struct egress_rule *a, const struct egress_rule *b)
{
	return a->kind == b->kind && a->any == b->any && a->below == b->below && a->udp == b->udp &&
	       a->records == b->records && a->private == b->private && a->port == b->port &&
	       a->prefix == b->prefix && a->from.family == b->from.family &&
	       !memcmp(a->from.bytes, b->from.bytes, 16) && a->bytes == b->bytes && a->rate == b->rate &&
	       a->methods == b->methods && !strcmp(a->name, b->name) && !strcmp(a->path, b->path) &&
	       !strcmp(a->text, b->text);
}

static void rules_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(right); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r, again;

		if (egress_rule_parse(right[i].text, &r, &e) < 0)
			fail_msg("'%s': %s", right[i].text, e.text);
		assert_string_equal(r.text, right[i].canonical);
		assert_int_equal(egress_rule_parse(r.text, &again, &e), 0);
		assert_true(same(&r, &again));
	}
}

/* A rule that is none, and a part of what is told. */
static const struct {
	const char *text, *told;
} wrong[] = {
	{ "", "missing" },
	{ "   ", "missing" },
	{ "github", "port is missing" },
	{ "*", "*:443" },
	{ "github.com:", "'' is not a port" },
	{ "github.com:0", "'0' is not a port" },
	{ "github.com:65536", "'65536' is not a port" },
	{ "github.com:-1", "'-1' is not a port" },
	{ "github.com:443x", "'443x' is not a port" },
	{ "github.com:https", "for example: net:egress:github.com:443" },
	{ "github.com:443/sctp", "'/sctp' is neither" },
	{ "github..com:443", "not a host name" },
	{ ".github.com:443", "not a host name" },
	{ "github.com..:443", "not a host name" },
	{ ":443", "not a host name" },
	{ "-a.example:443", "not a host name" },
	{ "a-.example:443", "not a host name" },
	{ "a b.example:443", "port is missing" },
	{ "user@github.com:443", "no user" },
	{ "b\xc3\xbc"
	  "cher.example:443",
	  "xn--" },
	{ "\xef\xbc\x91.1.1.1:443", "xn--" },
	{ "a.*.example:443", "whole labels" },
	{ "*a.example:443", "whole labels" },
	{ "*.*:443", "whole labels" },
	{ "127.1:80", "more than one way" },
	{ "0x7f.1:80", "more than one way" },
	{ "2130706433:80", "more than one way" },
	{ "0177.0.0.1:80", "more than one way" },
	{ "1.2.3.4.5:80", "more than one way" },
	{ "256.1.1.1:80", "more than one way" },
	{ "*.1:80", "more than one way" },
	{ "a.example.0x10:80", "not a host name" },
	{ "127.0.0.1:80", "net:host:5432" },
	{ "0.0.0.0:80", "net:host:5432" },
	{ "[::1]:80", "net:host:5432" },
	{ "[::]:80", "net:host:5432" },
	{ "[::ffff:127.0.0.1]:80", "net:host:5432" },
	{ "127.0.0.0/8:80", "net:host:5432" },
	{ "localhost:80", "net:host:5432" },
	{ "a.localhost:80", "net:host:5432" },
	{ "host.aisbx.internal:80", "net:host:5432" },
	{ "*.aisbx.internal:80", "net:host:5432" },
	{ "169.254.169.254:80", "credentials" },
	{ "[fd00:ec2::254]:80", "credentials" },
	{ "100.100.100.200/32:80", "credentials" },
	{ "224.0.0.1:80", "multicast" },
	{ "[ff02::1]:80", "multicast" },
	{ "[64:ff9b::10.0.0.1]:80", "disguise" },
	{ "[2002:a00:1::]:80", "disguise" },
	{ "[64:ff9b::127.0.0.1]:80", "net:host:5432" },
	{ "[fe80::1%eth0]:80", "no zone" },
	{ "fe80::1%eth0", "':'" },
	{ "10.0.0.1", "need a port" },
	{ "10.0.0.0/8", "need a port" },
	{ "10.0.0.0/33:80", "'/33' is not the size" },
	{ "10.0.0.0/:80", "'/' is not the size" },
	{ "10.0.0.0/8x:80", "'/8x' is not the size" },
	{ "10.1.2.3/8:80", "did you mean 10.0.0.0/8?" },
	{ "[2001:db8::1]/32:80", "did you mean 2001:db8::/32?" },
	{ "[2001:db8::]/129:80", "'/129'" },
	{ "[2001:db8::1]", "need a port" },
	{ "[2001:db8::1]x:443", "need a port" },
	{ "[1.2.3.4]:443", "brackets" },
	{ "[2001:db8::1:443", "brackets" },
	{ "2001:db8::1", "brackets" },
	{ "2001:db8::1:443x", "brackets" },
	{ "a:b:443", "more than one ':'" },
	{ "net:egres:github.com:443", "did you mean 'net:egress:'?" },
	{ "net:github.com:443", "followed by egress" },
	{ "net:egress", "followed by egress" },
	{ "net:egress:", "not a host name" },
	{ "net:host", "followed by egress" },
	{ "net:host:*", "rule of its own" },
	{ "net:host:53/udp", "rule of its own" },
	{ "net:host:x", "not a port" },
	{ "net:unix:run/x", "absolute" },
	{ "net:unix:/run/../x", "absolute" },
	{ "net:unix:/run/", "absolute" },
	{ "net:agent:age", "ssh and gpg" },
	{ "net:agent:ssh bytes=1m", "no options" },
	{ "ftp://example.org/x", "only https://" },
	{ "http://example.org/x", "without TLS" },
	{ "https://example.org/", "nothing but the path" },
	{ "https:///x", "host name" },
	{ "https://example.org/a?b", "no query" },
	{ "https://example.org/a*b", "only at the end" },
	{ "https://example.org/a/../b", "no '..'" },
	{ "https://example.org/a/%2e%2e/b", "no '..'" },
	{ "https://example.org/a%2fb", "'%2f'" },
	{ "https://example.org//a", "'//'" },
	{ "https://example.org/a\\b", "'\\'" },
	{ "https://u:p@example.org/a", "a network rule has no user" },
	{ "https://u@example.org/a", "no user" },
	{ "https://10.0.0.1/a", "not an address" },
	{ "https://[2001:db8::1]/a", "needs a name" },
	{ "https://example.org/a FETCH", "neither a method" },
	{ "https://example.org/a GTE", "did you mean GET?" },
	{ "https://example.org/a GET POST", "one word" },
	{ "example.org:443/udp GET", "UDP has neither" },
	{ "example.org:* GET", "one port" },
	{ "example.org:443 bytes=0", "needs a size" },
	{ "example.org:443 bytes=x", "needs a size" },
	{ "example.org:443 bytes=9999999t", "needs a size" },
	{ "example.org:443 bytes=1 bytes=2", "second time" },
	{ "10.0.0.0/8:80 records", "only rules for names" },
	{ "10.0.0.0/8:80 GET", "only rules for names" },
	{ "10.0.0.0/8:80 private", "only rules for names" },
	{ "net:host:5432 private", "only rules for names" },
	{ "net:agent:ssh private", "no options" },
	{ "*:443 private", "needs a name" },
	{ "example.org:443 PRIVATE", "neither a method nor records, private" },
	{ "a\x01.example:443", "control character" },
	{ "example.org:443\n", "control character" },
};

static void wrong_rules_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r;

		if (egress_rule_parse(wrong[i].text, &r, &e) == 0)
			fail_msg("'%s' became '%s'", wrong[i].text, r.text);
		assert_int_equal(e.code, -EINVAL);
		if (!strstr(e.text, wrong[i].told))
			fail_msg("'%s': '%s' is not in: %s", wrong[i].text, wrong[i].told, e.text);
	}
}

static void long_ones_are_refused(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct egress_rule r;
	char text[2048], name[EGRESS_NAME_MAX];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text + 64, ".example:443", 13);
	assert_true(egress_rule_parse(text, &r, &e) < 0);
	assert_int_equal(egress_rule_parse(text + 1, &r, &e), 0);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_true(egress_rule_parse(text, &r, &e) < 0);
	for (size_t i = 63; i < 256; i += 64)
		text[i] = '.';
	assert_true(egress_name(text, 253, name));
	assert_false(egress_name(text, 254, name));
	assert_false(egress_name(text, 255, name));
	text[253] = '.';
	assert_true(egress_name(text, 254, name));
	assert_int_equal(strlen(name), 253);
	/* With both a long name and a long path, it would not fit in its one true form. */
	memset(text, 'a', sizeof(text));
	memcpy(text, "https://", 8);
	for (size_t i = 8 + 60; i < 255; i += 61)
		text[i] = '.';
	text[255] = '/';
	text[505] = '\0';
	assert_int_equal(egress_rule_parse(text, &r, &e), 0);
	strcpy(text + 505, " GET");
	assert_int_equal(egress_rule_parse(text, &r, &e), 0);
	strcpy(text + 505, " read");
	assert_true(egress_rule_parse(text, &r, &e) < 0);
	assert_non_null(strstr(e.text, "longer than 511"));
}

static const struct {
	const char *text, *name; /* NULL: none */
} names[] = {
	{ "example.org", "example.org" },
	{ "EXAMPLE.org.", "example.org" },
	{ "a", "a" },
	{ "a_b.c-d", "a_b.c-d" },
	{ "1password.com", "1password.com" },
	{ "0xample.org", "0xample.org" },
	{ "1.0.0.1.in-addr.arpa", "1.0.0.1.in-addr.arpa" },
	{ "", NULL },
	{ ".", NULL },
	{ "a..", NULL },
	{ "a..b", NULL },
	{ "127.1", NULL },
	{ "127.1.", NULL },
	{ "0x7f.1", NULL },
	{ "0X7F.1", NULL },
	{ "0x", NULL },
	{ "0", NULL },
	{ "2130706433", NULL },
	{ "0177.0.0.1", NULL },
	{ "1.2.3.4", NULL },
	{ "a.0x7f", NULL },
	{ "::1", NULL },
	{ "a b", NULL },
	{ "a/b", NULL },
	{ "a%00", NULL },
	{ "caf\xc3\xa9.example", NULL },
	{ "a\xe3\x80\x82"
	  "b",
	  NULL },
};

static void names_are_made_canonical(void **state)
{
	char name[EGRESS_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		bool is = egress_name(names[i].text, strlen(names[i].text), name);

		if (is != (names[i].name != NULL))
			fail_msg("'%s'", names[i].text);
		if (is)
			assert_string_equal(name, names[i].name);
	}
	assert_false(egress_name("a\0.example", 10, name));
	assert_false(egress_name("example.org\0", 12, name));
}

static const struct {
	const char *text;
	enum egress_class class;
} addresses[] = {
	{ "8.8.8.8", EGRESS_PUBLIC },
	{ "172.15.255.255", EGRESS_PUBLIC },
	{ "172.32.0.0", EGRESS_PUBLIC },
	{ "100.63.255.255", EGRESS_PUBLIC },
	{ "100.128.0.0", EGRESS_PUBLIC },
	{ "192.169.0.1", EGRESS_PUBLIC },
	{ "198.17.255.255", EGRESS_PUBLIC },
	{ "198.20.0.0", EGRESS_PUBLIC },
	{ "223.255.255.255", EGRESS_PUBLIC },
	{ "0.0.0.0", EGRESS_LOOPBACK },
	{ "127.0.0.1", EGRESS_LOOPBACK },
	{ "127.255.255.255", EGRESS_LOOPBACK },
	{ "0.0.0.1", EGRESS_RESERVED },
	{ "10.0.0.0", EGRESS_PRIVATE },
	{ "10.255.255.255", EGRESS_PRIVATE },
	{ "172.16.0.0", EGRESS_PRIVATE },
	{ "172.31.255.255", EGRESS_PRIVATE },
	{ "192.168.0.1", EGRESS_PRIVATE },
	{ "100.64.0.0", EGRESS_PRIVATE },
	{ "100.127.255.255", EGRESS_PRIVATE },
	{ "169.254.0.1", EGRESS_LINK },
	{ "169.254.169.254", EGRESS_METADATA },
	{ "169.254.170.2", EGRESS_METADATA },
	{ "169.254.170.23", EGRESS_METADATA },
	{ "100.100.100.200", EGRESS_METADATA },
	{ "168.63.129.16", EGRESS_METADATA },
	{ "192.0.0.192", EGRESS_METADATA },
	{ "192.0.0.1", EGRESS_RESERVED },
	{ "192.88.99.1", EGRESS_RESERVED },
	{ "198.18.0.1", EGRESS_RESERVED },
	{ "198.19.255.255", EGRESS_RESERVED },
	{ "224.0.0.1", EGRESS_MULTICAST },
	{ "239.255.255.255", EGRESS_MULTICAST },
	{ "240.0.0.1", EGRESS_RESERVED },
	{ "255.255.255.255", EGRESS_RESERVED },
	{ "2a00:1450:4001::1", EGRESS_PUBLIC },
	{ "2001:4860:4860::8888", EGRESS_PUBLIC },
	{ "2001:200::1", EGRESS_PUBLIC },
	{ "::", EGRESS_LOOPBACK },
	{ "::1", EGRESS_LOOPBACK },
	{ "::2", EGRESS_RESERVED },
	{ "::127.0.0.1", EGRESS_LOOPBACK },
	{ "::10.0.0.1", EGRESS_PRIVATE },
	{ "::8.8.8.8", EGRESS_RESERVED },
	{ "::ffff:8.8.8.8", EGRESS_PUBLIC },
	{ "::ffff:127.0.0.1", EGRESS_LOOPBACK },
	{ "::ffff:a9fe:a9fe", EGRESS_METADATA },
	{ "::ffff:0:127.0.0.1", EGRESS_LOOPBACK },
	{ "::ffff:0:8.8.8.8", EGRESS_RESERVED },
	{ "64:ff9b::8.8.8.8", EGRESS_PUBLIC },
	{ "64:ff9b::127.0.0.1", EGRESS_LOOPBACK },
	{ "64:ff9b::169.254.169.254", EGRESS_METADATA },
	{ "64:ff9b::192.168.1.1", EGRESS_PRIVATE },
	{ "64:ff9b:1::8.8.8.8", EGRESS_PRIVATE },
	{ "64:ff9b:1::169.254.169.254", EGRESS_METADATA },
	{ "64:ff9b:2::1", EGRESS_RESERVED },
	{ "2002:808:808::1", EGRESS_PUBLIC },
	{ "2002:7f00:1::1", EGRESS_LOOPBACK },
	{ "2002:c0a8:101::1", EGRESS_PRIVATE },
	{ "2002:a9fe:a9fe::", EGRESS_METADATA },
	{ "2001:0:808:808::f7f7:f7f7", EGRESS_PUBLIC },   /* client 8.8.8.8 */
	{ "2001:0:808:808::80ff:fffe", EGRESS_LOOPBACK }, /* client 127.0.0.1 */
	{ "2001:0:a00:1::f7f7:f7f7", EGRESS_PRIVATE },    /* server 10.0.0.1 */
	{ "2001:2::1", EGRESS_RESERVED },
	{ "2001:20::1", EGRESS_RESERVED },
	{ "2a00::5efe:8.8.8.8", EGRESS_PUBLIC },
	{ "2a00::5efe:10.0.0.1", EGRESS_PRIVATE },
	{ "2a00::200:5efe:127.0.0.1", EGRESS_LOOPBACK },
	{ "fe80::5efe:10.0.0.1", EGRESS_LINK },
	{ "fc00::1", EGRESS_PRIVATE },
	{ "fd12:3456::1", EGRESS_PRIVATE },
	{ "fd00:ec2::254", EGRESS_METADATA },
	{ "fd00:ec2::23", EGRESS_METADATA },
	{ "fd20:ce::254", EGRESS_METADATA },
	{ "fd00:c1::a9fe:a9fe", EGRESS_METADATA },
	{ "fe80::a9fe:a9fe", EGRESS_METADATA },
	{ "fe80::1", EGRESS_LINK },
	{ "febf::1", EGRESS_LINK },
	{ "fec0::1", EGRESS_PRIVATE },
	{ "ff02::1", EGRESS_MULTICAST },
	{ "100::1", EGRESS_RESERVED },
	{ "4000::1", EGRESS_RESERVED },
	{ "5f00::1", EGRESS_RESERVED },
};

static struct egress_address address(const char *text)
{
	struct egress_address a = { 0 };

	if (!egress_address_read(text, strlen(text), &a))
		fail_msg("'%s' is not an address", text);
	return a;
}

static void addresses_are_classified(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(addresses); i++) {
		struct egress_address a = address(addresses[i].text), again;
		char text[46];

		if (egress_classify(&a) != addresses[i].class)
			fail_msg("%s is %s", addresses[i].text, egress_class_name(egress_classify(&a)));
		egress_address_text(&a, text, sizeof(text));
		again = address(text);
		assert_true(egress_address_same(&a, &again));
	}
}

static void mapped_ones_are_four(void **state)
{
	struct egress_address a = address("::ffff:10.0.0.1"), b = address("10.0.0.1"),
			      raw = { .family = 6, .bytes = { [10] = 0xff, 0xff, 127, 0, 0, 1 } };
	struct egress_address none = { 0 };

	(void)state;
	assert_int_equal(a.family, 4);
	assert_true(egress_address_same(&a, &b));
	assert_false(egress_address_same(&none, &none));
	assert_int_equal(egress_classify(&none), EGRESS_RESERVED);
	/* Also one that came from the kernel, not from a text. */
	assert_int_equal(egress_classify(&raw), EGRESS_LOOPBACK);
	b = address("127.0.0.1");
	assert_true(egress_address_same(&raw, &b));
}

static void what_is_no_address(void **state)
{
	static const char *const texts[] = {
		"",           "1.2.3",     "1.2.3.4.", "01.2.3.4",  "0x1.2.3.4", "1.2.3.256",   " 1.2.3.4",
		"1.2.3.4 ",   "[1.2.3.4]", "[::1",     "::1]",      "[]",        ":::",         "1::2::3",
		"fe80::1%lo", "::1/128",   "12345::",  "localhost", "::1.2.3",   "::ffff:127.1"
	};
	struct egress_address a;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (egress_address_read(texts[i], strlen(texts[i]), &a))
			fail_msg("'%s'", texts[i]);
	assert_false(egress_address_read("1.2.3.4\0", 8, &a));
	assert_true(egress_address_read("[2001:db8::1]", 13, &a));
}

static size_t read_rules(const char *const *texts, struct egress_rule *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	size_t n = 0;

	for (; texts[n]; n++)
		if (egress_rule_parse(texts[n], &ret[n], &e) < 0)
			fail_msg("%s", e.text);
	return n;
}

static void names_match(void **state)
{
	static const char *const texts[] = {
		"github.com:443",     "*.example.org:443",       "db:*",
		"dns.example:53/udp", "api.example.org:443 GET", "api.example.org:443",
		"only.read:443 GET",  "net:host:5432",           NULL
	};
	static const struct {
		const char *name;
		uint16_t port;
		bool udp;
		int rule; /* -1: none */
	} rows[] = {
		{ "github.com", 443, false, 0 },
		{ "github.com", 80, false, -1 },
		{ "github.com", 443, true, -1 },
		{ "xgithub.com", 443, false, -1 },
		{ "a.github.com", 443, false, -1 },
		{ "example.org", 443, false, -1 },
		{ "a.example.org", 443, false, 1 },
		{ "a.b.example.org", 443, false, 1 },
		{ "xexample.org", 443, false, -1 },
		{ "db", 1, false, 2 },
		{ "db", 65535, false, 2 },
		{ "db", 0, false, -1 },
		{ "db", 53, true, -1 },
		{ "dns.example", 53, true, 3 },
		{ "dns.example", 53, false, -1 },
		{ "only.read", 443, false, 6 },
		{ EGRESS_HOST_NAME, 5432, false, 7 },
		{ EGRESS_HOST_NAME, 443, false, -1 },
		{ "", 443, false, -1 },
	};
	struct egress_rule rules[16], all;
	size_t n = read_rules(texts, rules);
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct egress_rule *r =
			egress_match_name(rules, n, rows[i].name, rows[i].port, rows[i].udp);

		if ((r ? (int)(r - rules) : -1) != rows[i].rule)
			fail_msg("%s:%u by %s", rows[i].name, rows[i].port, r ? r->text : "nothing");
	}
	assert_ptr_equal(egress_match_name(rules + 4, n - 4, "api.example.org", 443, false), &rules[5]);
	assert_ptr_equal(egress_match_lookup(rules, n, "dns.example"), &rules[3]);
	assert_ptr_equal(egress_match_lookup(rules, n, EGRESS_HOST_NAME), &rules[7]);
	assert_null(egress_match_lookup(rules, n, "evil.example"));
	/* A star has every name, but not this machine. */
	assert_int_equal(egress_rule_parse("*:*", &all, &e), 0);
	assert_non_null(egress_match_name(&all, 1, "anything.example", 22, false));
	assert_null(egress_match_name(&all, 1, EGRESS_HOST_NAME, 22, false));
	assert_null(egress_match_lookup(&all, 1, EGRESS_HOST_NAME));
}

static void ranges_match(void **state)
{
	static const struct {
		const char *rule, *address;
		bool has;
	} rows[] = {
		{ "10.0.0.0/8:80", "10.1.2.3", true },
		{ "10.0.0.0/8:80", "11.0.0.0", false },
		{ "10.0.0.0/8:80", "::ffff:10.1.2.3", true },
		{ "10.0.0.0/8:80", "64:ff9b::10.1.2.3", false },
		{ "10.0.0.0/8:80", "2002:a01:203::", false },
		{ "10.1.0.0/16:80", "10.1.2.3", true },
		{ "10.1.0.0/16:80", "10.2.2.3", false },
		{ "10.1.2.4/31:80", "10.1.2.5", true },
		{ "10.1.2.4/31:80", "10.1.2.6", false },
		{ "0.0.0.0/0:80", "8.8.8.8", true },
		{ "0.0.0.0/0:80", "10.1.2.3", false },
		{ "0.0.0.0/0:80", "127.0.0.1", false },
		{ "0.0.0.0/0:80", "169.254.169.254", false },
		{ "0.0.0.0/0:80", "2a00::1", false },
		{ "8.0.0.0/6:80", "10.1.2.3", false }, /* 8 to 11: meant to be public */
		{ "8.0.0.0/6:80", "8.1.2.3", true },
		{ "100.64.0.0/10:80", "100.65.0.1", true },
		{ "100.64.0.0/10:80", "100.100.100.200", false },
		{ "169.254.0.0/16:80", "169.254.1.1", true },
		{ "169.254.0.0/16:80", "169.254.169.254", false },
		{ "[::]/0:80", "2a00::1", true },
		{ "[::]/0:80", "::1", false },
		{ "[::]/0:80", "fd00::1", false },
		{ "[::]/0:80", "64:ff9b::8.8.8.8", true },
		{ "[::]/0:80", "64:ff9b::127.0.0.1", false },
		{ "[::]/0:80", "::ffff:8.8.8.8", false },
		{ "[fd00::]/8:80", "fd12::1", true },
		{ "[fd00::]/8:80", "fd00:ec2::254", false },
		{ "[fd00::]/8:80", "fd00::5efe:127.0.0.1", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct egress_address a = address(rows[i].address);
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r;

		if (egress_rule_parse(rows[i].rule, &r, &e) < 0)
			fail_msg("%s", e.text);
		if ((egress_match_address(&r, 1, &a, 80, false) != NULL) != rows[i].has)
			fail_msg("%s and %s", rows[i].rule, rows[i].address);
		assert_null(egress_match_address(&r, 1, &a, 81, false));
		assert_null(egress_match_address(&r, 1, &a, 80, true));
	}
}

static void requests_match(void **state)
{
	static const char *const texts[] = { "https://api.example.org/v1/* GET",
					     "https://api.example.org/v1/jobs POST",
					     "read.example.org:443 read", "https://files.example.org/pub*",
					     NULL };
	static const struct {
		const char *name;
		const char *method, *path;
		int rule;
	} rows[] = {
		{ "api.example.org", "GET", "/v1/", 0 },
		{ "api.example.org", "GET", "/v1/a/b?c=/../d", 0 },
		{ "api.example.org", "GET", "/v1", -1 },
		{ "api.example.org", "HEAD", "/v1/a", -1 },
		{ "api.example.org", "POST", "/v1/jobs", 1 },
		{ "api.example.org", "POST", "/v1/jobs/", -1 },
		{ "api.example.org", "POST", "/%761/jobs", 1 },
		{ "api.example.org", "get", "/v1/a", -1 },
		{ "api.example.org", "GET", "/v1/../v2", -1 },
		{ "api.example.org", "GET", "/v1/..", -1 },
		{ "api.example.org", "GET", "/v1/.", -1 },
		{ "api.example.org", "GET", "/v1/..;x/v2", -1 },
		{ "api.example.org", "GET", "/v1/%2e%2E/v2", -1 },
		{ "api.example.org", "GET", "/v1/.%2e", -1 },
		{ "api.example.org", "GET", "/v1/%2f", -1 },
		{ "api.example.org", "GET", "/v1/%5c", -1 },
		{ "api.example.org", "GET", "/v1/%252e", -1 },
		{ "api.example.org", "GET", "/v1/%00", -1 },
		{ "api.example.org", "GET", "/v1/%", -1 },
		{ "api.example.org", "GET", "/v1/%4", -1 },
		{ "api.example.org", "GET", "/v1/%41", 0 },
		{ "api.example.org", "GET", "/v1//v2", -1 },
		{ "api.example.org", "GET", "//v1/", -1 },
		{ "api.example.org", "GET", "/v1/a\\b", -1 },
		{ "api.example.org", "GET", "/v1/...", 0 },
		{ "api.example.org", "GET", "/v1/.well-known/x", 0 },
		{ "api.example.org", "GET", "https://api.example.org/v1/", -1 },
		{ "api.example.org", "GET", "", -1 },
		{ "other.example.org", "GET", "/v1/", -1 },
		{ "read.example.org", "HEAD", "/a/../b", 2 },
		{ "read.example.org", "OPTIONS", "*", -1 },
		{ "read.example.org", "BREW", "/", -1 },
		{ "files.example.org", "BREW", "/public", 3 },
	};
	struct egress_rule rules[8];
	size_t n = read_rules(texts, rules);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t method = egress_method_by_name(rows[i].method, strlen(rows[i].method));
		const struct egress_rule *r = egress_match_request(rules, n, rows[i].name, 443, method,
								   rows[i].path, strlen(rows[i].path));

		if ((r ? (int)(r - rules) : -1) != rows[i].rule)
			fail_msg("%s %s%s by %s", rows[i].method, rows[i].name, rows[i].path,
				 r ? r->text : "nothing");
	}
	for (size_t i = 0; i < n; i++)
		assert_true(egress_rule_ends_tls(&rules[i]));
}

static void presets_are_rules(void **state)
{
	(void)state;
	for (const struct egress_preset *p = egress_presets; p->name; p++) {
		scoped(strlist_finish) struct strlist rules = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;
		size_t n = 0;

		while (p->rules[n])
			n++;
		if (egress_expand(p->name, &rules, &e) < 0)
			fail_msg("%s: %s", p->name, e.text);
		assert_int_equal(rules.n, n);
		/* A second time adds nothing. */
		assert_int_equal(egress_expand(p->name, &rules, &e), 0);
		assert_int_equal(rules.n, n);
		assert_ptr_equal(egress_preset_by_name(p->name), p);
	}
}

static void a_repository_is_its_paths(void **state)
{
	scoped(strlist_finish) struct strlist all = { 0 }, read = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(egress_expand("github:python/cpython", &all, &e), 0);
	assert_true(strlist_has(&all, "https://github.com/python/cpython.git/*"));
	assert_true(strlist_has(&all, "https://uploads.github.com/repos/python/cpython/*"));
	assert_int_equal(egress_expand("github:python/cpython:read", &read, &e), 0);
	assert_true(strlist_has(&read, "https://github.com/python/cpython.git/* GET,HEAD"));
	assert_true(strlist_has(&read, "https://github.com/python/cpython.git/git-upload-pack POST"));
	for (size_t i = 0; i < read.n; i++)
		assert_null(strstr(read.items[i], "receive-pack"));
	assert_int_equal(read.n, all.n - 1);
}

static void values_that_are_none(void **state)
{
	static const struct {
		const char *value, *told;
	} rows[] = {
		{ "pyton-packages", "did you mean 'python-packages'?" },
		{ "githb", "did you mean 'github'?" },
		{ "NPM", "python-packages, npm, crates" },
		{ "github:python", "not a repository" },
		{ "github:python/", "not a repository" },
		{ "github:/cpython", "not a repository" },
		{ "github:a/b/c", "not a repository" },
		{ "github:a/b:write", "not a repository" },
		{ "github:../b", "not a repository" },
		{ "github:a/..", "not a repository" },
		{ "github:a/b.git", "without '.git'" },
		{ "", "missing" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;

		if (egress_value_check(rows[i].value, &e) == 0)
			fail_msg("'%s' is accepted", rows[i].value);
		if (!strstr(e.text, rows[i].told))
			fail_msg("'%s': '%s' is not in: %s", rows[i].value, rows[i].told, e.text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_read),
		cmocka_unit_test(wrong_rules_are_told),
		cmocka_unit_test(long_ones_are_refused),
		cmocka_unit_test(names_are_made_canonical),
		cmocka_unit_test(addresses_are_classified),
		cmocka_unit_test(mapped_ones_are_four),
		cmocka_unit_test(what_is_no_address),
		cmocka_unit_test(names_match),
		cmocka_unit_test(ranges_match),
		cmocka_unit_test(requests_match),
		cmocka_unit_test(presets_are_rules),
		cmocka_unit_test(a_repository_is_its_paths),
		cmocka_unit_test(values_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
