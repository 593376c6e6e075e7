/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `exec`: another command in a live box. */
#include "base/scope.h"
#include "box/execute.h"
#include "op/args.h"

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_options_finish) struct run_options options = { 0 };
	int r = run_options_read(args, &options, e);

	options.here = true;
	if (r == 0)
		r = run_options_terminal(&ctx->by, &options, e);
	if (r == 0)
		r = run_exec(&ctx->by, json_string_value(json_object_get(args, "target")), &options, &report,
			     e);
	ctx->exit_status = r < 0 ? 125 : report.exit_status;
	*ret_result = json_incref(report.said);
	return r;
}

static const struct op_param params[] = {
	{ "target", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED | OP_CURRENT, "BOX|RUN",
	  "name or id of a live box, or name or id of a live run" },
	{ "cwd", 'C', OP_STRING, OP_MODEL, "DIR", "directory to start in; default: the project" },
	{ "env", 'e', OP_LIST, OP_MODEL, "NAME[=VALUE]", "set a variable, or pass on the caller's value" },
	SECRET_PARAM,
	{ "timeout", 0, OP_DURATION, OP_MODEL, "TIME", "end the command after this time; 0: never" },
	{ "output", 0, OP_SIZE, 0, "SIZE", "bytes of each output stream that are passed on" },
	TTY_PARAMS,
	TTY_SIZE_PARAMS,
	{ "interactive", 'i', OP_FLAG, 0, NULL,
	  "pass on standard input; always the case, accepted for compatibility (-it)" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL | OP_REQUIRED, "COMMAND", "the command and its arguments" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "run id; the other fields are as in the result of run" },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error" },
	{ "exit_code", "integer|null", "of the command" },
	{ "stdout", "string", "output of the command" },
	{ "stderr", "string", "as stdout" },
	{ NULL, NULL, NULL },
};

const struct op op_exec = {
	.name = "exec",
	.group = GROUP_RUN,
	.view = VIEW_RUN,
	.method = "box.exec",
	.summary = "Run a command in a live box",
	.about = "Runs another command in a live box, behind the walls of that box. It ends at its own\n"
		 "deadline or when the box ends. Exit status and result are those of 'aisbx run'. It fails\n"
		 "if nothing is running in the box.",
	.example = "aisbx exec r-1f2e -- ps\n"
		   "aisbx exec try1 -- bash",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
