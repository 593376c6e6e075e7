/* SPDX-License-Identifier: Apache-2.0 */
/* Templates, as people read them. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static const struct column template_columns[] = {
	{ "NAME", .least = 8, .shrinks = true, .key = "name" },
	{ "PROFILE", .least = 6, .goes = 3, .shrinks = true, .key = "profile" },
	{ "IMAGE", .least = 6, .goes = 2, .shrinks = true, .optional = true, .key = "image" },
	{ "RECIPE", .least = 6, .goes = 2, .shrinks = true, .optional = true, .key = "recipe" },
	{ "PROJECT", .least = 8, .goes = 1, .shrinks = true, .optional = true, .key = "project" },
	{ "AGE", .least = 4, .goes = 4, .right = true, .key = "created_ms", .as = COLUMN_AGE },
	{ .head = NULL },
};

void cli_render_templates(const json_t *result)
{
	const json_t *list = json_object_get(result, "templates");

	if (json_array_size(list))
		cli_print_columns(template_columns, list);
	else
		fprintf(stderr,
			"aisbx: no templates; 'aisbx template save BOX NAME' makes one of a box, 'aisbx "
			"template build NAME' by a recipe\n");
}
