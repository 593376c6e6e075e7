/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `shell`: a person's shell in a box. */
#include "base/scope.h"
#include "box/shell.h"
#include "op/args.h"
#include "policy/profile.h"
#include "policy/seccomp.h"

static json_t *summary_json(const struct shell_done *d)
{
	json_t *j = json_object();

	for (enum change_kind k = CHANGE_NONE + 1; k < CHANGE_TOUCH; k++)
		json_object_set_new(j, change_kind_name(k), json_integer((json_int_t)d->changes[k]));
	return j;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = { .warn_group = true };
	scoped(shell_done_finish) struct shell_done done = { 0 };
	int r = run_options_read(args, &options, e);

	options.here = true;
	if (r == 0)
		r = run_options_terminal(&ctx->by, &options, e);
	options.tty_by_itself = false; /* a person will sit there for as long as it takes */
	if (r == 0)
		r = shell_run(&ctx->by, op_text(args, "box"), &options, &done, e);
	ctx->exit_status = r < 0 ? 125 : done.report.exit_status;
	if (r == 0)
		*ret_result =
			json_pack("{s:s, s:b, s:b, s:b, s:o, s:s?, s:O?}", "box", done.box, "made", done.made,
				  "current", done.current, "removed", done.removed, "summary",
				  done.counted || done.removed ? summary_json(&done) : json_null(),
				  "summary_error", done.uncounted.code ? done.uncounted.text : NULL, "run",
				  done.report.said);
	return r;
}

static const struct op_param params[] = {
	PROFILE_PARAM,
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is cloned as writable into a box that is made; default: the project that the "
	  "current directory is in" },
	HERE_PARAM,
	{ "fresh", 0, OP_FLAG, OP_LINE, NULL, "in a new box, not in the current one" },
	{ "cwd", 'C', OP_STRING, 0, "DIR", "directory to start in; default: the project" },
	RUN_BOX_PARAMS,
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_CURRENT, "BOX",
	  "name or id of a box; one that does not exist is made; default: the current box, or a new one, "
	  "which "
	  "becomes that" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "box", "string", "name of the box" },
	{ "made", "boolean", "it was made for this shell" },
	{ "current", "boolean", "it was made, and became the current box of its project" },
	{ "removed", "boolean", "it was made for this shell, nothing happened in it, and it was removed" },
	{ "summary", "object|null", "number of changes to the project by kind, as diff counts them" },
	{ "summary_error", "string|null", "why they could not be counted" },
	{ "run", "object", "the result of the shell, as that of run" },
	{ NULL, NULL, NULL },
};

const struct op op_shell = {
	.name = "shell",
	.group = GROUP_RUN,
	.view = VIEW_SHELL,
	.first = true,
	.summary = "Open a shell in a box, which is made on demand",
	.about = "Opens your shell ($SHELL, else bash or sh) in BOX. A box that does not exist is made, as "
		 "by\n"
		 "'aisbx create'. Without BOX it is the project's current box; if there is none, a new one,\n"
		 "which becomes the current box: 'aisbx diff' and 'aisbx promote' are then about it. The\n"
		 "prompt and the host\n"
		 "name say which box it is, and so does the variable AISBX_BOX. In a live box the shell\n"
		 "joins what runs there.\n\n"
		 "At the end one line says what changed in the project and what to do next. A box that was\n"
		 "made for a shell in which nothing happened is removed. The exit status is the shell's.\n\n"
		 "At a terminal the shell has no deadline, whatever the profile says; --timeout sets one. "
		 "All\n"
		 "other limits of the profile hold.",
	.example = "aisbx shell\n"
		   "aisbx shell try1\n"
		   "aisbx shell --net python-packages try1",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
