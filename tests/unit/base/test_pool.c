/* SPDX-License-Identifier: Apache-2.0 */
/* Texts stay where they are put, also those longer than a chunk. */
#include "support/test.h"

#include "base/pool.h"

static void texts_stay(void **state)
{
	static char large[200000];
	struct pool p = { 0 };
	const char *kept[5000], *big;
	char text[64];

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	assert_string_equal(pool_add(&p, ""), "");
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "text number %d", i);
		kept[i] = pool_add(&p, text);
	}
	big = pool_add(&p, large);
	assert_string_equal(pool_add(&p, "behind"), "behind");
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "text number %d", i);
		assert_string_equal(kept[i], text);
	}
	assert_string_equal(big, large);
	pool_finish(&p);
	assert_int_equal(p.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts_stay) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
