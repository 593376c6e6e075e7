/* SPDX-License-Identifier: Apache-2.0 */
/* Fetching from a pseudo-image: image.yaml, layers/, policy.json. */
#ifndef HELPERS_IMAGE_PSEUDO_H
#define HELPERS_IMAGE_PSEUDO_H

#include <jansson.h>

#include "aisbx/error.h"
#include "helpers/image/fetched.h"

/* REQUEST: the whole request "fetch" (image/wire.h). B is open, and this process is confined to it. */
int pseudo_fetch(const json_t *request, struct blobs *b, struct fetched *ret, struct aisbx_error *e);

#endif
