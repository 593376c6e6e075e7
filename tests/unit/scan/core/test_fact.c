/* SPDX-License-Identifier: Apache-2.0 */
/* Facts are copies, and no program can make them more than their caps. */
#include "support/test.h"

#include "scan/core/fact.h"

static void copies(void **state)
{
	struct facts l = { 0 };
	char name[] = "rm", *words[] = { strdup("-rf"), strdup("/"), NULL };
	struct fact f = { .kind = FACT_COMMAND, .name = name, .args = { .items = words, .n = 2 }, .line = 3 };

	(void)state;
	facts_add(&l, &f);
	name[0] = 'x';
	words[0][1] = 'x';
	assert_int_equal(l.n, 1);
	assert_string_equal(l.list[0].name, "rm");
	assert_string_equal(l.list[0].args.items[0], "-rf");
	assert_null(l.list[0].args.items[2]);
	assert_int_equal(l.list[0].line, 3);
	facts_finish(&l);
	assert_int_equal(l.n, 0);
	free(words[0]);
	free(words[1]);
}

static void long_texts_are_cut_between_characters(void **state)
{
	char *text = malloc(FACT_MAX_TEXT + 100);
	struct facts l = { 0 };

	(void)state;
	memset(text, 'a', FACT_MAX_TEXT + 99);
	text[FACT_MAX_TEXT + 99] = '\0';
	memcpy(text + FACT_MAX_TEXT - 1, "\xe2\x82\xac", 3);
	facts_add(&l, &(struct fact){ .kind = FACT_TEXT, .name = text });
	assert_int_equal(strlen(l.list[0].name), FACT_MAX_TEXT - 1);
	facts_finish(&l);
	free(text);
}

static void the_list_has_an_end(void **state)
{
	struct facts l = { 0 };

	(void)state;
	for (size_t i = 0; i < FACT_MAX + 10; i++)
		facts_add(&l, &(struct fact){ .kind = FACT_TEXT, .name = "x" });
	assert_int_equal(l.n, FACT_MAX);
	assert_int_equal(l.dropped, 10);
	facts_add(&l, &(struct fact){ .kind = FACT_UNREAD,
				      .name = "facts" }); /* that there were more must not be lost */
	assert_int_equal(l.n, FACT_MAX + 1);
	facts_finish(&l);
}

static void bytes_and_arguments_have_an_end(void **state)
{
	char text[FACT_MAX_TEXT + 1], *words[FACT_MAX_ARGS + 5];
	struct fact f = { .kind = FACT_CALL,
			  .name = "x",
			  .args = { .items = words, .n = FACT_MAX_ARGS + 5 } };
	struct facts l = { 0 };

	(void)state;
	memset(text, 'a', FACT_MAX_TEXT);
	text[FACT_MAX_TEXT] = '\0';
	for (size_t i = 0; i < FACT_MAX_ARGS + 5; i++)
		words[i] = text;
	for (int i = 0; i < 100; i++)
		facts_add(&l, &f);
	assert_int_equal(l.list[0].args.n, FACT_MAX_ARGS);
	assert_true(l.bytes < FACT_MAX_BYTES + 2 * FACT_MAX_ARGS * FACT_MAX_TEXT);
	assert_int_equal(l.n + l.dropped, 100);
	assert_true(l.dropped > 0);
	facts_finish(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(copies),
					    cmocka_unit_test(long_texts_are_cut_between_characters),
					    cmocka_unit_test(the_list_has_an_end),
					    cmocka_unit_test(bytes_and_arguments_have_an_end) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
