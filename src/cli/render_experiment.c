/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments whose boxes others work in, as text: where the boxes are, what to do next. */
#include <string.h>

#include "cli/progress.h"
#include "cli/cli.h"
#include "cli/render_common.h"

static void name_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "name"));
}

static void state_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "state"));
}

static void box_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "box"));
}

static void why_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "why"));
}

static void id_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "experiment"));
}

static void mode_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "mode"));
}

static void branches_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%zu", json_array_size(json_object_get(row, "branches")));
}

static void winner_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", *text_of(row, "winner") ? text_of(row, "winner") : "-");
}

static void project_text(const json_t *row, char *text, size_t cap)
{
	snprintf(text, cap, "%s", text_of(row, "project"));
}

static const char *colour_of(const json_t *row)
{
	return progress_look_of(row)->colour;
}

static const struct column open_columns[] = {
	{ .head = "BRANCH", .least = 8, .shrinks = true, .text = name_text },
	{ .head = "STATE", .goes = 1, .text = state_text, .colour = colour_of },
	{ .head = "BOX", .goes = 2, .text = box_text },
	{ .head = "WHY", .least = 12, .goes = 3, .shrinks = true, .optional = true, .text = why_text },
	{ .head = NULL },
};

static const struct column list_columns[] = {
	{ .head = "EXPERIMENT", .text = id_text },
	{ .head = "NAME", .least = 8, .goes = 4, .shrinks = true, .optional = true, .text = name_text },
	{ .head = "STATE", .goes = 1, .text = state_text },
	{ .head = "MODE", .goes = 6, .text = mode_text },
	{ .head = "BRANCHES", .goes = 5, .right = true, .text = branches_text },
	{ .head = "WINNER", .least = 8, .goes = 2, .shrinks = true, .text = winner_text },
	{ .head = "PROJECT", .least = 12, .goes = 3, .shrinks = true, .text = project_text },
	{ .head = NULL },
};

void cli_render_experiment(const json_t *result)
{
	if (strcmp(text_of(result, "state"), "open") != 0) {
		cli_render_try(result);
		return;
	}
	cli_print_columns(open_columns, json_object_get(result, "branches"));
	printf("\n"
	       "%s%s%s is open: work in the boxes, then\n"
	       "  aisbx experiment ready %s BRANCH   judges a branch\n"
	       "  aisbx experiment end %s            ends it: the best that passed wins\n",
	       paint(BOLD), text_of(result, "experiment"), paint(PLAIN), text_of(result, "experiment"),
	       text_of(result, "experiment"));
}

void cli_render_experiment_ready(const json_t *result)
{
	const json_t *ended = json_object_get(result, "ended");
	bool passed = json_is_true(json_object_get(result, "passed"));

	if (json_is_object(ended)) {
		cli_render_try(ended);
		return;
	}
	printf("%s%s %s%s", paint(passed ? GREEN : RED), text_of(result, "branch"),
	       passed ? "passed" : "did not pass", paint(PLAIN));
	if (*text_of(result, "why")) {
		printf(": ");
		cli_print_name(stdout, text_of(result, "why"));
	}
	printf("\n");
}

void cli_render_experiments(const json_t *result)
{
	const json_t *list = json_object_get(result, "experiments");

	if (json_array_size(list))
		cli_print_columns(list_columns, list);
	else
		fprintf(stderr, "aisbx: no experiments; 'aisbx try' makes one\n");
}
