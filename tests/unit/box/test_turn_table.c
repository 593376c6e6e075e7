/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is: nobody is above the limits, nobody is overtaken for ever, and no table leads astray. */
#include "support/test.h"

#include <stdlib.h>

#include "box/turn_table.h"

#define NEVER ((int64_t)1 << 40)

static struct turn_table *fresh(void)
{
	struct turn_table *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	turn_table_check(t);
	return t;
}

/* Gives all turns that may be given now; how many. */
static size_t give(struct turn_table *t, const struct queue_policy *p, int64_t now)
{
	int64_t soon = NEVER;
	size_t n = 0, next;

	while ((next = turn_next(t, p, now, false, &soon)) != TURN_NONE) {
		assert_int_equal(t->places[next].state, TURN_WAITS);
		turn_begin(t, p, next, now);
		n++;
	}
	return n;
}

static size_t runs_of(const struct turn_table *t, uint64_t caller)
{
	size_t n = 0;

	for (size_t i = 0; i < t->used; i++)
		n += t->places[i].state == TURN_RUNS && t->places[i].caller == caller;
	return n;
}

static void test_at_once(void **state)
{
	const struct queue_policy p = { .at_once = 3 };
	struct turn_table *t = fresh();

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(turn_enter(t, 1, "r-1"), i);
	assert_int_equal(give(t, &p, 0), 3);
	assert_int_equal(give(t, &p, 0), 0);
	turn_leave(t, 1); /* the oldest that waits is next */
	assert_int_equal(give(t, &p, 0), 1);
	assert_int_equal(t->places[3].state, TURN_RUNS);
	assert_int_equal(turn_count(t, TURN_RUNS), 3);
	assert_int_equal(turn_count(t, TURN_WAITS), 6);
	assert_int_equal(turn_enter(t, 1, "r-1"), 1); /* a free place is used again, but comes last */
	turn_leave(t, 0);
	assert_int_equal(give(t, &p, 0), 1);
	assert_int_equal(t->places[4].state, TURN_RUNS);
	free(t);
}

/* One has 500 waiting, another comes with one: it is next. */
static void test_fair(void **state)
{
	const struct queue_policy p = { .at_once = 2 };
	struct turn_table *t = fresh();
	size_t other;

	(void)state;
	for (int i = 0; i < 500; i++)
		turn_enter(t, 1, "");
	give(t, &p, 0);
	other = turn_enter(t, 2, "");
	assert_int_equal(give(t, &p, 0), 0);
	turn_leave(t, 0);
	assert_int_equal(give(t, &p, 0), 1);
	assert_int_equal(t->places[other].state, TURN_RUNS);
	free(t);
}

/* One at a time: those who wait take turns. */
static void test_one_after_the_other(void **state)
{
	const struct queue_policy p = { .at_once = 1 };
	struct turn_table *t = fresh();
	size_t got[4] = { 0 };

	(void)state;
	for (uint64_t who = 1; who <= 3; who++)
		for (int i = 0; i < 40; i++)
			turn_enter(t, who, "");
	for (int i = 0; i < 90; i++) {
		assert_int_equal(give(t, &p, i), 1);
		for (size_t at = 0; at < t->used; at++)
			if (t->places[at].state == TURN_RUNS) {
				got[t->places[at].caller]++;
				turn_leave(t, at);
				break;
			}
	}
	for (size_t who = 1; who <= 3; who++)
		assert_int_equal(got[who], 30);
	free(t);
}

static void test_of_one_caller(void **state)
{
	const struct queue_policy p = { .of_one = 2 };
	struct turn_table *t = fresh();

	(void)state;
	for (int i = 0; i < 5; i++)
		turn_enter(t, 1, "");
	turn_enter(t, 2, "");
	assert_int_equal(give(t, &p, 0), 3);
	assert_int_equal(runs_of(t, 1), 2);
	assert_int_equal(runs_of(t, 2), 1);
	free(t);
}

static void test_rate(void **state)
{
	const struct queue_policy p = { .a_minute = 6 };
	struct turn_table *t = fresh();
	int64_t soon = NEVER;

	(void)state;
	for (int i = 0; i < 20; i++)
		turn_enter(t, 1, "");
	assert_int_equal(give(t, &p, 1000), 6);
	assert_int_equal(turn_next(t, &p, 1000, false, &soon), TURN_NONE);
	assert_in_range(soon, 9999, 10001); /* one of six comes back in ten seconds */
	assert_int_equal(give(t, &p, 1000 + 9000), 0);
	assert_int_equal(give(t, &p, 1000 + 10001), 1);
	assert_int_equal(give(t, &p, 1000 + 30003), 2);
	turn_enter(t, 2, ""); /* another has a rate of its own */
	assert_int_equal(give(t, &p, 1000 + 30003), 1);
	assert_int_equal(give(t, &p, 500), 6); /* a clock that went back */
	free(t);
}

/* Without memory for another: only where nothing runs. */
static void test_short_of_memory(void **state)
{
	const struct queue_policy p = { 0 };
	struct turn_table *t = fresh();
	int64_t soon = NEVER;

	(void)state;
	turn_enter(t, 1, "");
	turn_enter(t, 1, "");
	assert_int_equal(turn_next(t, &p, 0, true, &soon), 0);
	turn_begin(t, &p, 0, 0);
	assert_int_equal(turn_next(t, &p, 0, true, &soon), TURN_NONE);
	assert_int_equal(turn_next(t, &p, 0, false, &soon), 1);
	free(t);
}

static void test_full(void **state)
{
	struct turn_table *t = fresh();

	(void)state;
	for (size_t i = 0; i < TURN_PLACES; i++)
		assert_int_equal(turn_enter(t, i, ""), i);
	assert_int_equal(turn_enter(t, 1, ""), TURN_NONE);
	turn_leave(t, 17);
	assert_int_equal(turn_enter(t, 1, ""), 17);
	for (size_t i = 0; i < TURN_PLACES; i++)
		turn_leave(t, i);
	assert_int_equal(t->used, 0);
	free(t);
}

/* Whatever stands in the file. */
static void test_damaged(void **state)
{
	const struct queue_policy p = { .at_once = 5, .of_one = 3, .a_minute = 7 };
	struct turn_table *t = fresh();

	(void)state;
	srand(1);
	for (int i = 0; i < 2000; i++) {
		const uint32_t magic = t->magic;

		for (size_t at = 0; at < sizeof(*t); at++)
			((unsigned char *)t)[at] = (unsigned char)(rand() >> 8);
		if (i % 2)
			t->magic = magic;
		t->used %= 2 * TURN_PLACES;
		for (size_t at = 0; i % 3 && at < TURN_PLACES; at++)
			t->places[at].state %= 3;
		turn_table_check(t);
		assert_true(t->used <= TURN_PLACES);
		give(t, &p, rand());
		turn_enter(t, 1, "r-0123456789abcdef");
		give(t, &p, rand());
		memset(t, 0, sizeof(*t));
		turn_table_check(t);
	}
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_of_one_caller),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_short_of_memory),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
