/* SPDX-License-Identifier: Apache-2.0 */
/* What a model is offered over a fleet: nothing but what jobs may do, and what is answered here. */
#include "support/test.h"

#include "fleet/agent/allowed.h"
#include "server/mcp/offer.h"
#include "server/mcp/prompts.h"
#include "server/mcp/tools.h"

static void only_what_jobs_may_do(void **state)
{
	static const struct op *const never[] = { &op_promote, &op_undo, &op_do,
						  &op_history, &op_logs, &op_mcp };
	const json_t *arguments = json_object();

	(void)state;
	for (size_t i = 0; ops[i]; i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		const char *method;

		if (offer_op(ops[i]) && ops[i] != &op_wait && ops[i] != &op_ps)
			assert_int_equal(allowed_check(ops[i]->name, arguments, NULL, &method, &e), 0);
	}
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_false(offer_op(never[i]));
	json_decref((json_t *)arguments);
}

static bool takes(const struct op *op, const char *name)
{
	for (const struct op_param *p = op->params; p->name; p++)
		if (!strcmp(p->name, name))
			return offer_param(op, p);
	fail_msg("%s has no parameter '%s'", op->name, name);
	return false;
}

static void only_arguments_that_travel(void **state)
{
	(void)state;
	assert_true(takes(&op_run, "command") && takes(&op_run, "box") && takes(&op_wait, "run"));
	assert_false(takes(&op_run, "detach") || takes(&op_run, "rw") || takes(&op_create, "secret"));
}

/* What a model reads speaks of nothing that is not there. */
static void check_words(const char *where, const char *text)
{
	static const char *const words[] = { "promot", "undo", "this machine", "real project", "real files" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			fail_msg("%s speaks of '%s': %s", where, words[i], text);
	for (const char *at = text; (at = strstr(at, "sandbox_"));) {
		const size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		if (!tool_find(name, false))
			fail_msg("%s names %s", where, name);
		at += n;
	}
}

static void words_fit(void **state)
{
	json_t *list = tools_list(false), *tool;
	size_t i;

	(void)state;
	assert_true(json_array_size(list) > 10);
	json_array_foreach(list, i, tool)
		check_words(json_string_value(json_object_get(tool, "name")),
			    json_string_value(json_object_get(tool, "description")));
	check_words("instructions", offer_instructions);
	json_decref(list);
}

static void prompts_name_tools_that_are_there(void **state)
{
	json_t *list = prompts_list(), *got = NULL;
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "name")),
			    "investigate");
	assert_int_equal(prompt_get("safe-change", NULL, &got, &e), -ENOENT);
	json_decref(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_jobs_may_do),
		cmocka_unit_test(only_arguments_that_travel),
		cmocka_unit_test(words_fit),
		cmocka_unit_test(prompts_name_tools_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
