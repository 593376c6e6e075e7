/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary format of a WebAssembly module, as far as freezing one needs it: its sections, and how many of
 * what they have. Pure; whether the code is valid is for the engine to say.
 */
#ifndef HELPERS_WASM_MODULE_H
#define HELPERS_WASM_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

enum module_section_id {
	SECTION_CUSTOM,
	SECTION_TYPE,
	SECTION_IMPORT,
	SECTION_FUNCTION,
	SECTION_TABLE,
	SECTION_MEMORY,
	SECTION_GLOBAL,
	SECTION_EXPORT,
	SECTION_START,
	SECTION_ELEMENT,
	SECTION_CODE,
	SECTION_DATA,
	SECTION_DATA_COUNT,
	SECTION_TAG,
	SECTION_IDS
};

/* Bytes that are being read. */
struct module_bytes {
	const uint8_t *at, *end; /* borrowed */
	bool bad;                /* more was read than there is, or a number was too long */
};

/* A module in parts; of each kind there is one at most, except for custom sections, which are passed over. */
struct module {
	struct module_bytes sections[SECTION_IDS]; /* without kind and length; at NULL: there is none */
	uint32_t types, functions, globals;        /* how many, imported ones first */
	uint32_t imported_functions, imported_globals;
};

/* -EBADMSG: it is none, or one that only the engine understands. */
int module_read(const void *data, size_t len, struct module *ret, struct aisbx_error *e);

uint32_t module_u32(struct module_bytes *b);
uint8_t module_byte(struct module_bytes *b);
/* N bytes, or NULL. */
const uint8_t *module_take(struct module_bytes *b, size_t n);
/* A constant expression with its end. */
void module_pass_expression(struct module_bytes *b);

/* Writing: numbers as LEB128. */
void module_add_u32(struct buf *b, uint32_t n);
void module_add_s64(struct buf *b, int64_t n);
void module_add_name(struct buf *b, const char *name);
/* A section with what IN has. */
void module_add_section(struct buf *b, enum module_section_id id, const struct buf *in);

#endif
