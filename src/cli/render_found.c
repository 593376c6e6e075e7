/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, for people: by `history --grep` in output, by `create` in the project. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/render_common.h"

void cli_render_found_lines(const json_t *r)
{
	const json_t *list = json_object_get(r, "lines"), *line;
	json_int_t more = json_integer_value(json_object_get(r, "more_lines"));
	size_t i;

	json_array_foreach(list, i, line)
	{
		printf("    ");
		cli_print_safe(stdout, text_of(line, "text"));
		putchar('\n');
	}
	if (more)
		printf("    ... and %lld more line%s; 'aisbx logs %s' shows the output\n", (long long)more,
		       more == 1 ? "" : "s", text_of(r, "run"));
}

void cli_render_secret_files(const json_t *result)
{
	const json_t *list = json_object_get(result, "secret_files"), *f;
	json_int_t more = json_integer_value(json_object_get(result, "secrets_not_looked_for"));
	size_t i;

	json_array_foreach(list, i, f)
	{
		json_int_t n = json_integer_value(json_object_get(f, "values"));

		fprintf(stderr, "aisbx: ");
		cli_print_name(stderr, text_of(f, "path"));
		fprintf(stderr,
			n == 1 ? " holds a value that looks like a secret; it is removed"
			       : " holds %lld values that look like secrets; they are removed",
			(long long)n);
		fprintf(stderr, " from output and stopped at promotion. To hide the file: run with --hide ");
		cli_print_name(stderr, text_of(f, "path"));
		fprintf(stderr, "\n");
	}
	if (more)
		fprintf(stderr, "aisbx: %lld further values are not looked for: at most 48 are\n",
			(long long)more);
}
