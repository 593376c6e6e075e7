/* SPDX-License-Identifier: Apache-2.0 */
/* Names of two words: their shape, and that there are enough of them. */
#include "base/names.h"
#include "support/test.h"

/* The length of the word at TEXT; each is 3 to 8 letters. */
static size_t word(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");

	assert_in_range(n, 3, 8);
	return n;
}

static void shape(void **state)
{
	char name[NAME_TWO_WORDS_SIZE];

	(void)state;
	for (uint64_t seed = 0; seed < 100000; seed++) {
		name_two_words(seed, name);
		size_t first = word(name);
		assert_int_equal(name[first], '-');
		assert_int_equal(name[first + 1 + word(name + first + 1)], '\0');
	}
}

static void one_seed_is_one_name(void **state)
{
	char a[NAME_TWO_WORDS_SIZE], b[NAME_TWO_WORDS_SIZE], c[NAME_TWO_WORDS_SIZE];

	(void)state;
	name_two_words(UINT64_MAX, a);
	name_two_words(UINT64_MAX, b);
	name_two_words(UINT64_MAX - 1, c);
	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* 200 seeds in a row, such as times: one in a hundred may have the name of another. */
static void neighbours_differ(void **state)
{
	char names[200][NAME_TWO_WORDS_SIZE];
	size_t same = 0;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		name_two_words(1700000000000ull + i, names[i]);
	qsort(names, 200, sizeof(names[0]), compare);
	for (size_t i = 1; i < 200; i++)
		same += !strcmp(names[i - 1], names[i]);
	assert_true(same <= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(shape), cmocka_unit_test(one_seed_is_one_name),
					    cmocka_unit_test(neighbours_differ) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
