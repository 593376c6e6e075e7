/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation `guard`: judges a command, then runs it on the machine, in a box, after a question, or not at
 * all.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "base/value.h"
#include "box/net_options.h"
#include "op/guard_callbacks.h"
#include "op/project.h"

#define BLOCK 2 /* the exit status that blocks, for every agent there is */

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

/* A text, or a list of them. */
static int to_words(const json_t *command, struct strlist *ret, struct aisbx_error *e)
{
	if (json_is_string(command))
		strlist_add(ret, json_string_value(command));
	else
		value_list(command, ret);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "judge a command") : 0;
}

/* Judges it, and tells the verdict and how long it took. */
static int judge(const struct guard_session *g, const struct strlist *command, struct guard_verdict *ret,
		 json_t **ret_result, struct aisbx_error *e)
{
	uint64_t start = time_us();
	int r = guard_judge(g, command, ret, e);

	if (r < 0)
		return r;
	start = time_us() - start;
	*ret_result = guard_verdict_json(ret, command);
	json_object_set_new(*ret_result, "judge_us", json_integer((json_int_t)start));
	return 0;
}

static int judge_one(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	static const int statuses[GUARD_ACT_COUNT] = { 0, 9, 10, 11, 12 };
	scoped(strlist_finish) struct strlist command = { 0 }, net = { 0 };
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	scoped(guard_session_close) struct guard_session g = { 0 };
	enum net_mode ignored = NET_NONE;
	json_t *result = NULL;
	int r = to_words(json_object_get(args, "command"), &command, e);

	if (r == 0)
		r = guard_session_open(&ctx->by, ctx->by.cwd, &g, e);
	g.profile = text_arg(args, "profile");
	g.net = &net;
	value_list(json_object_get(args, "net"), &net);
	if (r == 0 && net.failed)
		r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the network rules");
	if (r == 0)
		r = net_options_read(&net, &ignored, NULL, e);
	if (r == 0)
		r = judge(&g, &command, &v, &result, e);
	if (r < 0)
		return r;
	json_object_set_new(result, "files", op_project_files_json(&g.project));
	guard_note(&v, &command);
	if (json_is_true(json_object_get(args, "explain")))
		ctx->exit_status = statuses[v.act];
	else
		r = op_guard_act(ctx, &g, &v, &command, result, e);
	if (r < 0)
		json_decref(result);
	else
		*ret_result = result;
	return r;
}

/* Many commands by one process: for tests, and to measure the decision alone. */
static int judge_file(struct op_context *ctx, const char *path, json_t **ret_result, struct aisbx_error *e)
{
	scoped(guard_session_close) struct guard_session g = { 0 };
	json_t *list = json_load_file(path, 0, NULL), *verdicts = json_array(), *item;
	int r = list ? guard_session_open(&ctx->by, ctx->by.cwd, &g, e)
		     : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' is not valid JSON",
				    path);
	size_t i;

	json_array_foreach(list, i, item)
	{
		scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
		scoped(strlist_finish) struct strlist command = { 0 };
		json_t *said = NULL;

		if (r == 0)
			r = to_words(item, &command, e);
		if (r == 0)
			r = judge(&g, &command, &v, &said, e);
		if (r == 0)
			json_array_append_new(verdicts, said);
	}
	json_decref(list);
	*ret_result = json_pack("{s:o}", "verdicts", verdicts);
	return r;
}

static int run_hook(struct op_context *ctx, const char *agent, json_t **ret_result, struct aisbx_error *e)
{
	struct aisbx_error problem = AISBX_ERROR_INIT;
	json_t *answer = NULL;
	bool is_answered = guard_hook(&ctx->by, agent, &answer, &problem);

	ctx->exit_status = is_answered ? 0 : BLOCK;
	*ret_result = json_pack("{s:o}", "answer", answer ? answer : json_null());
	if (*ret_result && !is_answered)
		json_object_set_new(*ret_result, "blocked",
				    json_string(problem.text[0] ? problem.text : "the request is empty"));
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "answer the hook's request");
}

static int run_daemon(struct op_context *ctx, const char *dir, bool once, json_t **ret_result,
		      struct aisbx_error *e)
{
	struct op_context quiet = *ctx; /* nobody sees what it prints */
	struct op_guard_ctx callbacks = { &quiet, NULL };
	const struct guard_daemon_request shift = { &quiet.by, &op_guard_callbacks, &callbacks, dir, once };
	struct guard_daemon_report done;
	int r;

	quiet.by.stdin_fd = quiet.by.out_fds[0] = quiet.by.out_fds[1] = -1;
	quiet.emit = NULL;
	quiet.by.begun = NULL;
	quiet.by.waits = NULL;
	r = guard_daemon(&shift, &done, e);
	if (r < 0)
		return r;
	ctx->exit_status = 0;
	*ret_result =
		json_pack("{s:I, s:s, s:I, s:s}", "done", (json_int_t)done.done, "stopped", done.stopped,
			  "interrupted", (json_int_t)done.interrupted, "report", done.path);
	free(done.path);
	return 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *hook = text_arg(args, "hook"), *daemon_dir = text_arg(args, "daemon"),
		   *file = text_arg(args, "judge-file");
	const json_t *command = json_object_get(args, "command");

	if (!!hook + !!daemon_dir + !!file + (json_array_size(command) > 0) != 1)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"give exactly one of a command, --hook and --daemon: 'aisbx guard -- COMMAND'");
	if (hook)
		return run_hook(ctx, hook, ret_result, e);
	if (daemon_dir)
		return run_daemon(ctx, daemon_dir, json_is_true(json_object_get(args, "once")), ret_result,
				  e);
	return file ? judge_file(ctx, file, ret_result, e) : judge_one(ctx, args, ret_result, e);
}

static const char *const hooks[] = { "claude-code", "codex", "cursor", "vscode", "gemini", NULL };

static const struct op_param params[] = {
	{ "explain", 0, OP_FLAG, 0, NULL,
	  "only decide; exits with 0 (run), 9 (look), 10 (box), 11 (ask) or 12 (refuse)" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE",
	  "profile of the box, if one is needed; default: as for run" },
	{ "net", 0, OP_LIST, 0, "NET", "what that box reaches; as for run" },
	{ "hook", 0, OP_CHOICE, 0, "AGENT",
	  "judge a command that this agent is about to run, read from standard input; as for install",
	  hooks },
	{ "daemon", 0, OP_STRING, 0, "DIR",
	  "process the actions queued in this directory, within what its authority.yaml allows" },
	{ "once", 0, OP_FLAG, 0, NULL, "with --daemon: exit when the queue is empty" },
	{ "judge-file", 0, OP_STRING, OP_HIDDEN, "FILE", "judge each command of this file" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL, "COMMAND",
	  "the command and its arguments; a single word is a shell command" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "act", "string",
	  "what was done: run (on the machine, behind the glass), box, ask or refuse; with --explain also "
	  "look: try behind the glass, then in a box if needed" },
	{ "reasons", "array", "reasons against running the command directly; empty if there are none" },
	{ "reasons[].rule", "string",
	  "reader, program, option, path, write, environment, rules, personal or project" },
	{ "reasons[].why", "string", "for people" },
	{ "reasons[].part", "string", "of the command" },
	{ "reasons[].offset", "integer", "position of that part, in bytes" },
	{ "reasons[].act", "string", "the verdict it demands" },
	{ "ignored", "array",
	  "rules of the project's aisbx.yaml that were ignored because they would loosen, which a project "
	  "may not" },
	{ "files", "array",
	  "every aisbx.yaml whose rules were used: of the directory and of those above it" },
	{ "judge_us", "integer", "time of the decision, in microseconds" },
	{ "looked", "boolean",
	  "the effect was unknown; the command was tried behind the glass and needed no box" },
	{ "wanted", "string", "what the glass refused, so that a box was needed" },
	{ "exit_status", "integer", "with --json, if it ran on the machine" },
	{ "stdout", "string", "the same" },
	{ "stderr", "string", "the same" },
	{ "box", "string|null", "box it ran in; null if it changed nothing or did not run" },
	{ "run", "object", "in the box: as in the result of run" },
	{ "failed_for", "string", "in the box: it failed, and tried to reach this" },
	{ "changes", "object", "in the box: number of changes of each kind" },
	{ "gates", "array", "gates that were evaluated, as in gate check" },
	{ "gates_cpu_ms", "number", "processor time of the commands run for the gates" },
	{ "promoted", "boolean", "its changes are in the project" },
	{ "promotion", "object", "as in the result of promote" },
	{ "undo", "string", "the command that undoes it" },
	{ "next", "array", "commands to show the changes, promote them, or remove the box" },
	{ "answer", "object|null", "with --hook: the answer to the agent; null: no opinion" },
	{ "done", "integer", "with --daemon: number of actions taken" },
	{ "stopped", "string", "with --daemon: why it ended" },
	{ NULL, NULL, NULL },
};

const struct op op_guard = {
	.name = "guard",
	.group = GROUP_AGENTS,
	.view = VIEW_GUARD,
	.first = true,
	.summary = "Run commands that only read on the machine, behind the glass, and all others in a box",
	.about = "Judges a command by its syntax tree. Commands known to only read (ls, git status, grep,\n"
		 "pipelines of them) run on the machine, behind the glass of 'aisbx look', so they can\n"
		 "change nothing even if the decision was wrong. Commands known to write run in a new box;\n"
		 "their changes are shown, or promoted if all gates hold and your rules say 'promote:\n"
		 "auto'. All other commands are tried behind the glass with their output held back; at the\n"
		 "first refused write, socket or secret they are ended there and run in a box instead.\n\n"
		 "Rules are in ~/.config/aisbx/guard.yaml, which may loosen and tighten, and in the\n"
		 "section 'guard' of the project's aisbx.yaml, in the directory or above it, which may\n"
		 "only tighten. The guard does not learn. The history contains every verdict.\n\n"
		 "The exit status is that of the command, or 125 if the guard refused it. See\n"
		 "docs/guard.md.",
	.example = "aisbx guard -- git status\naisbx guard -- 'npm install && npm test'\naisbx guard "
		   "--explain -- 'cat ~/.ssh/id_rsa'",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
