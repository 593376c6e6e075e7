/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where compiled WebAssembly is: machine code, so only from directories and files that nobody else can write
 * to. Each file is written beside its place and renamed when it is on the disk, so it is there whole or not
 * at all.
 */
#ifndef WASM_PLACE_H
#define WASM_PLACE_H

#include <stdint.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "wasm/language.h"

/* Below the state directory. */
#define WASM_DIR      "wasm"
#define WASM_COMPILED "compiled"
/* A directory that has been filled elsewhere, as by a package or for all users; read only. */
#define WASM_PLACE_ENV "AISBX_WASM_LANGUAGES"

/* The directory STATE/wasm; made with MODE if MODE is not 0. -ENOENT: there is none. */
int wasm_place_open(const char *state, const char *below, mode_t mode, struct aisbx_error *e);
/* The file of a language, heap. -ENOENT: it was not added, and how that is done. */
int wasm_place_language(const char *state, const struct wasm_language *l, char **ret, struct aisbx_error *e);
/* The directory of modules that were compiled before, heap; NULL: there is none that can be trusted. */
char *wasm_place_compiled(const char *state);

/* A file that is being written; its name is NAME once it is kept. */
struct wasm_draft {
	int dir, fd; /* owned */
	char temporary[32];
};

int wasm_draft_open(int dir, struct wasm_draft *ret, struct aisbx_error *e);
/* On the disk, under its name. */
int wasm_draft_keep(struct wasm_draft *d, const char *name, struct aisbx_error *e);
void wasm_draft_drop(struct wasm_draft *d);

#endif
