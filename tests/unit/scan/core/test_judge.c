/* SPDX-License-Identifier: Apache-2.0 */
/* Each thing a rule can ask for: a fact that has it is found, one that has not is passed over. */
#include "support/test.h"

#include "policy/scan_policy.h"
#include "scan/core/scan.h"

static struct scan_policy policy_of(const char *rules)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_policy p = { 0 };
	char text[4096];

	snprintf(text, sizeof(text), "version: 1\n%s", rules);
	if (scan_policy_parse(text, strlen(text), "t.yaml", &p, &e) < 0)
		fail_msg("refused: %s", e.text);
	return p;
}

/* "NAME|ARG|ARG<FROM", split in place. */
static void add(struct facts *l, enum fact_kind kind, uint32_t flags, const char *spec)
{
	char copy[256], *word, *rest = copy, *from;
	struct fact f = { .kind = kind,
			  .flags = flags,
			  .line = (uint32_t)l->n + 1,
			  .column = 1,
			  .end_line = (uint32_t)l->n + 1,
			  .end_column = 2 };

	snprintf(copy, sizeof(copy), "%s", spec);
	from = strchr(copy, '<');
	if (from) {
		*from = '\0';
		strlist_add(&f.from, from + 1);
	}
	f.name = strsep(&rest, "|");
	while ((word = strsep(&rest, "|")))
		strlist_add(&f.args, word);
	facts_add(l, &f);
	strlist_finish(&f.args);
	strlist_finish(&f.from);
}

/* The ids that RULES find in one fact, with spaces between. */
static void check(const char *rules, const char *lang, enum fact_kind kind, uint32_t flags, const char *spec,
		  const char *want)
{
	struct scan_policy p = policy_of(rules);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_report r = { 0 };
	struct facts l = { 0 };
	char got[256] = "";

	add(&l, kind, flags, spec);
	assert_int_equal(scan_judge(&(struct scan_text){ lang, "x\n", 2 }, &l, &p, &r, &e), 0);
	for (size_t i = 0; i < r.n_findings; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 r.findings[i].rule->id);
	if (strcmp(got, want) != 0)
		fail_msg("%s: '%s' instead of '%s'", spec, got, want);
	scan_report_finish(&r);
	facts_finish(&l);
	scan_policy_finish(&p);
}

#define RULE(section, kind, keys) section ":\n  " kind ": [{id: r, severity: high, why: w, " keys "}]\n"

static void kinds(void **state)
{
	static const struct {
		const char *kind;
		enum fact_kind finds[2];
	} table[] = {
		{ "imports", { FACT_IMPORT, FACT_IMPORT } }, { "functions", { FACT_CALL, FACT_USE } },
		{ "attributes", { FACT_USE, FACT_CALL } },   { "commands", { FACT_COMMAND, FACT_COMMAND } },
		{ "writes", { FACT_WRITE, FACT_WRITE } },    { "hidden", { FACT_HIDDEN, FACT_HIDDEN } },
		{ "broken", { FACT_BROKEN, FACT_BROKEN } },  { "unread", { FACT_UNREAD, FACT_UNREAD } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		for (enum fact_kind k = 0; k < FACT_KINDS_COUNT; k++) {
			char rules[200];

			snprintf(rules, sizeof(rules),
				 "python:\n  %s: [{id: r, severity: high, why: w, name: 'a*'}]\n",
				 table[i].kind);
			check(rules, "python", k, 0, "ab",
			      k == table[i].finds[0] || k == table[i].finds[1] ? "r" : "");
			check(rules, "python", k, 0, "ba", "");
		}
}

static void a_function_that_is_only_named_has_no_arguments(void **state)
{
	(void)state;
	check(RULE("python", "functions", "name: f, args: x"), "python", FACT_CALL, 0, "f|x", "r");
	check(RULE("python", "functions", "name: f, args: x"), "python", FACT_USE, 0, "f|x", "");
}

static void languages(void **state)
{
	(void)state;
	check(RULE("python", "functions", "name: f"), "javascript", FACT_CALL, 0, "f", "");
	check(RULE("python", "functions", "name: f"), "javascript", FACT_CALL, FACT_NESTED, "f", "r");
	check(RULE("any", "functions", "name: f"), "javascript", FACT_CALL, 0, "f", "r");
	check(RULE("javascript", "functions", "name: f"), "typescript", FACT_CALL, 0, "f", "r");
	check(RULE("shell", "commands", "name: f"), "python", FACT_COMMAND, 0, "f", "r");
	check(RULE("python", "commands", "name: f"), "shell", FACT_COMMAND, 0, "f", "");
}

static void commands_by_path(void **state)
{
	(void)state;
	check(RULE("shell", "commands", "name: rm"), "shell", FACT_COMMAND, 0, "/bin/rm", "r");
	check(RULE("shell", "commands", "name: rm"), "shell", FACT_COMMAND, 0, "/bin/rmdir", "");
	check(RULE("shell", "commands", "name: /bin/rm"), "shell", FACT_COMMAND, 0, "/bin/rm", "r");
}

static void conditions(void **state)
{
	(void)state;
	check(RULE("shell", "commands", "name: rm, args: ['^-.*r', '^/$']"), "shell", FACT_COMMAND, 0,
	      "rm|-rf|/", "r");
	check(RULE("shell", "commands", "name: rm, args: ['^-.*r', '^/$']"), "shell", FACT_COMMAND, 0,
	      "rm|-rf|/x", "");
	check(RULE("shell", "commands", "name: rm, args: ['^-.*r', '^/$']"), "shell", FACT_COMMAND, 0, "rm",
	      "");
	check(RULE("shell", "commands", "name: rm, line: '^rm -rf /$'"), "shell", FACT_COMMAND, 0, "rm|-rf|/",
	      "r");
	check(RULE("shell", "commands", "name: rm, line: '^rm -rf /$'"), "shell", FACT_COMMAND, 0,
	      "rm|-rf /|x", "");
	check(RULE("shell", "commands", "name: rm, unless: ' build'"), "shell", FACT_COMMAND, 0,
	      "rm|-rf|build", "");
	check(RULE("shell", "commands", "name: rm, unless: ' build'"), "shell", FACT_COMMAND, 0, "rm|-rf|bin",
	      "r");
	check(RULE("shell", "commands", "name: sh, from: [curl, 'wg*']"), "shell", FACT_COMMAND, 0, "sh<wget",
	      "r");
	check(RULE("shell", "commands", "name: sh, from: [curl, 'wg*']"), "shell", FACT_COMMAND, 0, "sh<cat",
	      "");
	check(RULE("shell", "commands", "name: sh, from: [curl, 'wg*']"), "shell", FACT_COMMAND, 0, "sh", "");
	check(RULE("python", "functions", "name: f, indirect: true"), "python", FACT_CALL, 0, "f", "");
	check(RULE("python", "functions", "name: f, indirect: true"), "python", FACT_CALL, FACT_INDIRECT, "f",
	      "r");
	check(RULE("python", "functions", "name: f, indirect: false"), "python", FACT_CALL, FACT_INDIRECT,
	      "f", "");
	check(RULE("python", "functions", "name: f, nested: true"), "python", FACT_CALL, 0, "f", "");
	check(RULE("python", "functions", "name: f, unknown: true"), "python", FACT_CALL, 0, "f|a", "");
	check(RULE("python", "functions", "name: f, unknown: true"), "python", FACT_CALL, 0, "f|a\x01", "r");
	check(RULE("python", "functions", "name: f, unknown: false"), "python", FACT_CALL, 0, "f|a\x01", "");
}

static void patterns(void **state)
{
	(void)state;
	check(RULE("any", "patterns", "match: 'a.c'"), "python", FACT_TEXT, 0, "xabcx", "r");
	check(RULE("any", "patterns", "match: 'A.C'"), "python", FACT_TEXT, 0, "xabcx", "");
	check(RULE("any", "patterns", "match: '(?i)A.C'"), "python", FACT_TEXT, 0, "xabcx", "r");
	check(RULE("any", "patterns", "match: ['a', 'b']"), "python", FACT_TEXT, 0, "a", "");
	check(RULE("any", "patterns", "match: '^rm .*x$'"), "python", FACT_COMMAND, 0, "rm|-rf|x", "r");
	check(RULE("any", "patterns", "match: '^/etc'"), "python", FACT_WRITE, 0, "/etc/passwd", "r");
	check(RULE("any", "patterns", "match: 'a'"), "python", FACT_CALL, 0, "a", "");
}

static const char pair[] = "python:\n"
			   "  imports: [{id: py.net, name: net, severity: low, why: w}, {id: py.ssh, name: "
			   "ssh, severity: low, why: w}]\n"
			   "  together: [{id: both, all: [py.net, '*.ssh'], severity: critical, why: w}]\n"
			   "levels: {none: warn, critical: refuse}\n";

static void together(void **state)
{
	struct scan_policy p = policy_of(pair);
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_report r = { 0 };
	struct facts l = { 0 };

	(void)state;
	add(&l, FACT_IMPORT, 0, "net");
	assert_int_equal(scan_judge(&(struct scan_text){ "python", "a\nb\n", 4 }, &l, &p, &r, &e), 0);
	assert_int_equal(r.risk, SEVERITY_LOW);
	assert_int_equal(r.action, ACTION_ALLOW);
	scan_report_finish(&r);
	add(&l, FACT_IMPORT, 0, "ssh");
	assert_int_equal(scan_judge(&(struct scan_text){ "python", "a\nb\n", 4 }, &l, &p, &r, &e), 0);
	assert_int_equal(r.risk, SEVERITY_CRITICAL);
	assert_int_equal(r.action, ACTION_REFUSE);
	assert_int_equal(r.n_findings, 3);
	assert_string_equal(r.findings[1].rule->id, "both"); /* the worse first, of those in one place */
	assert_string_equal(r.findings[1].name, "py.net + py.ssh");
	assert_string_equal(r.findings[1].text, "b");
	scan_report_finish(&r);
	facts_finish(&l);
	assert_int_equal(scan_judge(&(struct scan_text){ "python", "", 0 }, &l, &p, &r, &e), 0);
	assert_int_equal(r.risk, SEVERITY_NONE);
	assert_int_equal(r.action, ACTION_WARN);
	scan_report_finish(&r);
	scan_policy_finish(&p);
}

/* What a module found goes to its own rule, in the languages that this is for. */
static void modules(void **state)
{
	struct scan_policy p = policy_of("python: {modules: [{id: py.a, wasm: a, severity: high, why: w}]}\n"
					 "any: {modules: [{id: any.b, wasm: b, severity: low, why: w}]}\n");
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_report r = { 0 };
	struct facts l = { 0 };

	(void)state;
	assert_true(scan_rule_is_for(&p.rules[0], "python") && !scan_rule_is_for(&p.rules[0], "shell"));
	assert_true(scan_rule_is_for(&p.rules[1], "typescript"));
	add(&l, FACT_MODULE, 0, "any.b|words");
	add(&l, FACT_MODULE, 0, "py.a");
	assert_int_equal(scan_judge(&(struct scan_text){ "python", "a\nb\n", 4 }, &l, &p, &r, &e), 0);
	assert_int_equal(r.n_findings, 2);
	assert_ptr_equal(r.findings[0].rule, &p.rules[1]);
	assert_string_equal(r.findings[0].call, "any.b words");
	assert_ptr_equal(r.findings[1].rule, &p.rules[0]);
	assert_int_equal(r.risk, SEVERITY_HIGH);
	scan_report_finish(&r);
	facts_finish(&l);
	scan_policy_finish(&p);
}

static void one_finding_for_a_place_and_the_worst_of_many(void **state)
{
	struct scan_policy p = policy_of("python:\n"
					 "  functions: [{id: a, name: f, severity: low, why: w}]\n"
					 "  imports: [{id: b, name: m, severity: high, why: w}]\n");
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_report r = { 0 };
	struct facts l = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		add(&l, FACT_CALL, 0, "f");
	add(&l, FACT_IMPORT, 0, "m");
	l.list[1].line = 1; /* where there is one already */
	assert_int_equal(scan_judge(&(struct scan_text){ "python", "x", 1 }, &l, &p, &r, &e), 0);
	assert_int_equal(r.n_findings, SCAN_MAX_FINDINGS);
	assert_int_equal(r.more, 5000 - SCAN_MAX_FINDINGS);
	assert_int_equal(r.risk, SEVERITY_HIGH);
	assert_string_equal(r.findings[SCAN_MAX_FINDINGS - 1].rule->id, "b");
	assert_int_equal(r.findings[0].line, 1);
	assert_int_equal(r.findings[1].line, 3);
	scan_report_finish(&r);
	facts_finish(&l);
	scan_policy_finish(&p);
}

static void the_source_line(void **state)
{
	struct scan_policy p = policy_of(RULE("python", "functions", "name: f"));
	struct fact f = {
		.kind = FACT_CALL, .line = 2, .column = 1003, .end_line = 2, .end_column = 1004, .name = "f"
	};
	char *args[] = { "a" FACT_NOT_KNOWN "b" }, text[2048];
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct scan_report r = { 0 };
	struct facts l = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "x\n", 2);
	memcpy(text + 2, "\xc3\xa9", 2);
	memcpy(text + 1004, "f\xff", 2); /* behind it no UTF-8, and no end of the line */
	f.args = (struct strlist){ .items = args, .n = 1 };
	facts_add(&l, &f);
	assert_int_equal(scan_judge(&(struct scan_text){ "python", text, sizeof(text) }, &l, &p, &r, &e), 0);
	assert_int_equal(strlen(r.findings[0].text), SCAN_MAX_TEXT);
	assert_int_equal(r.findings[0].text[1002 - r.findings[0].text_offset], 'f');
	assert_int_equal(r.findings[0].text[1003 - r.findings[0].text_offset], '?');
	assert_int_equal(r.findings[0].char_column, 1002);
	assert_string_equal(r.findings[0].call, "f a?b");
	scan_report_finish(&r);
	facts_finish(&l);
	scan_policy_finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(a_function_that_is_only_named_has_no_arguments),
		cmocka_unit_test(languages),
		cmocka_unit_test(commands_by_path),
		cmocka_unit_test(conditions),
		cmocka_unit_test(patterns),
		cmocka_unit_test(together),
		cmocka_unit_test(modules),
		cmocka_unit_test(one_finding_for_a_place_and_the_worst_of_many),
		cmocka_unit_test(the_source_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
