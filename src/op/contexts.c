/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `contexts`: the interpreters that stay in a box, and their end. */
#include <string.h>

#include "box/code_contexts.h"
#include "op/args.h"
#include "op/op.h"

static json_t *contexts_json(const struct context_there *list, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:I}", "context", list[i].name,
						     "language", list[i].lang, "run", list[i].run,
						     "started_ms", (json_int_t)list[i].started_ms));
	return all;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct code_contexts done = { 0 };
	int r = code_contexts(&ctx->by, op_text(args, "box"), op_text(args, "end"), op_text(args, "lang"),
			      &done, e);

	if (r == 0)
		*ret_result = json_pack("{s:s, s:o, s:i}", "box", op_text(args, "box"), "contexts",
					contexts_json(done.list, done.n), "ended", (int)done.ended);
	code_contexts_finish(&done);
	return r;
}

static const struct op_param params[] = {
	{ "end", 0, OP_STRING, OP_MODEL, "NAME",
	  "end the contexts of this name; what they remember is lost" },
	{ "lang", 'l', OP_CHOICE, 0, "LANG", "only contexts of this language", code_languages },
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX", "name or id of the box" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "box", "string", "as given" },
	{ "contexts", "array", "those that are there, by start; without those that ended", .model = true },
	{ "contexts[].context", "string", "its name", .model = true },
	{ "contexts[].language", "string", "python, javascript or shell", .model = true },
	{ "contexts[].run", "string", "run id of the interpreter" },
	{ "contexts[].started_ms", "integer", "since 1970" },
	{ "ended", "integer", "how many this call ended", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_contexts = {
	.name = "contexts",
	.group = GROUP_RUN,
	.method = "code.contexts",
	.tool = "sandbox_contexts",
	.brief = "List the contexts of a sandbox (interpreters that remember, see sandbox_run_code), or end "
		 "one.",
	.summary = "List the interpreters that stay in a box, or end one",
	.about =
		"Lists the interpreters that 'aisbx run-code --context' started in a box and that are still\n"
		"there. With --end those of a name are ended first, whatever they do; it is no error if "
		"there\n"
		"are none.",
	.example = "aisbx contexts try1\n"
		   "aisbx contexts --end main --lang python try1",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
