/* SPDX-License-Identifier: Apache-2.0 */
/* Host names made of names of boxes are valid, whatever the name. */
#include "support/test.h"

#include "driver/host_name.h"

static void names(void **state)
{
	static const char *const cases[][2] = {
		{ "brave-otter", "brave-otter" },
		{ "my_box.x", "my-box.x" },
		{ "", "box" },
		{ "_", "box" },
		{ "..", "box" },
		{ "a..b", "a.b" },
		{ "a-", "a" },
		{ ".a", "a" },
		{ "a b\n$(x)", "a-b---x" },
		{ "A.1", "A.1" },
	};
	char got[HOST_NAME_ROOM], longest[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		host_name_of(cases[i][0], got);
		assert_string_equal(got, cases[i][1]);
	}
	memset(longest, 'n', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	host_name_of(longest, got);
	assert_int_equal(strlen(got), 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
