/* SPDX-License-Identifier: Apache-2.0 */
/* Names, classes, tokens, texts that are shared, copies that are deep, and lists of actions. */
#include "support/test.h"

#include "fleet/core/actions.h"

static void names_are_words_of_subjects(void **state)
{
	char longest[FLEET_NAME + 1];

	(void)state;
	assert_true(fleet_is_name("a"));
	assert_true(fleet_is_name("Job-1_Z9"));
	assert_false(fleet_is_name(""));
	for (unsigned c = 1; c < 256; c++) {
		const char name[] = { 'a', (char)c, 0 };
		bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			  c == '-' || c == '_';

		assert_int_equal(fleet_is_name(name), ok);
		assert_int_equal(fleet_is_class(name), ok || c == '=');
	}
	memset(longest, 'x', sizeof(longest));
	longest[FLEET_NAME - 1] = 0;
	assert_true(fleet_is_name(longest));
	assert_true(fleet_is_class(longest));
	longest[FLEET_NAME - 1] = 'x';
	longest[FLEET_NAME] = 0;
	assert_false(fleet_is_name(longest));
	assert_false(fleet_is_class(longest));
}

static void classes_are_labels_none_of_them_empty(void **state)
{
	(void)state;
	assert_true(fleet_is_class("gpu=1,zone=a"));
	assert_false(fleet_is_class(""));
	assert_false(fleet_is_class(","));
	assert_false(fleet_is_class(",a"));
	assert_false(fleet_is_class("a,"));
	assert_false(fleet_is_class("a,,b"));
}

static void a_node_must_have_every_label(void **state)
{
	(void)state;
	assert_true(fleet_class_fits("any", "n1", ""));
	assert_true(fleet_class_fits("gpu=1", "n1", "zone=a,gpu=1"));
	assert_true(fleet_class_fits("gpu=1,zone=a", "n1", "zone=a,gpu=1"));
	assert_false(fleet_class_fits("gpu=1,zone=b", "n1", "zone=a,gpu=1"));
	assert_false(fleet_class_fits("gpu=1", "n1", "gpu=10"));
	assert_false(fleet_class_fits("gpu=10", "n1", "gpu=1"));
	assert_false(fleet_class_fits("gpu=1", "n1", ""));
	assert_false(fleet_class_fits("", "n1", ""));
	assert_false(fleet_class_fits("a,,b", "n1", "a,,b"));
	assert_true(fleet_class_fits("node=n1", "n1", ""));
	assert_true(fleet_class_fits("node=n1,zone=a", "n1", "zone=a"));
	assert_false(fleet_class_fits("node=n1", "n10", ""));
	assert_false(fleet_class_fits("node=n10", "n1", ""));
	/* not by a label of its own choice */
	assert_false(fleet_class_fits("node=n2", "n1", "node=n2"));
}

static void tokens_are_ordered_by_epoch_first(void **state)
{
	const struct fleet_token low = { 1, 900 }, high = { 2, 3 }, higher = { 2, 4 };

	(void)state;
	assert_true(fleet_token_compare(low, high) < 0);
	assert_true(fleet_token_compare(high, low) > 0);
	assert_true(fleet_token_compare(high, higher) < 0);
	assert_true(fleet_token_compare(higher, high) > 0);
	assert_int_equal(fleet_token_compare(high, high), 0);
}

static void texts_are_shared_and_end_with_the_last_holder(void **state)
{
	struct fleet_text *text = fleet_text_new("a\0b", 3);

	(void)state;
	assert_ptr_equal(fleet_text_hold(text), text);
	fleet_text_drop(text);
	assert_int_equal(fleet_text_len(text), 3);
	assert_memory_equal(fleet_text_data(text), "a\0b", 4);
	fleet_text_drop(text);
	assert_null(fleet_text_hold(NULL));
	fleet_text_drop(NULL);
	assert_int_equal(fleet_text_len(NULL), 0);
	assert_string_equal(fleet_text_data(NULL), "");
	text = fleet_text_new(NULL, 0);
	assert_string_equal(fleet_text_data(text), "");
	fleet_text_drop(text);
}

static void copies_outlive_what_they_are_copied_from(void **state)
{
	struct fleet_message m = { .kind = FLEET_MSG_BEAT, .from = "n1" }, copy;
	struct fleet_ask ask = { .kind = FLEET_ASK_PUT, .number = 7 }, ask_copy;

	(void)state;
	m.beat.n_held = 2;
	m.beat.held = calloc(2, sizeof(*m.beat.held));
	strcpy(m.beat.held[1].job, "j2");
	m.offered.body = fleet_text_new("{}", 2);
	ask.job.body = fleet_text_new("body", 4);
	ask.record.result = fleet_text_new("result", 6);
	fleet_message_copy(&m, &copy);
	fleet_ask_copy(&ask, &ask_copy);
	fleet_message_finish(&m);
	fleet_ask_finish(&ask);
	assert_null(m.beat.held);
	assert_null(ask.job.body);
	assert_string_equal(copy.from, "n1");
	assert_string_equal(copy.beat.held[1].job, "j2");
	assert_string_equal(fleet_text_data(copy.offered.body), "{}");
	assert_int_equal(ask_copy.number, 7);
	assert_string_equal(fleet_text_data(ask_copy.job.body), "body");
	assert_string_equal(fleet_text_data(ask_copy.record.result), "result");
	fleet_message_finish(&copy);
	fleet_ask_finish(&ask_copy);
	fleet_message_finish(&copy); /* twice is fine */
	fleet_ask_finish(&ask_copy);
}

static void answers_free_what_they_hold(void **state)
{
	struct fleet_answer answer = { .n_jobs = 2, .n_lanes = 1 };

	(void)state;
	answer.jobs = calloc(2, sizeof(*answer.jobs));
	answer.jobs[1].job.body = fleet_text_new("x", 1);
	answer.lanes = calloc(1, sizeof(*answer.lanes));
	answer.record.result = fleet_text_new("y", 1);
	fleet_answer_finish(&answer);
	assert_null(answer.jobs);
	assert_int_equal(answer.n_jobs, 0);
	fleet_answer_finish(&answer);
}

static void actions_keep_their_order_and_are_cleared(void **state)
{
	struct fleet_actions actions = { 0 };

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 100; i++) {
			struct fleet_action *action = fleet_actions_add(&actions, FLEET_SAVE_JOB);

			assert_null(action->job.body);
			assert_int_equal(action->number, 0);
			action->number = i;
			action->job.body = fleet_text_new("b", 1);
			action->message.offered.body = fleet_text_hold(action->job.body);
			action->ask.record.result = fleet_text_hold(action->job.body);
			action->record.result = fleet_text_hold(action->job.body);
		}
		assert_int_equal(actions.n, 100);
		for (unsigned i = 0; i < 100; i++)
			assert_int_equal(actions.items[i].number, i);
		fleet_actions_clear(&actions);
		assert_int_equal(actions.n, 0);
	}
	fleet_actions_finish(&actions);
	assert_null(actions.items);
	fleet_actions_finish(&actions);
}

static void everything_has_a_name(void **state)
{
	(void)state;
	for (int kind = 0; kind < FLEET_MSG_N; kind++)
		assert_true(strlen(fleet_message_name((enum fleet_message_kind)kind)) > 1);
	for (int kind = FLEET_ASK_SUBMIT; kind <= FLEET_ASK_PUT_TERM; kind++)
		assert_true(strlen(fleet_ask_name((enum fleet_ask_kind)kind)) > 1);
	for (int kind = FLEET_OK; kind <= FLEET_FAILED; kind++)
		assert_true(strlen(fleet_answer_name((enum fleet_answer_kind)kind)) > 1);
	assert_string_equal(fleet_phase_name(FLEET_UNKNOWN), "unknown");
	assert_string_equal(fleet_effect_name(FLEET_ONCE), "once");
	assert_string_equal(fleet_message_name(FLEET_MSG_N), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_words_of_subjects),
		cmocka_unit_test(classes_are_labels_none_of_them_empty),
		cmocka_unit_test(a_node_must_have_every_label),
		cmocka_unit_test(tokens_are_ordered_by_epoch_first),
		cmocka_unit_test(texts_are_shared_and_end_with_the_last_holder),
		cmocka_unit_test(copies_outlive_what_they_are_copied_from),
		cmocka_unit_test(answers_free_what_they_hold),
		cmocka_unit_test(actions_keep_their_order_and_are_cleared),
		cmocka_unit_test(everything_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
