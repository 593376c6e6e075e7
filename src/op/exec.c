/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `exec`: one more command in a box that lives, behind the walls that stand there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/owner.h"
#include "op/args.h"
#include "op/running.h"

/* How long to try again what a snapshot, or a start, is in the way of. */
#define AGAIN_MS 10000

/* The supervisor that has the box. */
static int connect_box(const char *key, int *ret_fd, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = box_shelf_open(&shelf, e);

	if (r == 0)
		r = box_find(&shelf, key, &box, e);
	if (r == 0)
		r = box_live_connect(&shelf, &box, ret_fd, e);
	if (r == -ENOENT && !e->code)
		return aisbx_refuse(e, AISBX_AREA_BOX, ESRCH,
				    "nothing runs in box '%s'; 'aisbx run --box %s' starts a command in it",
				    key, key);
	return r;
}

/* A box may be called like a run. */
static int connect_any(const char *key, int *ret_fd, struct aisbx_error *e)
{
	struct aisbx_error no_box = AISBX_ERROR_INIT;
	char id[STORE_ID_MAX];
	int r;

	if (strncmp(key, "r-", 2) != 0)
		return connect_box(key, ret_fd, e);
	r = op_run_reach(key, id, ret_fd, e);
	if (r == -ENOENT && connect_box(key, ret_fd, &no_box) == 0) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	return r;
}

/* What the box is; RET_KEY: where to join it, which for a run that joined another's box is that box. */
static int look(const char *key, json_t **ret_about, const char **ret_key, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	scoped(drop_mem) char *text = NULL;
	struct run_status status = { 0 };
	int r = connect_any(key, &fd, e);

	if (r == 0)
		r = run_ask_status(fd, &status, &text, e);
	if (r < 0)
		return r;
	*ret_about = json_loads(text, 0, NULL);
	if (!json_is_object(*ret_about))
		return aisbx_refuse(e, AISBX_AREA_RUN, EPROTO, "the run '%s' does not tell what it is", key);
	if (!status.joined)
		return 0;
	if (!json_is_string(json_object_get(*ret_about, "box")))
		return aisbx_refuse(e, AISBX_AREA_RUN, EOPNOTSUPP,
				    "run '%s' joined another's box; exec into that run", key);
	*ret_key = json_string_value(json_object_get(*ret_about, "box"));
	return 0;
}

/* The arguments `run` would take for the same box. */
static json_t *run_args(const json_t *args, const json_t *about)
{
	static const char *const own[] = { "cwd", "env", "secret", "timeout", "output", "tty", "command" };
	static const char *const of_box[] = { "profile", "net", "seccomp", "without" };
	json_t *j = json_object(), *box = json_object_get(about, "box");

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (json_object_get(args, own[i]))
			json_object_set(j, own[i], json_object_get(args, own[i]));
	for (size_t i = 0; i < sizeof(of_box) / sizeof(*of_box); i++)
		json_object_set(j, of_box[i], json_object_get(about, of_box[i]));
	if (json_is_string(box))
		json_object_set(j, "box", box);
	else if (json_object_get(about, "project"))
		json_object_set(j, "project", json_object_get(about, "project"));
	return j;
}

static int join(struct op_context *ctx, const char *key, struct box_request *req, struct op_running *how,
		json_t **ret_result, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t until = time_ms() + AGAIN_MS;

	for (;;) {
		scoped(drop_fd) int fd = -1;
		int r = connect_any(key, &fd, e);

		req->exec_fd = fd;
		if (r == 0)
			r = op_run_here(ctx, req, how, ret_result, e);
		if (r != -EAGAIN || e->area != AISBX_AREA_RUN ||
		    time_ms() >= until) /* of pid 1: the box is full */
			return r;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		nanosleep(&pause, NULL);
	}
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_request_finish) struct box_request req = { .exec = true };
	scoped(op_running_finish) struct op_running how = OP_RUNNING_INIT;
	json_t *about = NULL, *as_run = NULL;
	const char *key = json_string_value(json_object_get(args, "target"));
	int r = look(key, &about, &key, e);

	if (r == 0)
		r = op_running_begin(ctx, &how, &req, false, e);
	if (r == 0) {
		as_run = run_args(args, about);
		r = op_run_request(ctx, as_run, &req, e);
	}
	req.spec.any_walls = true;
	if (r == 0)
		r = join(ctx, key, &req, &how, ret_result, e);
	json_decref(as_run);
	json_decref(about);
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static const struct op_param params[] = {
	{ .name = "target",
	  .type = OP_STRING,
	  .positional = true,
	  .required = true,
	  .value = "BOX|RUN",
	  .help = "name or id of a live box, or id of a live run" },
	{ .name = "cwd",
	  .letter = 'C',
	  .type = OP_STRING,
	  .value = "DIR",
	  .help = "directory to start in; default: the project",
	  .model = true },
	{ .name = "env",
	  .letter = 'e',
	  .type = OP_LIST,
	  .value = "NAME[=VALUE]",
	  .help = "set a variable, or pass the caller's on",
	  .model = true },
	SECRET_PARAM,
	{ .name = "timeout",
	  .type = OP_DURATION,
	  .value = "TIME",
	  .help = "end the command after this long; 0: never",
	  .model = true },
	{ .name = "output",
	  .type = OP_SIZE,
	  .value = "SIZE",
	  .help = "bytes let through of each output stream" },
	{ .name = "tty",
	  .letter = 't',
	  .type = OP_FLAG,
	  .help = "give the command a terminal of the box's own" },
	{ .name = "interactive",
	  .letter = 'i',
	  .type = OP_FLAG,
	  .help = "pass standard input on; always so, accepted for habit (-it)" },
	{ .name = "command",
	  .type = OP_COMMAND,
	  .required = true,
	  .positional = true,
	  .value = "COMMAND",
	  .help = "the command and its arguments" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id of this run; the rest as in the result of run" },
	{ "status", "string", "ok, failed, limit, denied, interrupted or error" },
	{ "exit_code", "integer|null", "of the command" },
	{ "stdout", "string", "what the command wrote" },
	{ "stderr", "string", "as stdout" },
	{ NULL, NULL, NULL },
};

const struct op op_exec = {
	.name = "exec",
	.method = "box.exec",
	.summary = "Run a command in a live box",
	.about = "Runs one more command in a box that is live, behind the walls that stand there, whatever "
		 "they are. It ends with\n"
		 "its own deadline or with the box. Exit status and result are those of 'aisbx run'. A box "
		 "in which nothing runs\n"
		 "is refused.",
	.example = "aisbx exec r-1f2e -- ps\n"
		   "aisbx exec -it try1 -- bash",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
