/* SPDX-License-Identifier: Apache-2.0 */
/* A command line that travels is the same at the other end, and nothing else is taken for one. */
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#include "base/base64.h"
#include "remote/remote.h"

static void assert_same(char **a, char **b)
{
	size_t i = 0;

	for (; a[i] && b[i]; i++)
		assert_string_equal(a[i], b[i]);
	assert_null(a[i]);
	assert_null(b[i]);
}

static void there_and_back(char **env, char **words)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
	const struct remote_call sent = { .dir = "/a b/'c", .env = env, .words = words };
	struct remote_call got = { 0 };
	char *text = remote_encode(&sent);

	assert_non_null(text);
	assert_int_equal(strspn(text, safe), strlen(text));
	assert_true(remote_decode(text, &got));
	assert_string_equal(got.dir, sent.dir);
	assert_same(got.env, env);
	assert_same(got.words, words);
	remote_call_finish(&got);
	free(text);
}

static void words_survive(void **state)
{
	char every[256];
	char *none[] = { NULL }, *env[] = { "AISBX_PROFILE=a b", "NO_COLOR=", NULL };
	char *odd[] = { "", " ", "a\nb", "'\"\\$`!*?[]{}~#&;|<>()", "", "\xff\xfe", every, "--", "-x", NULL };

	(void)state;
	for (int i = 0; i < 255; i++)
		every[i] = (char)(i + 1);
	every[255] = '\0';
	there_and_back(none, none);
	there_and_back(env, none);
	there_and_back(none, odd);
	there_and_back(env, odd);
}

static bool accepts(const char *bytes, size_t len)
{
	struct remote_call got = { 0 };
	struct buf coded = { 0 };
	bool good;

	base64_add(&coded, bytes, len);
	good = remote_decode(buf_str(&coded), &got);
	if (good)
		remote_call_finish(&got);
	buf_finish(&coded);
	return good;
}

static void nothing_else_is_taken(void **state)
{
	struct remote_call got = { 0 };

	(void)state;
#define ACCEPTS(bytes) accepts(bytes, sizeof(bytes) - 1)
	assert_true(ACCEPTS("aisbx1\0/\0\0"));
	assert_true(ACCEPTS("aisbx1\0/\0\0ls\0"));
	assert_false(ACCEPTS(""));
	assert_false(ACCEPTS("aisbx1\0/\0"));                /* no end of the variables */
	assert_false(ACCEPTS("aisbx1\0/\0\0ls"));            /* cut */
	assert_false(ACCEPTS("aisbx2\0/\0\0ls\0"));          /* another form */
	assert_false(ACCEPTS("aisbx1\0here\0\0ls\0"));       /* nowhere */
	assert_false(ACCEPTS("aisbx1\0/\0PATH=/x\0\0ls\0")); /* not among those that count */
	assert_false(ACCEPTS("aisbx1\0/\0NO_COLOR\0\0ls\0"));
	assert_false(ACCEPTS("aisbx1\0"));
	assert_false(remote_decode("", &got));
	assert_false(remote_decode("a b", &got));
	assert_false(remote_decode("YWlzYngx", &got));
}

static void places(void **state)
{
	static const struct {
		const char *text, *host, *dir; /* HOST NULL: refused */
	} rows[] = {
		{ "mac", "mac", NULL },
		{ "me@mac.example.org", "me@mac.example.org", NULL },
		{ "ssh://mac", "ssh://mac", NULL },
		{ "ssh://mac/", "ssh://mac", NULL },
		{ "ssh://me@mac:2222/srv/a b", "ssh://me@mac:2222", "/srv/a b" },
		{ "ssh://[::1]:22/x", "ssh://[::1]:22", "/x" },
		{ "", NULL, NULL },
		{ "-oProxyCommand=x", NULL, NULL },
		{ "ssh://-oProxyCommand=x", NULL, NULL },
		{ "ssh://", NULL, NULL },
		{ "ssh:///x", NULL, NULL },
		{ "http://mac", NULL, NULL },
		{ "mac/srv", NULL, NULL },
		{ "a b", NULL, NULL },
		{ "a;b", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct remote_place p = { 0 };
		const char *wrong = remote_place_read(rows[i].text, &p);

		assert_int_equal(wrong == NULL, rows[i].host != NULL);
		if (wrong)
			continue;
		assert_string_equal(p.host, rows[i].host);
		assert_int_equal(p.dir == NULL, rows[i].dir == NULL);
		if (p.dir)
			assert_string_equal(p.dir, rows[i].dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_survive),
		cmocka_unit_test(nothing_else_is_taken),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
