/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in answers: rounded, and written without digits that nobody measured. */
#include "base/value.h"
#include "support/test.h"

#include "op/op.h"

static void check(double x, const char *wanted)
{
	json_t *j = json_pack("{s:[f], s:i, s:s}", "a", x, "i", 7, "s", "1.23456789");
	char *text, all[128];

	op_round(j);
	text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | VALUE_REALS);
	snprintf(all, sizeof(all), "{\"a\":[%s],\"i\":7,\"s\":\"1.23456789\"}", wanted);
	assert_string_equal(text, all);
	free(text);
	json_decref(j);
}

static void test_numbers(void **state)
{
	(void)state;
	check(39.909999999999997, "39.91");
	check(100.0 / 3, "33.333");
	check(-100.0 / 3, "-33.333");
	check(0.0012345678, "0.001235");
	check(0, "0.0");
	check(1794956885584.1234, "1794956885584.12");
	check(2.9999, "3.0");
	check(1e300, "1e300");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numbers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
