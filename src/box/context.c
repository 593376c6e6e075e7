/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter is a detached run in the box that gets work through a FIFO on the box's tmpfs; `exec` sends
 * code to it, waits, and returns its answer. So it is behind the walls of the box, ends with it, and leaves
 * nothing on the host.
 */
#include "box/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/live_run.h"
#include "box/execute.h"
#include "code_show_py.h"
#include "code_venv_sh.h"
#include "context_client.h"
#include "context_driver_js.h"
#include "context_driver_py.h"
#include "context_driver_sh.h"
#include "context_interrupt.h"
#include "context_kernel_py.h"

/* The texts go by the environment, so that lists of runs stay readable. */
#define TEXT_ENV "AISBX_CONTEXT"
#define VENV_ENV "AISBX_CONTEXT_VENV"
static const char run_venv[] = "__t=$" VENV_ENV "; unset " VENV_ENV "; eval \"$__t\"";
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

bool context_is_name(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t n = strlen(name);

	return n && n <= CONTEXT_NAME_MAX && !name[strspn(name, plain)];
}

int context_refuse_name(const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "'%.60s' is not a valid context name; use up to 48 letters, digits, - and _",
			    name);
}

static void add_place(const struct context *c, struct strlist *command)
{
	strlist_addf(command, CONTEXT_PLACE "%s-%s", c->lang, c->name);
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
	scoped(run_options_finish) struct run_options options = { 0 };
	int r;

	for (size_t i = 0; i < sizeof(command) / sizeof(*command); i++)
		strlist_add(&options.command, command[i]);
	add_place(c, &options.command);
	for (; *more; more++)
		strlist_add(&options.command, *more);
	strlist_addf(&options.env, TEXT_ENV "=%s", text);
	run_options_limit(&options, LIMIT_OUTPUT, OUTPUT_MOST);
	if (c->has_timeout && stdin_fd >= 0)
		run_options_limit(&options, LIMIT_WALL_TIME, c->timeout_ms);
	r = options.command.failed || options.env.failed
		    ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare the program")
		    : run_exec(&q, c->box, &options, ret, e);
	*ret_status = ret->exit_code;
	return r;
}

/* The variables as a line of JSON; a new reference, or NULL. */
static char *variables_json(const struct strlist *variables)
{
	json_t *all = json_object();
	char *text;

	for (size_t i = 0; variables && i < variables->n; i++) {
		const char *v = variables->items[i], *is = strchr(v, '=');

		json_object_setn_new(all, v, (size_t)(is - v), json_string(is + 1));
	}
	text = json_dumps(all, JSON_ENSURE_ASCII | JSON_COMPACT);
	json_decref(all);
	return text;
}

/* The same for a shell, as base64: commands that set them. */
static void add_exports(const struct strlist *variables, struct buf *ret)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (size_t i = 0; variables && i < variables->n; i++) {
		const char *v = variables->items[i], *is = strchr(v, '=');

		buf_addf(&text, "export %.*s='", (int)(is - v), v);
		for (const char *at = is + 1; *at; at++)
			buf_add(&text, *at == '\'' ? "'\\''" : at, *at == '\'' ? 4 : 1);
		buf_add(&text, "'\n", 2);
	}
	if (text.len)
		base64_add(ret, text.data, text.len);
	ret->failed |= text.failed;
}

/* What the interpreter reads: a line with the variables, then the code. */
static int hold_code(const struct context *c, const char *code, size_t len, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf head = { 0 };
	scoped(drop_mem) char *json = NULL;
	int fd, r;

	if (!strcmp(c->lang, "shell"))
		add_exports(c->variables, &head);
	else if ((json = variables_json(c->variables)))
		buf_add(&head, json, strlen(json));
	else
		head.failed = true;
	buf_add(&head, "\n", 1);
	fd = head.failed ? -1 : memfd_create("code", MFD_CLOEXEC);
	r = head.failed ? -ENOMEM : fd < 0 ? -errno : io_write_all(fd, head.data, head.len);
	if (r == 0)
		r = io_write_all(fd, code, len);
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	drop_fd(&fd);
	return aisbx_fail(e, AISBX_AREA_RUN, -r, "store the program");
}

/* Python by way of a shell, which finds the project's virtual environment. */
static void add_start(const struct context *c, struct run_options *options)
{
	const bool python = !strcmp(c->lang, "python"), javascript = !strcmp(c->lang, "javascript");

	if (python) {
		strlist_add(&options->command, "sh");
		strlist_add(&options->command, "-c");
		strlist_add(&options->command, run_venv);
		strlist_add(&options->command, "aisbx-context");
		strlist_addf(&options->env, VENV_ENV "=%s", code_venv_sh);
	}
	strlist_add(&options->command, c->interpreter);
	strlist_add(&options->command, javascript ? "-e" : "-c");
	strlist_add(&options->command, python ? run_py : javascript ? run_js : run_sh);
	if (!python)
		strlist_add(&options->command, javascript ? "--" : "aisbx-context");
	strlist_addf(&options->env, TEXT_ENV "=%s%s%s", python ? code_show_py : "",
		     python ? context_kernel_py : "",
		     python       ? context_driver_py
		     : javascript ? context_driver_js
				  : context_driver_sh);
}

static int start(const struct caller *by, const struct context *c, struct aisbx_error *e)
{
	const struct caller q = quiet(by, -1, true);
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_options_finish) struct run_options options = { .box = c->box,
								  .detach = true,
								  .replayable = true };
	int r;

	add_start(c, &options);
	add_place(c, &options.command);
	strlist_addf(&options.command, "%llu", (unsigned long long)(c->idle_ms + 999) / 1000);
	if (c->env)
		strlist_add(&options.env, c->env);
	for (size_t i = 0; c->variables && i < c->variables->n; i++)
		strlist_add(&options.env, c->variables->items[i]);
	run_options_limit(&options, LIMIT_WALL_TIME, 0);
	r = options.command.failed || options.env.failed
		    ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the command")
		    : run_execute(&q, &options, &report, e);
	return r < 0 ? aisbx_context(e, "start the interpreter of context '%s'", c->name) : 0;
}

/* Brings the code to it; the first time of two there may be nobody to bring it to. */
static int bring(const struct caller *by, const struct context *c, const char *code, size_t len,
		 const char *tries, struct run_report *ret, int *ret_status, struct aisbx_error *e)
{
	const char *const more[] = { tries, NULL };
	scoped(drop_fd) int fd = hold_code(c, code, len, e);
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
		r = aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
			"the interpreter of context '%s' did not start; is '%s' installed in the box?",
			c->name, c->interpreter);
	return r;
}

/* SIGNAL: INT leaves off what it does and remembers, TERM ends it. With what that ended: 0, STATUS_ENDED, or
 * STATUS_NONE where there is nobody to tell. */
static int interrupt(const struct caller *by, const struct context *c, const char *signal)
{
	const char *const more[] = { signal, STOP_TRIES, NULL };
	scoped(run_report_finish) struct run_report report = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int status = -1, r = script(by, c, -1, context_interrupt, more, &report, &status, &e);

	return r < 0 || status < 0 ? STATUS_NONE : status;
}

/* A line of the client's output as text; AT moves behind it. */
static bool decode_line(const char **at, struct buf *ret)
{
	scoped(buf_finish) struct buf raw = { 0 };
	size_t n = strcspn(*at, "\n");

	if (n && base64_read(&raw, *at, n))
		buf_add_utf8(ret, raw.data, raw.len);
	*at += n + ((*at)[n] == '\n');
	return buf_str(ret);
}

void context_result_finish(struct context_result *c)
{
	run_report_finish(&c->ran);
	buf_finish(&c->output[0]);
	buf_finish(&c->output[1]);
	json_decref(c->said);
}

int context_run(const struct caller *by, const struct context *c, const char *code, size_t len,
		struct context_result *ret, struct aisbx_error *e)
{
	int status = -1, r = reach(by, c, code, len, &ret->ran, &status, &ret->is_new, e);
	const char *at = ret->ran.output[0];

	if (r < 0)
		return r;
	ret->answered = status == 0;
	if (!ret->answered) { /* the deadline, or who asked has gone */
		ret->status = ret->ran.status ? ret->ran.status : "error";
		ret->ended = interrupt(by, c, "INT") != 0;
	} else if (!decode_line(&at, &ret->output[0]) || !decode_line(&at, &ret->output[1])) {
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the output of the program");
	} else {
		ret->said = json_loads(at, 0, NULL);
		ret->ended = !json_is_object(ret->said);
		ret->failed = json_is_object(json_object_get(ret->said, "error"));
		ret->status = ret->ended || ret->failed ? "failed" : "ok";
	}
	ret->exit_status = !strcmp(ret->status, "ok") ? 0 : !strcmp(ret->status, "limit") ? 124 : 1;
	return 0;
}

bool context_end(const struct caller *by, const struct context *c)
{
	return interrupt(by, c, "TERM") != STATUS_NONE;
}
