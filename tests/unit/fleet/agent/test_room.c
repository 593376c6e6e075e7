/* SPDX-License-Identifier: Apache-2.0 */
/* How many jobs a machine takes, by its memory and its pressure. */
#include "support/test.h"

#include "fleet/agent/room.h"

#define MEMORY "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    1048576 kB\n"
#define QUIET \
	"some avg10=0.00 avg60=99.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=99.00 avg300=0.00 total=1\n"
#define BUSY \
	"some avg10=95.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
#define STUCK \
	"some avg10=95.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=20.00 avg60=0.00 avg300=0.00 total=1\n"

static void what_is_unknown_is_no_limit(void **state)
{
	(void)state;
	assert_int_equal(room_of(32, 2, NULL, NULL, NULL), 32);
	assert_int_equal(room_of(32, 2, "", "", ""), 32);
}

static void memory_limits(void **state)
{
	(void)state;
	assert_int_equal(room_of(32, 2, MEMORY, QUIET, QUIET), 16); /* 64 MiB for each */
	assert_int_equal(room_of(8, 2, MEMORY, QUIET, QUIET), 8);
	assert_int_equal(room_of(8, 2, "MemAvailable: 10 kB\n", QUIET, QUIET), 0);
}

static void pressure_limits(void **state)
{
	(void)state;
	assert_int_equal(room_of(8, 2, MEMORY, STUCK, QUIET), 0);
	assert_int_equal(room_of(8, 2, MEMORY, BUSY, QUIET), 8); /* some wait for memory: that is usual */
	assert_int_equal(room_of(8, 2, MEMORY, QUIET, BUSY), 2);
	assert_int_equal(room_of(1, 2, MEMORY, QUIET, BUSY), 1);
}

static void this_machine_has_room_for_some(void **state)
{
	(void)state;
	assert_in_range(room_now(1), 0, 1);
	assert_int_equal(room_now(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unknown_is_no_limit),
		cmocka_unit_test(memory_limits),
		cmocka_unit_test(pressure_limits),
		cmocka_unit_test(this_machine_has_room_for_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
