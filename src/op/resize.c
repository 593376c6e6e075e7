/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `resize`: another size for the terminal of a detached run. */
#include "box/control.h"
#include "op/args.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	struct run_size size = { 0 };
	int r = run_options_size(args, &size.rows, &size.cols, e);

	(void)ctx;
	if (r == 0)
		r = run_resize(op_text(args, "run"), &size, e);
	if (r == 0)
		*ret_result = json_pack("{s:s, s:i, s:i}", "run", size.id, "rows", (int)size.rows, "cols",
					(int)size.cols);
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ "rows", 0, OP_NUMBER, 0, "N", "lines; default: as many as it has" },
	{ "cols", 0, OP_NUMBER, 0, "N", "columns; default: as many as it has" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id" },
	{ "rows", "integer", "lines that the terminal has now" },
	{ "cols", "integer", "columns that it has now" },
	{ NULL, NULL, NULL },
};

const struct op op_resize = {
	.name = "resize",
	.group = GROUP_RUN,
	.view = VIEW_NOTHING,
	.no_tool = "a model sees no terminal",
	.method = "run.resize",
	.summary = "Resize the terminal of a detached run",
	.about = "Gives the terminal of a run that was started with 'aisbx run --detach --tty' another\n"
		 "size, and the command hears of it (SIGWINCH). 'aisbx attach' does so by itself; this is\n"
		 "for programs that show the output of a run ('aisbx logs --follow') and pass on what is\n"
		 "typed ('aisbx input').",
	.example = "aisbx run -dt --name work --rows 40 --cols 120 -- bash\n"
		   "aisbx resize work --cols 100",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
