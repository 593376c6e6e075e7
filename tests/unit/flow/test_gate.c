/* SPDX-License-Identifier: Apache-2.0 */
/* Judging without running anything: what whoever asks brings along, and what nobody knows. */
#include "support/test.h"

#include "base/scope.h"
#include "flow/gate.h"

static const char *const env[] = { NULL };
static const struct caller by = { .stdin_fd = -1, .out_fds = { -1, -1 }, .cwd = "/", .env = env };

/* Judges the directory "/" by CHECKS, which end with NULL. */
static void judge(struct gate_subject *subject, const char *const *checks, struct project *p,
		  struct project_checks *list, struct gate_verdict *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	subject->dir = "/";
	for (size_t i = 0; checks[i]; i++)
		if (project_check_add(p, checks[i], list, &e) < 0)
			fail_msg("%s", e.text);
	if (gate_judge(&by, p, list, subject, ret, &e) < 0)
		fail_msg("%s", e.text);
}

#define JUDGE(subject, ...)                                                 \
	scoped(project_finish) struct project p = { 0 };                    \
	scoped(project_checks_finish) struct project_checks checks = { 0 }; \
	scoped(gate_verdict_finish) struct gate_verdict v = { 0 };          \
	judge(subject, (const char *const[]){ __VA_ARGS__, NULL }, &p, &checks, &v)

static void scores(void **state)
{
	static const struct {
		const char *text;
		bool found;
		double score;
	} cases[] = { { "noise\n{\"score\": 3}\n", true, 3 },
		      { "1\n2\nthe end\n", true, 2 },
		      { "{\"score\": 0.5}", true, 0.5 },
		      { "{\"points\": 3}\nno\n", false, 0 },
		      { "", false, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double score = 0;

		assert_int_equal(gate_score_read(cases[i].text, strlen(cases[i].text), &score),
				 cases[i].found);
		assert_true(score == cases[i].score);
	}
	assert_false(gate_score_read(NULL, 0, &(double){ 0 }));
}

static struct gate_run tested(const char *status)
{
	return (struct gate_run){ .report = { .run = "r-1", .status = status, .limit = LIMIT_COUNT },
				  .counted = true,
				  .tests = { .passed = 4, .skipped = 1 },
				  .scored = true,
				  .score = 7 };
}

/* A run that was made before is the test, and its score is one. */
static void a_test_that_was_run(void **state)
{
	const struct gate_run run = tested("ok");
	struct gate_subject subject = { .tested = &run, .tested_by_intent = true };
	json_t *j;

	(void)state;
	JUDGE(&subject, "test", "tests==pass", "tests.passed>=4 and tests.skipped<2", "score>6");
	assert_true(v.passed);
	assert_int_equal(v.n, 4);
	assert_string_equal(v.rulings[0].run, "r-1");
	assert_non_null(strstr(v.rulings[0].why, "4 passed, 0 failed, 1 skipped"));
	assert_string_equal(v.rulings[1].run, "");
	j = gate_verdict_json(&v);
	assert_true(json_is_true(json_object_get(j, "passed")) && json_is_null(json_object_get(j, "box")));
	assert_int_equal(json_array_size(json_object_get(j, "checks")), 4);
	assert_true(json_number_value(json_object_get(json_object_get(j, "facts"), "score")) == 7);
	json_decref(j);
}

static void a_test_that_failed(void **state)
{
	struct gate_run run = tested("failed");
	struct gate_subject subject = { .tested = &run, .tested_by_intent = true };

	(void)state;
	run.report.exit_code = 3;
	JUDGE(&subject, "test", "tests==pass", "tests.passed>=4", "score>6");
	assert_false(v.passed);
	for (size_t i = 0; i < v.n; i++)
		assert_false(v.rulings[i].passed);
	assert_non_null(strstr(v.rulings[0].why, "it exited with 3"));
	assert_non_null(strstr(v.rulings[2].why, "whatever their output says"));
}

/* What the box had changed of what it is judged by is told, by its first. */
static void judges_are_told(void **state)
{
	struct gate_run run = tested("ok");
	struct gate_subject subject = { .tested = &run, .tested_by_intent = true };

	(void)state;
	strlist_add(&run.judges, "t.sh");
	strlist_add(&run.judges, "conftest.py");
	{
		JUDGE(&subject, "test");
		assert_non_null(strstr(v.rulings[0].why, "judged by your own 't.sh' and others"));
		assert_int_equal(v.rulings[0].judges.n, 2);
	}
	strlist_finish(&run.judges);
}

static void what_was_reached(void **state)
{
	struct run_facts two[] = {
		{ .run = "r-1", .is_kept = true, .has_violations = true, .has_net = true, .sent = 10 },
		{ .run = "r-2", .is_kept = true, .has_violations = true, .has_net = true, .sent = 1014 },
	};
	const struct run_facts_list runs = { two, 2, false };
	struct gate_subject subject = { .runs = &runs };

	(void)state;
	two[0].hosts = json_pack("[s, s]", "pypi.org", "files.pythonhosted.org");
	two[1].hosts = json_pack("[s]", "pypi.org");
	{
		JUDGE(&subject, "net.hosts('pypi.org')", "net.hosts('*.pythonhosted.org')",
		      "not net.hosts('*.evil.example')", "net.hosts.count==2", "net.sent==1k",
		      "net.received==0b", "no-network-violations");
		for (size_t i = 0; i < 7; i++)
			if (!v.rulings[i].passed)
				fail_msg("%s: %s", v.rulings[i].check->text, v.rulings[i].why);
	}
	two[1].net_not_kept = 1;
	{
		JUDGE(&subject, "no-network-violations", "not net.hosts('*.evil.example')");
		assert_false(v.rulings[0].passed);
		assert_false(v.rulings[1].passed);
	}
	two[1].net_not_kept = 0;
	two[1].has_net = false;
	{
		JUDGE(&subject, "not net.hosts('*.evil.example')");
		assert_false(v.rulings[0].passed);
		assert_non_null(strstr(v.rulings[0].why, "no wall around its network"));
	}
	json_decref(two[0].hosts);
	json_decref(two[1].hosts);
}

static void runs_that_count(void **state)
{
	struct run_facts two[] = {
		{ .run = "r-1", .is_kept = true, .has_violations = true, .net = 1, .violations = 3 },
		{ .run = "r-2", .is_kept = true, .has_violations = true, .limited = true },
	};
	const struct run_facts_list runs = { two, 2, false };
	struct gate_subject subject = { .runs = &runs };

	(void)state;
	for (int i = 0; i < 2; i++) {
		two[i].has_use[USE_CPU_MS] = two[i].has_use[USE_MEM_PEAK] = true;
		two[i].use[USE_CPU_MS] = 10 * (i + 1);
		two[i].use[USE_MEM_PEAK] = 10240 * (i + 1);
	}
	JUDGE(&subject, "runs==2", "limits==1", "violations==3", "violations.network==1",
	      "usage.mem_peak==20k", "usage.cpu==30ms", "no-violations", "usage.disk<1g");
	for (size_t i = 0; i < 6; i++)
		if (!v.rulings[i].passed)
			fail_msg("%s: %s", v.rulings[i].check->text, v.rulings[i].why);
	assert_false(v.rulings[6].passed);
	assert_false(v.rulings[7].passed); /* of neither is it known */
	assert_non_null(strstr(v.rulings[7].why, "no results of its runs are stored"));
}

/* Neither a condition on what is unknown nor its opposite holds. */
static void what_nobody_knows(void **state)
{
	struct gate_subject subject = { 0 };

	(void)state;
	JUDGE(&subject, "changes<10", "not (changes<10)", "risk<=high", "traps==0", "drift==0",
	      "usage.cpu<1h", "score>0");
	for (size_t i = 0; i < v.n; i++)
		assert_false(v.rulings[i].passed);
	assert_non_null(strstr(v.rulings[0].why, "a directory has no changes of a box"));
	assert_non_null(strstr(v.rulings[6].why, "no command reported a score"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores),
		cmocka_unit_test(a_test_that_was_run),
		cmocka_unit_test(a_test_that_failed),
		cmocka_unit_test(judges_are_told),
		cmocka_unit_test(what_was_reached),
		cmocka_unit_test(runs_that_count),
		cmocka_unit_test(what_nobody_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
