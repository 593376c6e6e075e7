/* SPDX-License-Identifier: Apache-2.0 */
/* What aisbx-image can be asked to do: one function each, in a file of its own. image/wire.h describes the
 * requests. */
#ifndef HELPERS_IMAGE_VERBS_H
#define HELPERS_IMAGE_VERBS_H

#include <stdint.h>

#include <jansson.h>

#include "aisbx/error.h"

#define IMAGE_VERBS(X) X(kind) X(fetch) X(unpack) X(pack) X(write) X(push) X(verify) X(chunk)

/* RET_OK: what is told as "ok"; the caller's. */
#define X(name) int verb_##name(const json_t *request, json_t **ret_ok, struct aisbx_error *e);
IMAGE_VERBS(X)
#undef X

/* A line of progress on standard output; seldom: of each layer the first, the last, and some ten a second
 * between. */
void tell_progress(const char *what, const char *layer, uint64_t done, uint64_t total);

#endif
