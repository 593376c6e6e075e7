/* SPDX-License-Identifier: Apache-2.0 */
/* Fetching from a registry. */
#ifndef HELPERS_IMAGE_REGISTRY_H
#define HELPERS_IMAGE_REGISTRY_H

#include <jansson.h>

#include "aisbx/error.h"
#include "helpers/image/fetched.h"

/* REQUEST: the whole request "fetch" (image/wire.h). Opens the directory of blobs itself, verifies
 * everything, and signatures as "keys" asks (helpers/image/signature.h). */
int registry_fetch(const json_t *request, struct fetched *ret, struct aisbx_error *e);

#endif
