/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts with what was given put in, and names completed. */
#include "support/test.h"

#include "server/mcp/prompts.h"
#include "server/mcp/tools.h"

static const char *text_of(const json_t *prompt)
{
	const json_t *message = json_array_get(json_object_get(prompt, "messages"), 0);

	return json_string_value(json_object_get(json_object_get(message, "content"), "text"));
}

/* Each can be got with what it says it needs, and nothing in braces is left. */
static void all_can_be_got(void **state)
{
	json_t *list = prompts_list(), *p, *a;
	size_t i, j;

	(void)state;
	assert_true(json_array_size(list) >= 3);
	json_array_foreach(list, i, p)
	{
		const char *name = json_string_value(json_object_get(p, "name"));
		struct aisbx_error e = AISBX_ERROR_INIT;
		json_t *given = json_object(), *got = NULL;

		json_array_foreach(json_object_get(p, "arguments"), j,
				   a) if (json_is_true(json_object_get(a, "required")))
			json_object_set_new(given, json_string_value(json_object_get(a, "name")),
					    json_string("a {task} of mine"));
		assert_int_equal(prompt_get(name, given, &got, &e), 0);
		assert_non_null(strstr(text_of(got), "a {task} of mine"));
		assert_null(strchr(strstr(text_of(got), "a {task} of mine") + 8, '{'));
		json_decref(got);
		got = NULL;
		assert_failed(prompt_get(name, NULL, &got, &e), EINVAL, e, "needs");
		json_decref(given);
	}
	json_decref(list);
}

/* Tools that they speak of are there, by their names. */
static void tools_they_name_are_there(void **state)
{
	json_t *list = prompts_list(), *p;
	size_t i;

	(void)state;
	json_array_foreach(list, i, p)
	{
		struct aisbx_error e = AISBX_ERROR_INIT;
		json_t *given = json_pack("{s:s, s:s, s:s}", "task", "t", "goal", "g", "problem", "p"),
		       *got = NULL;
		const char *at;

		assert_int_equal(prompt_get(json_string_value(json_object_get(p, "name")), given, &got, &e),
				 0);
		for (at = strstr(text_of(got), "sandbox_"); at; at = strstr(at + 1, "sandbox_")) {
			char name[64] = { 0 };

			memcpy(name, at, strspn(at, "abcdefghijklmnopqrstuvwxyz_"));
			if (!tool_find(name, false))
				fail_msg("there is no '%s'", name);
		}
		json_decref(got);
		json_decref(given);
	}
	json_decref(list);
}

static void unknown_ones(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *got = NULL, *wrong = json_pack("{s:i}", "task", 1);

	(void)state;
	assert_failed(prompt_get("safe-chance", NULL, &got, &e), ENOENT, e, "safe-change");
	assert_failed(prompt_get("safe-change", wrong, &got, &e), EINVAL, e, "as text");
	json_decref(wrong);
}

static json_t *params(const char *type, const char *name, const char *argument, const char *value)
{
	return json_pack("{s:{s:s, s:s}, s:{s:s, s:s}}", "ref", "type", type, "name", name, "argument",
			 "name", argument, "value", value);
}

static void completion(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *p = params("ref/prompt", "investigate", "box", "tr"), *args = NULL, *values;
	json_t *boxes =
		json_loads("{\"boxes\": [{\"name\": \"try1\"}, {\"name\": \"other\"}, {\"name\": \"try2\"}]}",
			   0, NULL);
	const struct op *op = NULL;

	(void)state;
	assert_int_equal(complete_op(p, &op, &args, &e), 0);
	assert_ptr_equal(op, &op_ls);
	values = complete_values(p, boxes);
	assert_int_equal(json_array_size(json_object_get(values, "values")), 2);
	assert_int_equal(json_integer_value(json_object_get(values, "total")), 2);
	json_decref(values);
	values = complete_values(p, NULL);
	assert_int_equal(json_array_size(json_object_get(values, "values")), 0);
	json_decref(values);
	json_decref(args);
	json_decref(p);
	json_decref(boxes);
	p = params("ref/prompt", "investigate", "problem", "");
	assert_int_equal(complete_op(p, &op, &args, &e), 0);
	assert_null(op);
	json_decref(p);
	p = params("ref/prompt", "nonsense", "box", "");
	assert_int_equal(complete_op(p, &op, &args, &e), -ENOENT);
	json_decref(p);
	p = params("ref/tool", "x", "box", "");
	assert_int_equal(complete_op(p, &op, &args, &e), -EINVAL);
	json_decref(p);
}

/* Snapshots are a box's; a client that completes them tells which. */
static void completion_of_a_snapshot(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *p = params("ref/resource", "", "snapshot", ""), *args = NULL;
	const struct op *op = NULL;

	(void)state;
	assert_int_equal(complete_op(p, &op, &args, &e), 0);
	assert_null(op);
	json_object_set_new(p, "context", json_pack("{s:{s:s}}", "arguments", "box", "b"));
	assert_int_equal(complete_op(p, &op, &args, &e), 0);
	assert_ptr_equal(op, &op_show);
	assert_string_equal(json_string_value(json_object_get(args, "box")), "b");
	json_decref(args);
	json_decref(p);
}

static void not_too_many(void **state)
{
	json_t *list = json_array(), *boxes, *values, *p = params("ref/prompt", "investigate", "box", "");

	(void)state;
	for (int i = 0; i < 250; i++)
		json_array_append_new(list, json_pack("{s:o}", "name", json_sprintf("box%d", i)));
	boxes = json_pack("{s:o}", "boxes", list);
	values = complete_values(p, boxes);
	assert_int_equal(json_array_size(json_object_get(values, "values")), 100);
	assert_int_equal(json_integer_value(json_object_get(values, "total")), 250);
	assert_true(json_is_true(json_object_get(values, "hasMore")));
	json_decref(values);
	json_decref(boxes);
	json_decref(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_can_be_got),
		cmocka_unit_test(tools_they_name_are_there),
		cmocka_unit_test(unknown_ones),
		cmocka_unit_test(completion),
		cmocka_unit_test(completion_of_a_snapshot),
		cmocka_unit_test(not_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
