/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of what a program's host tells: it is a file of the box, so anybody could have written
 * it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "driver/wasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *copy = malloc(len ? len : 1);
	struct wasm_report r;

	memcpy(copy, data, len);
	wasm_report_read(copy, len, &r);
	must(r.n_imports <= 16 && strlen(r.trap) < sizeof(r.trap));
	must(!r.has_fuel || r.fuel <= INT64_MAX);
	for (const char *c = r.failure; c && *c; c++)
		must((unsigned char)*c >= 0x20 && *c != 0x7f);
	wasm_report_finish(&r);
	free(copy);
	return 0;
}
