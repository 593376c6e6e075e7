/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine of RPC, with calls that do what the test says. Over a real server:
 * tests/e2e/test_rpc.py. */
#include "support/test.h"

#include "base/scope.h"
#include "server/core/queued.h"
#include "server/rpc/rpc.h"
#include "support/stub_call.h"

static struct {
	struct rpc *rpc;
	json_t *told; /* array */
	struct loop *loop;
	struct calls *calls;
	int idle;
} now;

static void on_send(void *ctx, const char *text, size_t len)
{
	json_t *message = json_loadb(text, len, JSON_ALLOW_NUL, NULL);

	(void)ctx;
	assert_non_null(message);
	json_array_append_new(now.told, message);
}

static void on_idle(void *ctx)
{
	(void)ctx;
	now.idle++;
}

static int begin(void **state)
{
	struct rpc_how how = { .cwd = "/", .send = on_send, .idle = on_idle };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	now.idle = 0;
	now.told = json_array();
	stub.refuse_start = stub.refuse_input = 0;
	assert_int_equal(loop_new(&now.loop, &e), 0);
	assert_int_equal(calls_new(now.loop, RPC_RUNNING, false, &now.calls, &e), 0);
	how.calls = now.calls;
	return rpc_new(&how, &now.rpc, &e);
}

static int finish(void **state)
{
	struct aisbx_error e = {
		.code = -ECANCELED, .area = AISBX_AREA_RUN, .kind = AISBX_KIND_CANCELLED, .text = "cancelled"
	};

	(void)state;
	rpc_end(now.rpc);
	calls_tick(now.calls);
	while (stub.first)
		stub_done(stub.first, NULL, &e);
	assert_int_equal(now.idle, 1);
	assert_int_equal(calls_count(now.calls), 0);
	rpc_destroy(now.rpc);
	calls_destroy(now.calls);
	loop_destroy(now.loop);
	json_decref(now.told);
	return 0;
}

static void say(const char *text)
{
	rpc_receive(now.rpc, text, strlen(text));
}

/* The text at PATH, as in "error.data.kind", of the last message; numbers as text, too. */
static const char *last(const char *path)
{
	static char text[64];
	const json_t *at = json_array_get(now.told, json_array_size(now.told) - 1);
	scoped(drop_mem) char *names = strdup(path);

	for (char *rest = names, *name = strsep(&rest, "."); name; name = strsep(&rest, "."))
		at = json_object_get(at, name);
	if (json_is_integer(at))
		snprintf(text, sizeof(text), "%d", (int)json_integer_value(at));
	return json_is_integer(at)  ? text
	       : json_is_null(at)   ? "null"
	       : json_is_string(at) ? json_string_value(at)
				    : "";
}

static void told(size_t n)
{
	assert_int_equal(json_array_size(now.told), n);
}

#define RUN(id, more) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"run.exec\",\"params\":{\"command\":[\"x\"]" more "}}"

static void one_call(void **state)
{
	(void)state;
	say(RUN("\"a\"", ""));
	told(0);
	assert_int_equal(stub.n, 1);
	assert_null(stub.first->events.output);
	stub_done(stub.first, json_pack("{s:s}", "status", "ok"), NULL);
	told(1);
	assert_string_equal(last("id"), "a");
	assert_string_equal(last("result.status"), "ok");
}

static void characters_are_whole(void **state)
{
	struct call *c;

	(void)state;
	say(RUN("1", ",\"_stream\":true"));
	c = stub.first;
	c->events.output(c->ctx, 0, "\xe2\x82", 2);
	told(0);
	c->events.output(c->ctx, 1, "\xac", 1); /* another stream: belongs to nothing there */
	assert_string_equal(last("params.encoding"), "base64");
	c->events.output(c->ctx, 0, "\xac!", 2);
	told(2);
	assert_string_equal(last("params.data"), "\xe2\x82\xac!");
	c->events.output(c->ctx, 0, "\xf0", 1);
	told(2);
	stub_done(c, json_object(), NULL);
	told(4); /* what was never completed, and the answer */
	assert_string_equal(last("id"), "1");
}

static void an_id_in_use(void **state)
{
	(void)state;
	say(RUN("1", ""));
	say(RUN("1", ""));
	told(1);
	assert_int_equal(stub.n, 1);
	assert_string_equal(last("error.code"), "-32600");
	assert_string_equal(last("id"), "null");
	say(RUN("\"1\"", "")); /* a text is another */
	assert_int_equal(stub.n, 2);
}

static void cancelling(void **state)
{
	(void)state;
	say(RUN("1", ""));
	say("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\",\"params\":{\"id\":2}}");
	assert_false(stub.first->cancelled);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\",\"params\":{\"id\":1}}");
	assert_true(stub.first->cancelled);
	told(0);
	stub_done(stub.first, json_pack("{s:s}", "status", "interrupted"), NULL);
	say("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"rpc.cancel\",\"params\":{\"id\":1}}");
	told(2);
}

static void who_does_not_read(void **state)
{
	struct call *c;

	(void)state;
	say(RUN("1", ",\"_stream\":true"));
	rpc_hold(now.rpc, true);
	say(RUN("2", ",\"_stream\":true"));
	assert_true(stub.first->held && stub.last->held);
	rpc_hold(now.rpc, false);
	assert_false(stub.first->held || stub.last->held);
	rpc_hold(now.rpc, true);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\",\"params\":{\"id\":1}}");
	c = stub.first;
	c->events.output(c->ctx, 0, "much", 4);
	told(0);
}

#define FEED \
	"{\"jsonrpc\":\"2.0\",\"method\":\"rpc.stdin\",\"params\":{\"id\":1,\"data\":\"abc\",\"eof\":true}}"

static void input(void **state)
{
	(void)state;
	say(RUN("1", ",\"_stdin\":true"));
	say(FEED);
	assert_int_equal(stub.first->given, 3);
	assert_true(stub.first->input_closed);
	say(FEED); /* nobody reads it any more: told, but no reason to end */
	told(1);
	assert_string_equal(last("method"), "stdin");
	assert_false(stub.first->cancelled);
	stub.refuse_input = ENOBUFS;
	say(FEED);
	assert_string_equal(last("params.error.kind"), "limit");
	assert_true(stub.first->cancelled);
}

static void no_process(void **state)
{
	(void)state;
	stub.refuse_start = EAGAIN;
	say(RUN("1", ""));
	calls_tick(now.calls);
	told(1);
	assert_string_equal(last("error.data.kind"), "busy");
	say(RUN("1", "")); /* the id is free */
	told(1);
	assert_int_equal(calls_count(now.calls), 1);
}

static void fill(unsigned int from, unsigned int n)
{
	char text[128];

	for (unsigned int i = from; i < from + n; i++) {
		snprintf(text, sizeof(text), RUN("%u", ""), i);
		say(text);
	}
}

static void calls_wait_for_their_turn(void **state)
{
	char id[16];

	(void)state;
	fill(0, RPC_RUNNING + 3);
	told(0);
	assert_int_equal(stub.n, RPC_RUNNING);
	for (unsigned int i = 0; i < 3; i++) { /* each that ends makes room for the next, in their order */
		stub_done(stub.first, json_object(), NULL);
		assert_int_equal(stub.n, RPC_RUNNING);
		snprintf(id, sizeof(id), "%u", i);
		assert_string_equal(last("id"), id);
	}
	stub_done(stub.last, json_object(), NULL);
	snprintf(id, sizeof(id), "%u", RPC_RUNNING + 2);
	assert_string_equal(last("id"), id);
}

/* Its input, its end and its pauses reach it when it begins. */
static void one_that_waits_is_like_any(void **state)
{
	(void)state;
	fill(1, RPC_RUNNING);
	say(RUN("0", ",\"_stdin\":true"));
	say("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.stdin\",\"params\":{\"id\":0,\"data\":\"abc\",\"eof\":"
	    "true}}");
	say("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.hold\",\"params\":{\"id\":0,\"hold\":true}}");
	told(0);
	stub_done(stub.first, json_object(), NULL);
	assert_true(stub.last->input && stub.last->held && stub.last->input_closed);
	assert_int_equal(stub.last->given, 3);
}

static void one_that_waits_is_cancelled_at_once(void **state)
{
	(void)state;
	fill(1, RPC_RUNNING + 2);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\",\"params\":{\"id\":257}}");
	calls_tick(now.calls);
	told(1);
	assert_string_equal(last("id"), "257");
	assert_string_equal(last("error.data.kind"), "cancelled");
	stub_done(stub.first, json_object(), NULL); /* the one after it has its turn */
	stub_done(stub.last, json_object(), NULL);
	assert_string_equal(last("id"), "258");
}

static void who_goes_takes_them_along(void **state)
{
	(void)state;
	fill(1, RPC_RUNNING + 100);
	rpc_end(now.rpc);
	calls_tick(now.calls);
	told(100);
	assert_int_equal(stub.n, RPC_RUNNING); /* cancelled, as before */
	assert_true(stub.first->cancelled && stub.last->cancelled);
}

static void the_bound_is_told(void **state)
{
	(void)state;
	fill(0, RPC_RUNNING + CALLS_WAITING);
	told(0);
	say(RUN("\"more\"", ""));
	told(1);
	assert_string_equal(last("error.data.kind"), "limit");
	assert_true(atoi(last("error.data.retry_after_ms")) >= 50);
	say("{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"rpc.hello\"}");
	assert_int_equal(atoi(last("result.limits.waiting")), CALLS_WAITING);
	assert_int_equal(atoi(last("result.limits.calls")), RPC_RUNNING);
	stub_done(stub.first, json_object(), NULL);
	say(RUN("\"more\"", ""));
	told(3);
}

static void owners(void **state)
{
	(void)state;
	say(RUN("1", ""));
	assert_string_equal(stub.last->owner, "");
	say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"rpc.hello\",\"params\":{\"owner\":\"a b\"}}");
	assert_string_equal(last("error.code"), "-32602");
	say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"rpc.hello\",\"params\":{\"owner\":\"agent\"}}");
	assert_string_equal(last("result.protocol"), "1");
	say(RUN("3", ""));
	assert_string_equal(stub.last->owner, "agent");
	say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"rpc.hello\",\"params\":{\"owner\":\"other\"}}");
	assert_string_equal(last("error.data.kind"), "denied");
}

static void the_end(void **state)
{
	(void)state;
	say(RUN("1", ""));
	say(RUN("2", ""));
	rpc_end(now.rpc);
	assert_true(stub.first->cancelled && stub.last->cancelled);
	say(RUN("3", "")); /* is not heard */
	assert_int_equal(stub.n, 2);
	stub_done(stub.first, json_object(), NULL);
	assert_int_equal(now.idle, 0);
	stub_done(stub.first, json_object(), NULL);
	assert_int_equal(now.idle, 1);
	told(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_call, begin, finish),
		cmocka_unit_test_setup_teardown(characters_are_whole, begin, finish),
		cmocka_unit_test_setup_teardown(an_id_in_use, begin, finish),
		cmocka_unit_test_setup_teardown(cancelling, begin, finish),
		cmocka_unit_test_setup_teardown(who_does_not_read, begin, finish),
		cmocka_unit_test_setup_teardown(input, begin, finish),
		cmocka_unit_test_setup_teardown(no_process, begin, finish),
		cmocka_unit_test_setup_teardown(calls_wait_for_their_turn, begin, finish),
		cmocka_unit_test_setup_teardown(one_that_waits_is_like_any, begin, finish),
		cmocka_unit_test_setup_teardown(one_that_waits_is_cancelled_at_once, begin, finish),
		cmocka_unit_test_setup_teardown(who_goes_takes_them_along, begin, finish),
		cmocka_unit_test_setup_teardown(the_bound_is_told, begin, finish),
		cmocka_unit_test_setup_teardown(owners, begin, finish),
		cmocka_unit_test_setup_teardown(the_end, begin, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
