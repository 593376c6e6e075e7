/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline that waits for the person at this terminal: shows what would change, and asks. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/question.h"
#include "cli/render_common.h"
#include "cli/window.h"

static const json_t *waiting_stage(const json_t *result)
{
	const json_t *s;
	size_t i;

	json_array_foreach(json_object_get(result, "stages"), i,
			   s) if (!strcmp(text_of(s, "state"), "waiting")) return s;
	return NULL;
}

static void show(const json_t *stage)
{
	const json_t *target = json_object_get(stage, "target"),
		     *summary = json_object_get(target, "summary"), *item;
	const char *between = "", *key;
	size_t i;

	if (*text_of(target, "where")) {
		printf("  %s ", strcmp(text_of(target, "kind"), "command") ? text_of(target, "kind")
									   : "runs outside of any box:");
		cli_print_name(stdout, text_of(target, "where"));
		printf("\n  ");
	}
	json_object_foreach((json_t *)summary, key, item)
	{
		if (!json_integer_value(item))
			continue;
		printf("%s%lld %s", between, json_integer_value(item), key);
		between = ", ";
	}
	printf("\n");
	json_array_foreach(json_object_get(target, "traps"), i, item)
	{
		printf("  %sT ", paint(YELLOW));
		cli_print_name(stdout, text_of(item, "path"));
		printf("%s: ", paint(PLAIN));
		cli_print_name(stdout, text_of(item, "why"));
		printf("\n");
	}
	json_array_foreach(json_object_get(json_object_get(stage, "before"), "checks"), i, item)
	{
		printf("  %s ", json_is_true(json_object_get(item, "passed")) ? "+" : "x");
		cli_print_name(stdout, text_of(item, "check"));
		printf("\n");
	}
}

/* Of the snapshot that the pipeline is about: nothing else will be promoted. */
static void show_difference(struct op_context *ctx, const json_t *pipeline)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *args, *diff = NULL;
	const json_t *patch;

	args = json_pack("{s:o, s:b, s:s}", "box",
			 json_sprintf("%s@%s", text_of(pipeline, "box"), text_of(pipeline, "snapshot")),
			 "patch", true, "drift", "off");
	if (op_call(&op_diff, ctx, args, &diff, &e) < 0) {
		printf("  ");
		cli_print_safe(stdout, e.text);
		printf("\n");
	}
	patch = json_object_get(diff, "patch");
	if (patch)
		window_show_patch(json_string_value(patch), json_string_length(patch));
	json_decref(diff);
	json_decref(args);
}

/* 'y': yes, 'n': no, 0: no answer, and it goes on waiting. */
static char answer(struct op_context *ctx, const json_t *pipeline)
{
	char line[64];

	while (question_ask("Approve? y: yes, n: no, d: show the difference, anything else: later [y/n/d/-]",
			    line, sizeof(line))) {
		if (str_is_one_of(line, "y|yes"))
			return 'y';
		if (!str_is_one_of(line, "d|diff"))
			return str_is_one_of(line, "n|no") ? 'n' : 0;
		show_difference(ctx, pipeline);
	}
	return 0;
}

int cli_ask(struct op_context *ctx, json_t **result, struct aisbx_error *e)
{
	int r = 0;

	while (r == 0 && !strcmp(text_of(*result, "state"), "waiting") && waiting_stage(*result) &&
	       question_can_be_asked()) {
		json_t *args, *next = NULL;
		char said;

		show(waiting_stage(*result));
		said = answer(ctx, *result);
		if (!said)
			break;
		args = json_pack("{s:s, s:s, s:b}", "pipeline", text_of(*result, "pipeline"), "snapshot",
				 text_of(*result, "snapshot"), "reject", said == 'n');
		r = op_call(&op_approve, ctx, args, &next, e);
		json_decref(args);
		if (r == 0) {
			json_decref(*result);
			*result = next;
		}
	}
	return r;
}
