/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While nobody waits yet: a program that does nothing is run in an instance of its own, and thrown away with
 * it. So the code that every program needs is there, and it is known which memory each of them writes to.
 */
#ifndef HELPERS_WASM_WARM_H
#define HELPERS_WASM_WARM_H

#include "base/buf.h"
#include "helpers/wasm/start.h"

/* Pages of an instance's memory; all zero: none is known. */
struct warm {
	struct buf pages; /* owned, until the process ends; a byte of each, 1: it is written to */
};

/* S as of a program with an empty text. Where it fails nothing is known, and the program itself will say why.
 */
void warm_try(wasm_engine_t *engine, const struct program *program, const struct start *s, struct warm *ret);
/* Has the kernel give P, of which nothing has run yet, those pages now: one by one at their first use costs
 * more. */
void warm_memory(const struct warm *w, struct started *p);

#endif
