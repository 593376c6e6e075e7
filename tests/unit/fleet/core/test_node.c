/* SPDX-License-Identifier: Apache-2.0 */
/* A node: runs while its lease lasts, kills before it ends, writes results over its own claim only. */
#include "support/test.h"

#include "fleet/core/node.h"
#include "support/fleet.h"

#define TOKEN(epoch_, revision_) ((struct fleet_token){ .epoch = (epoch_), .revision = (revision_) })

static struct fleet_node *make(unsigned slots)
{
	struct fleet_node_options options = FLEET_NODE_OPTIONS;

	fleet_name_copy(options.name, "n");
	options.slots = slots;
	options.incarnation = 7;
	return fleet_node_create(&options);
}

static struct fleet_message from_hub(enum fleet_message_kind kind, uint64_t beat, struct fleet_token token)
{
	struct fleet_message m = {
		.kind = kind, .incarnation = 7, .number = beat, .token = token, .attempt = 1
	};

	fleet_name_copy(m.job, "j");
	fleet_name_copy(m.tenant, "t");
	return m;
}

/* Sends the first beat at 0; it is answered at once. */
static void begin(struct fleet_node *n, struct fleet_actions *out)
{
	struct fleet_message ok = from_hub(FLEET_MSG_BEAT_OK, 1, TOKEN(5, 0));

	fleet_node_tick(n, at(0), out);
	assert_int_equal(sent(out, FLEET_MSG_BEAT)->beat.number, 1);
	fleet_node_message(n, at(100), &ok, out);
	fleet_actions_clear(out);
}

static void offer(struct fleet_node *n, uint64_t ms, const char *id, enum fleet_effect effect, uint64_t beat,
		  struct fleet_token token, struct fleet_actions *out)
{
	struct fleet_message m = from_hub(FLEET_MSG_OFFER, beat, token);

	fleet_actions_clear(out);
	m.offered = a_job(id, effect);
	fleet_name_copy(m.job, id);
	fleet_node_message(n, at(ms), &m, out);
}

static void end(struct fleet_node *n, uint64_t ms, const char *id, struct fleet_token token,
		struct fleet_actions *out)
{
	struct fleet_text *result = fleet_text_new("{}", 2);

	fleet_actions_clear(out);
	fleet_node_ended(n, at(ms), id, token, result, out);
	fleet_text_drop(result);
}

static void answer(struct fleet_node *n, uint64_t ms, struct fleet_answer a, struct fleet_actions *out)
{
	fleet_actions_clear(out);
	fleet_node_answer(n, at(ms), &a, out);
}

static void a_result_is_saved_then_written_over_its_claim(void **state)
{
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	begin(n, &out);
	offer(n, 200, "j", FLEET_REPEATABLE, 1, TOKEN(5, 40), &out);
	assert_non_null(first_of(&out, FLEET_START));
	end(n, 300, "j", TOKEN(5, 40), &out);
	assert_int_equal(out.items[0].kind, FLEET_SAVE_ENDED);
	assert_int_equal(asked(&out, FLEET_ASK_PUT)->expected, 40);
	answer(n, 400, (struct fleet_answer){ .kind = FLEET_OK, .number = 1, .revision = 41 }, &out);
	assert_non_null(first_of(&out, FLEET_DROP_ENDED));
	assert_non_null(sent(&out, FLEET_MSG_ENDED));
	/* The same offer, once more: it was answered. */
	offer(n, 500, "j", FLEET_REPEATABLE, 1, TOKEN(5, 40), &out);
	assert_int_equal(out.n, 0);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

/* Somebody who may not wrote over the claim: what is there is replaced, and nothing else. */
static void what_was_forged_is_replaced(void **state)
{
	static const struct {
		enum fleet_effect effect;
		struct fleet_answer a;
		bool replaced;
	} cases[] = {
		{ FLEET_REPEATABLE,
		  { .revision = 50, .forged = true, .record = { .phase = FLEET_ENDED } },
		  true },
		/* the result of an attempt before this one, or a claim of it, put back */
		{ FLEET_REPEATABLE,
		  { .revision = 50, .record = { .phase = FLEET_ENDED, .token = { 5, 20 }, .attempt = 1 } },
		  true },
		{ FLEET_FENCED,
		  { .revision = 50, .record = { .phase = FLEET_CLAIMED, .token = { 4, 0 }, .attempt = 9 } },
		  true },
		/* read from a server that lags behind */
		{ FLEET_REPEATABLE,
		  { .revision = 30, .record = { .phase = FLEET_ENDED, .token = { 5, 20 }, .attempt = 1 } },
		  false },
		/* somebody else was given the job */
		{ FLEET_REPEATABLE,
		  { .revision = 50, .record = { .phase = FLEET_CLAIMED, .token = { 5, 0 }, .attempt = 3 } },
		  false },
		{ FLEET_REPEATABLE,
		  { .revision = 50, .record = { .phase = FLEET_ENDED, .token = { 6, 45 }, .attempt = 1 } },
		  false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fleet_node *n = make(1);
		struct fleet_actions out = { 0 };
		struct fleet_answer a = cases[i].a;
		struct fleet_message m = from_hub(FLEET_MSG_OFFER, 1, TOKEN(5, 40));

		begin(n, &out);
		m.attempt = 2;
		m.offered = a_job("j", cases[i].effect);
		fleet_node_message(n, at(200), &m, &out);
		end(n, 300, "j", TOKEN(5, 40), &out);
		answer(n, 400, (struct fleet_answer){ .kind = FLEET_CONFLICT, .number = 1 }, &out);
		assert_non_null(asked(&out, FLEET_ASK_RECORD));
		a.number = 2;
		answer(n, 500, a, &out);
		assert_int_equal(first_of(&out, FLEET_DROP_ENDED) == NULL, cases[i].replaced);
		fleet_actions_clear(&out);
		fleet_node_tick(n, at(1000), &out);
		if (cases[i].replaced)
			assert_int_equal(asked(&out, FLEET_ASK_PUT)->expected, 50);
		else
			assert_null(first_of(&out, FLEET_ASK));
		fleet_actions_finish(&out);
		fleet_node_destroy(n);
	}
}

static void boxes_die_before_the_lease_ends(void **state)
{
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };
	uint64_t ms = 0;

	(void)state;
	begin(n, &out);
	offer(n, 200, "j", FLEET_REPEATABLE, 1, TOKEN(5, 40), &out);
	assert_int_equal(fleet_node_lease(n), 15000); /* from when the beat was sent */
	while (!first_of(&out, FLEET_KILL)) {
		ms = fleet_node_next(n);
		assert_true(ms <= 12000);
		fleet_actions_clear(&out);
		fleet_node_tick(n, at(ms), &out);
	}
	assert_int_equal(ms, 12000);
	fleet_actions_clear(&out);
	fleet_node_ended(n, at(12100), "j", TOKEN(5, 40), NULL, &out);
	assert_true(sent(&out, FLEET_MSG_RETURNED)->yes);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

static void old_offers_are_given_back(void **state)
{
	struct fleet_node *n = make(4);
	struct fleet_actions out = { 0 };

	(void)state;
	begin(n, &out);
	offer(n, 200, "a", FLEET_REPEATABLE, 1, TOKEN(4, 40), &out); /* of an earlier hub */
	assert_non_null(sent(&out, FLEET_MSG_RETURNED));
	offer(n, 200, "b", FLEET_REPEATABLE, 9, TOKEN(5, 41), &out); /* answers a beat that was never sent */
	assert_non_null(sent(&out, FLEET_MSG_RETURNED));
	offer(n, 12500, "c", FLEET_REPEATABLE, 1, TOKEN(5, 42), &out); /* its lease is as good as over */
	assert_non_null(sent(&out, FLEET_MSG_RETURNED));
	assert_null(first_of(&out, FLEET_START));
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

static void a_full_node_gives_back_and_says_its_room(void **state)
{
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	begin(n, &out);
	offer(n, 200, "a", FLEET_REPEATABLE, 1, TOKEN(5, 40), &out);
	offer(n, 200, "b", FLEET_REPEATABLE, 1, TOKEN(5, 41), &out);
	assert_false(sent(&out, FLEET_MSG_RETURNED)->yes);
	fleet_actions_clear(&out);
	fleet_node_tick(n, at(2000), &out);
	assert_int_equal(sent(&out, FLEET_MSG_BEAT)->beat.room, 0);
	assert_int_equal(sent(&out, FLEET_MSG_BEAT)->beat.n_held, 1);
	/* It is told that it ended when that is written, and frees the slot then. */
	end(n, 3000, "a", TOKEN(5, 40), &out);
	fleet_actions_clear(&out);
	fleet_node_tick(n, at(4000), &out);
	assert_int_equal(sent(&out, FLEET_MSG_BEAT)->beat.room, 0);
	answer(n, 4100, (struct fleet_answer){ .kind = FLEET_OK, .number = 1, .revision = 42 }, &out);
	assert_non_null(sent(&out, FLEET_MSG_ENDED));
	fleet_actions_clear(&out);
	fleet_node_tick(n, at(6000), &out);
	assert_int_equal(sent(&out, FLEET_MSG_BEAT)->beat.room, 1);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

/* Runs a job to its end; writing it meets a conflict, and READ is what is there. */
static void meet(struct fleet_node *n, enum fleet_effect effect, struct fleet_answer read,
		 struct fleet_actions *out)
{
	begin(n, out);
	offer(n, 200, "j", effect, 1, TOKEN(5, 40), out);
	if (effect == FLEET_ONCE) {
		struct fleet_message yes =
			from_hub(FLEET_MSG_GRANT, sent(out, FLEET_MSG_MAY_I)->number, TOKEN(5, 40));

		yes.yes = true;
		assert_null(first_of(out, FLEET_START));
		fleet_node_message(n, at(210), &yes, out);
	}
	end(n, 300, "j", TOKEN(5, 40), out);
	answer(n, 400, (struct fleet_answer){ .kind = FLEET_CONFLICT, .number = 1 }, out);
	read.number = asked(out, FLEET_ASK_RECORD)->number;
	answer(n, 500, read, out);
}

static void a_result_of_a_job_that_another_has_is_dropped(void **state)
{
	struct fleet_answer other = { .kind = FLEET_OK,
				      .revision = 50,
				      .record = { .phase = FLEET_CLAIMED, .token = TOKEN(6, 50) } };
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	meet(n, FLEET_FENCED, other, &out);
	assert_non_null(first_of(&out, FLEET_DROP_ENDED));
	assert_null(asked(&out, FLEET_ASK_PUT));
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

static void the_granted_run_is_written_over_unknown(void **state)
{
	struct fleet_answer unknown = { .kind = FLEET_OK,
					.revision = 51,
					.record = { .phase = FLEET_UNKNOWN, .token = TOKEN(6, 50) } };
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	meet(n, FLEET_ONCE, unknown, &out);
	assert_null(first_of(&out, FLEET_DROP_ENDED));
	fleet_node_tick(n, at(1000), &out);
	assert_int_equal(asked(&out, FLEET_ASK_PUT)->expected, 51);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

static void taken_by_another_is_unknown(void **state)
{
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };
	struct fleet_message no;

	(void)state;
	begin(n, &out);
	offer(n, 200, "j", FLEET_ONCE, 1, TOKEN(5, 40), &out);
	no = from_hub(FLEET_MSG_GRANT, sent(&out, FLEET_MSG_MAY_I)->number, TOKEN(5, 40));
	fleet_reason_copy(no.reason, FLEET_TAKEN);
	fleet_actions_clear(&out);
	fleet_node_message(n, at(210), &no, &out);
	assert_null(first_of(&out, FLEET_START));
	assert_int_equal(asked(&out, FLEET_ASK_PUT)->record.phase, FLEET_UNKNOWN);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

static void starts_that_fail_are_told(void **state)
{
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	begin(n, &out);
	for (unsigned i = 0; i < 5; i++) {
		char id[8];

		snprintf(id, sizeof(id), "j%u", i);
		offer(n, 200, id, FLEET_REPEATABLE, 1, TOKEN(5, 40 + i), &out);
		fleet_node_not_started(n, at(201), id, TOKEN(5, 40 + i), "no space left", &out);
		assert_string_equal(sent(&out, FLEET_MSG_RETURNED)->reason, "no space left");
	}
	fleet_actions_clear(&out);
	fleet_node_tick(n, at(2000), &out);
	assert_true(sent(&out, FLEET_MSG_BEAT)->beat.failing);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

/* As when the server of the tenant's boxes cannot work there: it takes each job and ends without a word. */
static void jobs_that_die_by_themselves_are_told(void **state)
{
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	begin(n, &out);
	for (unsigned i = 0; i < 5; i++) {
		char id[8] = { 'a', (char)('0' + i) };

		offer(n, 200, id, FLEET_REPEATABLE, 1, TOKEN(5, 40 + i), &out);
		fleet_actions_clear(&out);
		fleet_node_ended(n, at(201), id, TOKEN(5, 40 + i), NULL, &out);
		assert_true(sent(&out, FLEET_MSG_RETURNED)->yes);
		assert_string_equal(sent(&out, FLEET_MSG_RETURNED)->reason, "the node lost it");
	}
	fleet_actions_clear(&out);
	fleet_node_tick(n, at(2000), &out);
	assert_true(sent(&out, FLEET_MSG_BEAT)->beat.failing);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

static void drained_and_cancelled(void **state)
{
	struct fleet_message cancel = from_hub(FLEET_MSG_CANCEL, 0, TOKEN(5, 40));
	struct fleet_node *n = make(1);
	struct fleet_actions out = { 0 };

	(void)state;
	begin(n, &out);
	offer(n, 200, "j", FLEET_REPEATABLE, 1, TOKEN(5, 40), &out);
	fleet_node_drain(n, at(210), true, &out);
	assert_true(sent(&out, FLEET_MSG_BEAT)->beat.draining);
	offer(n, 220, "k", FLEET_REPEATABLE, 1, TOKEN(5, 41), &out);
	assert_non_null(sent(&out, FLEET_MSG_RETURNED));
	fleet_node_message(n, at(230), &cancel, &out);
	assert_non_null(first_of(&out, FLEET_KILL));
	fleet_actions_clear(&out);
	fleet_node_ended(n, at(240), "j", TOKEN(5, 40), NULL, &out);
	assert_int_equal(asked(&out, FLEET_ASK_PUT)->record.phase, FLEET_CANCELLED);
	fleet_actions_finish(&out);
	fleet_node_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_is_saved_then_written_over_its_claim),
		cmocka_unit_test(what_was_forged_is_replaced),
		cmocka_unit_test(boxes_die_before_the_lease_ends),
		cmocka_unit_test(old_offers_are_given_back),
		cmocka_unit_test(a_full_node_gives_back_and_says_its_room),
		cmocka_unit_test(a_result_of_a_job_that_another_has_is_dropped),
		cmocka_unit_test(the_granted_run_is_written_over_unknown),
		cmocka_unit_test(taken_by_another_is_unknown),
		cmocka_unit_test(starts_that_fail_are_told),
		cmocka_unit_test(jobs_that_die_by_themselves_are_told),
		cmocka_unit_test(drained_and_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
