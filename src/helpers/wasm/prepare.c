/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares the interpreter of a language once: starts it, and writes what it has become as a module. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/wasm/engine.h"
#include "helpers/wasm/freeze.h"
#include "helpers/wasm/language.h"
#include "python_main.h"

/*
 * The function by which a frozen python begins: PyRun_SimpleStringFlags(text, flags). The makers' module
 * names no functions, but at the end of "-c" it is what _start called, and so the second last of the frames.
 */
static int find_entry(const wasmtime_error_t *error, const wasm_trap_t *trap, struct freeze_entry *ret,
		      struct aisbx_error *e)
{
	wasm_frame_vec_t frames;
	int r = 0;

	if (error)
		wasmtime_error_wasm_trace(error, &frames);
	else
		wasm_trap_trace(trap, &frames);
	if (frames.size < 3)
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				 "prepare python: it did not end where it should");
	else
		ret->function = wasm_frame_func_index(frames.data[frames.size - 2]);
	wasm_frame_vec_delete(&frames);
	return r;
}

static bool bits_of(const wasmtime_val_t *value, uint64_t *ret)
{
	const size_t size = value->kind == WASMTIME_I32 || value->kind == WASMTIME_F32   ? 4
			    : value->kind == WASMTIME_I64 || value->kind == WASMTIME_F64 ? 8
											 : 0;

	*ret = 0;
	memcpy(ret, &value->of, size);
	return size != 0;
}

static int read_globals(struct started *p, const struct module *m, struct freeze_global *globals,
			struct aisbx_error *e)
{
	for (uint32_t i = 0; i < m->globals; i++) {
		char name[32];
		wasmtime_extern_t found;
		wasmtime_val_t value;
		int n = snprintf(name, sizeof(name), FREEZE_GLOBAL, i);

		if (!globals[i].is_mutable)
			continue;
		if (!wasmtime_instance_export_get(p->context, &p->instance, name, (size_t)n, &found) ||
		    found.kind != WASMTIME_EXTERN_GLOBAL)
			return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
					    "prepare it: a global is missing");
		wasmtime_global_get(p->context, &found.of.global, &value);
		if (!bits_of(&value, &globals[i].bits))
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
					    "prepare it: a global is no number");
	}
	return 0;
}

static int write_frozen(struct started *p, const struct module *m, const struct freeze_entry *entry,
			struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct freeze_global *globals = calloc(m->globals + 1, sizeof(*globals));
	uint8_t *memory;
	size_t len;
	int r = globals ? freeze_globals(m, globals, e) : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare it");

	if (r == 0)
		r = read_globals(p, m, globals, e);
	if (r == 0 && language_memory(p, &memory, &len) < 0)
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				 "prepare it: it has no memory");
	return r < 0 ? r : freeze_write(m, globals, memory, len, entry, ret, e);
}

/*
 * How deep C may call itself is a constant of the makers', made for the small stack that they gave it; what
 * is left of it stands behind the limit for Python, in the state of its only thread, by which it is found.
 */
#define PYTHON_LIMIT 0x5ca1ab1u
#define MAKERS_LEFT  500u /* C_RECURSION_LIMIT of CPython 3.12 for WASI */
#define OWN_LEFT     4000u
#define OWN_STACK    (16u << 20) /* 3 KiB for each of those, and some */

static int deepen(struct started *p, struct aisbx_error *e)
{
	uint8_t *memory;
	size_t len, found = 0, n = 0;
	const uint32_t own = OWN_LEFT;

	if (language_memory(p, &memory, &len) < 0)
		len = 0;
	for (size_t at = 4; at + 8 <= len; at += 4) {
		uint32_t words[3]; /* left for Python, its limit, left for C */

		memcpy(words, memory + at - 4, sizeof(words));
		if (words[1] == PYTHON_LIMIT && words[0] <= PYTHON_LIMIT && words[0] > PYTHON_LIMIT - 100 &&
		    words[2] && words[2] <= MAKERS_LEFT) {
			found = at + 4;
			n++;
		}
	}
	if (n != 1)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				    "prepare python: its limits are in %zu places", n);
	memcpy(memory + found, &own, sizeof(own));
	return 0;
}

/* It runs main.py, which says where its text and its job lie, and leaves. */
static int start_python(struct started *p, struct buf *output, struct freeze_entry *ret,
			struct aisbx_error *e)
{
	wasmtime_error_t *error = NULL;
	wasm_trap_t *trap = NULL;
	int r = start_call(p, "_start", &error, &trap, e);

	if (r < 0)
		return r;
	if (p->has_ended && p->status == 0 && (error || trap))
		r = find_entry(error, trap, ret, e);
	else
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				 "prepare python: it ended with status %u", p->status);
	if (error)
		wasmtime_error_delete(error);
	if (trap)
		wasm_trap_delete(trap);
	if (r == 0 && (!buf_str(output) || sscanf(output->data, "ready %u %u", &ret->first, &ret->job) != 2))
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EBADMSG,
				 "prepare python: it did not say that it is ready");
	ret->stack = OWN_STACK;
	return r == 0 ? deepen(p, e) : r;
}

int language_prepare(const struct start_language *l, const void *bytes, size_t len, const char *empty,
		     const char *extra, struct buf *ret, struct aisbx_error *e)
{
	const bool is_python = l == &language_python;
	const char *const argv[] = { "python3", "-c", python_main, NULL }, *const env[] = {
		"PYTHONHASHSEED=0", NULL
	};
	scoped(buf_finish) struct buf opened = { 0 }, output = { 0 };
	scoped(program_finish) struct program program = { 0 };
	const struct start s = { .argv = argv,
				 .env = env,
				 .dirs = { { .host = empty, .guest = "/", .is_writable = false } },
				 .n_dirs = is_python,
				 .output = &output,
				 .language = l };
	struct started p = { 0 };
	struct report report = { 0 };
	struct freeze_entry entry = { 0 };
	struct module m;
	wasm_engine_t *engine = engine_create(true);
	int r = engine ? module_read(bytes, len, &m, e)
		       : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "set up the engine");

	if (r == 0)
		r = freeze_open(&m, &opened, e);
	if (r == 0)
		r = program_compile(engine, opened.data, opened.len, &program, e);
	if (r == 0)
		r = start_instance(engine, &program, &s, &p, &report, e);
	buf_finish(&report.text);
	if (r == 0)
		r = is_python ? start_python(&p, &output, &entry, e) : javascript_prepare(&p, extra, e);
	if (r == 0)
		r = write_frozen(&p, &m, is_python ? &entry : NULL, ret, e);
	started_finish(&p);
	return r;
}
