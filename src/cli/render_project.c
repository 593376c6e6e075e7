/* SPDX-License-Identifier: Apache-2.0 */
/* Results of operations on aisbx.yaml as text: problems, and settings in effect. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/render_common.h"

void cli_render_project_check(const json_t *result)
{
	const json_t *errors = json_object_get(result, "errors"), *error;
	size_t i;

	json_array_foreach(errors, i, error)
	{
		cli_print_name(stdout, text_of(result, "file"));
		if (number_of(error, "line"))
			printf(":%lld:%lld", (long long)number_of(error, "line"),
			       (long long)number_of(error, "column"));
		printf(": ");
		cli_print_safe(stdout, text_of(error, "text"));
		printf("\n");
	}
	if (json_array_size(errors)) {
		printf("%s%zu error%s%s\n", paint(RED), json_array_size(errors),
		       json_array_size(errors) > 1 ? "s" : "", paint(PLAIN));
		return;
	}
	printf("good: ");
	cli_print_name(stdout, text_of(result, "file"));
	printf("\n");
}

void cli_render_project_show(const json_t *result)
{
	const json_t *files = json_object_get(result, "files"), *file;
	size_t i;

	printf(json_array_size(files) ? "# All settings in effect with "
				      : "# All settings in effect without an aisbx.yaml");
	json_array_foreach(files, i, file)
	{
		printf("%s", i ? " and " : "");
		cli_print_name(stdout, json_string_value(file));
	}
	printf(json_is_true(json_object_get(result, "own_stages")) ? ".\n"
								   : "; the stages are the default ones.\n");
	cli_put_yaml(json_object_get(result, "project"), 0);
}
