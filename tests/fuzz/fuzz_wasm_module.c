/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of modules and the writer of frozen ones: what is written can be read again, with as many
 * parts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/wasm/freeze.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static uint8_t memory[65536];

/* Without any of the memory most of the time: to look through it takes longer than all the rest. */
static void freeze(const struct module *m, size_t memory_len)
{
	const struct freeze_entry entry = { .function = 0, .first = 1, .second = 2, .job = 3 };
	struct freeze_global *globals = calloc(m->globals + 1, sizeof(*globals));
	struct buf out = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct module again;

	memory[9] = memory[4000] = 1;
	if (globals && freeze_globals(m, globals, &e) == 0 &&
	    freeze_write(m, globals, memory, memory_len, &entry, &out, &e) == 0) {
		must(module_read(out.data, out.len, &again, &e) == 0);
		must(again.functions == m->functions + 1 && again.globals == m->globals + 1 &&
		     again.types == m->types + 1);
	}
	buf_finish(&out);
	if (freeze_open(m, &out, &e) == 0)
		must(module_read(out.data, out.len, &again, &e) == 0 && again.globals == m->globals);
	buf_finish(&out);
	free(globals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1); /* the last byte is followed by nothing */
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct module m;

	memcpy(copy, data, len);
	if (module_read(copy, len, &m, &e) == 0) {
		must(m.globals < len && m.functions < len && m.types < len); /* room for them can be had */
		freeze(&m, len % 4 ? 0 : sizeof(memory));
	}
	free(copy);
	return 0;
}
