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
#include "box/live_run.h"
#include "box/execute.h"
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
#define START_TRIES "150"
#define STOP_TRIES  "20"
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

static void add_place(const struct context *c, struct strlist *command)
{
	strlist_addf(command, "/tmp/.aisbx-context-%s-%s", c->lang, c->name);
}

/* The run that brings the code is nobody's to wait for; what it says is read from its report, and is no log
 * for people. */
static struct caller quiet(const struct caller *by, int stdin_fd, bool interpreter)
{
	struct caller q = *by;

	q.stdin_fd = stdin_fd;
	q.out_fds[0] = q.out_fds[1] = -1;
	q.begun = NULL;
	q.interpreter = interpreter;
	q.keep_output = false;
	return q;
}

/* One of the scripts in the box, with MORE arguments that end with NULL; RET_STATUS: what it exits with, -1:
 * it did not come to that. */
static int script(const struct caller *by, const struct context *c, int stdin_fd, const char *text,
		  const char *const *more, struct run_report *ret, int *ret_status, struct aisbx_error *e)
{
	static const char *const command[] = { "sh", "-c", run_sh, "aisbx-context" };
	const struct caller q = quiet(by, stdin_fd, false);
	scoped(run_wish_finish) struct run_wish wish = { 0 };
	int r;

	for (size_t i = 0; i < sizeof(command) / sizeof(*command); i++)
		strlist_add(&wish.command, command[i]);
	add_place(c, &wish.command);
	for (; *more; more++)
		strlist_add(&wish.command, *more);
	strlist_addf(&wish.env, TEXT_ENV "=%s", text);
	run_wish_limit(&wish, LIMIT_OUTPUT, OUTPUT_MOST);
	if (c->has_timeout && stdin_fd >= 0)
		run_wish_limit(&wish, LIMIT_WALL_TIME, c->timeout_ms);
	r = wish.command.failed || wish.env.failed
		    ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "bring the program")
		    : run_exec(&q, c->box, &wish, ret, e);
	*ret_status = ret->exit_code;
	return r;
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

static int start(const struct caller *by, const struct context *c, struct aisbx_error *e)
{
	const bool python = !strcmp(c->lang, "python"), javascript = !strcmp(c->lang, "javascript");
	const char *driver = python ? context_driver_py : javascript ? context_driver_js : context_driver_sh;
	const struct caller q = quiet(by, -1, true);
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_wish_finish) struct run_wish wish = { .box = c->box, .detach = true, .replayable = true };
	int r;

	strlist_add(&wish.command, c->interpreter);
	strlist_add(&wish.command, javascript ? "-e" : "-c");
	strlist_add(&wish.command, python ? run_py : javascript ? run_js : run_sh);
	if (!python)
		strlist_add(&wish.command, javascript ? "--" : "aisbx-context");
	add_place(c, &wish.command);
	strlist_addf(&wish.command, "%llu", (unsigned long long)(c->idle_ms + 999) / 1000);
	strlist_addf(&wish.env, TEXT_ENV "=%s", driver);
	if (c->env)
		strlist_add(&wish.env, c->env);
	run_wish_limit(&wish, LIMIT_WALL_TIME, 0);
	r = wish.command.failed || wish.env.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the command")
						   : run_execute(&q, &wish, &report, e);
	return r < 0 ? aisbx_context(e, "start the interpreter of context '%s'", c->name) : 0;
}

/* Brings the code to it; the first time of two there may be nobody to bring it to. */
static int bring(const struct caller *by, const struct context *c, const char *code, size_t len,
		 const char *tries, struct run_report *ret, int *ret_status, struct aisbx_error *e)
{
	const char *const more[] = { tries, NULL };
	scoped(drop_fd) int fd = hold_code(code, len, e);
	int r;

	if (fd < 0)
		return fd;
	r = script(by, c, fd, context_client, more, ret, ret_status, e);
	if (r != -ESRCH && r != -ESTALE)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT; /* nothing at all runs in the box, or it has just ended */
	*ret_status = STATUS_NONE;
	return 0;
}

/* To the interpreter there is, or to a new one; RET_NEW says which. A box that is just ending
 * is waited for. */
static int reach(const struct caller *by, const struct context *c, const char *code, size_t len,
		 struct run_report *ret, int *ret_status, bool *ret_new, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const uint64_t until = time_ms() + ENDING_MS;
	int r = bring(by, c, code, len, "0", ret, ret_status, e);

	while (r == 0 && *ret_status == STATUS_NONE) {
		run_report_finish(ret);
		*ret_new = true;
		r = start(by, c, e);
		if (r == 0)
			r = bring(by, c, code, len, START_TRIES, ret, ret_status, e);
		if ((r != -ESTALE && (r < 0 || *ret_status != STATUS_NONE)) || time_ms() > until)
			break;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
		nanosleep(&pause, NULL);
	}
	if (r == 0 && *ret_status == STATUS_NONE)
		r = aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
				 "the interpreter of context '%s' did not start; is there a '%s' in the box?",
				 c->name, c->interpreter);
	return r;
}

/* SIGNAL: INT leaves off what it does and remembers, TERM ends it. True: there is no context any more. */
static bool interrupt(const struct caller *by, const struct context *c, const char *signal)
{
	const char *const more[] = { signal, STOP_TRIES, NULL };
	scoped(run_report_finish) struct run_report report = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int status = -1, r = script(by, c, -1, context_interrupt, more, &report, &status, &e);

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
static json_t *result_of(const struct context *c, const struct run_report *ran)
{
	const char *at = ran->output[0];
	json_t *out = decoded_line(&at), *err = decoded_line(&at);
	json_t *said = json_loads(at, 0, NULL), *error = json_object_get(said, "error");
	const bool ended = !json_is_object(said);
	json_t *j = told(c, ended || json_is_object(error) ? "failed" : "ok", ended);

	json_object_set_new(j, "run", json_string(ran->run));
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
	scoped(run_report_finish) struct run_report ran = { 0 };
	bool new = false;
	int status = -1, r = reach(&ctx->by, c, code, len, &ran, &status, &new, e);

	if (r == 0 && status == 0) {
		*ret_result = result_of(c, &ran);
	} else if (r == 0) { /* the deadline, or who asked has gone */
		*ret_result = told(c, ran.status ? ran.status : "error", interrupt(&ctx->by, c, "INT"));
		json_object_set(*ret_result, "run", json_object_get(ran.said, "run"));
		json_object_set(*ret_result, "limit", json_object_get(ran.said, "limit"));
	}
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
	interrupt(&ctx->by, c, "TERM");
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
		r = live_runs_look(&ids, &runs, &n,
				   e); /* whoever started them: they are in the box that goes */
	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *box = json_string_value(json_object_get(runs[i].about, "box"));

		if (!box || strcmp(box, box_id) != 0)
			continue;
		others |= !json_is_true(json_object_get(runs[i].about, "interpreter"));
		strlist_add(&found, runs[i].id);
	}
	live_runs_finish(runs, n);
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

		r = live_run_connect(runs->items[i], &fd, e);
		if (r == 0)
			r = run_ask_end(fd, e);
		if (r == -ESTALE || (r == -ENOENT && !e->code)) { /* it ended meanwhile */
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = 0;
		}
	}
	for (size_t i = 0; r == 0 && i < runs->n;
	     i++) /* the first of a box ends after those that joined it */
		r = live_run_await(runs->items[i], ENDING_MS, e);
	return r;
}
