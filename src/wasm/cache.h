/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules that were run once are compiled again here, outside of any box, from their bytes alone; so what a
 * box did while it ran has no part in it. The name of each is the hash of the module's bytes, made here.
 */
#ifndef WASM_CACHE_H
#define WASM_CACHE_H

/* Bytes that all of them may take together; then the oldest go. */
#define WASM_CACHE_MOST (512ULL << 20)

/* MODULE_FD: a file that a box left. In the background; what fails is tried again next time. */
void wasm_cache_add(const char *state, int module_fd);

#endif
