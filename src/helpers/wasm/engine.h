/* SPDX-License-Identifier: Apache-2.0 */
/* The engine: how it is set up, the same for everything that is compiled and run; what its errors say. */
#ifndef HELPERS_WASM_ENGINE_H
#define HELPERS_WASM_ENGINE_H

#include <stdbool.h>

#include <wasm.h>
#include <wasmtime.h>

#include "aisbx/error.h"

/* Bytes of stack that a program may have. On a thread with a stack of our own: the same on every machine. */
#define ENGINE_STACK (32u << 20)

/* SIDE_BY_SIDE: it compiles with all processors. NULL: there is no memory. */
wasm_engine_t *engine_create(bool side_by_side);
/*
 * An error of the engine has lines: what failed, names of the program's functions, and its cause at the end.
 * That cause, in the text, the last of several; all of a text that names none.
 */
const char *engine_cause(const wasm_byte_vec_t *text, size_t *ret_len);
/* What ERROR says, with the name of what was being done; takes it. Returns e->code, -EBADMSG. */
int engine_fail(wasmtime_error_t *error, const char *what, struct aisbx_error *e);
/* The same of a trap. */
int engine_fail_trap(wasm_trap_t *trap, const char *what, struct aisbx_error *e);

#endif
