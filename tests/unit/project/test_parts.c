/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx.yaml with a mistake: it takes away the part it is in and what uses it, the rest holds. */
#include "support/test.h"

#include "base/scope.h"

#include "project/project.h"

/* A file in which every part is right. */
#define SERVICES    "services: {db: {command: [redis]}}\n"
#define INTENTS     "intents: {test: make test}\n"
#define GATES       "gates: {ready: [test]}\n"
#define STAGES      "stages: [{name: dev, to: {directory: .}, gates: [ready]}]\n"
#define EXPERIMENTS "experiments: {x: {branches: {a: make}}}\n"
#define GUARD       "guard: {rules: [{command: git push *, do: refuse}], gates: [ready]}\n"
#define JUDGES      "judges: [tests]\n"

static void load(const char *text, struct project *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	*ret = (struct project){ 0 };
	if (project_parse_parts(text, strlen(text), "aisbx.yaml", 0, ret, &e) < 0)
		fail_msg("refused: %s", e.text);
}

/* The parts that P has, whatever it says of them. */
static unsigned int has(const struct project *p)
{
	return (p->services.n ? PROJECT_SERVICES : 0) |
	       (p->intents[INTENT_TEST].argv.n ? PROJECT_INTENTS : 0) | (p->n_gates ? PROJECT_GATES : 0) |
	       (p->n_stages ? PROJECT_STAGES : 0) | (p->n_experiments ? PROJECT_EXPERIMENTS : 0) |
	       (p->guard.n_rules ? PROJECT_GUARD : 0) | (p->n_judges ? PROJECT_JUDGES : 0);
}

static void each_part(void **state)
{
	static const struct {
		const char *text;
		unsigned int broken;
		const char *said;
	} cases[] = {
		{ "services: {db: {comand: [redis]}}\n" INTENTS GATES STAGES EXPERIMENTS GUARD JUDGES,
		  PROJECT_SERVICES, "aisbx.yaml:1:17: unknown key 'comand'" },
		{ SERVICES "intents: {tset: make}\n" GATES STAGES EXPERIMENTS GUARD JUDGES, PROJECT_INTENTS,
		  "aisbx.yaml:2:11: " },
		{ SERVICES INTENTS "gates: {ready: [test], other: [tesst]}\n" STAGES EXPERIMENTS GUARD JUDGES,
		  PROJECT_GATES, "aisbx.yaml:3:32: 'tesst' is not a gate" },
		{ SERVICES INTENTS GATES
		  "stages: [{name: dev, too: {directory: .}}]\n" EXPERIMENTS GUARD JUDGES,
		  PROJECT_STAGES, "aisbx.yaml:4:22: unknown key 'too'" },
		{ SERVICES INTENTS GATES STAGES "experiments: {x: {branchs: {a: make}}}\n" GUARD JUDGES,
		  PROJECT_EXPERIMENTS, "aisbx.yaml:5:19: unknown key 'branchs'" },
		{ SERVICES INTENTS GATES STAGES EXPERIMENTS "guard: {promote: autom}\n" JUDGES, PROJECT_GUARD,
		  "aisbx.yaml:6:18: " },
		{ SERVICES INTENTS GATES STAGES EXPERIMENTS GUARD "judges: [/etc]\n", PROJECT_JUDGES,
		  "aisbx.yaml:7:10: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scoped(project_finish) struct project p = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		load(cases[i].text, &p);
		if (p.broken != cases[i].broken || has(&p) != (PROJECT_ALL & ~p.broken))
			fail_msg("case %zu: broken %x, there is %x", i, p.broken, has(&p));
		assert_failed(project_need(&p, cases[i].broken, &e), EINVAL, e, cases[i].said);
		assert_int_equal(project_need(&p, PROJECT_ALL & ~cases[i].broken, &e), 0);
		assert_true(project_parse_parts(cases[i].text, strlen(cases[i].text), "aisbx.yaml",
						PROJECT_ALL, &p, &e) < 0);
	}
}

/* A part that uses a gate with a mistake has that mistake, too: it would be a part without its gate. */
static void users_of_a_gate(void **state)
{
	scoped(project_finish) struct project p = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	load("gates: {ready: [tesst]}\n" STAGES GUARD INTENTS SERVICES, &p);
	assert_int_equal(p.broken, PROJECT_GATES | PROJECT_STAGES | PROJECT_GUARD);
	assert_failed(project_need(&p, PROJECT_STAGES, &e), EINVAL, e, "aisbx.yaml:1:17: 'tesst'");
	assert_failed(project_need(&p, PROJECT_GUARD, &e), EINVAL, e, "aisbx.yaml:1:17: 'tesst'");
	assert_int_equal(p.guard.n_rules, 1); /* its rules hold */
	assert_int_equal(p.guard.rules[0].act, GUARD_REFUSE);
}

static void strict_rules_stay(void **state)
{
	scoped(project_finish) struct project p = { 0 };

	(void)state;
	load("guard:\n  promote: auto\n  rules:\n  - {command: make *, do: run}\n  - {command: git push *, "
	     "do: refuse}\n"
	     "  - {command: rm *, do: rfuse}\n  - {command: curl *, do: ask}\n",
	     &p);
	assert_int_equal(p.broken, PROJECT_GUARD);
	assert_int_equal(p.guard.n_rules, 2);
	assert_string_equal(p.guard.rules[0].pattern, "git push *");
	assert_string_equal(p.guard.rules[1].pattern, "curl *");
	assert_int_equal(p.guard.promote, GUARD_SHOW);
}

/* A key that nobody knows: what it is like, or all that decides over changes. */
static void unknown_keys(void **state)
{
	static const struct {
		const char *text;
		unsigned int broken;
	} cases[] = {
		{ "stagse: []\n" INTENTS, PROJECT_STAGES },
		{ "gate: {a: [test]}\n", PROJECT_GATES },
		{ "gaurd: {rules: []}\n" SERVICES, PROJECT_GUARD },
		{ "servces: {}\n", PROJECT_SERVICES },
		{ "whatever-it-is: 1\n" SERVICES INTENTS, PROJECT_DECISIONS },
		{ "[a]: 1\nb: 2\n" SERVICES, PROJECT_DECISIONS },
		{ GATES GATES, PROJECT_GATES },
		{ GUARD GUARD GATES, PROJECT_GUARD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scoped(project_finish) struct project p = { 0 };

		load(cases[i].text, &p);
		if (p.broken != cases[i].broken)
			fail_msg("case %zu: %x", i, p.broken);
		assert_true(p.n_problems > 0);
	}
}

static void the_whole_file(void **state)
{
	static const char *const cases[] = { "version: 2\n", "services: [\n", "- a\n",
					     "a: !x 1\n",    "just a text",   "\xff\xfe" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scoped(project_finish) struct project p = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		load(cases[i], &p);
		assert_int_equal(p.broken, PROJECT_ALL);
		assert_int_equal(has(&p), 0);
		for (unsigned int part = 1; part < PROJECT_ALL; part *= 2)
			assert_true(project_need(&p, part, &e) < 0);
	}
}

static void one_line(void **state)
{
	scoped(project_finish) struct project p = { 0 }, good = { 0 };
	char *line;

	(void)state;
	load("stages: [{nme: a}]\njudges: [/]\n", &p);
	line = project_problem_line(&p);
	assert_non_null(strstr(line, "aisbx.yaml:1:11: unknown key 'nme'"));
	assert_non_null(
		strstr(line, "(and 1 more); until it is mended, what uses stages, judges is refused"));
	free(line);
	load(SERVICES, &good);
	assert_null(project_problem_line(&good));
}

/* What one file lacks because of a mistake both together lack, and the inner one cannot step in. */
static void nested(void **state)
{
	scoped(project_finish) struct project outer = { 0 }, inner = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	load("gates: {ready: [tesst]}\n", &outer);
	load("intents: {test: 'true'}\nstages: [{nme: a}]\n", &inner);
	assert_int_equal(project_nest(&outer, &inner, &e), 0);
	assert_int_equal(outer.broken, PROJECT_GATES | PROJECT_STAGES);
	assert_int_equal(outer.n_problems, 2);
	assert_int_equal(outer.intents[INTENT_TEST].argv.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part),
		cmocka_unit_test(users_of_a_gate),
		cmocka_unit_test(strict_rules_stay),
		cmocka_unit_test(unknown_keys),
		cmocka_unit_test(the_whole_file),
		cmocka_unit_test(one_line),
		cmocka_unit_test(nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
