/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation `look`: a command on the real machine, behind the glass. With a terminal this process becomes
 * the command.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "look/attempt.h"
#include "box/plain_copy.h"
#include "jail/plan.h"
#include "look/look.h"
#include "op/op.h"

static json_t *to_result(const struct look_outcome *o, double wall_ms)
{
	bool exited = WIFEXITED(o->wait_status);
	const char *status = exited && !WEXITSTATUS(o->wait_status) ? "ok" : "failed";
	json_t *j = json_pack("{s:s, s:o, s:o}", "status", status, "exit_code",
			      exited ? json_integer(WEXITSTATUS(o->wait_status)) : json_null(), "signal",
			      exited ? json_null() : json_integer(WTERMSIG(o->wait_status)));

	if (!j)
		return NULL;
	look_outcome_json(o, j);
	json_object_set_new(j, "truncated",
			    json_pack("{s:I, s:I}", "stdout", (json_int_t)o->cut[0], "stderr",
				      (json_int_t)o->cut[1]));
	json_object_set_new(j, "isolation",
			    json_pack("{s:s, s:s, s:[s, s, s, s], s:[]}", "driver", "look", "level", "look",
				      "walls", "landlock", "caps", "no_new_privs", "seccomp", "missing"));
	json_object_set_new(j, "usage", json_pack("{s:f}", "wall_ms", wall_ms));
	return j;
}

static int look_kept(struct op_context *ctx, char *const *words, json_t **ret_result, struct aisbx_error *e)
{
	struct look_attempt a = { .argv = words,
				  .cwd = ctx->by.cwd,
				  .env = ctx->by.env,
				  .stdin_fd = ctx->by.stdin_fd,
				  .out_fds = { -1, -1 } };
	struct look_outcome o;
	uint64_t start = time_us();
	int r = look_attempt_run(&a, &o, e);

	if (r < 0)
		return r;
	ctx->exit_status = look_status(&o);
	*ret_result = to_result(&o, (double)(time_us() - start) / 1000);
	look_outcome_finish(&o);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "report the result");
}

/* What only a box has. */
#define NOT_THERE                                                                             \
	(WALL_BIT(USERNS) | WALL_BIT(MOUNT) | WALL_BIT(PID) | WALL_BIT(NET) | WALL_BIT(IPC) | \
	 WALL_BIT(UTS) | WALL_BIT(CGROUP) | WALL_BIT(ROOT))

static json_t *reduced_json(void)
{
	json_t *walls = json_array(), *missing = json_array();

	for (enum wall w = 0; w < WALL_COUNT; w++)
		json_array_append_new(NOT_THERE & (1u << w) ? missing : walls, json_string(wall_name(w)));
	return json_pack("{s:s, s:s, s:o, s:o}", "driver", "look", "level", "reduced", "walls", walls,
			 "missing", missing);
}

static void tell_reduced(void)
{
	const char *between = "";

	fprintf(stderr, "aisbx: this run had Landlock and seccomp, and no wall");
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if (NOT_THERE & (1u << w)) {
			fprintf(stderr, "%s '%s'", between, wall_name(w));
			between = ",";
		}
	fprintf(stderr, "; its changes are gone\n");
}

/* The caller's variables, with a home and a place for temporary files in the copy. The list is the caller's.
 */
static const char **scratch_env(const char *const *env, const struct plain_copy *c, struct strlist *kept)
{
	const char **list;
	size_t n = 0, at = 0;

	strlist_addf(kept, "HOME=%s", c->home);
	strlist_addf(kept, "TMPDIR=%s", c->tmp);
	while (env && env[n])
		n++;
	list = kept->failed ? NULL : calloc(n + 3, sizeof(*list));
	for (size_t i = 0; list && i < n; i++)
		if (strncmp(env[i], "HOME=", 5) != 0 && strncmp(env[i], "TMPDIR=", 7) != 0 &&
		    strncmp(env[i], "XDG_", 4) != 0)
			list[at++] = env[i];
	for (size_t i = 0; list && i < kept->n; i++)
		list[at++] = kept->items[i];
	return list;
}

/* In a copy that it may change. */
static int look_scratch(struct op_context *ctx, char *const *words, json_t **ret_result,
			struct aisbx_error *e)
{
	scoped(plain_copy_finish) struct plain_copy copy = PLAIN_COPY_INIT;
	scoped(strlist_finish) struct strlist kept = { 0 };
	scoped(drop_mem) const char **env = NULL;
	struct look_attempt a = { .argv = words,
				  .stdin_fd = ctx->by.stdin_fd,
				  .out_fds = { ctx->by.out_fds[0], ctx->by.out_fds[1] } };
	struct look_outcome o;
	uint64_t start = time_us();
	int r = look_available(e);

	if (r == 0)
		r = plain_copy_make(ctx->by.cwd, &copy, e);
	if (r < 0)
		return r;
	env = scratch_env(ctx->by.env, &copy, &kept);
	if (!env)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "look");
	a.cwd = copy.project;
	a.scratch = copy.dir;
	a.env = env;
	r = look_attempt_run(&a, &o, e);
	if (r < 0)
		return r;
	ctx->exit_status = look_status(&o);
	*ret_result = to_result(&o, (double)(time_us() - start) / 1000);
	look_outcome_finish(&o);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "report the result");
	json_object_set_new(*ret_result, "isolation", reduced_json());
	if (ctx->by.out_fds[0] >= 0) {
		tell_reduced();
		plain_copy_finish(&copy);
		_exit(ctx->exit_status); /* its output was the result */
	}
	return 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const json_t *command = json_object_get(args, "command");
	size_t n = json_array_size(command);
	scoped(drop_mem) char **words = calloc(n + 1, sizeof(*words));
	int r, status = 125;

	if (!n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give a command after '--'");
	if (!words)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "look");
	for (size_t i = 0; i < n; i++)
		words[i] = (char *)json_string_value(json_array_get(command, i));
	if (op_flag(args, "scratch"))
		return look_scratch(ctx, words, ret_result, e);
	if (ctx->by.out_fds[0] < 0)
		return look_kept(ctx, words, ret_result, e);
	r = look_become(ctx->by.env, ctx->by.cwd, words, &status, e);
	fprintf(stderr, "aisbx: %s\n", e->text);
	_exit(status); /* behind the glass, or half of it: nothing else is to be done here */
	return r;
}

static const struct op_param params[] = {
	{ "scratch", 0, OP_FLAG, 0, NULL,
	  "in a copy of the current directory, which the command may change and which is removed afterwards; "
	  "for "
	  "machines where no box can be built" },
	{ "command", 0, OP_COMMAND, OP_POSITIONAL | OP_REQUIRED, "COMMAND", "the command and its arguments" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "status", "string", "ok or failed" },
	{ "exit_code", "integer|null", "of the command; null if a signal ended it" },
	{ "exit_status", "integer", "exit status of aisbx look: the command's own, 126, 127 or 128+N" },
	{ "signal", "integer|null", "signal that ended the command" },
	{ "stdout", "string", "output of the command; bytes that are not UTF-8 become U+FFFD" },
	{ "stderr", "string", "as stdout" },
	{ "truncated", "object",
	  "bytes of stdout and stderr that were cut off: one mebibyte of each is kept" },
	{ "isolation", "object",
	  "driver and level: look; walls: landlock, caps, no_new_privs, seccomp; missing: none; with "
	  "scratch: level "
	  "reduced, and missing names each wall that only a box has" },
	{ "usage", "object", "wall_ms: time from start to end" },
	{ NULL, NULL, NULL },
};

const struct op op_look = {
	.name = "look",
	.group = GROUP_LOOK,
	.first = true,
	.summary = "Run a command on the real machine that can read, but change nothing",
	.about = "The command sees the machine as it is: real files, real owners, at full speed. It cannot\n"
		 "write anything, read secrets (keys, tokens, histories: whatever boxes hide), open\n"
		 "sockets, signal other processes, or gain privileges. Before the start, aisbx tries a\n"
		 "write, a secret, a signal and a socket itself, and starts the command only if each is\n"
		 "refused.\n\n"
		 "Variables that hold secrets are removed from its environment. It can still read\n"
		 "everything else, list the names of hidden files, write to its terminal and to wherever\n"
		 "its output goes, and use processor and memory.\n\n"
		 "With --scratch it may change a copy of the current directory, with a home and temporary\n"
		 "files of its own, all of which is removed afterwards. This is for machines where no box\n"
		 "can be built, such as containers without user namespaces. The result names every wall\n"
		 "that is missing there: it still sees the machine's files, processes and host name, and\n"
		 "nothing limits its memory, processes and disk space.\n\n"
		 "Needs Linux 6.12 (Landlock 6), but no namespaces. The exit status is that of the\n"
		 "command, or 125 if it was not started.",
	.example = "aisbx look -- git status\naisbx look --scratch -- make test\naisbx look -- sh -c 'for f "
		   "in *.c; do wc -l \"$f\"; done'",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
