/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the engine. What is not switched on here is what the engine's makers have switched on. */
#include "helpers/wasm/engine.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

wasm_engine_t *engine_create(bool side_by_side)
{
	wasm_config_t *c = wasm_config_new();

	if (!c)
		return NULL;
	wasmtime_config_consume_fuel_set(c, true);
	wasmtime_config_async_stack_size_set(c, 2 * ENGINE_STACK); /* not used, but has to be larger */
	wasmtime_config_max_wasm_stack_set(c, ENGINE_STACK);
	/* The same result on every processor: then fuel is the same, too. */
	wasmtime_config_cranelift_nan_canonicalization_set(c, true);
	wasmtime_config_wasm_relaxed_simd_deterministic_set(c, true);
	wasmtime_config_wasm_threads_set(c, false); /* one program is one thread */
	wasmtime_config_shared_memory_set(c, false);
	wasmtime_config_wasm_stack_switching_set(c, false);
	wasmtime_config_native_unwind_info_set(c, false); /* for debuggers only */
	wasmtime_config_parallel_compilation_set(c, side_by_side);
	return wasm_engine_new_with_config(c);
}

/* Where there are several, each has a line that begins with its number; the last one is behind the others. */
static const char *last_of(const char *at, const char *end)
{
	const char *last = at, *p = at;

	if (end - at < 3 || memcmp(at, "0: ", 3) != 0)
		return at;
	while (p) {
		const char *digits = p;

		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p > digits && end - p > 2 && p[0] == ':' && p[1] == ' ')
			last = p + 2;
		p = memchr(p, '\n', (size_t)(end - p));
		while (p && p < end && (*p == '\n' || *p == ' '))
			p++;
	}
	return last;
}

const char *engine_cause(const wasm_byte_vec_t *text, size_t *ret_len)
{
	static const char mark[] = "Caused by:";
	const char *at = text->data, *end = text->data + text->size, *next;

	while ((next = memmem(at, (size_t)(end - at), mark, strlen(mark))))
		at = next + strlen(mark);
	while (at < end && (*at == ' ' || *at == '\n'))
		at++;
	while (end > at && (end[-1] == '\n' || !end[-1])) /* a trap's text has its NUL, too */
		end--;
	at = last_of(at, end);
	*ret_len = (size_t)(end - at);
	return at;
}

static int shown(size_t len)
{
	return len < 200 ? (int)len : 200;
}

/* In one line: what failed, unless that is only where, and why. */
static int tell(wasm_byte_vec_t *text, const char *what, struct aisbx_error *e)
{
	size_t len, first;
	const char *cause = engine_cause(text, &len), *line = memchr(text->data, '\n', text->size);

	first = line ? (size_t)(line - text->data) : text->size;
	if (cause == text->data || !first || memmem(text->data, first, "backtrace", 9))
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EBADMSG, "%s: %.*s", what, shown(len),
			     cause);
	else
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EBADMSG, "%s: %.*s: %.*s", what,
			     shown(first), text->data, shown(len), cause);
	wasm_byte_vec_delete(text);
	return e->code;
}

int engine_fail(wasmtime_error_t *error, const char *what, struct aisbx_error *e)
{
	wasm_byte_vec_t text;

	wasmtime_error_message(error, &text);
	wasmtime_error_delete(error);
	return tell(&text, what, e);
}

int engine_fail_trap(wasm_trap_t *trap, const char *what, struct aisbx_error *e)
{
	wasm_byte_vec_t text;

	wasm_trap_message(trap, &text);
	wasm_trap_delete(trap);
	return tell(&text, what, e);
}
