/* SPDX-License-Identifier: Apache-2.0 */
/* Two files of a project, one below the other: the inner one adds, and loosens nothing. */
#include "support/test.h"

#include "base/scope.h"

#include "project/project.h"

static void read_in(const char *dir, const char *text, struct project *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (project_parse(text, strlen(text), dir, ret, &e) < 0 || project_place(ret, dir, &e) < 0)
		fail_msg("refused: %s", e.text);
	strlist_add(&ret->files, dir);
}

static void join(const char *outer, const char *inner, struct project *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(project_finish) struct project below = { 0 };

	*ret = (struct project){ 0 };
	read_in("/a", outer, ret);
	read_in("/a/b", inner, &below);
	if (project_nest(ret, &below, &e) < 0)
		fail_msg("not joined: %s", e.text);
	assert_int_equal(ret->files.n, 2);
	assert_string_equal(ret->files.items[0], "/a");
}

static void gates(void **state)
{
	const struct project_gate *g;
	scoped(project_finish) struct project p = { 0 };

	(void)state;
	join("gates: {ready: [not traps, test]}\n", "gates: {ready: [runs > 0], more: [ready]}\n", &p);
	g = project_gate_by_name(&p, "ready");
	assert_int_equal(p.n_gates, 2);
	assert_int_equal(g->checks.n, 3);
	assert_string_equal(g->checks.items[0].dir, "/a");
	assert_string_equal(g->checks.items[2].text, "runs > 0");
	assert_string_equal(g->checks.items[2].dir, "/a/b");
	assert_non_null(project_gate_by_name(&p, "more"));
}

static void stages(void **state)
{
	scoped(project_finish) struct project p = { 0 }, q = { 0 };

	(void)state;
	join("stages: [{name: safe, gates: [test]}, {name: dev, to: {directory: .}}]\n",
	     "stages: [{name: dev, to: {directory: .}}]\n", &p);
	assert_int_equal(p.n_stages, 2);
	assert_string_equal(p.stages[0].name, "safe");
	assert_string_equal(p.stages[1].dir, "/a");
	/* Where the outer one names none, the inner's count, with all that the outer means by a
	 * gate's name. */
	join("gates: {ready: [not traps]}\n",
	     "gates: {ready: [runs > 0]}\nstages: [{name: dev, gates: [ready], to: {directory: .}}]\n", &q);
	assert_int_equal(q.n_stages, 1);
	assert_int_equal(q.stages[0].before.n, 2);
	assert_string_equal(q.stages[0].before.items[1].text, "not traps");
	assert_string_equal(q.stages[0].dir, "/a/b");
}

static void intents(void **state)
{
	scoped(project_finish) struct project p = { 0 }, q = { 0 }, s = { 0 };

	(void)state;
	join("intents: {test: make check}\n", "intents: {test: 'true', build: make}\n", &p);
	assert_string_equal(p.intents[INTENT_TEST].argv.items[2], "make check");
	assert_string_equal(p.intents[INTENT_BUILD].argv.items[2], "make");
	assert_string_equal(p.intents[INTENT_BUILD].dir, "/a/b");
	/* Its gate is about what it means by "test", found in its own files. */
	join("gates: {ready: [test]}\n", "intents: {test: 'true'}\n", &q);
	assert_int_equal(q.intents[INTENT_TEST].argv.n, 0);
	join("guard: {gates: [test]}\n", "intents: {test: 'true'}\n", &s);
	assert_int_equal(s.intents[INTENT_TEST].argv.n, 0);
}

static void guard(void **state)
{
	scoped(project_finish) struct project p = { 0 };

	(void)state;
	join("guard:\n  rules: [{command: 'rm *', do: refuse}]\n  gates: [test]\n",
	     "guard:\n  rules: [{command: 'rm *', do: run}]\n  gates: [not traps]\n  promote: auto\n", &p);
	assert_int_equal(p.guard.n_rules, 2);
	assert_int_equal(p.guard.gates.n, 2);
	assert_int_equal(p.guard.promote, GUARD_SHOW);
}

static void experiments(void **state)
{
	scoped(project_finish) struct project p = { 0 };

	(void)state;
	join("experiments: {fast: {branches: {a: make}, gates: [test]}}\n",
	     "experiments: {fast: {branches: {a: 'true'}}, slow: {branches: {a: 'true'}}}\n", &p);
	assert_int_equal(p.n_experiments, 2);
	assert_int_equal(project_experiment_by_name(&p, "fast")->gates.n, 1);
	assert_non_null(project_experiment_by_name(&p, "slow"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gates), cmocka_unit_test(stages),      cmocka_unit_test(intents),
		cmocka_unit_test(guard), cmocka_unit_test(experiments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
