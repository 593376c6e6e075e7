/* SPDX-License-Identifier: Apache-2.0 */
/* queue.yaml: what is right is read as it is meant, what is wrong is refused with its place. */
#include "support/test.h"

#include "policy/queue_policy.h"

static int parse(const char *text, struct queue_policy *p, struct aisbx_error *e)
{
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return queue_policy_parse(text, strlen(text), "queue.yaml", p, e);
}

static void test_everything(void **state)
{
	struct queue_policy p = QUEUE_POLICY_INIT;
	struct aisbx_error e;

	(void)state;
	assert_false(queue_policy_counts(&p));
	assert_int_equal(parse("at_once: 8\nof_one_caller: 4\na_minute: 120\nfree_memory: 2g\n"
			       "longest_wait: 90s\n",
			       &p, &e),
			 0);
	assert_int_equal(p.at_once, 8);
	assert_int_equal(p.of_one, 4);
	assert_int_equal(p.a_minute, 120);
	assert_int_equal(p.longest_ms, 90000);
	assert_true(queue_policy_counts(&p));
	assert_true(queue_policy_memory(&p, 1ull << 40) == 2ull << 30);
}

/* The person's file comes after that of the system, and what it does not mention stays. */
static void test_two_files(void **state)
{
	struct queue_policy p = QUEUE_POLICY_INIT;
	struct aisbx_error e;

	(void)state;
	assert_int_equal(parse("at_once: 8\na_minute: 60\n", &p, &e), 0);
	assert_int_equal(parse("at_once: 2\nlongest_wait: 0\n", &p, &e), 0);
	assert_int_equal(parse("", &p, &e), 0);
	assert_int_equal(p.at_once, 2);
	assert_int_equal(p.a_minute, 60);
	assert_int_equal(p.longest_ms, 0);
}

static void test_memory(void **state)
{
	struct queue_policy p = QUEUE_POLICY_INIT;
	struct aisbx_error e;

	(void)state;
	assert_true(queue_policy_memory(&p, 1ull << 30) == (1ull << 30) / 20);
	assert_true(queue_policy_memory(&p, 64ull << 30) == 512ull << 20);
	assert_int_equal(parse("free_memory: 0\n", &p, &e), 0);
	assert_int_equal(queue_policy_memory(&p, 64ull << 30), 0);
}

static void test_mistakes(void **state)
{
	static const char *const bad[][2] = {
		{ "at_one: 1\n", "at_once" },
		{ "at_once: many\n", "queue.yaml:1" },
		{ "at_once: -1\n", "queue.yaml:1" },
		{ "a_minute: 1\nat_once: 1001\n", "queue.yaml:2" },
		{ "of_one_caller: 2.5\n", "queue.yaml:1" },
		{ "free_memory: some\n", "512m" },
		{ "free_memory: [1]\n", "queue.yaml:1" },
		{ "longest_wait: 8d\n", "queue.yaml:1" },
		{ "longest_wait: soon\n", "queue.yaml:1" },
		{ "at_once: 1\nat_once: 2\n", "queue.yaml:2" },
		{ "- 1\n", "queue.yaml" },
		{ "at_once: [\n", "queue.yaml" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct queue_policy p = QUEUE_POLICY_INIT;
		struct aisbx_error e;

		assert_true(parse(bad[i][0], &p, &e) < 0);
		if (!strstr(e.text, bad[i][1]))
			fail_msg("'%s' gives '%s', without '%s'", bad[i][0], e.text, bad[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_two_files),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
