/* SPDX-License-Identifier: Apache-2.0 */
/* Checks as WebAssembly modules: total, with an end by fuel, the same on every machine. */
#ifndef FLOW_WASM_CHECK_H
#define FLOW_WASM_CHECK_H

#include <jansson.h>

#include "aisbx/error.h"
#include "box/caller.h"

/*
 * Runs FILE below DIR, an absolute path: the person's own, never a box's version. It reads FACTS as one JSON
 * object from its input; 0 is a pass and 1 is none, and the first line that it prints is RET_WHY, heap. Every
 * other end is an error, and that is not a pass.
 */
int wasm_check_judge(const struct caller *by, const char *dir, const char *file, const json_t *facts,
		     bool *ret_holds, char **ret_why, struct aisbx_error *e);

#endif
