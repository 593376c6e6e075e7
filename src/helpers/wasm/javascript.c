/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JavaScript: QuickJS as a library for WASI, with the runtime of javascript/ in its VM. That reaches the
 * world by one function, __host, which is here. Nothing that the VM says about its own memory is believed:
 * every place is checked.
 */
#include "helpers/wasm/javascript.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "helpers/wasm/engine.h"
#include "helpers/wasm/language.h"
#include "javascript_runtime.h"

#define HOST        "__host"
#define SLEEP_MOST  1e12                    /* milliseconds: 30 years */
#define RUNTIME     "node:aisbx/runtime.js" /* frames of such files are hidden from stacks */
#define EXTRA       "__inspect_source"      /* of 10_inspect.js */
#define EVAL_MODULE 1u
/*
 * The stack that the makers gave it is full after four thousand calls; programs of Node's make more. So it
 * gets a larger one in its heap, before it looks where its stack is; what it keeps free of that is for its
 * own functions in C.
 */
#define STACK      (8u << 20)
#define STACK_FREE (512u << 10)
#define READ_MOST  (1u << 20)

/* The one program of this process; the engine's callbacks get it as their context. */
static struct javascript the_one = { .root = -1 };

static wasmtime_error_t *bad(const char *what)
{
	return wasmtime_error_new(what);
}

/* Calls into the VM end in one of three ways; what is no result goes up to whoever began. */
struct failure {
	wasmtime_error_t *error; /* owned */
	wasm_trap_t *trap;       /* owned */
};

static bool has_failed(const struct failure *f)
{
	return f->error || f->trap;
}

static uint32_t call(struct javascript *js, const char *name, const uint32_t *args, size_t n,
		     struct failure *f)
{
	uint32_t result = 0;

	if (!has_failed(f))
		f->error = language_call(js->p, name, args, n, &result, &f->trap);
	return result;
}

static void call_nothing(struct javascript *js, const char *name, uint32_t arg, struct failure *f)
{
	if (!has_failed(f))
		f->error = language_call(js->p, name, &arg, 1, NULL, &f->trap);
}

/* LEN bytes of its memory; NULL, and a failure, if it has none there. */
static uint8_t *place(struct javascript *js, uint32_t at, size_t len, struct failure *f)
{
	uint8_t *memory;
	size_t size;

	if (has_failed(f))
		return NULL;
	if (language_memory(js->p, &memory, &size) < 0 || at > size || len > size - at) {
		f->error = bad("the interpreter has lost its memory");
		return NULL;
	}
	return memory + at;
}

static uint32_t number_at(struct javascript *js, uint32_t at, struct failure *f)
{
	const uint8_t *p = place(js, at, 4, f);
	uint32_t n = 0;

	if (p)
		memcpy(&n, p, 4);
	return n;
}

/* A copy in its memory, with a NUL behind it. */
static uint32_t put(struct javascript *js, const void *data, size_t len, struct failure *f)
{
	uint32_t at = len < UINT32_MAX - 1
			      ? call(js, "wasm_malloc", (const uint32_t[]){ (uint32_t)len + 1 }, 1, f)
			      : 0;
	uint8_t *p = at ? place(js, at, len + 1, f) : NULL;

	if (!p && !has_failed(f))
		f->error = bad("the interpreter has no memory left");
	if (p) {
		memcpy(p, data, len);
		p[len] = 0;
	}
	return at;
}

static uint32_t evaluate(struct javascript *js, const char *text, size_t len, const char *name,
			 uint32_t flags, struct failure *f)
{
	uint32_t code = put(js, text, len, f), file = put(js, name, strlen(name), f);
	uint32_t result = call(js, "qjs_eval", (const uint32_t[]){ code, (uint32_t)len, file, flags }, 4, f);

	call_nothing(js, "wasm_free", code, f);
	call_nothing(js, "wasm_free", file, f);
	return result;
}

static bool is(struct javascript *js, const char *what, uint32_t value, struct failure *f)
{
	return call(js, what, &value, 1, f) != 0 && !has_failed(f);
}

static double number_of(struct javascript *js, uint32_t value, struct failure *f)
{
	wasmtime_val_t arg = { .kind = WASMTIME_I32, .of.i32 = (int32_t)value }, result = { 0 };
	wasmtime_extern_t found;

	if (has_failed(f) ||
	    !wasmtime_instance_export_get(js->p->context, &js->p->instance, "qjs_get_float64", 15, &found) ||
	    found.kind != WASMTIME_EXTERN_FUNC)
		return 0;
	f->error = wasmtime_func_call(js->p->context, &found.of.func, &arg, 1, &result, 1, &f->trap);
	return has_failed(f) ? 0 : result.of.f64;
}

/* Text or bytes: both say where and how long they are. */
static void copy_arg(struct javascript *js, const char *getter, uint32_t value, uint32_t scratch,
		     bool is_text, struct javascript_arg *ret, struct failure *f)
{
	uint32_t at = call(js, getter, (const uint32_t[]){ value, scratch }, 2, f),
		 len = number_at(js, scratch, f);
	const uint8_t *p = place(js, at, len, f);

	if (!p)
		return;
	buf_add(&ret->copy, p, len);
	ret->text = buf_str(&ret->copy);
	ret->len = len;
	if (is_text)
		call_nothing(js, "qjs_free_cstring", at, f);
}

static void read_arg(struct javascript *js, uint32_t value, uint32_t scratch, struct javascript_arg *ret,
		     struct failure *f)
{
	if (is(js, "qjs_is_string", value, f))
		copy_arg(js, "qjs_get_string_len", value, scratch, true, ret, f);
	else if (is(js, "qjs_is_array_buffer", value, f))
		copy_arg(js, "qjs_get_array_buffer", value, scratch, false, ret, f);
	else if (is(js, "qjs_is_number", value, f))
		ret->number = number_of(js, value, f);
	else if (is(js, "qjs_is_bool", value, f))
		ret->number = call(js, "qjs_get_bool", &value, 1, f);
}

static uint32_t new_number(struct javascript *js, double n, struct failure *f)
{
	wasmtime_val_t arg = { .kind = WASMTIME_F64, .of.f64 = n }, result = { 0 };
	wasmtime_extern_t found;

	if (has_failed(f) ||
	    !wasmtime_instance_export_get(js->p->context, &js->p->instance, "qjs_new_number", 14, &found) ||
	    found.kind != WASMTIME_EXTERN_FUNC)
		return 0;
	f->error = wasmtime_func_call(js->p->context, &found.of.func, &arg, 1, &result, 1, &f->trap);
	return has_failed(f) ? 0 : (uint32_t)result.of.i32;
}

static uint32_t answer_value(struct javascript *js, const struct javascript_answer *a, struct failure *f)
{
	uint32_t at, value;

	if (a->kind == ANSWER_NOTHING)
		return call(js, "qjs_get_undefined", NULL, 0, f);
	if (a->kind == ANSWER_NUMBER)
		return new_number(js, a->number, f);
	at = put(js, a->data.data ? a->data.data : "", a->data.len, f);
	value = call(js, a->kind == ANSWER_TEXT ? "qjs_new_string" : "qjs_new_array_buffer",
		     (const uint32_t[]){ at, (uint32_t)a->data.len }, 2, f);
	call_nothing(js, "wasm_free", at, f);
	return value;
}

static void do_write(const struct javascript_arg *a, struct javascript_answer *ret)
{
	int r = a[1].text && (a[0].number == 1 || a[0].number == 2)
			? io_write_all((int)a[0].number, a[1].text, a[1].len)
			: -EINVAL;

	ret->kind = ANSWER_NUMBER;
	ret->number = r;
}

static void do_read(const struct javascript_arg *a, struct javascript_answer *ret)
{
	size_t most = a[1].number >= 1 && a[1].number < READ_MOST ? (size_t)a[1].number : READ_MOST;
	scoped(drop_mem) char *data = malloc(most);
	ssize_t n;

	do
		n = data ? read(STDIN_FILENO, data, most) : -1;
	while (n < 0 && data && errno == EINTR);
	ret->kind = n < 0 ? ANSWER_NUMBER : ANSWER_BYTES;
	ret->number = n < 0 ? -errno : 0;
	if (n > 0)
		buf_add(&ret->data, data, (size_t)n);
}

/* As a process ends with a number. */
static int status_of(double number)
{
	return number > -2147483649.0 && number < 2147483648.0 ? (int)number & 0xff : 0;
}

static void do_sleep(const struct javascript_arg *a, struct javascript_answer *ret)
{
	double ms = a[0].number > 0 ? a[0].number < SLEEP_MOST ? a[0].number : SLEEP_MOST : 0;
	struct timespec left = { .tv_sec = (time_t)(ms / 1000) };

	(void)ret;
	left.tv_nsec = (long)((ms - (double)left.tv_sec * 1000) * 1e6) % 1000000000;
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static void do_random(const struct javascript_arg *a, struct javascript_answer *ret)
{
	uint8_t bytes[256];
	size_t left = a[0].number > 0 && a[0].number <= READ_MOST ? (size_t)a[0].number : 0;

	ret->kind = ANSWER_BYTES;
	while (left) {
		ssize_t n = getrandom(bytes, left < sizeof(bytes) ? left : sizeof(bytes), 0);

		if (n > 0) {
			buf_add(&ret->data, bytes, (size_t)n);
			left -= (size_t)n;
		}
	}
}

static void add_json(struct buf *b, const char *text, size_t len)
{
	buf_add(b, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c < 0x20)
			buf_addf(b, "\\u%04x", c);
		else
			buf_add(b, text + i, 1);
	}
	buf_add(b, "\"", 1);
}

static void do_info(const struct javascript *js, struct javascript_answer *ret)
{
	const struct start *s = js->start;
	struct buf *b = &ret->data;

	ret->kind = ANSWER_TEXT;
	buf_addf(b, "{\"argv\":[");
	for (size_t i = 0; s->argv[i]; i++) {
		buf_addf(b, "%s", i ? "," : "");
		add_json(b, s->argv[i], strlen(s->argv[i]));
	}
	buf_addf(b, "],\"env\":{");
	for (size_t i = 0; s->env && s->env[i]; i++) {
		size_t n = strcspn(s->env[i], "=");

		buf_addf(b, "%s", i ? "," : "");
		add_json(b, s->env[i], n);
		buf_addf(b, ":");
		add_json(b, s->env[i][n] ? s->env[i] + n + 1 : "",
			 s->env[i][n] ? strlen(s->env[i] + n + 1) : 0);
	}
	buf_addf(b, "},\"cwd\":");
	add_json(b, s->cwd ? s->cwd : "/", s->cwd ? strlen(s->cwd) : 1);
	buf_addf(b, "}");
}

/* The value of a text as the program's own: its exceptions are thrown on. */
static uint32_t do_eval(struct javascript *js, const struct javascript_arg *a, struct failure *f)
{
	uint32_t value = evaluate(js, a[0].text ? a[0].text : "", a[0].len, a[1].text ? a[1].text : "code",
				  a[2].number != 0 ? EVAL_MODULE : 0, f);

	if (is(js, "qjs_is_exception", value, f)) {
		call(js, "qjs_throw", (const uint32_t[]){ call(js, "qjs_get_exception", NULL, 0, f) }, 1, f);
		return 0;
	}
	return value;
}

/* What is asked for by NAME; FIRST: its first argument itself. */
static uint32_t obey(struct javascript *js, const char *name, const struct javascript_arg *a, uint32_t first,
		     struct failure *f)
{
	struct javascript_answer answer = { .kind = ANSWER_NOTHING };
	uint32_t value;

	if (!strcmp(name, "promise.state") && first)
		return new_number(js, call(js, "qjs_promise_state", &first, 1, f), f);
	if (!strcmp(name, "promise.result") && first)
		return call(js, "qjs_promise_result", &first, 1, f);
	if (!strcmp(name, "eval"))
		return do_eval(js, a, f);
	if (!strcmp(name, "exit")) {
		js->has_ended = true;
		js->status = status_of(a[0].number);
		f->trap = wasmtime_trap_new("exit", 4);
		return 0;
	}
	if (!strcmp(name, "write"))
		do_write(a, &answer);
	else if (!strcmp(name, "read"))
		do_read(a, &answer);
	else if (!strcmp(name, "sleep"))
		do_sleep(a, &answer);
	else if (!strcmp(name, "random"))
		do_random(a, &answer);
	else if (!strcmp(name, "info"))
		do_info(js, &answer);
	else if (strncmp(name, "file.", 5) != 0 || !javascript_file(js, name + 5, a, &answer)) {
		answer.kind = ANSWER_NUMBER;
		answer.number = -ENOSYS;
	}
	value = answer_value(js, &answer, f);
	buf_finish(&answer.data);
	return value;
}

/* A callback's failure goes up as a trap. */
static wasm_trap_t *pass_up(struct failure *f)
{
	wasm_byte_vec_t text;
	wasm_trap_t *trap = f->trap;

	if (trap || !f->error)
		return trap;
	wasmtime_error_message(f->error, &text);
	trap = wasmtime_trap_new(text.data, text.size);
	wasm_byte_vec_delete(&text);
	wasmtime_error_delete(f->error);
	return trap;
}

/* name, its length, this, how many arguments, where */
static wasm_trap_t *host_call(void *env, wasmtime_caller_t *caller, const wasmtime_val_t *in, size_t n_in,
			      wasmtime_val_t *out, size_t n_out)
{
	struct javascript *js = env;
	struct failure f = { 0 };
	struct javascript_arg args[1 + JAVASCRIPT_ARGS] = { 0 };
	uint32_t n = (uint32_t)in[3].of.i32, at = (uint32_t)in[4].of.i32, value = 0, first = 0;
	uint32_t scratch = call(js, "wasm_malloc", (const uint32_t[]){ 8 }, 1, &f);

	(void)caller;
	(void)n_in;
	(void)n_out;
	for (uint32_t i = 0; i < n && i < 1 + JAVASCRIPT_ARGS; i++)
		read_arg(js, number_at(js, at + 4 * i, &f), scratch, &args[i], &f);
	call_nothing(js, "wasm_free", scratch, &f);
	if (n > 1)
		first = number_at(js, at + 4, &f);
	if (!has_failed(&f))
		value = obey(js, args[0].text ? args[0].text : "", args + 1, first, &f);
	for (size_t i = 0; i < 1 + JAVASCRIPT_ARGS; i++)
		buf_finish(&args[i].copy);
	out[0] = (wasmtime_val_t){ .kind = WASMTIME_I32, .of.i32 = (int32_t)value };
	return pass_up(&f);
}

/* A function of the runtime, by its name; 0: an exception. */
static uint32_t call_global(struct javascript *js, const char *name, const uint32_t *args, uint32_t n,
			    struct failure *f)
{
	uint32_t global = call(js, "qjs_get_global", NULL, 0, f), text = put(js, name, strlen(name), f),
		 list = call(js, "wasm_malloc", (const uint32_t[]){ 4 * (n + 1) }, 1, f);
	uint32_t function = call(js, "qjs_get_prop_string", (const uint32_t[]){ global, text }, 2, f), value;
	uint8_t *p = place(js, list, 4 * (size_t)n, f);

	if (p && n)
		memcpy(p, args, 4 * (size_t)n);
	value = call(js, "qjs_call", (const uint32_t[]){ function, global, n, list }, 4, f);
	call_nothing(js, "wasm_free", text, f);
	call_nothing(js, "wasm_free", list, f);
	call_nothing(js, "qjs_free_value", function, f);
	call_nothing(js, "qjs_free_value", global, f);
	return is(js, "qjs_is_exception", value, f) ? 0 : value;
}

static size_t text_length(struct javascript *js, uint32_t at, struct failure *f)
{
	uint8_t *memory;
	size_t size;

	if (!place(js, at, 1, f) || language_memory(js->p, &memory, &size) < 0)
		return 0;
	return strnlen((const char *)memory + at, size - at);
}

static uint32_t new_string(struct javascript *js, uint32_t at, struct failure *f)
{
	uint32_t len = (uint32_t)text_length(js, at, f);

	return call(js, "qjs_new_string", (const uint32_t[]){ at, len }, 2, f);
}

/* A text of the VM as the interpreter wants it: its own, and its length. */
static uint32_t take_text(struct javascript *js, uint32_t value, uint32_t *ret_len, struct failure *f)
{
	struct javascript_arg text = { 0 };
	uint32_t scratch = call(js, "wasm_malloc", (const uint32_t[]){ 8 }, 1, f), at = 0;

	if (value && is(js, "qjs_is_string", value, f))
		copy_arg(js, "qjs_get_string_len", value, scratch, true, &text, f);
	call_nothing(js, "wasm_free", scratch, f);
	if (text.text)
		at = put(js, text.text, text.len, f);
	*ret_len = (uint32_t)text.len;
	buf_finish(&text.copy);
	return at;
}

static wasm_trap_t *module_normalize(void *env, wasmtime_caller_t *caller, const wasmtime_val_t *in,
				     size_t n_in, wasmtime_val_t *out, size_t n_out)
{
	struct javascript *js = env;
	struct failure f = { 0 };
	uint32_t names[2] = { new_string(js, (uint32_t)in[0].of.i32, &f), 0 }, len;

	(void)caller;
	(void)n_in;
	(void)n_out;
	names[1] = new_string(js, (uint32_t)in[1].of.i32, &f);
	out[0] =
		(wasmtime_val_t){ .kind = WASMTIME_I32,
				  .of.i32 = (int32_t)take_text(js, call_global(js, "__resolve", names, 2, &f),
							       &len, &f) };
	return pass_up(&f);
}

static wasm_trap_t *module_load(void *env, wasmtime_caller_t *caller, const wasmtime_val_t *in, size_t n_in,
				wasmtime_val_t *out, size_t n_out)
{
	struct javascript *js = env;
	struct failure f = { 0 };
	uint32_t name = new_string(js, (uint32_t)in[0].of.i32, &f), len = 0;
	uint32_t text = take_text(js, call_global(js, "__load", &name, 1, &f), &len, &f);
	uint8_t *p = place(js, (uint32_t)in[1].of.i32, 4, &f);

	(void)caller;
	(void)n_in;
	(void)n_out;
	if (p)
		memcpy(p, &len, 4);
	out[0] = (wasmtime_val_t){ .kind = WASMTIME_I32, .of.i32 = (int32_t)text };
	return pass_up(&f);
}

static wasm_trap_t *promise_rejection(void *env, wasmtime_caller_t *caller, const wasmtime_val_t *in,
				      size_t n_in, wasmtime_val_t *out, size_t n_out)
{
	struct javascript *js = env;
	struct failure f = { 0 };
	uint32_t args[3] = { (uint32_t)in[0].of.i32, (uint32_t)in[1].of.i32, 0 };

	(void)caller;
	(void)n_in;
	(void)out;
	(void)n_out;
	args[2] = call(js, in[2].of.i32 ? "qjs_get_true" : "qjs_get_false", NULL, 0, &f);
	call_global(js, "__rejection", args, 3, &f);
	return pass_up(&f);
}

static bool find_stack(struct javascript *js, wasmtime_global_t *ret)
{
	wasmtime_extern_t found;

	if (!wasmtime_instance_export_get(js->p->context, &js->p->instance, "__stack_pointer", 15, &found) ||
	    found.kind != WASMTIME_EXTERN_GLOBAL)
		return false;
	*ret = found.of.global;
	return true;
}

/* UTC, as in every box without the host's zone; and nothing to interrupt: deadline and fuel do that. */
static wasm_trap_t *answer_zero(void *env, wasmtime_caller_t *caller, const wasmtime_val_t *in, size_t n_in,
				wasmtime_val_t *out, size_t n_out)
{
	(void)env;
	(void)caller;
	(void)in;
	(void)n_in;
	(void)n_out;
	out[0] = (wasmtime_val_t){ .kind = WASMTIME_I32, .of.i32 = 0 };
	return NULL;
}

static wasmtime_error_t *define(const struct start *s, struct started *p)
{
	static const struct {
		const char *name;
		size_t n_in, n_out;
		wasmtime_func_callback_t run;
	} rows[] = {
		{ "host_call", 5, 1, host_call },
		{ "host_interrupt", 0, 1, answer_zero },
		{ "host_get_timezone_offset", 2, 1, answer_zero },
		{ "host_promise_rejection", 3, 0, promise_rejection },
		{ "host_module_normalize", 2, 1, module_normalize },
		{ "host_module_load", 2, 1, module_load },
	};
	wasmtime_error_t *error = NULL;

	drop_fd(&the_one.root); /* of one before */
	the_one = (struct javascript){ .start = s, .p = p, .root = -1 };
	if (s->root)
		the_one.root = open(s->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !error; i++) {
		wasm_valtype_vec_t in, out;
		wasm_functype_t *type;

		wasm_valtype_vec_new_uninitialized(&in, rows[i].n_in);
		wasm_valtype_vec_new_uninitialized(&out, rows[i].n_out);
		for (size_t k = 0; k < rows[i].n_in; k++)
			in.data[k] = wasm_valtype_new_i32();
		for (size_t k = 0; k < rows[i].n_out; k++)
			out.data[k] = wasm_valtype_new_i32();
		type = wasm_functype_new(&in, &out);
		error = wasmtime_linker_define_func(p->linker, "env", 3, rows[i].name, strlen(rows[i].name),
						    type, rows[i].run, &the_one, NULL);
		wasm_functype_delete(type);
	}
	return error;
}

static int fail(struct failure *f, const char *what, struct aisbx_error *e)
{
	if (f->trap)
		return engine_fail_trap(f->trap, what, e);
	return engine_fail(f->error, what, e);
}

/* A text that must not fail: ours. */
static int run_own(struct javascript *js, const char *text, size_t len, const char *name,
		   struct aisbx_error *e)
{
	struct failure f = { 0 };
	uint32_t value = evaluate(js, text, len, name, 0, &f);
	bool is_exception = is(js, "qjs_is_exception", value, &f);

	if (has_failed(&f))
		return fail(&f, name, e);
	if (is_exception) {
		uint32_t exception = call(js, "qjs_get_exception", NULL, 0, &f), len_at = 0;
		uint32_t at = call(js, "qjs_get_string", &exception, 1, &f);
		size_t n = text_length(js, at, &f);
		const uint8_t *p = place(js, at, n, &f);

		(void)len_at;
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				    "prepare javascript: %s: %.*s", name, (int)(n < 300 ? n : 300),
				    p ? (const char *)p : "");
	}
	call_nothing(js, "qjs_free_value", value, &f);
	return has_failed(&f) ? fail(&f, name, e) : 0;
}

static void set_text(struct javascript *js, uint32_t object, const char *name, const char *text,
		     struct failure *f)
{
	uint32_t key = put(js, name, strlen(name), f), at = put(js, text, strlen(text), f);
	uint32_t value = call(js, "qjs_new_string", (const uint32_t[]){ at, (uint32_t)strlen(text) }, 2, f);

	call(js, "qjs_set_prop_string", (const uint32_t[]){ object, key, value }, 3, f);
	call_nothing(js, "wasm_free", key, f);
	call_nothing(js, "wasm_free", at, f);
}

static void move_stack(struct javascript *js, struct failure *f)
{
	uint32_t at = call(js, "wasm_malloc", (const uint32_t[]){ STACK }, 1, f);
	wasmtime_val_t top = { .kind = WASMTIME_I32, .of.i32 = (int32_t)((at + STACK) & ~15u) };
	wasmtime_global_t global;

	if (!has_failed(f) && (!at || !find_stack(js, &global)))
		f->error = bad("the interpreter has no stack");
	if (!has_failed(f))
		f->error = wasmtime_global_set(js->p->context, &global, &top);
}

int javascript_prepare(struct started *p, const char *extra, struct aisbx_error *e)
{
	struct javascript *js = &the_one;
	struct failure f = { 0 };
	uint32_t name, function, global;

	js->p = p;
	if (!has_failed(&f))
		f.error = language_call(p, "_initialize", NULL, 0, NULL, &f.trap);
	move_stack(js, &f);
	if (call(js, "qjs_init", NULL, 0, &f) != 0 && !has_failed(&f))
		f.error = bad("the interpreter could not be set up");
	call_nothing(js, "qjs_set_promise_rejection_handler", 1, &f);
	call_nothing(js, "qjs_set_module_loader", 1, &f);
	name = put(js, HOST, strlen(HOST), &f);
	function = call(js, "qjs_new_host_function", (const uint32_t[]){ name, (uint32_t)strlen(HOST), 0 }, 3,
			&f);
	global = call(js, "qjs_get_global", NULL, 0, &f);
	call(js, "qjs_set_prop_string", (const uint32_t[]){ global, name, function }, 3, &f);
	set_text(js, global, EXTRA, extra ? extra : "", &f);
	if (has_failed(&f))
		return fail(&f, "prepare javascript", e);
	return run_own(js, javascript_runtime, strlen(javascript_runtime), RUNTIME, e);
}

/* All that is due, then the next timer, until there is nothing left to do. */
static void loop(struct javascript *js, struct failure *f)
{
	bool more = true;

	while (more && !has_failed(f)) {
		uint32_t value;

		while (!has_failed(f) && call(js, "qjs_is_job_pending", NULL, 0, f))
			call(js, "qjs_execute_pending_job", NULL, 0, f);
		value = call_global(js, "__tick", NULL, 0, f);
		more = value && call(js, "qjs_get_bool", &value, 1, f) != 0;
	}
}

static void run(const struct start *s, struct started *p, wasmtime_error_t **ret_error,
		wasm_trap_t **ret_trap)
{
	struct javascript *js = &the_one;
	struct failure f = { 0 };
	uint32_t value;

	(void)s;
	js->p = p;
	call_nothing(js, "qjs_set_max_stack_size", STACK - STACK_FREE, &f);
	call_global(js, "__main", NULL, 0, &f);
	loop(js, &f);
	value = call_global(js, "__end", NULL, 0, &f);
	if (!has_failed(&f))
		js->status = status_of(number_of(js, value, &f));
	if (js->has_ended || !has_failed(&f)) { /* as an exit of WASI */
		if (f.trap)
			wasm_trap_delete(f.trap);
		if (f.error)
			wasmtime_error_delete(f.error);
		f = (struct failure){ 0 };
	}
	*ret_error = f.error;
	*ret_trap = f.trap;
}

static int status(void)
{
	return the_one.status;
}

const struct start_language language_javascript = {
	.name = "javascript", .define = define, .run = run, .status = status
};
