/* SPDX-License-Identifier: Apache-2.0 */
/* What a language as WebAssembly has of what programs want: its modules, and functions that need a machine.
 * Pure. */
#ifndef WASM_OFFER_H
#define WASM_OFFER_H

#include <stdbool.h>

/*
 * LANGUAGE as run-code has it. NAME is a module that a program imports, or a function that it calls, by its
 * full name. NULL: it is there. Else why it is not, as "'%s' needs a process of its own"; static.
 */
const char *wasm_lacks_module(const char *language, const char *name);
const char *wasm_lacks_function(const char *language, const char *name);

#endif
