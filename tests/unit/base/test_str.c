/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, times, numbers, patterns, lists and near misses, as people write them. */
#include "support/test.h"

#include "base/str.h"

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "0", 0 },          { "4096", 4096 },     { "1b", 1 },           { "1k", 1024 },
		     { "1K", 1024 },      { "2KiB", 2048 },     { "100m", 104857600 }, { "1.5g", 1610612736 },
		     { "1GB", 1u << 30 }, { "1t", 1ULL << 40 }, { "1.", 1 },           { "0.5k", 512 } };
	static const char *const bad[] = { "",    "m",  "-1",   "+1",          "1x",
					   "1 m", " 1", "inf",  "nan",         "0x10",
					   "1e3", ".5", "1..2", "9999999999t", "1234567890123456789",
					   "1kk" };
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(str_to_size(good[i].text, &v));
		assert_int_equal(v, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (str_to_size(bad[i], &v))
			fail_msg("'%s' is taken for a size", bad[i]);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = { { "30", 30000 },     { "500ms", 500 }, { "2s", 2000 },     { "1.5s", 1500 },
		     { "3sec", 3000 },    { "2m", 120000 }, { "2min", 120000 }, { "1h", 3600000 },
		     { "7d", 604800000 }, { "0", 0 } };
	static const char *const bad[] = {
		"", "s", "-1s", "1w", "1 s", "inf", "1h30m", "99999999999999999d"
	};
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(str_to_ms(good[i].text, &v));
		assert_int_equal(v, good[i].ms);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (str_to_ms(bad[i], &v))
			fail_msg("'%s' is taken for a time", bad[i]);
}

static void numbers(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(str_to_u64("0", &v));
	assert_int_equal(v, 0);
	assert_true(str_to_u64("18446744073709551615", &v));
	assert_true(v == UINT64_MAX);
	assert_false(str_to_u64("18446744073709551616", &v));
	assert_false(str_to_u64("", &v));
	assert_false(str_to_u64("-1", &v));
	assert_false(str_to_u64(" 1", &v));
	assert_false(str_to_u64("1x", &v));
}

static void sizes_for_people(void **state)
{
	char b[32];

	(void)state;
	assert_string_equal(str_size(0, b, sizeof(b)), "0 B");
	assert_string_equal(str_size(1023, b, sizeof(b)), "1023 B");
	assert_string_equal(str_size(1024, b, sizeof(b)), "1 KiB");
	assert_string_equal(str_size(1536, b, sizeof(b)), "1.5 KiB");
	assert_string_equal(str_size(1ULL << 30, b, sizeof(b)), "1 GiB");
	assert_string_equal(str_size(1ULL << 62, b, sizeof(b)), "4096 PiB");
}

static void times_for_people(void **state)
{
	char b[32];

	(void)state;
	assert_string_equal(str_ms(350, b, sizeof(b)), "350 ms");
	assert_string_equal(str_ms(2000, b, sizeof(b)), "2 s");
	assert_string_equal(str_ms(12300, b, sizeof(b)), "12.3 s");
	assert_string_equal(str_ms(300000, b, sizeof(b)), "5 min");
	assert_string_equal(str_ms(86400000, b, sizeof(b)), "24 h");
}

static void patterns(void **state)
{
	(void)state;
	assert_true(str_matches("GITHUB_TOKEN", "*TOKEN*"));
	assert_true(str_matches("TOKEN", "*TOKEN*"));
	assert_true(str_matches("", "*"));
	assert_true(str_matches("", ""));
	assert_true(str_matches("abc", "a*c"));
	assert_true(str_matches("aXbXc", "a*b*c"));
	assert_true(str_matches("aab", "*ab"));
	assert_false(str_matches("abc", "a*d"));
	assert_false(str_matches("abc", "ab"));
	assert_false(str_matches("ab", "abc"));
	assert_false(str_matches("", "a"));
	assert_false(str_matches("token", "*TOKEN*"));
	/* Quadratic at worst: this would take for ever with naive recursion. */
	assert_false(str_matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "*a*a*a*a*a*a*a*a*a*a*b"));
}

static void lists(void **state)
{
	struct strlist l = { 0 };

	(void)state;
	assert_false(strlist_has(&l, "a"));
	strlist_add(&l, "a");
	strlist_addf(&l, "%s-%d", "b", 2);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.items[1], "b-2");
	assert_null(l.items[2]);
	assert_true(strlist_has(&l, "b-2"));
	assert_false(strlist_has(&l, "b"));
	l.failed = true; /* as after an allocation that failed: nothing more is added */
	strlist_add(&l, "c");
	assert_int_equal(l.n, 2);
	strlist_finish(&l);
	assert_null(l.items);
	assert_false(l.failed);
}

static void words(void **state)
{
	(void)state;
	assert_true(str_is_one_of("a", "a|bc|d"));
	assert_true(str_is_one_of("bc", "a|bc|d"));
	assert_true(str_is_one_of("d", "a|bc|d"));
	assert_false(str_is_one_of("b", "a|bc|d"));
	assert_false(str_is_one_of("bcd", "a|bc|d"));
	assert_false(str_is_one_of("a|bc", "a|bc|d"));
	assert_false(str_is_one_of("", "a|bc|d"));
	assert_false(str_is_one_of("", ""));
	assert_true(str_is_one_of_n("bcx", 2, "a|bc|d"));
	assert_false(str_is_one_of_n("bcx", 3, "a|bc|d"));
}

static void nearest(void **state)
{
	static const char *const names[] = { "profile", "project", "timeout" };
	static const char *const letters[] = { "snap", "scan" };
	char big[100];

	(void)state;
	assert_string_equal(str_nearest("profil", names, 3), "profile");
	assert_string_equal(str_nearest("porject", names, 3), "project");
	assert_string_equal(str_nearest("timeout", names, 3), "timeout");
	assert_string_equal(str_nearest("scna", letters, 2), "scan");
	assert_string_equal(str_nearest("csan", letters, 2), "scan");
	assert_null(str_nearest("xyz", names, 3));
	assert_null(str_nearest("", names, 3));
	assert_null(str_nearest("profile", names, 0));
	memset(big, 'p', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_null(str_nearest(big, names, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(times),
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes_for_people),
		cmocka_unit_test(times_for_people),
		cmocka_unit_test(patterns),
		cmocka_unit_test(lists),
		cmocka_unit_test(words),
		cmocka_unit_test(nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
