/* SPDX-License-Identifier: Apache-2.0 */
/* What a program's host tells becomes part of the result; what somebody else wrote in its place does no harm.
 */
#include "support/test.h"

#include "driver/wasm.h"

static struct wasm_report read_text(const char *text)
{
	struct wasm_report r;

	wasm_report_read(text, strlen(text), &r);
	return r;
}

static void lines_are_read(void **state)
{
	struct wasm_report r = read_text(
		"fuel 12345\ntrap stack_overflow\nimport env emscripten_run_script\nunknown word\n");

	(void)state;
	assert_true(r.has_fuel && r.fuel == 12345 && !r.out_of_fuel);
	assert_string_equal(r.trap, "stack_overflow");
	assert_int_equal(r.n_imports, 1);
	assert_string_equal(r.imports[0].module, "env");
	assert_string_equal(r.imports[0].name, "emscripten_run_script");
	assert_null(r.failure);
	wasm_report_finish(&r);
}

static void hostile_lines_are_bounded(void **state)
{
	char text[4096];
	struct wasm_report r;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "import %090d %d\n", i, i);
	wasm_report_read(text, n, &r);
	assert_int_equal(r.n_imports, 16);
	assert_int_equal(strlen(r.imports[0].module), 80);
	wasm_report_finish(&r);
	r = read_text("fuel 99999999999999999999999\nfuel\nimport\nerror \x1b[31mred\x01\nerror again\ntrap "
		      "\xff\xfe\nlimit fuel"); /* cut off */
	assert_false(r.has_fuel || r.out_of_fuel);
	assert_string_equal(r.failure, "?[31mred?");
	assert_string_equal(r.trap, "");
	wasm_report_finish(&r);
}

static void fuel_that_is_used_up_is_a_limit(void **state)
{
	const struct run_spec spec = { .profile.limits[LIMIT_FUEL] = 1000 };
	struct driver_result result = { .limits[LIMIT_FUEL] = 1000,
					.outcome = {
						.end = RUN_EXITED, .limit = LIMIT_COUNT, .started = true } };
	struct wasm_report r = read_text("fuel 1000\nlimit fuel\n");

	(void)state;
	assert_int_equal(wasm_report_apply(&r, &spec, &result), 0);
	assert_int_equal(result.outcome.end, RUN_STOPPED);
	assert_int_equal(result.outcome.limit, LIMIT_FUEL);
	assert_int_equal(result.n_violations, 1);
	assert_string_equal(result.violations[0].what, "execute more than 1000 instructions");
	assert_string_equal(result.violations[0].allow_with, "--fuel 2000");
	wasm_report_finish(&r);
	driver_result_finish(&result);
}

static void too_much_memory_is_a_limit(void **state)
{
	const struct run_spec spec = { .profile.limits[LIMIT_MEMORY] = 1 << 20 };
	struct driver_result result = { .limits[LIMIT_MEMORY] = 1 << 20,
					.outcome = { .end = RUN_EXITED,
						     .limit = LIMIT_COUNT,
						     .started = true,
						     .usage.mem_peak = 4096 } };
	struct wasm_report r = read_text("limit memory 1052672\n");

	(void)state;
	assert_true(r.memory == 1052672 && !r.out_of_fuel);
	assert_int_equal(wasm_report_apply(&r, &spec, &result), 0);
	assert_int_equal(result.outcome.end, RUN_STOPPED);
	assert_int_equal(result.outcome.limit, LIMIT_MEMORY);
	assert_int_equal(result.outcome.limit_used, 1052672);
	assert_int_equal(result.outcome.usage.mem_peak, 1052672);
	assert_int_equal(result.n_violations, 1);
	wasm_report_finish(&r);
	driver_result_finish(&result);
	r = read_text("limit memory -1\nlimit memory x\nlimit\nlimit other 5\n");
	assert_true(!r.memory && !r.out_of_fuel);
}

static void the_supervisor_knows_better(void **state)
{
	const struct run_spec spec = { .profile.limits[LIMIT_FUEL] = 1000 };
	struct driver_result result = { .limits[LIMIT_FUEL] = 1000,
					.outcome = { .end = RUN_STOPPED, .limit = LIMIT_WALL_TIME } };
	struct wasm_report r = read_text("fuel 1000\nlimit fuel\ntrap unreachable\nerror no\n");

	(void)state;
	assert_int_equal(wasm_report_apply(&r, &spec, &result), 0);
	assert_int_equal(result.outcome.limit, LIMIT_WALL_TIME);
	assert_null(result.failure);
	assert_string_equal(result.trap, "");
	wasm_report_finish(&r);
	driver_result_finish(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(hostile_lines_are_bounded),
		cmocka_unit_test(fuel_that_is_used_up_is_a_limit),
		cmocka_unit_test(too_much_memory_is_a_limit),
		cmocka_unit_test(the_supervisor_knows_better),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
