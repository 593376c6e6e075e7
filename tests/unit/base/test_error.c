/* SPDX-License-Identifier: Apache-2.0 */
/* Errors keep their code, say what and why, and never overflow. */
#include "support/test.h"

#include "base/error.h"

static void fail_adds_the_reason(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(aisbx_fail(&e, AISBX_AREA_LAYER, ENOENT, "open '%s'", "x"), -ENOENT);
	assert_int_equal(e.code, -ENOENT);
	assert_int_equal(e.area, AISBX_AREA_LAYER);
	assert_string_equal(e.text, "open 'x': No such file or directory");
}

static void refuse_has_its_own_words(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "no %d", 7), -EINVAL);
	assert_string_equal(e.text, "no 7");
}

static void a_slip_is_still_a_failure(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(aisbx_fail(&e, 0, 0, "x"), -EIO);
	assert_int_equal(aisbx_fail(&e, 0, -ENOENT, "x"), -EIO);
	assert_int_equal(aisbx_refuse(&e, aisbx_kind_of(0, 0), 0, 0, "x"), -EIO);
	assert_int_equal(aisbx_refuse(&e, aisbx_kind_of(0, -1), 0, -1, "x"), -EIO);
}

static void context_goes_before_and_hint_behind(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	aisbx_fail(&e, 0, EPERM, "b");
	assert_int_equal(aisbx_context(&e, "a%d", 1), -EPERM);
	assert_int_equal(aisbx_hint(&e, "try %s", "c"), -EPERM);
	assert_string_equal(e.text, "a1: b: Operation not permitted; try c");
}

static void long_texts_are_cut(void **state)
{
	struct {
		struct aisbx_error e;
		char canary[8];
	} x = { .canary = "canary" };
	char big[1000];

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	aisbx_fail(&x.e, 0, EPERM, "%s", big);
	assert_int_equal(strlen(x.e.text), sizeof(x.e.text) - 1);
	aisbx_hint(&x.e, "%s", big);
	aisbx_context(&x.e, "%s", big);
	aisbx_refuse(&x.e, aisbx_kind_of(0, EPERM), 0, EPERM, "%s", big);
	aisbx_context(&x.e, "short");
	assert_int_equal(strlen(x.e.text), sizeof(x.e.text) - 1);
	assert_memory_equal(x.e.text, "short: xxx", 10);
	assert_string_equal(x.canary, "canary");
}

static void kinds_are_of_who_refuses_or_of_the_errno(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	aisbx_refuse(&e, AISBX_KIND_CONFLICT, AISBX_AREA_BOX, EINVAL, "x");
	assert_int_equal(e.kind, AISBX_KIND_CONFLICT);
	aisbx_fail(&e, AISBX_AREA_BOX, ENOENT, "x");
	assert_int_equal(e.kind, AISBX_KIND_NOT_FOUND);
	aisbx_fail(&e, AISBX_AREA_SYS, ENOENT, "x"); /* of aisbx's own things */
	assert_string_equal(aisbx_kind_name(e.kind), "internal");
	for (int kind = AISBX_KIND_NONE; kind < AISBX_KIND_COUNT; kind++)
		assert_non_null(aisbx_kind_name(kind));
}

static void areas_have_names(void **state)
{
	(void)state;
	for (int a = 0; a < AISBX_AREA_COUNT; a++) {
		assert_non_null(aisbx_area_name(a));
		assert_string_not_equal(aisbx_area_name(a), "unknown");
	}
	assert_string_equal(aisbx_area_name(AISBX_AREA_JAIL), "jail");
	assert_string_equal(aisbx_area_name(-1), "unknown");
	assert_string_equal(aisbx_area_name(AISBX_AREA_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_adds_the_reason),
		cmocka_unit_test(refuse_has_its_own_words),
		cmocka_unit_test(a_slip_is_still_a_failure),
		cmocka_unit_test(context_goes_before_and_hint_behind),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(areas_have_names),
		cmocka_unit_test(kinds_are_of_who_refuses_or_of_the_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
