/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of the scan: what is right is read as it is meant, what is wrong is refused with its place and a
 * way out. */
#include "support/test.h"

#include "policy/scan_policy.h"

static struct scan_policy good(const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_policy p = { 0 };

	if (scan_policy_parse(text, strlen(text), "p.yaml", &p, &e) < 0)
		fail_msg("refused: %s", e.text);
	return p;
}

/* Each of WORDS (separated by '|') is in the error. */
static void bad(const char *text, const char *words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_policy p = { 0 };
	char copy[400], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", words);
	if (scan_policy_parse(text, strlen(text), "p.yaml", &p, &e) == 0)
		fail_msg("taken: %s", text);
	assert_null(p.rules);
	while ((word = strsep(&rest, "|")))
		if (!strstr(e.text, word))
			fail_msg("'%s' is not in '%s'", word, e.text);
}

static const struct scan_rule *find(const struct scan_policy *p, const char *id)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (!strcmp(p->rules[i].id, id))
			return &p->rules[i];
	return NULL;
}

#define RULE(keys) "version: 1\npython:\n  functions:\n    - {id: r, severity: high, why: w, " keys "}\n"
#define MATCH(re)  "version: 1\nany:\n  patterns:\n    - {id: r, severity: high, why: w, match: '" re "'}\n"

static void everything(void **state)
{
	struct scan_policy p = good("version: 1\n"
				    "name: mine\n"
				    "levels: {low: warn, critical: refuse}\n"
				    "shell:\n"
				    "  commands:\n"
				    "    - id: sh.rm\n"
				    "      name: [rm, unlink]\n"
				    "      args: ['^-', '^/']\n"
				    "      from: curl\n"
				    "      indirect: true\n"
				    "      severity: critical\n"
				    "      why: removes\n"
				    "      advice: do not\n"
				    "  writes:\n");

	(void)state;
	assert_string_equal(p.name, "mine");
	assert_int_equal(p.n_rules, 1);
	assert_int_equal(p.levels[SEVERITY_LOW], ACTION_WARN);
	assert_int_equal(p.levels[SEVERITY_HIGH], ACTION_SANDBOX);
	assert_int_equal(p.levels[SEVERITY_CRITICAL], ACTION_REFUSE);
	assert_int_equal(p.rules[0].lang, SCAN_LANG_SHELL);
	assert_int_equal(p.rules[0].kind, RULE_COMMAND);
	assert_int_equal(p.rules[0].names.n, 2);
	assert_int_equal(p.rules[0].args.n, 2);
	assert_int_equal(p.rules[0].indirect, SCAN_FLAG_YES);
	assert_int_equal(p.rules[0].nested, SCAN_FLAG_ANY);
	assert_string_equal(p.rules[0].advice, "do not");
	scan_policy_finish(&p);
}

static void the_built_in_one(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_policy p = { 0 };

	(void)state;
	if (scan_policy_default(&p, &e) < 0)
		fail_msg("%s", e.text);
	assert_non_null(find(&p, "any.unread"));
	assert_string_equal(p.name, "default");
	scan_policy_finish(&p);
}

static void extending(void **state)
{
	struct scan_policy p =
		good("version: 1\nextends: default\noff: [any.broken]\nlevels: {medium: refuse}\n"
		     "python: {imports: [{id: any.unread, name: x, severity: low, why: other}]}\n");

	(void)state;
	assert_null(find(&p, "any.broken"));
	assert_non_null(find(&p, "any.docker-socket"));
	assert_string_equal(find(&p, "any.unread")->why, "other");
	assert_int_equal(p.levels[SEVERITY_MEDIUM], ACTION_REFUSE);
	assert_int_equal(p.levels[SEVERITY_CRITICAL], ACTION_ASK);
	scan_policy_finish(&p);
	p = good("version: 1\nextends: default\noff: 'any.*'\n");
	assert_null(find(&p, "any.unread"));
	scan_policy_finish(&p);
	bad("version: 1\nextends: defualt\n", "p.yaml:2:10|default|did you mean");
	bad("version: 1\nextends: default\noff: [any.borken]\n",
	    "p.yaml:3:7|any.borken|did you mean 'any.broken'");
	bad("version: 1\noff: [any.broken]\n", "p.yaml:2:7|extends");
}

static void mistakes(void **state)
{
	(void)state;
	bad("", "p.yaml:1:1|version: 1");
	bad("python: {}\n", "version: 1");
	bad("version: 2\n", "p.yaml:1:10|supports version 1");
	bad("version: 1\npyhton: {}\n", "p.yaml:2:1|unknown key 'pyhton'|did you mean 'python'");
	bad("version: 1\npython: {function: []}\n", "unknown key|did you mean 'functions'");
	bad("version: 1\npython: {functions: {}}\n", "must be a list of rules");
	bad("version: 1\nlevels: {high: alow}\n", "p.yaml:2:16|did you mean 'allow'");
	bad("version: 1\nlevels: {hihg: allow}\n", "did you mean 'high'");
	bad(RULE("nmae: x"), "p.yaml:4:39|did you mean 'name'");
	bad(RULE("match: x"), "unknown key 'match'");
	bad(RULE("advice: x"), "p.yaml:4:7|has no 'name'");
	bad(RULE("name: []"), "is empty");
	bad(RULE("name: ''"), "empty");
	bad(RULE("name: x, indirect: 1"), "'1' is not a value of 'indirect'");
	bad("version: 1\npython: {functions: [{id: r, name: x, why: w}]}\n", "has no 'severity'");
	bad("version: 1\npython: {functions: [{id: r, name: x, severity: none, why: w}]}\n",
	    "'none' is not a value");
	bad("version: 1\npython: {functions: [{id: r, name: x, severity: low}]}\n", "has no 'why'");
	bad("version: 1\npython: {functions: [{name: x, severity: low, why: w}]}\n", "has no 'id'");
	bad("version: 1\npython: {functions: [{id: R x, name: x, severity: low, why: w}]}\n", "is not an id");
	bad("version: 1\npython: {together: [{id: r, severity: low, why: w}]}\n", "has no 'all'");
	bad("version: 1\npython: {patterns: [{id: r, severity: low, why: w}]}\n", "has no 'match'");
	bad("version: 1\npython: {modules: [{id: r, severity: low, why: w}]}\n", "has no 'wasm'");
	bad("version: 1\npython: {modules: [{id: r, wasm: m, name: x, severity: low, why: w}]}\n",
	    "unknown key 'name'");
	bad("version: 1\npython: {imports: [{id: r, wasm: m, name: x, severity: low, why: w}]}\n",
	    "unknown key 'wasm'");
	bad("version: 1\na: &a [{id: r, name: x, severity: low, why: w}]\n", "unknown key 'a'");
	bad("version: 1\npython: {imports: &a [{id: r, name: x, severity: low, why: w}], functions: *a}\n",
	    "there already is a rule 'r'");
}

static void regular_expressions(void **state)
{
	struct scan_policy p;

	(void)state;
	bad(MATCH("["), "p.yaml:4:46|not an extended regular expression");
	bad(MATCH("(a)\\1"), "back reference");
	bad(MATCH("((((((((((((((((a))))))))))))))))"), "too many nested groups");
	bad(MATCH("((a{30}){30}){30}"), "repeats too often");
	bad(MATCH("a{99999999999999999999}"), "repeats too often");
	bad(MATCH("(?i)"), "is empty");
	bad(MATCH("a{1000}{3}"), "repeats too often");
	bad(MATCH("(a{1000}|b{1001})"), "repeats too often");
	bad(MATCH("a++++++++++++++++"), "repeats too often");
	bad(MATCH("((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+"), "repeats too often");
	p = good(MATCH("[[:alpha:]](]{2}\\(\\(\\(\\(\\(\\(\\(\\(\\(\\(\\(\\(\\(\\(|[^]{600}(((((((((((((((((]"
		       "|a{400}b{0,400}[^a]{30,})"));
	scan_policy_finish(&p);
}

static bool pattern_matches(const struct scan_policy *p, const char *id, const char *text)
{
	const struct scan_rule *r = find(p, id);

	assert_non_null(r);
	assert_int_equal(r->kind, RULE_SOURCE);
	return regexec(&r->match.list[0].compiled, text, 0, NULL, 0) == 0;
}

/* Lists of what is forbidden, as other tools have them. */
static void words_of_other_tools(void **state)
{
	struct scan_policy p =
		good("version: '2.0'\n"
		     "python:\n"
		     "  forbidden_imports: [os, 'a.*']\n"
		     "  forbidden_functions: ['eval\"\\x']\n"
		     "  forbidden_patterns: ['\\d+[\\w.]\\(', '(?:a|b)*?c', '(?i)x\\b', '[\\]\\d]z']\n"
		     "bash: {forbidden_commands: [rm]}\n"
		     "default_limits: {memory_mb: 1}\n");

	(void)state;
	assert_int_equal(p.notes.n, 5);
	assert_int_equal(p.levels[SEVERITY_CRITICAL], ACTION_REFUSE);
	assert_non_null(find(&p, "any.metadata-service")); /* the built-in ones hold, too */
	assert_string_equal(find(&p, "python.forbidden-2")->names.items[0], "a.*");
	assert_string_equal(find(&p, "python.forbidden-3")->names.items[0], "eval\"\\x");
	assert_int_equal(find(&p, "shell.forbidden-8")->kind, RULE_COMMAND);
	assert_true(pattern_matches(&p, "python.forbidden-4", "x = 12f("));
	assert_false(pattern_matches(&p, "python.forbidden-4", "x = dd("));
	assert_true(pattern_matches(&p, "python.forbidden-5", "abac"));
	assert_true(pattern_matches(&p, "python.forbidden-6", "1 X 2"));
	assert_true(pattern_matches(&p, "python.forbidden-7", "]z"));
	assert_true(pattern_matches(&p, "python.forbidden-7", "7z"));
	assert_false(pattern_matches(&p, "python.forbidden-7", "\\z"));
	scan_policy_finish(&p);
	bad("python: {forbidden_patterns: ['a(?=b)']}\n", "p.yaml:1:31|POSIX");
	bad("python: {forbidden_imports: os}\n", "must be a list");
	bad("python: {forbidden_imports: [os], imports: []}\n", "unknown key 'imports'");
	bad("cobol: {forbidden_imports: [os]}\n", "unknown key 'cobol'");
	bad("python: {forbidden_imports: [os], forbiden_functions: [a]}\n",
	    "did you mean 'forbidden_functions'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),          cmocka_unit_test(the_built_in_one),
		cmocka_unit_test(extending),           cmocka_unit_test(mistakes),
		cmocka_unit_test(regular_expressions), cmocka_unit_test(words_of_other_tools)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
