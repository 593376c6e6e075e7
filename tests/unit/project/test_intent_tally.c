/* SPDX-License-Identifier: Apache-2.0 */
/* What test runners write, and what is made of it; also in pieces, in colour, and when it is not plain. */
#include "support/test.h"

#include "project/intent_tally.h"

#define UNSURE                    \
	{                         \
		"unsure", 0, 0, 0 \
	}

static const struct sample {
	const char *name, *out;
	enum intent_runner known; /* as the finder tells it */
	struct {
		const char *runner;
		unsigned int passed, failed, skipped;
	} want;
} samples[] = {
	{ "nothing", "hello\n", RUNNER_ANY, UNSURE },
	{ "pytest",
	  "collected 3 items\n\n= 1 failed, 1 passed, 1 skipped in 0.02s =\n",
	  RUNNER_PYTEST,
	  { "pytest", 1, 1, 1 } },
	{ "pytest -q", "..\n2 passed in 0.01s\n", RUNNER_ANY, { "pytest", 2, 0, 0 } },
	{ "pytest with everything",
	  "== 1 failed, 4 passed, 2 skipped, 3 deselected, 1 xfailed, 1 xpassed, 2 warnings, 1 error in "
	  "62.10s (0:01:02) ==\n",
	  RUNNER_PYTEST,
	  { "pytest", 5, 2, 3 } },
	{ "pytest in colour",
	  "\033[32m\033[1m3 passed\033[0m\033[32m in 0.01s\033[0m\n",
	  RUNNER_PYTEST,
	  { "pytest", 3, 0, 0 } },
	{ "pytest without tests",
	  "===== no tests ran in 0.00s =====\n",
	  RUNNER_PYTEST,
	  { "pytest", 0, 0, 0 } },
	{ "pytest that was cut off", "collected 3 items\n", RUNNER_PYTEST, UNSURE },
	{ "a word pytest does not use", "3 passed, 2 exploded in 0.1s\n", RUNNER_PYTEST, UNSURE },
	{ "two sums", "2 passed in 0.01s\n3 passed in 0.01s\n", RUNNER_ANY, UNSURE },
	{ "not the whole line", "he said 3 passed in 2s\n", RUNNER_ANY, UNSURE },
	{ "unittest",
	  "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)\n",
	  RUNNER_UNITTEST,
	  { "unittest", 2, 2, 1 } },
	{ "unittest, good", "Ran 1 test in 0.001s\n\nOK\n", RUNNER_ANY, { "unittest", 1, 0, 0 } },
	{ "unittest, expected",
	  "Ran 4 tests in 0s\n\nOK (skipped=1, expected failures=2)\n",
	  RUNNER_UNITTEST,
	  { "unittest", 1, 0, 3 } },
	{ "unittest that lies", "Ran 1 test in 0s\n\nFAILED (failures=7)\n", RUNNER_UNITTEST, UNSURE },
	{ "node, tap",
	  "TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n# tests 2\n# suites 0\n# pass 1\n# fail 1\n# "
	  "cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 5\n",
	  RUNNER_NODE,
	  { "node", 1, 1, 0 } },
	{ "node, tap, unknown to us",
	  "ok 1 - a\n1..1\n# tests 1\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n",
	  RUNNER_ANY,
	  { "node", 1, 0, 0 } },
	{ "node, spec",
	  "\xe2\x9c\x94 a\n\xe2\x84\xb9 tests 3\n\xe2\x84\xb9 suites 1\n\xe2\x84\xb9 pass 1\n\xe2\x84\xb9 "
	  "fail 0\n\xe2\x84\xb9 cancelled 1\n\xe2\x84\xb9 skipped 0\n\xe2\x84\xb9 todo 1\n",
	  RUNNER_NODE,
	  { "node", 1, 1, 1 } },
	{ "node whose numbers do not add up", "# tests 3\n# pass 1\n# fail 0\n", RUNNER_NODE, UNSURE },
	{ "tap", "1..3\nok 1 a\nok 2 # SKIP not here\nnot ok 3 c\n", RUNNER_ANY, { "tap", 1, 1, 1 } },
	{ "tap that stops", "1..3\nok 1 a\n", RUNNER_ANY, UNSURE },
	{ "jest",
	  "Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 1 todo, 3 passed, 7 total\n",
	  RUNNER_JEST,
	  { "jest", 3, 1, 3 } },
	{ "vitest",
	  " Test Files  1 passed (1)\n      Tests  1 failed | 3 passed | 1 skipped (5)\n",
	  RUNNER_ANY,
	  { "vitest", 3, 1, 1 } },
	{ "mocha", "  3 passing (10ms)\n  1 pending\n  2 failing\n", RUNNER_ANY, { "mocha", 3, 2, 1 } },
	{ "cargo",
	  "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	  "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in "
	  "0.00s\n",
	  RUNNER_CARGO,
	  { "cargo", 4, 2, 1 } },
	{ "cargo that does not compile", "error: could not compile `x` (lib) due to 1 previous error\n",
	  RUNNER_CARGO, UNSURE },
	{ "go",
	  "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB/x\n--- FAIL: TestB (0.00s)\n    --- "
	  "SKIP: TestB/x (0.00s)\nFAIL\nFAIL\tx\t0.002s\n",
	  RUNNER_GO,
	  { "go", 1, 1, 1 } },
	{ "go that does not build", "--- PASS: TestA (0.00s)\nok  \ta\t0.1s\nFAIL\tb [build failed]\n",
	  RUNNER_GO, UNSURE },
	{ "go without -v", "ok  \tx\t0.002s\n", RUNNER_GO, UNSURE },
	{ "meson",
	  "1/2 a OK 0.01s\n\nOk:                 3   \nExpected Fail:      1   \nFail:               1   "
	  "\nUnexpected Pass:    0   \nSkipped:            2   \nTimeout:            1   \n",
	  RUNNER_MESON,
	  { "meson", 3, 2, 3 } },
	{ "ctest",
	  "2/3 Test #2: b ....***Skipped   0.01 sec\n67% tests passed, 1 tests failed out of 3\n",
	  RUNNER_CTEST,
	  { "ctest", 1, 1, 1 } },
	{ "surefire",
	  "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in A\n[INFO] "
	  "Results:\n[INFO] \n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n",
	  RUNNER_SUREFIRE,
	  { "surefire", 2, 2, 1 } },
	{ "surefire, two modules",
	  "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[WARNING] Tests run: 3, Failures: 0, "
	  "Errors: 0, Skipped: 1\n",
	  RUNNER_SUREFIRE,
	  { "surefire", 4, 0, 1 } },
	{ "junit 4", "OK (3 tests)\n", RUNNER_ANY, { "junit", 3, 0, 0 } },
	{ "junit 4, bad", "Tests run: 3,  Failures: 1\n", RUNNER_ANY, { "junit", 2, 1, 0 } },
	{ "junit 5",
	  "[         1 tests skipped         ]\n[         3 tests successful      ]\n[         1 tests "
	  "failed          ]\n",
	  RUNNER_ANY,
	  { "junit", 3, 1, 1 } },
	{ "deno", "ok | 3 passed | 0 failed | 1 ignored (12ms)\n", RUNNER_DENO, { "deno", 3, 0, 1 } },
	{ "two runners", "2 passed in 0.01s\ntest result: ok. 3 passed; 0 failed; 0 ignored\n", RUNNER_ANY,
	  UNSURE },
	{ "another's words", "test result: ok. 3 passed; 0 failed; 0 ignored\n", RUNNER_PYTEST, UNSURE },
	{ "numbers without end", "99999999999999999999 passed in 0.01s\n", RUNNER_PYTEST, UNSURE },
	{ "no line end", "3 passed in 0.01s", RUNNER_PYTEST, { "pytest", 3, 0, 0 } },
	{ "lines of Windows", "3 passed in 0.01s\r\n", RUNNER_PYTEST, { "pytest", 3, 0, 0 } },
};

/* In pieces of STEP bytes. */
static void check(const struct sample *s, size_t step, int which)
{
	struct intent_counts c = { 0 };
	enum intent_runner runner = RUNNER_ANY;
	struct intent_tally t;
	bool sure;

	intent_tally_init(&t, s->known);
	for (size_t at = 0; at < strlen(s->out); at += step)
		intent_tally_add(&t, which, s->out + at,
				 strlen(s->out) - at < step ? strlen(s->out) - at : step);
	sure = intent_tally_end(&t, &c, &runner);
	if (strcmp(sure ? intent_runner_name(runner) : "unsure", s->want.runner) != 0)
		fail_msg("%s: %s, not %s", s->name, sure ? intent_runner_name(runner) : "unsure",
			 s->want.runner);
	if (sure &&
	    (c.passed != s->want.passed || c.failed != s->want.failed || c.skipped != s->want.skipped))
		fail_msg("%s: %u %u %u", s->name, (unsigned int)c.passed, (unsigned int)c.failed,
			 (unsigned int)c.skipped);
}

static void all_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		check(&samples[i], 65536, 0);
		check(&samples[i], 1, 1);
		check(&samples[i], 7, 0);
	}
}

static void long_lines_and_bytes_do_no_harm(void **state)
{
	struct intent_counts c;
	enum intent_runner runner;
	struct intent_tally t;
	char noise[4096];

	(void)state;
	intent_tally_init(&t, RUNNER_ANY);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 7919);
	for (int i = 0; i < 64; i++) {
		memset(noise + 100, i, 1000);
		intent_tally_add(&t, i % 2, noise, sizeof(noise));
	}
	intent_tally_add(&t, 0, "\n2 passed in 1s\n", 16);
	assert_true(intent_tally_end(&t, &c, &runner));
	assert_int_equal(c.passed, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_samples),
		cmocka_unit_test(long_lines_and_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
