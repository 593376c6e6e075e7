/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter is a detached run in the box that reads of work by a FIFO on the box's tmpfs; `exec` brings
 * code to it, waits, and brings back what it said. So it is behind the walls of the box, ends with it, and
 * nothing of it is on the host.
 */
#include "op/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "op/runs.h"
#include "op/value.h"
#include "context_client.h"
#include "context_driver_js.h"
#include "context_driver_py.h"
#include "context_driver_sh.h"
#include "context_interrupt.h"

/* The texts go by the environment, so that lists of runs stay readable. */
#define TEXT_ENV "AISBX_CONTEXT"
static const char run_sh[] = "__t=$" TEXT_ENV "; unset " TEXT_ENV "; eval \"$__t\"";
static const char run_py[] = "import os; exec(os.environ.pop('" TEXT_ENV "'))";
static const char run_js[] = "const t = process.env." TEXT_ENV "; delete process.env." TEXT_ENV "; eval(t)";

/* How client.sh and interrupt.sh say that there is no context, or none any more. */
#define STATUS_NONE  97
#define STATUS_ENDED 96
/* Tenths of a second that an interpreter may take to start, and to leave off. */
#define START_TRIES 150
#define STOP_TRIES  20
/* How long a box may take to end after its last command. */
#define ENDING_MS 10000
/* Both streams, a result and charts, as base64. */
#define OUTPUT_MOST (32u << 20)

bool op_context_is_name(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t n = strlen(name);

	return n && n <= 48 && !name[strspn(name, plain)];
}

static json_t *place_of(const struct context *c)
{
	return json_sprintf("/tmp/.aisbx-context-%s-%s", c->lang, c->name);
}

/* Another operation, with ARGS (taken), for its result. */
static int call(struct op_context *ctx, const char *name, int stdin_fd, json_t *args, json_t **ret_result,
		struct aisbx_error *e)
{
	struct op_context sub = *ctx;
	int r;

	sub.stdin_fd = stdin_fd;
	sub.out_fds[0] = sub.out_fds[1] = -1;
	sub.emit = NULL;
	sub.begun = NULL; /* the run that brings the code is nobody's to wait for */
	sub.interpreter = !strcmp(name, "run");
	sub.keep_output = false; /* what it says is read from its result, and is no log for people */
	r = op_call(op_by_name(name), &sub, args, ret_result, e);
	json_decref(args);
	return r;
}

/* One of the scripts in the box, with MORE arguments (taken); RET_STATUS: what it exits with, -1: it did not
 * come to that. */
static int script(struct op_context *ctx, const struct context *c, int stdin_fd, const char *text,
		  json_t *more, json_t **ret_result, int *ret_status, struct aisbx_error *e)
{
	json_t *command = json_pack("[s, s, s, s, o]", "sh", "-c", run_sh, "aisbx-context", place_of(c)),
	       *code;
	json_t *args = json_pack("{s:s, s:o, s:i, s:[o]}", "target", c->box, "command", command, "output",
				 (int)OUTPUT_MOST, "env", json_sprintf(TEXT_ENV "=%s", text));
	json_t *timeout = json_object_get(c->args, "timeout");
	int r;

	json_array_extend(command, more);
	json_decref(more);
	if (timeout && stdin_fd >= 0)
		json_object_set(args, "timeout", timeout);
	r = call(ctx, "exec", stdin_fd, args, ret_result, e);
	if (r < 0)
		return r;
	code = json_object_get(*ret_result, "exit_code");
	*ret_status = json_is_integer(code) ? (int)json_integer_value(code) : -1;
	return 0;
}

static int hold_code(const char *code, size_t len, struct aisbx_error *e)
{
	int fd = memfd_create("code", MFD_CLOEXEC);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, code, len);

		if (n <= 0)
			break;
		code += n;
		len -= (size_t)n;
	}
	if (fd < 0 || len || lseek(fd, 0, SEEK_SET) < 0) {
		int err = errno;

		drop_fd(&fd);
		return aisbx_fail(e, AISBX_AREA_RUN, err, "hold the program");
	}
	return fd;
}

static int start(struct op_context *ctx, const struct context *c, struct aisbx_error *e)
{
	const bool python = !strcmp(c->lang, "python"), javascript = !strcmp(c->lang, "javascript");
	const char *driver = python ? context_driver_py : javascript ? context_driver_js : context_driver_sh;
	json_t *args, *result = NULL, *command;
	uint64_t idle_ms = 0;
	int r;

	op_value_ms(json_object_get(c->args, "idle"), &idle_ms);
	if (!json_object_get(c->args, "idle"))
		idle_ms = 1800000;
	command = json_pack("[s, s, s]", c->interpreter, javascript ? "-e" : "-c",
			    python       ? run_py
			    : javascript ? run_js
					 : run_sh);
	if (!python)
		json_array_append_new(command, json_string(javascript ? "--" : "aisbx-context"));
	json_array_append_new(command, place_of(c));
	json_array_append_new(command, json_sprintf("%llu", (unsigned long long)(idle_ms + 999) / 1000));
	args = json_pack("{s:s, s:b, s:i, s:o}", "box", c->box, "detach", true, "timeout", 0, "command",
			 command);
	json_object_set_new(args, "env", json_pack("[o]", json_sprintf(TEXT_ENV "=%s", driver)));
	if (c->env)
		json_array_append_new(json_object_get(args, "env"), json_string(c->env));
	r = call(ctx, "run", -1, args, &result, e);
	json_decref(result);
	return r < 0 ? aisbx_context(e, "start the interpreter of context '%s'", c->name) : 0;
}

/* Brings the code to it; the first time of two there may be nobody to bring it to. */
static int bring(struct op_context *ctx, const struct context *c, const char *code, size_t len,
		 unsigned int tries, json_t **ret_result, int *ret_status, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = hold_code(code, len, e);
	int r;

	if (fd < 0)
		return fd;
	r = script(ctx, c, fd, context_client, json_pack("[o]", json_sprintf("%u", tries)), ret_result,
		   ret_status, e);
	if (r != -ESRCH && r != -ESTALE)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT; /* nothing at all runs in the box, or it has just ended */
	*ret_status = STATUS_NONE;
	return 0;
}

/* To the interpreter there is, or to a new one; RET_NEW says which. A box that is just ending is waited for.
 */
static int reach(struct op_context *ctx, const struct context *c, const char *code, size_t len,
		 json_t **ret_result, int *ret_status, bool *ret_new, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const uint64_t until = time_ms() + ENDING_MS;
	int r = bring(ctx, c, code, len, 0, ret_result, ret_status, e);

	while (r == 0 && *ret_status == STATUS_NONE) {
		json_decref(*ret_result);
		*ret_result = NULL;
		*ret_new = true;
		r = start(ctx, c, e);
		if (r == 0)
			r = bring(ctx, c, code, len, START_TRIES, ret_result, ret_status, e);
		if ((r != -ESTALE && (r < 0 || *ret_status != STATUS_NONE)) || time_ms() > until)
			break;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
		nanosleep(&pause, NULL);
	}
	if (r == 0 && *ret_status == STATUS_NONE)
		r = aisbx_refuse(e, AISBX_AREA_RUN, ENOENT,
				 "the interpreter of context '%s' did not start; is there a '%s' in the box?",
				 c->name, c->interpreter);
	return r;
}

/* SIGNAL: INT leaves off what it does and remembers, TERM ends it. True: there is no context any more. */
static bool interrupt(struct op_context *ctx, const struct context *c, const char *signal)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *result = NULL;
	int status = -1;
	int r = script(ctx, c, -1, context_interrupt,
		       json_pack("[s, o]", signal, json_sprintf("%d", STOP_TRIES)), &result, &status, &e);

	json_decref(result);
	return r < 0 || status != 0;
}

/* A line of the client's output as text; AT moves behind it. */
static json_t *decoded_line(const char **at)
{
	scoped(buf_finish) struct buf raw = { 0 }, text = { 0 };
	size_t n = strcspn(*at, "\n");

	if (n && base64_read(&raw, *at, n))
		buf_add_utf8(&text, raw.data, raw.len);
	*at += n + ((*at)[n] == '\n');
	return json_stringn(buf_str(&text) ? text.data : "", text.len);
}

static json_t *told(const struct context *c, const char *status, bool ended)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b}", "status", status, "language", c->lang, "box", c->box,
			 "context", c->name, "context_ended", ended);
}

/* What the interpreter said, as the result of run-code. */
static json_t *result_of(const struct context *c, const json_t *ran)
{
	const char *at = json_string_value(json_object_get(ran, "stdout"));
	json_t *out = decoded_line(&at), *err = decoded_line(&at);
	json_t *said = json_loads(at, 0, NULL), *error = json_object_get(said, "error");
	const bool ended = !json_is_object(said);
	json_t *j = told(c, ended || json_is_object(error) ? "failed" : "ok", ended);

	json_object_set(j, "run", json_object_get(ran, "run"));
	json_object_set_new(j, "stdout", out);
	json_object_set_new(j, "stderr", err);
	json_object_set_new(j, "text", ended ? json_null() : json_incref(json_object_get(said, "text")));
	json_object_set_new(j, "charts", ended ? json_array() : json_incref(json_object_get(said, "charts")));
	json_object_set_new(j, "exception", json_is_object(error) ? json_incref(error) : json_null());
	if (ended)
		json_object_set_new(
			j, "error",
			json_string("the program ended the interpreter, and what it remembered is gone"));
	json_decref(said);
	return j;
}

int op_context_run(struct op_context *ctx, const struct context *c, const char *code, size_t len,
		   json_t **ret_result, struct aisbx_error *e)
{
	json_t *ran = NULL;
	bool new = false;
	int status = -1, r = reach(ctx, c, code, len, &ran, &status, &new, e);

	if (r == 0 && status == 0) {
		*ret_result = result_of(c, ran);
	} else if (r == 0) { /* the deadline, or who asked has gone */
		const char *how = json_string_value(json_object_get(ran, "status"));

		*ret_result = told(c, how ? how : "error", interrupt(ctx, c, "INT"));
		json_object_set(*ret_result, "run", json_object_get(ran, "run"));
		json_object_set(*ret_result, "limit", json_object_get(ran, "limit"));
	}
	json_decref(ran);
	if (r == 0) {
		const char *how = json_string_value(json_object_get(*ret_result, "status"));

		ctx->exit_status = !strcmp(how, "ok") ? 0 : !strcmp(how, "limit") ? 124 : 1;
		json_object_set_new(*ret_result, "context_new", json_boolean(new));
		json_object_set_new(*ret_result, "exit_status", json_integer(ctx->exit_status));
	}
	return r;
}

int op_context_end(struct op_context *ctx, const struct context *c, json_t **ret_result,
		   struct aisbx_error *e)
{
	(void)e;
	interrupt(ctx, c, "TERM");
	*ret_result = told(c, "ok", true);
	json_object_set_new(*ret_result, "exit_status", json_integer(0));
	return 0;
}

int op_contexts_idle(const char *box_id, struct strlist *ret_runs, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist ids = { 0 }, found = { 0 };
	struct live_run *runs = NULL;
	bool others = false;
	size_t n = 0;
	int r = box_runs_present(&ids, e);

	if (r == 0)
		r = op_runs_look(&ids, &runs, &n,
				 e); /* whoever started them: they are in the box that goes */
	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *box = json_string_value(json_object_get(runs[i].about, "box"));

		if (!box || strcmp(box, box_id) != 0)
			continue;
		others |= !json_is_true(json_object_get(runs[i].about, "interpreter"));
		strlist_add(&found, runs[i].id);
	}
	op_runs_finish(runs, n);
	for (size_t i = 0; r == 0 && !others && i < found.n; i++)
		strlist_add(ret_runs, found.items[i]);
	return r == 0 && (ret_runs->failed || found.failed)
		       ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the interpreters")
		       : r;
}

int op_contexts_stop(const struct strlist *runs, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < runs->n; i++) {
		scoped(drop_fd) int fd = -1;

		r = op_run_connect(runs->items[i], &fd, e);
		if (r == 0)
			r = run_ask_end(fd, e);
		if (r == -ESTALE || (r == -ENOENT && !e->code)) { /* it ended meanwhile */
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = 0;
		}
	}
	for (size_t i = 0; r == 0 && i < runs->n;
	     i++) /* the first of a box ends after those that joined it */
		r = op_run_await(runs->items[i], ENDING_MS, e);
	return r;
}
