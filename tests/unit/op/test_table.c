/* SPDX-License-Identifier: Apache-2.0 */
/* The operation table: well-formed rows, arguments checked by type. */
#include "support/test.h"

#include "op/op.h"

static const char *const colours[] = { "red", "green", NULL };
static const struct op_param params[] = {
	{ "flag", 0, OP_FLAG, 0, NULL, "h" },
	{ "text", 0, OP_STRING, 0, NULL, "h" },
	{ "colour", 0, OP_CHOICE, 0, NULL, "h", colours },
	{ "size", 0, OP_SIZE, 0, NULL, "h" },
	{ "time", 0, OP_DURATION, 0, NULL, "h" },
	{ "count", 0, OP_NUMBER, 0, NULL, "h" },
	{ "list", 0, OP_LIST, 0, NULL, "h" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL | OP_REQUIRED, "COMMAND", "h" },
	{ .name = NULL },
};
static const struct op_field no_fields[] = { { NULL, NULL, NULL } };

static int run_count;

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	(void)ctx;
	(void)args;
	(void)e;
	run_count++;
	*ret_result = json_true();
	return 0;
}

static const struct op toy = { .name = "toy", .params = params, .result = no_fields, .run = run };

static int check(const char *text, struct aisbx_error *e)
{
	json_t *args = json_loads(text, JSON_DECODE_ANY, NULL);
	int r;

	assert_non_null(args);
	r = op_check_args(&toy, args, e);
	json_decref(args);
	return r;
}

static void rows_are_complete(void **state)
{
	(void)state;
	for (size_t i = 0; ops[i]; i++) {
		assert_ptr_equal(op_by_name(ops[i]->name), ops[i]);
		assert_true(ops[i]->summary && ops[i]->about && ops[i]->run && ops[i]->params &&
			    ops[i]->result);
		assert_true(ops[i]->group >= GROUP_RUN && ops[i]->group < GROUP_COUNT);
		assert_false(ops[i]->tool && ops[i]->no_tool);
		assert_false(ops[i]->server &&
			     ops[i]->method); /* what serves is called by nobody it serves */
		for (const struct op_param *p = ops[i]->params; p->name; p++) {
			assert_ptr_equal(op_param_by_name(ops[i], p->name), p);
			assert_non_null(p->help);
			if (p->type != OP_FLAG)
				assert_non_null(p->value); /* help shows it */
			if (p->type == OP_CHOICE)
				assert_non_null(p->choices);
			for (const struct op_param *q = p + 1; q->name; q++)
				assert_false(p->letter && p->letter == q->letter);
		}
	}
	assert_null(op_by_name("fly"));
	assert_null(op_param_by_name(&toy, "fly"));
}

static void good_arguments(void **state)
{
	static const char *const good[] = {
		"{\"command\":[\"x\"]}",
		"{\"command\":[\"x\"],\"flag\":false,\"text\":\"\",\"colour\":\"red\",\"list\":[]}",
		"{\"command\":[\"x\"],\"size\":\"1m\",\"time\":\"1s\",\"count\":\"3\"}",
		"{\"command\":[\"x\"],\"size\":1,\"time\":0.5,\"count\":0}",
	};
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (check(good[i], &e) < 0)
			fail_msg("%s: %s", good[i], e.text);
}

static void bad_arguments(void **state)
{
	static const struct {
		const char *args, *word;
	} bad[] = {
		{ "[]", "must be an object" },
		{ "{}", "needs COMMAND" },
		{ "{\"command\":[]}", "needs COMMAND" },
		{ "{\"command\":[1]}", "list of texts" },
		{ "{\"command\":\"x\"}", "list of texts" },
		{ "{\"list\":[null]}", "list of texts" },
		{ "{\"nope\":1}", "takes no argument 'nope'" },
		{ "{\"flag\":1}", "true or false" },
		{ "{\"text\":1}", "text" },
		{ "{\"colour\":1}", "text" },
		{ "{\"colour\":\"gren\"}", "did you mean 'green'?" },
		{ "{\"colour\":\"xxxxxxxxx\"}", "red, green" },
		{ "{\"size\":\"big\"}", "a size" },
		{ "{\"size\":-1}", "a size" },
		{ "{\"size\":null}", "a size" },
		{ "{\"time\":\"soon\"}", "a time" },
		{ "{\"time\":-0.5}", "a time" },
		{ "{\"count\":1.5}", "a whole number" },
		{ "{\"count\":-1}", "a whole number" },
		{ "{\"count\":\"x\"}", "a whole number" },
	};
	struct aisbx_error e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		assert_failed(check(bad[i].args, &e), EINVAL, e, bad[i].word);
	}
}

static void call_checks_first(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct op_context ctx = { 0 };
	json_t *args = json_object(), *result = NULL;

	(void)state;
	assert_int_equal(op_call(&toy, &ctx, args, &result, &e), -EINVAL);
	assert_int_equal(run_count, 0);
	json_object_set_new(args, "command", json_pack("[s]", "x"));
	assert_int_equal(op_call(&toy, &ctx, args, &result, &e), 0);
	assert_int_equal(run_count, 1);
	json_decref(args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(good_arguments),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(call_checks_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
