/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `completion`: the scripts of completions/. */
#include <string.h>

#include "op/op.h"

#include "completion_bash.h"
#include "completion_fish.h"
#include "completion_zsh.h"

static const char *const shells[] = { "bash", "zsh", "fish", NULL };
static const char *const scripts[] = { completion_bash, completion_zsh, completion_fish };

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	size_t i = 0;

	(void)ctx;
	(void)e;
	while (shells[i + 1] && strcmp(shells[i], op_text(args, "shell")) != 0)
		i++;
	*ret_result = json_pack("{s:s, s:s}", "shell", shells[i], "content", scripts[i]);
	return 0;
}

static const struct op_param params[] = {
	{ "shell", 0, OP_CHOICE, OP_POSITIONAL | OP_REQUIRED, "SHELL", "bash, zsh or fish", shells },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "shell", "string", "the shell" },
	{ "content", "string", "the script" },
	{ NULL, NULL, NULL },
};

const struct op op_completion = {
	.name = "completion",
	.group = GROUP_SYSTEM,
	.view = VIEW_CONTENT,
	.summary = "Print a script that completes aisbx's words in a shell",
	.about = "Prints a script for your shell. With it the Tab key completes operations, options and\n"
		 "their values, names of boxes, snapshots, runs and profiles, and the command after 'run'.\n"
		 "'meson install' puts the scripts where bash, zsh and fish look for them; this is for\n"
		 "shells that look elsewhere.",
	.example = "eval \"$(aisbx completion bash)\"\n"
		   "eval \"$(aisbx completion zsh)\"\n"
		   "aisbx completion fish | source",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
