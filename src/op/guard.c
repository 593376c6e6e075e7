/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `guard`: judges a command, then runs it as it is, in a box, after a question,
 * or not at all. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "base/value.h"
#include "op/guard_hands.h"
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
	scoped(strlist_finish) struct strlist command = { 0 };
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	scoped(guard_session_close) struct guard_session g = { 0 };
	json_t *result = NULL;
	int r = to_words(json_object_get(args, "command"), &command, e);

	if (r == 0)
		r = guard_session_open(&ctx->by, ctx->by.cwd, &g, e);
	g.profile = text_arg(args, "profile");
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
		     : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' is no JSON", path);
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
				    json_string(problem.text[0] ? problem.text : "there is no question"));
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "answer the hook");
}

static int run_daemon(struct op_context *ctx, const char *dir, bool once, json_t **ret_result,
		      struct aisbx_error *e)
{
	struct op_context quiet = *ctx; /* nobody sees what it prints */
	struct op_guard_ctx hands = { &quiet, NULL };
	const struct guard_shift shift = { &quiet.by, &op_guard_hands, &hands, dir, once };
	struct guard_shift_report done;
	int r;

	quiet.by.stdin_fd = quiet.by.out_fds[0] = quiet.by.out_fds[1] = -1;
	quiet.emit = NULL;
	quiet.by.begun = NULL;
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
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give one of a command, --hook and --daemon");
	if (hook)
		return run_hook(ctx, hook, ret_result, e);
	if (daemon_dir)
		return run_daemon(ctx, daemon_dir, json_is_true(json_object_get(args, "once")), ret_result,
				  e);
	return file ? judge_file(ctx, file, ret_result, e) : judge_one(ctx, args, ret_result, e);
}

static const char *const hooks[] = { "claude-code", "codex", NULL };

static const struct op_param params[] = {
	{ "explain", 0, OP_FLAG, 0, NULL,
	  "only judge it; exits with 0 (run), 9 (look), 10 (box), 11 (ask) or 12 (refuse)" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "of the box, if it comes to that; default: as for run" },
	{ "hook", 0, OP_CHOICE, 0, "AGENT",
	  "judge what this agent is about to run: its question comes on standard input; claude-code or codex",
	  hooks },
	{ "daemon", 0, OP_STRING, 0, "DIR",
	  "do what is queued in this directory, within what its authority.yaml allows" },
	{ "once", 0, OP_FLAG, 0, NULL, "with --daemon: end when the queue is empty" },
	{ "judge-file", 0, OP_STRING, OP_HIDDEN, "FILE", "judge a list of commands" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL, "COMMAND",
	  "the command and its arguments; a single word is a text for a shell" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "act", "string",
	  "what was done: run (on the machine, behind the glass), box, ask or refuse; with --explain also "
	  "look: tried behind the glass, then in a box if it must be" },
	{ "reasons", "array", "what spoke against running it as it is; none when nothing did" },
	{ "reasons[].rule", "string",
	  "reader, program, option, path, write, environment, rules, personal or project" },
	{ "reasons[].why", "string", "for people" },
	{ "reasons[].part", "string", "of the command" },
	{ "reasons[].offset", "integer", "of that part, in bytes" },
	{ "reasons[].act", "string", "what it asks for" },
	{ "ignored", "array",
	  "rules of the project's aisbx.yaml that would have loosened, which it may not" },
	{ "files", "array", "every aisbx.yaml whose rules counted: of the directory and of those above it" },
	{ "judge_us", "integer", "microseconds the decision took" },
	{ "looked", "boolean", "it could not be told, was tried behind the glass and needed no box" },
	{ "wanted", "string", "what the glass refused it, so that it needed a box" },
	{ "exit_status", "integer", "with --json, of one that ran on the machine" },
	{ "stdout", "string", "the same" },
	{ "stderr", "string", "the same" },
	{ "box", "string|null", "that it ran in; null when it changed nothing, or did not run" },
	{ "run", "object", "in the box: as run has it" },
	{ "failed_for", "string", "in the box: it failed, and this is what it tried to reach" },
	{ "changes", "object", "in the box: how many of each kind" },
	{ "gates", "array", "that were judged, as gate check has them" },
	{ "gates_cpu_ms", "number", "processor time of what was run to judge by them" },
	{ "promoted", "boolean", "what it changed is in the project" },
	{ "promotion", "object", "as promote has it" },
	{ "undo", "string", "the command that takes it back" },
	{ "next", "array", "commands to look at it, to let it into the project, to drop it" },
	{ "answer", "object|null", "with --hook: what the agent is told; null: no opinion" },
	{ "done", "integer", "with --daemon: how many actions were taken" },
	{ "stopped", "string", "with --daemon: why it ended" },
	{ NULL, NULL, NULL },
};

const struct op op_guard = {
	.name = "guard",
	.group = GROUP_AGENTS,
	.view = VIEW_GUARD,
	.first = true,
	.summary = "Run what only looks on the machine, behind glass, and everything else in a box",
	.about = "Judges a command by its syntax tree. What is known to only look (ls, git status, grep, "
		 "pipes of them) runs on\n"
		 "the machine, behind the glass of 'aisbx look', so that it changes nothing even if the "
		 "judgement was wrong. What is\n"
		 "known to write runs in a new box, and what it changed there is shown, or goes into the "
		 "project when all gates hold\n"
		 "and your rules say 'promote: auto'. What cannot be told is tried behind the glass with its "
		 "output held back; at the\n"
		 "first write, socket or secret that is refused it is ended there and runs in a box "
		 "instead.\n\n"
		 "Rules are in ~/.config/aisbx/guard.yaml, which may loosen and tighten, and in the section "
		 "'guard' of the\n"
		 "project's aisbx.yaml, in the directory or above it, which may only tighten. Nothing is "
		 "learnt; the history has each verdict.\n\n"
		 "The exit status is that of the command; 125 when the guard refused it. See docs/guard.md.",
	.example = "aisbx guard -- git status\naisbx guard -- 'npm install && npm test'\naisbx guard "
		   "--explain -- 'cat ~/.ssh/id_rsa'",
	.grant = GRANT_HOST,
	.params = params,
	.result = result,
	.run = run,
};
