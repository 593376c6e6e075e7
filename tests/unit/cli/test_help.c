/* SPDX-License-Identifier: Apache-2.0 */
/* Help names everything that is in the table. */
#include "support/test.h"

#include "cli/cli.h"

static char *help(bool all)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cli_help(all, f);
	fclose(f);
	return text;
}

static void the_list_has_every_operation(void **state)
{
	char *text = help(true);

	(void)state;
	for (size_t i = 0; ops[i]; i++)
		if (!strstr(text, ops[i]->name) || !strstr(text, ops[i]->summary))
			fail_msg("'%s' is not in the help", ops[i]->name);
	free(text);
}

static void the_short_list_has_what_comes_first(void **state)
{
	char *text = help(false);

	(void)state;
	for (size_t i = 0; ops[i]; i++)
		if ((strstr(text, ops[i]->summary) != NULL) != ops[i]->first)
			fail_msg("'%s' is in the short help, or not, against its row", ops[i]->name);
	for (enum op_group g = GROUP_RUN; g < GROUP_COUNT; g++) /* a beginner needs no images */
		assert_true((strstr(text, op_group_name(g)) != NULL) == (g != GROUP_IMAGES));
	free(text);
}

static void each_has_every_option(void **state)
{
	(void)state;
	for (size_t i = 0; ops[i]; i++) {
		char *text = NULL, word[80];
		size_t len;
		FILE *f = open_memstream(&text, &len);

		cli_help_op(ops[i], false, f);
		fclose(f);
		for (const struct op_param *p = ops[i]->params; p->name; p++) {
			snprintf(word, sizeof(word), "%s%s", (p->flags & OP_POSITIONAL) ? "" : "--",
				 (p->flags & OP_POSITIONAL) ? p->value : p->name);
			if ((p->flags & OP_HIDDEN) && strstr(text, word))
				fail_msg("'%s' is hidden, but in the help of %s", word, ops[i]->name);
			if ((p->flags & OP_HIDDEN))
				continue;
			if (!strstr(text, word) || (!(p->flags & OP_POSITIONAL) && !strstr(text, p->help)))
				fail_msg("'%s' is not in the help of %s", word, ops[i]->name);
		}
		assert_non_null(strstr(text, "--json"));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_has_every_operation),
		cmocka_unit_test(the_short_list_has_what_comes_first),
		cmocka_unit_test(each_has_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
