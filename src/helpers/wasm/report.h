/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is told of a program's run beside its output: lines of a file that the program itself cannot see.
 * "fuel N", "limit fuel", "limit memory BYTES", "trap NAME", "import MODULE NAME".
 */
#ifndef HELPERS_WASM_REPORT_H
#define HELPERS_WASM_REPORT_H

#include <wasmtime.h>

#include "base/buf.h"

/* The engine's words before those of a trap. */
#define REPORT_TRAP "wasm trap: "

/* How a program ended. */
struct report {
	struct buf text; /* owned */
	int status;      /* for exit() */
};

/* "import MODULE NAME": names of the program's, which may hold anything. */
void report_import(struct report *r, const char *module, size_t module_len, const char *name, size_t len);
/* "error TEXT" */
void report_error(struct report *r, const char *text);
/* The name of a trap, as people and programs read it: "stack_overflow". */
const char *report_trap_name(wasmtime_trap_code_t code);
/* What ended it: an exit, a trap, or another error. Takes both. Says on standard error what the program did
 * not. */
void report_end(struct report *r, wasmtime_error_t *error, wasm_trap_t *trap);

#endif
