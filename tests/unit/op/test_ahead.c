/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls are prepared ahead: those that say nothing but what is listed; and what of them is known. */
#include "support/test.h"

#include "op/ahead.h"

static const char *const names[] = { "text", "how", "size", NULL };
static const struct op toy = { .name = "toy", .ahead = names }, other = { .name = "other" };

/* NULL: it is not prepared. */
static char *known(const struct op *op, const char *text)
{
	json_t *args = json_loads(text, 0, NULL), *found = op_ahead_args(op, args);
	char *written = found ? json_dumps(found, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	char *before = json_dumps(args, JSON_COMPACT);

	assert_string_equal(before, text); /* what was given is as it was */
	free(before);
	json_decref(args);
	json_decref(found);
	return written;
}

static void the_late_text_is_not_known(void **state)
{
	char *text = known(&toy, "{\"text\":\"a program\",\"how\":\"x\",\"size\":3}");

	(void)state;
	assert_string_equal(text, "{\"how\":\"x\",\"size\":3,\"text\":\"\"}");
	free(text);
}

static void others_are_not_prepared(void **state)
{
	(void)state;
	assert_null(known(&other, "{\"text\":\"a\",\"how\":\"x\"}"));
	assert_null(known(&toy, "{\"text\":\"a\"}"));
	assert_null(known(&toy, "{\"how\":\"x\"}"));
	assert_null(known(&toy, "{\"text\":3,\"how\":\"x\"}"));
	assert_null(known(&toy, "{\"text\":\"a\",\"how\":\"x\",\"secret\":[\"s\"]}"));
}

/* What a call may say that is prepared must neither give it anything of the host nor change that. */
static void no_listed_argument_reaches_the_host(void **state)
{
	static const char *const reaching[] = { "file", "box", "context", "out", "ro",
						"rw",   "env", "secret",  "net", NULL };

	(void)state;
	for (size_t i = 0; ops[i]; i++)
		for (const char *const *name = ops[i]->ahead; name && *name; name++) {
			assert_non_null(op_param_by_name(ops[i], *name));
			for (const char *const *bad = reaching; *bad; bad++)
				assert_string_not_equal(*name, *bad);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_late_text_is_not_known),
		cmocka_unit_test(others_are_not_prepared),
		cmocka_unit_test(no_listed_argument_reaches_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
