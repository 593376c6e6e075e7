/* SPDX-License-Identifier: Apache-2.0 */
/* The server's end of a call: it is done when its child has reported the result, or has exited, and
 * everything in the pipes was read. */
#include "server/core/call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/value.h"
#include "server/core/ahead.h"
#include "server/core/child.h"

/* A cancelled command may put its things in order for so long, then its box goes; then its supervisor. */
#define PATIENCE_MS 500
#define LAST_MS     5000
/* Input that waits until the command reads. */
#define MAX_WAITING (4u << 20)
#define CHUNK       65536

struct pipe_end {
	int fd; /* owned; -1: none, or ended */
	struct watch *watch;
	struct call *call;
	int which; /* of output */
};

struct call {
	struct loop *loop;
	struct call_events events;
	void *ctx;
	pid_t pid; /* 0: it has been waited for */
	struct pipe_end report, output[2], input, exited;
	struct buf frames;  /* what has come of a report */
	struct buf waiting; /* input */
	size_t waiting_at;
	bool close_input;
	bool held;
	unsigned int cancelled; /* how often it was told to end */
	struct timer *timer;
	int status;
	json_t *result; /* owned */
	struct aisbx_error error;
	bool told; /* who called has the result; what is left is the process, which is ending */
	struct call *prev, *next;
};

/* Those that are told, but not waited for yet. */
static struct call *ending;

static void end_pipe(struct pipe_end *p)
{
	watch_end(&p->watch);
	close_fd(&p->fd);
}

static void call_destroy(struct call *c)
{
	end_pipe(&c->report);
	end_pipe(&c->output[0]);
	end_pipe(&c->output[1]);
	end_pipe(&c->input);
	end_pipe(&c->exited);
	timer_end(&c->timer);
	buf_finish(&c->frames);
	buf_finish(&c->waiting);
	json_decref(c->result);
	free(c);
}

/* How a call ended that did not say so itself. */
static void explain(struct call *c)
{
	if (c->cancelled)
		aisbx_refuse(&c->error, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED,
			     "the call was cancelled");
	else if (WIFSIGNALED(c->status))
		aisbx_refuse(&c->error, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			     "the operation was ended by signal %d (%s)", WTERMSIG(c->status),
			     strsignal(WTERMSIG(c->status)));
	else
		aisbx_refuse(&c->error, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			     "the operation ended without a result");
}

/* The process of a call that is told has nothing left to do but to go. */
static void let_go(struct call *c)
{
	if (c->prev || ending == c) {
		*(c->prev ? &c->prev->next : &ending) = c->next;
		if (c->next)
			c->next->prev = c->prev;
	}
	call_destroy(c);
}

static void tell_done(struct call *c)
{
	if (!c->result && !c->error.code)
		explain(c);
	end_pipe(&c->report);
	end_pipe(&c->input);
	c->told = true;
	ahead_end();
	c->events.done(c->ctx, c->result, c->result ? NULL : &c->error);
	if (!c->pid) {
		call_destroy(c);
		return;
	}
	c->next = ending;
	if (c->next)
		c->next->prev = c;
	ending = c;
}

static void finish_if_done(struct call *c)
{
	const bool said = c->result || c->error.code;

	if (c->told) {
		if (!c->pid)
			let_go(c);
	} else if (c->output[0].fd < 0 && c->output[1].fd < 0 && (said || (!c->pid && c->report.fd < 0))) {
		tell_done(c);
	}
}

static void take_begun(struct call *c, const json_t *what)
{
	if (c->events.begun)
		c->events.begun(c->ctx, json_string_value(json_object_get(what, "run")),
				json_string_value(json_object_get(what, "trace_id")));
}

static void take_frame(struct call *c, enum frame kind, const char *data, size_t len)
{
	json_t *j;

	if (kind == FRAME_ERROR) {
		if (len == sizeof(c->error))
			memcpy(&c->error, data, len);
		return;
	}
	j = json_loadb(data, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	if (kind == FRAME_RESULT)
		c->result = json_incref(j);
	else if (kind == FRAME_ITEM && j && c->events.item)
		c->events.item(c->ctx, j);
	else if (kind == FRAME_WAITS && j && c->events.waits)
		c->events.waits(c->ctx, json_string_value(json_object_get(j, "run")));
	else if (kind == FRAME_BEGUN && j)
		take_begun(c, j);
	json_decref(j);
}

static void take_frames(struct call *c)
{
	size_t at = 0;

	while (c->frames.len - at >= sizeof(struct frame_head)) {
		struct frame_head head;

		memcpy(&head, c->frames.data + at, sizeof(head));
		if (c->frames.len - at - sizeof(head) < head.len)
			break;
		take_frame(c, head.kind, c->frames.data + at + sizeof(head), head.len);
		at += sizeof(head) + head.len;
	}
	if (at) {
		memmove(c->frames.data, c->frames.data + at, c->frames.len - at);
		c->frames.len -= at;
	}
}

/* One chunk at a time, so that one call does not keep the others waiting. */
static ssize_t read_chunk(struct pipe_end *p, char *room)
{
	ssize_t n = read(p->fd, room, CHUNK);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -1;
	if (n <= 0)
		end_pipe(p);
	return n;
}

static void on_report(void *ctx, uint32_t events)
{
	struct call *c = ctx;
	char room[CHUNK];
	ssize_t n = read_chunk(&c->report, room);

	(void)events;
	if (n > 0) {
		buf_add(&c->frames, room, (size_t)n);
		take_frames(c);
	}
	finish_if_done(c);
}

static void on_output(void *ctx, uint32_t events)
{
	struct pipe_end *p = ctx;
	struct call *c = p->call;
	char room[CHUNK];
	ssize_t n = read_chunk(p, room);

	(void)events;
	if (n > 0)
		c->events.output(c->ctx, p->which, room, (size_t)n);
	finish_if_done(c);
}

static void on_exit_of_child(void *ctx, uint32_t events)
{
	struct call *c = ctx;

	(void)events;
	if (waitpid(c->pid, &c->status, WNOHANG) != c->pid)
		return;
	c->pid = 0;
	end_pipe(&c->exited);
	end_pipe(&c->input);
	finish_if_done(c);
}

static void write_input(struct call *c)
{
	bool drained = false;

	while (c->input.fd >= 0 && c->waiting_at < c->waiting.len) {
		ssize_t n =
			write(c->input.fd, c->waiting.data + c->waiting_at, c->waiting.len - c->waiting_at);

		if (n > 0)
			c->waiting_at += (size_t)n;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR) /* nobody reads any more */
			end_pipe(&c->input);
	}
	if (c->waiting_at == c->waiting.len) {
		drained = c->waiting.len && c->events.drained;
		c->waiting.len = c->waiting_at = 0;
		if (c->close_input)
			end_pipe(&c->input);
	}
	if (c->input.fd >= 0)
		watch_set(c->input.watch, c->waiting.len ? EPOLLOUT : 0);
	if (drained)
		c->events.drained(c->ctx);
}

size_t call_waiting(const struct call *c)
{
	return c->waiting.len - c->waiting_at;
}

static void on_input(void *ctx, uint32_t events)
{
	(void)events;
	write_input(ctx);
}

int call_input(struct call *c, const char *data, size_t len, struct aisbx_error *e)
{
	if (c->input.fd < 0 || c->close_input)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, EPIPE,
				    "the call takes no input, or its input is closed");
	if (c->waiting.len - c->waiting_at + len > MAX_WAITING)
		return aisbx_refuse(
			e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, ENOBUFS,
			"%u bytes of input are already queued; send more when the command has read some",
			MAX_WAITING);
	if (c->waiting_at) {
		memmove(c->waiting.data, c->waiting.data + c->waiting_at, c->waiting.len - c->waiting_at);
		c->waiting.len -= c->waiting_at;
		c->waiting_at = 0;
	}
	buf_add(&c->waiting, data, len);
	if (c->waiting.failed)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "queue the input");
	write_input(c);
	return 0;
}

void call_close_input(struct call *c)
{
	c->close_input = true;
	write_input(c);
}

static void on_patience_end(void *ctx)
{
	struct call *c = ctx;

	call_cancel(c);
}

void call_cancel(struct call *c)
{
	if (!c->pid)
		return;
	kill(c->pid, c->cancelled < 2 ? SIGTERM : SIGKILL);
	timer_set(c->timer, c->cancelled ? LAST_MS : PATIENCE_MS);
	c->cancelled++;
	call_hold(c, false); /* what nobody reads must not keep it from ending */
}

void call_hold(struct call *c, bool hold)
{
	if (c->cancelled)
		hold = false;
	for (int i = 0; i < 2; i++)
		if (c->output[i].fd >= 0)
			watch_set(c->output[i].watch, hold ? 0 : EPOLLIN);
	if (c->report.fd >= 0) /* items and the result are many and large, too */
		watch_set(c->report.watch, hold ? 0 : EPOLLIN);
	c->held = hold;
}

/* Takes FD. */
static int watch_pipe(struct call *c, struct pipe_end *p, int fd, struct aisbx_error *e)
{
	p->fd = fd;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return watch_add(c->loop, fd, p == &c->input ? 0 : EPOLLIN,
			 p == &c->report  ? on_report
			 : p == &c->input ? on_input
					  : on_output,
			 p == &c->report || p == &c->input ? (void *)c : p, &p->watch, e);
}

/* Ours is the end that does not block; the child's is in *RET_THEIRS. */
static int open_pipe(struct call *c, struct pipe_end *p, bool ours_reads, int *ret_theirs,
		     struct aisbx_error *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "make a pipe for the call");
	*ret_theirs = fds[ours_reads];
	return watch_pipe(c, p, fds[!ours_reads], e);
}

/* DATA: NULL, or instead of both. */
static int open_pipes(struct call *c, bool streams, bool input, const int *data, int theirs[CHILD_FDS],
		      struct aisbx_error *e)
{
	int r = open_pipe(c, &c->report, true, &theirs[REPORT_FD], e);

	for (int i = 0; r == 0 && streams && i < 2; i++)
		r = open_pipe(c, &c->output[i], true, &theirs[OUT_FD + i], e);
	if (r == 0 && input)
		r = open_pipe(c, &c->input, false, &theirs[INPUT_FD], e);
	if (r == 0 && (theirs[0] = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0)
		r = aisbx_fail(e, AISBX_AREA_SYS, errno, "open '/dev/null'");
	for (int i = OUT_FD; r == 0 && data && i <= INPUT_FD; i += INPUT_FD - OUT_FD)
		if ((theirs[i] = fcntl(*data, F_DUPFD_CLOEXEC, 0)) < 0)
			r = aisbx_fail(e, AISBX_AREA_SYS, errno, "pass on a data connection");
	theirs[1] = theirs[0];
	theirs[2] = STDERR_FILENO;
	return r;
}

static int watch_child(struct call *c, struct aisbx_error *e)
{
	return watch_add(c->loop, c->exited.fd, EPOLLIN, on_exit_of_child, c, &c->exited.watch, e);
}

static int fork_child(struct call *c, const struct op *op, const json_t *args, const struct call_how *how,
		      int theirs[CHILD_FDS], struct aisbx_error *e)
{
	pid_t self = getpid();

	c->pid = fork();
	if (c->pid == 0)
		child_run(op, args, how, theirs, c->events.output, self);
	if (c->pid < 0) {
		c->pid = 0;
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "start a process for the call");
	}
	c->exited.fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->exited.fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "watch the process of the call");
	return watch_child(c, e);
}

static int start_child(struct call *c, const struct op *op, const json_t *args, const struct call_how *how,
		       struct aisbx_error *e)
{
	int theirs[CHILD_FDS] = { -1, -1, -1, -1, -1, -1, -1 };
	int r = open_pipes(c, c->events.output, how->input, how->data_fd, theirs, e);

	if (r == 0)
		r = fork_child(c, op, args, how, theirs, e);
	close_fd(&theirs[0]);
	for (int i = REPORT_FD; i < CHILD_FDS; i++)
		close_fd(&theirs[i]);
	return r;
}

/* A child that was there before the call. */
static int adopt_child(struct call *c, struct ahead_taken *child, struct aisbx_error *e)
{
	int r;

	c->pid = child->pid;
	c->exited.fd = child->exited;
	r = watch_pipe(c, &c->report, child->report, e);
	for (int i = 0; i < 2; i++)
		if (r == 0 && c->events.output)
			r = watch_pipe(c, &c->output[i], take_fd(&child->output[i]), e);
		else
			close_fd(&child->output[i]);
	return r < 0 ? r : watch_child(c, e);
}

int call_start(struct loop *l, const struct op *op, const json_t *args, const struct call_how *how,
	       const struct call_events *events, void *ctx, struct call **ret_call, struct aisbx_error *e)
{
	struct call *c = calloc(1, sizeof(*c));
	struct ahead_taken child;
	int r;

	if (!c)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "start a call");
	*c = (struct call){ .loop = l, .events = *events, .ctx = ctx, .error = AISBX_ERROR_INIT };
	c->report.fd = c->output[0].fd = c->output[1].fd = c->input.fd = c->exited.fd = -1;
	c->output[1].which = 1;
	c->output[0].call = c->output[1].call = c;
	r = timer_add(l, on_patience_end, c, &c->timer, e);
	if (r == 0)
		r = ahead_take(op, args, how, events->output, &child) ? adopt_child(c, &child, e)
								      : start_child(c, op, args, how, e);
	if (r < 0) {
		if (c->pid) {
			kill(c->pid, SIGKILL);
			waitpid(c->pid, NULL, 0);
		}
		call_destroy(c);
		return r;
	}
	ahead_begin(l, op, args, how);
	*ret_call = c;
	return 0;
}

json_t *call_error_json(const struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };

	buf_add_utf8(&text, e->text, strlen(e->text));
	return json_pack("{s:s, s:s, s:s?, s:i, s:s}", "kind", aisbx_kind_name(e->kind), "area",
			 aisbx_area_name(e->area), "code", strerrorname_np(-e->code), "errno", -e->code,
			 "text", buf_str(&text) ? text.data : "");
}
