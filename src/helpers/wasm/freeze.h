/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module whose instance was stopped after it had prepared itself, written as a module that begins there:
 * the memory is its data, the globals begin with what they had. So a language starts once, when it is added,
 * and each program has a copy of that memory, page by page as it writes to it. Pure.
 */
#ifndef HELPERS_WASM_FREEZE_H
#define HELPERS_WASM_FREEZE_H

#include "helpers/wasm/module.h"

/* Under which name global N is exported by freeze_open. */
#define FREEZE_GLOBAL "aisbx.global.%u"

/* Value of a global, as its bits. */
struct freeze_global {
	uint8_t type; /* as the format has it: 0x7f i32, 0x7e i64, 0x7d f32, 0x7c f64 */
	bool is_mutable;
	uint64_t bits;
};

/* A call that a frozen module makes when it is started: of a function that takes two i32 and returns one. */
struct freeze_entry {
	uint32_t function;
	uint32_t first, second;
	uint32_t stack; /* bytes behind its memory that become its stack, whose pointer is the first global;
			   0: as it is */
	uint32_t job;   /* where it finds its arguments in its memory; exported as FREEZE_JOB */
};

#define FREEZE_JOB "aisbx.job"

/* The globals of M; RET has room for M->globals, imported ones are left as they are. */
int freeze_globals(const struct module *m, struct freeze_global *ret, struct aisbx_error *e);
/* The same module, with all mutable globals exported. */
int freeze_open(const struct module *m, struct buf *ret, struct aisbx_error *e);
/*
 * GLOBALS and MEMORY as they are now. ENTRY: NULL, or what its "_start" does; without one it has none. What
 * would prepare it a second time is left out.
 */
int freeze_write(const struct module *m, struct freeze_global *globals, const void *memory, size_t len,
		 const struct freeze_entry *entry, struct buf *ret, struct aisbx_error *e);

#endif
