/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests become calls, reports of calls become notifications and answers. One answer for each request, none
 * for notifications.
 */
#include "server/rpc/rpc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/value.h"
#include "op/op.h"
#include "server/core/json.h"
#include "server/core/lines.h"
#include "server/core/queued.h"
#include "server/rpc/data.h"
#include "server/rpc/rpc_secrets.h"

enum { BAD_JSON = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602, FAILED = -32000 };

/* Of an id that is a text; it is repeated with each piece of output. */
#define LONGEST_ID    128
#define LONGEST_OWNER 64
/* Kept for the next text; what a longer one took is given back. */
#define SPARE 65536

/* A call under way. */
struct pending {
	struct rpc *rpc;
	struct queued *call;
	json_t *id;           /* owned */
	bool cancelled, held; /* held: by the peer's own wish */
	char tail[2][4];      /* of each stream: the beginning of a character whose end has not come */
	size_t tail_len[2];
	struct pending *prev, *next;
};

struct rpc {
	struct rpc_how how;
	char *owner;                 /* owned; NULL: the person */
	struct calls_client *client; /* owned */
	struct pending *pending;
	struct buf text; /* owned; of what is being told */
	bool held, ended;
};

static int add_text(const char *data, size_t len, void *text)
{
	buf_add(text, data, len);
	return 0;
}

/* MESSAGE: a reference to keep, or NULL when it could not be made. */
static bool tell(struct rpc *r, json_t *message)
{
	const bool whole = json_dump_callback(message, add_text, &r->text, JSON_COMPACT | VALUE_REALS) == 0 &&
			   !r->text.failed;

	json_decref(message);
	if (whole)
		r->how.send(r->how.ctx, r->text.data, r->text.len);
	r->text.len = 0;
	if (r->text.cap > SPARE || r->text.failed)
		buf_finish(&r->text);
	return whole;
}

static void notify(struct rpc *r, const char *method, json_t *params)
{
	tell(r, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

/* What cannot be told for want of memory is told to have been so: nobody shall wait for ever. */
static void answer_poorly(struct rpc *r, const json_t *id)
{
	char name[LONGEST_ID * 6 + 4], text[sizeof(name) + 128];

	if (!id || json_dumpb(id, name, sizeof(name) - 1, JSON_ENCODE_ANY) >= sizeof(name))
		return;
	name[json_dumpb(id, name, sizeof(name) - 1, JSON_ENCODE_ANY)] = '\0';
	snprintf(text, sizeof(text),
		 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"out of memory\"}}",
		 name, FAILED);
	r->how.send(r->how.ctx, text, strlen(text));
}

/* ID NULL: a notification, which has no answer. RESULT: a reference to keep. */
static void answer(struct rpc *r, json_t *id, json_t *result)
{
	if (!id)
		json_decref(result);
	else if (!tell(r, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result)))
		answer_poorly(r, id);
}

/* As above; a null is told where the id is not known. DATA: a reference to keep. */
static void answer_with(struct rpc *r, json_t *id, int code, json_t *data)
{
	if (!tell(r, json_pack("{s:s, s:O, s:{s:i, s:O, s:o}}", "jsonrpc", "2.0", "id", id, "error", "code",
			       code, "message", json_object_get(data, "text"), "data", data)))
		answer_poorly(r, id);
}

static void answer_error(struct rpc *r, json_t *id, int code, const struct aisbx_error *e)
{
	answer_with(r, id, code, call_error_json(e));
}

/* There is no room for it now. */
static void answer_later(struct rpc *r, json_t *id, uint32_t retry_ms, const struct aisbx_error *e)
{
	json_t *data = call_error_json(e);

	json_object_set_new(data, "retry_after_ms", json_integer(retry_ms));
	answer_with(r, id, FAILED, data);
}

/* An operation's error, or one that is told like it. */
static void answer_failure(struct rpc *r, json_t *id, const struct aisbx_error *e)
{
	if (id)
		answer_error(r, id, e->kind == AISBX_KIND_USAGE ? BAD_PARAMS : FAILED, e);
}

void rpc_refuse(struct rpc *r, const struct aisbx_error *e)
{
	answer_error(r, json_null(), BAD_JSON, e);
}

static void refuse_request(struct rpc *r, json_t *id, const char *why)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "%s", why);
	answer_error(r, id, BAD_REQUEST, &e);
}

static void drop_pending(struct pending *p)
{
	struct rpc *r = p->rpc;

	if (p->next)
		p->next->prev = p->prev;
	if (p->prev)
		p->prev->next = p->next;
	else
		r->pending = p->next;
	json_decref(p->id);
	free(p);
}

static void tell_output(struct pending *p, int which, const char *data, size_t len)
{
	json_t *params = json_pack("{s:O, s:s}", "id", p->id, "stream", which ? "stderr" : "stdout");

	if (server_json_set_bytes(params, data, len) < 0) {
		json_decref(params);
		return;
	}
	notify(p->rpc, "output", params);
}

/* Holds back what begins a character at the end, so that none is split. */
static void on_output(void *ctx, int which, const char *data, size_t len)
{
	struct pending *p = ctx;
	const size_t had = p->tail_len[which];
	struct buf joined = { 0 };
	size_t tail;

	if (p->cancelled && p->rpc->held) /* who does not read, and has cancelled, does not want it */
		return;
	if (had) {
		buf_add(&joined, p->tail[which], had);
		buf_add(&joined, data, len);
		data = joined.data;
		len += had;
	}
	if (!joined.failed) {
		tail = server_utf8_tail(data, len);
		if (len > tail)
			tell_output(p, which, data, len - tail);
		memcpy(p->tail[which], data + len - tail, tail);
		p->tail_len[which] = tail;
	}
	buf_finish(&joined);
}

static void on_item(void *ctx, const json_t *item)
{
	struct pending *p = ctx;

	if (!(p->cancelled && p->rpc->held))
		notify(p->rpc, "item", json_pack("{s:O, s:O}", "id", p->id, "item", (json_t *)item));
}

static void on_begun(void *ctx, const char *run, const char *trace_id)
{
	struct pending *p = ctx;

	notify(p->rpc, "begun", json_pack("{s:O, s:s, s:s}", "id", p->id, "run", run, "trace_id", trace_id));
}

static void on_done(void *ctx, const json_t *result, const struct aisbx_error *e)
{
	struct pending *p = ctx;
	struct rpc *r = p->rpc;

	for (int which = 0; which < 2; which++)
		if (p->tail_len[which])
			tell_output(p, which, p->tail[which], p->tail_len[which]);
	if (result)
		answer(r, p->id, json_incref((json_t *)result));
	else
		answer_failure(r, p->id, e);
	drop_pending(p);
	if (r->ended && !r->pending)
		r->how.idle(r->how.ctx);
}

static struct pending *find_pending(const struct rpc *r, const json_t *id)
{
	struct pending *p = r->pending;

	while (p && !json_equal(p->id, id))
		p = p->next;
	return p;
}

static void cancel(struct pending *p)
{
	p->cancelled = true;
	queued_cancel(p->call);
}

/* Who has said it is somebody cannot become the person, or somebody else, again. */
static int take_owner(struct rpc *r, const json_t *owner, struct aisbx_error *e)
{
	const char *name = json_string_value(owner);

	if (!owner)
		return 0;
	if (!name || json_string_length(owner) != strlen(name) || !op_is_owner(name))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'owner' must be a name of at most %d letters, digits, '.', '_', ':' and '-'",
			LONGEST_OWNER);
	if (r->owner && strcmp(r->owner, name) != 0)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
				    "this connection has an owner already; open another");
	if (!r->owner && !(r->owner = strdup(name)))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "remember the owner");
	return 0;
}

static int do_hello(struct rpc *r, const json_t *params, bool asked, json_t **ret_result,
		    struct aisbx_error *e)
{
	json_t *names;
	int ok = take_owner(r, json_object_get(params, "owner"), e);

	(void)asked;
	if (ok < 0)
		return ok;
	names = json_array();
	for (size_t i = 0; ops[i]; i++)
		if (ops[i]->method)
			json_array_append_new(names, json_string(ops[i]->method));
	*ret_result =
		json_pack("{s:i, s:s, s:o, s:{s:i, s:i, s:i, s:i}}", "protocol", RPC_PROTOCOL, "version",
			  AISBX_VERSION, "methods", names, "limits", "line", (int)LINES_LONGEST, "calls",
			  (int)RPC_RUNNING, "waiting", (int)CALLS_WAITING, "waiting_bytes", (int)CALLS_BYTES);
	if (r->how.data && json_is_true(json_object_get(params, "data")))
		ok = r->how.data(r->how.ctx, *ret_result, e);
	if (ok == 0)
		ok = r->how.hello ? r->how.hello(r->how.ctx, r->owner, *ret_result, e) : 0;
	if (ok < 0) {
		json_decref(*ret_result);
		*ret_result = NULL;
	}
	return ok;
}

static int do_ping(struct rpc *r, const json_t *params, bool asked, json_t **ret_result,
		   struct aisbx_error *e)
{
	(void)r;
	(void)params;
	(void)asked;
	(void)e;
	*ret_result = json_object();
	return 0;
}

static int do_cancel(struct rpc *r, const json_t *params, bool asked, json_t **ret_result,
		     struct aisbx_error *e)
{
	const json_t *id = json_object_get(params, "id");
	struct pending *p = id ? find_pending(r, id) : NULL;

	(void)asked;
	if (!id)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'id' must be the id of the call to cancel");
	if (p)
		cancel(p);
	*ret_result = json_pack("{s:b}", "found", p != NULL);
	return 0;
}

/* For a peer that reads, but is not done with the output of this one: the others need not wait for it. */
static int do_hold(struct rpc *r, const json_t *params, bool asked, json_t **ret_result,
		   struct aisbx_error *e)
{
	const json_t *id = json_object_get(params, "id"), *hold = json_object_get(params, "hold");
	struct pending *p = id ? find_pending(r, id) : NULL;

	(void)asked;
	if (!id || !json_is_boolean(hold))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'id' must be the id of a call, and 'hold' true or false");
	if (p) {
		p->held = json_is_true(hold);
		queued_hold(p->call, r->held || p->held);
	}
	*ret_result = json_pack("{s:b}", "found", p != NULL);
	return 0;
}

/* A command must not take what is left of its input for all of it, so what cannot be kept
 * cancels the call. */
static int feed(struct rpc *r, struct pending *p, const json_t *params, bool asked, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf data = { 0 };
	int ok = json_object_get(params, "data") ? server_json_get_bytes(params, &data, e) : 0;

	if (ok == 0 && data.failed)
		ok = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "queue the input");
	if (ok == 0 && data.len)
		ok = queued_input(p->call, data.data, data.len, e);
	if (ok == 0 && json_is_true(json_object_get(params, "eof")))
		queued_close_input(p->call);
	if (ok < 0 && !asked) {
		notify(r, "stdin", json_pack("{s:O, s:o}", "id", p->id, "error", call_error_json(e)));
		if (ok != -EPIPE)
			cancel(p);
	}
	return ok;
}

static int do_stdin(struct rpc *r, const json_t *params, bool asked, json_t **ret_result,
		    struct aisbx_error *e)
{
	const json_t *id = json_object_get(params, "id");
	struct pending *p = id ? find_pending(r, id) : NULL;
	int ok;

	if (!p)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
				    "no call with this 'id' is in progress");
	ok = feed(r, p, params, asked, e);
	if (ok == 0)
		*ret_result = json_object();
	return ok;
}

static const struct method {
	const char *name;
	bool notified; /* also without an id */
	/* ASKED: there will be an answer. */
	int (*run)(struct rpc *r, const json_t *params, bool asked, json_t **ret_result,
		   struct aisbx_error *e);
} methods[] = {
	{ "rpc.hello", false, do_hello }, { "rpc.ping", false, do_ping }, { "rpc.cancel", true, do_cancel },
	{ "rpc.stdin", true, do_stdin },  { "rpc.hold", true, do_hold },
};

static const struct method *find_method(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(methods[i].name, name))
			return &methods[i];
	return NULL;
}

static void call_method(struct rpc *r, const struct method *m, json_t *id, const json_t *params)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *result = NULL;

	if (!id && !m->notified)
		return;
	if (m->run(r, params, id, &result, &e) < 0)
		answer_failure(r, id, &e);
	else
		answer(r, id, result);
}

static void no_method(struct rpc *r, json_t *id, const char *name)
{
	const char *names[128], *near;
	struct aisbx_error e = AISBX_ERROR_INIT;
	size_t n = 0;

	for (; n < sizeof(methods) / sizeof(methods[0]); n++)
		names[n] = methods[n].name;
	for (size_t i = 0; ops[i] && n < sizeof(names) / sizeof(names[0]); i++)
		if (ops[i]->method)
			names[n++] = ops[i]->method;
	near = str_nearest(name, names, n);
	aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOSYS, "there is no method '%.100s'", name);
	if (near)
		aisbx_hint(&e, "did you mean '%s'?", near);
	else
		aisbx_hint(&e, "rpc.hello lists them");
	answer_error(r, id, NO_METHOD, &e);
}

/* What stands beside the arguments. */
struct asked {
	bool stream;
	struct given_secret *secrets; /* owned; NULL: none */
	bool data;                    /* there is a data connection: */
	int data_fd;                  /* owned; -1: it has not come */
	struct call_how how;
};

static int bad_extra(const char *name, const char *want, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' must be %s", name, want);
}

static int take_extra(struct asked *a, const char *name, const json_t *value, struct aisbx_error *e)
{
	const char *text = json_string_value(value);
	const bool whole = text && strlen(text) == json_string_length(value);

	if (str_is_one_of(name, "_stream|_stdin")) {
		if (!json_is_boolean(value))
			return bad_extra(name, "true or false", e);
		*(!strcmp(name, "_stdin") ? &a->how.input : &a->stream) = json_is_true(value);
		return 0;
	}
	if (!strcmp(name, "_trace")) {
		if (!whole || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
			return bad_extra(name, "32 lower-case hexadecimal digits", e);
		a->how.trace_id = text;
		return 0;
	}
	if (!strcmp(name, "_cwd")) {
		if (!whole || text[0] != '/')
			return bad_extra(name, "the absolute path of a directory", e);
		a->how.cwd = text;
		return 0;
	}
	if (!strcmp(name, "_data"))
		return 0; /* it was taken before */
	if (!strcmp(name, "_secrets"))
		return rpc_secrets_read(value, &a->secrets, e);
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "unknown parameter '%.60s'; besides arguments there are _stream, _stdin, _data, "
			    "_trace, _cwd and _secrets",
			    name);
}

/* Separates PARAMS into arguments, a new reference, and what stands beside them, which borrows
 * from PARAMS. */
static json_t *take_arguments(json_t *params, struct asked *a, struct aisbx_error *e)
{
	json_t *args = json_object(), *value;
	const char *name;

	json_object_foreach(params, name, value)
	{
		if (name[0] == '_' ? take_extra(a, name, value, e) < 0
				   : json_object_set(args, name, value) < 0) {
			json_decref(args);
			return NULL;
		}
	}
	return args;
}

/* First of all: whatever is refused, it must not be left open, or its client would wait for ever. */
static void take_data(const struct rpc *r, const json_t *params, struct asked *a)
{
	const char *token = json_string_value(json_object_get(params, "_data"));

	a->data = json_object_get(params, "_data");
	a->data_fd =
		token && data_is_token(token) && r->how.take_data ? r->how.take_data(r->how.ctx, token) : -1;
}

static int check_data(const struct op *op, struct asked *a, struct aisbx_error *e)
{
	if (!a->data)
		return 0;
	if (!str_is_one_of(op->method, "file.read|file.write") || a->stream || a->how.input)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'_data' is for file.read and file.write, without _stream and _stdin");
	if (a->data_fd < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTCONN,
				    "no data connection has said the token of '_data'; say it, with a "
				    "newline, before the call");
	a->how.data_fd = &a->data_fd;
	return 0;
}

static int start(struct rpc *r, const struct op *op, json_t *id, const json_t *args, const struct asked *a,
		 uint32_t *ret_retry_ms, struct aisbx_error *e)
{
	const struct call_events events = {
		.output = a->stream ? on_output : NULL, .item = on_item, .begun = on_begun, .done = on_done
	};
	struct pending *p = calloc(1, sizeof(*p));
	int ok;

	if (!p)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start a call");
	p->rpc = r;
	p->id = json_incref(id);
	ok = queued_start(r->client, op, args, &a->how, &events, p, &p->call, ret_retry_ms, e);
	if (ok < 0) {
		json_decref(p->id);
		free(p);
		return ok;
	}
	p->next = r->pending;
	if (p->next)
		p->next->prev = p;
	r->pending = p;
	if (r->held)
		queued_hold(p->call, true);
	return 0;
}

static void call_op(struct rpc *r, const struct op *op, json_t *id, json_t *params)
{
	struct asked a = { .how = { .owner = r->owner, .cwd = r->how.cwd, .env = r->how.env } };
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint32_t retry_ms = 0;
	json_t *args;
	int ok;

	take_data(r, params, &a);
	args = take_arguments(params, &a, &e);
	ok = args     ? op_check_args(op, args, &e)
	     : e.code ? e.code
		      : aisbx_fail(&e, AISBX_AREA_USAGE, ENOMEM, "read the arguments");
	a.how.given = a.secrets;
	if (ok == 0)
		ok = check_data(op, &a, &e);
	if (ok == 0)
		ok = start(r, op, id, args, &a, &retry_ms, &e);
	if (retry_ms)
		answer_later(r, id, retry_ms, &e);
	else if (ok < 0)
		answer_failure(r, id, &e);
	close_fd(&a.data_fd);
	rpc_secrets_drop(a.secrets);
	rpc_secrets_wipe(json_object_get(params, "_secrets"));
	json_decref(args);
}

static bool is_id(const json_t *id)
{
	return json_is_integer(id) || (json_is_string(id) && json_string_length(id) <= LONGEST_ID);
}

/* With an id, or without one: then nothing is told, whatever happens. */
static void take_request(struct rpc *r, const char *name, json_t *id, json_t *params)
{
	const struct method *m = find_method(name);
	const struct op *op = m ? NULL : op_by_method(name);
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (id && find_pending(r, id)) {
		/* Told without the id: who waits for the first call shall not take this for its answer. */
		refuse_request(r, json_null(),
			       "a call with this 'id' is in progress; it continues, and this one is ignored");
	} else if (params && !json_is_object(params)) {
		aisbx_refuse(&e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "'params' must be an object: arguments have names");
		answer_failure(r, id, &e);
	} else if (m) {
		call_method(r, m, id, params);
	} else if (id && op) {
		call_op(r, op, id, params);
	} else if (id) {
		no_method(r, id, name);
	}
}

static void take_message(struct rpc *r, json_t *message)
{
	json_t *id = json_object_get(message, "id"), *method = json_object_get(message, "method");
	json_t *params = json_object_get(message, "params"), *none = params ? NULL : json_object();
	json_t *whom = id ? id : json_null();
	const char *version = json_string_value(json_object_get(message, "jsonrpc")),
		   *name = json_string_value(method);

	if (!json_is_object(message))
		refuse_request(r, json_null(),
			       json_is_array(message) ? "batches are not supported: send one request per line"
						      : "a request must be an object");
	else if (id && !is_id(id))
		refuse_request(r, json_null(), "'id' must be an integer or a string of at most 128 bytes");
	else if (!version || strcmp(version, "2.0") != 0)
		refuse_request(r, whom, "'jsonrpc' must be \"2.0\"");
	else if (!method && (json_object_get(message, "result") || json_object_get(message, "error")))
		; /* an answer, but nothing was asked: two who answer answers would never end */
	else if (!name || strlen(name) != json_string_length(method))
		refuse_request(r, whom, "'method' must be the name of a method");
	else
		take_request(r, name, id, params ? params : none);
	json_decref(none);
}

void rpc_receive(struct rpc *r, const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *message;

	if (r->ended)
		return;
	message = server_json_read(text, len, &e);
	if (message)
		take_message(r, message);
	else
		rpc_refuse(r, &e);
	json_decref(message);
}

int rpc_new(const struct rpc_how *how, struct rpc **ret_rpc, struct aisbx_error *e)
{
	struct rpc *r = calloc(1, sizeof(*r));

	if (r)
		*r = (struct rpc){ .how = *how, .owner = how->owner ? strdup(how->owner) : NULL };
	if (!r || (how->owner && !r->owner) || !(r->client = calls_enter(how->calls))) {
		if (r)
			free(r->owner);
		free(r);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start serving a client");
	}
	*ret_rpc = r;
	return 0;
}

void rpc_destroy(struct rpc *r)
{
	if (!r)
		return;
	buf_finish(&r->text);
	calls_part(r->client);
	free(r->owner);
	free(r);
}

void rpc_hold(struct rpc *r, bool hold)
{
	r->held = hold;
	for (struct pending *p = r->pending; p; p = p->next)
		queued_hold(p->call, hold || p->held);
}

void rpc_end(struct rpc *r)
{
	if (r->ended)
		return;
	r->ended = true;
	for (struct pending *p = r->pending; p; p = p->next)
		cancel(p);
	if (!r->pending)
		r->how.idle(r->how.ctx);
}
