/* SPDX-License-Identifier: Apache-2.0 */
/* Taking secrets out of what an operation says: of a whole result, of an error. */
#ifndef SECRET_SCRUB_H
#define SECRET_SCRUB_H

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Adds to OUT the bytes without what must not be told; false: no memory. */
typedef bool scrub_fn(const void *ctx, const char *data, size_t len, struct buf *out);

/* Every text in VALUE, however deep; one for which there is no memory becomes empty. */
void scrub_json(json_t *value, scrub_fn *fn, const void *ctx);
/* What an operation answers, result or error, without all secrets that boxes were given. DIR: the state
 * directory. R is what it returned; returns what to return. */
int scrub_answer(const char *dir, int r, json_t **result, struct aisbx_error *e);
void scrub_error(struct aisbx_error *e, scrub_fn *fn, const void *ctx);

#endif
