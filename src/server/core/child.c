/* SPDX-License-Identifier: Apache-2.0 */
/* One operation in a process of its own: it reports to the server what happens. */
#include "server/core/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/end_with.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/value.h"
#include "op/ahead.h"

/* One packet of a socket. */
#define REQUEST_MOST (256u << 10)

static void report(enum frame kind, const void *data, size_t len)
{
	const struct frame_head head = { kind, (uint32_t)len };
	const struct iovec parts[2] = { { (void *)&head, sizeof(head) }, { (void *)data, len } };
	ssize_t n; /* of most all goes out at once, and the server is woken once */

	do
		n = writev(REPORT_FD, parts, 2);
	while (n < 0 && errno == EINTR);
	if (n < (ssize_t)sizeof(head))
		_exit(1); /* the server is gone */
	n -= (ssize_t)sizeof(head);
	if (io_write_all(REPORT_FD, (const char *)data + n, len - (size_t)n) < 0)
		_exit(1);
}

static bool report_json(enum frame kind, const json_t *value)
{
	scoped(drop_mem) char *text = NULL;

	op_round((json_t *)value);
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | VALUE_REALS);
	if (text)
		report(kind, text, strlen(text));
	return text;
}

static void emit(struct op_context *ctx, const json_t *item)
{
	(void)ctx;
	report_json(FRAME_ITEM, item);
}

static void waits(void *ctx, const char *run)
{
	json_t *j = json_pack("{s:s}", "run", run);

	(void)ctx;
	report_json(FRAME_WAITS, j);
	json_decref(j);
}

static void begun(void *ctx, const char *run, const char *trace_id)
{
	json_t *j = json_pack("{s:s, s:s}", "run", run, "trace_id", trace_id);

	(void)ctx;
	report_json(FRAME_BEGUN, j);
	json_decref(j);
}

/* Exactly its descriptors, no matter where they were; nothing of other callers stays open. */
static bool settle_fds(int fds[CHILD_FDS])
{
	for (int i = 0; i < CHILD_FDS; i++)
		if (fds[i] >= 0 && (fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, CHILD_FDS)) < 0)
			return false;
	for (int i = 0; i < CHILD_FDS; i++) {
		if (fds[i] < 0)
			close(i);
		else if (dup2(fds[i], i) < 0 || (i > STDERR_FILENO && fcntl(i, F_SETFD, FD_CLOEXEC) < 0))
			return false;
	}
	close_range(CHILD_FDS, ~0U, 0);
	return true;
}

static void settle_signals(void)
{
	sigset_t none;

	signal(SIGPIPE, SIG_DFL); /* the one that the server has changed */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static struct op_context context_of(const struct call_how *how, bool streams)
{
	return (struct op_context){ .by.stdin_fd = how->input || how->data_fd ? INPUT_FD : -1,
				    .by.out_fds = { streams || how->data_fd ? OUT_FD : -1,
						    streams ? ERR_FD : -1 },
				    .by.cwd = how->cwd,
				    .by.env = how->env,
				    .by.given = how->given,
				    .emit = emit,
				    .by.begun = begun,
				    .by.waits = waits,
				    .by.trace_id = how->trace_id,
				    .by.owner = how->owner,
				    .by.person = how->person,
				    .by.keep_output = how->keep_output };
}

/* A key pressed at the server's terminal is not meant for its calls. */
static int settle(const struct call_how *how, int fds[CHILD_FDS], struct aisbx_error *e)
{
	setpgid(0, 0);
	settle_signals();
	return settle_fds(fds) && chdir(how->cwd) == 0
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_USAGE, errno, "work in '%s'", how->cwd);
}

static noreturn void conclude(const struct op *op, const json_t *result, struct aisbx_error *e)
{
	if (!result && !e->code)
		aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO, "'%s' returned no result",
			     op->name);
	close(OUT_FD); /* nothing comes any more: what follows is the last that the server waits for */
	close(ERR_FD);
	close(INPUT_FD);
	if (result && !report_json(FRAME_RESULT, result))
		aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "report the result");
	if (e->code)
		report(FRAME_ERROR, e, sizeof(*e));
	_exit(0);
}

noreturn void child_run(const struct op *op, const json_t *args, const struct call_how *how,
			int fds[CHILD_FDS], bool streams, pid_t server)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct op_context ctx = context_of(how, streams);
	json_t *result = NULL;

	if (!end_with(server, SIGKILL)) /* with the server its calls end, however it ends */
		_exit(1);
	if (settle(how, fds, &e) == 0)
		op_call(op, &ctx, args, &result, &e);
	conclude(op, result, &e);
}

char *child_request(const json_t *args, const struct call_how *how, bool streams)
{
	json_auto_t *j = json_pack("{s:O, s:s?, s:b}", "args", (json_t *)args, "trace", how->trace_id,
				   "streams", streams);
	char *text = j ? json_dumps(j, JSON_COMPACT | VALUE_REALS) : NULL;

	if (text && strlen(text) > REQUEST_MOST) {
		free(text);
		return NULL;
	}
	return text;
}

/* NULL: nobody wants anything. */
static json_t *await_request(void)
{
	scoped(drop_mem) char *text = malloc(REQUEST_MOST);
	ssize_t n;

	if (!text || send(INPUT_FD, &(char){ CHILD_READY }, 1, MSG_NOSIGNAL) != 1)
		return NULL;
	do
		n = recv(INPUT_FD, text, REQUEST_MOST, 0);
	while (n < 0 && errno == EINTR);
	return n > 0 ? json_loadb(text, (size_t)n, JSON_ALLOW_NUL, NULL) : NULL;
}

noreturn void child_run_ahead(const struct op *op, const json_t *args, const struct call_how *how,
			      int fds[CHILD_FDS], pid_t server)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct op_context ctx = context_of(how, false);
	json_t *request, *result = NULL;

	ctx.by.stdin_fd = -1;
	ctx.by.begun = NULL;
	ctx.by.waits = NULL;
	if (settle(how, fds, &e) < 0 || op_ahead_make(op, &ctx, args, &e) < 0)
		_exit(1);
	request = await_request();
	/* Until now the end of the server was that of the socket; and then the box is taken down in order. */
	if (!request || !end_with(server, SIGKILL)) {
		op_ahead_drop(&ctx);
		_exit(0);
	}
	close(INPUT_FD);
	ctx.by.begun = begun;
	ctx.by.waits = waits;
	ctx.by.trace_id = json_string_value(json_object_get(request, "trace"));
	if (json_is_true(json_object_get(request, "streams"))) {
		ctx.by.out_fds[0] = OUT_FD;
		ctx.by.out_fds[1] = ERR_FD;
	}
	op_call(op, &ctx, json_object_get(request, "args"), &result, &e);
	op_ahead_drop(&ctx); /* a program that was refused has not used it */
	conclude(op, result, &e);
}
