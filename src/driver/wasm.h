/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are in a box for WebAssembly, and what its program tells. Inside driver/ only. */
#ifndef DRIVER_WASM_H
#define DRIVER_WASM_H

#include "driver/driver.h"

/* What runs the program, in the box. */
#define WASM_PLACE   "/run/aisbx/wasm"
#define WASM_PROGRAM WASM_PLACE "/aisbx-wasm"
#define WASM_ENGINE  WASM_PLACE "/libwasmtime.so"
#define WASM_CODE    WASM_PLACE "/code"
#define WASM_MODULES WASM_PLACE "/compiled"
/* The tree of the program; on the box's own tmpfs. */
#define WASM_TMP  "/tmp"
#define WASM_TREE "box"
#define WASM_ROOT WASM_TMP "/" WASM_TREE
/* Left in WASM_TMP, where the program cannot see it. */
#define WASM_REPORT "report"
#define WASM_MODULE "module"

/* What it told. */
struct wasm_report {
	bool has_fuel, out_of_fuel;
	uint64_t fuel;
	uint64_t memory; /* that it had when it was more than its limit; 0: it was not */
	char trap[32];
	char *failure; /* owned; NULL: it was started */
	struct {
		char module[81], name[81];
	} imports[16];
	size_t n_imports;
};

void wasm_report_finish(struct wasm_report *r);
/* From a text that whoever broke out of the program could have written: what does not fit is passed over. */
void wasm_report_read(const char *text, size_t len, struct wasm_report *ret);
/* Into the result of the run. -ENOMEM. */
int wasm_report_apply(const struct wasm_report *r, const struct run_spec *spec, struct driver_result *result);

#endif
