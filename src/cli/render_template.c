/* SPDX-License-Identifier: Apache-2.0 */
/* Templates, as people read them. */
#include <stdio.h>
#include <string.h>

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

/* What it asks for and did not get: the person decides. */
void cli_render_template_pull(const json_t *result, bool quiet)
{
	const json_t *pulled = json_object_get(result, "pulled"), *net = json_object_get(pulled, "net"),
		     *rule;
	const char *profile = json_string_value(json_object_get(pulled, "profile"));
	const char *got = json_string_value(json_object_get(result, "profile"));
	size_t i;

	if (!quiet && profile && got && strcmp(profile, got) != 0)
		fprintf(stderr,
			"aisbx: it had the profile '%s', which is not here or allows more than '%s'; choose "
			"one "
			"with 'aisbx create --profile'\n",
			profile, got);
	if (!quiet && json_array_size(net)) {
		fprintf(stderr,
			"aisbx: its boxes had network that yours do not get by themselves; if you agree:");
		json_array_foreach(net, i, rule)
		{
			fprintf(stderr, " --net ");
			cli_print_name(stderr, json_string_value(rule));
		}
		fprintf(stderr, "\n");
	}
	printf("%s\n", json_string_value(json_object_get(result, "name")));
}
