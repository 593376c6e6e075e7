/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the state machine of the Model Context Protocol: messages of a client, one per line, and between
 * them bytes that JSON has not and that let calls tell something, timers run out, clients go away. Whatever
 * comes, a request has at most one answer, its channel is done exactly once, what is told of progress grows,
 * and nothing is left at the end.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#include "base/asan.h"
#include "server/core/json.h"
#include "server/mcp/envelope.h"
#include "support/stub_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* ---- what would not be the same each time ---- */

static uint8_t next_random;

ssize_t getrandom(void *at, size_t len, unsigned int flags)
{
	(void)flags;
	memset(at, next_random++, len);
	return (ssize_t)len;
}

time_t time(time_t *ret)
{
	if (ret)
		*ret = 1800000000;
	return 1800000000;
}

/* One processor, so that the third call waits for its turn. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	memset(set, 0, size);
	CPU_SET(0, set);
	return 0;
}

/* ---- a loop whose time passes when the input says so ---- */

struct timer {
	timer_fn fn;
	void *ctx;
	bool set;
	struct timer *prev, *next;
};

static struct timer *timers;

int timer_add(struct loop *l, timer_fn fn, void *ctx, struct timer **ret_timer, struct aisbx_error *e)
{
	struct timer *t = calloc(1, sizeof(*t));

	(void)l;
	(void)e;
	must(t);
	*t = (struct timer){ .fn = fn, .ctx = ctx, .next = timers };
	if (timers)
		timers->prev = t;
	timers = t;
	*ret_timer = t;
	return 0;
}

void timer_set(struct timer *t, uint64_t after_ms)
{
	t->set = after_ms;
}

void timer_end(struct timer **at)
{
	struct timer *t = *at;

	if (!t)
		return;
	*at = NULL;
	*(t->prev ? &t->prev->next : &timers) = t->next;
	if (t->next)
		t->next->prev = t->prev;
	free(t);
}

static bool pass_time(void)
{
	for (struct timer *t = timers; t; t = t->next)
		if (t->set) {
			t->set = false;
			t->fn(t->ctx);
			return true;
		}
	return false;
}

/* ---- channels ---- */

#define CHANNELS 64

struct wire {
	struct mcp_channel channel;
	bool one; /* a request has it for itself, as over HTTP */
	bool used, done, gone;
	unsigned int answers;
	double progress;
	const json_t *message; /* borrowed, while it is received: for the headers */
};

static struct {
	struct mcp *mcp;
	struct mcp_session *session, *stateless;
	struct wire stdio, wires[CHANNELS];
	bool http, full, no_headers;
} now;

static void on_send(struct mcp_channel *ch, const json_t *message)
{
	struct wire *w = (struct wire *)ch;
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");

	must(json_is_object(message) && !w->gone && !w->done);
	must(!strcmp(json_string_value(json_object_get(message, "jsonrpc")), "2.0"));
	if (method) {
		must(!json_object_get(message, "result") && !json_object_get(message, "error"));
		if (w->one && !strcmp(method, "notifications/progress")) {
			must(json_number_value(json_object_get(params, "progress")) > w->progress);
			w->progress = json_number_value(json_object_get(params, "progress"));
		}
		return;
	}
	must(id && !json_object_get(message, "result") != !json_object_get(message, "error"));
	must(!w->one || ++w->answers == 1);
}

static void on_done(struct mcp_channel *ch)
{
	struct wire *w = (struct wire *)ch;

	must(w->one && !w->done && !w->gone);
	w->done = true;
}

static bool is_full(struct mcp_channel *ch)
{
	(void)ch;
	return now.full;
}

/* What an honest client would say. */
static const char *header(struct mcp_channel *ch, const char *name)
{
	const struct wire *w = (struct wire *)ch;
	const json_t *params = json_object_get(w->message, "params");
	static const char *const names[] = { "name", "uri", "taskId" };

	must(w->message);
	if (now.no_headers)
		return NULL;
	if (!strcmp(name, "MCP-Protocol-Version"))
		return json_string_value(json_object_get(json_object_get(params, "_meta"), MCP_META_VERSION));
	if (!strcmp(name, "Mcp-Method"))
		return json_string_value(json_object_get(w->message, "method"));
	for (size_t i = 0; i < 3 && !strcmp(name, "Mcp-Name"); i++)
		if (json_is_string(json_object_get(params, names[i])))
			return json_string_value(json_object_get(params, names[i]));
	return !strcmp(name, "Mcp-Param-Region") ? "=?base64?SGVsbG8=?=" : NULL;
}

static struct wire *new_wire(void)
{
	for (size_t i = 0; i < CHANNELS; i++)
		if (!now.wires[i].used || now.wires[i].done || now.wires[i].gone) {
			now.wires[i] = (struct wire){ .one = true,
						      .used = true,
						      .progress = -1,
						      .channel = { .send = on_send,
								   .done = on_done,
								   .full = is_full,
								   .header = header } };
			return &now.wires[i];
		}
	return NULL;
}

/* ---- what happens ---- */

static void take_line(const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *message = server_json_read(text, len, &e);
	struct wire *w = &now.stdio;

	if (message && now.http && (w = new_wire())) {
		w->message = message;
		if (mcp_kind(message) == MCP_NOTIFICATION || mcp_kind(message) == MCP_RESPONSE)
			w->used = false;
		mcp_receive(mcp_is_modern(message) ? now.stateless : now.session, &w->channel, message);
		w->message = NULL;
	} else if (message && w) {
		mcp_receive(now.session, &w->channel, message);
	}
	json_decref(message);
}

/* What operations give is looked into for resources and questions. */
static void end(struct call *c, bool well)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(&e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "no box '\xff'");
	stub_done(c,
		  well ? json_pack("{s:s, s:[{s:s, s:s}], s:[], s:[{s:s, s:s}], s:{s:i}, s:s}", "status",
				   "ok", "boxes", "id", "b-1", "name", "x", "runs", "changes", "path", "f",
				   "kind", "create", "summary", "created", 1, "box", "b")
		       : NULL,
		  well ? NULL : &e);
}

static void act_on_call(uint8_t what, struct call *c)
{
	static const char text[] = "\xf0\x9f\x98\x80 \xc3\xa4\n", broken[] = "a\xff\xc3";
	json_t *item;

	if ((what == 1 || what == 2) && c->events.output)
		c->events.output(c->ctx, what & 1, text + (what == 2), sizeof(text) - 3);
	else if (what == 3 && c->events.output)
		c->events.output(c->ctx, 0, broken, sizeof(broken) - 1);
	else if (what == 4)
		c->events.begun(c->ctx, "r-0123456789abcdef", "0123456789abcdef0123456789abcdef");
	else if (what == 5) {
		item = json_pack("{s:s, s:s}", "stream", "stdout", "data", "hello");
		c->events.item(c->ctx, item);
		json_decref(item);
	} else if (what == 12)
		end(stub.last, true);
	else if (what == 11 || what == 8)
		end(c, what == 11);
}

static void hang_up(void)
{
	for (size_t i = 0; i < CHANNELS; i++)
		if (now.wires[i].used && !now.wires[i].done && !now.wires[i].gone) {
			mcp_gone(now.stateless, &now.wires[i].channel);
			mcp_gone(now.session, &now.wires[i].channel);
			now.wires[i].gone = true;
			return;
		}
}

static bool acts(uint8_t byte)
{
	return byte && byte < 31 && byte != '\n' && byte != '\t' && byte != '\r';
}

static void act(uint8_t what)
{
	if (what == 6)
		now.full = !now.full;
	else if (what == 7)
		stub.refuse_start = EAGAIN;
	else if (what == 14)
		now.http = !now.http;
	else if (what == 15)
		now.no_headers = !now.no_headers;
	else if (what == 16)
		pass_time();
	else if (what == 17)
		hang_up();
	else if (stub.first)
		act_on_call(what, stub.first);
}

static void converse(const uint8_t *data, size_t len)
{
	size_t from = 0;

	for (size_t at = 0; at <= len; at++) {
		if (at < len && data[at] != '\n' && !acts(data[at]))
			continue;
		if (at > from)
			take_line((const char *)data + from, at - from);
		if (at < len && acts(data[at]))
			act(data[at]);
		from = at + 1;
	}
}

static void on_stopped(void *ctx)
{
	*(bool *)ctx = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct mcp_how how = { .cwd = "/", .fixtures = true, .page = 7 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	bool stopped = false;

	memset(&now, 0, sizeof(now));
	next_random = 0;
	stub.refuse_start = 0;
	must(mcp_open(NULL, &how, &now.mcp, &e) == 0);
	now.stdio.channel = (struct mcp_channel){ .send = on_send, .full = is_full };
	now.session = mcp_session_new(now.mcp, "somebody", false);
	now.stateless = mcp_session_new(now.mcp, "somebody", true);
	must(now.session && now.stateless);
	mcp_session_set_channel(now.session, &now.stdio.channel);
	converse(data, len);
	mcp_stop(now.mcp, on_stopped, &stopped);
	for (size_t i = 0; i < CHANNELS; i++)
		must(!now.wires[i].used || now.wires[i].done || now.wires[i].gone);
	for (struct call *c = stub.first; c; c = c->next)
		must(c->cancelled);
	while (pass_time()) /* calls that waited are done */
		;
	must(stopped == !stub.first && (!timers->next || stub.first));
	while (stub.first)
		end(stub.first, false);
	must(stopped && !timers->next); /* that of the queue goes last */
	mcp_close(now.mcp);
	must(!timers);
	return 0;
}
