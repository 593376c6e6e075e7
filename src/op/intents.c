/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `intents`: the project's own commands, from its files as a box has them, and why. */
#include "op/intents.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/intents.h"
#include "op/args.h"

json_t *op_text_json(const char *s)
{
	scoped(buf_finish) struct buf clean = { 0 };
	json_t *j = json_string(s);

	if (j)
		return j;
	buf_add_utf8(&clean, s, strlen(s));
	return json_string(buf_str(&clean) ? clean.data : "");
}

json_t *op_words_json(const struct strlist *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(list, op_text_json(words->items[i]));
	return list;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *box = op_text(args, "box"), *project = op_text(args, "project");
	const struct box_intents_request where = { .box = box,
						   .project = box ? project : op_project(ctx, args),
						   .dir = op_text(args, "cwd"),
						   .here = project || !ctx->by.project ? NULL : ctx->by.cwd,
						   .want = INTENT_COUNT };
	scoped(intent_list_finish) struct intent_list found = { 0 };
	json_t *list;
	int r = box_intents_find(ctx->by.cwd, &where, &found, NULL, e);

	if (r < 0)
		return r;
	list = json_array();
	for (enum intent intent = 0; intent < INTENT_COUNT; intent++)
		for (size_t i = 0; i < found.n; i++) {
			const struct intent_way *w = &found.items[i];

			if (w->intent != intent)
				continue;
			json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:b}", "intent",
							      intent_names[intent], "command",
							      op_words_json(&w->argv), "found_in",
							      op_text_json(w->found_in), "why",
							      op_text_json(w->why), "used",
							      intent_best(&found, intent) == w));
		}
	*ret_result = json_pack("{s:o}", "intents", list);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the result");
}

static const struct op_param params[] = {
	{ "box", 'b', OP_STRING, OP_MODEL | OP_CURRENT, "BOX",
	  "as the project is in this box; default: as it is now" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "the project; default: the current directory, or on the command line the project that it is in" },
	HERE_PARAM,
	{ "cwd", 'C', OP_STRING, 0, "DIR", "directory of the project to look in; default: the project" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "intents", "array", "every command that was found, by intent, the best first" },
	{ "intents[].intent", "string", "run, test, build, format, lint or bench" },
	{ "intents[].command", "array", "command and arguments" },
	{ "intents[].found_in", "string", "the file that defines it" },
	{ "intents[].why", "string", "which part of the file" },
	{ "intents[].used", "boolean", "the one that 'aisbx do' uses" },
	{ NULL, NULL, NULL },
};

const struct op op_intents = {
	.name = "intents",
	.group = GROUP_RUN,
	.view = VIEW_INTENTS,
	.method = "intent.ls",
	.summary = "Show the commands that run, test, build, format and lint a project",
	.about = "Lists the project's own commands for each intent, with the file that defines each, in\n"
		 "order of precedence: those set in aisbx.yaml, then recipes (justfile, Makefile,\n"
		 "package.json, deno.json, composer.json), then the usual commands for this kind of\n"
		 "project. The files are read as text; nothing is run.",
	.example = "aisbx intents\n"
		   "aisbx intents --box try1 --json",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
