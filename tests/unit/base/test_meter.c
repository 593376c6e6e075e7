/* SPDX-License-Identifier: Apache-2.0 */
/* How far long work is: what begins inside of other work is a part of it, and a child is silent. */
#include "support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/meter.h"
#include "base/scope.h"

static struct meter last;
static int times, ends;

static void heard(const struct meter *m)
{
	last = *m;
	times++;
	ends += !m->what;
}

static int begin(void **state)
{
	(void)state;
	last = (struct meter){ 0 };
	times = ends = 0;
	meter_listen(heard);
	return 0;
}

static int end(void **state)
{
	(void)state;
	meter_listen(NULL);
	return 0;
}

static void inner(uint64_t n, uint64_t steps)
{
	scoped_meter bool meter = meter_begin("inner", n);

	while (steps--)
		meter_step(10);
}

static void test_a_part_of_other_work(void **state)
{
	(void)state;
	{
		scoped_meter bool meter = meter_begin("outer", 0);

		inner(0, 3);
		inner(5, 5);
		assert_int_equal(ends, 0);
	}
	assert_int_equal(ends, 1);
	assert_int_equal(last.done, 8);
	assert_int_equal(last.total, 8); /* three before anybody knew, and five */
	assert_int_equal(last.bytes, 80);
}

static void test_it_is_never_more_than_all(void **state)
{
	(void)state;
	{
		scoped_meter bool meter = meter_begin("outer", 4);

		inner(100, 9);
		meter_more(7);
	}
	assert_int_equal(last.done, 4);
	assert_int_equal(last.total, 4);
}

static void test_a_child_is_silent(void **state)
{
	int status;
	pid_t child;

	(void)state;
	child = fork();
	if (child == 0) {
		inner(1, 1);
		_exit(meter_is_heard() || times);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(meter_is_heard());
}

static void test_nobody_listens(void **state)
{
	(void)state;
	meter_listen(NULL);
	inner(3, 3);
	assert_false(meter_is_heard());
	assert_int_equal(times, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_part_of_other_work, begin, end),
		cmocka_unit_test_setup_teardown(test_it_is_never_more_than_all, begin, end),
		cmocka_unit_test_setup_teardown(test_a_child_is_silent, begin, end),
		cmocka_unit_test_setup_teardown(test_nobody_listens, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
