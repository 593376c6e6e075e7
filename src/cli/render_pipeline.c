/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines as text: a line for each stage while it runs, and what to do at the end. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/columns.h"
#include "cli/render_common.h"

static const struct {
	const char *state, *mark, *colour;
} marks[] = { { "pending", ".", "" },   { "judging", "?", "" },      { "waiting", "!", YELLOW },
	      { "applying", ">", "" },  { "clearing", "<", YELLOW }, { "checking", "?", "" },
	      { "passed", "+", GREEN }, { "undoing", "<", YELLOW },  { "undone", "-", YELLOW },
	      { "failed", "x", RED },   { "stuck", "#", RED } };

static void print_stage(const char *name, const char *state, const char *why)
{
	size_t i = 0;

	while (i + 1 < sizeof(marks) / sizeof(*marks) && strcmp(marks[i].state, state) != 0)
		i++;
	printf("%s%s %-12s ", paint(marks[i].colour), marks[i].mark, state);
	cli_print_name(stdout, name);
	printf("%s", paint(PLAIN));
	if (*why) {
		printf(": ");
		cli_print_name(stdout, why);
	}
	printf("\n");
}

/* Of the gates that do not hold. */
static void print_gates(const json_t *verdict)
{
	const json_t *c;
	size_t i;

	json_array_foreach(json_object_get(verdict, "checks"), i, c)
	{
		if (json_is_true(json_object_get(c, "passed")))
			continue;
		printf("    %sx%s ", paint(RED), paint(PLAIN));
		cli_print_name(stdout, text_of(c, "check"));
		if (*text_of(c, "why")) {
			printf(": ");
			cli_print_name(stdout, text_of(c, "why"));
		}
		printf("\n");
	}
}

static void print_details(const json_t *stage)
{
	const json_t *approval = json_object_get(stage, "approval");

	print_gates(json_object_get(stage, "before"));
	print_gates(json_object_get(stage, "after"));
	if (*text_of(stage, "commit"))
		printf("    commit %s\n", text_of(stage, "commit"));
	if (json_is_object(approval)) {
		printf("    %s by ",
		       json_is_true(json_object_get(approval, "approved")) ? "approved" : "rejected");
		cli_print_name(stdout, text_of(approval, "name"));
		printf(" (%s)", text_of(approval, "way"));
		if (*text_of(approval, "note")) {
			printf(": ");
			cli_print_name(stdout, text_of(approval, "note"));
		}
		printf("\n");
	}
	if (*text_of(stage, "output")) {
		printf("    ");
		cli_print_safe(stdout, text_of(stage, "output"));
		printf("\n");
	}
}

static void print_end(const json_t *result)
{
	const char *id = text_of(result, "pipeline"), *state = text_of(result, "state");

	printf("%s%s%s %s", paint(BOLD), id, paint(PLAIN), state);
	if (!strcmp(state, "waiting"))
		printf("; 'aisbx approve %s' approves, with --reject rejects", id);
	else if (!strcmp(state, "done"))
		printf("; 'aisbx pipeline undo %s' undoes it", id);
	else if (!strcmp(state, "running") && !json_is_true(json_object_get(result, "live")))
		printf(", and interrupted; 'aisbx pipeline resume %s' continues", id);
	printf("\n");
}

/* What comes while it goes on has one stage; the end has all of them. */
void cli_render_pipeline(const json_t *result)
{
	const json_t *stages = json_object_get(result, "stages"), *s;
	bool pending = false;
	size_t i;

	if (!stages) {
		if (!str_is_one_of(text_of(result, "state"), "judging|checking"))
			print_stage(text_of(result, "stage"), text_of(result, "state"),
				    text_of(result, "why"));
		return;
	}
	json_array_foreach(stages, i, s) pending = pending || !strcmp(text_of(s, "state"), "pending");
	if (pending) {
		printf("not touched:");
		json_array_foreach(stages, i, s)
		{
			if (strcmp(text_of(s, "state"), "pending") != 0)
				continue;
			printf(" ");
			cli_print_name(stdout, text_of(s, "stage"));
		}
		printf("\n");
	}
	print_end(result);
}

void cli_render_pipeline_show(const json_t *result)
{
	const json_t *s;
	size_t i;

	printf("box ");
	cli_print_name(stdout, text_of(result, "box"));
	printf(" at %s, ", text_of(result, "snapshot"));
	cli_print_name(stdout, text_of(result, "project"));
	printf("\n");
	json_array_foreach(json_object_get(result, "stages"), i, s)
	{
		print_stage(text_of(s, "stage"), text_of(s, "state"), text_of(s, "why"));
		print_details(s);
	}
	print_end(result);
}

static void stages_text(const json_t *p, char *text, size_t cap)
{
	const json_t *s;
	size_t k, len = 0;

	*text = 0;
	json_array_foreach(json_object_get(p, "stages"), k, s) if (len < cap) len +=
		(size_t)snprintf(text + len, cap - len, "%s%s:%s", len ? " " : "", text_of(s, "stage"),
				 text_of(s, "state"));
}

static const char *pipeline_colour(const json_t *p)
{
	const char *state = text_of(p, "state");

	return !strcmp(state, "done") ? GREEN : !strcmp(state, "failed") ? RED : YELLOW;
}

static const struct column pipeline_columns[] = {
	{ .head = "PIPELINE", .key = "pipeline" },
	{ .head = "STATE", .goes = 1, .key = "state", .colour = pipeline_colour },
	{ .head = "BOX", .least = 8, .goes = 2, .shrinks = true, .key = "box" },
	{ .head = "STAGES", .least = 12, .goes = 3, .shrinks = true, .text = stages_text },
	{ .head = NULL },
};

void cli_render_pipelines(const json_t *result)
{
	const json_t *list = json_object_get(result, "pipelines");

	if (json_array_size(list))
		cli_print_columns(pipeline_columns, list);
	else
		fprintf(stderr, "aisbx: no pipelines; 'aisbx pipeline run BOX' makes one\n");
}
