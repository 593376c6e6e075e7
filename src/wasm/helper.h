/* SPDX-License-Identifier: Apache-2.0 */
/* Runs aisbx-wasm outside of a box, where it compiles and prepares, behind walls of its own. */
#ifndef WASM_HELPER_H
#define WASM_HELPER_H

#include "aisbx/error.h"

/* Its own path and that of its engine, heap, as the box shows them. -EOPNOTSUPP: this aisbx was built without
 * it. */
int wasm_helper_find(char **ret_program, char **ret_engine, struct aisbx_error *e);
/* With these words (NULL-terminated), from file IN to file OUT. What it says is in E. */
int wasm_helper_run(const char *const *words, int in_fd, int out_fd, struct aisbx_error *e);

#endif
