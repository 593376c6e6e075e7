/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: what holds for which facts and why, what is refused and in which words, what is too much. */
#include "support/test.h"

#include <string.h>

#include "base/scope.h"
#include "expr/tree.h"

/* The facts of one judgement: "NAME=VALUE" each; paths by commas. */
struct world {
	const char *facts[8];
	struct strlist paths;
};

static const char *said_of(const struct world *w, const char *name)
{
	for (size_t i = 0; i < 8 && w->facts[i]; i++)
		if (!strncmp(w->facts[i], name, strlen(name)) && w->facts[i][strlen(name)] == '=')
			return w->facts[i] + strlen(name) + 1;
	return NULL;
}

static struct expr_value look(void *ctx, size_t fact)
{
	const struct world *w = ctx;
	const char *said = said_of(w, expr_facts[fact].name);

	if (!said)
		return (struct expr_value){ .text = strcmp(expr_facts[fact].name, "tests")
							    ? NULL
							    : "no test was run" };
	if (expr_facts[fact].type == EXPR_PATHS)
		return (struct expr_value){ .known = true, .paths = &w->paths };
	if (expr_facts[fact].type == EXPR_RESULT)
		return (struct expr_value){ .known = true, .number = expr_result(said) };
	if (expr_facts[fact].type == EXPR_LEVEL)
		return (struct expr_value){ .known = true, .number = expr_level(said) };
	return (struct expr_value){ .known = true, .number = strtod(said, NULL) };
}

static void fill_paths(struct world *w)
{
	const char *s = said_of(w, "changed");

	while (s && *s) {
		size_t n = strcspn(s, ",");

		strlist_addf(&w->paths, "%.*s", (int)n, s);
		s += n + (s[n] == ',');
	}
}

static const struct judged {
	const char *text, *facts[8];
	bool holds;
	const char *why;
} judged[] = {
	{ "tests==pass", { "tests=pass" }, true, "tests==pass: it is pass" },
	{ "tests==pass", { "tests=fail" }, false, "tests==pass: it is fail" },
	{ "tests==pass", { NULL }, false, "tests==pass: tests is not known: no test was run" },
	{ "tests!=pass", { NULL }, false, "tests!=pass: tests is not known: no test was run" },
	{ "not tests==pass", { NULL }, false, "not tests==pass: tests is not known: no test was run" },
	{ "not (tests==pass)", { "tests=fail" }, true, "not (tests==pass): it is fail" },
	{ "lint==pass or lint==none", { "lint=none" }, true, "lint==none: it is none" },
	{ "risk<=medium", { "risk=medium" }, true, "risk<=medium: it is medium" },
	{ "risk<=medium", { "risk=high" }, false, "risk<=medium: it is high" },
	{ "risk==none", { "risk=none" }, true, "risk==none: it is none" },
	{ "none<risk", { "risk=low" }, true, "none<risk: it is low" },
	{ "changes.deleted<10", { "changes.deleted=12" }, false, "changes.deleted<10: it is 12" },
	{ "changes.deleted<10", { "changes.deleted=9" }, true, "changes.deleted<10: it is 9" },
	{ "usage.mem_peak<=256m",
	  { "usage.mem_peak=268435456" },
	  true,
	  "usage.mem_peak<=256m: it is 256 MiB" },
	{ "usage.mem-peak<=256m",
	  { "usage.mem_peak=268435457" },
	  false,
	  "usage.mem-peak<=256m: it is 256.0 MiB" },
	{ "usage.wall<2m", { "usage.wall=119999" }, true, "usage.wall<2m: it is 120.0 s" },
	{ "usage.wall<2m", { "usage.wall=120000" }, false, "usage.wall<2m: it is 2 min" },
	{ "2m>usage.wall", { "usage.wall=500" }, true, "2m>usage.wall: it is 500 ms" },
	{ "usage.mem_peak<(2M)", { "usage.mem_peak=2097151" }, true, "usage.mem_peak<(2M): it is 2.0 MiB" },
	{ "usage.cpu==0", { "usage.cpu=0" }, true, "usage.cpu==0: it is 0 ms" },
	{ "usage.disk<=1kb and usage.disk<=1kib and usage.disk<=1024b",
	  { "usage.disk=1024" },
	  true,
	  "usage.disk<=1kb: it is 1 KiB; usage.disk<=1kib: it is 1 KiB; usage.disk<=1024b: it is 1 KiB" },
	{ "usage.cpu<=1s and usage.cpu<=1000ms and usage.cpu<=1sec",
	  { "usage.cpu=1000" },
	  true,
	  "usage.cpu<=1s: it is 1 s; usage.cpu<=1000ms: it is 1 s; usage.cpu<=1sec: it is 1 s" },
	{ "not traps", { "traps=0" }, true, "not traps: it is 0" },
	{ "not traps", { "traps=2" }, false, "not traps: it is 2" },
	{ "! traps", { NULL }, false, "! traps: traps is not known" },
	{ "not not traps", { "traps=2" }, true, "not not traps: it is 2" },
	{ "no-network-violations", { "no-network-violations=1" }, true, "no-network-violations: it is true" },
	{ "no_network_violations==true",
	  { "no-network-violations=0" },
	  false,
	  "no_network_violations==true: it is false" },
	{ "tests==pass and changes<5", { "tests=pass", "changes=9" }, false, "changes<5: it is 9" },
	{ "tests==pass && changes<5",
	  { "changes=9" },
	  false,
	  "changes<5: it is 9" }, /* certain without the tests */
	{ "tests==pass and changes<5",
	  { "changes=1" },
	  false,
	  "tests==pass: tests is not known: no test was run" },
	{ "tests==pass or changes<5", { "changes=1" }, true, "changes<5: it is 1" },
	{ "tests==pass || changes<5",
	  { "changes=9" },
	  false,
	  "tests==pass: tests is not known: no test was run; changes<5: it is 9" },
	{ "not (tests==pass or changes<5)", { "changes=1" }, false, "changes<5: it is 1" },
	{ "not (tests==pass and changes<5)", { "changes=9" }, true, "changes<5: it is 9" },
	{ "not (tests==pass and changes<5)",
	  { "changes=1" },
	  false,
	  "tests==pass: tests is not known: no test was run" },
	/* 'and' binds more than 'or', 'not' more than 'and', comparisons more than 'not' */
	{ "traps or traps and not traps", { "traps=1" }, true, "traps: it is 1" },
	{ "not changes==3", { "changes=4" }, true, "not changes==3: it is 4" },
	{ "changes.created+changes.deleted<=3",
	  { "changes.created=2", "changes.deleted=1" },
	  true,
	  "changes.created+changes.deleted<=3: changes.created is 2, changes.deleted is 1" },
	{ "changes - 2 * 3==-1", { "changes=5" }, true, "changes - 2 * 3==-1: it is 5" },
	{ "(changes - 2) * 3==9", { "changes=5" }, true, "(changes - 2) * 3==9: it is 5" },
	{ "changes.lines-added - changes.lines-removed<0",
	  { "changes.lines-added=1", "changes.lines-removed=3" },
	  true,
	  "changes.lines-added - changes.lines-removed<0: changes.lines-added is 1, changes.lines-removed is "
	  "3" },
	{ "usage.cpu/1s<=1.5", { "usage.cpu=1500" }, true, "usage.cpu/1s<=1.5: it is 1.5 s" },
	{ "usage.cpu*2<=3s and 2*usage.cpu<=3s and usage.cpu/2<=1s",
	  { "usage.cpu=1500" },
	  true,
	  "usage.cpu*2<=3s: it is 1.5 s; 2*usage.cpu<=3s: it is 1.5 s; usage.cpu/2<=1s: it is 1.5 s" },
	{ "usage.mem_peak/2m<=1.5",
	  { "usage.mem_peak=3145728" },
	  true,
	  "usage.mem_peak/2m<=1.5: it is 3 MiB" },
	{ "10/changes>0",
	  { "changes=0" },
	  false,
	  "10/changes>0: it is 0, it has no value: division by zero, or the result is too large" },
	{ "not 10/changes>0",
	  { "changes=0" },
	  false,
	  "not 10/changes>0: it is 0, it has no value: division by zero, or the result is too large" },
	{ "-changes==-3", { "changes=3" }, true, "-changes==-3: it is 3" },
	{ "score>=0.95", { "score=0.9" }, false, "score>=0.95: it is 0.9" },
	{ "1<2", { NULL }, true, "1<2: it is always true" },
	{ "false", { NULL }, false, "false: it is always false" },
	{ "'a'=='b'", { NULL }, false, "'a'=='b': it is always false" },
	{ "\"a'\"!='b'", { NULL }, true, "\"a'\"!='b': it is always true" },
	{ "changed(\"src/**\")",
	  { "changed=README,src/a/b.c" },
	  true,
	  "changed(\"src/**\"): src/a/b.c is changed" },
	{ "not changed('*.md')",
	  { "changed=docs/x.md" },
	  true,
	  "not changed('*.md'): no changed path matches" },
	{ "net.hosts('*.example.org')",
	  { "net.hosts=1", "changed=a.example.org" },
	  true,
	  "net.hosts('*.example.org'): a.example.org was reached" },
	{ "not net.hosts('*.example.org')",
	  { "net.hosts=1", "changed=example.com" },
	  true,
	  "not net.hosts('*.example.org'): no host that was reached matches" },
	{ "not changed('*.md')", { NULL }, false, "not changed('*.md'): changed is not known" },
	{ " \t\n tests\r\n==\npass ", { "tests=pass" }, true, "tests  == pass: it is pass" },
};

static void test_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(judged) / sizeof(*judged); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct expr_verdict v = { 0 };
		scoped(drop_expr) struct expr *x = NULL;
		struct world w = { 0 };

		memcpy(w.facts, judged[i].facts, sizeof(w.facts));
		fill_paths(&w);
		if (expr_parse(judged[i].text, false, &x, &e) < 0)
			fail_msg("%s: %s", judged[i].text, e.text);
		assert_int_equal(expr_judge(x, look, &w, &v, &e), 0);
		if (v.holds != judged[i].holds || strcmp(v.why, judged[i].why) != 0)
			fail_msg("%s\n  is %d: %s\n  not %d: %s", judged[i].text, v.holds, v.why,
				 judged[i].holds, judged[i].why);
		expr_verdict_finish(&v);
		strlist_finish(&w.paths);
	}
}

static const struct {
	const char *text, *facts[8];
	bool known;
	double score;
} scores[] = {
	{ "usage.wall", { "usage.wall=1500" }, true, 1500 },
	{ "usage.wall/1s + usage.mem_peak/1mib", { "usage.wall=1500", "usage.mem_peak=2097152" }, true, 3.5 },
	{ "score", { NULL }, false, 0 },
	{ "-score*2", { "score=4" }, true, -8 },
	{ "score/0", { "score=4" }, false, 0 },
	{ "999999999999999*999999999999999", { NULL }, true, 999999999999999.0 * 999999999999999.0 },
	{ "score*score*score", { "score=1e300" }, false, 0 }, /* no number holds it */
	{ "score*score*score - score*score*score", { "score=1e300" }, false, 0 },
	{ "5-3", { NULL }, true, 2 },
	{ "2min", { NULL }, true, 120000 },
	{ "1g - 1gib + 1tb - 1tib + 1h - 0", { NULL }, false, -1 },
	{ "1d - 24h + 0", { NULL }, true, 0 },
};

static void test_scores(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scores) / sizeof(*scores); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		scoped(drop_expr) struct expr *x = NULL;
		struct world w = { 0 };
		double got = -2;
		bool known = false;
		int err = expr_parse(scores[i].text, true, &x, &e);

		if (scores[i].score == -1) { /* a time cannot be added to sizes */
			assert_int_equal(err, -EINVAL);
			continue;
		}
		memcpy(w.facts, scores[i].facts, sizeof(w.facts));
		if (err < 0)
			fail_msg("%s: %s", scores[i].text, e.text);
		assert_int_equal(expr_score(x, look, &w, &got, &known, &e), 0);
		if (known != scores[i].known || got != scores[i].score)
			fail_msg("%s: %d %g", scores[i].text, known, got);
	}
}

static char deep[2 * EXPR_MAX_DEPTH + 16], wide[EXPR_MAX_BYTES + 2];

/* Every message there is, as a person sees it. */
static const struct refused {
	enum expr_error id;
	bool score;
	const char *text, *message;
} refused[] = {
	{ EXPR_ERROR_TOO_LONG, false, wide, NULL },
	{ EXPR_ERROR_TOO_DEEP, false, deep, NULL },
	{ EXPR_ERROR_EMPTY, false, "",
	  "the expression is empty; write what must hold, such as tests==pass\n  \n  ^" },
	{ EXPR_ERROR_EMPTY, true, " ",
	  "the expression is empty; write what must hold, such as tests==pass\n   \n  ^" },
	{ EXPR_ERROR_BAD_BYTE, false, "tests==pass; x",
	  "';' has no meaning here; strings need quotes\n  tests==pass; x\n             ^" },
	{ EXPR_ERROR_BAD_BYTE, false, "'\xC3\xA9'=='\xC3\xA9' and \xC3\xA9",
	  "'\xC3\xA9' has no meaning here; strings need quotes\n  '\xC3\xA9'=='\xC3\xA9' and \xC3\xA9\n    "
	  "           ^" },
	{ EXPR_ERROR_BAD_BYTE, false, "\xFF", "'?' has no meaning here; strings need quotes\n  ?\n  ^" },
	{ EXPR_ERROR_ONE_EQUAL, false, "tests=pass",
	  "'=' is not a comparison; write '=='\n  tests=pass\n       ^" },
	{ EXPR_ERROR_ONE_AND, false, "traps & stale",
	  "'&' alone has no meaning; write 'and'\n  traps & stale\n        ^" },
	{ EXPR_ERROR_ONE_OR, false, "traps | stale",
	  "'|' alone has no meaning; write 'or'\n  traps | stale\n        ^" },
	{ EXPR_ERROR_TEXT_OPEN, false, "changed(\"src)",
	  "the string that begins here does not end; close it with \"\n  changed(\"src)\n          ^" },
	{ EXPR_ERROR_TEXT_OPEN, false, "'a",
	  "the string that begins here does not end; close it with '\n  'a\n  ^" },
	{ EXPR_ERROR_BAD_UNIT, false, "usage.wall<30sek",
	  "'sek' is not a unit; sizes have b, k, m, g or t, times ms, s, min, h or d\n  usage.wall<30sek\n   "
	  "   "
	  "         ^" },
	{ EXPR_ERROR_BAD_UNIT, false, "changes<1e5",
	  "'e5' is not a unit; sizes have b, k, m, g or t, times ms, s, min, h or d\n  changes<1e5\n         "
	  "  "
	  "^" },
	{ EXPR_ERROR_BAD_NUMBER, false, "changes<1234567890123456",
	  "'1234567890123456' is not a number of at most 15 digits\n  changes<1234567890123456\n          "
	  "^" },
	{ EXPR_ERROR_WANT_VALUE, false,
	  "tests==", "expected a fact or a value here, not the end\n  tests==\n         ^" },
	{ EXPR_ERROR_WANT_VALUE, false, "traps and and",
	  "expected a fact or a value here, not 'and'\n  traps and and\n            ^" },
	{ EXPR_ERROR_WANT_VALUE, false, "()", "expected a fact or a value here, not ')'\n  ()\n   ^" },
	{ EXPR_ERROR_WANT_VALUE, false, "1<not traps",
	  "expected a fact or a value here, not 'not'\n  1<not traps\n    ^" },
	{ EXPR_ERROR_WANT_CLOSE, false, "(traps", "expected ')' here, not the end\n  (traps\n        ^" },
	{ EXPR_ERROR_WANT_CLOSE, false, "changed('a' 'b')",
	  "expected ')' here, not ''b''\n  changed('a' 'b')\n              ^" },
	{ EXPR_ERROR_EXTRA, false, "traps stale",
	  "'stale' cannot follow here; combine conditions with 'and' or 'or'\n  traps stale\n        ^" },
	{ EXPR_ERROR_EXTRA, false, "traps)",
	  "')' cannot follow here; combine conditions with 'and' or 'or'\n  traps)\n       ^" },
	{ EXPR_ERROR_CHAINED, false, "1<changes<5",
	  "comparisons cannot be chained; write a<b and b<c\n  1<changes<5\n           ^" },
	{ EXPR_ERROR_UNKNOWN, false, "test==pass",
	  "there is no fact 'test'; did you mean 'tests'?\n  test==pass\n  ^" },
	{ EXPR_ERROR_UNKNOWN, false, "Risk<=low",
	  "there is no fact 'Risk'; did you mean 'risk'?\n  Risk<=low\n  ^" },
	{ EXPR_ERROR_UNKNOWN, false, "tests==passed",
	  "there is no fact 'passed'; did you mean 'pass'?\n  tests==passed\n         ^" },
	{ EXPR_ERROR_UNKNOWN_FAR, false, "wibbledewobble",
	  "there is no fact 'wibbledewobble'; 'aisbx help gate check' lists all facts\n  "
	  "wibbledewobble\n  ^" },
	{ EXPR_ERROR_UNKNOWN_MINUS, false, "changes-3>0",
	  "there is no fact 'changes-3'; a '-' is part of a name: to subtract, put spaces around "
	  "it\n  changes-3>0\n  ^" },
	{ EXPR_ERROR_NO_FUNCTION, false, "exists(\"x\")",
	  "there is no function 'exists'; those that there are: changed(\"PATTERN\"), "
	  "net.hosts(\"PATTERN\")\n  exists(\"x\")\n  ^" },
	{ EXPR_ERROR_NO_FUNCTION, false, "tests(1)",
	  "there is no function 'tests'; those that there are: changed(\"PATTERN\"), "
	  "net.hosts(\"PATTERN\")\n  tests(1)\n  ^" },
	{ EXPR_ERROR_NO_PATTERN, false, "changed",
	  "'changed' needs a pattern in quotes: changed(\"src/**\")\n  changed\n  ^" },
	{ EXPR_ERROR_NO_PATTERN, false, "net.hosts",
	  "'net.hosts' needs a pattern in quotes: net.hosts(\"*.example.org\")\n  net.hosts\n  ^" },
	{ EXPR_ERROR_NO_PATTERN, false, "changed(src)",
	  "'changed' needs a pattern in quotes: changed(\"src/**\")\n  changed(src)\n          ^" },
	{ EXPR_ERROR_EMPTY_PATTERN, false, "changed('')",
	  "an empty pattern matches nothing; write for example changed(\"src/**\")\n  changed('')\n          "
	  "^" },
	{ EXPR_ERROR_BAD_PATTERN, false, "changed('/etc/*')",
	  "no path matches '/etc/*': paths are relative to the project, without '/', './' or '../'\n  "
	  "changed('/etc/*')\n          ^" },
	{ EXPR_ERROR_BAD_PATTERN, false, "changed('../x')",
	  "no path matches '../x': paths are relative to the project, without '/', './' or '../'\n  "
	  "changed('../x')\n          ^" },
	{ EXPR_ERROR_DIFFER, false, "risk<=3",
	  "risk is a level, but 3 is a number; compare it with none, low, medium, high or critical\n  "
	  "risk<=3\n        ^" },
	{ EXPR_ERROR_DIFFER, false, "3>=risk",
	  "risk is a level, but 3 is a number; compare it with none, low, medium, high or critical\n  "
	  "3>=risk\n  ^" },
	{ EXPR_ERROR_DIFFER, false, "usage.mem_peak<1000",
	  "usage.mem_peak is a size, but 1000 is a number; compare it with a size, as in 256m\n  "
	  "usage.mem_peak<1000\n                 ^" },
	{ EXPR_ERROR_DIFFER, false, "usage.wall<1g",
	  "usage.wall is a time, but 1g is a size; compare it with a time, as in 30s\n  usage.wall<1g\n      "
	  "       ^" },
	{ EXPR_ERROR_DIFFER, false, "tests==3",
	  "tests is a result, but 3 is a number; compare it with pass, fail or none\n  tests==3\n         "
	  "^" },
	{ EXPR_ERROR_DIFFER, false, "tests==true",
	  "tests is a result, but true is true or false; compare it with pass, fail or none\n  tests==true\n "
	  "        ^" },
	{ EXPR_ERROR_DIFFER, false, "changes=='3'",
	  "changes is a number, but '3' is a text; compare it with a number, as in 10\n  changes=='3'\n      "
	  "     ^" },
	{ EXPR_ERROR_DIFFER, false, "changes==none",
	  "changes is a number, but none is a level or a result; compare it with a number, as in 10\n  "
	  "changes==none\n           ^" },
	{ EXPR_ERROR_UNORDERED, false, "tests<fail",
	  "tests is a result, which has no order: use only == and !=\n  tests<fail\n  ^" },
	{ EXPR_ERROR_UNORDERED, false, "no-violations>=true",
	  "no-violations is true or false, which has no order: use only == and !=\n  "
	  "no-violations>=true\n  ^" },
	{ EXPR_ERROR_UNORDERED, false, "'a'<'b'",
	  "'a' is a text, which has no order: use only == and !=\n  'a'<'b'\n  ^" },
	{ EXPR_ERROR_MINUTES, false, "changes<2m",
	  "'2m' can mean minutes or mebibytes; write 2min or 2mib\n  changes<2m\n          ^" },
	{ EXPR_ERROR_MINUTES, true, "(1.5m)",
	  "'1.5m' can mean minutes or mebibytes; write 1.5min or 1.5mib\n  (1.5m)\n   ^" },
	{ EXPR_ERROR_MINUTES, true, "-2m",
	  "'2m' can mean minutes or mebibytes; write 2min or 2mib\n  -2m\n   ^" },
	{ EXPR_ERROR_NOT_TRUTH, false, "tests",
	  "tests is a result, neither true nor false; compare it with pass, fail or none\n  tests\n  ^" },
	{ EXPR_ERROR_NOT_TRUTH, false, "not risk",
	  "risk is a level, neither true nor false; compare it with none, low, medium, high or critical\n  "
	  "not risk\n      ^" },
	{ EXPR_ERROR_NOT_TRUTH, false, "traps or 5",
	  "5 is a number, neither true nor false; compare it with a number, as in 10\n  traps or 5\n         "
	  "  ^" },
	{ EXPR_ERROR_NOT_TRUTH, false, "changes + 1 and traps",
	  "changes + 1 is a number, neither true nor false; compare it with a number, as in 10\n  changes + "
	  "1 and traps\n  ^" },
	{ EXPR_ERROR_NOT_SCORE, true, "tests==pass",
	  "a score must be a number, a size or a time, but tests==pass is true or false\n  tests==pass\n  "
	  "^" },
	{ EXPR_ERROR_NOT_SCORE, true, "risk",
	  "a score must be a number, a size or a time, but risk is a level\n  risk\n  ^" },
	{ EXPR_ERROR_NO_SUM, true, "risk+1",
	  "risk is a level; arithmetic works only with numbers, sizes and times\n  risk+1\n  ^" },
	{ EXPR_ERROR_NO_SUM, true, "1*tests",
	  "tests is a result; arithmetic works only with numbers, sizes and times\n  1*tests\n    ^" },
	{ EXPR_ERROR_NO_SUM, true, "-none",
	  "none is a level or a result; arithmetic works only with numbers, sizes and times\n  -none\n   ^" },
	{ EXPR_ERROR_MIXED, true, "usage.cpu+usage.disk",
	  "usage.cpu is a time, but usage.disk is a size; divide by a unit first, as in usage.cpu/1s + "
	  "usage.mem_peak/1mib\n"
	  "  usage.cpu+usage.disk\n            ^" },
	{ EXPR_ERROR_PRODUCT, true, "usage.cpu*usage.disk",
	  "usage.cpu is a time and usage.disk is a size; one of the two must be a plain number\n  "
	  "usage.cpu*usage.disk\n            ^" },
	{ EXPR_ERROR_PRODUCT, true, "1/usage.disk",
	  "1 is a number and usage.disk is a size; one of the two must be a plain number\n  "
	  "1/usage.disk\n    ^" },
};

/* "%1" in a message of the table is any text. */
static bool is_of(const char *message, enum expr_error id)
{
	char pattern[256], *to = pattern;

	for (const char *t = expr_error_texts[id]; *t; t++) {
		bool arg = t[0] == '%' && t[1] >= '1' && t[1] <= '9';

		*to++ = arg ? '*' : *t;
		t += arg;
	}
	memcpy(to, "\n*", 3);
	return str_matches(message, pattern);
}

static void test_refused(void **state)
{
	bool seen[EXPR_ERROR_COUNT] = { false };

	(void)state;
	memset(deep, '(', EXPR_MAX_DEPTH + 1);
	memset(wide, 'x', EXPR_MAX_BYTES + 1);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct expr *x = NULL;

		assert_int_equal(expr_parse(refused[i].text, refused[i].score, &x, &e), -EINVAL);
		assert_null(x);
		if (!is_of(e.text, refused[i].id) ||
		    (refused[i].message && strcmp(e.text, refused[i].message) != 0))
			fail_msg("%s\n%s\nnot\n%s", refused[i].text, e.text,
				 refused[i].message ? refused[i].message : expr_error_texts[refused[i].id]);
		seen[refused[i].id] = true;
	}
	for (int i = 0; i < EXPR_ERROR_COUNT; i++)
		if (!seen[i])
			fail_msg("no test makes '%s'", expr_error_texts[i]);
}

/* Just within the limits, of every kind of nesting. */
static void test_limits(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct world w = { .facts = { "traps=1", "changes=1" } };
	char text[EXPR_MAX_BYTES + 1] = "";
	struct expr_verdict v = { 0 };
	struct expr *x = NULL;

	(void)state;
	memset(text, '(', EXPR_MAX_DEPTH);
	snprintf(text + EXPR_MAX_DEPTH, 6, "traps");
	memset(text + EXPR_MAX_DEPTH + 5, ')', EXPR_MAX_DEPTH);
	assert_int_equal(expr_parse(text, false, &x, &e), 0);
	expr_free(x);
	memset(text, 0, sizeof(text));
	memset(text, '!', EXPR_MAX_DEPTH);
	snprintf(text + EXPR_MAX_DEPTH, 6, "traps");
	assert_int_equal(expr_parse(text, false, &x, &e), 0);
	assert_int_equal(expr_judge(x, look, &w, &v, &e), 0);
	assert_true(v.holds);
	expr_verdict_finish(&v);
	expr_free(x);
	for (size_t i = 0; i < EXPR_MAX_BYTES; i++) /* as many operators as there can be */
		text[i] = i % 2 ? '+' : '1';
	snprintf(text + EXPR_MAX_BYTES - 4, 5, "1>9 ");
	assert_int_equal(expr_parse(text, false, &x, &e), 0);
	assert_int_equal(expr_judge(x, look, &w, &v, &e), 0);
	assert_true(v.holds);
	expr_verdict_finish(&v);
	expr_free(x);
}

/* What stands side by side is not nested. */
static void test_side_by_side(void **state)
{
	static const char *const parts[] = { "(traps) or ", "not traps or ", "-changes==0 or " };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		scoped(drop_expr) struct expr *x = NULL;
		char text[EXPR_MAX_BYTES] = "";

		for (unsigned int n = 0; n < 2 * EXPR_MAX_DEPTH; n++)
			strcat(text, parts[i]);
		strcat(text, "traps");
		assert_int_equal(expr_parse(text, false, &x, &e), 0);
	}
}

static void test_excerpt(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char text[300];
	struct expr *x = NULL;
	const char *line;

	(void)state;
	memset(text, ' ', sizeof(text));
	memcpy(text + 200, "tests = pass", 13);
	assert_int_equal(expr_parse(text, false, &x, &e), -EINVAL);
	line = strstr(e.text, "tests = pass\n");
	assert_non_null(line);
	assert_int_equal(strcspn(strrchr(e.text, '\n'), "^"), (size_t)(line - strchr(e.text, '\n')) + 6);
}

static void test_uses(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct expr *x = NULL;

	(void)state;
	assert_int_equal(expr_parse("tests.failed<1 and usage.mem-peak<1g and not changed('x')", false, &x,
				    &e),
			 0);
	assert_true(expr_uses(x, "tests"));
	assert_true(expr_uses(x, "tests.failed"));
	assert_false(expr_uses(x, "tests.passed"));
	assert_false(expr_uses(x, "test"));
	assert_true(expr_uses(x, "usage.mem_peak"));
	assert_true(expr_uses(x, "usage"));
	assert_true(expr_uses(x, "changed"));
	assert_false(expr_uses(x, "changes"));
	assert_false(expr_uses(x, "risk"));
	expr_free(x);
}

static const struct {
	const char *pattern, *path;
	bool fits;
} globs[] = {
	{ "a", "a", true },
	{ "a", "b", false },
	{ "a", "a/b", false },
	{ "*", "abc", true },
	{ "*", "a/b", false },
	{ "*.c", "x.c", true },
	{ "*.c", "d/x.c", false },
	{ "**/*.c", "x.c", true },
	{ "**/*.c", "d/e/x.c", true },
	{ "**/*.c", "d/x.ch", false },
	{ "src/**", "src/a/b", true },
	{ "src/**", "src", false },
	{ "src/**", "srcs/a", false },
	{ "**", "a/b/c", true },
	{ "a/**/b", "a/b", true },
	{ "a/**/b", "a/x/y/b", true },
	{ "a/**/b", "a/xb", false },
	{ "a/**/b", "ab", false },
	{ "**/b", "xb", false },
	{ "a**b", "a/x/b", true },
	{ "a**/b", "ab", false },
	{ "a**/b", "ax/y/b", true },
	{ "?", "a", true },
	{ "?", "/", false },
	{ "a?c", "a/c", false },
	{ "a*b*c", "aXbYbZc", true },
	{ "a*b*c", "aXbY/c", false },
	{ "[a]", "[a]", true },
	{ "[a]", "a", false },
	{ "**/a/**", "a/b", true },
	{ "**/a/**", "x/a/b", true },
	{ "**/a/**", "x/ba/b", false },
	{ "***", "a/b", true },
	{ "*/", "a/", true },
	{ "**/**/x", "x", true },
	{ "**/**/x", "a/b/x", true },
};

static void test_globs(void **state)
{
	char stars[EXPR_MAX_BYTES + 1], path[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(globs) / sizeof(*globs); i++)
		if (expr_glob_fits(globs[i].path, globs[i].pattern, strlen(globs[i].pattern)) !=
		    globs[i].fits)
			fail_msg("%s %s %s", globs[i].pattern, globs[i].fits ? "must fit" : "must not fit",
				 globs[i].path);
	/* What takes others for ever. */
	for (size_t i = 0; i < EXPR_MAX_BYTES; i++)
		stars[i] = i % 2 ? 'a' : '*';
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	stars[EXPR_MAX_BYTES - 1] = 'b';
	assert_false(expr_glob_fits(path, stars, EXPR_MAX_BYTES));
	assert_false(expr_glob_fits("a", stars, EXPR_MAX_BYTES + 1));
}

static void test_facts(void **state)
{
	(void)state;
	for (size_t i = 0; expr_facts[i].name; i++) {
		assert_true(expr_facts[i].help && *expr_facts[i].help);
		assert_int_equal(expr_fact_find(expr_facts[i].name, strlen(expr_facts[i].name)), (int)i);
		assert_true(expr_level(expr_facts[i].name) < 0 && expr_result(expr_facts[i].name) < 0);
	}
	assert_int_equal(expr_fact_find("test", 4), -1);
	assert_int_equal(expr_fact_find("testsx", 6), -1);
	assert_true(expr_level("low") < expr_level("critical") && expr_level("none") == 0 &&
		    expr_level("x") < 0);
	assert_true(expr_result("pass") > 0 && expr_result("fail") > 0 && expr_result("x") < 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judged),       cmocka_unit_test(test_scores),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_limits),
		cmocka_unit_test(test_excerpt),      cmocka_unit_test(test_uses),
		cmocka_unit_test(test_globs),        cmocka_unit_test(test_facts),
		cmocka_unit_test(test_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
