/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of stages, in every state three of them can be in. With --table it prints its table, for
 * tests/model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flow/stage.h"

#define N   3
#define ALL (STAGE_STATE_COUNT * STAGE_STATE_COUNT * STAGE_STATE_COUNT)

static void spell(unsigned int number, enum stage_state *ret)
{
	for (size_t i = 0; i < N; i++, number /= STAGE_STATE_COUNT)
		ret[i] = number % STAGE_STATE_COUNT;
}

static bool is_clean(enum stage_state s)
{
	return s == STAGE_PENDING || s == STAGE_FAILED || s == STAGE_UNDONE;
}

static void test_names(void **state)
{
	(void)state;
	for (enum stage_state s = 0; s < STAGE_STATE_COUNT; s++)
		assert_int_equal(stage_state_by_name(stage_state_name(s)), s);
	assert_int_equal(stage_state_by_name("nothing"), STAGE_STATE_COUNT);
	assert_string_equal(stage_state_name(STAGE_STATE_COUNT), "?");
	assert_string_equal(stage_event_name(STAGE_EVENT_COUNT), "?");
	assert_string_equal(stage_event_name(EVENT_LOST), "lost");
}

static void test_moves(void **state)
{
	(void)state;
	assert_int_equal(stage_next(STAGE_PENDING, EVENT_BEGIN), STAGE_JUDGING);
	assert_int_equal(stage_next(STAGE_APPLYING, EVENT_AGAIN), STAGE_APPLYING);
	assert_int_equal(stage_next(STAGE_CHECKING, EVENT_BREAK), STAGE_UNDOING);
	/* Nothing gets into a target but by way of judging. */
	for (enum stage_event ev = 0; ev < STAGE_EVENT_COUNT; ev++) {
		assert_int_not_equal(stage_next(STAGE_PENDING, ev), STAGE_APPLYING);
		assert_int_equal(stage_next(STAGE_FAILED, ev), STAGE_STATE_COUNT);
		assert_int_equal(stage_next(STAGE_UNDONE, ev), STAGE_STATE_COUNT);
	}
	/* Whatever is under way can be taken back. */
	for (enum stage_state s = 0; s < STAGE_STATE_COUNT; s++)
		if (!is_clean(s) && s != STAGE_UNDOING)
			assert_int_not_equal(stage_next(s, EVENT_BACK), STAGE_STATE_COUNT);
}

/* Forwards, all before it passed; backwards, none behind it has anything. */
static void test_where(void **state)
{
	(void)state;
	for (unsigned int k = 0; k < ALL; k++) {
		enum stage_state s[N];
		size_t at;

		spell(k, s);
		at = pipeline_at(s, N, false);
		for (size_t i = 0; at < N && i < at; i++)
			assert_int_equal(s[i], STAGE_PASSED);
		assert_true(at == N || (s[at] != STAGE_PASSED && s[at] != STAGE_FAILED &&
					s[at] != STAGE_UNDONE && s[at] != STAGE_STUCK));
		at = pipeline_at(s, N, true);
		for (size_t i = at + 1; at < N && i < N; i++)
			assert_true(is_clean(s[i]));
		assert_true(at == N || (!is_clean(s[at]) && s[at] != STAGE_STUCK));
	}
}

static void test_states(void **state)
{
	const enum stage_state done[] = { STAGE_PASSED, STAGE_PASSED },
			       waits[] = { STAGE_PASSED, STAGE_WAITING },
			       stopped[] = { STAGE_PASSED, STAGE_UNDONE },
			       undone[] = { STAGE_UNDONE, STAGE_PENDING },
			       stuck[] = { STAGE_PASSED, STAGE_STUCK };

	(void)state;
	assert_string_equal(pipeline_state_name(pipeline_state_of(done, 2, false)), "done");
	assert_string_equal(pipeline_state_name(pipeline_state_of(done, 2, true)), "running");
	assert_string_equal(pipeline_state_name(pipeline_state_of(waits, 2, false)), "waiting");
	assert_string_equal(pipeline_state_name(pipeline_state_of(waits, 2, true)), "running");
	assert_string_equal(pipeline_state_name(pipeline_state_of(stopped, 2, false)), "stopped");
	assert_string_equal(pipeline_state_name(pipeline_state_of(undone, 2, true)), "undone");
	assert_string_equal(pipeline_state_name(pipeline_state_of(stuck, 2, true)), "stopped");
	assert_string_equal(pipeline_state_name(pipeline_state_of(done, 0, false)), "done");
}

static void print_table(void)
{
#define X(id, name) printf("state %s %s\n", #id, name);
	STAGE_STATES(X)
#undef X
#define X(id, name) printf("event %s %s\n", #id, name);
	STAGE_EVENTS(X)
#undef X
	for (enum stage_state s = 0; s < STAGE_STATE_COUNT; s++)
		for (enum stage_event ev = 0; ev < STAGE_EVENT_COUNT; ev++)
			if (stage_next(s, ev) != STAGE_STATE_COUNT)
				printf("move %s %s %s\n", stage_state_name(s), stage_event_name(ev),
				       stage_state_name(stage_next(s, ev)));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names), cmocka_unit_test(test_moves),
					    cmocka_unit_test(test_where), cmocka_unit_test(test_states) };

	if (argc > 1 && !strcmp(argv[1], "--table")) {
		print_table();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
