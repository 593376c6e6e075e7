/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `attach`: a person at a detached run. */
#include "base/scope.h"
#include "box/attach.h"
#include "op/args.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_attached_finish) struct run_attached seen = { 0 };
	int r = run_attach(&ctx->by, op_text(args, "run"), &seen, e);

	ctx->exit_status = r < 0 ? 125 : seen.exit_status;
	if (r == 0)
		*ret_result = json_pack("{s:s, s:s, s:b, s:O?}", "run", seen.id, "name", seen.name, "left",
					seen.left, "result", seen.said);
	return r;
}

static const struct op_param params[] = {
	RUN_PARAM,
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "run id" },
	{ "name", "string", "its name; its id if it has none" },
	{ "left", "boolean", "the run goes on" },
	{ "result", "object|null", "the result of the run, as the history stores it; null if it goes on" },
	{ NULL, NULL, NULL },
};

const struct op op_attach = {
	.name = "attach",
	.group = GROUP_RUN,
	.view = VIEW_ATTACH,
	.summary = "Go to the terminal of a detached run",
	.about = "Shows the last screenful of a run that was started with --detach, and what it writes from\n"
		 "then on. What is typed is passed on, if the run was started with -t or -i; with -t it has\n"
		 "a terminal, which takes the size of the one of whoever attached last. Ctrl-C reaches the\n"
		 "command. Ctrl-P Ctrl-Q leaves the run, which goes on; so does ending 'attach' by a\n"
		 "signal. Several can attach at once. If the run ends, the exit status is that of the run.",
	.example = "aisbx run -dt --name work -- bash\n"
		   "aisbx attach work",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
