/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `guard`: judges a command, then runs it as it is, in a box, after a question, or not at all.
 */
#include "op/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "base/typed.h"
#include "op/project.h"

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

/* At the terminal, of which a model has none. */
static bool ask(void)
{
	char line[16];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	typed_forget();
	fprintf(stderr, "aisbx: run it as it is? [y/N] ");
	fflush(stderr);
	return fgets(line, sizeof(line), stdin) && (!strcmp(line, "y\n") || !strcmp(line, "yes\n"));
}

static int refuse(struct op_context *ctx, const struct guard_verdict *v, struct aisbx_error *e)
{
	const char *why = "of a rule";

	for (size_t i = 0; i < v->n_reasons; i++)
		if (v->reasons[i].act == v->act)
			why = v->reasons[i].why;
	ctx->exit_status = 125;
	return aisbx_refuse(e, AISBX_AREA_POLICY, EPERM, "the guard does not let this run%s: %.300s",
			    v->act == GUARD_ASK ? " unless a person at a terminal says so" : "", why);
}

/* What began behind the glass, or should have, goes on in a box. */
static void tell_box(struct op_guard *g, json_t *result)
{
	json_object_set_new(result, "act", json_string(guard_act_name(GUARD_BOX)));
	if (g->ctx->out_fds[0] >= 0 && g->ctx->emit)
		g->ctx->emit(g->ctx, result);
}

static int act(struct op_guard *g, const struct guard_verdict *v, const json_t *command, json_t *result,
	       struct aisbx_error *e)
{
	/* The project's word alone lets nothing in: a model can write it. Its gates count either way. */
	struct op_guard_may may = { .promote = g->personal.guard.promote == GUARD_PROMOTE };
	bool needs_box = false;
	int r;

	switch (v->act) {
	case GUARD_RUN:
		if (v->as_it_is || op_guard_has_glass())
			return op_guard_run(g, command, v->as_it_is, result, e);
		tell_box(g, result);
		return op_guard_box(g, command, &may, result, e);
	case GUARD_LOOK:
		r = op_guard_try(g, command, result, &needs_box, e);
		if (r == 0 && !needs_box) {
			json_object_set_new(result, "act", json_string(guard_act_name(GUARD_RUN)));
			json_object_set_new(result, "looked", json_true());
		}
		if (r < 0 || !needs_box)
			return r;
		tell_box(g, result);
		return op_guard_box(g, command, &may, result, e);
	case GUARD_BOX:
		return op_guard_box(g, command, &may, result, e);
	case GUARD_ASK:
		if (g->ctx->out_fds[0] >= 0 && !g->ctx->owner && ask())
			return op_guard_run(g, command, true, result, e);
		return refuse(g->ctx, v, e);
	case GUARD_REFUSE:
	case GUARD_ACT_COUNT:
	default:
		return refuse(g->ctx, v, e);
	}
}

static int judge_one(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	static const int statuses[GUARD_ACT_COUNT] = { 0, 9, 10, 11, 12 };
	const json_t *command = json_object_get(args, "command");
	bool explain = json_is_true(json_object_get(args, "explain"));
	scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
	scoped(op_guard_close) struct op_guard g = { 0 };
	uint64_t start;
	json_t *result;
	int r = op_guard_open(ctx, ctx->cwd, &g, e);

	if (r < 0)
		return r;
	g.profile = text_arg(args, "profile");
	start = time_us();
	r = op_guard_judge(&g, command, &v, e);
	if (r < 0)
		return r;
	result = op_guard_json(&v, command);
	json_object_set_new(result, "judge_us", json_integer((json_int_t)(time_us() - start)));
	json_object_set_new(result, "files", op_project_files_json(&g.project));
	op_guard_note(&v, command);
	if (explain) {
		ctx->exit_status = statuses[v.act];
	} else {
		if (ctx->out_fds[0] >= 0 && ctx->emit && v.act > GUARD_LOOK)
			ctx->emit(ctx, result);
		r = act(&g, &v, command, result, e);
	}
	if (r < 0)
		json_decref(result);
	else
		*ret_result = result;
	return r;
}

/* Many commands by one process: for tests, and to measure the decision alone. */
static int judge_file(struct op_context *ctx, const char *path, json_t **ret_result, struct aisbx_error *e)
{
	scoped(op_guard_close) struct op_guard g = { 0 };
	json_t *list = json_load_file(path, 0, NULL), *verdicts = json_array(), *item;
	int r = list ? op_guard_open(ctx, ctx->cwd, &g, e)
		     : aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL, "'%s' is no JSON", path);
	size_t i;

	json_array_foreach(list, i, item)
	{
		scoped(guard_verdict_finish) struct guard_verdict v = { 0 };
		json_t *command = json_is_array(item) ? json_incref(item) : json_pack("[O]", item), *said;
		uint64_t start = time_us();

		if (r == 0)
			r = op_guard_judge(&g, command, &v, e);
		if (r == 0) {
			start = time_us() - start;
			said = op_guard_json(&v, command);
			json_object_set_new(said, "judge_us", json_integer((json_int_t)start));
			json_array_append_new(verdicts, said);
		}
		json_decref(command);
	}
	json_decref(list);
	*ret_result = json_pack("{s:o}", "verdicts", verdicts);
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *hook = text_arg(args, "hook"), *daemon_dir = text_arg(args, "daemon"),
		   *file = text_arg(args, "judge-file");
	const json_t *command = json_object_get(args, "command");

	if (!!hook + !!daemon_dir + !!file + (json_array_size(command) > 0) != 1)
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
				    "give one of a command, --hook and --daemon");
	if (hook)
		return op_guard_hook(ctx, hook, ret_result, e);
	if (daemon_dir)
		return op_guard_daemon(ctx, daemon_dir, json_is_true(json_object_get(args, "once")),
				       ret_result, e);
	return file ? judge_file(ctx, file, ret_result, e) : judge_one(ctx, args, ret_result, e);
}

static const char *const hooks[] = { "claude-code", "codex", NULL };

static const struct op_param params[] = {
	{ .name = "explain",
	  .type = OP_FLAG,
	  .help = "only judge it; exits with 0 (run), 9 (look), 10 (box), 11 (ask) or 12 (refuse)" },
	{ .name = "profile",
	  .letter = 'p',
	  .type = OP_STRING,
	  .value = "PROFILE",
	  .help = "of the box, if it comes to that; default: as for run" },
	{ .name = "hook",
	  .type = OP_CHOICE,
	  .choices = hooks,
	  .value = "AGENT",
	  .help = "judge what this agent is about to run: its question comes on standard input; claude-code "
		  "or codex" },
	{ .name = "daemon",
	  .type = OP_STRING,
	  .value = "DIR",
	  .help = "do what is queued in this directory, within what its authority.yaml allows" },
	{ .name = "once", .type = OP_FLAG, .help = "with --daemon: end when the queue is empty" },
	{ .name = "judge-file",
	  .type = OP_STRING,
	  .value = "FILE",
	  .help = "judge a list of commands",
	  .hidden = true },
	{ .name = "command",
	  .type = OP_COMMAND,
	  .positional = true,
	  .value = "COMMAND",
	  .help = "the command and its arguments; a single word is a text for a shell" },
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
