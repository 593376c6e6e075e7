/* SPDX-License-Identifier: Apache-2.0 */
/* libaisbx: calls over RPC, one at a time, and the events of each. */
#include "aisbx/aisbx.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "lib/pipe.h"

/* As much input as may wait at the other side. */
#define INPUT_MAX (4u << 20)
/* Of input in one line; a multiple of three, so that base64 fits together. */
#define INPUT_PART (3u << 16)

struct aisbx {
	struct rpc_pipe pipe;
	json_int_t last; /* id of the newest call */
	bool busy;       /* it is under way */
};

static bool has(size_t size, size_t offset, size_t field)
{
	return size >= offset + field;
}
#define HAS(o, field) ((o) && has((o)->size, offsetof(__typeof__(*(o)), field), sizeof((o)->field)))

static int say_owner(struct aisbx *a, const char *owner, struct aisbx_error *e)
{
	scoped(drop_mem) char *result = NULL, *params = NULL;
	json_t *j = json_pack("{s:s}", "owner", owner);

	if (!j)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the owner is not UTF-8 text");
	params = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	return aisbx_call(a, "rpc.hello", params, NULL, &result, e);
}

int aisbx_open(const struct aisbx_options *options, struct aisbx **ret_aisbx, struct aisbx_error *e)
{
	struct aisbx_options how = { 0 };
	struct aisbx *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "open aisbx");
	if (HAS(options, program))
		how.program = options->program;
	if (HAS(options, socket))
		how.socket = options->socket;
	if (HAS(options, owner))
		how.owner = options->owner;
	r = rpc_pipe_open(&how, &a->pipe, e);
	if (r == 0 && how.owner)
		r = say_owner(a, how.owner, e);
	if (r < 0) {
		aisbx_close(a);
		return r;
	}
	*ret_aisbx = a;
	return 0;
}

void aisbx_close(struct aisbx *a)
{
	if (!a)
		return;
	rpc_pipe_close(&a->pipe);
	free(a);
}

void aisbx_free(void *memory)
{
	free(memory);
}

void aisbx_cancel(struct aisbx *a)
{
	rpc_pipe_wake(&a->pipe);
}

static void add_json(struct rpc_pipe *p, json_t *j)
{
	scoped(drop_mem) char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;

	if (text)
		rpc_pipe_add(p, text, strlen(text));
	else
		p->out.failed = true;
	json_decref(j);
}

static void add_input(struct aisbx *a, const char *data, size_t len)
{
	for (size_t at = 0; at < len || !len; at += INPUT_PART) {
		size_t n = len - at < INPUT_PART ? len - at : INPUT_PART;
		scoped(buf_finish) struct buf text = { 0 };

		base64_add(&text, data + at, n);
		add_json(&a->pipe, json_pack("{s:s, s:s, s:{s:I, s:s, s:s, s:b}}", "jsonrpc", "2.0", "method",
					     "rpc.stdin", "params", "id", a->last, "data",
					     buf_str(&text) ? text.data : "", "encoding", "base64", "eof",
					     at + n >= len));
		if (!len)
			return;
	}
}

static int send_call(struct aisbx *a, const char *method, const char *params, const struct aisbx_events *ev,
		     struct aisbx_error *e)
{
	json_error_t why;
	json_t *args = params ? json_loads(params, JSON_ALLOW_NUL, &why) : json_object();
	size_t len = HAS(ev, input_len) && ev->input ? ev->input_len : 0;

	if (!json_is_object(args)) {
		json_decref(args);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the arguments of '%s' are not a JSON object: %s", method,
				    args ? "it is another type" : why.text);
	}
	if (len > INPUT_MAX) {
		json_decref(args);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
				    "the input is longer than %u bytes; put it into a file of the box",
				    INPUT_MAX);
	}
	if (HAS(ev, output) && ev->output)
		json_object_set_new(args, "_stream", json_true());
	if (len)
		json_object_set_new(args, "_stdin", json_true());
	rpc_pipe_forget_wake(&a->pipe);
	a->last++;
	add_json(&a->pipe, json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", a->last, "method",
				     method, "params", args));
	if (len)
		add_input(a, ev->input, len);
	return 0;
}

static void tell_output(const struct aisbx_events *ev, const json_t *params)
{
	const json_t *data = json_object_get(params, "data");
	const char *stream = json_string_value(json_object_get(params, "stream"));
	const char *encoding = json_string_value(json_object_get(params, "encoding"));
	scoped(buf_finish) struct buf bytes = { 0 };
	int which = stream && !strcmp(stream, "stderr") ? 2 : 1;

	if (!data || !HAS(ev, output) || !ev->output)
		return;
	if (!encoding || strcmp(encoding, "base64") != 0)
		ev->output(ev->context, which, json_string_value(data), json_string_length(data));
	else if (base64_read(&bytes, json_string_value(data), json_string_length(data)))
		ev->output(ev->context, which, bytes.data, bytes.len);
}

static void tell(const struct aisbx_events *ev, const json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *params = json_object_get(message, "params");
	const char *run = json_string_value(json_object_get(params, "run"));
	const char *trace = json_string_value(json_object_get(params, "trace_id"));

	if (!method || !ev)
		return;
	if (!strcmp(method, "output")) {
		tell_output(ev, params);
	} else if (!strcmp(method, "begun") && HAS(ev, begun) && ev->begun && run && trace) {
		ev->begun(ev->context, run, trace);
	} else if (!strcmp(method, "item") && HAS(ev, item) && ev->item) {
		scoped(drop_mem) char *text =
			json_dumps(json_object_get(params, "item"), JSON_COMPACT | JSON_ENCODE_ANY);

		if (text)
			ev->item(ev->context, text);
	}
}

static int area_by_name(const char *name)
{
	for (int area = AISBX_AREA_NONE; name && area < AISBX_AREA_COUNT; area++)
		if (!strcmp(aisbx_area_name(area), name))
			return area;
	return AISBX_AREA_USAGE;
}

static enum aisbx_kind kind_by_name(const char *name)
{
	for (int kind = AISBX_KIND_USAGE; name && kind < AISBX_KIND_COUNT; kind++)
		if (!strcmp(aisbx_kind_name(kind), name))
			return kind;
	return AISBX_KIND_INTERNAL;
}

static int take_error(const json_t *error, struct aisbx_error *e)
{
	const json_t *data = json_object_get(error, "data");
	const char *text = json_string_value(json_object_get(error, "message"));
	json_int_t err = json_integer_value(json_object_get(data, "errno"));

	return aisbx_refuse(e, kind_by_name(json_string_value(json_object_get(data, "kind"))),
			    area_by_name(json_string_value(json_object_get(data, "area"))),
			    err > 0 && err < 4096 ? (int)err : EINVAL, "%s",
			    text ? text : "aisbx rpc returned an error without a message");
}

static int hear_answer(struct aisbx *a, const struct aisbx_events *ev, char **ret_result,
		       struct aisbx_error *e)
{
	const char *line = NULL;
	size_t len = 0;

	for (;;) {
		int r = rpc_pipe_next(&a->pipe, &line, &len, e);
		json_t *message, *result, *error;

		if (r < 0)
			return r;
		if (r == 0) {
			add_json(&a->pipe, json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method",
						     "rpc.cancel", "params", "id", a->last));
			continue;
		}
		message = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
		result = json_object_get(message, "result");
		error = json_object_get(message, "error");
		if (json_integer_value(json_object_get(message, "id")) != a->last || (!result && !error)) {
			tell(ev, message);
			json_decref(message);
			continue;
		}
		r = 0;
		if (error)
			r = take_error(error, e);
		else if (!(*ret_result = json_dumps(result, JSON_COMPACT | JSON_ENCODE_ANY)))
			r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "return the result");
		json_decref(message);
		return r;
	}
}

int aisbx_call(struct aisbx *a, const char *method, const char *params, const struct aisbx_events *events,
	       char **ret_result, struct aisbx_error *e)
{
	int r;

	if (a->busy)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBUSY,
				    "a call is in progress on this connection; open another");
	r = send_call(a, method, params, events, e);
	if (r < 0)
		return r;
	a->busy = true;
	r = hear_answer(a, events, ret_result, e);
	a->busy = false;
	return r;
}

struct kept_result {
	struct aisbx_result result; /* first: who frees one frees all */
	json_t *all;                /* owned */
	char *json;                 /* owned */
};

void aisbx_result_free(struct aisbx_result *r)
{
	struct kept_result *k = (struct kept_result *)r;

	if (!k)
		return;
	json_decref(k->all);
	free(k->json);
	free(k);
}

static json_t *strings(const char *const *list)
{
	json_t *j = json_array();

	for (size_t i = 0; list && list[i]; i++)
		json_array_append_new(j, json_string(list[i]));
	return j;
}

static char *run_params(const char *const *argv, const struct aisbx_run_options *o)
{
	json_t *j = json_pack("{s:o}", "command", strings(argv));
	char *text;

	if (HAS(o, box) && o->box)
		json_object_set_new(j, "box", json_string(o->box));
	if (HAS(o, profile) && o->profile)
		json_object_set_new(j, "profile", json_string(o->profile));
	if (HAS(o, cwd) && o->cwd)
		json_object_set_new(j, "cwd", json_string(o->cwd));
	if (HAS(o, env) && o->env)
		json_object_set_new(j, "env", strings(o->env));
	if (HAS(o, timeout_s) && o->timeout_s > 0)
		json_object_set_new(j, "timeout", json_real(o->timeout_s));
	if (HAS(o, mem) && o->mem)
		json_object_set_new(j, "mem", json_integer((json_int_t)o->mem));
	text = j ? json_dumps(j, JSON_COMPACT) : NULL;
	json_decref(j);
	return text;
}

static const char *text_of(const json_t *j, const char *name)
{
	return json_string_value(json_object_get(j, name));
}

static void fill_result(struct kept_result *k)
{
	const json_t *j = k->all, *code = json_object_get(j, "exit_code");
	const json_t *out = json_object_get(j, "stdout"), *err = json_object_get(j, "stderr");

	k->result =
		(struct aisbx_result){ .run = text_of(j, "run"),
				       .status = text_of(j, "status"),
				       .exit_code =
					       json_is_integer(code) ? (int)json_integer_value(code) : -1,
				       .exit_signal = (int)json_integer_value(json_object_get(j, "signal")),
				       .out = json_string_value(out),
				       .err = json_string_value(err),
				       .out_len = json_string_length(out),
				       .err_len = json_string_length(err),
				       .limit = text_of(json_object_get(j, "limit"), "kind"),
				       .error = text_of(j, "error"),
				       .json = k->json };
}

int aisbx_run(struct aisbx *a, const char *const *argv, const struct aisbx_run_options *options,
	      struct aisbx_result **ret_result, struct aisbx_error *e)
{
	scoped(drop_mem) char *params = run_params(argv, options);
	struct kept_result *k = calloc(1, sizeof(*k));
	int r = params && k ? aisbx_call(a, "run.exec", params, NULL, &k->json, e)
			    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					   "the command or an option is not UTF-8 text");

	if (r == 0) {
		k->all = json_loads(k->json, JSON_ALLOW_NUL, NULL);
		fill_result(k);
		if (!k->result.status)
			r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the result");
	}
	if (r < 0) {
		aisbx_result_free(k ? &k->result : NULL);
		return r;
	}
	*ret_result = &k->result;
	return 0;
}
