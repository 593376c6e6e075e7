/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes framing and state machine of RPC: bytes of a client, and between them bytes that JSON has not and
 * that let calls tell something. Whatever comes, each call has one answer, output is complete, and what is
 * told is JSON on one line.
 */
#include <sched.h>
#include <stdint.h>

#include "base/asan.h"
#include "base/base64.h"
#include "server/core/json.h"
#include "server/core/lines.h"
#include "server/core/queued.h"
#include "server/rpc/rpc.h"
#include "support/stub_call.h"

#if WITH_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, len)   ((void)(at), (void)(len))
#define ASAN_UNPOISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static struct {
	struct rpc *rpc;
	struct loop *loop;
	struct calls *calls;
	size_t answers, idle;
	size_t given, told; /* of output */
	bool held;
} now;

/* One processor, so that the third call waits for its turn. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	memset(set, 0, size);
	CPU_SET(0, set);
	return 0;
}

/* ---- memory of jansson ---- */

/*
 * Nearly all of the time went into allocating and freeing. So what one input takes is cut from one piece and
 * never given out twice; to touch what was freed, or what lies between, is seen as ever, and that all is
 * freed is counted.
 */
static struct {
	_Alignas(16) char room[8 << 20];
	size_t used, live;
} arena;

static void *arena_take(size_t len)
{
	size_t *head = (size_t *)(arena.room + arena.used);

	must(len < sizeof(arena.room) - arena.used - 64);
	arena.used += (len + 16 + 31) & ~(size_t)15; /* with some between that is nobody's */
	arena.live++;
	ASAN_UNPOISON_MEMORY_REGION(head, sizeof(*head));
	ASAN_UNPOISON_MEMORY_REGION(head + 2, len);
	*head = len;
	return head + 2;
}

static void arena_give(void *at)
{
	size_t *head = (size_t *)at - 2;

	if (!at)
		return;
	must((char *)at > arena.room && (char *)at < arena.room + arena.used);
	arena.live--;
	ASAN_POISON_MEMORY_REGION(at, *head);
}

static void arena_reset(void)
{
	must(arena.live == 0);
	ASAN_POISON_MEMORY_REGION(arena.room, arena.used);
	arena.used = 0;
}

/* Bytes of output that a notification carries. */
static size_t carried(const json_t *params)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf data = { 0 };
	size_t len;

	must(server_json_get_bytes(params, &data, &e) == 0);
	len = data.len;
	buf_finish(&data);
	return len;
}

static void on_send(void *ctx, const char *text, size_t len)
{
	json_t *message = json_loadb(text, len, JSON_ALLOW_NUL, NULL);
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *id = json_object_get(message, "id");

	(void)ctx;
	must(json_is_object(message) && !memchr(text, '\n', len));
	must(!strcmp(json_string_value(json_object_get(message, "jsonrpc")), "2.0"));
	must(method ? !id : !json_object_get(message, "result") != !json_object_get(message, "error"));
	if (!method && !json_is_null(id)) {
		must(json_is_integer(id) || json_is_string(id));
		now.answers++;
	}
	if (method && !strcmp(method, "output"))
		now.told += carried(json_object_get(message, "params"));
	json_decref(message);
}

static void on_idle(void *ctx)
{
	(void)ctx;
	must(!stub.first);
	now.idle++;
}

/* ---- what calls do ---- */

static void output(struct call *c, const char *data, size_t len)
{
	if (!c->events.output)
		return;
	if (!c->cancelled || !now.held) /* who has cancelled and does not read does not want it */
		now.given += len;
	c->events.output(c->ctx, (int)(len & 1), data, len);
	must(now.told <= now.given && now.given - now.told <= stub.n * 6);
}

static void end(struct call *c, bool well)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const size_t before = now.answers;

	aisbx_refuse(&e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT, "no box '\xff'");
	stub_done(c, well ? json_pack("{s:s}", "status", "ok") : NULL, well ? NULL : &e);
	must(now.answers == before + 1 && calls_count(now.calls) >= stub.n);
}

/* A byte that no JSON has; false: it has no meaning here either. */
static bool act(uint8_t what)
{
	static const char text[] = "\xf0\x9f\x98\x80 \xc3\xa4", broken[] = "a\xff\xc3";
	struct call *c = stub.first;
	json_t *item;

	if (what == 6)
		rpc_hold(now.rpc, now.held = !now.held);
	else if (what == 7)
		stub.refuse_start = EAGAIN;
	else if (what == 8)
		stub.refuse_input = stub.refuse_input ? 0 : ENOBUFS;
	else if (what == 11)
		rpc_end(now.rpc);
	else if (what == 15)
		calls_tick(now.calls);
	else if (what < 1 || what > 14)
		return false;
	else if (!c)
		return true;
	else if (what == 1)
		output(c, text, 1 + stub.n % (sizeof(text) - 2));
	else if (what == 2)
		output(c, text + 1, sizeof(text) - 2);
	else if (what == 3)
		output(c, broken, sizeof(broken) - 1);
	else if (what == 4)
		c->events.begun(c->ctx, "r-0123456789abcdef", "0123456789abcdef0123456789abcdef");
	else if (what == 5) {
		item = json_pack("{s:i}", "n", 1);
		c->events.item(c->ctx, item);
		json_decref(item);
	} else if (what == 12)
		end(stub.last, true);
	else
		end(c, what == 13);
	return true;
}

static bool acts(uint8_t byte)
{
	return byte && byte < 16 && byte != '\n' && byte != '\t' && byte != '\r';
}

/* ---- what a client does ---- */

static void take_line(void *ctx, const char *text, size_t len)
{
	const size_t answers = now.answers, calls = calls_count(now.calls);

	(void)ctx;
	must(len && !memchr(text, '\n', len));
	rpc_receive(now.rpc, text, len);
	must(calls_count(now.calls) <= calls + 1 && now.answers - answers <= 1);
}

static void converse(const uint8_t *data, size_t len)
{
	struct cutter cutter = { 0 };
	size_t from = 0;

	for (size_t at = 0; at <= len; at++) {
		if (at < len && !acts(data[at]))
			continue;
		must(cutter_feed(&cutter, (const char *)data + from, at - from, take_line, NULL) == 0);
		if (at < len)
			act(data[at]);
		from = at + 1;
	}
	cutter_end(&cutter, take_line, NULL);
	cutter_finish(&cutter);
}

/* Lines are the same, however they come. */
static void add_line(void *ctx, const char *text, size_t len)
{
	buf_add(ctx, text, len);
	buf_add(ctx, "\n", 1);
}

static void cut(const char *data, size_t len, size_t piece, struct buf *ret)
{
	struct cutter cutter = { 0 };

	for (size_t at = 0; at < len; at += piece)
		must(cutter_feed(&cutter, data + at, len - at < piece ? len - at : piece, add_line, ret) ==
		     0);
	cutter_end(&cutter, add_line, ret);
	cutter_finish(&cutter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rpc_how how = { .cwd = "/", .send = on_send, .idle = on_idle };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf whole = { 0 }, parts = { 0 };

	json_set_alloc_funcs(arena_take, arena_give);
	now.idle = now.given = now.told = 0;
	now.held = false;
	stub.refuse_start = stub.refuse_input = 0;
	must(now.loop || loop_new(&now.loop, &e) == 0);
	must(calls_new(now.loop, 3, true, &now.calls, &e) == 0);
	how.calls = now.calls;
	must(rpc_new(&how, &now.rpc, &e) == 0);
	converse(data, len);
	rpc_end(now.rpc);
	for (struct call *c = stub.first; c; c = c->next)
		must(c->cancelled);
	calls_tick(now.calls); /* those that waited are told */
	while (stub.first)
		end(stub.first, false);
	must(now.idle == 1 && calls_count(now.calls) == 0 && now.told == now.given);
	rpc_destroy(now.rpc);
	calls_destroy(now.calls);
	arena_reset();
	cut((const char *)data, len, len + 1, &whole);
	cut((const char *)data, len, 1 + len % 7, &parts);
	must(whole.len == parts.len && (!whole.len || !memcmp(whole.data, parts.data, whole.len)));
	buf_finish(&whole);
	buf_finish(&parts);
	return 0;
}
