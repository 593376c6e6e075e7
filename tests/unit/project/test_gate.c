/* SPDX-License-Identifier: Apache-2.0 */
/* Gates, stages, experiments and guard of aisbx.yaml: read as they are meant, or refused with place and way
 * out. */
#include "support/test.h"

#include "base/scope.h"

#include "project/project.h"

static void good(const char *text, struct project *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	*ret = (struct project){ 0 };
	if (project_parse(text, strlen(text), "aisbx.yaml", ret, &e) < 0)
		fail_msg("refused: %s", e.text);
}

/* Each of WORDS (separated by '|') is in the error. */
static void bad(const char *text, const char *words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project p = { 0 };
	char copy[400], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", words);
	if (project_parse(text, strlen(text), "aisbx.yaml", &p, &e) == 0)
		fail_msg("taken: %s", text);
	assert_true(!p.gates && !p.stages && !p.experiments && !p.guard.rules);
	assert_int_equal(strncmp(e.text, "aisbx.yaml:", 11), 0);
	while ((word = strsep(&rest, "|")))
		if (!strstr(e.text, word))
			fail_msg("'%s' is not in '%s'", word, e.text);
}

static void gates(void **state)
{
	const struct project_gate *g;
	const struct project_check *c;
	struct project p;

	(void)state;
	good("gates:\n"
	     "  strict: [ready, 'changes.deleted < 10']\n"
	     "  ready: [test, not traps, {command: ./size.sh, timeout: 30s}, {command: [./score.py, -x], "
	     "score: score >= 0.8},\n"
	     "          {rego: policy/gate.rego, query: data.aisbx.allow}]\n",
	     &p);
	assert_int_equal(p.n_gates, 2);
	assert_null(project_gate_by_name(&p, "other"));
	g = project_gate_by_name(&p, "ready");
	c = g->checks.items;
	assert_int_equal(g->checks.n, 5);
	assert_true(c[0].kind == CHECK_INTENT && c[0].intent == INTENT_TEST && !c[0].expr);
	assert_true(c[1].kind == CHECK_EXPR && c[1].expr);
	assert_string_equal(c[1].text, "not traps");
	assert_true(c[2].kind == CHECK_COMMAND && c[2].shell && c[2].timeout_ms == 30000 && !c[2].expr);
	assert_string_equal(c[2].text, "./size.sh");
	assert_string_equal(c[2].argv.items[2], "./size.sh");
	assert_true(c[3].kind == CHECK_COMMAND && !c[3].shell && c[3].expr && c[3].argv.n == 2);
	assert_string_equal(c[3].text, "./score.py -x");
	assert_string_equal(c[3].score, "score >= 0.8");
	assert_int_equal(c[4].kind, CHECK_REGO);
	assert_string_equal(c[4].rego, "policy/gate.rego");
	assert_string_equal(c[4].query, "data.aisbx.allow");
	assert_string_equal(c[4].text, "policy/gate.rego: data.aisbx.allow");
	for (size_t i = 0; i < 5; i++)
		assert_null(c[i].gate);
	g = project_gate_by_name(&p, "strict"); /* it names one that comes later */
	c = g->checks.items;
	assert_int_equal(g->checks.n, 6);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(c[i].gate, "ready");
	assert_true(c[3].expr && c[3].expr != p.gates[1].checks.items[3].expr);
	assert_string_equal(c[5].text, "changes.deleted < 10");
	assert_null(c[5].gate);
	project_finish(&p);
}

static void stages(void **state)
{
	struct project p;

	(void)state;
	good("stages:\n"
	     "- {name: verified, gates: [ready]}\n"
	     "- {name: dev, to: {directory: .}, after: [test]}\n"
	     "- {name: staging, to: {directory: /srv/x}, gates: [ready, lint]}\n"
	     "- {name: release, to: {branch: team/release-2.x}}\n"
	     "- {name: production, to: {command: ./deploy.sh, rollback: [./undeploy.sh, now]}, approve: "
	     "true}\n"
	     "- {name: asked, approve: yes}\n"
	     "gates: {ready: [test, not traps]}\n",
	     &p);
	assert_int_equal(p.n_stages, 6);
	assert_true(p.stages[0].target == TARGET_NONE && p.stages[0].before.n == 2 && !p.stages[0].after.n);
	assert_string_equal(p.stages[0].before.items[0].gate, "ready");
	assert_true(p.stages[1].target == TARGET_DIRECTORY && p.stages[1].after.n == 1 &&
		    !p.stages[1].approve);
	assert_string_equal(p.stages[1].where, ".");
	assert_int_equal(p.stages[2].before.n, 3);
	assert_int_equal(p.stages[3].target, TARGET_BRANCH);
	assert_string_equal(p.stages[3].where, "team/release-2.x");
	assert_true(p.stages[4].target == TARGET_COMMAND && p.stages[4].approve && !p.stages[4].where);
	assert_string_equal(p.stages[4].command.items[2], "./deploy.sh");
	assert_int_equal(p.stages[4].rollback.n, 2);
	assert_true(p.stages[5].approve && p.stages[5].target == TARGET_NONE);
	project_finish(&p);
}

static void default_stages(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project p = { 0 };

	(void)state;
	assert_int_equal(project_default_stages(&p, true, &e), 0);
	assert_true(p.n_stages == 2 && p.stages[0].before.n == 2 && p.stages[0].target == TARGET_NONE);
	assert_string_equal(p.stages[0].name, "verified");
	assert_int_equal(p.stages[0].before.items[0].intent, INTENT_TEST);
	assert_string_equal(p.stages[0].before.items[1].text, "not traps");
	assert_true(p.stages[1].target == TARGET_DIRECTORY && !strcmp(p.stages[1].where, ".") &&
		    !strcmp(p.stages[1].name, "dev"));
	project_finish(&p);
	assert_int_equal(project_default_stages(&p, false, &e), 0);
	assert_int_equal(p.stages[0].before.n, 1);
	project_finish(&p);
	good("stages: [{name: own, gates: [test]}]\n", &p);
	assert_int_equal(project_default_stages(&p, false, &e), 0);
	assert_true(p.n_stages == 1 && !strcmp(p.stages[0].name, "own"));
	project_finish(&p);
}

static void experiments(void **state)
{
	const struct project_experiment *x;
	struct project p;

	(void)state;
	good("experiments:\n"
	     "  dates:\n"
	     "    branches: {patch: ./a.sh, revert: [git, revert, HEAD]}\n"
	     "    test: make test\n"
	     "    gates: [not traps]\n"
	     "    mode: best\n"
	     "    score: usage.wall\n"
	     "    prefer: most\n"
	     "    repeat: 3\n"
	     "    budget: {time: 10m, cpu: 5m, runs: 40}\n"
	     "    parallel: 8\n"
	     "  plain: {branches: {a: b}}\n",
	     &p);
	assert_int_equal(p.n_experiments, 2);
	x = project_experiment_by_name(&p, "dates");
	assert_int_equal(x->n_branches, 2);
	assert_string_equal(x->branches[0].name, "patch");
	assert_string_equal(x->branches[0].argv.items[2], "./a.sh");
	assert_string_equal(x->branches[1].argv.items[0], "git");
	assert_true(x->test.n == 3 && x->gates.n == 1 && x->mode == MODE_BEST && x->score && x->most &&
		    x->repeat == 3);
	assert_string_equal(x->score_text, "usage.wall");
	assert_true(x->budget_ms == 600000 && x->budget_cpu_ms == 300000 && x->budget_runs == 40 &&
		    x->parallel == 8);
	x = project_experiment_by_name(&p, "plain");
	assert_true(!x->test.n && !x->gates.n && x->mode == MODE_FIRST && !x->score && !x->most &&
		    x->repeat == 1);
	assert_true(!x->budget_ms && !x->budget_cpu_ms && !x->budget_runs && !x->parallel);
	assert_null(project_experiment_by_name(&p, "none"));
	project_finish(&p);
}

static void guard(void **state)
{
	struct project p;

	(void)state;
	good("guard:\n  rules: [{command: git push *, do: refuse, why: people push}, {command: ls, do: run}, "
	     "{command: x, do: box},\n"
	     "          {command: y, do: ask}]\n  gates: [test]\n  promote: auto\n",
	     &p);
	assert_int_equal(p.guard.n_rules, 4);
	assert_string_equal(p.guard.rules[0].pattern, "git push *");
	assert_string_equal(p.guard.rules[0].why, "people push");
	assert_int_equal(p.guard.rules[0].act, GUARD_REFUSE);
	assert_true(p.guard.rules[1].act == GUARD_RUN && !p.guard.rules[1].why &&
		    p.guard.rules[2].act == GUARD_BOX);
	assert_true(p.guard.rules[3].act == GUARD_ASK && p.guard.gates.n == 1 &&
		    p.guard.promote == GUARD_PROMOTE);
	project_finish(&p);
	good("guard: {}\n", &p);
	assert_int_equal(p.guard.promote, GUARD_SHOW);
	project_finish(&p);
}

static void wrong_gates(void **state)
{
	(void)state;
	bad("gates: [test]\n", "1:8:|'gates' must be a mapping");
	bad("gates: {a: test}\n", "1:12:|'checks' must be a list");
	bad("gates: {a: []}\n", "no checks; there must be at least one");
	bad("gates: {a: [[test]]}\n", "a check must be a string");
	bad("gates: {a: ['']}\n", "a check is empty");
	bad("gates: {a b: [test]}\n", "1:9:|'a b' is not a valid name of a gate");
	bad("gates: {test: [lint]}\n", "a gate cannot be called 'test': that is an intent");
	bad("gates: {a: [test], a: [lint]}\n", "key 'a' is repeated");
	bad("gates: {ready: [test], a: [reddy]}\n",
	    "1:28:|'reddy' is not a gate, an intent|ready, a, run, test|did you mean 'ready'?");
	bad("gates: {a: [tset]}\n", "did you mean 'test'?");
	bad("gates: {a: ['changes.deleted <']}\n", "aisbx.yaml:1:13: ");
	bad("gates: {a: [a]}\n", "1:13:|gate 'a' contains itself");
	bad("gates: {a: [b], b: [c], c: [a]}\n", "1:29:|gate 'a' contains itself");
	bad("gates: {a: [{comand: x}]}\n",
	    "unknown key 'comand'|command, timeout, score|did you mean 'command'?");
	bad("gates: {a: [{timeout: 3s}]}\n", "a check has no command");
	bad("gates: {a: [{command: x, timeout: 8d}]}\n", "'8d' is not a time from 1ms to 7d");
	bad("gates: {a: [{command: x, score: ''}]}\n", "'score' must have 1 to");
	bad("gates: {a: [{command: x, score: 'score >='}]}\n", "aisbx.yaml:1:33: ");
	bad("gates: {a: [{wasm: ../x}]}\n", "'../x' is not a path in the project");
	bad("gates: {a: [{wasm: x, query: data.x}]}\n", "unknown key 'wasm'|rego, query");
	bad("gates: {a: [{wasm: x, timeout: 3s}]}\n", "unknown key 'timeout'|wasm");
	bad("gates: {a: [{rego: x.rego}]}\n", "a check has no query");
	bad("gates: {a: [{query: data.x}]}\n", "a check has no rego");
	bad("gates: {a: [{rego: ../x, query: data.x}]}\n", "'../x' is not a path in the project");
	bad("gates: {a: [{rego: /x, query: data.x}]}\n", "'/x' is not a path in the project");
	bad("gates: {a: [{rego: x, query: --help}]}\n",
	    "'--help' is not the name of a rule, such as data.aisbx.allow");
	bad("gates: {a: [{rego: x, query: data}]}\n", "is not the name of a rule");
	bad("gates: {a: [{rego: x, query: data.x.}]}\n", "is not the name of a rule");
	bad("gates: {a: [{rego: x, query: data.x; true}]}\n", "is not the name of a rule");
	bad("gates: {a: [{rego: x, query: data.9}]}\n", "is not the name of a rule");
	bad("gates: {a: [{rego: x, query: data.x, timeout: 3s}]}\n", "unknown key 'timeout'|rego, query");
}

static void wrong_stages(void **state)
{
	static const char *const branches[] = { "-x",       "a..b", "a//b", "/a",  "a/",  "a.", "x.lock",
						"x.lock/y", "HEAD", "a b",  "a~1", "a:b", "a^", "a@{",
						".hidden",  "a/.b", "a\\b", "''",  "a*" };
	char text[120];

	(void)state;
	bad("stages: {a: b}\n", "'stages' must be a list");
	bad("stages: [a]\n", "a stage must be a mapping");
	bad("stages: [{gates: [test]}]\n", "a stage has no name");
	bad("stages: [{name: a}]\n", "a stage needs one of to, gates, approve");
	bad("stages: [{name: a/b, approve: true}]\n", "'a/b' is not a valid name of a stage");
	bad("stages: [{name: a, approve: true}, {name: a, gates: [test]}]\n", "1:36:|stage 'a' is repeated");
	bad("stages: [{name: a, approve: maybe}]\n", "'maybe' is not a value of 'approve'|false, true");
	bad("stages: [{name: a, gates: [test], after: [test]}]\n", "a stage has 'after', but not 'to'");
	bad("stages: [{name: a, to: x}]\n", "'to' must be a mapping");
	bad("stages: [{name: a, to: {}}]\n", "'to' needs one of directory, branch, command");
	bad("stages: [{name: a, to: {directory: x, branch: y}}]\n",
	    "'to' takes only one of directory, branch, command");
	bad("stages: [{name: a, to: {branch: y, directory: x}}]\n",
	    "'to' takes only one of directory, branch, command");
	bad("stages: [{name: a, to: {directory: ''}}]\n", "'directory' must have 1 to");
	bad("stages: [{name: a, to: {directory: x, rollback: y}}]\n",
	    "'to' has 'rollback', but not 'command'");
	bad("stages: [{name: a, to: {command: ''}}]\n", "a command is empty");
	bad("stages: [{name: a, to: {dir: x}}]\n",
	    "unknown key 'dir'; allowed here: directory, branch, command, rollback");
	bad("stages: [{name: a, gate: [test]}]\n", "unknown key 'gate'|did you mean 'gates'?");
	bad("stages: [{name: a, gates: [redy]}]\ngates: {ready: [test]}\n", "1:28:|did you mean 'ready'?");
	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		snprintf(text, sizeof(text), "stages:\n- name: a\n  to:\n    branch: %s\n", branches[i]);
		bad(text, "is not a valid name of a branch");
	}
}

static void wrong_experiments(void **state)
{
	(void)state;
	bad("experiments: [a]\n", "'experiments' must be a mapping");
	bad("experiments: {a: b}\n", "an experiment must be a mapping");
	bad("experiments: {a/b: {branches: {a: b}}}\n", "'a/b' is not a valid name of an experiment");
	bad("experiments: {a: {test: x}}\n", "an experiment has no branches");
	bad("experiments: {a: {branches: {}}}\n", "no branches; there must be at least one");
	bad("experiments: {a: {branches: [x]}}\n", "'branches' must be a mapping");
	bad("experiments: {a: {branches: {-a: x}}}\n", "'-a' is not a valid name of a branch");
	bad("experiments: {a: {branches: {a: x, a: y}}}\n", "key 'a' is repeated");
	bad("experiments: {a: {branches: {a: }}}\n", "a command is empty");
	bad("experiments: {a: {branches: {a: x}, mode: frist}}\n",
	    "'frist' is not a value of 'mode'|first, best, all|did you mean 'first'?");
	bad("experiments: {a: {branches: {a: x}, prefer: more}}\n",
	    "'more' is not a value of 'prefer'|least, most");
	bad("experiments: {a: {branches: {a: x}, score: }}\n", "'score' must have 1 to");
	bad("experiments: {a: {branches: {a: x}, score: lines}}\n", "aisbx.yaml:1:44: ");
	bad("experiments: {a: {branches: {a: x}, repeat: 0}}\n",
	    "'0' is not a value of 'repeat'; it must be a number from 1 to 1000");
	bad("experiments: {a: {branches: {a: x}, parallel: 65}}\n", "'65' is not a value of 'parallel'");
	bad("experiments: {a: {branches: {a: x}, budget: 10m}}\n", "'budget' must be a mapping");
	bad("experiments: {a: {branches: {a: x}, budget: {time: 0}}}\n", "'0' is not a time");
	bad("experiments: {a: {branches: {a: x}, budget: {runs: many}}}\n",
	    "'many' is not a value of 'runs'");
	bad("experiments: {a: {branches: {a: x}, budget: {money: 1}}}\n",
	    "unknown key 'money'; allowed here: time, cpu, runs");
	bad("experiments: {a: {branches: {a: x}, gates: [b]}}\n", "'b' is not a gate");
	bad("experiments: {a: {branches: {a: x}, tests: y}}\n", "unknown key 'tests'|did you mean 'test'?");
}

static void wrong_guard(void **state)
{
	(void)state;
	bad("guard: [a]\n", "'guard' must be a mapping");
	bad("guard: {rules: {a: b}}\n", "'rules' must be a list");
	bad("guard: {rules: [x]}\n", "a rule must be a mapping");
	bad("guard: {rules: [{command: x}]}\n", "a rule has no do");
	bad("guard: {rules: [{do: run}]}\n", "a rule has no command");
	bad("guard: {rules: [{command: '', do: run}]}\n", "'command' must have 1 to");
	bad("guard: {rules: [{command: x, do: deny}]}\n",
	    "'deny' is not a value of 'do'|run, look, box, ask, refuse");
	bad("guard: {rules: [{command: x, do: run, why: ''}]}\n", "'why' must have 1 to");
	bad("guard: {promote: always}\n", "'always' is not a value of 'promote'; allowed: show, auto");
	bad("guard: {gates: [b]}\n", "'b' is not a gate");
	bad("guard: {rule: []}\n", "unknown key 'rule'|did you mean 'rules'?");
}

/* HEAD, N times UNIT with its number, TAIL. */
static const char *many(const char *head, const char *unit, int n, const char *tail)
{
	static char room[PROJECT_MAX_BYTES];
	size_t at = (size_t)snprintf(room, sizeof(room), "%s", head);

	for (int i = 0; i < n; i++) {
		const char *mark = strchr(unit, '#');

		assert_true(at + strlen(unit) + 20 < sizeof(room));
		at += (size_t)snprintf(room + at, sizeof(room) - at, "%.*s%d%s", (int)(mark - unit), unit, i,
				       mark + 1);
	}
	snprintf(room + at, sizeof(room) - at, "%s", tail);
	return room;
}

static void caps(void **state)
{
	struct project p;

	(void)state;
	good(many("gates: {", "g#: [test],", 64, "}\n"), &p);
	project_finish(&p);
	bad(many("gates: {", "g#: [test],", 65, "}\n"), "65 gates; at most 64");
	bad(many("gates: {a: [", "'traps < #',", 33, "]}\n"), "33 checks; at most 32");
	bad(many("stages: [", "{name: s#, approve: true},", 33, "]\n"), "33 stages; at most 32");
	bad(many("experiments: {", "e#: {branches: {a: b}},", 65, "}\n"), "65 experiments; at most 64");
	bad(many("experiments: {a: {branches: {", "b#: x,", 65, "}}}\n"), "65 branches; at most 64");
	bad(many("guard: {rules: [", "{command: a#, do: run},", 257, "]}\n"), "257 rules; at most 256");
}

/* Gates of gates of gates: what they stand for is bounded, in number and in bytes. */
static void bombs(void **state)
{
	static char room[PROJECT_MAX_BYTES], filler[3000];

	(void)state;
	bad("gates: {a: [test, test, test, test, test, test, test, test], b: [a, a, a, a, a, a, a, a], c: "
	    "[b, b, b, b, b]}\n",
	    "more than 256 checks, including those of nested gates");
	memset(filler, 'x', sizeof(filler) - 1);
	snprintf(room, sizeof(room),
		 "gates: {a: [{command: %s}, {command: %s}], b: [a, a, a, a, a, a, a, a]}\n", filler, filler);
	strcat(room, "stages:\n");
	for (int i = 0; i < 32; i++)
		snprintf(room + strlen(room), 60, "- {name: s%d, gates: [b]}\n", i);
	bad(room, "with all nested gates the file has more than");
}

static void every_error(void **state)
{
	static const char text[] = "version: 2\n"
				   "servises: {}\n"
				   "gates: {a: [tset, b], b: [a], c: []}\n"
				   "stages: [{name: x}, {name: y, approve: perhaps, to: {branch: -x}}]\n"
				   "guard: {rules: [{command: x, do: deny}]}\n"
				   "intents: {test: {timeout: soon, comand: x}, tests: x}\n"
				   "services: {a: {command: x, restart: allways, ready: 5}, b: {}}\n";
	static const char *const told[] = { "3:13: 'tset'",
					    "3:27: gate 'a' contains itself",
					    "3:34: no checks",
					    "1:10: unknown version",
					    "2:1: unknown key",
					    "4:10: a stage needs",
					    "4:40: 'perhaps'",
					    "4:62: '-x'",
					    "5:34: 'deny'",
					    "6:27: 'soon'",
					    "6:33: unknown key",
					    "6:45: there is no intent",
					    "7:37: 'allways'",
					    "7:53: 'ready'",
					    "7:60: service 'b' has no command" };
	scoped(strlist_finish) struct strlist all = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project p = { 0 };

	(void)state;
	assert_true(project_parse_all(text, strlen(text), "f", &p, &all, &e) < 0);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		bool found = false;

		for (size_t k = 0; k < all.n; k++)
			found = found || (!strncmp(all.items[k], "f:", 2) &&
					  !strncmp(all.items[k] + 2, told[i], strlen(told[i])));
		if (!found)
			print_message("'%s' is not told\n", told[i]);
		if (!found)
			for (size_t k = 0; k < all.n; k++)
				print_message("  %s\n", all.items[k]);
		assert_true(found);
	}
}

static void one_check(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project_checks checks = { 0 };
	struct project p;

	(void)state;
	good("gates: {ready: [test, not traps]}\n", &p);
	assert_int_equal(project_check_add(&p, "ready", &checks, &e), 0);
	assert_int_equal(project_check_add(&p, "lint", &checks, &e), 0);
	assert_int_equal(project_check_add(&p, "changes.deleted < 3", &checks, &e), 0);
	assert_true(checks.n == 4 && checks.items[2].intent == INTENT_LINT &&
		    checks.items[3].kind == CHECK_EXPR);
	assert_string_equal(checks.items[1].gate, "ready");
	assert_true(project_check_add(&p, "redy", &checks, &e) < 0);
	assert_non_null(strstr(e.text, "did you mean 'ready'?"));
	assert_int_equal(checks.n, 4);
	project_checks_finish(&checks);
	project_finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gates),          cmocka_unit_test(stages),
		cmocka_unit_test(default_stages), cmocka_unit_test(experiments),
		cmocka_unit_test(guard),          cmocka_unit_test(wrong_gates),
		cmocka_unit_test(wrong_stages),   cmocka_unit_test(wrong_experiments),
		cmocka_unit_test(wrong_guard),    cmocka_unit_test(caps),
		cmocka_unit_test(bombs),          cmocka_unit_test(every_error),
		cmocka_unit_test(one_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
