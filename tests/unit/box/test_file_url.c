/* SPDX-License-Identifier: Apache-2.0 */
/* Signed addresses: what was signed is accepted, and nothing that differs from it in any part. */
#include "support/test.h"

#include "box/file_url.h"

static const uint8_t key[SHA256_BYTES] = "a key of thirty-two bytes......";

struct parts {
	char text[2048];
	struct file_url_text t;
};

/* As a server takes an address apart. */
static void take_apart(const struct file_url *u, struct parts *ret)
{
	const char **const to[] = { &ret->t.box, &ret->t.owner, &ret->t.until, &ret->t.path,
				    &ret->t.signature };
	struct buf b = { 0 };
	char *at = ret->text;

	assert_true(file_url_write(u, key, &b) && buf_str(&b));
	snprintf(ret->text, sizeof(ret->text), "%s", b.data);
	buf_finish(&b);
	for (size_t i = 0; i < 5; i++) {
		char *part = strsep(&at, "&");

		assert_non_null(part);
		*to[i] = strchr(part, '=') + 1;
	}
	assert_null(at);
	ret->t.method = u->writes ? "PUT" : "GET";
}

static bool accepts(const struct file_url_text *t, uint64_t now, struct buf *path, struct file_url *ret)
{
	buf_finish(path);
	*path = (struct buf){ 0 };
	return file_url_read(t, key, now, path, ret);
}

static void test_round(void **state)
{
	static const char *const paths[] = { "/a", "/a b/c&d=e?f#g%41+", "/\xc3\xa4\xff\x01\n", "/x/../y",
					     "/" };
	struct buf path = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct file_url u = { i % 2, i > 2 ? "ana" : "", "b-1", paths[i], 1000 };
		struct file_url got;
		struct parts p;

		take_apart(&u, &p);
		assert_true(accepts(&p.t, 1000, &path, &got));
		assert_string_equal(got.path, paths[i]);
		assert_string_equal(got.box, "b-1");
		assert_string_equal(got.owner, u.owner);
		assert_int_equal(got.writes, u.writes);
		assert_false(accepts(&p.t, 1001, &path, &got)); /* too old */
	}
	buf_finish(&path);
}

static void test_others(void **state)
{
	const struct file_url u = { false, "ana", "b-1", "/a b", 1000 };
	struct buf path = { 0 };
	struct file_url got;
	struct parts p;

	(void)state;
	take_apart(&u, &p);
	const struct file_url_text t = p.t;
	const struct file_url_text others[] = {
		{ "PUT", t.owner, t.box, t.path, t.until, t.signature },
		{ t.method, "", t.box, t.path, t.until, t.signature },
		{ t.method, "ana\nb-1", "", t.path, t.until, t.signature },
		{ t.method, t.owner, "b-2", t.path, t.until, t.signature },
		{ t.method, t.owner, t.box, "/a%20c", t.until, t.signature },
		{ t.method, t.owner, t.box, "/a b", t.until, t.signature },
		{ t.method, t.owner, t.box, "/%61%20b", t.until, t.signature },
		{ t.method, t.owner, t.box, "/a%20b%00", t.until, t.signature },
		{ t.method, t.owner, t.box, "/a%2", t.until, t.signature },
		{ t.method, t.owner, t.box, "", t.until, t.signature },
		{ t.method, t.owner, t.box, t.path, "1001", t.signature },
		{ t.method, t.owner, t.box, t.path, "01000", t.signature },
		{ t.method, t.owner, t.box, t.path, "", t.signature },
		{ t.method, t.owner, t.box, t.path, "18446744073709551616", t.signature },
		{ t.method, t.owner, t.box, t.path, t.until, "" },
		{ t.method, t.owner, t.box, t.path, t.until, t.signature + 1 },
	};

	assert_true(accepts(&t, 999, &path, &got));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(accepts(&others[i], 999, &path, &got));
	for (size_t i = 0; i < strlen(t.signature); i++) {
		char *signature = strdup(t.signature);
		struct file_url_text other = t;

		signature[i] ^= 1;
		other.signature = signature;
		assert_false(accepts(&other, 999, &path, &got));
		free(signature);
	}
	buf_finish(&path);
}

static void test_other_key(void **state)
{
	static const uint8_t other[SHA256_BYTES] = "a key of thirty-two bytes.....!";
	const struct file_url u = { false, "", "b-1", "/a", 1000 };
	struct buf path = { 0 };
	struct file_url got;
	struct parts p;

	(void)state;
	take_apart(&u, &p);
	assert_false(file_url_read(&p.t, other, 999, &path, &got));
	buf_finish(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_round), cmocka_unit_test(test_others),
					    cmocka_unit_test(test_other_key) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
