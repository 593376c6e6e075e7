/* SPDX-License-Identifier: Apache-2.0 */
/* How often somebody may ask, with a clock that stands until a test moves it. */
#include "support/test.h"

#include "server/http/rate.h"

static void texts(void **state)
{
	static const char *const bad[] = { "",   "0",  "-1", "1/",      "1/d", "1/s ",
					   " 1", "1s", "/s", "1000001", "1.5", "99999999999999999999" };
	struct rate r;

	(void)state;
	assert_true(rate_read("7", &r) && r.n == 7 && r.per_ms == 1000);
	assert_true(rate_read("10/s", &r) && r.n == 10 && r.per_ms == 1000);
	assert_true(rate_read("600/m", &r) && r.n == 600 && r.per_ms == 60000);
	assert_true(rate_read("1000000/h", &r) && r.n == RATE_MAX && r.per_ms == 3600000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(rate_read(bad[i], &r));
}

static void so_many_at_once_and_then_one_at_a_time(void **state)
{
	const struct rate rate = { 10, 1000 };
	struct bucket b = { 0 };
	uint64_t ms = 50000;

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(bucket_take(&b, &rate, ms), 0);
	assert_int_equal(bucket_take(&b, &rate, ms), 100);
	assert_int_equal(bucket_take(&b, &rate, ms + 99), 1);
	assert_int_equal(bucket_take(&b, &rate, ms + 100), 0);
	assert_int_equal(bucket_take(&b, &rate, ms + 101),
			 99); /* who was refused has lost nothing by asking */
	ms += 3600000;
	for (int i = 0; i < 10; i++) /* and who was away has saved no more than that */
		assert_int_equal(bucket_take(&b, &rate, ms), 0);
	assert_int_equal(bucket_take(&b, &rate, ms), 100);
}

/* Over any time: the burst, and what the rate allows. */
static void nothing_is_lost_by_rounding(void **state)
{
	const struct rate rate = { 7, 60000 };
	struct bucket b = { 0 };
	unsigned int allowed = 0;

	(void)state;
	for (uint64_t ms = 1; ms <= 600001; ms++)
		allowed += !bucket_take(&b, &rate, ms);
	assert_int_equal(allowed, 7 + 70);
}

static void what_is_told_is_enough(void **state)
{
	const struct rate rates[] = { { 3, 1000 }, { 1, 60000 }, { 999, 1000 }, { RATE_MAX, 3600000 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct bucket b = { 0 };
		uint64_t ms = 1;

		for (int n = 0; n < 5000; n++) {
			const uint32_t later = bucket_take(&b, &rates[i], ms);

			if (!later)
				continue;
			ms += later;
			assert_int_equal(bucket_take(&b, &rates[i], ms), 0);
		}
	}
}

static void no_limit(void **state)
{
	const struct rate rate = { 0 };
	struct bucket b = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(bucket_take(&b, &rate, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(so_many_at_once_and_then_one_at_a_time),
		cmocka_unit_test(nothing_is_lost_by_rounding),
		cmocka_unit_test(what_is_told_is_enough),
		cmocka_unit_test(no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
