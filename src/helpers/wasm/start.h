/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program: what it may see and use, its fuel, its end. */
#ifndef HELPERS_WASM_START_H
#define HELPERS_WASM_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wasi.h>
#include <wasmtime.h>

#include "aisbx/error.h"
#include "helpers/wasm/program.h"
#include "helpers/wasm/report.h"

/* A directory that a program may use. */
struct start_dir {
	const char *host, *guest; /* borrowed */
	bool is_writable;
};

#define START_MAX_DIRS 64

struct started;

struct start {
	const char *const *argv; /* borrowed; NULL-terminated, of the program */
	const char *const *env;  /* borrowed; NULL-terminated, "NAME=VALUE" */
	struct start_dir dirs[START_MAX_DIRS];
	size_t n_dirs;
	uint64_t fuel; /* 0: as much as it needs; it is counted all the same */
	/* where its standard output and error go, besides what is written there already; NULL: descriptors 1,
	 * 2 */
	struct buf *output;
	/* borrowed; which program begins in the memory of a language; NULL: none */
	const struct start_language *language;
	const char *root; /* borrowed; where what LANGUAGE reads and writes is; NULL: nothing */
	const char *cwd;  /* borrowed; of LANGUAGE */
	/* NULL, or called when all is done that can be before the text of the program is there */
	int (*ready)(struct started *p, void *ctx, struct aisbx_error *e);
	void *ready_ctx; /* borrowed */
};

/* One that lives: to be called, and looked into. */
struct started {
	wasmtime_store_t *store; /* owned */
	wasmtime_context_t *context;
	wasmtime_linker_t *linker; /* owned */
	wasmtime_instance_t instance;
	uint64_t fuel;  /* that it began with */
	bool has_ended; /* by an exit, with */
	uint32_t status;
};

/* How the runtime of a language is begun, if not by "_start". */
struct start_language {
	const char *name;
	/* before the instance is made: functions that it imports */
	wasmtime_error_t *(*define)(const struct start *s, struct started *p);
	/* RET_ERROR, RET_TRAP: as of a call */
	void (*run)(const struct start *s, struct started *p, wasmtime_error_t **ret_error,
		    wasm_trap_t **ret_trap);
	int (*status)(void); /* that it ended with, where no exit of WASI says so; NULL: one does */
};

void started_finish(struct started *p);
/* Makes an instance of a module; nothing of it runs yet but what the module says is to run then. What it
 * imports that is not there is told in R, and is an error. */
int start_instance(wasm_engine_t *engine, const struct program *program, const struct start *s,
		   struct started *ret, struct report *r, struct aisbx_error *e);
/* Calls the exported function NAME, which takes and returns nothing. */
int start_call(struct started *p, const char *name, wasmtime_error_t **ret_error, wasm_trap_t **ret_trap,
	       struct aisbx_error *e);
uint64_t start_fuel_used(struct started *p);
/* From beginning to end; a module or a component. An error: nothing of it ran. */
int start_run(wasm_engine_t *engine, const struct program *program, const struct start *s, struct report *r,
	      struct aisbx_error *e);
/* As start_run, for components. */
int start_component(wasm_engine_t *engine, const struct program *program, const struct start *s,
		    struct report *r, struct aisbx_error *e);
/* Its arguments, variables, streams and directories; takes nothing. */
int start_wasi(const struct start *s, wasi_config_t **ret, struct aisbx_error *e);
/* Gives the store its fuel. */
void start_fuel(const struct start *s, struct started *p);

#endif
