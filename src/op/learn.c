/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `learn`: how little a command can do with, as a profile. */
#include <errno.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/scope.h"
#include "flow/learn.h"
#include "op/args.h"

static json_t *result_json(const struct learn_result *r, const char *file)
{
	const struct driver_result *first = &r->trial.first;
	const int status = first->outcome.status;
	json_t *values = json_array(), *refused = json_array();

	for (size_t i = 0; i < r->found.n; i++)
		json_array_append_new(values,
				      json_pack("{s:s, s:s, s:s}", "key", r->found.values[i].key, "value",
						r->found.values[i].value, "why", r->found.values[i].why));
	for (size_t i = 0; i < first->n_violations; i++)
		json_array_append_new(refused, json_pack("{s:s, s:s}", "what", first->violations[i].what,
							 "rule", first->violations[i].rule));
	return json_pack("{s:s, s:o, s:o, s:i, s:b, s:o, s:o, s:s?}", "profile", r->found.text.data,
			 "exit_code", WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null(),
			 "signal", WIFSIGNALED(status) ? json_integer(WTERMSIG(status)) : json_null(), "runs",
			 (int)r->trial.runs, "steady", (int)r->trial.steady[0], "values", values, "refused",
			 refused, "file", file);
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(learn_result_finish) struct learn_result done = { 0 };
	scoped(run_options_finish) struct run_options options = { 0 };
	const struct learn_request req = { .run = &options,
					   .name = json_string_value(json_object_get(args, "name")),
					   .output = json_string_value(json_object_get(args, "output")) };
	json_t *as_run = json_copy((json_t *)args);
	int r;

	json_object_del(as_run, "output"); /* here a file, of a run a limit */
	r = run_options_read(as_run, &options, e);
	options.here = true;
	json_decref(as_run); /* its members are those of ARGS */
	if (r == 0)
		r = learn_run(&ctx->by, &req, &done, e);
	if (r == 0 && !(*ret_result = result_json(&done, req.output)))
		r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result");
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static const struct op_param params[] = {
	{ "output", 'o', OP_STRING, 0, "FILE",
	  "write the profile to this file, which must not exist yet; default: to standard output" },
	{ "name", 0, OP_STRING, 0, "NAME", "name of the profile; default: learned" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "profile to start from; default: dev" },
	{ "project", 0, OP_STRING, 0, "DIR",
	  "directory that is cloned as writable; default: the current one, or on the "
	  "command line the project that it is in" },
	HERE_PARAM,
	{ "cwd", 'C', OP_STRING, 0, "DIR", "directory to start in; default: the project" },
	{ "ro", 0, OP_LIST, 0, "HOST[:GUEST]",
	  "show a file or directory, read-only; becomes part of the profile" },
	{ "env", 'e', OP_LIST, 0, "NAME[=VALUE]",
	  "set a variable, or pass on the caller's value; becomes part of the profile" },
	NET_PARAM,
	{ "command", 0, OP_COMMAND, OP_POSITIONAL | OP_REQUIRED, "COMMAND",
	  "the command and its arguments; it gets no input" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "profile", "string", "the text of the profile" },
	{ "file", "string|null", "where it was written" },
	{ "exit_code", "integer|null", "of the command; the same every time" },
	{ "signal", "integer|null", "signal that ended it; the same every time" },
	{ "runs", "integer", "number of runs" },
	{ "steady", "boolean", "its output was the same every time, so it was compared, too" },
	{ "values", "array", "values of the profile" },
	{ "values[].key", "string", "as in the profile" },
	{ "values[].value", "string", "as in the profile" },
	{ "values[].why", "string", "why it has this value" },
	{ "refused", "array", "what the command tried but does not need: no profile would allow it" },
	{ "refused[].what", "string", "what was tried" },
	{ "refused[].rule", "string", "the rule that refused it" },
	{ NULL, NULL, NULL },
};

const struct op op_learn = {
	.name = "learn",
	.group = GROUP_LOOK,
	.view = VIEW_LEARN,
	.method = "run.learn",
	.summary = "Find the smallest profile with which a command works",
	.about = "Runs COMMAND repeatedly in boxes that are removed afterwards, each time with fewer\n"
		 "permissions: without network, with a read-only system, with fewer variables and system\n"
		 "calls, with lower limits. What makes no difference is taken away; the rest is written as\n"
		 "a profile, with the reason beside each value, and a last run with that profile proves\n"
		 "that it works. To make no difference means: the same exit status, the same output if it\n"
		 "is the same every time, and nothing refused that was not refused before.\n\n"
		 "Read the profile before you use it: it is sufficient for what was run, with the current\n"
		 "files, on this machine.",
	.example = "aisbx learn -- make test > test.yaml\n"
		   "aisbx learn --net python-packages -- pip install requests\n"
		   "aisbx learn --output ~/.config/aisbx/profiles/report.yaml --name report -- python3 "
		   "report.py",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
