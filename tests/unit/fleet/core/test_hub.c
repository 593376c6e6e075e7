/* SPDX-License-Identifier: Apache-2.0 */
/* A hub: takes the term, claims, offers, waits for lost nodes as long as their leases, begins new epochs. The
 * engine here is a few lines that always do what is asked. */
#include "support/test.h"

#include "fleet/core/hub.h"
#include "fleet/core/queue.h"
#include "support/fleet.h"

/* What the engine has, and what the hub said last. */
struct world {
	struct fleet_hub *hub;
	struct fleet_actions out;
	uint64_t ms;
	struct fleet_term term;
	uint64_t term_revision;
	struct fleet_job lane[4]; /* places 1 to 4 */
	size_t n_lane;
	bool forgotten[4];
	struct fleet_record record[4];
	char said[4][512]; /* their results */
	uint64_t revision[4], last_revision;
	size_t offers, claims, buried, burials_fail;
	char letter[512];           /* why the last was given up */
	struct fleet_message offer; /* the last; its job is not kept */
};

static size_t index_of(const struct world *w, const char *id)
{
	for (size_t i = 0; i < w->n_lane; i++)
		if (!strcmp(w->lane[i].id, id))
			return i;
	fail();
	return 0;
}

static void answer_put(struct world *w, const struct fleet_ask *ask, struct fleet_answer *a)
{
	size_t i = index_of(w, ask->id);

	if (ask->expected != w->revision[i]) {
		a->kind = FLEET_CONFLICT;
		return;
	}
	w->claims += ask->record.phase == FLEET_CLAIMED;
	w->record[i] = ask->record;
	w->record[i].result = NULL;
	snprintf(w->said[i], sizeof(w->said[i]), "%s", fleet_text_data(ask->record.result));
	a->revision = w->revision[i] = ++w->last_revision;
}

static void answer(struct world *w, const struct fleet_ask *ask)
{
	struct fleet_answer a = { .kind = FLEET_OK, .number = ask->number };
	struct fleet_placed_job jobs[4];
	struct fleet_lane_name lane = { FLEET_ANY, "t" };

	switch (ask->kind) {
	case FLEET_ASK_TERM:
		a.kind = w->term_revision ? FLEET_OK : FLEET_NOT_THERE;
		a.term = w->term;
		a.revision = w->term_revision;
		break;
	case FLEET_ASK_PUT_TERM:
		a.kind = ask->expected == w->term_revision ? FLEET_OK : FLEET_CONFLICT;
		if (a.kind == FLEET_OK) {
			w->term = ask->term;
			a.revision = ++w->term_revision;
		}
		break;
	case FLEET_ASK_LANES:
		a.lanes = &lane;
		a.n_lanes = 1;
		break;
	case FLEET_ASK_LANE:
		for (size_t i = ask->place; i < w->n_lane; i++)
			if (!w->forgotten[i])
				jobs[a.n_jobs++] =
					(struct fleet_placed_job){ .place = i + 1, .job = w->lane[i] };
		a.jobs = jobs;
		break;
	case FLEET_ASK_FORGET:
		w->forgotten[ask->place - 1] = true;
		break;
	case FLEET_ASK_RECORD:
		a.record = w->record[index_of(w, ask->id)];
		a.revision = w->revision[index_of(w, ask->id)];
		a.kind = a.revision ? FLEET_OK : FLEET_NOT_THERE;
		a.record.result =
			fleet_text_new(w->said[index_of(w, ask->id)], strlen(w->said[index_of(w, ask->id)]));
		break;
	case FLEET_ASK_PUT:
		answer_put(w, ask, &a);
		break;
	case FLEET_ASK_BURY:
		a.kind = w->burials_fail ? FLEET_FAILED : FLEET_OK;
		w->burials_fail -= w->burials_fail > 0;
		w->buried += a.kind == FLEET_OK;
		snprintf(w->letter, sizeof(w->letter), "%s", fleet_text_data(ask->record.result));
		assert_int_equal(ask->record.phase, FLEET_DEAD);
		assert_int_equal(ask->wall_ms, at(w->ms).wall_ms);
		break;
	case FLEET_ASK_SUBMIT:
		fail();
	}
	fleet_hub_answer(w->hub, at(w->ms), &a, &w->out);
	fleet_text_drop(a.record.result);
}

/* Answers all that was asked, and what is asked then. */
static void settle(struct world *w)
{
	for (size_t i = 0; i < w->out.n; i++) {
		if (w->out.items[i].kind == FLEET_ASK) {
			struct fleet_ask ask;

			fleet_ask_copy(&w->out.items[i].ask, &ask);
			answer(w, &ask);
			fleet_ask_finish(&ask);
		} else if (w->out.items[i].kind == FLEET_SEND &&
			   w->out.items[i].message.kind == FLEET_MSG_OFFER) {
			w->offers++;
			w->offer = w->out.items[i].message;
		}
	}
	fleet_actions_clear(&w->out);
}

static void run_until(struct world *w, uint64_t ms)
{
	while (fleet_hub_next(w->hub) <= ms) {
		if (fleet_hub_next(w->hub) > w->ms)
			w->ms = fleet_hub_next(w->hub);
		fleet_hub_tick(w->hub, at(w->ms), &w->out);
		settle(w);
	}
	w->ms = ms;
}

static struct fleet_hub *make(uint64_t ms, const char *name)
{
	struct fleet_hub_options options = FLEET_HUB_OPTIONS;

	fleet_name_copy(options.name, name);
	options.random = 3;
	return fleet_hub_create(&options, at(ms));
}

static struct world *begin(size_t n_jobs, enum fleet_effect effect)
{
	static const char *const ids[] = { "a", "b", "c", "d" };
	struct world *w = calloc(1, sizeof(*w));

	for (; w->n_lane < n_jobs; w->n_lane++)
		w->lane[w->n_lane] = a_job(ids[w->n_lane], effect);
	w->hub = make(0, "h1");
	run_until(w, 1000);
	assert_true(fleet_hub_is_active(w->hub));
	return w;
}

static void end(struct world *w)
{
	fleet_actions_finish(&w->out);
	fleet_hub_destroy(w->hub);
	free(w);
}

/* A beat of node NAME, which has two slots; it holds the job of TOKEN, unless that is zero. */
static void beat_of(struct world *w, const char *name, uint64_t number, unsigned room, const char *id,
		    struct fleet_token token, uint64_t epoch)
{
	struct fleet_holding held = { .tenant = "t", .token = token };
	struct fleet_message m = { .kind = FLEET_MSG_BEAT, .incarnation = 7 };

	fleet_name_copy(m.from, name);
	m.beat = (struct fleet_beat){
		.number = number, .sent_ms = w->ms, .slots = 2, .room = room, .epoch = epoch
	};
	if (token.epoch) {
		fleet_name_copy(held.job, id);
		m.beat.held = &held;
		m.beat.n_held = 1;
	}
	fleet_hub_message(w->hub, at(w->ms), &m, &w->out);
	settle(w);
}

static void beat(struct world *w, uint64_t number, unsigned room, const char *id, struct fleet_token token,
		 uint64_t epoch)
{
	beat_of(w, "n", number, room, id, token, epoch);
}

static void say_as(struct world *w, const char *name, enum fleet_message_kind kind, const char *id,
		   struct fleet_token token, bool yes)
{
	struct fleet_message m = { .kind = kind, .incarnation = 7, .token = token, .yes = yes };

	fleet_name_copy(m.from, name);
	fleet_reason_copy(m.reason, "no disk");
	fleet_name_copy(m.tenant, "t");
	fleet_name_copy(m.job, id);
	fleet_hub_message(w->hub, at(w->ms), &m, &w->out);
	settle(w);
}

static void say(struct world *w, enum fleet_message_kind kind, const char *id, struct fleet_token token,
		bool yes)
{
	say_as(w, "n", kind, id, token, yes);
}

static const struct fleet_token none = { 0 };

static void a_job_is_claimed_offered_and_forgotten_when_it_ended(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);

	(void)state;
	assert_int_equal(w->offers, 0);
	beat(w, 1, 1, "", none, 0);
	assert_int_equal(w->offers, 1);
	assert_int_equal(w->offer.number, 1);
	assert_int_equal(w->offer.token.revision, w->revision[0]);
	assert_int_equal(w->offer.token.epoch, fleet_hub_epoch(w->hub));
	w->record[0].phase = FLEET_ENDED;
	w->revision[0] = ++w->last_revision;
	say(w, FLEET_MSG_ENDED, "a", w->offer.token, false);
	assert_true(w->forgotten[0]);
	end(w);
}

static void a_full_node_is_offered_nothing(void **state)
{
	struct world *w = begin(3, FLEET_REPEATABLE);

	(void)state;
	beat(w, 1, 2, "", none, 0);
	assert_int_equal(w->offers, 2);
	run_until(w, 2000);
	beat(w, 2, 0, "a", w->offer.token, 0);
	assert_int_equal(w->offers, 2);
	end(w);
}

static void a_lost_node_is_waited_for_as_long_as_its_lease(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);
	struct fleet_token token;

	(void)state;
	run_until(w, 7000);
	beat(w, 1, 1, "", none, 0);
	token = w->offer.token;
	run_until(w, 26500); /* heard at 7000 */
	assert_int_equal(w->claims, 1);
	run_until(w, 27500);
	beat(w, 1, 1, "", none, 0); /* late, and known: counts for nothing */
	assert_int_equal(w->claims, 1);
	w->ms = 28000;
	beat(w, 2, 1, "", none, fleet_hub_epoch(w->hub));
	run_until(w, 29000);
	assert_int_equal(w->claims, 2);
	assert_int_equal(w->offer.attempt, 2);
	assert_true(fleet_token_compare(w->offer.token, token) > 0);
	end(w);
}

static void an_offer_that_got_lost_is_made_again_when_it_cannot_come_any_more(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);
	uint64_t number = 1;

	(void)state;
	beat(w, number, 1, "", none, 0);
	for (; w->ms < 15500; run_until(w, w->ms + 1000)) {
		assert_int_equal(w->claims, 1);
		beat(w, ++number, 1, "", none, fleet_hub_epoch(w->hub));
	}
	run_until(w, 18000);
	beat(w, ++number, 1, "", none, fleet_hub_epoch(w->hub));
	run_until(w, 19000);
	assert_int_equal(w->claims, 2);
	end(w);
}

static void what_cannot_be_started_dies_after_its_attempts(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);
	size_t offers = 0;

	(void)state;
	for (uint64_t number = 1; !w->buried && number < 60; number++) {
		beat(w, number, 1, "", none, 0);
		if (w->offers > offers)
			say(w, FLEET_MSG_RETURNED, "a", w->offer.token, true);
		offers = w->offers;
		run_until(w, w->ms + 1000);
	}
	assert_int_equal(w->claims, 3);
	assert_int_equal(w->record[0].phase, FLEET_DEAD);
	assert_int_equal(w->buried, 1);
	assert_string_equal(w->letter,
			    "its attempts are used up\nattempt 1 on node n: no disk\nattempt 2 on node n: no "
			    "disk\nattempt 3 on node n: no disk");
	assert_true(w->forgotten[0]);
	end(w);
}

static void a_job_leaves_its_lane_after_its_letter_is_written(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);

	(void)state;
	w->lane[0].deadline_wall_ms = at(2000).wall_ms;
	fleet_hub_destroy(w->hub);
	w->hub = make(w->ms, "h2");
	w->burials_fail = 3;
	run_until(w, 20000);
	assert_int_equal(w->record[0].phase, FLEET_DEAD);
	assert_int_equal(w->buried, 0);
	assert_false(w->forgotten[0]);
	/* Another hub finds the record, which is final, and no letter. */
	fleet_hub_destroy(w->hub);
	w->hub = make(w->ms, "h3");
	w->burials_fail = 0;
	run_until(w, 80000);
	beat(w, 1, 1, "", none, 0);
	run_until(w, 90000);
	assert_int_equal(w->buried, 1);
	assert_string_equal(w->letter, "its deadline is over");
	assert_true(w->forgotten[0]);
	end(w);
}

static void the_next_hub_knows_why_earlier_attempts_failed(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);
	uint64_t number = 0;

	(void)state;
	while (w->claims < 2) {
		beat(w, ++number, 1, "", none, 0);
		if (w->claims == 1)
			say(w, FLEET_MSG_RETURNED, "a", w->offer.token, true);
		run_until(w, w->ms + 1000);
	}
	fleet_hub_destroy(w->hub);
	w->hub = make(w->ms, "h2");
	for (size_t returned = w->offers; !w->buried && number < 300;) {
		beat(w, ++number, 1, "", none, fleet_hub_epoch(w->hub));
		if (w->offers > returned)
			say(w, FLEET_MSG_RETURNED, "a", w->offer.token, true);
		returned = w->offers;
		run_until(w, w->ms + 1000);
	}
	assert_string_equal(
		w->letter, "its attempts are used up\nattempt 1 on node n: no disk\nattempt 2 on node n: the "
			   "node was lost, or had lost the job\nattempt 3 on node n: no disk");
	end(w);
}

static void a_standby_takes_over_and_gives_away_nothing_that_is_held(void **state)
{
	struct world *w = begin(1, FLEET_REPEATABLE);
	struct fleet_token token;
	uint64_t epoch = fleet_hub_epoch(w->hub), number = 1;

	(void)state;
	beat(w, number, 1, "", none, 0);
	token = w->offer.token;
	fleet_hub_destroy(w->hub);
	w->hub = make(w->ms, "h2");
	for (uint64_t until = w->ms + 60000; w->ms < until; run_until(w, w->ms + 2000))
		beat(w, ++number, 0, "a", token, epoch);
	assert_true(fleet_hub_is_active(w->hub));
	assert_true(fleet_hub_epoch(w->hub) > epoch);
	assert_int_equal(w->claims, 1);
	/* The node knows the new hub, and has not got the job. */
	for (int i = 0; i < 2; i++) { /* by the first the claim is found, by the second it is lost */
		assert_int_equal(w->claims, 1);
		beat(w, ++number, 1, "", none, fleet_hub_epoch(w->hub));
		run_until(w, w->ms + 2000);
	}
	assert_int_equal(w->claims, 2);
	end(w);
}

static void an_engine_that_went_back_begins_a_new_epoch(void **state)
{
	struct world *w = begin(2, FLEET_REPEATABLE);
	struct fleet_token token;
	uint64_t epoch = fleet_hub_epoch(w->hub);

	(void)state;
	w->last_revision = 10;
	beat(w, 1, 1, "", none, 0);
	token = w->offer.token;
	assert_int_equal(token.revision, 11);
	w->last_revision = 10; /* and gives 11 once more */
	run_until(w, 2000);
	beat(w, 2, 1, "a", token, epoch);
	run_until(w, 4000);
	assert_true(fleet_hub_epoch(w->hub) > epoch);
	beat(w, 3, 1, "a", token, epoch);
	run_until(w, 6000);
	assert_int_equal(w->offers, 2);
	assert_true(w->offer.token.epoch > epoch);
	end(w);
}

static void a_job_that_waits_is_cancelled_by_the_hub(void **state)
{
	struct world *w = begin(2, FLEET_REPEATABLE);

	(void)state;
	say(w, FLEET_MSG_CANCEL, "b", none, false);
	run_until(w, 2000);
	assert_int_equal(w->record[1].phase, FLEET_CANCELLED);
	assert_true(w->forgotten[1]);
	assert_false(w->forgotten[0]);
	end(w);
}

/* One more job, of which the hub is told at once. */
static void comes(struct world *w, const char *content)
{
	fleet_name_copy(w->lane[w->n_lane - 1].content, content);
	fleet_hub_lane(w->hub, at(w->ms), FLEET_ANY, "t", &w->out);
	settle(w);
}

static void a_node_that_had_its_content_is_better(void **state)
{
	static const struct {
		const char *id, *content, *node;
	} jobs[] = {
		{ "b", "p", "m" }, /* both are free */
		{ "c", "", "n" },  /* has more room now */
		{ "d", "p", "m" }, /* half of both is free */
	};
	struct world *w = begin(1, FLEET_REPEATABLE);

	(void)state;
	fleet_name_copy(w->lane[0].content, "p");
	fleet_hub_destroy(w->hub);
	w->hub = make(w->ms, "h2");
	beat_of(w, "n", 1, 0, "", none, 0);
	run_until(w, 60000);
	beat_of(w, "n", 2, 0, "", none, 0);
	beat_of(w, "m", 1, 2, "", none, 0);
	assert_string_equal(w->offer.to, "m");
	w->record[0].phase = FLEET_ENDED;
	w->revision[0] = ++w->last_revision;
	say_as(w, "m", FLEET_MSG_ENDED, "a", w->offer.token, false);
	beat_of(w, "n", 3, 2, "", none, 0);
	beat_of(w, "m", 2, 2, "", none, 0);
	for (size_t i = 0; i < 3; i++) {
		w->lane[w->n_lane++] = a_job(jobs[i].id, FLEET_REPEATABLE);
		comes(w, jobs[i].content);
		assert_int_equal(w->offers, i + 2);
		assert_string_equal(w->offer.to, jobs[i].node);
	}
	end(w);
}

static void content_does_not_fill_one_node_while_others_are_free(void **state)
{
	struct world *w = begin(0, FLEET_REPEATABLE);

	(void)state;
	beat_of(w, "n", 1, 2, "", none, 0);
	beat_of(w, "m", 1, 2, "", none, 0);
	for (size_t i = 0; i < 2; i++) {
		w->lane[w->n_lane++] = a_job(i ? "b" : "a", FLEET_REPEATABLE);
		comes(w, "p");
		assert_string_equal(w->offer.to, i ? "m" : "n");
	}
	end(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_claimed_offered_and_forgotten_when_it_ended),
		cmocka_unit_test(a_full_node_is_offered_nothing),
		cmocka_unit_test(a_lost_node_is_waited_for_as_long_as_its_lease),
		cmocka_unit_test(an_offer_that_got_lost_is_made_again_when_it_cannot_come_any_more),
		cmocka_unit_test(what_cannot_be_started_dies_after_its_attempts),
		cmocka_unit_test(a_job_leaves_its_lane_after_its_letter_is_written),
		cmocka_unit_test(the_next_hub_knows_why_earlier_attempts_failed),
		cmocka_unit_test(a_standby_takes_over_and_gives_away_nothing_that_is_held),
		cmocka_unit_test(an_engine_that_went_back_begins_a_new_epoch),
		cmocka_unit_test(a_job_that_waits_is_cancelled_by_the_hub),
		cmocka_unit_test(a_node_that_had_its_content_is_better),
		cmocka_unit_test(content_does_not_fill_one_node_while_others_are_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
