/* SPDX-License-Identifier: Apache-2.0 */
/* Labels as people write them. */
#include "support/test.h"

#include "fleet/client/class.h"

static void labels_are_sorted(void **state)
{
	static const char *const good[][2] = { { "any", "any" },
					       { "zone=a", "zone=a" },
					       { "zone=a,gpu=1", "gpu=1,zone=a" },
					       { "b=1,a=2,b=1", "a=2,b=1" } };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		char class[FLEET_NAME];

		assert_int_equal(class_of_labels(good[i][0], class, &e), 0);
		assert_string_equal(class, good[i][1]);
	}
}

static void others_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		",",
		"a=1,",
		"zone",
		"zone=a,any",
		"any,any",
		"a b=1",
		"a=*",
		"a=>",
		"a.b=1",
		"a=\n",
		"z\xc3=1",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		char class[FLEET_NAME] = "untouched";

		assert_failed(class_of_labels(bad[i], class, &e), EINVAL, e, "are no labels");
		assert_string_equal(class, "untouched");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_sorted),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
