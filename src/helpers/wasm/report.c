/* SPDX-License-Identifier: Apache-2.0 */
/* How a program ended, in words and as lines for the supervisor. */
#include "helpers/wasm/report.h"

#include <stdio.h>
#include <string.h>

#include "helpers/wasm/engine.h"

/* As a process that aborts. */
#define STATUS_TRAP 134
#define NAME_MOST   80

static const struct {
	wasmtime_trap_code_t code;
	const char *name, *words;
	const char *engine; /* the engine's words, behind TRAP: of an error that has no code */
} traps[] = {
	{ WASMTIME_TRAP_CODE_STACK_OVERFLOW, "stack_overflow",
	  "its calls are nested too deep: the stack is full", "call stack exhausted" },
	{ WASMTIME_TRAP_CODE_MEMORY_OUT_OF_BOUNDS, "memory_out_of_bounds",
	  "it used memory that it does not have", "out of bounds memory access" },
	{ WASMTIME_TRAP_CODE_TABLE_OUT_OF_BOUNDS, "table_out_of_bounds", "it called what is not in its table",
	  "undefined element: out of bounds table access" },
	{ WASMTIME_TRAP_CODE_INDIRECT_CALL_TO_NULL, "call_to_null", "it called a function that is not there",
	  "uninitialized element" },
	{ WASMTIME_TRAP_CODE_BAD_SIGNATURE, "bad_signature",
	  "it called a function with other arguments than it has", "indirect call type mismatch" },
	{ WASMTIME_TRAP_CODE_INTEGER_OVERFLOW, "integer_overflow", "a number became too large",
	  "integer overflow" },
	{ WASMTIME_TRAP_CODE_INTEGER_DIVISION_BY_ZERO, "division_by_zero", "it divided by zero",
	  "integer divide by zero" },
	{ WASMTIME_TRAP_CODE_BAD_CONVERSION_TO_INTEGER, "bad_conversion",
	  "it made an integer of what is none", "invalid conversion to integer" },
	{ WASMTIME_TRAP_CODE_UNREACHABLE_CODE_REACHED, "unreachable", "it aborted",
	  "wasm `unreachable` instruction executed" },
	{ WASMTIME_TRAP_CODE_OUT_OF_FUEL, "out_of_fuel", "its fuel is used up",
	  "all fuel consumed by WebAssembly" },
};
#define N_TRAPS (sizeof(traps) / sizeof(*traps))

const char *report_trap_name(wasmtime_trap_code_t code)
{
	for (size_t i = 0; i < N_TRAPS; i++)
		if (traps[i].code == code)
			return traps[i].name;
	return "other";
}

static const char *words_of(wasmtime_trap_code_t code)
{
	for (size_t i = 0; i < N_TRAPS; i++)
		if (traps[i].code == code)
			return traps[i].words;
	return NULL;
}

/* An error may carry a trap, with its code only in words at the end of its cause: before that are names that
 * the program chose. */
static bool find_trap(const char *cause, size_t len, wasmtime_trap_code_t *ret)
{
	const char *at = cause, *end = cause + len, *next;

	while ((next = memmem(at, (size_t)(end - at), REPORT_TRAP, strlen(REPORT_TRAP))))
		at = next + strlen(REPORT_TRAP);
	for (size_t i = 0; i < N_TRAPS; i++) {
		size_t n = strlen(traps[i].engine);

		if ((size_t)(end - at) >= n && !memcmp(at, traps[i].engine, n)) {
			*ret = traps[i].code;
			return true;
		}
	}
	return false;
}

/* As one word of a line: nothing in it ends the word or the line. */
static void add_word(struct buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len && i < NAME_MOST; i++)
		buf_add(b, text[i] > ' ' && text[i] < 0x7f ? &text[i] : "?", 1);
	if (!len)
		buf_add(b, "?", 1);
}

void report_import(struct report *r, const char *module, size_t module_len, const char *name, size_t len)
{
	buf_addf(&r->text, "import ");
	add_word(&r->text, module, module_len);
	buf_addf(&r->text, " ");
	add_word(&r->text, name, len);
	buf_addf(&r->text, "\n");
}

void report_error(struct report *r, const char *text)
{
	buf_addf(&r->text, "error ");
	for (; *text; text++)
		buf_add(&r->text, (unsigned char)*text < ' ' ? " " : text, 1);
	buf_addf(&r->text, "\n");
}

static void tell_trap(struct report *r, wasmtime_trap_code_t code)
{
	const char *words = words_of(code);

	if (code == WASMTIME_TRAP_CODE_OUT_OF_FUEL)
		buf_addf(&r->text, "limit fuel\n");
	else
		buf_addf(&r->text, "trap %s\n", report_trap_name(code));
	fprintf(stderr, "aisbx: the program was stopped: %s\n", words ? words : "it did what no program may");
}

void report_end(struct report *r, wasmtime_error_t *error, wasm_trap_t *trap)
{
	wasm_byte_vec_t text;
	wasmtime_trap_code_t code = 0;
	const char *cause;
	size_t len;

	if (error && wasmtime_error_exit_status(error, &r->status)) {
		r->status &= 0xff; /* as with any process */
		wasmtime_error_delete(error);
		return;
	}
	if (!error && !trap)
		return;
	r->status = STATUS_TRAP;
	if (trap && wasmtime_trap_code(trap, &code)) {
		tell_trap(r, code);
		wasm_trap_delete(trap);
		return;
	}
	if (error)
		wasmtime_error_message(error, &text);
	else
		wasm_trap_message(trap, &text);
	cause = engine_cause(&text, &len);
	if (find_trap(cause, len, &code)) {
		tell_trap(r, code);
	} else {
		buf_addf(&r->text, "trap other\n");
		fprintf(stderr, "aisbx: the program was stopped: %.*s\n", len < 2000 ? (int)len : 2000,
			cause);
	}
	wasm_byte_vec_delete(&text);
}
