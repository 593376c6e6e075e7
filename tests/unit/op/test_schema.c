/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas come out of the table: types, required names, nested results. */
#include "support/test.h"

#include "op/op.h"

static const char *const colours[] = { "red", "green", NULL };
static const struct op_param params[] = {
	{ "flag", 0, OP_FLAG, 0, NULL, "a flag" },
	{ "text", 0, OP_STRING, 0, NULL, "h" },
	{ "colour", 0, OP_CHOICE, 0, NULL, "h", colours },
	{ "size", 0, OP_SIZE, 0, NULL, "h" },
	{ "count", 0, OP_NUMBER, 0, NULL, "h" },
	{ "list", 0, OP_LIST, OP_REQUIRED, NULL, "h" },
	{ .name = NULL },
};
static const struct op_field fields[] = {
	{ "a", "object", "an object" },   { "a.b", "integer|null", "inside" }, { "l", "array", "a list" },
	{ "l[].x", "string", "of each" }, { "l[].y", "string", "too" },        { NULL, NULL, NULL },
};
static const struct op toy = {
	.name = "toy",
	.summary = "s",
	.about = "a",
	.grant = GRANT_READ,
	.params = params,
	.result = fields,
};

/* The text at a JSON path of plain member names. */
static const json_t *at(const json_t *j, const char *path)
{
	char copy[128], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save))
		j = json_object_get(j, part);
	if (!j)
		fail_msg("there is no '%s'", path);
	return j;
}

static void toy_schema(void **state)
{
	json_t *s = op_describe(&toy);

	(void)state;
	assert_string_equal(json_string_value(at(s, "grant")), "read");
	assert_string_equal(json_string_value(at(s, "arguments/properties/flag/type")), "boolean");
	assert_string_equal(json_string_value(at(s, "arguments/properties/flag/description")), "a flag");
	assert_string_equal(json_string_value(at(s, "arguments/properties/text/type")), "string");
	assert_int_equal(json_array_size(at(s, "arguments/properties/colour/enum")), 2);
	assert_true(json_is_array(at(s, "arguments/properties/size/type")));
	assert_string_equal(json_string_value(at(s, "arguments/properties/count/type")), "integer");
	assert_string_equal(json_string_value(at(s, "arguments/properties/list/items/type")), "string");
	assert_int_equal(json_array_size(at(s, "arguments/required")), 1);
	assert_true(json_is_false(at(s, "arguments/additionalProperties")));
	assert_int_equal(json_array_size(at(s, "result/properties/a/properties/b/type")), 2);
	assert_string_equal(json_string_value(at(s, "result/properties/l/items/properties/x/type")),
			    "string");
	assert_string_equal(json_string_value(at(s, "result/properties/l/items/properties/y/type")),
			    "string");
	json_decref(s);
}

static void every_operation_has_one(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct op_context ctx = { 0 };
	json_t *args = json_object(), *result = NULL;
	size_t n = 0;

	(void)state;
	while (ops[n])
		n++;
	assert_int_equal(op_call(&op_schema, &ctx, args, &result, &e), 0);
	assert_int_equal(json_array_size(json_object_get(result, "operations")), n);
	json_decref(result);
	json_object_set_new(args, "operation", json_string("run"));
	assert_int_equal(op_call(&op_schema, &ctx, args, &result, &e), 0);
	assert_int_equal(json_array_size(json_object_get(result, "operations")), 1);
	json_decref(result);
	json_object_set_new(args, "operation", json_string("fly"));
	assert_failed(op_call(&op_schema, &ctx, args, &result, &e), ENOENT, e, "no operation 'fly'");
	json_decref(args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toy_schema),
		cmocka_unit_test(every_operation_has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
