/* SPDX-License-Identifier: Apache-2.0 */
/* What a person accepts of a review: how it is written, and what it leaves in a plan. */
#include "support/test.h"

#include <sys/stat.h>

#include "base/scope.h"
#include "promote/review.h"

static struct merge_plan plan_of(void)
{
	static const struct {
		const char *path;
		enum merge_op op;
		mode_t mode;
	} steps[] = {
		{ "a", MERGE_REPLACE, S_IFREG | 0644 },
		{ "new", MERGE_CREATE, S_IFDIR | 0755 },
		{ "new/deep", MERGE_INSIDE, S_IFDIR | 0755 },
		{ "new/deep/x", MERGE_INSIDE, S_IFREG | 0644 },
		{ "new/deep/y", MERGE_INSIDE, S_IFREG | 0644 },
		{ "new/z", MERGE_INSIDE, S_IFREG | 0644 },
		{ "newer", MERGE_CREATE, S_IFREG | 0644 },
		{ "swap", MERGE_REPLACE, S_IFDIR | 0755 },
		{ "swap/in", MERGE_INSIDE, S_IFREG | 0644 },
	};
	struct merge_plan p = { .steps = calloc(16, sizeof(*p.steps)) };

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		p.steps[p.n++] = (struct merge_step){ .path = strdup(steps[i].path),
						      .op = steps[i].op,
						      .take = ~0U,
						      .now.st_mode = steps[i].mode };
	return p;
}

static struct promote_review review_of(void)
{
	static const size_t steps[] = { 0, 3, 4, 5, 6, 7 };
	struct promote_review r = { .items = calloc(8, sizeof(*r.items)) };

	for (size_t i = 0; i < 6; i++)
		r.items[r.n++] = (struct review_item){ .step = steps[i], .inside = i == 5 };
	return r;
}

static void left_by(const char *const *texts, const char *wanted)
{
	scoped(merge_plan_finish) struct merge_plan plan = plan_of();
	scoped(promote_review_finish) struct promote_review review = review_of();
	scoped(promote_selection_finish) struct promote_selection s = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	char left[256] = "";

	for (; *texts; texts++)
		assert_int_equal(promote_selection_add(&s, *texts, &e), 0);
	assert_int_equal(promote_select(&plan, &review, &s, "/nowhere", &e), 0);
	for (size_t i = 0; i < plan.n; i++) {
		strcat(left, plan.steps[i].path);
		strcat(left, " ");
	}
	assert_string_equal(left, wanted);
}

static void test_what_stays_in_a_plan(void **state)
{
	(void)state;
	left_by((const char *[]){ NULL }, "");
	left_by((const char *[]){ "1", NULL }, "a ");
	left_by((const char *[]){ "3", NULL }, "new new/deep new/deep/y ");
	left_by((const char *[]){ "4", "5", NULL }, "new new/z newer ");
	left_by((const char *[]){ "6", NULL }, "swap swap/in ");
}

static void test_what_is_no_choice(void **state)
{
	static const char *const bad[] = { "", "x", "0", "1:", "1:0", "1:1,", "1,2", "-1", "1:m2", "9 " };
	struct promote_selection s = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;

		assert_failed(promote_selection_add(&s, bad[i], &e), EINVAL, e, "accepts nothing");
	}
	assert_int_equal(s.n, 0);
}

static void test_what_is_not_in_the_review(void **state)
{
	static const char *const bad[][3] = { { "7" }, { "1", "1" }, { "1:1" }, { "1:m" } };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		scoped(merge_plan_finish) struct merge_plan plan = plan_of();
		scoped(promote_review_finish) struct promote_review review = review_of();
		scoped(promote_selection_finish) struct promote_selection s = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		for (size_t k = 0; bad[i][k]; k++)
			assert_int_equal(promote_selection_add(&s, bad[i][k], &e), 0);
		assert_failed(promote_select(&plan, &review, &s, "/nowhere", &e), EINVAL, e, "review");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_stays_in_a_plan),
		cmocka_unit_test(test_what_is_no_choice),
		cmocka_unit_test(test_what_is_not_in_the_review),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
