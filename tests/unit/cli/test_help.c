/* SPDX-License-Identifier: Apache-2.0 */
/* Help names everything that is in the table. */
#include "support/test.h"

#include "cli/cli.h"

static void the_list_has_every_operation(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	cli_help(f);
	fclose(f);
	for (size_t i = 0; ops[i]; i++)
		if (!strstr(text, ops[i]->name) || !strstr(text, ops[i]->summary))
			fail_msg("'%s' is not in the help", ops[i]->name);
	free(text);
}

static void each_has_every_option(void **state)
{
	(void)state;
	for (size_t i = 0; ops[i]; i++) {
		char *text = NULL, word[80];
		size_t len;
		FILE *f = open_memstream(&text, &len);

		cli_help_op(ops[i], f);
		fclose(f);
		for (const struct op_param *p = ops[i]->params; p->name; p++) {
			snprintf(word, sizeof(word), "%s%s", p->positional ? "" : "--",
				 p->positional ? p->value : p->name);
			if (p->hidden && strstr(text, word))
				fail_msg("'%s' is hidden, but in the help of %s", word, ops[i]->name);
			if (p->hidden)
				continue;
			if (!strstr(text, word) || (!p->positional && !strstr(text, p->help)))
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
		cmocka_unit_test(each_has_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
