/* SPDX-License-Identifier: Apache-2.0 */
/* Names of images: what is taken and what it means, with the examples of the distribution project. */
#include "support/test.h"

#include "image/digest.h"
#include "image/reference.h"

#define HEX "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void test_what_is_meant(void **state)
{
	static const struct {
		const char *text, *host, *repository, *tag, *digest, *full, *familiar;
	} rows[] = {
		{ "busybox", "docker.io", "library/busybox", NULL, NULL, "docker.io/library/busybox:latest",
		  "busybox" },
		{ "busybox:latest", "docker.io", "library/busybox", "latest", NULL,
		  "docker.io/library/busybox:latest", "busybox" },
		{ "busybox:1.36", "docker.io", "library/busybox", "1.36", NULL,
		  "docker.io/library/busybox:1.36", "busybox:1.36" },
		{ "me/tool", "docker.io", "me/tool", NULL, NULL, "docker.io/me/tool:latest", "me/tool" },
		{ "docker.io/busybox", "docker.io", "library/busybox", NULL, NULL,
		  "docker.io/library/busybox:latest", "busybox" },
		{ "index.docker.io/library/busybox", "docker.io", "library/busybox", NULL, NULL,
		  "docker.io/library/busybox:latest", "busybox" },
		{ "library/busybox", "docker.io", "library/busybox", NULL, NULL,
		  "docker.io/library/busybox:latest", "busybox" },
		{ "localhost/a", "localhost", "a", NULL, NULL, "localhost/a:latest", "localhost/a" },
		{ "localhost:5000/a/b:t", "localhost:5000", "a/b", "t", NULL, "localhost:5000/a/b:t",
		  "localhost:5000/a/b:t" },
		{ "example.com/a", "example.com", "a", NULL, NULL, "example.com/a:latest", "example.com/a" },
		{ "[::1]:5000/a/b", "[::1]:5000", "a/b", NULL, NULL, "[::1]:5000/a/b:latest",
		  "[::1]:5000/a/b" },
		{ "[2001:DB8::1]/a:x", "[2001:DB8::1]", "a", "x", NULL, "[2001:DB8::1]/a:x",
		  "[2001:DB8::1]/a:x" },
		{ "Host/a", "Host", "a", NULL, NULL, "Host/a:latest", "Host/a" },
		{ "a:5000/b", "a:5000", "b", NULL, NULL, "a:5000/b:latest", "a:5000/b" },
		{ "a:5000", "docker.io", "library/a", "5000", NULL, "docker.io/library/a:5000", "a:5000" },
		{ "x@sha256:" HEX, "docker.io", "library/x", NULL, "sha256:" HEX,
		  "docker.io/library/x@sha256:" HEX, "x@sha256:" HEX },
		{ "x:t@sha256:" HEX, "docker.io", "library/x", "t", "sha256:" HEX,
		  "docker.io/library/x:t@sha256:" HEX, "x:t@sha256:" HEX },
		{ "x:latest@sha256:" HEX, "docker.io", "library/x", "latest", "sha256:" HEX,
		  "docker.io/library/x:latest@sha256:" HEX, "x:latest@sha256:" HEX },
		{ "x@sha512:" HEX HEX, "docker.io", "library/x", NULL, "sha512:" HEX HEX,
		  "docker.io/library/x@sha512:" HEX HEX, "x@sha512:" HEX HEX },
		{ "docker.io/a.b/c", "docker.io", "a.b/c", NULL, NULL, "docker.io/a.b/c:latest",
		  "docker.io/a.b/c" },
		{ "docker.io/localhost/c", "docker.io", "localhost/c", NULL, NULL,
		  "docker.io/localhost/c:latest", "docker.io/localhost/c" },
		{ "a__b/c--d/e_f.g-h", "docker.io", "a__b/c--d/e_f.g-h", NULL, NULL,
		  "docker.io/a__b/c--d/e_f.g-h:latest", "a__b/c--d/e_f.g-h" },
		{ "xn--n3h.com/a", "xn--n3h.com", "a", NULL, NULL, "xn--n3h.com/a:latest", "xn--n3h.com/a" },
		{ "x:_A.-", "docker.io", "library/x", "_A.-", NULL, "docker.io/library/x:_A.-", "x:_A.-" },
		{ HEX ":a", "docker.io", "library/" HEX, "a", NULL, "docker.io/library/" HEX ":a",
		  "library/" HEX ":a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct reference r = { 0 };
		char *full, *familiar;

		if (reference_parse(rows[i].text, &r, &e) < 0)
			fail_msg("%s: %s", rows[i].text, e.text);
		full = reference_full(&r);
		familiar = reference_familiar(&r);
		assert_string_equal(r.host, rows[i].host);
		assert_string_equal(r.repository, rows[i].repository);
		assert_string_equal(r.tag ? r.tag : "", rows[i].tag ? rows[i].tag : "");
		assert_string_equal(r.digest ? r.digest : "", rows[i].digest ? rows[i].digest : "");
		assert_string_equal(full, rows[i].full);
		assert_string_equal(familiar, rows[i].familiar);
		assert_string_equal(reference_version(&r), rows[i].digest ? rows[i].digest
							   : rows[i].tag  ? rows[i].tag
									  : "latest");
		reference_finish(&r);
		free(full);
		free(familiar);
	}
}

static void test_what_is_none(void **state)
{
	static const struct {
		const char *text, *word;
	} rows[] = {
		{ "", "empty" },
		{ HEX, "64 digits" },
		{ ":tag", "repository" },
		{ "/a", "repository" },
		{ "a/", "repository" },
		{ "a//b", "repository" },
		{ "Busybox", "lower-case" },
		{ "me/Tool", "lower-case" },
		{ "-a", "repository" },
		{ "a-", "repository" },
		{ "a..b", "repository" },
		{ "a._b", "repository" },
		{ "a___b", "repository" },
		{ "a/-b", "repository" },
		{ "-example.com/a", "registry" },
		{ "example-.com/a", "registry" },
		{ "example..com/a", "registry" },
		{ "example.com./a", "registry" },
		{ "example.com:/a", "registry" },
		{ "example.com:x/a", "registry" },
		{ "[::1/a", "registry" },
		{ "[]:5/a", "registry" },
		{ "[::g]/a", "registry" },
		{ "[fe80::1%eth0]:5000/a", "registry" },
		{ "::1/a", "registry" },
		{ "http://example.com/a", "registry" },
		{ "x:", "tag" },
		{ "x:.a", "tag" },
		{ "x:-a", "tag" },
		{ "x:a:b", "tag" },
		{ "x:a/b", "registry" },
		{ "x@", "digest" },
		{ "x@sha256:"
		  "abc",
		  "digest" },
		{ "x@md5:d41d8cd98f00b204e9800998ecf8427e", "digest" },
		{ "x@sha256:E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855", "digest" },
		{ "x@sha256:" HEX ":t", "digest" },
		{ "x y", "repository" },
		{ "x\n", "repository" },
		{ "..", "repository" },
		{ "../x", "registry" },
		{ "a/../b", "repository" },
		{ "\xc3\xa4", "repository" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct reference r = { 0 };
		int got = reference_parse(rows[i].text, &r, &e);

		if (got != -EINVAL || !strstr(e.text, rows[i].word) || r.host)
			fail_msg("'%s': %d %s", rows[i].text, got, e.text);
	}
}

static int parse_long(const char *before, size_t n, const char *after)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct reference r = { 0 };
	char *text = malloc(n + 600);
	int got;

	strcpy(text, before);
	memset(text + strlen(before), 'a', n);
	strcpy(text + strlen(before) + n, after);
	got = reference_parse(text, &r, &e);
	reference_finish(&r);
	free(text);
	return got;
}

static void test_lengths(void **state)
{
	(void)state;
	assert_int_equal(parse_long("a.b/", 255, ""), 0);
	assert_int_equal(parse_long("a.b/", 256, ""), -EINVAL);
	assert_int_equal(parse_long("", 255 - 8, ""), 0); /* "library/" counts */
	assert_int_equal(parse_long("", 256 - 8, ""), -EINVAL);
	assert_int_equal(parse_long("x:", 128, ""), 0);
	assert_int_equal(parse_long("x:", 129, ""), -EINVAL);
	assert_int_equal(parse_long("", 253, ".b/x"), 0);
	assert_int_equal(parse_long("", 254, ".b/x"), -EINVAL);
	assert_int_equal(parse_long("", 100000, ""), -EINVAL);
}

static void test_digests(void **state)
{
	static const char first[] = "sha256:" HEX;
	char chain[DIGEST_CAP], again[DIGEST_CAP], own[DIGEST_CAP];

	(void)state;
	assert_true(digest_is_valid("sha256:" HEX) && digest_is_sha256("sha256:" HEX));
	assert_true(digest_is_valid("sha512:" HEX HEX) && !digest_is_sha256("sha512:" HEX HEX));
	assert_false(digest_is_valid(NULL) || digest_is_valid("") || digest_is_valid("sha256:" HEX "0"));
	assert_false(digest_is_valid("sha384:" HEX) || digest_is_valid("sha512:" HEX));
	assert_string_equal(digest_hex(first), HEX);
	digest_of("", 0, own);
	assert_string_equal(own, first);
	assert_true(digest_chain(NULL, first, chain));
	assert_string_equal(chain, first);
	assert_true(digest_chain(chain, first, chain)); /* may be the same place */
	digest_of("sha256:" HEX " sha256:" HEX, 2 * 71 + 1, again);
	assert_string_equal(chain, again);
	assert_false(digest_chain("x", first, chain) || digest_chain(first, "sha512:" HEX HEX, chain));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_what_is_meant),
					    cmocka_unit_test(test_what_is_none),
					    cmocka_unit_test(test_lengths), cmocka_unit_test(test_digests) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
