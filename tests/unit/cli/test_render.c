/* SPDX-License-Identifier: Apache-2.0 */
/* Foreign text on a terminal: nothing of it moves a cursor, changes a colour or turns the direction. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/color.h"

static void text_is_made_safe(void **state)
{
	static const char *const cases[][2] = {
		{ "plain\n\ttext", "plain\n\ttext" },
		{ "a\033[31mb", "a?[31mb" },
		{ "a\rb\bc\ad", "a?b?c?d" },
		{ "\x7f", "?" },
		{ "a\xC2\x9B"
		  "31m",
		  "a\\u009b31m" },                  /* C1: the one-character CSI */
		{ "\xC2\xA9", "\xC2\xA9" },         /* a copyright sign is none */
		{ "x\xE2\x80\xAEy", "x\\u202ey" },  /* right-to-left override */
		{ "x\xE2\x81\xA6y", "x\\u2066y" },  /* isolate */
		{ "\xE2\x82\xAC", "\xE2\x82\xAC" }, /* a euro sign is neither */
		{ "\xE2", "\\xe2" },                /* cut off in the middle */
		{ "\xE2\x80", "\\xe2\\x80" },
		{ "\xC2", "\\xc2" },
		{ "\x9b"
		  "31m",
		  "\\x9b31m" },                            /* CSI for who reads bytes */
		{ "\xE0\x80\x9B[m", "\\xe0\\x80\\x9b[m" }, /* an escape in too many bytes */
		{ "e\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
		  "e\xCC\x81",
		  "e\xCC\x81\xCC\x81\xCC\x81\xCC\x81\\u0301"
		  "e\xCC\x81" },
		{ "a\xE2\x80\x8B"
		  "b",
		  "a\\u200bb" }, /* no width */
		{ "a\xE2\x80\xA8"
		  "b",
		  "a\\u2028b" }, /* a line of its own */
		{ "a\xC2\xAD"
		  "b",
		  "a\\u00adb" }, /* soft hyphen */
		{ "a\xF3\xA0\x81\x81"
		  "b",
		  "a\\U000e0041b" },                /* a tag */
		{ "\xE2\x80\x8D", "\xE2\x80\x8D" }, /* joins pictures, in text */
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		cli_print_safe(f, cases[i][0]);
		fclose(f);
		assert_string_equal(text, cases[i][1]);
		free(text);
	}
}

/* What cli_render says on stderr about RESULT of `run`. */
static char *rendered(const char *result, bool quiet)
{
	char path[] = "/tmp/test-render-XXXXXX";
	int file = mkstemp(path), saved = dup(STDERR_FILENO);
	struct cli_common common = { .quiet = quiet };
	json_t *j = json_loads(result, 0, NULL);
	char *seen = calloc(1, 8192);

	assert_true(file >= 0 && saved >= 0 && j && seen);
	dup2(file, STDERR_FILENO);
	cli_render(op_by_name("run"), &common, j);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	assert_true(pread(file, seen, 8191, 0) >= 0);
	close(file);
	close(saved);
	unlink(path);
	json_decref(j);
	return seen;
}

static void a_good_run_says_nothing(void **state)
{
	char *seen = rendered("{\"status\":\"ok\",\"violations\":[],\"limit\":null,\"error\":null}", false);

	(void)state;
	assert_string_equal(seen, "");
	free(seen);
}

static const char troubled[] =
	"{\"violations\":[{\"kind\":\"syscall\",\"what\":\"mount\",\"by\":\"e\\u001bvil\",\"rule\":\"r\"},"
	"{\"kind\":\"decoy\",\"what\":\"open x\",\"by\":null,\"rule\":\"home=hidden\"}],"
	"\"limit\":{\"kind\":\"wall_time\",\"value\":1500,\"used\":1501},"
	"\"truncated\":{\"stdout\":1024,\"stderr\":1024},\"error\":\"no such thing\","
	"\"isolation\":{\"missing\":[\"net\",\"seccomp\"]}}";

static void trouble_is_told_safely(void **state)
{
	char *seen = rendered(troubled, false);

	(void)state;
	assert_non_null(strstr(seen, "refused: mount by e?vil (r)"));
	assert_non_null(strstr(seen, "noticed: open x (home=hidden)"));
	assert_non_null(strstr(seen, "2 KiB of output cut off"));
	assert_non_null(strstr(seen, "stopped after 1.5 s"));
	assert_non_null(strstr(seen, "no such thing"));
	assert_non_null(strstr(seen, "no wall 'net', 'seccomp'"));
	free(seen);
	seen = rendered(troubled, true); /* why nothing was executed is no chatter */
	assert_string_equal(seen, "aisbx: no such thing\n");
	free(seen);
}

#define LOOKUPS                                                                                            \
	"\"violations\":[{\"kind\":\"net\",\"what\":\"look up a.example\",\"count\":3,\"rule\":\"net: no " \
	"rule\","                                                                                          \
	"\"allow_with\":\"net:egress:a.example:443\"},{\"kind\":\"net\",\"what\":\"look up "               \
	"b.example\",\"count\":1},"                                                                        \
	"{\"kind\":\"net\",\"what\":\"connect "                                                            \
	"1.2.3.4:25\",\"count\":1,\"rule\":\"r\",\"allow_with\":\"\"}]}"

static void look_ups_that_nobody_needed_are_one_line(void **state)
{
	char *seen = rendered("{\"status\":\"ok\"," LOOKUPS, false);

	(void)state;
	assert_string_equal(seen,
			    "aisbx: refused: connect 1.2.3.4:25 (r)\n"
			    "aisbx: refused 4 look-ups of names that the command did without: a.example, "
			    "b.example\n");
	free(seen);
	seen = rendered("{\"status\":\"failed\"," LOOKUPS, false);
	assert_non_null(strstr(seen, "refused: look up a.example (net: no rule); allowed with --net "
				     "net:egress:a.example:443\n"));
	assert_non_null(strstr(seen, "refused: look up b.example"));
	free(seen);
}

static void many_violations_are_summed_up(void **state)
{
	json_t *list = json_array(), *result = json_pack("{s:o}", "violations", list);
	char *text, *seen;

	(void)state;
	for (int i = 0; i < 20; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "kind", "syscall", "what", "w",
						      "rule", "r"));
	text = json_dumps(result, 0);
	seen = rendered(text, false);
	assert_non_null(strstr(seen, "and 12 more"));
	free(seen);
	free(text);
	json_decref(result);
}

static void colour_is_for_terminals(void **state)
{
	FILE *f = fopen("/dev/null", "we");

	(void)state;
	assert_false(cli_colour(f));
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_made_safe),
		cmocka_unit_test(a_good_run_says_nothing),
		cmocka_unit_test(look_ups_that_nobody_needed_are_one_line),
		cmocka_unit_test(trouble_is_told_safely),
		cmocka_unit_test(many_violations_are_summed_up),
		cmocka_unit_test(colour_is_for_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
