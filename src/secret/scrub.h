/* SPDX-License-Identifier: Apache-2.0 */
/* Removes secrets from what an operation returns: a whole result, or an error. */
#ifndef SECRET_SCRUB_H
#define SECRET_SCRUB_H

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Appends the bytes to OUT without secrets; false: no memory. */
typedef bool scrub_fn(const void *ctx, const char *data, size_t len, struct buf *out);

/* Every text in VALUE, at any depth; a text for which there is no memory becomes empty. */
void scrub_json(json_t *value, scrub_fn *fn, const void *ctx);
/* What an operation answers, result or error, without all secrets that boxes were given. DIR: the state
 * directory. R is what it returned; returns what to return. */
int scrub_answer(const char *dir, int r, json_t **result, struct aisbx_error *e);
void scrub_error(struct aisbx_error *e, scrub_fn *fn, const void *ctx);

#endif
