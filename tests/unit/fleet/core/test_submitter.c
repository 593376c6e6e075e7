/* SPDX-License-Identifier: Apache-2.0 */
/* A submitter: saves before it sends, sends again what was lost, grants once. */
#include "support/test.h"

#include "fleet/core/submitter.h"
#include "support/fleet.h"

static struct fleet_submitter *make(void)
{
	struct fleet_submitter_options options = FLEET_SUBMITTER_OPTIONS;

	fleet_name_copy(options.name, "s");
	return fleet_submitter_create(&options);
}

static void answer(struct fleet_submitter *s, uint64_t ms, uint64_t number, enum fleet_answer_kind kind,
		   struct fleet_actions *out)
{
	struct fleet_answer a = { .kind = kind, .number = number, .revision = 1 };

	fleet_actions_clear(out);
	fleet_submitter_answer(s, at(ms), &a, out);
}

/* Ticks until UNTIL or something was asked. */
static struct fleet_ask *wait_for(struct fleet_submitter *s, uint64_t *ms, uint64_t until,
				  enum fleet_ask_kind kind, struct fleet_actions *out)
{
	fleet_actions_clear(out);
	while (!asked(out, kind) && fleet_submitter_next(s) <= until) {
		*ms = fleet_submitter_next(s);
		fleet_actions_clear(out);
		fleet_submitter_tick(s, at(*ms), out);
	}
	return asked(out, kind);
}

static void a_job_is_saved_before_it_is_sent(void **state)
{
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_job job = a_job("j", FLEET_REPEATABLE);

	(void)state;
	assert_true(fleet_submitter_submit(s, at(0), &job, &out));
	assert_int_equal(out.n, 2);
	assert_int_equal(out.items[0].kind, FLEET_SAVE_JOB);
	assert_int_equal(out.items[1].kind, FLEET_ASK);
	assert_int_equal(out.items[1].ask.kind, FLEET_ASK_SUBMIT);
	assert_false(fleet_submitter_submit(s, at(0), &job, &out));
	answer(s, 5, 1, FLEET_OK, &out);
	assert_non_null(first_of(&out, FLEET_ACCEPTED));
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

static void a_full_queue_is_told_and_tried_again(void **state)
{
	struct fleet_answer full = { .kind = FLEET_FULL, .number = 1, .wait_ms = 700 };
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_job job = a_job("j", FLEET_REPEATABLE);
	uint64_t ms = 0;

	(void)state;
	fleet_submitter_submit(s, at(0), &job, &out);
	fleet_actions_clear(&out);
	fleet_submitter_answer(s, at(10), &full, &out);
	assert_int_equal(first_of(&out, FLEET_FULL_QUEUE)->wait_ms, 700);
	assert_non_null(wait_for(s, &ms, 1000, FLEET_ASK_SUBMIT, &out));
	assert_int_equal(ms, 710);
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

static void a_job_that_the_engine_lost_is_submitted_again(void **state)
{
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_job job = a_job("j", FLEET_REPEATABLE);
	uint64_t ms = 0;
	struct fleet_ask *look;

	(void)state;
	fleet_submitter_submit(s, at(0), &job, &out);
	answer(s, 1, 1, FLEET_OK, &out);
	for (;;) {
		fleet_actions_clear(&out);
		ms = fleet_submitter_next(s);
		assert_true(ms < 1000000);
		fleet_submitter_tick(s, at(ms), &out);
		if (asked(&out, FLEET_ASK_SUBMIT))
			break;
		look = asked(&out, FLEET_ASK_RECORD);
		if (look)
			answer(s, ms, look->number, FLEET_NOT_THERE, &out);
	}
	assert_in_range(ms, 300000, 500000);
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

static struct fleet_message may_i(const char *node, uint64_t number)
{
	struct fleet_message m = { .kind = FLEET_MSG_MAY_I, .incarnation = 7, .number = number };

	fleet_name_copy(m.from, node);
	fleet_name_copy(m.job, "j");
	fleet_name_copy(m.tenant, "t");
	return m;
}

static const struct fleet_message *ask_for(struct fleet_submitter *s, const char *node, uint64_t number,
					   struct fleet_actions *out)
{
	struct fleet_message m = may_i(node, number);

	fleet_actions_clear(out);
	fleet_submitter_message(s, at(10), &m, out);
	return sent(out, FLEET_MSG_GRANT);
}

static void one_asking_of_one_node_is_granted(void **state)
{
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_job job = a_job("j", FLEET_ONCE);

	(void)state;
	assert_string_equal(ask_for(s, "a", 1, &out)->reason, FLEET_UNWANTED);
	fleet_actions_clear(&out);
	fleet_submitter_submit(s, at(0), &job, &out);
	assert_true(ask_for(s, "a", 1, &out)->yes);
	assert_int_equal(out.items[0].kind, FLEET_SAVE_GRANT);
	assert_true(ask_for(s, "a", 1, &out)->yes); /* its answer was lost */
	assert_false(ask_for(s, "a", 2, &out)->yes);
	assert_false(ask_for(s, "b", 1, &out)->yes);
	assert_string_equal(sent(&out, FLEET_MSG_GRANT)->reason, FLEET_TAKEN);
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

static void a_grant_outlives_the_program(void **state)
{
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_saved_job saved = {
		.job = a_job("j", FLEET_ONCE), .granted = true, .node = "a", .incarnation = 7, .number = 1
	};

	(void)state;
	fleet_submitter_restore(s, at(0), &saved, &out);
	assert_false(ask_for(s, "b", 1, &out)->yes);
	assert_true(ask_for(s, "a", 1, &out)->yes);
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

static void end_with(struct fleet_submitter *s, uint64_t *ms, enum fleet_phase phase,
		     struct fleet_actions *out)
{
	struct fleet_ask *look = wait_for(s, ms, *ms + 1000000, FLEET_ASK_RECORD, out);
	struct fleet_answer a = { .kind = FLEET_OK, .revision = *ms, .record = { .phase = phase } };

	assert_non_null(look);
	a.number = look->number;
	fleet_actions_clear(out);
	fleet_submitter_answer(s, at(*ms), &a, out);
}

static void an_end_is_saved_and_told_once_and_unknown_may_become_known(void **state)
{
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_job job = a_job("j", FLEET_ONCE);
	uint64_t ms = 0;

	(void)state;
	fleet_submitter_submit(s, at(0), &job, &out);
	answer(s, 1, 1, FLEET_OK, &out);
	end_with(s, &ms, FLEET_UNKNOWN, &out);
	assert_int_equal(out.items[0].kind, FLEET_SAVE_END);
	assert_int_equal(out.items[1].kind, FLEET_TELL);
	end_with(s, &ms, FLEET_DEAD, &out);
	assert_null(first_of(&out, FLEET_TELL));
	end_with(s, &ms, FLEET_ENDED, &out);
	assert_int_equal(first_of(&out, FLEET_TELL)->record.phase, FLEET_ENDED);
	fleet_submitter_tick(s, at(fleet_submitter_next(s)), &out);
	assert_int_equal(fleet_submitter_next(s), UINT64_MAX);
	fleet_submitter_drop(s, "j");
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

static void a_wish_to_cancel_is_repeated(void **state)
{
	struct fleet_submitter *s = make();
	struct fleet_actions out = { 0 };
	struct fleet_job job = a_job("j", FLEET_REPEATABLE);
	struct fleet_ask *look;
	uint64_t ms = 0;

	(void)state;
	fleet_submitter_submit(s, at(0), &job, &out);
	answer(s, 1, 1, FLEET_OK, &out);
	fleet_submitter_cancel(s, at(2), "j", &out);
	assert_non_null(sent(&out, FLEET_MSG_CANCEL));
	look = wait_for(s, &ms, 5000, FLEET_ASK_RECORD, &out);
	assert_non_null(look);
	answer(s, ms, look->number, FLEET_NOT_THERE, &out);
	assert_non_null(sent(&out, FLEET_MSG_CANCEL));
	fleet_actions_finish(&out);
	fleet_submitter_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_saved_before_it_is_sent),
		cmocka_unit_test(a_full_queue_is_told_and_tried_again),
		cmocka_unit_test(a_job_that_the_engine_lost_is_submitted_again),
		cmocka_unit_test(one_asking_of_one_node_is_granted),
		cmocka_unit_test(a_grant_outlives_the_program),
		cmocka_unit_test(an_end_is_saved_and_told_once_and_unknown_may_become_known),
		cmocka_unit_test(a_wish_to_cancel_is_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
