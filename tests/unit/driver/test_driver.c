/* SPDX-License-Identifier: Apache-2.0 */
/* The registry, and results that were never filled. */
#include "support/test.h"

#include "driver/driver.h"

static void drivers_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(driver_by_name("native"), &driver_native);
	assert_null(driver_by_name("docker"));
	assert_null(driver_by_name(""));
}

static void results_finish_in_any_state(void **state)
{
	struct driver_result r = { 0 };

	(void)state;
	driver_result_finish(&r);
	r.violations = calloc(2, sizeof(*r.violations));
	r.n_violations = 2;
	r.violations[0].what = strdup("x"); /* the second was never filled */
	driver_result_finish(&r);
	assert_int_equal(r.n_violations, 0);
	driver_result_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drivers_by_name),
		cmocka_unit_test(results_finish_in_any_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
