/* SPDX-License-Identifier: Apache-2.0 */
/* Languages of the driver wasm, as people read them. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static const struct column columns[] = {
	{ "NAME", .least = 8, .key = "name" },
	{ "ADDED", .least = 5, .key = "is" },
	{ "WHAT IT IS", .least = 20, .shrinks = true, .key = "about" },
	{ .head = NULL },
};

void cli_render_languages(const json_t *result)
{
	const json_t *language;
	json_auto_t *list = json_deep_copy(json_object_get(result, "languages"));
	size_t i;

	json_array_foreach(list, i, language)
		json_object_set_new((json_t *)language, "is",
				    json_string(json_is_true(json_object_get(language, "added")) ? "yes"
												 : "no"));
	cli_print_columns(columns, list);
}

/* What is being done goes before what was done. */
void cli_render_language(const json_t *result, bool quiet)
{
	const char *step = json_string_value(json_object_get(result, "step"));

	if (step && !quiet)
		fprintf(stderr, "aisbx: %s\n", step);
	else if (!step)
		printf("%s\n", json_string_value(json_object_get(result, "name")));
}
