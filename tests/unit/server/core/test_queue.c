/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is, with a clock that stands until a test moves it. */
#include "support/test.h"

#include "server/core/queue.h"

#define CLIENTS 4
#define CALLS   64

static struct {
	struct queue queue;
	struct queue_source clients[CLIENTS];
	struct queue_item calls[CALLS];
	uint64_t ms;
} now;

static int begin(void **state)
{
	(void)state;
	memset(&now, 0, sizeof(now));
	now.ms = 1000;
	now.queue.limits = (struct queue_limits){ .running = 4,
						  .running_in_all = 6,
						  .waiting = 20,
						  .waiting_in_all = 30,
						  .bytes = 1000,
						  .bytes_in_all = 1500 };
	for (int i = 0; i < CLIENTS; i++)
		now.clients[i].queue = &now.queue;
	return 0;
}

static uint32_t join(int client, int call)
{
	return queue_join(&now.clients[client], &now.calls[call], 1, false);
}

/* -1: none may start. */
static int next(void)
{
	struct queue_item *i = queue_next(&now.queue, now.ms);

	return i ? (int)(i - now.calls) : -1;
}

static void leave(int call)
{
	queue_leave(&now.calls[call]);
}

static void in_order_of_arrival(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++)
		assert_int_equal(join(0, i), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(next(), i);
	assert_int_equal(next(), -1); /* as many as one client may have */
	leave(2);
	assert_int_equal(next(), 4);
	assert_int_equal(next(), -1);
}

static void clients_take_turns(void **state)
{
	static const int want[] = { 0, 10, 20, 1, 11, 21 };

	(void)state;
	for (int client = 0; client < 3; client++)
		for (int i = 0; i < 4; i++)
			assert_int_equal(join(client, client * 10 + i), 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(next(), want[i]);
	assert_int_equal(next(), -1); /* as many as all may have */
	leave(20);
	assert_int_equal(next(), 22); /* it has fewer than the others */
}

/* Who fills its places with long calls does not come before who comes with a first one. */
static void a_newcomer_waits_for_one_place_only(void **state)
{
	(void)state;
	now.queue.limits.running = 6;
	for (int i = 0; i < 16; i++)
		assert_int_equal(join(0, i), 0);
	for (int i = 0; i < 6; i++)
		next();
	assert_int_equal(join(1, 40), 0);
	assert_int_equal(next(), -1);
	leave(0);
	assert_int_equal(next(), 40);
}

static void only_some_are_fresh(void **state)
{
	(void)state;
	now.queue.limits.fresh = 2;
	for (int i = 0; i < 5; i++)
		join(0, i);
	assert_int_equal(next(), 0);
	now.ms += 5;
	assert_int_equal(next(), 1);
	assert_int_equal(next(), -1);
	assert_int_equal(queue_due_ms(&now.queue), 1000 + QUEUE_FRESH_MS);
	queue_settle(&now.calls[1]); /* its command runs */
	queue_settle(&now.calls[1]);
	assert_int_equal(next(), 2);
	assert_int_equal(next(), -1);
	now.ms = 1000 + QUEUE_FRESH_MS;
	queue_tick(&now.queue, now.ms); /* the first has run for long enough */
	assert_int_equal(next(), 3);
	assert_int_equal(next(), -1);
	leave(3);
	assert_int_equal(next(), 4);
	assert_int_equal(queue_due_ms(&now.queue), 0);
}

/* What ends other calls finds a place when they fill all of them; but it does not overtake what can start. */
static void what_ends_others(void **state)
{
	(void)state;
	join(0, 0);
	queue_join(&now.clients[0], &now.calls[1], 1, true);
	assert_int_equal(next(), 0);
	for (int i = 2; i < 8; i++)
		join(0, i);
	assert_int_equal(next(), 1);
	leave(1);
	for (int i = 2; i < 5; i++)
		assert_int_equal(next(), i);
	assert_int_equal(next(), -1);
	for (int i = 20; i < 20 + QUEUE_SPARE + 1; i++)
		queue_join(&now.clients[0], &now.calls[i], 1, true);
	for (int i = 20; i < 20 + QUEUE_SPARE; i++)
		assert_int_equal(next(), i);
	assert_int_equal(next(), -1);
}

static void the_bounds(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_equal(join(0, i), 0);
	assert_in_range(join(0, 20), 50, 30000); /* this client has no more */
	for (int i = 20; i < 30; i++)
		assert_int_equal(join(1, i), 0);
	assert_in_range(join(1, 30), 50, 30000); /* nor has the server */
	leave(0);
	leave(0); /* who gives up twice leaves once */
	assert_int_equal(now.queue.waiting, 29);
	assert_int_equal(join(1, 30), 0);
}

static void bytes_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(queue_join(&now.clients[0], &now.calls[0], 900, false), 0);
	assert_int_not_equal(queue_join(&now.clients[0], &now.calls[1], 101, false), 0);
	assert_int_equal(queue_join(&now.clients[0], &now.calls[1], 100, false), 0);
	assert_int_not_equal(queue_join(&now.clients[1], &now.calls[2], 501, false), 0);
	assert_int_equal(next(), 0); /* what runs is counted elsewhere */
	assert_int_equal(queue_join(&now.clients[1], &now.calls[2], 501, false), 0);
	assert_int_equal(now.queue.bytes, 601);
}

/* The time that is told follows what was measured: a quarter of what waits. */
static void when_to_come_back(void **state)
{
	(void)state;
	now.queue.limits.waiting = CALLS;
	now.queue.limits.waiting_in_all = CALLS;
	for (int i = 0; i < 44; i++)
		join(0, i);
	for (int i = 0; i < 4; i++) {
		now.ms += 100;
		next();
		leave(i);
	}
	assert_in_range(queue_retry_ms(&now.clients[0]), 1000, 1100); /* 40 wait, one starts each 100 ms */
	for (int i = 4; i < 30; i++) {
		now.ms += 1;
		next();
		leave(i);
	}
	assert_in_range(queue_retry_ms(&now.clients[0]), 50, 100);
	now.ms += 1000000;
	next();
	assert_in_range(queue_retry_ms(&now.clients[0]), 10000, 30000);
}

/* Whatever comes, no count goes wrong. */
static void at_random(void **state)
{
	unsigned int seed = 7, running;

	(void)state;
	now.queue.limits.fresh = 3;
	for (int round = 0; round < 200000; round++) {
		const int call = rand_r(&seed) % CALLS;

		if (now.calls[call].state == QUEUE_OUT)
			queue_join(&now.clients[call % CLIENTS], &now.calls[call],
				   (size_t)(rand_r(&seed) % 90), rand_r(&seed) % 9 == 0);
		else if (rand_r(&seed) % 3)
			leave(call);
		else
			queue_settle(&now.calls[call]);
		now.ms += rand_r(&seed) % 4;
		queue_tick(&now.queue, now.ms);
		if (rand_r(&seed) % 2)
			next();
		running = 0;
		for (int i = 0; i < CALLS; i++)
			running += now.calls[i].state == QUEUE_FRESH || now.calls[i].state == QUEUE_SETTLED;
		assert_int_equal(now.queue.running, running);
		assert_in_range(now.queue.n_fresh, 0, 3);
		assert_in_range(running, 0, 6 + QUEUE_SPARE);
	}
	for (int i = 0; i < CALLS; i++)
		leave(i);
	assert_int_equal(now.queue.running + now.queue.waiting + now.queue.n_fresh, 0);
	assert_int_equal(now.queue.bytes, 0);
	assert_null(now.queue.first);
	for (int i = 0; i < CLIENTS; i++)
		assert_int_equal(now.clients[i].running + now.clients[i].waiting + now.clients[i].urgent, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_order_of_arrival, begin),
		cmocka_unit_test_setup(clients_take_turns, begin),
		cmocka_unit_test_setup(a_newcomer_waits_for_one_place_only, begin),
		cmocka_unit_test_setup(only_some_are_fresh, begin),
		cmocka_unit_test_setup(what_ends_others, begin),
		cmocka_unit_test_setup(the_bounds, begin),
		cmocka_unit_test_setup(bytes_are_bounded, begin),
		cmocka_unit_test_setup(when_to_come_back, begin),
		cmocka_unit_test_setup(at_random, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
