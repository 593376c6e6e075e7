/* SPDX-License-Identifier: Apache-2.0 */
/* A program as the engine has it: compiled ahead of time, or from its module. */
#ifndef HELPERS_WASM_PROGRAM_H
#define HELPERS_WASM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <wasmtime.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Either a module (WASI preview 1) or a component (preview 2). */
struct program {
	wasmtime_module_t *module;       /* owned */
	wasmtime_component_t *component; /* owned */
};

void program_finish(struct program *p);
/* The bytes are a component. */
bool program_is_component(const void *bytes, size_t len);
int program_compile(wasm_engine_t *engine, const void *bytes, size_t len, struct program *ret,
		    struct aisbx_error *e);
/* For program_load. */
int program_serialize(const struct program *p, wasm_byte_vec_t *ret, struct aisbx_error *e);
/* What program_serialize gave, in a file that only we could write: it is machine code. Mapped, not read. */
int program_load(wasm_engine_t *engine, const char *path, bool is_component, struct program *ret,
		 struct aisbx_error *e);

#endif
