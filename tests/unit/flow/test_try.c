/* SPDX-License-Identifier: Apache-2.0 */
/* Records of branches: who is best, what an experiment exits with, and what is read back of what was kept. */
#include "support/test.h"

#include "base/scope.h"
#include "flow/try.h"

static struct try_record record(size_t n, enum try_state state, double score)
{
	struct try_record r = { .n = n, .state = state, .scored = true, .score = score };

	if (asprintf(&r.name, "%zu", n) < 0 || !(r.command = strdup("true")))
		fail();
	return r;
}

static void ranks(void **state)
{
	for (int most = 0; most < 2; most++) {
		struct try_record list[] = { record(1, TRY_FAILED, 1), record(2, TRY_PASSED, 30),
					     record(3, TRY_PASSED, 10), record(4, TRY_STOPPED, 0) };

		(void)state;
		try_rank(most, list, 4);
		assert_int_equal(list[0].n, most ? 2 : 3);
		assert_int_equal(list[0].rank, 1);
		assert_int_equal(list[1].rank, 2);
		assert_int_equal(list[2].rank, 0);
		for (size_t i = 0; i < 4; i++)
			try_record_finish(&list[i]);
	}
}

static void statuses(void **state)
{
	struct try_record one = record(1, TRY_PASSED, 1);
	struct try_result r = { .branches = &one, .n = 1, .state = "none" };

	(void)state;
	assert_int_equal(try_result_status(&r), 1);
	assert_null(try_result_winner(&r));
	one.rank = 1;
	r.state = "compared";
	assert_int_equal(try_result_status(&r), 0);
	r.state = "won";
	one.state = TRY_WINNER;
	assert_int_equal(try_result_status(&r), 0);
	assert_ptr_equal(try_result_winner(&r), &one);
	r.signal = 2;
	assert_int_equal(try_result_status(&r), 130);
	try_record_finish(&one);
}

static void read_back(void **state)
{
	scoped(try_record_finish) struct try_record was = record(2, TRY_FLAKY, 12.5), is = { 0 };
	json_t *j;

	(void)state;
	was.box = strdup("x-1-2");
	snprintf(was.snapshot, sizeof(was.snapshot), "s-1");
	strlist_add(&was.runs, "r-1");
	was.counted = true;
	was.tests.failed = 3;
	was.compared = true;
	was.deleted = 5;
	try_record_become(&was, TRY_FLAKY, "sometimes");
	j = try_record_json(&was);
	assert_true(try_record_read(j, &is));
	json_decref(j);
	assert_int_equal(is.state, TRY_FLAKY);
	assert_string_equal(is.why, "sometimes");
	assert_string_equal(is.snapshot, "s-1");
	assert_string_equal(is.runs.items[0], "r-1");
	assert_true(is.counted && is.tests.failed == 3 && is.compared && is.deleted == 5);
	assert_true(is.scored && is.score == 12.5);
	{
		scoped(drop_mem) char *point = try_record_point(&was);

		assert_string_equal(point, "x-1-2@s-1");
	}
}

/* Without a promotion its places are empty: whoever tells of one fills them. */
static void result(void **state)
{
	struct try_record one = record(1, TRY_WINNER, 1);
	const struct try_result r = { .experiment = "x-1", .branches = &one, .n = 1, .state = "won" };
	json_t *j = try_result_json(&r);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(j, "winner")), "1");
	assert_true(json_is_null(json_object_get(j, "promotion")) &&
		    json_is_null(json_object_get(j, "pipeline")));
	json_decref(j);
	try_record_finish(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),
		cmocka_unit_test(statuses),
		cmocka_unit_test(read_back),
		cmocka_unit_test(result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
