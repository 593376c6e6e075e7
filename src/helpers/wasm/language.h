/* SPDX-License-Identifier: Apache-2.0 */
/* Languages whose interpreter is WebAssembly: how each is prepared once, and begun for each program. */
#ifndef HELPERS_WASM_LANGUAGE_H
#define HELPERS_WASM_LANGUAGE_H

#include "base/buf.h"
#include "helpers/wasm/start.h"

/* Bytes for arguments and variables of a program of python. */
#define LANGUAGE_JOB (256u << 10)

extern const struct start_language language_python, language_javascript;
/* NULL: there is none. */
const struct start_language *language_by_name(const char *name);

/*
 * From the module of an interpreter, as its makers give it, to one that begins where it is ready for a
 * program. EMPTY: an empty directory, which is all it sees. EXTRA: text that the language runs before our
 * own; NULL: none.
 */
int language_prepare(const struct start_language *l, const void *bytes, size_t len, const char *empty,
		     const char *extra, struct buf *ret, struct aisbx_error *e);

/* An open instance that can be looked into. */
int language_memory(struct started *p, uint8_t **ret, size_t *ret_len);
/* Calls function NAME with N numbers, for one number. */
wasmtime_error_t *language_call(struct started *p, const char *name, const uint32_t *args, size_t n,
				uint32_t *ret, wasm_trap_t **ret_trap);
/* For the runtime of javascript: prepares a VM in P, with EXTRA and our own files. */
int javascript_prepare(struct started *p, const char *extra, struct aisbx_error *e);

#endif
