/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `input`: input for the command of a detached run. */
#include "box/control.h"
#include "op/args.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const bool close = op_flag(args, "close");
	struct run_input passed = { 0 };
	int r = run_input(&ctx->by, op_text(args, "run"), close, &passed, e);

	if (r == 0)
		*ret_result = json_pack("{s:s, s:I, s:b}", "run", passed.id, "bytes",
					(json_int_t)passed.bytes, "closed", close);
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ "close", 0, OP_FLAG, 0, NULL, "then close it: the command sees the end of its input" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id" },
	{ "bytes", "integer", "bytes that were passed on" },
	{ "closed", "boolean", "the command's input is now closed" },
	{ NULL, NULL, NULL },
};

const struct op op_input = {
	.name = "input",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.no_tool = "there is no standard input to pass on",
	.method = "run.input",
	.summary = "Write to the input of a detached run",
	.about = "Passes standard input to the command of a run that was started with 'aisbx\n"
		 "run --detach -i'. The command's input stays open for the next call, unless --close is\n"
		 "given.",
	.example = "echo help | aisbx input r-1f2e\n"
		   "aisbx input --close r-1f2e </dev/null",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
