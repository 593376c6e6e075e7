/* SPDX-License-Identifier: Apache-2.0 */
/* What commands judge by, and which paths that is. */
#include "support/test.h"

#include "base/scope.h"

#include "project/judge.h"

static void read_text(struct judges *j, const char *text, bool tests)
{
	scoped(strlist_finish) struct strlist argv = { 0 };

	*j = (struct judges){ 0 };
	strlist_add(&argv, "sh");
	strlist_add(&argv, "-c");
	strlist_add(&argv, text);
	judges_add_command(j, &argv, "/p", tests);
	assert_false(j->failed);
}

/* Of a command: what PATH is to it. */
static const struct {
	const char *command, *path;
	enum judge_kind kind;
} cases[] = {
	{ "./smoke.sh", "/p/smoke.sh", JUDGE_SCRIPT },
	{ "./smoke.sh src/main.c", "/p/src/main.c", JUDGE_NONE },
	{ "true && ci/check.sh || exit 1", "/p/ci/check.sh", JUDGE_SCRIPT },
	{ "A=1 B=x/y timeout -k 5 30s ./smoke.sh", "/p/smoke.sh", JUDGE_SCRIPT },
	{ "if ./a.sh; then ./b.sh; fi", "/p/b.sh", JUDGE_SCRIPT },
	{ "(cd ci; ./check.sh)", "/p/ci/check.sh", JUDGE_SCRIPT },
	{ "cd ci && cd deep && ./check.sh", "/p/ci/deep/check.sh", JUDGE_SCRIPT },
	{ "python3 score.py --all src", "/p/score.py", JUDGE_SCRIPT },
	{ "python3 score.py --all src", "/p/src", JUDGE_NONE },
	{ "python3.11 -B score.py", "/p/score.py", JUDGE_SCRIPT },
	{ "python3 -m tools.score", "/p/tools/score.py", JUDGE_SCRIPT },
	{ "python3 -m tools.score", "/p/tools/score/__main__.py", JUDGE_SCRIPT },
	{ "python3 -c 'import x'", "/p/x.py", JUDGE_NONE },
	{ "python3 score.py", "/p/sitecustomize.py", JUDGE_SETTING },
	{ "bash -eu 'ci/a b.sh'", "/p/ci/a b.sh", JUDGE_SCRIPT },
	{ "bash -c './smoke.sh'", "/p/smoke.sh", JUDGE_SCRIPT },
	{ ". ./env.sh; run", "/p/env.sh", JUDGE_SCRIPT },
	{ "./x > build/log 2>&1", "/p/build/log", JUDGE_NONE },
	{ "cat < ci/list | ./smoke.sh", "/p/ci/list", JUDGE_NONE },
	{ "cat < ci/list | ./smoke.sh", "/p/smoke.sh", JUDGE_SCRIPT },
	{ "../other/x.sh", "/other/x.sh", JUDGE_NONE },
	{ "/p/smoke.sh", "/p/smoke.sh", JUDGE_SCRIPT },
	{ ".venv/bin/python -m pytest", "/p/.venv/bin/python", JUDGE_TEST },
	{ ".venv/bin/python -m pytest", "/p/conftest.py", JUDGE_SETTING },
	{ "pytest", "/p/pkg/conftest.py", JUDGE_SETTING },
	{ "pytest", "/p/pytest.ini", JUDGE_SETTING },
	{ "pytest", "/p/tests/data/x.json", JUDGE_TEST },
	{ "pytest", "/p/tests", JUDGE_TEST },
	{ "pytest", "/p/pkg/test_x.py", JUDGE_TEST },
	{ "pytest", "/p/pkg/contest_x.py", JUDGE_NONE },
	{ "pytest", "/p/attests/x.py", JUDGE_NONE },
	{ "pytest -k parser src", "/p/parser/x.py", JUDGE_NONE },
	{ "pytest -k parser src", "/p/src/x.py", JUDGE_NONE },
	{ "pytest checks/all.py::one", "/p/checks/all.py", JUDGE_TEST },
	{ "uv run pytest", "/p/conftest.py", JUDGE_SETTING },
	{ "poetry run python -m pytest", "/p/conftest.py", JUDGE_SETTING },
	{ "npx --no-install jest", "/p/jest.config.js", JUDGE_SETTING },
	{ "npm run test", "/p/package.json", JUDGE_SETTING },
	{ "pnpm run test", "/p/package.json", JUDGE_SETTING },
	{ "make test", "/p/GNUmakefile", JUDGE_SETTING },
	{ "make -f ci/rules test", "/p/ci/rules", JUDGE_SCRIPT },
	{ "node --test", "/p/a.test.mjs", JUDGE_TEST },
	{ "go test -v ./...", "/p/pkg/x_test.go", JUDGE_TEST },
	{ "cargo test", "/p/Cargo.toml", JUDGE_NONE },
	{ "bundle exec rspec", "/p/spec/a.rb", JUDGE_TEST },
	{ "ruff check .", "/p/ruff.toml", JUDGE_SETTING },
	{ "ruff check .", "/p/tests/x.py", JUDGE_NONE },
	{ "'' \"\" \\", "/p/x", JUDGE_NONE },
	{ "sh -c 'sh -c \"sh -c ./x\"'", "/p/x", JUDGE_NONE },
};

static void commands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scoped(judges_finish) struct judges j = { 0 };

		read_text(&j, cases[i].command, false);
		if (judges_find(&j, cases[i].path) != cases[i].kind)
			fail_msg("%s: %s is %d, not %d", cases[i].command, cases[i].path,
				 judges_find(&j, cases[i].path), cases[i].kind);
	}
}

static void known_to_test(void **state)
{
	scoped(judges_finish) struct judges j = { 0 };

	(void)state;
	read_text(&j, "make check", true);
	assert_int_equal(judges_find(&j, "/p/tests/x"), JUDGE_TEST);
	assert_int_equal(judges_find(&j, "/q/tests/x"), JUDGE_NONE);
	assert_int_equal(judges_find(&j, "/p"), JUDGE_NONE);
}

static void patterns(void **state)
{
	scoped(judges_finish) struct judges j = { 0 };

	(void)state;
	judges_add(&j, "/p", "ci/check.sh", JUDGE_SCRIPT);
	judges_add(&j, "/p", "lib/", JUDGE_TEST);
	judges_add(&j, "/p", "data/*.json", JUDGE_TEST);
	judges_add(&j, "/p", "ci/check.sh", JUDGE_SCRIPT);
	assert_int_equal(j.n, 3);
	assert_int_equal(judges_find(&j, "/p/ci/check.sh"), JUDGE_SCRIPT);
	assert_int_equal(judges_find(&j, "/p/ci/check.sh/x"), JUDGE_TEST);
	assert_int_equal(judges_find(&j, "/p/ci/check.sh2"), JUDGE_NONE);
	assert_int_equal(judges_find(&j, "/p/lib"), JUDGE_TEST);
	assert_int_equal(judges_find(&j, "/p/lib/deep/x"), JUDGE_TEST);
	assert_int_equal(judges_find(&j, "/p/data/a.json"), JUDGE_TEST);
	assert_int_equal(judges_find(&j, "/p/data/b/a.json"), JUDGE_NONE);
}

/* All that the file says is looked at; what it leaves to the box is not. */
static void whole_projects(void **state)
{
	static const char text[] = "judges: [extra/]\n"
				   "gates: {a: [{command: ./a.sh}, {command: ./mine.sh, judges_from: box}, "
				   "{rego: p/g.rego, query: data.x.y}]}\n"
				   "stages: [{name: s, gates: [{command: ./b.sh}], to: {directory: .}, "
				   "after: [{command: ./c.sh}]}]\n"
				   "experiments: {x: {branches: {one: 'true'}, test: ./d.sh}}\n"
				   "guard: {gates: [tests.passed > 0]}\n";
	static const char *const judge[] = { "extra/x", "a.sh", "p/g.rego", "b.sh",
					     "c.sh",    "d.sh", "Makefile", "tests/x" };
	scoped(project_finish) struct project p = { 0 };
	scoped(judges_finish) struct judges j = { 0 };
	struct intent_way way = { .intent = INTENT_TEST };
	const struct intent_list ways = { &way, 1, false };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char path[64];

	(void)state;
	strlist_add(&way.argv, "make");
	strlist_add(&way.argv, "test");
	if (project_parse(text, strlen(text), "aisbx.yaml", &p, &e) < 0 || project_place(&p, "/p", &e) < 0)
		fail_msg("%s", e.text);
	judges_add_all(&j, &p, &ways, "/p");
	for (size_t i = 0; i < sizeof(judge) / sizeof(*judge); i++) {
		snprintf(path, sizeof(path), "/p/%s", judge[i]);
		assert_true(judges_find(&j, path) != JUDGE_NONE);
	}
	assert_int_equal(judges_find(&j, "/p/mine.sh"), JUDGE_NONE);
	strlist_finish(&way.argv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(known_to_test),
		cmocka_unit_test(patterns),
		cmocka_unit_test(whole_projects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
