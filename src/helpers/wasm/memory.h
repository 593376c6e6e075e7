/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at the memory of this process a thousand times a second, where no control group holds it: who looks
 * from outside of the box has more to count, and is late on a busy machine.
 */
#ifndef HELPERS_WASM_MEMORY_H
#define HELPERS_WASM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Calls OVER on a thread of its own as soon as there is more than LIMIT; USED is what there was. Without a
 * /proc nobody looks here, only from outside. */
void memory_watch(uint64_t limit, void (*over)(void *ctx, uint64_t used), void *ctx);
/* Before that: nobody looks until ON is false again. */
void memory_watch_pause(bool on);

#endif
