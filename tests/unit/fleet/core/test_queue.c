/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is: shares by weight, newcomers, classes, priorities, limits, rates. */
#include "support/test.h"

#include "fleet/core/queue.h"

struct job {
	struct fleet_entry entry; /* first */
	char tenant;
};

static bool fits_all(void *ctx, const char *class)
{
	(void)ctx;
	(void)class;
	return true;
}

/* CTX is the only class that fits. */
static bool fits_one(void *ctx, const char *class)
{
	return strcmp(ctx, class) == 0;
}

static struct job *make_jobs(struct fleet_queue *q, const char *class, const char *tenant, size_t n)
{
	struct job *jobs = calloc(n, sizeof(*jobs));

	for (size_t i = 0; i < n; i++) {
		jobs[i].tenant = tenant[0];
		jobs[i].entry.priority = 5;
		jobs[i].entry.place = i + 1;
		fleet_queue_add(q, class, tenant, &jobs[i].entry);
	}
	return jobs;
}

/* The tenant whose job was taken, or 0. */
static char take_at(struct fleet_queue *q, uint64_t now_ms, uint64_t *ret_wait)
{
	struct fleet_entry *entry = fleet_queue_take(q, now_ms, fits_all, NULL, ret_wait);

	return entry ? ((struct job *)(void *)entry)->tenant : (char)0;
}

static char take(struct fleet_queue *q)
{
	uint64_t wait;

	return take_at(q, 0, &wait);
}

static void weights_give_shares(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	static const unsigned weights[] = { 10, 20, 40 };
	static const char *const names[] = { "a", "b", "c" };
	struct job *jobs[3];
	unsigned got[3] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct fleet_share share = { .weight = weights[i] };

		fleet_queue_share(q, names[i], &share);
		jobs[i] = make_jobs(q, "any", names[i], 10000);
	}
	for (unsigned i = 0; i < 7000; i++)
		got[take(q) - 'a']++;
	for (unsigned i = 0; i < 3; i++) {
		unsigned due = 1000u << i;

		assert_in_range(got[i], due - due / 20, due + due / 20);
		free(jobs[i]);
	}
	fleet_queue_destroy(q);
}

static void a_newcomer_has_its_turn_at_once(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *many = make_jobs(q, "any", "big", 100000), *few;
	unsigned got = 0;

	(void)state;
	for (unsigned i = 0; i < 50000; i++)
		assert_int_equal(take(q), 'b');
	few = make_jobs(q, "any", "small", 10);
	for (unsigned i = 0; i < 20; i++)
		got += take(q) == 's';
	assert_in_range(got, 9, 10);
	free(many);
	free(few);
	fleet_queue_destroy(q);
}

/* Idle time is no credit: a tenant that comes back does not get all turns. */
static void idle_time_is_no_credit(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "any", "a", 1000), *b = make_jobs(q, "any", "b", 1), *b_again;
	unsigned got = 0;

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		take(q);
	b_again = make_jobs(q, "any", "b", 400);
	for (unsigned i = 0; i < 100; i++)
		got += take(q) == 'b';
	assert_in_range(got, 49, 51);
	free(a);
	free(b);
	free(b_again);
	fleet_queue_destroy(q);
}

/* Nor is it one to empty the lane after each job. */
static void leaving_and_coming_back_gains_nothing(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "any", "a", 1000);
	struct job one = { .tenant = 'b', .entry = { .place = 1 } };
	unsigned got = 0;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		if (!one.entry.lane)
			fleet_queue_add(q, "any", "b", &one.entry);
		got += take(q) == 'b';
	}
	assert_in_range(got, 149, 151);
	free(a);
	fleet_queue_destroy(q);
}

static void many_classes_get_no_more(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *jobs[6];
	unsigned got = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		const char class[] = { 'c', (char)('0' + i), 0 };

		jobs[i] = make_jobs(q, class, "many", 1000);
	}
	jobs[5] = make_jobs(q, "any", "one", 1000);
	for (unsigned i = 0; i < 1000; i++)
		got += take(q) == 'o';
	assert_in_range(got, 475, 525);
	for (unsigned i = 0; i < 6; i++)
		free(jobs[i]);
	fleet_queue_destroy(q);
}

/* What a tenant did in a busy class does not keep it from a quiet one, nor does a quiet one bring it turns.
 */
static void what_was_elsewhere_starves_nobody(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "fast", "a", 20000), *b = make_jobs(q, "fast", "b", 20000);
	struct job *c = make_jobs(q, "slow", "c", 1000), *a_slow, *c_fast;
	char fast[] = "fast", slow[] = "slow";
	unsigned got = 0;
	uint64_t wait;

	(void)state;
	for (unsigned i = 0; i < 10000; i++)
		assert_non_null(fleet_queue_take(q, 0, fits_one, fast, &wait));
	for (unsigned i = 0; i < 10; i++)
		assert_non_null(fleet_queue_take(q, 0, fits_one, slow, &wait));
	a_slow = make_jobs(q, "slow", "a", 1000);
	for (unsigned i = 0; i < 100; i++)
		got += ((struct job *)(void *)fleet_queue_take(q, 0, fits_one, slow, &wait))->tenant == 'a';
	assert_in_range(got, 48, 52);
	c_fast = make_jobs(q, "fast", "c", 1000);
	got = 0;
	for (unsigned i = 0; i < 300; i++)
		got += ((struct job *)(void *)fleet_queue_take(q, 0, fits_one, fast, &wait))->tenant == 'c';
	assert_in_range(got, 95, 150);
	free(a);
	free(b);
	free(c);
	free(a_slow);
	free(c_fast);
	fleet_queue_destroy(q);
}

/* A class that had no node for long does not then keep its nodes from all others. */
static void a_class_without_nodes_saves_up_little(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "any", "a", 20000), *b = make_jobs(q, "gpu", "b", 20000);
	char any[] = "any";
	unsigned got = 0;
	uint64_t wait;

	(void)state;
	for (unsigned i = 0; i < 10000; i++)
		assert_non_null(fleet_queue_take(q, 0, fits_one, any, &wait));
	for (unsigned i = 0; i < 1000; i++)
		got += take(q) == 'b';
	assert_in_range(got, 500, 550);
	free(a);
	free(b);
	fleet_queue_destroy(q);
}

static void only_classes_that_fit(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "gpu", "a", 2), *b = make_jobs(q, "any", "b", 2);
	char any[] = "any", none[] = "none";
	uint64_t wait = 0;

	(void)state;
	assert_null(fleet_queue_take(q, 0, fits_one, none, &wait));
	assert_true(wait == UINT64_MAX);
	assert_ptr_equal(fleet_queue_take(q, 0, fits_one, any, &wait), &b[0].entry);
	assert_ptr_equal(fleet_queue_take(q, 0, fits_one, any, &wait), &b[1].entry);
	assert_null(fleet_queue_take(q, 0, fits_one, any, &wait));
	assert_int_equal(fleet_queue_waiting(q, "gpu", "a"), 2);
	assert_int_equal(fleet_queue_waiting(q, "any", "b"), 0);
	assert_int_equal(fleet_queue_waiting(q, "any", "nobody"), 0);
	assert_false(fleet_queue_is_empty(q));
	free(a);
	free(b);
	fleet_queue_destroy(q);
}

static void priority_then_place(void **state)
{
	static const struct {
		unsigned priority;
		uint64_t place;
		const char *class;
		unsigned due;
	} rows[] = {
		{ 5, 30, "any", 3 }, { 9, 40, "any", 0 }, { 5, 10, "gpu", 2 },
		{ 0, 1, "any", 5 },  { 5, 35, "any", 4 }, { 7, 50, "gpu", 1 },
	};
	struct fleet_queue *q = fleet_queue_create();
	struct job jobs[6] = { 0 };
	uint64_t wait;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		jobs[i].entry.priority = rows[i].priority;
		jobs[i].entry.place = rows[i].place;
		fleet_queue_add(q, rows[i].class, "a", &jobs[i].entry);
	}
	for (unsigned due = 0; due < 6; due++) {
		const struct fleet_entry *entry = fleet_queue_take(q, 0, fits_all, NULL, &wait);

		for (unsigned i = 0; i < 6; i++)
			if (rows[i].due == due)
				assert_ptr_equal(entry, &jobs[i].entry);
	}
	assert_true(fleet_queue_is_empty(q));
	fleet_queue_destroy(q);
}

static void at_once_holds_back(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "any", "a", 10), *b;
	struct fleet_share share = { .weight = 10, .at_once = 2 };
	uint64_t wait = 0;

	(void)state;
	fleet_queue_share(q, "a", &share);
	fleet_queue_held(q, "a"); /* found on a node */
	assert_int_equal(take(q), 'a');
	assert_int_equal(take_at(q, 0, &wait), 0);
	assert_true(wait == UINT64_MAX);
	b = make_jobs(q, "any", "b", 1);
	assert_int_equal(take(q), 'b');
	assert_int_equal(take(q), 0);
	fleet_queue_released(q, "a");
	assert_int_equal(take(q), 'a');
	assert_int_equal(take(q), 0);
	share.at_once = 3;
	fleet_queue_share(q, "a", &share);
	assert_int_equal(take(q), 'a');
	assert_int_equal(take(q), 0);
	share.at_once = 0;
	fleet_queue_share(q, "a", &share);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(take(q), 'a');
	assert_int_equal(take(q), 0);
	/* more than there were: no matter */
	for (unsigned i = 0; i < 20; i++)
		fleet_queue_released(q, "a");
	fleet_queue_released(q, "nobody");
	free(a);
	free(b);
	fleet_queue_destroy(q);
}

static void a_rate_lets_bursts_through_and_then_holds_back(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "any", "a", 1000), *b;
	struct fleet_share share = { .weight = 10, .a_minute = 30 };
	uint64_t now = 1000000, wait = 0;
	unsigned got = 0;

	(void)state;
	fleet_queue_share(q, "a", &share);
	while (take_at(q, now, &wait) == 'a')
		got++;
	assert_int_equal(got, 30);
	assert_int_equal(wait, 2000);
	assert_int_equal(take_at(q, now + 1999, &wait), 0);
	assert_int_equal(wait, 1);
	assert_int_equal(take_at(q, now + 2000, &wait), 'a');
	assert_int_equal(take_at(q, now + 2000, &wait), 0);
	assert_int_equal(take_at(q, now, &wait), 0); /* a clock that goes back brings nothing */
	/* For ten minutes, looked at every 100 ms: as many as the rate says. */
	got = 0;
	for (uint64_t t = now + 2000; t <= now + 602000; t += 100)
		while (take_at(q, t, &wait) == 'a')
			got++;
	assert_int_equal(got, 300);
	/* another tenant is not held back, and one that cannot begin anyway is not waited for */
	b = make_jobs(q, "any", "b", 1);
	assert_int_equal(take_at(q, now + 602000, &wait), 'b');
	share.at_once = 1;
	fleet_queue_share(q, "a", &share);
	assert_int_equal(take_at(q, now + 602000, &wait), 0);
	assert_true(wait == UINT64_MAX);
	/* no rate, no wait */
	fleet_queue_share(q, "a", &(struct fleet_share)FLEET_SHARE);
	assert_int_equal(take_at(q, now + 602000, &wait), 'a');
	assert_int_equal(take_at(q, now + 602000, &wait), 'a');
	free(a);
	free(b);
	fleet_queue_destroy(q);
}

static void removed_ones_are_not_taken(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job *a = make_jobs(q, "any", "a", 5);
	uint64_t wait;

	(void)state;
	fleet_queue_remove(q, &a[0].entry);
	fleet_queue_remove(q, &a[0].entry); /* twice is fine */
	fleet_queue_remove(q, &a[2].entry);
	fleet_queue_remove(q, &a[4].entry);
	assert_null(a[0].entry.lane);
	assert_int_equal(fleet_queue_waiting(q, "any", "a"), 2);
	assert_ptr_equal(fleet_queue_take(q, 0, fits_all, NULL, &wait), &a[1].entry);
	fleet_queue_add(q, "any", "a", &a[0].entry); /* tried again: it comes first */
	fleet_queue_add(q, "any", "a", &a[0].entry);
	assert_ptr_equal(fleet_queue_take(q, 0, fits_all, NULL, &wait), &a[0].entry);
	assert_ptr_equal(fleet_queue_take(q, 0, fits_all, NULL, &wait), &a[3].entry);
	assert_null(fleet_queue_take(q, 0, fits_all, NULL, &wait));
	assert_true(fleet_queue_is_empty(q));
	fleet_queue_destroy(q);
	free(a);
}

/* Names of classes and tenants are strangers': those that nobody uses any more cost nothing. */
static void unused_lanes_are_forgotten(void **state)
{
	struct fleet_queue *q = fleet_queue_create();
	struct job job = { .tenant = 'x' };

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char class[32], tenant[32];

		snprintf(class, sizeof(class), "c%u", i);
		snprintf(tenant, sizeof(tenant), "t%u", i % 3000);
		fleet_queue_add(q, class, tenant, &job.entry);
		if (i % 2) {
			fleet_queue_remove(q, &job.entry);
		} else {
			assert_int_equal(take(q), 'x');
			fleet_queue_released(q, tenant);
		}
		assert_true(fleet_queue_is_empty(q));
	}
	fleet_queue_destroy(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_give_shares),
		cmocka_unit_test(a_newcomer_has_its_turn_at_once),
		cmocka_unit_test(idle_time_is_no_credit),
		cmocka_unit_test(leaving_and_coming_back_gains_nothing),
		cmocka_unit_test(many_classes_get_no_more),
		cmocka_unit_test(what_was_elsewhere_starves_nobody),
		cmocka_unit_test(a_class_without_nodes_saves_up_little),
		cmocka_unit_test(only_classes_that_fit),
		cmocka_unit_test(priority_then_place),
		cmocka_unit_test(at_once_holds_back),
		cmocka_unit_test(a_rate_lets_bursts_through_and_then_holds_back),
		cmocka_unit_test(removed_ones_are_not_taken),
		cmocka_unit_test(unused_lanes_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
