/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that act on a process that runs: listed, found again, given input, sent a signal. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "server/core/json.h"
#include "server/e2b/frame.h"
#include "server/e2b/process.h"

struct process *process_named(struct request *r, const json_t *selector)
{
	const json_int_t pid = json_integer_value(json_object_get(selector, "pid"));
	const char *tag = json_string_value(json_object_get(selector, "tag"));
	struct sandbox *s = e2b_box(r);

	if (!s)
		return NULL;
	for (struct process *p = s->processes; p; p = p->next)
		if (tag ? p->tag && !strcmp(p->tag, tag) : pid > 0 && (json_int_t)p->pid == pid)
			return p;
	if (tag)
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "process with tag %.60s not found", tag);
	else
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "process with pid %lld not found", (long long)pid);
	return NULL;
}

void process_list(struct request *r)
{
	struct sandbox *s = e2b_box(r);
	json_t *list;

	if (!s)
		return;
	list = json_array();
	for (const struct process *p = s->processes; p; p = p->next)
		if (p->call)
			json_array_append_new(list, json_pack("{s:O, s:I, s:s*}", "config", p->config, "pid",
							      (json_int_t)p->pid, "tag", p->tag));
	answer_json(r, 200, json_pack("{s:o}", "processes", list));
}

void process_attach(struct request *r)
{
	struct process *p = process_named(r, json_object_get(r->params, "process"));

	/* One that ended while nobody listened is told once. */
	if (p && !p->call && p->seen)
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "process with pid %u has ended", p->pid);
	else if (p)
		process_read(p, r);
}

static struct process *live(struct request *r, const json_t *selector)
{
	struct process *p = process_named(r, selector);

	if (p && !p->call) {
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "process with pid %u has ended", p->pid);
		return NULL;
	}
	return p;
}

bool process_give(struct request *r, struct process *p, const json_t *input)
{
	const char *coded = json_string_value(json_object_get(input, p->pty ? "pty" : "stdin"));
	scoped(buf_finish) struct buf data = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (!p->input) {
		answer_refusal(r, AISBX_KIND_CONFLICT,
			       "the process was started without input; start it with stdin");
		return false;
	}
	if (!coded || !base64_read(&data, coded, strlen(coded))) {
		answer_refusal(r, AISBX_KIND_USAGE, "'input.%s' must be base64", p->pty ? "pty" : "stdin");
		return false;
	}
	if (!data.len || call_input(p->call, data.data, data.len, &e) == 0)
		return true;
	answer_error(r, &e);
	return false;
}

void process_input(struct request *r)
{
	struct process *p = live(r, json_object_get(r->params, "process"));

	if (p && process_give(r, p, json_object_get(r->params, "input")))
		answer_json(r, 200, json_object());
}

/* One envelope of the stream: which process, or what it is given. */
static bool take_envelope(struct request *r, const json_t *message, json_t **selector)
{
	const json_t *start = json_object_get(message, "start"), *data = json_object_get(message, "data");
	struct process *p;

	if (start) {
		json_decref(*selector);
		*selector = json_incref(json_object_get(start, "process"));
		return live(r, *selector);
	}
	if (!data)
		return true;
	p = live(r, *selector);
	return p && process_give(r, p, json_object_get(data, "input"));
}

/* The stream is taken when it has come to its end. */
void process_stream_input(struct request *r)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *body, *text;
	size_t len, n, at = 0;
	unsigned int flags;
	json_t *selector = NULL;
	bool ok = true;
	int more;

	body = r->e2b->how.wire->body(r->x, &len);
	r->stream = true;
	while (ok && (more = frame_next(body, len, &at, &flags, &text, &n)) == 1) {
		json_t *message = flags & FRAME_LAST ? json_object() : server_json_read(text, n, &e);

		ok = message && take_envelope(r, message, &selector);
		if (!message)
			answer_error(r, &e);
		json_decref(message);
	}
	json_decref(selector);
	if (ok && more < 0) {
		answer_refusal(r, AISBX_KIND_USAGE, "the stream ends within an envelope");
	} else if (ok) {
		answer_message(r, json_object());
		answer_end(r, NULL);
	}
}

void process_close_stdin(struct request *r)
{
	struct process *p = live(r, json_object_get(r->params, "process"));

	if (!p)
		return;
	if (!p->input) {
		answer_refusal(r, AISBX_KIND_CONFLICT, "the process was started without input");
		return;
	}
	call_close_input(p->call);
	answer_json(r, 200, json_object());
}

static int signal_of(const json_t *name)
{
	const char *text = json_string_value(name);

	if (json_is_integer(name))
		return (int)json_integer_value(name);
	return !text                             ? 0
	       : !strcmp(text, "SIGNAL_SIGTERM") ? SIGTERM
	       : !strcmp(text, "SIGNAL_SIGKILL") ? SIGKILL
						 : 0;
}

static void on_signalled(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	(void)result;
	if (e)
		answer_error(r, e);
	else
		answer_json(r, 200, json_object());
}

void process_signal(struct request *r)
{
	const int which = signal_of(json_object_get(r->params, "signal"));
	struct process *p = live(r, json_object_get(r->params, "process"));

	if (!p)
		return;
	if (which != SIGTERM && which != SIGKILL) {
		answer_refusal(r, AISBX_KIND_USAGE, "'signal' must be SIGNAL_SIGTERM or SIGNAL_SIGKILL");
		return;
	}
	if (which == SIGKILL) { /* with everything that it started */
		p->killed = true;
		call_cancel(p->call);
	} else if (p->run[0]) {
		e2b_call(r, op_by_method("run.kill"),
			 json_pack("{s:[s], s:s}", "runs", p->run, "signal", "TERM"), false, on_signalled);
		return;
	} else {
		p->signal = which;
	}
	answer_json(r, 200, json_object());
}

static void on_resized(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	if (!e && json_integer_value(json_object_get(result, "exit_status")))
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "the terminal is not there yet, or not any more");
	else
		on_signalled(r, result, e);
}

void process_update(struct request *r)
{
	const json_t *size = json_object_get(json_object_get(r->params, "pty"), "size");
	const json_int_t rows = json_integer_value(json_object_get(size, "rows")),
			 cols = json_integer_value(json_object_get(size, "cols"));
	struct process *p = live(r, json_object_get(r->params, "process"));

	if (!p)
		return;
	if (!p->pty || rows < 1 || rows > 9999 || cols < 1 || cols > 9999) {
		answer_refusal(r, AISBX_KIND_USAGE, "the process has no terminal, or the size is none");
		return;
	}
	e2b_call(r, op_by_method("run.exec"),
		 json_pack("{s:s, s:[s,s,s,s,o,o,o], s:i}", "box", r->box, "command", "sh", "-c",
			   "exec stty -F \"$(cat /tmp/.aisbx-pty-$1)\" rows $2 cols $3", "sh",
			   json_sprintf("%u", p->pid), json_sprintf("%d", (int)rows),
			   json_sprintf("%d", (int)cols), "timeout", 30),
		 false, on_resized);
}
