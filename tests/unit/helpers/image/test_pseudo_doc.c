/* SPDX-License-Identifier: Apache-2.0 */
/* image.yaml and policy.json: what they may say. */
#include "support/test.h"

#include "base/buf.h"
#include "helpers/image/pseudo_doc.h"

#define DIGEST "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEAD   "name: a\nversion: 1\nbase: none\n"

static int parse(const char *text, struct pseudo *ret, struct aisbx_error *e)
{
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return pseudo_parse(text, strlen(text), ret, e);
}

static void test_whole(void **state)
{
	struct aisbx_error e;
	struct pseudo p = { 0 };

	(void)state;
	assert_int_equal(parse("name: a/b\nversion: 1.0\nbase: debian@" DIGEST
			       "\nlayers: [{file: layers/x.tar.gz, digest: '" DIGEST "'}]\nuser: yes\n",
			       &p, &e),
			 0);
	assert_string_equal(p.name, "a/b");
	assert_string_equal(p.version, "1.0");
	assert_string_equal(p.base_digest, DIGEST);
	assert_int_equal(p.n_layers, 1);
	assert_string_equal(p.layers[0].file, "layers/x.tar.gz");
	assert_string_equal(json_string_value(json_object_get(p.settings, "user")), "yes");
	pseudo_finish(&p);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "", "empty" },
		{ "a", "mapping" },
		{ "version: 1\nbase: none\nlayers: []", "'name'" },
		{ HEAD, "'layers'" },
		{ HEAD "layers: []\nmore: 1", "'more'" },
		{ HEAD "layers: [{file: layers/a.tar}]", "'digest'" },
		{ HEAD "layers: [{file: /a.tar, digest: '" DIGEST "'}]", "layers/NAME" },
		{ HEAD "layers: [{file: layers/.a.tar, digest: '" DIGEST "'}]", "layers/NAME" },
		{ HEAD "layers: [{file: layers/a.zip, digest: '" DIGEST "'}]", "layers/NAME" },
		{ HEAD "layers: []\nenv: [A]", "NAME=VALUE" },
		{ HEAD "layers: []\nplatform: x", "image.yaml" },
		{ "? [a]\n: b", "key" },
		{ "name: [", "image.yaml:" },
		{ "name: \"a\\0\"", "NUL" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e;
		struct pseudo p = { 0 };

		assert_true(parse(cases[i].text, &p, &e) < 0);
		if (!strstr(e.text, cases[i].word))
			fail_msg("'%s' is not in '%s'", cases[i].word, e.text);
	}
}

static void test_written_and_read(void **state)
{
	struct aisbx_error e;
	struct pseudo p = { 0 }, again = { 0 };
	struct buf text = { 0 }, second = { 0 };

	(void)state;
	assert_int_equal(parse(HEAD "layers: [{file: layers/a.tar, digest: '" DIGEST "', diff_id: '" DIGEST
				    "'}]\nenv: [\"A=: # '\\n\"]\ncmd: []\nworkdir: ''",
			       &p, &e),
			 0);
	assert_int_equal(pseudo_print(&p, &text, &e), 0);
	assert_int_equal(parse(text.data, &again, &e), 0);
	assert_true(json_equal(p.settings, again.settings));
	assert_int_equal(pseudo_print(&again, &second, &e), 0);
	assert_string_equal(text.data, second.data);
	pseudo_finish(&p);
	pseudo_finish(&again);
	buf_finish(&text);
	buf_finish(&second);
}

/* Characters that YAML has no other way to write: read, written and read again they are the same. */
static void test_odd_characters(void **state)
{
	static const char *const escaped[] = { "\\x7f",   "\\N",     "\\x80",       "\\x9f",
					       "\\_",     "\\L",     "\\P",         "\\ufeff",
					       "\\ufffd", "\\ufffe", "\\uffff",     "\\u2027",
					       "\\u202a", "\\x01",   "\\U0001f600", "\\ud7ff" };

	(void)state;
	for (size_t i = 0; i < sizeof(escaped) / sizeof(*escaped); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct pseudo p = { 0 }, again = { 0 };
		struct buf text = { 0 };
		char doc[512];

		snprintf(doc, sizeof(doc), HEAD "layers: []\nenv: [\"A=b%sc\"]\n", escaped[i]);
		assert_int_equal(parse(doc, &p, &e), 0);
		assert_int_equal(pseudo_print(&p, &text, &e), 0);
		if (parse(text.data, &again, &e) < 0 || !json_equal(p.settings, again.settings))
			fail_msg("%s: %s: %s", escaped[i], text.data, e.text);
		pseudo_finish(&p);
		pseudo_finish(&again);
		buf_finish(&text);
	}
}

static void test_policy(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = { { "{}", true },
		      { "{\"caps\":[\"CHOWN\"],\"seccomp\":\"default\",\"net\":\"loopback\"}", true },
		      { "{\"net\":\"all\"}", false },
		      { "{\"caps\":[1]}", false },
		      { "{\"seccomp\":{}}", false },
		      { "{\"x\":1}", false },
		      { "[]", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;

		if ((pseudo_policy_check(cases[i].text, strlen(cases[i].text), &e) == 0) != cases[i].good)
			fail_msg("%s", cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_written_and_read),
		cmocka_unit_test(test_odd_characters),
		cmocka_unit_test(test_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
