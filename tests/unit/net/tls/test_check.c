/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided about requests, and what is done to them; and the configuration that says so. */
#include "support/test.h"

#include "base/buf.h"
#include "net/tls/check.h"

#define VALUE "ghp_realRealRealReal0000"
#define FAKE  "ghp_fakeFakeFakeFake1111"

static struct config *read_config(const char *const *words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct config *c = NULL;
	struct buf b = { 0 };

	for (; *words; words++)
		buf_add(&b, *words, strlen(*words) + 1);
	if (config_read(b.data, b.len, &c, &e) < 0)
		c = NULL;
	buf_finish(&b);
	return c;
}

static const char *const usual[] = {
	"rule",
	"https://api.example.test/v1/* GET,POST",
	"rule",
	"net:egress:open.example.test:443",
	"secret",
	"gh",
	"api.example.test",
	"443",
	"header",
	"Authorization: Bearer {}",
	FAKE,
	VALUE,
	"secret",
	"key",
	"api.example.test",
	"443",
	"header",
	"X-Key: {}",
	"fakekey-00000000",
	"realkey-11111111",
	NULL,
};

struct ask {
	const char *name, *method, *target, *fields[12];
};

static struct message make(const struct ask *a)
{
	struct message m = { 0 };

	assert_true(message_set(&m.method, a->method, strlen(a->method)) &&
		    message_set(&m.target, a->target, strlen(a->target)) &&
		    message_set(&m.authority, a->name, strlen(a->name)));
	for (size_t i = 0; a->fields[i]; i += 2)
		assert_true(message_add(&m, a->fields[i], strlen(a->fields[i]), a->fields[i + 1],
					strlen(a->fields[i + 1])));
	return m;
}

/* The verdict, and the fields that are left: "name=value|". */
static unsigned int ask(const struct ask *a, struct verdict *v, struct buf *left)
{
	struct config *c = read_config(usual);
	struct place p = { c, a->name, 443 };
	struct message m = make(a);
	struct swap swap = { 0 };

	assert_non_null(c);
	*v = (struct verdict){ 0 };
	check_request(&p, &m, &swap, v);
	for (size_t i = 0; i < m.n_fields; i++)
		if (strcasecmp(m.fields[i].name, "accept-encoding") != 0)
			buf_addf(left, "%s=%s|", m.fields[i].name, m.fields[i].value);
	buf_add(left, "", 0);
	message_finish(&m);
	swap_finish(&swap);
	config_drop(c);
	return v->status;
}

static void expect(const struct ask *a, unsigned int status, enum net_reason reason, const char *left)
{
	struct verdict v;
	struct buf b = { 0 };

	assert_int_equal(ask(a, &v, &b), status);
	assert_int_equal(v.reason, reason);
	if (left)
		assert_string_equal(buf_str(&b), left);
	buf_finish(&b);
}

#define API  "api.example.test"
#define OPEN "open.example.test"

static void test_secrets(void **state)
{
	(void)state;
	expect(&(struct ask){ API, "GET", "/v1/a", { "Authorization", "Bearer " FAKE } }, 0, 0,
	       "Authorization=Bearer " VALUE "|");
	expect(&(struct ask){ API,
			      "GET",
			      "/v1/a",
			      { "authorization", "token " FAKE, "X-KEY", "fakekey-00000000" } },
	       0, 0, "authorization=Bearer " VALUE "|X-KEY=realkey-11111111|");
	expect(&(struct ask){ API,
			      "GET",
			      "/v1/a",
			      { "Authorization", "Bearer other", "x-key", "other", "Cookie", "a=b" } },
	       0, 0, "");
	expect(&(struct ask){ API, "GET", "/v1/a", { "Authorization", "Bearer x" FAKE } }, 0, 0, "");
	expect(&(struct ask){ API, "GET", "/v1/a", { "Authorization", "Bearer " FAKE "x" } }, 0, 0, "");
	expect(&(struct ask){ API, "GET", "/v1/a", { "X-Other", FAKE, "X-Key", FAKE } }, 0, 0,
	       "X-Other=" FAKE "|");
	/* "me:" and the placeholder, then the secret */
	expect(&(struct ask){ API,
			      "GET",
			      "/v1/a",
			      { "Authorization", "Basic bWU6Z2hwX2Zha2VGYWtlRmFrZUZha2UxMTEx" } },
	       0, 0, "Authorization=Basic bWU6Z2hwX3JlYWxSZWFsUmVhbFJlYWwwMDAw|");
	expect(&(struct ask){ API, "GET", "/v1/a", { "Authorization", "Basic bWU6b3RoZXI=" } }, 0, 0, "");
	expect(&(struct ask){ API, "GET", "/v1/a", { "Authorization", "Basic ???" } }, 0, 0, "");
}

static void test_placeholders_elsewhere(void **state)
{
	(void)state;
	expect(&(struct ask){ OPEN, "GET", "/", { "Authorization", "Bearer other" } }, 0, 0,
	       "Authorization=Bearer other|");
	expect(&(struct ask){ OPEN, "GET", "/", { "Authorization", "Bearer " FAKE } }, 403, NET_WRONG_SECRET,
	       NULL);
	expect(&(struct ask){ OPEN, "GET", "/?a=fakekey%2d00000000", { NULL } }, 403, NET_WRONG_SECRET, NULL);
	expect(&(struct ask){ OPEN, "GET", "/", { "A", "Basic bWU6Z2hwX2Zha2VGYWtlRmFrZUZha2UxMTEx" } }, 403,
	       NET_WRONG_SECRET, NULL);
}

static void test_rules(void **state)
{
	(void)state;
	expect(&(struct ask){ API, "DELETE", "/v1/a", { NULL } }, 403, NET_WRONG_METHOD, NULL);
	expect(&(struct ask){ API, "GET", "/v2", { NULL } }, 403, NET_WRONG_METHOD, NULL);
	expect(&(struct ask){ API, "GET", "/v1/a%2fb", { NULL } }, 400, NET_WRONG_METHOD, NULL);
	expect(&(struct ask){ OPEN, "PURGE", "/v1/a%2fb/../c", { NULL } }, 0, 0, NULL);
	expect(&(struct ask){ OPEN, "CONNECT", "/", { NULL } }, 400, NET_BAD_HTTP, NULL);
	expect(&(struct ask){ OPEN, "get", "/", { NULL } }, 400, NET_BAD_HTTP, NULL);
	expect(&(struct ask){ "none.example.test", "GET", "/", { NULL } }, 403, NET_WRONG_METHOD, NULL);
}

static void test_body(void **state)
{
	static const char text[] = "{\"a\": \"" FAKE "\"}";
	struct config *c = read_config(usual);
	struct place open = { c, OPEN, 443 }, api = { c, API, 443 };
	struct message m = { 0 };

	(void)state;
	for (size_t cut = 1; cut < sizeof(text) - 1; cut++) {
		struct verdict v = { 0 };
		struct body_scan s;

		assert_true(body_scan_init(&s, &open, &m));
		assert_false(body_scan_feed(&s, &open, text, cut, false, &v) &&
			     body_scan_feed(&s, &open, text + cut, sizeof(text) - 1 - cut, true, &v));
		assert_int_equal(v.reason, NET_WRONG_SECRET);
		body_scan_finish(&s);
		v = (struct verdict){ 0 };
		assert_true(body_scan_init(&s, &api, &m));
		assert_true(body_scan_feed(&s, &api, text, sizeof(text) - 1, true, &v));
		body_scan_finish(&s);
	}
	config_drop(c);
}

static void test_trailers(void **state)
{
	struct config *c = read_config(usual);
	struct place p = { c, API, 443 };
	struct message m = { 0 };
	struct verdict v = { 0 };

	(void)state;
	assert_true(message_add(&m, "Authorization", 13, "x", 1) && message_add(&m, "X-Sum", 5, "1", 1));
	assert_true(check_trailers(&p, &m, &v));
	assert_int_equal(m.n_fields, 1);
	p.name = OPEN;
	assert_true(message_add(&m, "X-More", 6, FAKE, strlen(FAKE)));
	assert_false(check_trailers(&p, &m, &v));
	message_finish(&m);
	config_drop(c);
}

static void test_bad_configurations(void **state)
{
	static const char *const bad[][9] = {
		{ "nonsense", NULL },
		{ "rule", NULL },
		{ "rule", "what is this", NULL },
		{ "idle", "-1", NULL },
		{ "roots", "a", "roots", "b", NULL },
		{ "secret", "n", "h.test", "99999", "header", "A: {}", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "H.test", "443", "header", "A: {}", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "*", "443", "header", "A: {}", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "what", "", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "basic", "A: {}", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "header", "A {}", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "header", "A: {}{}", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "header", "{}: A", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "header", "A: {}\n", "12345678", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "header", "A: {}", "12345678", "abcdefghi", NULL },
		{ "secret", "n", "h.test", "443", "header", "A: {}", "abcdefgh", "abcdefgh", NULL },
		{ "secret", "n", "h.test", "443", "header", "A: {}", "1", "a", NULL },
		{ "secret", "n", "h.test", "443", "aws-sigv4", "", "12345:78", "abcd:fgh", NULL },
		{ "secret", "a b", "h.test", "443", "header", "A: {}", "12345678", "abcdefgh", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(read_config(bad[i]));
}

static void test_hosts_of_secrets(void **state)
{
	struct tls_secret s = { .host = "*.a.test", .port = 443 };

	(void)state;
	assert_true(config_secret_is_of(&s, "x.a.test", 443));
	assert_false(config_secret_is_of(&s, "a.test", 443));
	assert_false(config_secret_is_of(&s, "x.a.test", 8443));
	s.port = 0;
	assert_true(config_secret_is_of(&s, "x.a.test", 8443));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_placeholders_elsewhere),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_body),
		cmocka_unit_test(test_trailers),
		cmocka_unit_test(test_bad_configurations),
		cmocka_unit_test(test_hosts_of_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
