/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the output of test runners line by line, each reader separately; in the end exactly one must have
 * seen a summary.
 */
#include "project/intent_tally.h"

#include <string.h>

#include "base/str.h"

/* A number at *AT, and what follows it; false: there is none. */
static bool number(const char **at, uint64_t *ret)
{
	uint64_t n = 0;
	size_t digits = 0;

	for (; **at >= '0' && **at <= '9' && digits < 10; ++*at, digits++)
		n = n * 10 + (uint64_t)(**at - '0');
	*ret = n;
	return digits > 0 && digits < 10;
}

static bool skip(const char **at, const char *word)
{
	if (strncmp(*at, word, strlen(word)) != 0)
		return false;
	*at += strlen(word);
	return true;
}

static void blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

/* What a runner calls each of the three; the rest is not counted but known. */
struct name_list {
	const char *passed, *failed, *skipped, *other;
};

/* "3 passed", to the sum. False: the word is not known. */
static bool count(const char **at, const struct name_list *n, struct intent_counts *sum)
{
	uint64_t value;
	size_t len;

	if (!number(at, &value) || !skip(at, " "))
		return false;
	len = strcspn(*at, ",;|( ");
	if (str_is_one_of_n(*at, len, n->passed))
		sum->passed += value;
	else if (str_is_one_of_n(*at, len, n->failed))
		sum->failed += value;
	else if (str_is_one_of_n(*at, len, n->skipped))
		sum->skipped += value;
	else if (!str_is_one_of_n(*at, len, n->other))
		return false;
	*at += len;
	return true;
}

/* "1 failed, 3 passed": all of it with SEPARATOR between; AT is then behind it. */
static bool counts(const char **at, const char *separator, const struct name_list *n,
		   struct intent_counts *ret)
{
	struct intent_counts sum = { 0 };

	do {
		if (!count(at, n, &sum))
			return false;
	} while (skip(at, separator));
	*ret = sum;
	return true;
}

static void add(struct intent_said *s, const struct intent_counts *c)
{
	s->sum.passed += c->passed;
	s->sum.failed += c->failed;
	s->sum.skipped += c->skipped;
	s->times++;
}

/* "=== 1 failed, 3 passed, 1 warning in 0.12s ===", or without the rule. */
static void pytest_line(struct intent_said *s, const char *line)
{
	static const struct name_list names = { "passed|xpassed", "failed|error|errors", "skipped|xfailed",
						"warning|warnings|deselected|rerun" };
	struct intent_counts c = { 0 };

	line += strspn(line, "=");
	blanks(&line);
	if (!skip(&line, "no tests ran") && !counts(&line, ", ", &names, &c))
		return;
	if (skip(&line, " in ") && *line >= '0' && *line <= '9' && strchr(line, 's'))
		add(s, &c);
}

/* Of "(failures=1, expected failures=2)". */
static uint64_t value_of(const char *line, const char *name)
{
	uint64_t n = 0;

	for (const char *at = line; (at = strstr(at, name)); at++)
		if (at > line && (at[-1] == '(' || (at[-1] == ' ' && at[-2] == ','))) {
			at += strlen(name);
			number(&at, &n);
			break;
		}
	return n;
}

/* "Ran 3 tests in 0.001s", then "OK (skipped=1)" or "FAILED (failures=1, errors=2)". */
static void unittest_line(struct intent_said *s, const char *line)
{
	struct intent_counts c = { 0 };
	const char *at = line;

	if (skip(&at, "Ran ") && number(&at, &s->total) &&
	    (skip(&at, " tests in ") || skip(&at, " test in "))) {
		s->open = true;
		return;
	}
	if (!s->open || !*line)
		return;
	s->open = false;
	if (strncmp(line, "OK", 2) != 0 && strncmp(line, "FAILED (", 8) != 0 &&
	    strncmp(line, "NO TESTS RAN", 12) != 0) {
		s->odd = true;
		return;
	}
	c.failed = value_of(line, "failures=") + value_of(line, "errors=") +
		   value_of(line, "unexpected successes=");
	c.skipped = value_of(line, "skipped=") + value_of(line, "expected failures=");
	s->odd = s->odd || c.failed + c.skipped > s->total;
	c.passed = s->total - c.failed - c.skipped;
	add(s, &c);
}

/* The end of node --test: "# tests 5", "# pass 4", "# fail 1" ..., or with U+2139 for '#'. */
static void node_line(struct intent_said *s, const char *line)
{
	static const char *const names[] = { "tests ",     "suites ",  "pass ", "fail ",
					     "cancelled ", "skipped ", "todo " };
	uint64_t n;

	if (!skip(&line, "# ") && !skip(&line, "\xe2\x84\xb9 "))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!skip(&line, names[i]) || !number(&line, &n) || *line)
			continue;
		if (i == 0) {
			s->total = n;
			s->times++;
		}
		*(i == 2             ? &s->sum.passed
		  : i == 3 || i == 4 ? &s->sum.failed
		  : i > 4            ? &s->sum.skipped
				     : &s->seen) += n;
	}
}

/* "1..N", "ok 1 - name # SKIP", "not ok 2". Who numbers is believed only if as many came as
 * were announced. */
static void tap_line(struct intent_said *s, const char *line)
{
	bool bad = skip(&line, "not ");
	uint64_t n;

	if (!bad && skip(&line, "1..") && number(&line, &n)) {
		s->plan += n;
		s->times++;
		return;
	}
	if (!skip(&line, "ok ") || !number(&line, &n))
		return;
	s->seen++;
	if (strstr(line, "# SKIP") || strstr(line, "# skip") || strstr(line, "# TODO") ||
	    strstr(line, "# todo"))
		s->sum.skipped++;
	else
		*(bad ? &s->sum.failed : &s->sum.passed) += 1;
}

/* "Tests:       1 failed, 2 skipped, 3 passed, 6 total" */
static void jest_line(struct intent_said *s, const char *line)
{
	static const struct name_list names = { "passed", "failed", "skipped|todo|pending", "total" };
	struct intent_counts c;

	if (!skip(&line, "Tests:"))
		return;
	blanks(&line);
	if (counts(&line, ", ", &names, &c) && !*line)
		add(s, &c);
}

/* "      Tests  1 failed | 3 passed (4)" */
static void vitest_line(struct intent_said *s, const char *line)
{
	static const struct name_list names = { "passed", "failed", "skipped|todo", "" };
	struct intent_counts c;

	if (*line != ' ')
		return;
	blanks(&line);
	if (!skip(&line, "Tests  "))
		return;
	blanks(&line);
	if (counts(&line, " | ", &names, &c) && skip(&line, " ("))
		add(s, &c);
}

/* "  3 passing (10ms)", then perhaps "  1 pending", "  2 failing". */
static void mocha_line(struct intent_said *s, const char *line)
{
	uint64_t n;

	if (*line != ' ')
		return;
	blanks(&line);
	if (!number(&line, &n))
		return;
	if (skip(&line, " passing (")) {
		s->sum.passed += n;
		s->times++;
	} else if (s->times && !strcmp(line, " pending")) {
		s->sum.skipped += n;
	} else if (s->times && !strcmp(line, " failing")) {
		s->sum.failed += n;
	}
}

/* "test result: ok. 3 passed; 0 failed; 1 ignored; ...", one per program; a program that did not come so far
 * has none. */
static void cargo_line(struct intent_said *s, const char *line)
{
	static const struct name_list names = { "passed", "failed", "ignored", "measured|filtered" };
	struct intent_counts c;

	if (!strncmp(line, "error: could not compile", 24))
		s->odd = true;
	if (!skip(&line, "test result: ") || (!skip(&line, "ok. ") && !skip(&line, "FAILED. ")))
		return;
	if (counts(&line, "; ", &names, &c))
		add(s, &c);
}

/* "--- PASS: TestX (0.00s)", with blanks before it for one in another. */
static void go_line(struct intent_said *s, const char *line)
{
	const char *at = line;

	if (!strncmp(line, "panic: ", 7) || strstr(line, "[build failed]") || strstr(line, "[setup failed]"))
		s->odd = true;
	if (!strncmp(line, "ok  \t", 5) || !strncmp(line, "FAIL\t", 5))
		s->times++;
	blanks(&at);
	if (!skip(&at, "--- "))
		return;
	if (skip(&at, "PASS: "))
		s->sum.passed++;
	else if (skip(&at, "FAIL: "))
		s->sum.failed++;
	else if (skip(&at, "SKIP: "))
		s->sum.skipped++;
	else
		return;
	s->seen++;
}

/* "Ok:                 3" and so on, one below the other. Older ones write every row, newer ones only those
 * with something. */
static void meson_line(struct intent_said *s, const char *line)
{
	static const struct {
		const char *name;
		size_t where;
	} rows[] = {
		{ "Ok:", offsetof(struct intent_counts, passed) },
		{ "Expected Fail:", offsetof(struct intent_counts, skipped) },
		{ "Fail:", offsetof(struct intent_counts, failed) },
		{ "Unexpected Pass:", offsetof(struct intent_counts, failed) },
		{ "Skipped:", offsetof(struct intent_counts, skipped) },
		{ "Timeout:", offsetof(struct intent_counts, failed) },
	};
	uint64_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *at = line;

		if (!skip(&at, rows[i].name) || (*at != ' ' && *at != '\t'))
			continue;
		blanks(&at);
		if (!number(&at, &n) || *(at += strspn(at, " ")))
			continue;
		*(uint64_t *)((char *)&s->sum + rows[i].where) += n;
		s->times += i == 0;
		return;
	}
}

/* "100% tests passed, 0 tests failed out of 5" */
static void ctest_line(struct intent_said *s, const char *line)
{
	struct intent_counts c = { 0 };
	uint64_t percent, total;

	if (strstr(line, "***Skipped"))
		s->seen++;
	if (!number(&line, &percent) || !skip(&line, "% tests passed, ") || !number(&line, &c.failed) ||
	    !skip(&line, " tests failed out of ") || !number(&line, &total))
		return;
	c.skipped = s->seen;
	s->odd = s->odd || c.failed + c.skipped > total;
	c.passed = total - c.failed - c.skipped;
	add(s, &c);
}

/* "Tests run: 5, Failures: 1, Errors: 0, Skipped: 1": the sum of a module has no time behind it. */
static void surefire_line(struct intent_said *s, const char *line)
{
	struct intent_counts c;
	uint64_t total, failures, errors;

	if (!strncmp(line, "[INFO] ", 7) || !strncmp(line, "[ERROR]", 7) || !strncmp(line, "[WARNI", 6))
		line += strcspn(line, " ");
	blanks(&line);
	if (!skip(&line, "Tests run: ") || !number(&line, &total) || !skip(&line, ", Failures: ") ||
	    !number(&line, &failures) || !skip(&line, ", Errors: ") || !number(&line, &errors) ||
	    !skip(&line, ", Skipped: ") || !number(&line, &c.skipped) || *line)
		return;
	c.failed = failures + errors;
	s->odd = s->odd || c.failed + c.skipped > total;
	c.passed = total - c.failed - c.skipped;
	add(s, &c);
}

/* The console launcher's "[         3 tests successful      ]". */
static void launcher_line(struct intent_said *s, const char *line)
{
	uint64_t n;

	if (!skip(&line, "[ "))
		return;
	blanks(&line);
	if (!number(&line, &n))
		return;
	if (skip(&line, " tests successful")) {
		s->sum.passed += n;
		s->times++;
	} else if (skip(&line, " tests failed") || skip(&line, " tests aborted")) {
		s->sum.failed += n;
	} else if (skip(&line, " tests skipped")) {
		s->sum.skipped += n;
	}
}

/* JUnit 4's "OK (3 tests)" and "Tests run: 3,  Failures: 1", or the launcher's. */
static void junit_line(struct intent_said *s, const char *line)
{
	struct intent_counts c = { 0 };
	uint64_t n;

	if (skip(&line, "OK (") && number(&line, &c.passed) &&
	    (skip(&line, " tests)") || skip(&line, " test)"))) {
		add(s, &c);
		return;
	}
	if (skip(&line, "Tests run: ") && number(&line, &n) && skip(&line, ",  Failures: ") &&
	    number(&line, &c.failed) && !*line) {
		s->odd = s->odd || c.failed > n;
		c.passed = n - c.failed;
		add(s, &c);
		return;
	}
	launcher_line(s, line);
}

/* "ok | 3 passed | 0 failed | 1 ignored (12ms)" */
static void deno_line(struct intent_said *s, const char *line)
{
	static const struct name_list names = { "passed", "failed", "ignored", "filtered|measured" };
	struct intent_counts c;

	if (!skip(&line, "ok | ") && !skip(&line, "FAILED | "))
		return;
	if (counts(&line, " | ", &names, &c) && skip(&line, " ("))
		add(s, &c);
}

static const struct {
	const char *name;
	void (*line)(struct intent_said *s, const char *line);
	bool often; /* one sum for each of several parts is usual, and they add up */
} readers[RUNNER_COUNT] = {
	[RUNNER_ANY] = { "any", NULL, false },
	[RUNNER_PYTEST] = { "pytest", pytest_line, false },
	[RUNNER_UNITTEST] = { "unittest", unittest_line, false },
	[RUNNER_NODE] = { "node", node_line, false },
	[RUNNER_TAP] = { "tap", tap_line, false },
	[RUNNER_JEST] = { "jest", jest_line, false },
	[RUNNER_VITEST] = { "vitest", vitest_line, false },
	[RUNNER_MOCHA] = { "mocha", mocha_line, false },
	[RUNNER_CARGO] = { "cargo", cargo_line, true },
	[RUNNER_GO] = { "go", go_line, true },
	[RUNNER_MESON] = { "meson", meson_line, false },
	[RUNNER_CTEST] = { "ctest", ctest_line, false },
	[RUNNER_SUREFIRE] = { "surefire", surefire_line, true },
	[RUNNER_JUNIT] = { "junit", junit_line, false },
	[RUNNER_DENO] = { "deno", deno_line, false },
};

const char *intent_runner_name(enum intent_runner r)
{
	return readers[r].name;
}

void intent_tally_init(struct intent_tally *t, enum intent_runner runner)
{
	*t = (struct intent_tally){ .runner = runner };
}

static void end_line(struct intent_tally *t, int which)
{
	char *line = t->streams[which].line;
	size_t len = t->streams[which].len;

	len -= len && line[len - 1] == '\r';
	line[len] = '\0';
	t->streams[which].len = 0;
	for (enum intent_runner r = RUNNER_ANY + 1; r < RUNNER_COUNT; r++)
		if (t->runner == RUNNER_ANY || t->runner == r)
			readers[r].line(&t->said[r], line);
}

void intent_tally_add(struct intent_tally *t, int which, const char *data, size_t len)
{
	char *line = t->streams[which].line;

	for (size_t i = 0; i < len; i++) {
		char c = data[i];

		if (c == '\n') {
			end_line(t, which);
			t->streams[which].in_escape = false;
		} else if (c == '\033') {
			t->streams[which].in_escape = true;
		} else if (t->streams[which].in_escape) { /* "[1;32m": ends with a letter */
			t->streams[which].in_escape = !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
		} else if (c && t->streams[which].len < TALLY_LINE - 1) {
			line[t->streams[which].len++] = c;
		}
	}
}

static bool is_plain(const struct intent_tally *t, enum intent_runner r)
{
	const struct intent_said *s = &t->said[r];
	uint64_t all = s->sum.passed + s->sum.failed + s->sum.skipped;

	if (s->odd || !s->times || (s->times > 1 && !readers[r].often))
		return false;
	if (r == RUNNER_NODE)
		return all == s->total;
	if (r == RUNNER_TAP)
		return s->plan == s->seen;
	return r != RUNNER_GO || s->seen > 0;
}

bool intent_tally_end(struct intent_tally *t, struct intent_counts *ret, enum intent_runner *ret_runner)
{
	enum intent_runner found = RUNNER_ANY;

	for (int i = 0; i < 2; i++)
		if (t->streams[i].len)
			end_line(t, i);
	if (t->said[RUNNER_NODE].times) /* its reports are TAP as well */
		t->said[RUNNER_TAP] = (struct intent_said){ 0 };
	for (enum intent_runner r = RUNNER_ANY + 1; r < RUNNER_COUNT; r++) {
		bool spoke = t->said[r].times || (t->said[r].odd && t->runner == r);

		if (spoke && (found != RUNNER_ANY || !is_plain(t, r)))
			return false;
		found = spoke ? r : found;
	}
	if (found == RUNNER_ANY)
		return false;
	*ret = t->said[found].sum;
	*ret_runner = found;
	return true;
}
