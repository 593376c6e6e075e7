/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that leave a run, however they come. */
#include "support/test.h"

#include "box/attach_keys.h"

/* Fed in pieces of STEP bytes: what the command gets. */
static bool feed(const char *typed, size_t step, char *ret)
{
	struct attach_keys keys = { 0 };
	size_t all = strlen(typed), n;

	*ret = '\0';
	for (size_t at = 0; at < all; at += step) {
		char some[64];
		bool left = attach_keys_feed(&keys, typed + at, all - at < step ? all - at : step, some, &n);

		strncat(ret, some, n);
		if (left)
			return true;
	}
	return false;
}

static void in_any_pieces(void **state)
{
	static const struct {
		const char *typed, *passed;
		bool left;
	} cases[] = {
		{ "abc", "abc", false },
		{ "ab\x10\x11"
		  "cd",
		  "ab", true },
		{ "\x10\x11", "", true },
		{ "a\x11"
		  "b",
		  "a\x11"
		  "b",
		  false },
		{ "a\x10"
		  "b\x11",
		  "a\x10"
		  "b\x11",
		  false },
		{ "\x10\x10\x11", "\x10", true },
		{ "\x10", "", false },
	};
	char got[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (size_t step = 1; step < 8; step++) {
			assert_int_equal(feed(cases[i].typed, step, got), cases[i].left);
			assert_string_equal(got, cases[i].passed);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(in_any_pieces) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
