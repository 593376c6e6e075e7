/* SPDX-License-Identifier: Apache-2.0 */
/* What jobs may use: nothing that the operation table does not have, and nothing that reaches the node. */
#include "support/test.h"

#include "fleet/agent/allowed.h"
#include "op/op.h"

static void check_words(const struct op *op, const char *words)
{
	while (*words) {
		const size_t n = strcspn(words, "|");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)n, words);
		if (!op_param_by_name(op, name))
			fail_msg("'%s' has no argument '%s'", op->name, name);
		words += n + (words[n] == '|');
	}
}

static void the_table_is_that_of_the_operations(void **state)
{
	(void)state;
	for (const struct allowed_operation *row = allowed_operations; row->name; row++) {
		const struct op *op = op_by_name(row->name);

		assert_non_null(op);
		assert_string_equal(op->method, row->method);
		assert_int_not_equal(op->grant, GRANT_HOST);
		check_words(op, row->arguments);
	}
}

static int check(const char *operation, const char *arguments, const char *allow, struct aisbx_error *e)
{
	json_t *args = json_loads(arguments, 0, NULL);
	const char *method;
	int r;

	assert_non_null(args);
	r = allowed_check(operation, args, allow, &method, e);
	json_decref(args);
	return r;
}

static void what_stays_in_a_box_is_allowed(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(check("run", "{\"command\": [\"true\"], \"timeout\": \"5s\"}", NULL, &e), 0);
	assert_int_equal(check("run", "{\"image\": \"library/debian:12\", \"profile\": \"strict\"}", NULL,
			       &e),
			 0);
	assert_int_equal(check("run",
			       "{\"secret\": [\"A=env:A\", \"B-1=env:B-1,as=file\", "
			       "\"C=env:C,as=env,inject=h.example\"]}",
			       NULL, &e),
			 0);
	assert_int_equal(check("file read", "{\"box\": \"b\", \"path\": \"/etc/passwd\"}", NULL, &e), 0);
}

static void what_reaches_the_node_is_refused(void **state)
{
	static const char *const calls[][2] = {
		{ "run", "{\"rw\": [\"/etc\"]}" },
		{ "run", "{\"ro\": [\"/etc\"]}" },
		{ "run", "{\"project\": \"/\"}" },
		{ "run", "{\"secret\": [\"A=cmd:id\"]}" },
		{ "run", "{\"secret\": [\"A=file:/etc/shadow\"]}" },
		{ "run", "{\"secret\": [\"A=env:PATH\"]}" },
		{ "run", "{\"secret\": [\"A=env:A\", \"B=file:B\"]}" },
		{ "run", "{\"secret\": [\"A\"]}" },
		{ "run", "{\"secret\": [1]}" },
		{ "exec", "{\"secret\": [\"A=env:A\"]}" },
		{ "try", "{\"secret\": [\"A=env:A\"]}" },
		{ "run", "{\"device\": [\"/dev/kvm\"]}" },
		{ "run", "{\"gpu\": true}" },
		{ "run", "{\"publish\": [\"80\"]}" },
		{ "run", "{\"services\": \"/etc/x\"}" },
		{ "run", "{\"without\": [\"net\"]}" },
		{ "run", "{\"driver\": \"chroot\"}" },
		{ "run", "{\"detach\": true}" },
		{ "run", "{\"_cwd\": \"/etc\"}" },
		{ "run", "{\"profile\": \"/tmp/mine.yaml\"}" },
		{ "run", "{\"profile\": \"../mine\"}" },
		{ "run", "{\"profile\": 1}" },
		{ "run", "{\"image\": \"/tmp/image.tar\"}" },
		{ "create", "{\"from\": \"./rootfs\"}" },
		{ "create", "{\"from\": \"file:///etc\"}" },
		{ "try", "{\"promote\": true}" },
		{ "run-code", "{\"out\": \"/etc\"}" },
		{ "run-code", "{\"file\": \"/etc/shadow\"}" },
		{ "promote", "{}" },
		{ "undo", "{}" },
		{ "guard", "{}" },
		{ "install", "{}" },
		{ "artifact get", "{}" },
		{ "run.exec", "{}" },
		{ "", "{}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;

		if (check(calls[i][0], calls[i][1], NULL, &e) == 0)
			fail_msg("'%s' with %s was allowed", calls[i][0], calls[i][1]);
		assert_int_equal(e.kind, AISBX_KIND_DENIED);
	}
}

static void secrets_of_a_job_are_a_short_list(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *list = json_array(), *args = json_pack("{s:o}", "secret", list);
	char *text;

	(void)state;
	for (int i = 0; i < 65; i++)
		json_array_append_new(list, json_sprintf("A%d=env:A%d", i, i));
	text = json_dumps(args, 0);
	assert_failed(check("run", text, NULL, &e), EINVAL, e, "at most 64");
	assert_failed(check("run", "{\"secret\": {\"A\": 1}}", NULL, &e), EINVAL, e, "must be a list");
	free(text);
	json_decref(args);
}

static void a_node_may_allow_more(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(check("box.promote", "{\"box\": \"b\"}", "x,box.promote", &e), 0);
	assert_failed(check("box.promot", "{}", "x,box.promote", &e), EPERM, e, "is not for other machines");
	assert_failed(check("", "{}", "x,,", &e), EPERM, e, "is not for other machines");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_that_of_the_operations),
		cmocka_unit_test(what_stays_in_a_box_is_allowed),
		cmocka_unit_test(what_reaches_the_node_is_refused),
		cmocka_unit_test(secrets_of_a_job_are_a_short_list),
		cmocka_unit_test(a_node_may_allow_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
