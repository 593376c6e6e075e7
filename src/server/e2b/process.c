/* SPDX-License-Identifier: Apache-2.0 */
/* Processes: begun, read, ended. Requests that act on one are in process_input.c. */
#include "server/e2b/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/box.h"

#define KEEPALIVE_S 20

static json_t *event(const char *kind, json_t *value)
{
	return json_pack("{s:{s:o}}", "event", kind, value);
}

static json_t *data_event(unsigned int which, const char *data, size_t len)
{
	struct buf coded = { 0 };
	json_t *j;

	base64_add(&coded, data, len);
	j = event("data", json_pack("{s:s}",
				    which == 2 ? "pty"
				    : which    ? "stderr"
					       : "stdout",
				    buf_str(&coded) ? coded.data : ""));
	buf_finish(&coded);
	return j;
}

/* ---- readers ---- */

static void drop_reader(struct process *p, const struct request *r)
{
	for (struct reader **at = &p->readers; *at; at = &(*at)->next)
		if ((*at)->request == r) {
			struct reader *gone = *at;

			*at = gone->next;
			free(gone);
			return;
		}
}

static void reader_gone(struct request *r)
{
	for (struct sandbox *s = r->e2b->sandboxes; s; s = s->next)
		for (struct process *p = s->processes; p; p = p->next)
			drop_reader(p, r);
}

static bool is_full(const struct process *p)
{
	for (const struct reader *at = p->readers; at; at = at->next)
		if (at->request->x && p->sandbox->e2b->how.wire->waiting(at->request->x) > READER_FULL)
			return true;
	return false;
}

static void hold(struct process *p, bool on)
{
	struct e2b *e = p->sandbox->e2b;

	if (p->held == on)
		return;
	p->held = on;
	e->n_held += on ? 1u : -1u;
	if (p->call)
		call_hold(p->call, on);
	if (on)
		timer_set(e->timer, 20);
}

static void tell(struct process *p, json_t *message)
{
	for (struct reader *at = p->readers; at; at = at->next) {
		at->silent_s = 0;
		answer_message(at->request, json_incref(message));
	}
	json_decref(message);
}

void process_read(struct process *p, struct request *r)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	size_t at = 0;

	if (!reader) {
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
		return;
	}
	answer_message(r, event("start", json_pack("{s:I}", "pid", (json_int_t)p->pid)));
	for (size_t i = 0; i + sizeof(struct chunk) <= p->chunks.len; i += sizeof(struct chunk)) {
		struct chunk c;

		memcpy(&c, p->chunks.data + i, sizeof(c));
		answer_message(r, data_event(c.which, p->output.data + at, c.len));
		at += c.len;
	}
	if (p->end) {
		p->seen = true;
		answer_message(r, json_incref(p->end));
		answer_end(r, NULL);
		free(reader);
		return;
	}
	*reader = (struct reader){ .next = p->readers, .request = r };
	p->readers = reader;
	r->gone = reader_gone;
}

/* ---- what it does ---- */

/* The oldest goes when there is too much. */
static void keep(struct process *p, unsigned int which, const char *data, size_t len)
{
	struct chunk c = { (unsigned char)which, (unsigned int)len };
	size_t chunks = 0, bytes = 0;

	while (p->output.len - bytes + len > KEPT_OUTPUT && chunks < p->chunks.len) {
		struct chunk old;

		memcpy(&old, p->chunks.data + chunks, sizeof(old));
		bytes += old.len;
		chunks += sizeof(old);
	}
	if (bytes) {
		memmove(p->output.data, p->output.data + bytes, p->output.len - bytes);
		p->output.len -= bytes;
		memmove(p->chunks.data, p->chunks.data + chunks, p->chunks.len - chunks);
		p->chunks.len -= chunks;
	}
	buf_add(&p->output, data, len);
	buf_add(&p->chunks, &c, sizeof(c));
}

static void on_output(void *ctx, int which, const char *data, size_t len)
{
	struct process *p = ctx;
	const unsigned int kind = p->pty ? 2 : (unsigned int)which;

	keep(p, kind, data, len);
	tell(p, data_event(kind, data, len));
	if (is_full(p))
		hold(p, true);
}

static void send_signal(struct process *p, int signal)
{
	char name[8];

	snprintf(name, sizeof(name), "%d", signal);
	e2b_aside(p->sandbox, op_by_method("run.kill"),
		  json_pack("{s:[s], s:s}", "runs", p->run, "signal", name));
}

static void on_begun(void *ctx, const char *run, const char *trace_id)
{
	struct process *p = ctx;

	(void)trace_id;
	snprintf(p->run, sizeof(p->run), "%s", run ? run : "");
	if (p->signal)
		send_signal(p, p->signal);
	p->signal = 0;
}

/* As E2B's own: what a signal or a limit ended has no exit code of its own. */
static json_t *end_event(const struct process *p, const json_t *result, const struct aisbx_error *e)
{
	const json_t *code = json_object_get(result, "exit_code"),
		     *signal = json_object_get(result, "signal");
	const char *why = json_string_value(json_object_get(result, "error"));
	json_t *end;

	if (json_is_integer(code))
		end = json_pack("{s:I, s:b, s:o}", "exitCode", json_integer_value(code), "exited", 1,
				"status", json_sprintf("exit status %d", (int)json_integer_value(code)));
	else if (!e && !p->killed && !json_is_integer(signal) &&
		 json_integer_value(json_object_get(result, "exit_status")) != 124)
		end = json_pack("{s:I, s:b, s:s}", "exitCode",
				json_integer_value(json_object_get(result, "exit_status")), "exited", 1,
				"status", "not started");
	else
		end = json_pack("{s:i, s:b, s:o}", "exitCode", -1, "exited", 0, "status",
				json_is_integer(signal)
					? json_sprintf("signal: %s",
						       strsignal((int)json_integer_value(signal)))
					: json_string("signal: killed"));
	if (e && !p->killed)
		json_object_set_new(end, "error", json_string(e->text));
	else if (why)
		json_object_set_new(end, "error", json_string(why));
	return event("end", end);
}

/* Its directory is not there, or the like: no end, for it had no beginning. */
static void never_began(const json_t *result, struct aisbx_error *ret)
{
	const char *why = json_string_value(json_object_get(result, "error"));

	if (why && !json_is_integer(json_object_get(result, "exit_code")) &&
	    !json_is_integer(json_object_get(result, "signal")))
		aisbx_refuse(ret, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL, "%s", why);
}

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct process *p = ctx;
	struct sandbox *s = p->sandbox;
	struct e2b *e2b = s->e2b;
	struct aisbx_error refused = AISBX_ERROR_INIT;

	never_began(result, &refused);
	hold(p, false);
	p->call = NULL;
	p->ended_ms = box_now_ms();
	p->end = end_event(p, result, e);
	e2b->n_jobs--;
	if (!refused.code)
		tell(p, json_incref(p->end));
	p->seen = p->readers;
	while (p->readers) {
		struct reader *reader = p->readers;

		p->readers = reader->next;
		reader->request->gone = NULL;
		answer_end(reader->request, refused.code ? &refused : NULL);
		free(reader);
	}
	if (s->ending || s->paused)
		processes_tend(s, true);
	sandbox_settle(s);
	e2b_after_job(e2b);
}

/* ---- beginning ---- */

static void add_env(json_t *list, const json_t *env)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)env, key, value) if (json_is_string(value) && *key && !strchr(key, '='))
		json_array_append_new(list, json_sprintf("%s=%s", key, json_string_value(value)));
}

/* E2B's name of the home leads there, for who has not another: homes of a box are its own, and new in each.
 */
static const char in_home[] =
	"[ -e " E2B_HOME " ] || ln -sn -- \"$1\" " E2B_HOME " 2>/dev/null; "
	"if [ " E2B_HOME " -ef \"$1\" ]; then [ \"$HOME\" != \"$1\" ] || HOME=" E2B_HOME "; "
	"case \"$PWD/\" in \"$1\"/*) cd \"" E2B_HOME
	"${PWD#\"$1\"}\"; export PWD;; esac; fi; shift; exec \"$@\"";

static void add_word(struct buf *b, const char *word)
{
	buf_addf(b, " '");
	for (; *word; word++)
		if (*word == '\'')
			buf_addf(b, "'\\''");
		else
			buf_add(b, word, 1);
	buf_addf(b, "'");
}

static int size_of(const json_t *size, const char *name, int otherwise)
{
	const json_int_t n = json_integer_value(json_object_get(size, name));

	return n > 0 && n < 10000 ? (int)n : otherwise;
}

/* A terminal of that size runs the command; its name is where the next command finds it. */
static void add_terminal(json_t *command, const struct process *p, const json_t *size)
{
	static const char *const words[] = { "env", "--default-signal=INT,QUIT", "SHELL=/bin/sh", "script",
					     "-qefc" };
	const json_t *args = json_object_get(p->config, "args"), *arg;
	scoped(buf_finish) struct buf b = { 0 };
	size_t i;

	buf_addf(&b, "stty rows %d cols %d; tty > /tmp/.aisbx-pty-%u; exec", size_of(size, "rows", 24),
		 size_of(size, "cols", 80), p->pid);
	add_word(&b, json_string_value(json_object_get(p->config, "cmd")));
	json_array_foreach(args, i, arg) add_word(&b, json_string_value(arg));
	/* A server that was started in the background ignores what a key of a terminal sends. */
	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		json_array_append_new(command, json_string(words[k]));
	json_array_append_new(command, json_string(buf_str(&b) ? b.data : ""));
	json_array_append_new(command, json_string("/dev/null"));
}

static json_t *run_args(const struct process *p, const json_t *params, uint64_t timeout_ms)
{
	const struct sandbox *s = p->sandbox;
	const json_t *config = p->config;
	const char *cmd = json_string_value(json_object_get(config, "cmd")),
		   *cwd = json_string_value(json_object_get(config, "cwd"));
	const json_t *given = json_object_get(config, "args");
	scoped(drop_mem) char *dir = sandbox_path(s->e2b, cwd ? cwd : "");
	json_t *command = json_pack("[s, s, s, s, s]", "sh", "-c", in_home, "sh", s->e2b->how.home),
	       *env = json_array(), *arg;
	size_t i;

	if (p->pty) {
		add_terminal(command, p, json_object_get(json_object_get(params, "pty"), "size"));
	} else {
		json_array_append_new(command, json_string(cmd));
		json_array_foreach(given, i, arg) json_array_append(command, arg);
	}
	json_array_append_new(env, json_sprintf("HOME=%s", s->e2b->how.home));
	add_env(env, s->env);
	add_env(env, json_object_get(config, "envs"));
	return json_pack("{s:s, s:o, s:o, s:s?, s:f}", "box", s->id, "command", command, "env", env, "cwd",
			 dir, "timeout", (double)timeout_ms / 1000);
}

static bool check_config(struct request *r, const json_t *config)
{
	const json_t *args = json_object_get(config, "args"), *arg;
	size_t i;

	if (!json_is_string(json_object_get(config, "cmd"))) {
		answer_refusal(r, AISBX_KIND_USAGE, "'process.cmd' must be a text");
		return false;
	}
	json_array_foreach(args, i, arg) if (!json_is_string(arg))
	{
		answer_refusal(r, AISBX_KIND_USAGE, "'process.args' must be texts");
		return false;
	}
	return true;
}

/* The client's deadline is that of the process, as with E2B; none: it has none. */
static uint64_t timeout_of(const struct request *r)
{
	const char *text = r->e2b->how.wire->header(r->x, "Connect-Timeout-Ms");
	uint64_t ms = 0;

	return text && str_to_u64(text, &ms) ? ms : 0;
}

static struct process *new_process(struct request *r, struct sandbox *s, const json_t *config)
{
	const char *tag = json_string_value(json_object_get(r->params, "tag"));
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct process){ .sandbox = s,
			       .pid = ++s->last_pid,
			       .config = json_deep_copy(config),
			       .tag = tag ? strdup(tag) : NULL,
			       .pty = json_is_object(json_object_get(r->params, "pty")),
			       .next = s->processes };
	p->input = p->pty || json_is_true(json_object_get(r->params, "stdin"));
	if (p->next)
		p->next->prev = p;
	s->processes = p;
	s->n_processes++;
	return p;
}

static void destroy(struct process *p)
{
	struct sandbox *s = p->sandbox;

	if (p->prev)
		p->prev->next = p->next;
	else
		s->processes = p->next;
	if (p->next)
		p->next->prev = p->prev;
	s->n_processes--;
	while (p->readers) {
		struct reader *next = p->readers->next;

		free(p->readers);
		p->readers = next;
	}
	buf_finish(&p->output);
	buf_finish(&p->chunks);
	json_decref(p->config);
	json_decref(p->end);
	free(p->tag);
	free(p);
}

/* The oldest that has ended makes room. */
static bool make_room(struct sandbox *s)
{
	struct process *oldest = NULL;

	if (s->n_processes < MAX_PROCESSES)
		return true;
	for (struct process *p = s->processes; p; p = p->next)
		if (!p->call)
			oldest = p;
	if (oldest)
		destroy(oldest);
	return oldest;
}

void process_start(struct request *r)
{
	static const struct call_events events = { .output = on_output, .begun = on_begun, .done = on_done };
	const json_t *config = json_object_get(r->params, "process");
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct sandbox *s = e2b_box(r);
	char owner[TOKEN_MAX + 8];
	struct call_how how;
	struct process *p;
	json_t *args;

	if (!s || !check_config(r, config))
		return;
	if (!make_room(s)) {
		answer_refusal(r, AISBX_KIND_LIMIT, "%u processes run in the sandbox; end some first",
			       s->n_processes);
		return;
	}
	p = new_process(r, s, config);
	args = p ? run_args(p, r->params, timeout_of(r)) : NULL;
	how = e2b_how_call(s, s->token, owner);
	how.input = p && p->input;
	how.keep_output = true;
	if (!p || !args)
		aisbx_fail(&e, AISBX_AREA_SYS, ENOMEM, "start a process");
	else
		call_start(s->e2b->loop, op_by_method("run.exec"), args, &how, &events, p, &p->call, &e);
	json_decref(args);
	if (e.code) {
		if (p)
			destroy(p);
		answer_error(r, &e);
		return;
	}
	s->e2b->n_jobs++;
	process_read(p, r);
}

/* ---- all of a sandbox ---- */

void processes_end(struct sandbox *s)
{
	for (struct process *p = s->processes; p; p = p->next) {
		p->killed = true;
		if (p->call)
			call_cancel(p->call);
	}
	processes_tend(s, true);
}

void processes_tend(struct sandbox *s, bool second)
{
	const int64_t now = box_now_ms();

	for (struct process *p = s->processes, *next; p; p = next) {
		next = p->next;
		if (p->held && !is_full(p))
			hold(p, false);
		if (!second)
			continue;
		for (struct reader *at = p->readers; at; at = at->next)
			if (++at->silent_s >= KEEPALIVE_S) {
				answer_message(at->request, event("keepalive", json_object()));
				at->silent_s = 0;
			}
		if (!p->call && (s->ending || now - p->ended_ms > ENDED_MS))
			destroy(p);
	}
}

void processes_free(struct sandbox *s)
{
	while (s->processes)
		destroy(s->processes);
}
