/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a config and a manifest of layers that are there: the same layers and settings, the same digest. */
#ifndef HELPERS_IMAGE_COMPOSE_H
#define HELPERS_IMAGE_COMPOSE_H

#include <jansson.h>

#include "helpers/image/blobs.h"
#include "helpers/image/fetched.h"

/*
 * PARENT: digest of the manifest of the image that LAYERS come on top of; NULL: of none. SETTINGS: an object,
 * see "image" of the request "pack" in image/wire.h; what it says takes the place of what PARENT says, but
 * labels are added.
 */
int compose_image(struct blobs *b, const char *parent, const struct fetched_layer *layers, size_t n,
		  const json_t *settings, char ret_manifest[DIGEST_CAP], struct aisbx_error *e);

#endif
