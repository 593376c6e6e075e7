/* SPDX-License-Identifier: Apache-2.0 */
/* The command line against a toy operation: every way to write an option, every way to get it wrong. */
#include "support/test.h"

#include "cli/cli.h"

static const char *const colours[] = { "red", NULL };
static const struct op_param params[] = {
	{ "verbose", 'v', OP_FLAG, 0, NULL, "h" },
	{ "dir", 'C', OP_STRING, 0, "DIR", "h" },
	{ "colour", 0, OP_CHOICE, 0, "COLOUR", "h", colours },
	{ "env", 'e', OP_LIST, 0, "NAME", "h" },
	{ "target", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "TARGET", "h" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL, "COMMAND", "h" },
	{ .name = NULL },
};
static const struct op_param one_param[] = {
	{ "target", 0, OP_STRING, OP_POSITIONAL, "TARGET", "h" },
	{ .name = NULL },
};
static const struct op toy = { .name = "toy", .params = params };
static const struct op small = { .name = "small", .params = one_param };

/* LINE is split at spaces; "" for one empty word is written as '-empty-'. */
static int parse(const struct op *op, const char *line, struct cli_common *common, json_t **args,
		 struct aisbx_error *e)
{
	static char copy[512];
	char *argv[32], *save = NULL;
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[n++] = strcmp(w, "-empty-") ? w : w + strlen(w);
	argv[n] = NULL;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	*args = NULL;
	return cli_parse(op, argv, common, args, e);
}

static void good_lines(void **state)
{
	static const char *const cases[][2] = {
		{ "t", "{\"target\":\"t\"}" },
		{ "-v --dir d t", "{\"verbose\":true,\"dir\":\"d\",\"target\":\"t\"}" },
		{ "--dir=d=e t", "{\"dir\":\"d=e\",\"target\":\"t\"}" },
		{ "--dir= t", "{\"dir\":\"\",\"target\":\"t\"}" },
		{ "-Cd t", "{\"dir\":\"d\",\"target\":\"t\"}" },
		{ "-vC d t", "{\"verbose\":true,\"dir\":\"d\",\"target\":\"t\"}" },
		{ "-e A -eB --env C t", "{\"env\":[\"A\",\"B\",\"C\"],\"target\":\"t\"}" },
		{ "t ls -l --json", "{\"target\":\"t\",\"command\":[\"ls\",\"-l\",\"--json\"]}" },
		{ "-- -t -v", "{\"target\":\"-t\",\"command\":[\"-v\"]}" },
		{ "- -empty-", "{\"target\":\"-\",\"command\":[\"\"]}" },
		{ "--dir -- t", "{\"dir\":\"--\",\"target\":\"t\"}" },
		{ "--colour blue t",
		  "{\"colour\":\"blue\",\"target\":\"t\"}" }, /* values are op_check_args' matter */
		{ "", "{}" },
	};
	struct cli_common common;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *got;

		if (parse(&toy, cases[i][0], &common, &args, &e) < 0)
			fail_msg("%s: %s", cases[i][0], e.text);
		got = json_dumps(args, JSON_COMPACT | JSON_PRESERVE_ORDER);
		assert_string_equal(got, cases[i][1]);
		free(got);
		json_decref(args);
	}
}

static void bad_lines(void **state)
{
	static const char *const cases[][2] = {
		{ "--nope", "'toy' has no option '--nope'" },
		{ "--verbos t", "did you mean --verbose?" },
		{ "--jsn t", "did you mean --json?" },
		{ "-x", "has no option '-x'" },
		{ "-vx", "has no option '-vx'" },
		{ "--zzzzzzzzzzzzz", "see 'aisbx toy --help'" },
		{ "--verbose=1", "takes no value" },
		{ "--dir", "--dir needs a value: --dir DIR" },
		{ "-C", "needs a value" },
		{ "--target=x", "has no option" }, /* it has its place, not an option */
		{ "--dir=\xff t", "not UTF-8" },
		{ "--env=\xff t", "not UTF-8" },
		{ "\xff", "not UTF-8" },
		{ "t \xff", "not UTF-8" },
	};
	struct cli_common common;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int r = parse(&toy, cases[i][0], &common, &args, &e);

		assert_true(r < 0);
		assert_null(args);
		assert_failed(r, -r, e, cases[i][1]);
	}
	assert_true(parse(&small, "a b", &common, &args, &e) < 0);
	assert_non_null(strstr(e.text, "takes no argument 'b'"));
}

static void common_options(void **state)
{
	struct cli_common common;
	struct aisbx_error e;
	json_t *args;

	(void)state;
	assert_int_equal(parse(&toy, "--json --quiet --help t", &common, &args, &e), 0);
	assert_true(common.json && common.quiet && common.help);
	json_decref(args);
	assert_int_equal(parse(&toy, "-hqv t", &common, &args, &e), 0);
	assert_true(common.help && common.quiet && !common.json);
	json_decref(args);
	/* Known also after an error: it decides how the error is told. */
	assert_true(parse(&toy, "--json --nope", &common, &args, &e) < 0);
	assert_true(common.json);
}

static void long_words_are_no_trouble(void **state)
{
	char word[400];
	char *argv[] = { word, NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct cli_common common;
	json_t *args = NULL;

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	memcpy(word, "--", 2);
	word[sizeof(word) - 1] = '\0';
	assert_true(cli_parse(&toy, argv, &common, &args, &e) < 0);
	word[300] = '=';
	assert_true(cli_parse(&toy, argv, &common, &args, &e) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_lines),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(common_options),
		cmocka_unit_test(long_words_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
